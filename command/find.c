#include "command/find.h"
#include "base/error.h"
#include "command/fork_root.h"
#include "command/key.h"
#include "command/owner.h"
#include "command/repository.h"
#include "events/mask.h"
#include "mission/secrets.h"
#include "state/state.h"
#include "workspace/worktree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is there a log at @p path, or a directory for it that is closed to us, as that of a run as root?
 * Whatever lies further up is not the log that is meant. */
static bool is_there(pawl__buf *path)
{
        struct stat st;
        char *slash = strrchr(path->data, '/');

        if (stat(path->data, &st) == 0)
                return true;
        if (errno != EACCES)
                return false;
        *slash = '\0';
        const bool closed = stat(path->data, &st) == 0;
        *slash = '/';
        return closed;
}

/* CLI_LOG_NAME in the directory that the first @p len bytes name. */
static pawl_status name_log(pawl__buf *path, const char *directory, size_t len, pawl_error *err)
{
        pawl__buf_clear(path);
        pawl__buf_add(path, directory, len == 1 ? 0 : len); /* "/" and "/.pawl", not "//.pawl" */
        pawl__buf_adds(path, "/" CLI_LOG_NAME);
        return pawl__buf_check(path, err);
}

/* The working directory; the caller frees it. */
static pawl_status find_here(char **here, pawl_error *err)
{
        *here = getcwd(NULL, 0);
        return *here ? PAWL_OK
                     : pawl__fail(err, errno == ENOMEM ? PAWL_ENOMEM : PAWL_EIO,
                               "the working directory: %s; change to one that exists, or name the "
                               "log with --db",
                               strerror(errno));
}

/* The log of the repository's main work tree. */
static pawl_status name_main(pawl__buf *path, const cli_repository *repository, pawl_error *err)
{
        if (!repository->main.len)
                return pawl__fail(err, PAWL_EIO,
                        "work tree %.300s: its repository's main work tree cannot be reached, where "
                        "the log belongs; name the log with --db",
                        repository->place.top.data);
        return name_log(path, repository->main.data, repository->main.len, err);
}

/* Where the directory is the top of a linked work tree, the log of the main one comes next.
 * PAWL_ENOTFOUND without a message: there is none, or the directory is something else. */
static pawl_status find_in_main(
        pawl__buf *path, const cli_call *cli, const char *directory, size_t len, pawl_error *err)
{
        cli_repository repository;
        struct stat st;
        pawl_status status = PAWL_ENOTFOUND;

        pawl__buf_clear(path);
        pawl__buf_addf(path, "%.*s/.git", len == 1 ? 0 : (int)len, directory);
        if (path->failed)
                return pawl__nomem(err);
        if (lstat(path->data, &st) != 0 || !S_ISREG(st.st_mode))
                return PAWL_ENOTFOUND;
        path->data[len == 1 ? 1 : len] = '\0';
        status = cli_repository_find(&repository, cli, path->data, err);
        if (!status && !repository.linked)
                status = PAWL_ENOTFOUND;
        else if (!status)
                status = name_main(path, &repository, err);
        if (!status && !is_there(path))
                status = PAWL_ENOTFOUND;
        cli_repository_free(&repository);
        return status;
}

pawl_status cli_find_above(pawl__buf *path, const cli_call *cli, const char *here, pawl_error *err)
{
        for (size_t len = strlen(here); len; len--) {
                pawl_status status = name_log(path, here, len, err);
                if (!status && !is_there(path))
                        status = cli_fork_log(path, here, len, err);
                if (!status && pawl__log_is_url(path->data))
                        return PAWL_OK;
                if (status == PAWL_ENOTFOUND)
                        status = find_in_main(path, cli, here, len, err);
                if (status != PAWL_ENOTFOUND)
                        return status ? status : cli_check_owner(path->data, err);
                if (len == 1)
                        break;
                while (here[len - 1] != '/')
                        len--;
                len += len == 1; /* the root is next */
        }
        return pawl__fail(err, PAWL_ENOTFOUND,
                "no log here: no %s in %.300s or above it; run `pawl init`, or name one with --db",
                CLI_LOG_NAME, here);
}

