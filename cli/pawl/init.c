/* pawl init: make the log; with --rebuild, fold its state tables again. */
#include "base/error.h"
#include "base/system.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/printable.h"
#include "events/log.h"
#include "state/state.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* DIR says where, whatever $PAWL_DB names. */
static bool is_named(const cli_call *cli)
{
        return cli_named_log(cli) && (cli->db || !cli->n_args);
}

/* Where `init` makes the log: in DIR, where --db or $PAWL_DB say, or right here; never above. */
static pawl_status log_to_make(pawl__buf *path, const cli_call *cli, pawl_error *err)
{
        const char *directory = cli_arg(cli, 0);
        pawl_status status;

        if (is_named(cli))
                status = pawl__buf_adds(path, cli_named_log(cli));
        else if (directory)
                status = pawl__buf_addf(path, "%s/%s", directory, CLI_LOG_NAME);
        else
                status = pawl__buf_adds(path, CLI_LOG_NAME);
        return status ? pawl__nomem(err) : PAWL_OK;
}

/* The directory in which the log is to be, and those above it. */
static pawl_status make_directories(const char *directory, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (pawl__buf_adds(&path, directory))
                return pawl__nomem(err);
        for (size_t at = 1; !status && at <= path.len; at++) {
                if (path.data[at] != '/' && path.data[at] != '\0')
                        continue;
                path.data[at] = '\0';
                if (mkdir(path.data, 0777) != 0 && errno != EEXIST)
                        status = pawl__fail_errno(err, errno, path.data, "make the directory");
                if (at < path.len)
                        path.data[at] = '/';
        }
        pawl__buf_free(&path);
        return status;
}

static pawl_status make(const cli_call *cli, const char *path, pawl_error *err)
{
        pawl__state *state;
        struct stat st;
        pawl_log *log;

        bool there = stat(path, &st) == 0;
        pawl_status status =
                (is_named(cli) ? cli_open_path : cli_open_found)(&log, cli, path, CLI_MAKE, err);
        if (status)
                return status;
        if (pawl__log_is_url(path))
                there = !pawl__log_was_made(log);
        status = pawl__state_of(&state, log, err);
        if (!status)
                cli_putf(cli->in->out, "%s: %s\n", pawl__log_path(log),
                        there ? "the log was there already" : "created log");
        cli_close_log(cli, log);
        return status;
}

static pawl_status rebuild(const cli_call *cli, const char *path, pawl_error *err)
{
        pawl_log *log;
        pawl_status status =
                (is_named(cli) ? cli_open_path : cli_open_found)(&log, cli, path, CLI_WRITE, err);

        if (status)
                return status;
        status = pawl__state_rebuild(log, err);
        if (!status)
                cli_putf(cli->in->out, "%s: the state tables are folded again from the events\n",
                        pawl__log_path(log));
        cli_close_log(cli, log);
        return status;
}

static int init_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status;

        if (cli->n_args && !*cli->args[0])
                return cli_usage(cli, "DIR is empty; give a directory");
        if (cli->n_args && pawl__log_is_url(cli->args[0]))
                return cli_usage(cli, "DIR is a directory; name a log on a server with --db");
        if (cli->db && cli->n_args)
                return cli_usage(cli, "DIR and --db both say where; give one");
        if (cli_given(cli, "rebuild") && !cli->n_args)
                status = cli_find_log(&path, cli, &err);
        else
                status = log_to_make(&path, cli, &err);
        if (!status && cli->n_args && !cli_given(cli, "rebuild"))
                status = make_directories(cli->args[0], &err);
        if (!status)
                status = cli_given(cli, "rebuild") ? rebuild(cli, path.data, &err)
                                                   : make(cli, path.data, &err);
        pawl__buf_free(&path);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option init_options[] = {
        {"rebuild", 0, 0, CLI_FLAG, NULL, NULL,
                "fold the state tables of the log again from its events"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_init_cmd = {
        .name = "init",
        .args = "[DIR]",
        .traits = CLI_CHANGES,
        .options = init_options,
        .help = "Make the log, in DIR or here",
        .run = init_run,
};
