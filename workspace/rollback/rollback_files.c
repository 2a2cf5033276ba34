/* The files of a rollback: deciding from what is there, doing it, and looking at it again. */
#include "base/error.h"
#include "base/system.h"
#include "workspace/ignored_then.h"
#include "workspace/rollback/rollback_internal.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- What the plan asks of the workspace -------------------------------------------------- */

typedef struct looking {
        pawl__rootdir root;
        pawl__directories directories;
        pawl__own_files own; /* the log's */
        pawl__ignored_then then;
} looking;

static pawl_status find_own(
        pawl__own_files *own, const pawl__rootdir *root, pawl_log *log, pawl_error *err)
{
        int error = pawl__own_files_find(own, pawl__log_place(log), root->root);

        if (error == ENOENT) { /* it was removed since the last commit */
                const pawl_status status = pawl__log_keep(log);
                if (status)
                        return pawl__log_failed(log, status, err);
                error = pawl__own_files_find(own, pawl__log_place(log), root->root);
        }
        return error ? pawl__fail_errno(err, error, pawl__log_place(log), "look at its directory")
                     : PAWL_OK;
}

static pawl_status look(char *kind, pawl_text path, void *user, pawl_error *err)
{
        looking *l = user;
        struct stat found;

        *kind = 0;
        if (pawl__rootdir_stat(&l->root, path, &found) == 0)
                *kind = S_ISDIR(found.st_mode) && !pawl__own_files_is(&l->own, &found) ? 'd' : 'x';
        else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
                return pawl__restore_fail(err, errno, path, "look at it");
        return PAWL_OK;
}

