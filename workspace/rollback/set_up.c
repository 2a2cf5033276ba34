/*
 * The directory of a worker, made what a run's last checkpoint has, whatever another run has left
 * there: by a rollback's plan, without what is for people's own workspaces (a safety copy, events).
 * Nothing of it is lost that a checkpoint had: the log has that.
 */
#include "workspace/rollback/set_up.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "workspace/rollback/rollback_internal.h"
#include "workspace/scan/index.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK   ".pawl/worker" /* in the root: the directory is a worker's */
#define INDEX  ".pawl/workspace.index"
#define IGNORE ".pawl/.gitignore"

static pawl_status cannot(pawl_error *err, const pawl__workspace *ws, const char *name)
{
        char path[4200];

        snprintf(path, sizeof path, "%s/%s", ws->root, name);
        return pawl__fail_errno(err, errno, path, "read or write there");
}

/* ---- Whose directory it is ------------------------------------------------------------------ */

/* Holds it nothing, or at most a directory .pawl? */
static pawl_status is_empty(bool *empty, pawl__workspace *ws, pawl_error *err)
{
        DIR *directory = opendir(ws->root);
        const struct dirent *found;

        if (!directory)
                return cannot(err, ws, "");
        *empty = true;
        while (*empty && (found = readdir(directory)))
                *empty = strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0 ||
                         strcmp(found->d_name, ".pawl") == 0;
        closedir(directory);
        return PAWL_OK;
}

