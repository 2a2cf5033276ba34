/* One workspace at work: where it is, and where it stands. */
#include "workspace/workspace.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/system.h"
#include "workspace/worktree.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- The root -------------------------------------------------------------------------------- */

/* The directory that holds the log's directory, if that is called .pawl; else the log's directory.
 */
static pawl_text directory_above_log(const pawl_log *log)
{
        const char *path = pawl__log_place(log);
        size_t len = (size_t)(strrchr(path, '/') - path);

        if (len >= 6 && memcmp(path + len - 6, "/.pawl", 6) == 0)
                len -= 6;
        return pawl__text_n(path, len ? len : 1);
}

/* Where the log was named in a directory called .pawl, which may be a link: the directory that
 * holds that, and not the one that it leads to. */
static bool directory_named(char out[PATH_MAX], const pawl_log *log)
{
        static const char own[] = ".pawl/";
        const char *name = pawl__log_name(log), *slash = strrchr(name, '/');
        const size_t n = sizeof own - 1, len = slash ? (size_t)(slash + 1 - name) : 0;
        char path[PATH_MAX];

        if (len < n || memcmp(slash + 1 - n, own, n) != 0 || (len > n && slash[-(int)n] != '/') ||
                !realpath(name, out) || strcmp(out, pawl__log_path(log)) != 0)
                return false;
        const int size = snprintf(path, sizeof path, "%.*s.", (int)(len - n), name);
        return size > 0 && (size_t)size < sizeof path && realpath(path, out);
}

bool pawl__workspace_has_place(const pawl_log *log)
{
        const char *path = pawl__log_place(log);
        const char *slash = strrchr(path, '/');
        char named[PATH_MAX];

        return (slash - path >= 6 && memcmp(slash - 6, "/.pawl", 6) == 0) ||
               directory_named(named, log);
}

/* What events call the absolute path @p root: "." or "a/b" below @p above, else as it is. */
static pawl_text name_of_root(pawl_text above, const char *root)
{
        size_t len = above.len == 1 ? 0 : above.len; /* "/" and what is below it */

        if (strncmp(root, above.data, len) != 0 || (root[len] != '/' && root[len] != '\0'))
                return pawl__text(root);
        const char *below = root + len + strspn(root + len, "/");
        return pawl__text(*below ? below : ".");
}

/* The absolute path of the root that events call @p name. */
static pawl_status path_of_root(
        const char **out, pawl__workspace *ws, pawl_text name, pawl_error *err)
{
        pawl_text above = directory_above_log(ws->log);
        bool absolute = name.len && name.data[0] == '/';
        bool same = pawl__text_is(name, ".");
        char *path = pawl__arena_alloc(&ws->arena, above.len + name.len + 2);

        if (!path)
                return pawl__nomem(err);
        if (absolute || same)
                memcpy(path, absolute ? name.data : above.data, absolute ? name.len : above.len);
        else
                snprintf(path, above.len + name.len + 2, "%.*s/%.*s", (int)above.len, above.data,
                        (int)name.len, name.data);
        *out = path;
        return PAWL_OK;
}

/* The directory that the newest checkpoint was taken of, unless git moved the work tree since. */
static pawl_status set_known_root(pawl__workspace *ws, const char *top, pawl_error *err)
{
        ws->root_name = pawl__arena_copy(&ws->arena, ws->newest.v[PAWL__WCP_ROOT].text);
        pawl_status status = pawl__arena_check(&ws->arena, err);
        if (!status)
                status = path_of_root(&ws->root, ws, ws->root_name, err);
        if (status || !top)
                return status;
        const size_t len = strlen(top);
        if (strncmp(ws->root, top, len) == 0 && (ws->root[len] == '/' || ws->root[len] == '\0'))
                return PAWL_OK;
        ws->root = pawl__arena_copy(&ws->arena, pawl__text(top)).data;
        ws->root_name = pawl__text(ws->root);
        return pawl__arena_check(&ws->arena, err);
}