static pawl_status names_of(pawl__map *names, pawl__buf *encoded, looking *l,
        const unsigned char hash[32], pawl_error *err)
{
        pawl__tree_reader reader;
        pawl__entry entry;
        pawl_status status = l->directories.get(encoded, hash, l->directories.user, err);

        if (!status)
                status = pawl__tree_open(&reader, pawl__buf_text(encoded), err);
        while (!status && (status = pawl__tree_next(&entry, &reader, err)) == PAWL_OK)
                if (pawl__map_put(names, entry.name, 0))
                        status = pawl__nomem(err);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status holds_more(
        bool *more, pawl_text path, const unsigned char hash[32], void *user, pawl_error *err)
{
        looking *l = user;
        pawl__map names = PAWL__MAP_INIT;
        pawl__buf encoded = PAWL__BUF_INIT;
        const struct dirent *found;
        pawl_status status = names_of(&names, &encoded, l, hash, err);
        int fd = status ? -1 : pawl__rootdir_directory(&l->root, path);
        DIR *directory = fd < 0 ? NULL : fdopendir(fd);

        *more = false;
        if (!status && !directory)
                status = pawl__restore_fail(err, errno, path, "read the directory");
        if (!directory && fd >= 0)
                close(fd);
        while (directory && !*more && (found = readdir(directory))) {
                pawl_text name = pawl__text(found->d_name);
                *more = !pawl__text_is(name, ".") && !pawl__text_is(name, "..") &&
                        pawl__map_get(&names, name) == PAWL__MAP_NONE;
        }
        if (directory)
                closedir(directory);
        pawl__map_free(&names);
        pawl__buf_free(&encoded);
        return status;
}

static pawl_status ignored_then(
        bool *yes, pawl_text path, bool directory, void *user, pawl_error *err)
{
        looking *l = user;

        return pawl__ignored_then_has(yes, &l->then, path, directory, err);
}

/* ---- Deciding ----------------------------------------------------------------------------- */

/* Both trees that a plan goes between. */
static pawl_status either_tree(pawl__tracked_paths **out, const pawl__plan *plan,
        const pawl__directories *directories, pawl_error *err)
{
        unsigned char trees[64];

        memcpy(trees, plan->now, 32);
        memcpy(trees + 32, plan->target_tree, 32);
        return pawl__tracked_paths_new(out, directories, trees, 2, err);
}

/* Each path that is asked for is there, now or then. */
static pawl_status check_paths(pawl_rollback_plan *p, pawl__workspace *ws,
        const pawl__directories *directories, pawl_error *err)
{
        pawl__tracked_paths *either;
        bool has = true;

        if (!ws->n_part)
                return PAWL_OK;
        pawl_status status = either_tree(&either, &p->plan, directories, err);
        if (status)
                return status;
        for (size_t i = 0; i < ws->n_part && !status; i++) {
                if (ws->part[i].len)
                        status = pawl__tracked_paths_has(&has, either, ws->part[i], err);
                if (!status && !has)
                        status = pawl__fail(err, PAWL_ENOTFOUND,
                                "path %.*s: neither the workspace nor checkpoint %" PRIu64
                                " has captured anything there; `pawl diff %" PRIu64
                                "` names what differs",
                                PAWL__FMT(ws->part[i]), p->plan.target, p->plan.target);
        }
        pawl__tracked_paths_free(either);
        return status;
}

/* Why the tree of the workspace has not what is at the path: it, or a directory above it, is listed
 * as not captured. 0: it is not listed. */
static pawl_status why_skipped(pawl__skip *why, const looking *l, const unsigned char tree[32],
        pawl_text path, pawl_error *err)
{
        pawl__buf encoded = PAWL__BUF_INIT;
        pawl__entry entry = {.kind = PAWL__ENTRY_DIRECTORY};
        pawl_status status = PAWL_OK;

        *why = (pawl__skip)0;
        memcpy(entry.hash, tree, sizeof entry.hash);
        for (size_t at = 0; !status && entry.kind == PAWL__ENTRY_DIRECTORY && at < path.len;) {
                const char *slash = memchr(path.data + at, '/', path.len - at);
                const size_t end = slash ? (size_t)(slash - path.data) : path.len;
                const pawl_text name = pawl__text_n(path.data + at, end - at);
                pawl__tree_reader reader;
                unsigned char hash[32];
                memcpy(hash, entry.hash, sizeof hash);
                pawl__buf_clear(&encoded);
                status = l->directories.get(&encoded, hash, l->directories.user, err);
                if (!status)
                        status = pawl__tree_open(&reader, pawl__buf_text(&encoded), err);
                while (!status && !(status = pawl__tree_next(&entry, &reader, err)) &&
                        !pawl__text_eq(entry.name, name))
                        ;
                at = end + 1;
        }
        if (!status && entry.kind == PAWL__ENTRY_SKIPPED)
                *why = entry.why;
        pawl__buf_free(&encoded);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* What is at a path that a tool call names, and is in neither tree: nobody knows whether the call
 * made it. */
static pawl_status leave_uncaptured(pawl_rollback_plan *p, looking *l, pawl_error *err)
{
        pawl__tracked_paths *either;
        size_t n = 0;
        bool has = true;
        char kind = 0;

        if (!p->n_names)
                return PAWL_OK;
        pawl__plan_left *left = pawl__arena_array(&p->arena, p->n_names, sizeof *left);
        if (!left)
                return pawl__nomem(err);
        pawl_status status = either_tree(&either, &p->plan, &l->directories, err);
        if (status)
                return status;
        for (size_t i = 0; i < p->n_names && !status; i++) {
                const pawl_text path = p->names[i];
                pawl__skip skip = (pawl__skip)0;
                status = pawl__tracked_paths_has(&has, either, path, err);
                /* what cannot be looked at, such as a text that is no path, is not there */
                if (status || has || look(&kind, path, l, NULL) || !kind)
                        continue;
                status = why_skipped(&skip, l, p->plan.now, path, err);
                left[n++] = (pawl__plan_left){.path = path,
                        .why = skip                                   ? PAWL__LEFT_SKIPPED
                               : pawl__own_files_named(&l->own, path) ? PAWL__LEFT_OWN
                                                                      : PAWL__LEFT_IGNORED,
                        .skip = skip};
        }
        pawl__tracked_paths_free(either);
        return status ? status : pawl__plan_leave(&p->plan, left, n, err);
}

static pawl_status read_too(bool *more, pawl__workspace *ws, pawl_text path, pawl_error *err)
{
        ws->also.exact = true;
        if (pawl__paths_have(&ws->also, path))
                return PAWL_OK;
        const pawl_text kept = pawl__arena_copy(&ws->arena, path);
        TRY(pawl__arena_check(&ws->arena, err));
        *more = true;
        return pawl__paths_add(&ws->also, kept, err);
}

/* Files at the paths of the rollback that is undone, or retried, which a rule hides. */
static pawl_status find_hidden(pawl_rollback_plan *p, pawl__workspace *ws, looking *l,
        const pawl__plan *before, pawl_error *err)
{
        pawl__tracked_paths *seen = NULL;
        pawl_status status = pawl__tracked_paths_new(&seen, &l->directories, p->plan.now, 1, err);

        p->reads_more = false;
        for (size_t i = 0; i < before->n_steps && !status; i++) {
                const pawl_text path = before->steps[i].path;
                bool has = false;
                char kind = 0;
                status = pawl__tracked_paths_has(&has, seen, path, err);
                if (!status && !has)
                        status = look(&kind, path, l, err);
                if (!status && kind == 'x' && !pawl__own_files_named(&l->own, path))
                        status = read_too(&p->reads_more, ws, path, err);
        }
        pawl__tracked_paths_free(seen);
        return status;
}

static pawl_status decide(pawl_rollback_plan *p, pawl__workspace *ws, looking *l,
        const pawl__plan_rights *rights, pawl_error *err)
{
        const pawl__world world = {look, holds_more, l, p->whole ? NULL : ignored_then};
        pawl_status status = pawl__log_failed(
                ws->log, pawl_log_head(&p->plan.head_seq, p->plan.head_hash, ws->log), err);

        if (!status)
                status = pawl__plan_make(&p->plan, &l->directories, rights, &world, err);
        if (!status)
                status = leave_uncaptured(p, l, err);
        pawl__buf_clear(&p->encoded);
        if (!status)
                status = pawl__plan_encode(&p->encoded, &p->plan, err);
        pawl__hex(p->hash, p->plan.hash, 32);
        return status;
}

pawl_status pawl__rollback_plan(
        pawl_rollback_plan *p, pawl__workspace *ws, const pawl__scan *scan, pawl_error *err)
{
        looking l = {.root = PAWL__ROOTDIR_INIT,
                .directories = pawl__contents_directories(ws->contents)};
        const pawl__directories beside = pawl__scan_directories(scan);
        pawl__rollback_rights may = PAWL__ROLLBACK_RIGHTS_INIT;
        const int error = pawl__rootdir_open(&l.root, ws->root);

        if (error)
                return pawl__restore_fail(err, error, pawl__text(ws->root), "open it");
        pawl_status status = find_own(&l.own, &l.root, ws->log, err);
        if (status) {
                pawl__rootdir_close(&l.root);
                return status;
        }
        may.rights.own = &l.own;
        l.then = (pawl__ignored_then){.contents = ws->contents,
                .directories = &l.directories,
                .tree = p->plan.target_tree,
                .seq = (uint64_t)p->target.v[PAWL__WCP_SEQ].integer};
        pawl__contents_overlay(ws->contents, &beside);
        p->plan.n_steps = p->plan.n_left = 0; /* of a plan before */
        memcpy(p->plan.now, scan->tree, 32);
        status = pawl__rollback_rights_find(&may, p, ws, &l.directories, err);
        if (!status)
                status = find_hidden(p, ws, &l, &may.before, err);
        if (!status)
                status = decide(p, ws, &l, &may.rights, err);
        if (status == PAWL_ENOTFOUND) /* a directory that the index relies on */
                status = pawl__fail_prefix(err, PAWL_EDAMAGED,
                        "the log has lost part of its newest checkpoint (remove workspace.index "
                        "beside the log, and try again)");
        if (!status)
                status = check_paths(p, ws, &l.directories, err);
        if (!status && !p->whole)
                status = pawl__rollback_others(p, ws, &l.directories, err);
        pawl__contents_overlay(ws->contents, NULL);
        pawl__ignored_then_free(&l.then);
        pawl__rollback_rights_free(&may);
        pawl__rootdir_close(&l.root);
        return status;
}

pawl_status pawl__rollback_hidden(
        bool *more, const pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        *more = p->reads_more;
        for (size_t i = 0; i < p->plan.n_left; i++)
                if (p->plan.left[i].wanted && p->plan.left[i].why == PAWL__LEFT_IGNORED)
                        TRY(read_too(more, ws, p->plan.left[i].path, err));
        return PAWL_OK;
}

/* ---- Doing -------------------------------------------------------------------------------- */

/* A content from the log; and now and then a word that its run is still held. */
static pawl_status read_content(const unsigned char hash[32], uint64_t size,
        pawl__content_sink sink, void *sink_user, void *user, pawl_error *err)
{
        pawl__workspace *ws = user;
        pawl_status status = pawl__log_keep_claims(ws->log);

        if (status)
                return pawl__log_failed(ws->log, status, err);
        return pawl__contents_read(ws->contents, hash, size, sink, sink_user, err);
}

/* A number that no other restore has for its temporary files. */
static uint64_t any_number(const pawl_log *log)
{
        const pawl_sources *sources = pawl__log_sources(log);
        char uuid[37];
        uint64_t number = 0;

        sources->uuid(uuid, sources->user);
        for (size_t i = 19; i < 36; i++)
                if (uuid[i] != '-')
                        number = number << 4 |
                                 (uint64_t)(uuid[i] <= '9' ? uuid[i] - '0' : uuid[i] - 'a' + 10);
        return number;
}

/* "WHERE: WHAT; FIX": the files are put back, and the branch is left with the reason. */
static pawl_status leave_git(
        pawl_rollback_plan *p, const pawl__workspace *ws, pawl_status status, pawl_error *err)
{
        const size_t root = strlen(ws->root);
        const pawl_text said = pawl__text(err ? err->message : NULL);
        const bool named = said.len > root + 2 && memcmp(said.data, ws->root, root) == 0;
        const pawl_text what =
                pawl__text_n(said.data + (named ? root + 2 : 0), said.len - (named ? root + 2 : 0));
        const char *fix = what.len ? memmem(what.data, what.len, "; ", 2) : NULL;

        if (status == PAWL_ENOMEM || !what.len)
                return status;
        p->git_left = pawl__arena_copy(
                &p->arena, pawl__text_n(what.data, fix ? (size_t)(fix - what.data) : what.len))
                              .data;
        p->git_fix = pawl__arena_copy(&p->arena, pawl__text(fix ? fix + 2 : "try again")).data;
        p->git.branch = pawl__text(NULL);
        return pawl__arena_check(&p->arena, err);
}

static pawl_status move_git(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        const bool back = p->abandons;
        const pawl__git_move move = {.branch = p->git.branch,
                .expect = back ? p->git.to : p->git.from,
                .to = back ? p->git.from : p->git.to,
                .forward = p->plan.git_forward != back,
                .message = back ? "pawl: rollback given up"
                                : (p->plan.undo ? "pawl undo" : "pawl rollback")};
        char from[PAWL__COMMIT_ID];
        pawl__git *git;

        if (!p->git.branch.data)
                return PAWL_OK;
        pawl_status status = pawl__git_open(&git, ws->root, err);
        if (status)
                return status;
        status = pawl__git_move_do(from, git, &move, err);
        pawl__git_close(git);
        return status && status != PAWL_DONE ? leave_git(p, ws, status, err) : PAWL_OK;
}

/* ---- Looking again ------------------------------------------------------------------------ */

typedef struct checking {
        pawl__restore *restore;
        pawl__restore_checker *checker; /* NULL: nothing had to be looked at yet */
        size_t step;                    /* the next one of the plan */
} checking;

static pawl_status check_step(checking *c, pawl_error *err)
{
        const pawl__restore *r = c->restore;

        if (r->unwritten && r->unwritten[c->step])
                return PAWL_OK;
        if (!c->checker)
                TRY(pawl__restore_checker_new(&c->checker, c->restore, err));
        return pawl__restore_check(c->checker, c->step);
}

/* A path of the plan at which the tree of the workspace is not what it should be: looked at itself,
 * as today's rules may ignore what is there. Other paths are not ours. */
static pawl_status check_change(const pawl__change *change, void *user, pawl_error *err)
{
        checking *c = user;
        const pawl__plan *plan = c->restore->plan;

        while (c->step < plan->n_steps &&
                pawl__path_cmp(plan->steps[c->step].path, change->path) < 0)
                c->step++;
        if (c->step == plan->n_steps || !pawl__text_eq(plan->steps[c->step].path, change->path))
                return PAWL_OK;
        return check_step(c, err);
}

/* All of them, where directories of the tree are damaged. */
static pawl_status check_steps(checking *c, pawl_error *err)
{
        for (c->step = 0; c->step < c->restore->plan->n_steps; c->step++)
                TRY(check_step(c, err));
        return PAWL_OK;
}

static pawl_status check(
        pawl__scan **scan, pawl__restore *restore, pawl__workspace *ws, pawl_error *err)
{
        const unsigned char *goal = restore->back ? restore->plan->now : restore->plan->target_tree;
        pawl__directories directories = pawl__contents_directories(ws->contents), beside;
        checking c = {restore, NULL, 0};
        pawl_status status = pawl__workspace_scan(scan, ws, false, err);

        if (status)
                return status;
        beside = pawl__scan_directories(*scan);
        pawl__contents_overlay(ws->contents, &beside);
        status = pawl__diff_trees(&directories, (*scan)->tree, goal, check_change, &c, err);
        if (status == PAWL_EDAMAGED || status == PAWL_ENOTFOUND) /* the plan has what is to be */
                status = check_steps(&c, err);
        pawl__contents_overlay(ws->contents, NULL);
        pawl__restore_checker_free(c.checker);
        return status;
}

pawl_status pawl__rollback_do(
        pawl__scan **scan, pawl_rollback_plan *p, pawl__workspace *ws, bool again, pawl_error *err)
{
        pawl__rootdir root = PAWL__ROOTDIR_INIT;
        const pawl__restore_source source = {read_content, ws};
        pawl__restore restore = {.root = &root,
                .plan = &p->plan,
                .back = p->abandons,
                .unsynced = p->whole,
                .whole = p->whole,
                .again = again,
                .source = &source,
                .names = any_number(ws->log)};
        pawl__own_files own;
        int error = pawl__rootdir_open(&root, ws->root);

        if (error)
                return pawl__restore_fail(err, error, pawl__text(ws->root), "open it");
        restore.own = &own;
        pawl_status status = find_own(&own, &root, ws->log, err);
        p->unwritten = pawl__arena_array(&p->arena, p->plan.n_steps + 1, sizeof *p->unwritten);
        if (!status && !p->unwritten)
                status = pawl__nomem(err);
        if (p->unwritten)
                memset(p->unwritten, 0, (p->plan.n_steps + 1) * sizeof *p->unwritten);
        restore.unwritten = p->unwritten;
        if (!status)
                status =
                        scan ? pawl__restore_run(&restore, err) : pawl__restore_look(&restore, err);
        if (!status && scan)
                status = move_git(p, ws, err);
        if (!status && scan)
                status = check(scan, &restore, ws, err);
        p->same_tree = !status && scan && !p->abandons &&
                       memcmp((*scan)->tree, p->plan.target_tree, 32) == 0;
        p->n_unwritten = restore.n_unwritten;
        if (!status && (p->n_unwritten || p->git_left) && p->items)
                status = pawl__rollback_report(p, ws, err);
        pawl__rootdir_close(&root);
        return status;
}
