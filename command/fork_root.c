#include "command/fork_root.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "command/find.h"
#include "command/owner.h"
#include "state/forked.h"
#include "workspace/scan/scan.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* The text of a small file in that directory. PAWL_ENOTFOUND without a message: there is none. */
static pawl_status read_mark(pawl__buf *path, pawl__buf *out, const char *directory, size_t len,
        const char *name, pawl_error *err)
{
        pawl__buf_clear(path);
        pawl__buf_addf(path, "%.*s/%s", len == 1 ? 0 : (int)len, directory, name);
        TRY(pawl__buf_check(path, err));
        const int fd = open(path->data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
                return errno == ENOENT || errno == ENOTDIR
                               ? PAWL_ENOTFOUND
                               : pawl__fail_errno(err, errno, path->data, "read it");
        const int error = pawl__read_all(out, fd, PATH_MAX);
        close(fd);
        if (error)
                return pawl__fail_errno(err, error, path->data, "read it");
        while (out->len && out->data[out->len - 1] == '\n')
                out->len--;
        pawl__buf_addc(out, '\0');
        out->len -= !out->failed;
        return pawl__buf_check(out, err);
}

pawl_status cli_fork_log(pawl__buf *path, const char *directory, size_t len, pawl_error *err)
{
        pawl__buf mark = PAWL__BUF_INIT, log = PAWL__BUF_INIT;
        pawl_status status = read_mark(&mark, &log, directory, len, PAWL__OWN_ROOT_LOG, err);

        if (!status)
                status = cli_check_owner(mark.data, err);
        if (!status && !pawl__log_is_url(log.data) && access(log.data, F_OK) && errno != EACCES)
                status = pawl__fail(err, PAWL_EIO,
                        "%.300s: names the log %.300s, which is not there; name where it is now "
                        "with --db",
                        mark.data, log.data);
        if (!status) {
                pawl__buf_clear(path);
                pawl__buf_add(path, log.data, log.len);
                status = pawl__buf_check(path, err);
        }
        pawl__buf_free(&mark);
        pawl__buf_free(&log);
        return status;
}

/* Only these work on the run, or on checkpoints alone. */
static bool goes_there(const cli_call *cli)
{
        static const char *const names[] = {"resume", "compare", "fork"};

        if (!cli->cmd || !(cli->cmd->traits & CLI_WORKSPACE))
                return true;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (strcmp(cli->cmd->name, names[i]) == 0)
                        return true;
        return strcmp(cli->cmd->name, "diff") == 0 && cli->n_args > 1;
}

/* The log's workspace is elsewhere, unless the log lies above. */
static pawl_status check_command(const cli_call *cli, const pawl_log *log, const char *directory,
        pawl_text run_id, pawl_error *err)
{
        const char *const place = pawl__log_path(log), *const end = strstr(place, "/.pawl/");
        const size_t above = end ? (size_t)(end - place) : 0;

        if (goes_there(cli) || (end && strncmp(directory, place, above) == 0 &&
                                       (!above || directory[above] == '/')))
                return PAWL_OK;
        return pawl__fail(err, PAWL_ESTATE,
                "directory %.300s: is run %.*s's own, of the log %.300s; `pawl resume %.*s` continues "
                "it, `pawl init` makes a log for other work here",
                directory, PAWL__FMT(run_id), place, PAWL__FMT(run_id));
}

/* The run that the directory says, which has its files there. */
static pawl_status enter(pawl_text *run_id, const cli_call *cli, pawl_log *log,
        const char *directory, pawl_text id, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = id};
        pawl__state *state;

        TRY(pawl__state_of(&state, log, err));
        const pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, cli->arena, err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (status || !pawl__text_is(pawl__run_root(&run), directory))
                return pawl__fail(err, PAWL_EINVAL,
                        "%.300s/%s: names the log %.300s, which has no run %.*s there; name the log "
                        "with --db",
                        directory, PAWL__OWN_ROOT_LOG, pawl__log_path(log), PAWL__FMT(id));
        *run_id = run.v[PAWL__RUN_ID].text;
        return check_command(cli, log, directory, *run_id, err);
}

pawl_status cli_fork_enter(pawl_text *run_id, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        char *here = cli_named_log(cli) || cli->in->served ? NULL : getcwd(NULL, 0);
        pawl__buf path = PAWL__BUF_INIT, id = PAWL__BUF_INIT;
        pawl_status status = PAWL_ENOTFOUND;

        *run_id = pawl__text(NULL);
        for (size_t len = here ? strlen(here) : 0; len > 1 && status == PAWL_ENOTFOUND; len--) {
                here[len] = '\0';
                pawl__buf_clear(&path);
                pawl__buf_addf(&path, "%s/" CLI_LOG_NAME, here);
                if (path.failed || access(path.data, F_OK) == 0)
                        break;
                pawl__buf_clear(&id);
                status = read_mark(&path, &id, here, len, PAWL__OWN_ROOT_LOG, err);
                pawl__buf_clear(&id);
                if (!status)
                        status = read_mark(&path, &id, here, len, PAWL__OWN_ROOT_MARK, err);
                if (!status)
                        status = enter(run_id, cli, log, here,
                                pawl__arena_copy(cli->arena, pawl__buf_text(&id)), err);
                while (len > 1 && here[len - 1] != '/')
                        len--;
        }
        free(here);
        pawl__buf_free(&path);
        pawl__buf_free(&id);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}