pawl_status cli_log_to_make(pawl__buf *path, bool *in_repository, const cli_call *cli,
        const char *directory, pawl_error *err)
{
        cli_repository repository = {.linked = false};
        char *here = NULL;
        pawl_status status = directory ? PAWL_OK : find_here(&here, err);

        if (!directory)
                directory = here;
        if (!status)
                status = cli_repository_find(&repository, cli, directory, err);
        *in_repository = !status;
        if (status == PAWL_ENOTFOUND)
                status = name_log(path, directory, strlen(directory), err);
        else if (!status)
                status = name_main(path, &repository, err);
        cli_repository_free(&repository);
        free(here);
        return status;
}

pawl_status cli_find_log(pawl__buf *path, const cli_call *cli, pawl_error *err)
{
        const char *named = cli_named_log(cli);

        if (named)
                return pawl__buf_adds(path, named) ? pawl__nomem(err) : PAWL_OK;
        char *here;
        pawl_status status = find_here(&here, err);
        if (!status)
                status = cli_find_above(path, cli, here, err);
        free(here);
        return status;
}

pawl_status cli_find_place(pawl__buf *path, const cli_call *cli, pawl_error *err)
{
        pawl__buf name = PAWL__BUF_INIT;
        pawl_status status = cli_find_log(&name, cli, err);

        if (!status)
                status = pawl__log_place_find(path, name.data, err);
        pawl__buf_free(&name);
        return status;
}

static unsigned flags_of(cli_access access)
{
        switch (access) {
        case CLI_READ:
        case CLI_VERIFY:
                return PAWL_LOG_READONLY;
        case CLI_MAKE:
                return PAWL_LOG_CREATE;
        case CLI_LOOK:
        case CLI_WRITE:
                break;
        }
        return 0;
}

/* Of a command that has an option for it. */
static pawl_status set_lease(pawl_log_options *options, const cli_call *cli, pawl_error *err)
{
        enum { DAY = 86400 };

        for (const cli_option *o = cli->cmd ? cli->cmd->options : NULL; o && o->name; o++) {
                if (strcmp(o->name, "lease") != 0 || !cli_given(cli, "lease"))
                        continue;
                if (cli_number(cli, "lease", 0) > DAY)
                        return pawl__fail(err, PAWL_EINVAL,
                                "--lease: %s is longer than a day; give %d seconds at most",
                                cli_value(cli, "lease"), DAY);
                options->lease_ms = (unsigned)cli_number(cli, "lease", 0) * 1000U;
        }
        return PAWL_OK;
}

pawl_status cli_open_path(
        pawl_log **out, const cli_call *cli, const char *path, cli_access access, pawl_error *err)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        cli_key key = {.len = 0};
        pawl_status status = set_lease(&options, cli, err);

        const bool makes = access == CLI_MAKE && path && !pawl__log_is_url(path) &&
                           faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
        options.flags = flags_of(access);
        if (!status && access != CLI_READ && access != CLI_LOOK)
                status = cli_key_read(&key, cli, err);
        if (!status && key.len) {
                options.key = key.bytes;
                options.key_len = key.len;
        }
        if (!status)
                status = pawl_log_open(out, path, &options, err);
        cli_key_forget(&key);
        if (!status && access != CLI_READ)
                cli_give_to_sudo_user(pawl__log_place(*out), makes);
        if (access == CLI_LOOK && (status == PAWL_EREADONLY || status == PAWL_EACCESS)) {
                options.flags = PAWL_LOG_READONLY;
                status = pawl_log_open(out, path, &options, err);
        }
        if (!status) {
                status = pawl__secrets_inherited(pawl__log_own_mask(*out), err);
                if (status)
                        pawl_log_close(*out);
        }
        if (!status && pawl__log_is_url(path)) { /* what lies beside it was found, not named */
                status = cli_check_owner(pawl__log_place(*out), err);
                if (status)
                        pawl_log_close(*out);
        }
        return status;
}

/* The directory that the log was looked at in may be exchanged before it is opened. */
pawl_status cli_open_found(
        pawl_log **out, const cli_call *cli, const char *path, cli_access access, pawl_error *err)
{
        pawl_log *log;
        pawl_status status = cli_check_owner(path, err);

        if (!status)
                status = cli_open_path(&log, cli, path, access, err);
        if (status)
                return status;
        status = cli_check_owner(pawl__log_path(log), err);
        if (status)
                pawl_log_close(log);
        else
                *out = log;
        return status;
}