static pawl_status write_mark(
        pawl__workspace *ws, const char *name, pawl_text text, pawl_error *err)
{
        if (mkdirat(ws->owned, ".pawl", 0700) && errno != EEXIST)
                return cannot(err, ws, ".pawl");
        errno = pawl__ignore_beside(ws->owned, IGNORE);
        if (errno)
                return cannot(err, ws, IGNORE);
        if (unlinkat(ws->owned, INDEX, 0) && errno != ENOENT)
                return cannot(err, ws, INDEX);
        const int fd = openat(
                ws->owned, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
                return cannot(err, ws, name);
        errno = pawl__fill_file(fd, 0, text.data, text.len, false);
        return errno ? cannot(err, ws, name) : PAWL_OK;
}

/* 0 or an errno. What is cut is not the same. */
static int read_small(pawl__buf *out, int directory, const char *path)
{
        const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

        if (fd < 0)
                return errno;
        const int failed = pawl__read_all(out, fd, 256);
        close(fd);
        return failed == EFBIG ? 0 : failed;
}

/* A directory that holds what no worker put there is somebody's own. The mark has the machine's
 * boot: files here are not synced, so that the index of a former one may speak of contents that a
 * crash took. */
static pawl_status take_over(pawl__workspace *ws, pawl_error *err)
{
        pawl__buf boot = PAWL__BUF_INIT, mark = PAWL__BUF_INIT;
        bool empty = false;
        pawl_status status = PAWL_OK;

        (void)read_small(&boot, AT_FDCWD, "/proc/sys/kernel/random/boot_id");
        errno = read_small(&mark, ws->owned, MARK);
        if (errno && errno != ENOENT)
                status = cannot(err, ws, MARK);
        if (!status && !mark.len) {
                status = is_empty(&empty, ws, err);
                if (!status && !empty)
                        status = pawl__fail(err, PAWL_EINVAL,
                                "directory %.300s: holds files that no worker put there; name an "
                                "empty one",
                                ws->root);
        }
        if (!boot.len)
                pawl__buf_adds(&boot, "?\n");
        if (!status)
                status = pawl__buf_check(&boot, err);
        if (!status &&
                (!pawl__text_eq(pawl__buf_text(&boot), pawl__buf_text(&mark)) || *boot.data == '?'))
                status = write_mark(ws, MARK, pawl__buf_text(&boot), err);
        pawl__buf_free(&boot);
        pawl__buf_free(&mark);
        return status;
}

/* ---- What no checkpoint can have ------------------------------------------------------------ */

static pawl_status remove_all(pawl__rootdir *root, pawl_text path, pawl_error *err);

static pawl_status remove_within(pawl__rootdir *root, pawl_text path, pawl_error *err)
{
        pawl__buf inside = PAWL__BUF_INIT;
        const struct dirent *found;
        pawl_status status = PAWL_OK;

        (void)pawl__rootdir_chmod(root, path, 0700); /* else the next call says why not */
        const int fd = pawl__rootdir_directory(root, path);
        DIR *directory = fd < 0 ? NULL : fdopendir(fd);
        if (!directory) {
                status = pawl__restore_fail(err, errno, path, "read the directory");
                if (fd >= 0)
                        close(fd);
                return status;
        }
        while (!status && (found = readdir(directory))) {
                if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
                        continue;
                pawl__buf_clear(&inside);
                pawl__buf_add_text(&inside, path);
                pawl__buf_addf(&inside, "/%s", found->d_name);
                status = pawl__buf_check(&inside, err);
                if (!status)
                        status = remove_all(root, pawl__buf_text(&inside), err);
        }
        closedir(directory);
        pawl__buf_free(&inside);
        pawl__rootdir_forget(root);
        return status;
}

static pawl_status remove_all(pawl__rootdir *root, pawl_text path, pawl_error *err)
{
        struct stat st;

        if (pawl__rootdir_stat(root, path, &st))
                return errno == ENOENT ? PAWL_OK
                                       : pawl__restore_fail(err, errno, path, "look at it");
        if (!S_ISDIR(st.st_mode))
                return pawl__rootdir_unlink(root, path)
                               ? pawl__restore_fail(err, errno, path, "remove it")
                               : PAWL_OK;
        pawl_status status = remove_within(root, path, err);
        if (!status && pawl__rootdir_rmdir(root, path))
                status = pawl__restore_fail(err, errno, path, "remove it");
        return status;
}

/* Repositories, sockets and whatever else was listed, and not captured. */
static pawl_status remove_uncaptured(pawl__workspace *ws, const pawl__scan *scan, pawl_error *err)
{
        pawl__rootdir root = PAWL__ROOTDIR_INIT;
        const int error = pawl__rootdir_open(&root, ws->root);

        if (error)
                return pawl__restore_fail(err, error, pawl__text(ws->root), "open it");
        pawl_status status = remove_all(&root, pawl__text(".git"), err);
        for (size_t i = 0; i < scan->n_not_captured && !status; i++)
                status = remove_all(&root, scan->not_captured[i].path, err);
        pawl__rootdir_close(&root);
        return status;
}

/* ---- What this machine's rules would leave out ---------------------------------------------- */

typedef struct missing {
        pawl__workspace *ws;
        pawl_text *patterns; /* ws->exclude, with room */
        size_t cap;
} missing;

/* "!/a/b", as a line of a .gitignore of the root. */
static pawl_status except(const pawl__change *change, void *user, pawl_error *err)
{
        missing *m = user;
        pawl__workspace *ws = m->ws;

        if (!change->to || change->from || !pawl__utf8_valid(change->path.data, change->path.len))
                return PAWL_OK;
        char *rule = pawl__arena_alloc(&ws->arena, 2 * change->path.len + 3), *to = rule;
        if (!rule)
                return pawl__nomem(err);
        *to++ = '!';
        *to++ = '/';
        for (size_t i = 0; i < change->path.len; i++) {
                if (strchr("\\*?[ ", change->path.data[i]))
                        *to++ = '\\';
                *to++ = change->path.data[i];
        }
        *to = '\0';
        if (ws->n_exclude >= m->cap) {
                m->cap = 2 * ws->n_exclude + 8;
                pawl_text *more = pawl__arena_array(&ws->arena, m->cap, sizeof *more);
                if (!more)
                        return pawl__nomem(err);
                if (ws->n_exclude)
                        memcpy(more, ws->exclude, ws->n_exclude * sizeof *more);
                ws->exclude = m->patterns = more;
        }
        m->patterns[ws->n_exclude++] = pawl__text(rule);
        return PAWL_OK;
}

/* What the checkpoint has stays captured, though a rule leaves it out where it is not tracked by
 * git, or git's configuration is another. */
static pawl_status keep_captured(
        pawl__workspace *ws, const unsigned char target[32], pawl_error *err)
{
        pawl__directories directories = pawl__contents_directories(ws->contents), beside;
        pawl__scan *scan = NULL;
        missing m = {.ws = ws};
        pawl_status status = pawl__workspace_scan(&scan, ws, false, err);

        if (status)
                return status;
        beside = pawl__scan_directories(scan);
        pawl__contents_overlay(ws->contents, &beside);
        status = pawl__diff_trees(&directories, scan->tree, target, except, &m, err);
        pawl__contents_overlay(ws->contents, NULL);
        pawl__scan_free(scan);
        return status;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static pawl_status read_and_plan(
        pawl__scan **scan, pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl_status status = pawl__workspace_scan(scan, ws, false, err);

        if (!status && ((*scan)->n_not_captured ||
                               faccessat(ws->owned, ".git", F_OK, AT_SYMLINK_NOFOLLOW) == 0)) {
                status = remove_uncaptured(ws, *scan, err);
                pawl__scan_free(*scan);
                *scan = NULL;
                if (!status)
                        status = pawl__workspace_scan(scan, ws, false, err);
        }
        return status ? status : pawl__rollback_plan(p, ws, *scan, err);
}

static pawl_status put_files(pawl__workspace *ws, pawl_rollback_plan *p, pawl_error *err)
{
        static const pawl_text everything[] = {{"!*", 2}};
        const pawl_text *exclude = ws->exclude;
        const size_t n_exclude = ws->n_exclude;
        const uint64_t max_file = ws->max_file;
        pawl__scan *scan = NULL, *after = NULL;
        unsigned char former[32];
        char index[PATH_MAX + 40];

        /* Of whichever run was here before: a file that is as it saw it need not be read. */
        snprintf(index, sizeof index, "%s/" INDEX, ws->root);
        if (pawl__index_event(former, index))
                ws->base = former;
        ws->exclude = everything;
        ws->n_exclude = 1;
        ws->max_file = INT64_MAX;
        pawl_status status = read_and_plan(&scan, p, ws, err);
        if (!status)
                status = pawl__rollback_do(&after, p, ws, true, err);
        ws->base = NULL;
        ws->exclude = exclude;
        ws->n_exclude = n_exclude;
        ws->max_file = max_file;
        if (!status && memcmp(after->tree, p->plan.target_tree, 32) == 0)
                pawl__workspace_keep_index(
                        ws, after, (uint64_t)ws->current.v[PAWL__WCP_SEQ].integer);
        pawl__scan_free(scan);
        pawl__scan_free(after);
        return status;
}

pawl_status pawl__workspace_set_up(pawl__workspace *ws, pawl_error *err)
{
        pawl_rollback_plan p = {.plan = PAWL__PLAN_INIT,
                .contents = ws->contents,
                .target = ws->current,
                .clean = true,
                .whole = true};
        pawl_status status = pawl__workspace_own(ws, err);

        if (!status)
                status = take_over(ws, err);
        if (!status && p.target.v[PAWL__WCP_PRUNED_SEQ].integer)
                status = pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %lld: was pruned, so that run %.*s cannot be set up from it; "
                        "submit the mission again",
                        (long long)p.target.v[PAWL__WCP_N].integer, PAWL__FMT(ws->run_id));
        if (!status && !pawl__unhex32(p.plan.target_tree, p.target.v[PAWL__WCP_TREE].text))
                status = pawl__fail(err, PAWL_EDAMAGED,
                        "checkpoint %lld: its tree is no hash; check with `eventlog verify`",
                        (long long)p.target.v[PAWL__WCP_N].integer);
        if (!status)
                status = put_files(ws, &p, err);
        if (!status)
                status = keep_captured(ws, p.plan.target_tree, err);
        pawl__plan_free(&p.plan);
        pawl__buf_free(&p.encoded);
        pawl__arena_free(&p.arena);
        return status;
}

pawl_status pawl__workspace_set_up_once(pawl__workspace *ws, pawl_error *err)
{
        pawl_status status = pawl__workspace_set_up(ws, err);

        if (status)
                return status;
        if (unlinkat(ws->owned, MARK, 0))
                return cannot(err, ws, MARK);
        TRY(write_mark(ws, PAWL__OWN_ROOT_LOG, pawl__text(pawl__log_path(ws->log)), err));
        status = write_mark(ws, PAWL__OWN_ROOT_MARK, ws->run_id, err);
        if (!status && syncfs(ws->owned))
                status = cannot(err, ws, "");
        return status;
}

/* Nothing of ours stays in the directory. */
static pawl_status remove_marks(pawl__workspace *ws, pawl_error *err)
{
        static const char *const names[] = {MARK, INDEX, IGNORE};

        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (unlinkat(ws->owned, names[i], 0) && errno != ENOENT)
                        return cannot(err, ws, names[i]);
        if ((unlinkat(ws->owned, ".pawl", AT_REMOVEDIR) && errno != ENOENT) || syncfs(ws->owned))
                return cannot(err, ws, ".pawl");
        return PAWL_OK;
}

static pawl_status extract(pawl_log *log, const pawl__row *row, const char *directory,
        const pawl_workspace_options *given, pawl_error *err)
{
        pawl_workspace_options options =
                given ? *given : (pawl_workspace_options)PAWL_WORKSPACE_OPTIONS_INIT;
        char real[PATH_MAX];
        pawl__workspace ws;
        bool empty = false;
        pawl_status status = pawl__directory_make(real, directory, err);

        options.root = real;
        if (!status)
                status = pawl__workspace_open_run(&ws, log, pawl__text("extract"),
                        (uint64_t)row->v[PAWL__WCP_N].integer, &options, err);
        if (status)
                return status;
        status = is_empty(&empty, &ws, err);
        if (!status && !empty)
                status = pawl__fail(err, PAWL_EINVAL,
                        "directory %.300s: is not empty; name one that is, or is not there yet",
                        real);
        if (!status)
                status = pawl__workspace_set_up(&ws, err);
        if (!status)
                status = remove_marks(&ws, err);
        pawl__workspace_close(&ws);
        return status;
}

pawl_status pawl_workspace_extract(pawl_log *log, const char *which, const char *directory,
        const pawl_workspace_options *options, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row row;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__workspace_find(&row, state, which, &arena, err);
        if (!status && !directory)
                status = pawl__fail(err, PAWL_EINVAL, "directory: is NULL; name one");
        if (!status && row.v[PAWL__WCP_PRUNED_SEQ].integer)
                status = pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %lld: was pruned; choose one that is kept",
                        (long long)row.v[PAWL__WCP_N].integer);
        if (!status)
                status = extract(log, &row, directory, options, err);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__directory_make(char real[PATH_MAX], const char *given, pawl_error *err)
{
        char path[PATH_MAX];

        if (!given || *given != '/' || strlen(given) >= sizeof path)
                return pawl__fail(err, PAWL_EINVAL,
                        "directory %.300s: is no absolute path; give one", given ? given : "NULL");
        for (size_t i = 1; i <= strlen(given); i++) {
                if (given[i] != '/' && given[i] != '\0')
                        continue;
                memcpy(path, given, i);
                path[i] = '\0';
                if (mkdir(path, 0700) && errno != EEXIST)
                        return pawl__fail_errno(err, errno, path, "make it");
        }
        return realpath(given, real) ? PAWL_OK
                                     : pawl__fail_errno(err, errno, given, "find it again");
}