static pawl_status set_root(pawl__workspace *ws, const char *given, pawl_error *err)
{
        char real[PATH_MAX], named[PATH_MAX];
        const char *top;
        bool ok = true;
        pawl_status status = PAWL_OK;

        (void)pawl__state_worktree(ws->state, &top);
        if (!given && ws->any)
                return set_known_root(ws, top, err);
        if (!given)
                given = top;
        if (!given && directory_named(named, ws->log))
                given = named;
        if (!given && !pawl__workspace_has_place(ws->log))
                return pawl__fail(err, PAWL_EINVAL,
                        "workspace: the log lies in no directory .pawl, so that its root is not known; "
                        "name the root");
        if (!given)
                status = path_of_root(&given, ws, pawl__text("."), err);
        if (status)
                return status;
        if (!realpath(given, real))
                return pawl__fail(err, pawl__errno_status(errno),
                        "workspace %.300s: %s; check the path", given, strerrordesc_np(errno));
        pawl_text path = pawl__arena_text(&ws->arena, pawl__text(real), &ok);
        if (!ok)
                return pawl__nomem(err);
        ws->root = path.data;
        ws->root_name =
                *ws->worktree ? path : name_of_root(directory_above_log(ws->log), path.data);
        if (!pawl__utf8_valid(ws->root_name.data, ws->root_name.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "workspace %.300s: its path is not UTF-8, so that no event could name it; "
                        "rename the directory",
                        ws->root);
        if (ws->any && !ws->run_id.data && !(top && strcmp(top, ws->root) == 0) &&
                !pawl__text_eq(ws->root_name, ws->newest.v[PAWL__WCP_ROOT].text))
                return pawl__fail(err, PAWL_EINVAL,
                        "workspace %.200s: this log keeps the checkpoints of another root, %.*s; "
                        "open another log",
                        ws->root, PAWL__FMT(ws->newest.v[PAWL__WCP_ROOT].text));
        return PAWL_OK;
}

/* A root that is named lies in the work tree that is meant. */
static pawl_status enter_root(pawl__workspace *ws, const char *root, pawl_error *err)
{
        char real[PATH_MAX];
        bool ok = true;
        pawl_status status = PAWL_OK;

        if (root && !ws->run_id.data && realpath(root, real))
                status = pawl__workspace_enter(ws->log, real, err);
        ws->worktree = pawl__arena_text(&ws->arena,
                pawl__text(ws->run_id.data ? "" : pawl__state_worktree(ws->state, NULL)), &ok)
                               .data;
        return status || ok ? status : pawl__nomem(err);
}

/* ---- The paths that are asked for ------------------------------------------------------------ */

static pawl_status set_paths(
        pawl__workspace *ws, const pawl_workspace_options *options, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (options->n_paths == 0)
                return PAWL_OK;
        ws->part = pawl__arena_array(&ws->arena, options->n_paths, sizeof *ws->part);
        if (!ws->part)
                return pawl__nomem(err);
        for (; ws->n_part < options->n_paths && !status; ws->n_part++) {
                pawl_text *path = &ws->part[ws->n_part];
                status = pawl__paths_normal(
                        path, ws->root, options->paths[ws->n_part], &ws->arena, err);
                if (!status)
                        status = pawl__paths_add(&ws->paths, *path, err);
        }
        return status;
}

/* ---- Where it stands ------------------------------------------------------------------------- */

/* Only the owner of the run takes checkpoints of it: once found, its newest is known. */
static pawl_status locate_run(pawl__workspace *ws, pawl_error *err)
{
        pawl__arena *arena = &ws->located;
        pawl_status status =
                pawl__state_workspace_of_run(&ws->newest, ws->state, ws->run_id, arena, err);

        if (status == PAWL_ENOTFOUND) {
                ws->newest = (pawl__row){.v[PAWL__WCP_N].integer = (int64_t)ws->from};
                status = pawl__state_get(ws->state, PAWL__WORKSPACE, &ws->newest, arena, err);
        }
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "run %.*s: checkpoint %llu, with which it was submitted, is not there; see "
                        "`eventlog replay --check`",
                        PAWL__FMT(ws->run_id), (unsigned long long)ws->from);
        ws->current = ws->newest;
        return status;
}