/* A log that an earlier version made in a linked work tree goes when git removes that. */
static void warn_of_linked(const cli_call *cli, const char *log)
{
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what was opened has a name */
        const size_t len = strlen(log) - strlen(CLI_LOG_NAME) - 1;
        pawl__buf path = PAWL__BUF_INIT, main = PAWL__BUF_INIT;
        cli_repository repository;
        struct stat st;

        pawl__buf_addf(&path, "%.*s/.git", (int)len, log);
        if (path.failed || lstat(path.data, &st) != 0 || !S_ISREG(st.st_mode)) {
                pawl__buf_free(&path);
                return;
        }
        path.data[len ? len : 1] = '\0';
        const bool linked = !cli_repository_find(&repository, cli, path.data, NULL) &&
                            repository.linked && repository.main.len;
        const char *name = strrchr(path.data, '/');
        if (linked && !name_log(&main, repository.main.data, repository.main.len, NULL)) {
                const bool taken = is_there(&main);
                cli_noticef(cli,
                        "%s: this log is in a linked work tree, and is removed together with it; carry it "
                        "over: pawl copy %s %s/.pawl/%s.db",
                        log, log, repository.main.data, taken && name ? name + 1 : "events");
        }
        pawl__buf_free(&main);
        cli_repository_free(&repository);
        pawl__buf_free(&path);
}

/* The directory that holds the .pawl that the log lies in; absent: it lies in none. */
static pawl_text directory_of(const pawl_log *log)
{
        static const char own[] = "/.pawl";
        const char *place = pawl__log_place(log);
        const size_t len = (size_t)(strrchr(place, '/') - place), n = sizeof own - 1;

        return len >= n && memcmp(place + len - n, own, n) == 0 ? pawl__text_n(place, len - n)
                                                                : pawl__text(NULL);
}

