/* pawl backup: a copy of the log in one file, while others write. */
#include "base/digest.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/signals.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "events/log.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* The share done, on a terminal; false once a signal has come. */
static bool go_on(uint64_t done, uint64_t pages, void *user)
{
        const bool *shows = user;

        if (*shows && pages > 0)
                fprintf(stderr, "\r%3u %%", (unsigned)(done * 100 / pages));
        return cli_signals_last() == 0;
}

static void print_text(FILE *out, const char *path, const pawl_backup *made, const char *hex)
{
        cli_puts(out, path);
        fprintf(out, ": %" PRIu64 " event%s, head %" PRIu64 " %s, %" PRIu64 " bytes\n",
                made->events, made->events == 1 ? "" : "s", made->head_seq, hex, made->bytes);
}

static int print_json(const cli_call *cli, const pawl_backup *made, const char *hex)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "events", (int64_t)made->events);
        pawl__json_name(&w, "head");
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "seq", (int64_t)made->head_seq);
        pawl__json_member_string(&w, "hash", hex);
        pawl__json_close_object(&w);
        pawl__json_member_integer(&w, "bytes", (int64_t)made->bytes);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static int backup_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_backup made;
        char hex[2 * PAWL__HASH_LEN + 1];
        bool shows = isatty(STDERR_FILENO) == 1;
        pawl_log *log;
        int fd;

        if (cli_signals_catch(&fd, &err) || cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        pawl_status status = pawl_log_backup(&made, log, cli->args[0], go_on, &shows);
        if (status)
                pawl__log_failed(log, status, &err);
        if (shows)
                fputs("\r     \r", stderr);
        cli_close_log(cli, log);
        if (status) {
                int code = cli_fail(cli, &err);
                return status == PAWL_EINTERRUPTED ? 128 + cli_signals_last() : code;
        }
        pawl__hex(hex, made.head_hash, sizeof made.head_hash);
        if (cli_given(cli, "json"))
                return print_json(cli, &made, hex);
        print_text(cli->in->out, cli->args[0], &made, hex);
        return CLI_DONE;
}

static const cli_option backup_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_backup_cmd = {
        .name = "backup",
        .args = "FILE",
        .min_args = 1,
        .max_args = 1,
        .options = backup_options,
        .help = "Copy the log into one new file, while others write",
        .run = backup_run,
};