static pawl_status locate_log(pawl__workspace *ws, const pawl__row *newest, pawl_error *err)
{
        pawl__arena *arena = &ws->located;
        pawl_status status = PAWL_OK;

        ws->newest = *newest;
        if (!newest->v[PAWL__WCP_ROOT].text.data || /* a run's, or another work tree's */
                !pawl__same_worktree(newest->v[PAWL__WCP_WORKTREE].text, ws->worktree))
                status = pawl__state_workspace_newest_own(&ws->newest, ws->state, arena, err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_DONE : status;
        return pawl__workspace_current_of(
                &ws->current, &ws->by, &ws->put_back, &ws->newest, ws->state, arena, err);
}

pawl_status pawl__workspace_locate(pawl__workspace *ws, pawl_error *err)
{
        const bool known = ws->run_id.data && ws->any;
        pawl__arena scratch = PAWL__ARENA_INIT;
        pawl__row newest;

        if (!known) {
                pawl__arena_clear(&ws->located);
                ws->any = false;
        }
        pawl_status status = pawl__state_workspace_newest(
                &newest, ws->state, known ? &scratch : &ws->located, err);
        ws->last = status ? 0 : (uint64_t)newest.v[PAWL__WCP_N].integer;
        pawl__arena_free(&scratch);
        if (status || known)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        status = ws->run_id.data ? locate_run(ws, err) : locate_log(ws, &newest, err);
        ws->any = !status;
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__workspace_open(
        pawl__workspace *ws, pawl_log *log, const pawl_workspace_options *options, pawl_error *err)
{
        return pawl__workspace_open_run(ws, log, (pawl_text){NULL, 0}, 0, options, err);
}

pawl_status pawl__workspace_open_run(pawl__workspace *ws, pawl_log *log, pawl_text run_id,
        uint64_t from, const pawl_workspace_options *options, pawl_error *err)
{
        static const pawl_workspace_options none = PAWL_WORKSPACE_OPTIONS_INIT;
        bool ok = true;

        *ws = (pawl__workspace){.log = log, .from = from, .owned = -1};
        if (!options)
                options = &none;
        if (options->version != PAWL_WORKSPACE_OPTIONS_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "workspace options: version %u is not known; start from "
                        "PAWL_WORKSPACE_OPTIONS_INIT",
                        options->version);
        ws->home = options->home;
        ws->config_home = options->config_home;
        ws->force_root = options->force_root;
        ws->progress = options->progress;
        ws->progress_user = options->progress_user;
        if (options->budget_ms) {
                ws->deadline_ms = pawl__boot_ms(log) + (int64_t)options->budget_ms;
        }
        pawl_status status = pawl__id_check(
                pawl__text(options->actor ? options->actor : "program"), "actor", err);
        if (status)
                return status;
        ws->actor = pawl__arena_text(
                &ws->arena, pawl__text(options->actor ? options->actor : "program"), &ok);
        if (run_id.data)
                ws->run_id = pawl__arena_text(&ws->arena, run_id, &ok);
        status = ok ? pawl__state_of(&ws->state, log, err) : pawl__nomem(err);
        if (!status)
                status = enter_root(ws, options->root, err);
        if (!status)
                status = pawl__workspace_locate(ws, err);
        if (!status)
                status = set_root(ws, options->root, err);
        if (!status)
                status = pawl__workspace_set_rules(ws, options, err);
        if (!status)
                status = set_paths(ws, options, err);
        if (!status)
                status = pawl__contents_open(&ws->contents, log, err);
        if (status)
                pawl__workspace_close(ws);
        return status;
}

void pawl__workspace_close(pawl__workspace *ws)
{
        pawl__git_close(ws->git);
        pawl__contents_close(ws->contents);
        pawl__paths_free(&ws->paths);
        pawl__paths_free(&ws->also);
        pawl__arena_free(&ws->located);
        pawl__arena_free(&ws->arena);
        if (ws->owned >= 0)
                close(ws->owned);
        *ws = (pawl__workspace){.log = NULL, .owned = -1};
}

bool pawl__checkpoint_damaged(const pawl__row *row)
{
        static const char damaged[] = "damaged: ";
        const pawl_text reason = row->v[PAWL__WCP_INVALID_REASON].text;

        return row->v[PAWL__WCP_INVALID_SEQ].integer && !row->v[PAWL__WCP_PRUNED_SEQ].integer &&
               reason.data && reason.len >= sizeof damaged - 1 &&
               memcmp(reason.data, damaged, sizeof damaged - 1) == 0;
}

/* ---- The index ------------------------------------------------------------------------------- */

/* The event that put the workspace where it stands: a checkpoint's, or the end of a rollback. */
static uint64_t standing_since(const pawl__workspace *ws)
{
        return (uint64_t)(ws->put_back ? ws->by.v[PAWL__RB_ENDED_SEQ].integer
                                       : ws->newest.v[PAWL__WCP_SEQ].integer);
}

/* What is included is an exclusion taken back, after all others. */
static pawl_status add_includes(
        pawl__scan_options *options, const pawl__workspace *ws, pawl__arena *arena, pawl_error *err)
{
        const size_t n = ws->n_exclude + ws->n_include;
        pawl_text *all = pawl__arena_array(arena, n + 1, sizeof *all);
        pawl__buf pattern = PAWL__BUF_INIT;
        bool ok = all;

        for (size_t i = 0; i < n && ok; i++) {
                if (i < ws->n_exclude) {
                        all[i] = ws->exclude[i];
                        continue;
                }
                pawl__buf_clear(&pattern);
                pawl__buf_addc(&pattern, '!');
                pawl__buf_add_text(&pattern, ws->include[i - ws->n_exclude]);
                ok = !pattern.failed;
                if (ok)
                        all[i] = pawl__arena_text(arena, pawl__buf_text(&pattern), &ok);
        }
        pawl__buf_free(&pattern);
        options->exclude = all;
        options->n_exclude = n;
        return ok ? PAWL_OK : pawl__nomem(err);
}

/* The mission of a fork with a directory of its own lies at "DIRECTORY/./PATH". */
static bool is_fork(const char *path, pawl_text run_id, void *user)
{
        pawl__workspace *ws = user;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        const size_t len = strlen(path);
        bool is = false;

        if (run_id.len && pawl__utf8_valid(run_id.data, run_id.len) &&
                !pawl__state_get(ws->state, PAWL__RUNS, &run, &arena, NULL)) {
                const pawl_text mission = run.v[PAWL__RUN_MISSION_PATH].text;
                is = mission.len > len + 3 && memcmp(mission.data, path, len) == 0 &&
                     memcmp(mission.data + len, "/./", 3) == 0;
        }
        pawl__arena_free(&arena);
        return is;
}

pawl_status pawl__workspace_scan(
        pawl__scan **out, pawl__workspace *ws, bool flush_spool, pawl_error *err)
{
        pawl_status status = pawl__log_place_make(ws->log, err);
        pawl__scan_options options = {.root = ws->root,
                .log_path = pawl__log_place(ws->log),
                .index_in_root = ws->run_id.data != NULL,
                .worktree = ws->worktree,
                .is_fork = is_fork,
                .is_fork_user = ws,
                .exclude = ws->exclude,
                .n_exclude = ws->n_exclude,
                .also = ws->also.only.count ? &ws->also : NULL,
                .max_file = ws->max_file,
                .force_root = ws->force_root,
                .home = ws->home,
                .config_home = ws->config_home,
                .flush_spool = flush_spool,
                .looks = ws->looks,
                .progress = ws->progress,
                .progress_user = ws->progress_user};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        if (status)
                return status;
        if (ws->n_include)
                status = add_includes(&options, ws, &arena, err);
        if (ws->bounded) {
                options.max_files = ws->max_files;
                options.max_bytes = ws->max_bytes;
                options.deadline_ms = ws->deadline_ms;
        }
        if (ws->base) {
                options.base = ws->base;
        } else if (!status && ws->any && !pawl__checkpoint_damaged(&ws->current) &&
                   standing_since(ws)) { /* 0: not known, see pawl__checkpoint_settle() */
                status = pawl__log_failed(
                        ws->log, pawl__log_event(&event, &arena, ws->log, standing_since(ws)), err);
                options.base = event.hash;
        }
        if (!status)
                status = pawl__scan_run(out, ws->contents, &options, err);
        pawl__arena_free(&arena);
        return status;
}

void pawl__workspace_keep_index(pawl__workspace *ws, const pawl__scan *scan, uint64_t seq)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_error ignored = PAWL_ERROR_INIT;

        /* Without an index the next reading is slower, and no less right. */
        pawl_status status = pawl__log_event(&event, &arena, ws->log, seq);
        if (!status)
                status = pawl__scan_keep_index(scan, event.hash, &ignored);
        (void)status;
        pawl__arena_free(&arena);
}