/* Is a log that was named meant for the work tree? It lies above, or is that of its repository. */
static pawl_status is_for(
        bool *is, const cli_call *cli, const pawl_log *log, const char *worktree, pawl_error *err)
{
        const pawl_text above = directory_of(log);
        pawl__buf main = PAWL__BUF_INIT;
        cli_repository repository;

        *is = above.data && strncmp(worktree, above.data, above.len) == 0 &&
              worktree[above.len] == '/';
        if (*is)
                return PAWL_OK;
        pawl_status status = cli_repository_find(&repository, cli, worktree, err);
        if (!status && repository.main.len)
                status = name_log(&main, repository.main.data, repository.main.len, err);
        *is = !status && main.len && strcmp(main.data, pawl__log_place(log)) == 0;
        cli_repository_free(&repository);
        pawl__buf_free(&main);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* PAWL_ENOTFOUND: the directory is not the top of a linked work tree that the log is for. */
static pawl_status enter_linked(
        const cli_call *cli, pawl_log *log, const char *directory, pawl_error *err)
{
        bool is = false;

        TRY(pawl__git_place_linked(&is, directory, err));
        if (is && cli_named_log(cli))
                TRY(is_for(&is, cli, log, directory, err));
        return is ? pawl__workspace_enter(log, directory, err) : PAWL_ENOTFOUND;
}

/* All is about the nearest linked work tree, up to the directory that the log lies in. */
static pawl_status enter_worktree(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        const pawl_text end = directory_of(log);
        char *here = cli->in->served ? NULL : getcwd(NULL, 0);
        pawl_status status = PAWL_ENOTFOUND;

        for (size_t len = here ? strlen(here) : 0; len > 1 && status == PAWL_ENOTFOUND; len--) {
                here[len] = '\0';
                if (end.data && pawl__text_is(end, here))
                        break;
                status = enter_linked(cli, log, here, err);
                while (len > 1 && here[len - 1] != '/')
                        len--;
        }
        free(here);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status find_or_make(
        pawl__buf *path, bool *made, const cli_call *cli, cli_access access, pawl_error *err)
{
        const pawl_status status = cli_find_log(path, cli, err);

        *made = false;
        return status != PAWL_ENOTFOUND || access != CLI_MAKE
                       ? status
                       : cli_log_to_make(path, made, cli, NULL, err);
}

pawl_status cli_open_log(pawl_log **out, const cli_call *cli, cli_access access, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        pawl_log *log = NULL;
        pawl_text run_id;
        bool made;

        if (access == CLI_WRITE && !cli_changes(cli))
                access = CLI_LOOK;
        if (cli->in->log) {
                *out = cli->in->log;
                return PAWL_OK;
        }
        pawl_status status = find_or_make(&path, &made, cli, access, err);
        if (!status)
                status = (cli_named_log(cli) || pawl__log_is_url(path.data)
                                  ? cli_open_path
                                  : cli_open_found)(&log, cli, path.data, access, err);
        if (!status) {
                status = cli_fork_enter(&run_id, cli, log, err);
                if (!status)
                        status = enter_worktree(cli, log, err);
                if (status)
                        pawl_log_close(log);
                else
                        *out = log;
        }
        if (!status && made)
                cli_noticef(cli, "the log of this repository is %s", path.data);
        else if (!status && !cli_named_log(cli) && path.len > sizeof CLI_LOG_NAME &&
                 strcmp(path.data + path.len - strlen(CLI_LOG_NAME), CLI_LOG_NAME) == 0)
                warn_of_linked(cli, path.data);
        pawl__buf_free(&path);
        return status;
}

/* What was done is done where there is a log that says so. */
static void keep_log(const cli_call *cli, pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_status status = pawl__log_keep(log);

        if (!status || status == PAWL_EINTERRUPTED || !cli->ending || cli->ending->told)
                return;
        pawl__log_failed(log, status, &err);
        cli->ending->close_code = cli_fail(cli, &err);
}

void cli_close_log(const cli_call *cli, pawl_log *log)
{
        if (log && log != cli->in->log)
                keep_log(cli, log);
        const char *warning = log ? pawl_log_warning(log) : NULL;

        if (warning)
                cli_notice(cli, warning);
        if (log == cli->in->log)
                return;
        if (log)
                cli_give_to_sudo_user(pawl__log_place(log), false);
        pawl_log_close(log);
}

pawl_status cli_whole_run(pawl_text *run_id, pawl_log *log, pawl__arena *arena, pawl_error *err)
{
        const pawl__table table = PAWL__RUNS;
        pawl__state *state;

        if (!run_id->data || pawl__state_of(&state, log, NULL))
                return PAWL_OK;
        return pawl__state_whole_id(run_id, state, &table, 1, "run", arena, err);
}

pawl_status cli_known_run(pawl_text *run_id, pawl_log *log, pawl__arena *arena, pawl_error *err)
{
        pawl__row run;
        pawl__state *state;
        pawl_status status = cli_whole_run(run_id, log, arena, err);

        if (status || !run_id->data || pawl__state_of(&state, log, NULL))
                return status;
        run = (pawl__row){.v[PAWL__RUN_ID].text = *run_id};
        status = pawl__state_get(state, PAWL__RUNS, &run, arena, err);
        return status != PAWL_ENOTFOUND ? status
                                        : pawl__fail(err, status,
                                                  "run %.*s: is not in this log; `pawl runs` lists "
                                                  "them",
                                                  PAWL__FMT(*run_id));
}

pawl_status cli_run_row(
        pawl__row *run, pawl_text run_id, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__state *state;

        *run = (pawl__row){.v[PAWL__RUN_ID].text = run_id};
        TRY(pawl__state_of(&state, log, err));
        const pawl_status status = pawl__state_get(state, PAWL__RUNS, run, cli->arena, err);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

pawl_status cli_short_id(
        pawl_text *id, pawl_log *log, pawl__table table, pawl__arena *arena, pawl_error *err)
{
        pawl__state *state;

        return pawl__state_of(&state, log, NULL)
                       ? PAWL_OK
                       : pawl__state_short_id(id, state, table, arena, err);
}

int cli_with_log(cli_call *cli, cli_access access, cli_log_fn *fn)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        if (cli_open_log(&log, cli, access, &err))
                return cli_fail(cli, &err);
        pawl_status status = fn(cli, log, &err);
        int code = status ? cli_fail(cli, &err) : cli->code;
        cli_close_log(cli, log);
        return code;
}
