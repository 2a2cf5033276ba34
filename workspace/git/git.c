#include "base/error.h"
#include "workspace/git/git_handle.h"
#include "workspace/git/git_tree.h"
#include <errno.h>
#include <stdlib.h>

/* ---- Opening --------------------------------------------------------------------------------- */

/* The root's place in the work tree. Links on the way are those that libgit2 has followed too. */
static pawl_status find_prefix(pawl__git *git, pawl_error *err)
{
        const char *top = git->lib->git_repository_workdir(git->repo);

        if (!top)
                return PAWL_OK; /* bare */
        char *real_root = realpath(git->root, NULL);
        char *real_top = real_root ? realpath(top, NULL) : NULL;
        pawl_status status = PAWL_OK;
        if (!real_root || !real_top) {
                status = PAWL_ENOTFOUND;
                if (errno == ENOMEM)
                        status = pawl__nomem(err);
                else
                        (void)pawl__fail(err, status,
                                "%s: its repository's work tree %s is not there; look with `git status`",
                                git->root, top);
        } else {
                size_t len = strlen(real_top);
                len = len == 1 ? 0 : len; /* "/" */
                pawl__buf prefix = PAWL__BUF_INIT;
                if (strncmp(real_root, real_top, len) == 0 &&
                        (real_root[len] == '/' || real_root[len] == '\0')) {
                        const char *rest = real_root + len + (real_root[len] == '/');
                        if (pawl__buf_adds(&prefix, rest) ||
                                (*rest && pawl__buf_addc(&prefix, '/')) ||
                                !(git->prefix = pawl__buf_take(&prefix, NULL)))
                                status = pawl__nomem(err);
                }
                pawl__buf_free(&prefix);
        }
        free(real_root);
        free(real_top);
        return status;
}

/* Is there a repository after all? libgit2 1.5 says GIT_ENOTFOUND of one that belongs to somebody
 * else, too, where no configuration names a safe.directory: that is what it did not find. */
static bool is_discovered(pawl__git *git)
{
        git_buf found = {NULL, 0, 0};
        int code = git->lib->git_repository_discover(&found, git->root, 0, NULL);

        git->lib->git_buf_dispose(&found);
        return code == 0;
}

static pawl_status open_repository(pawl__git *git, pawl_error *err)
{
        int code = git->lib->git_repository_open_ext(&git->repo, git->root, 0, NULL);

        if (code == GIT_ENOTFOUND && is_discovered(git))
                code = GIT_EOWNER;
        if (code == GIT_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%s: in no git repository; `git init` makes one, or go on without git",
                        git->root);
        if (code)
                return pawl__git_fail(err, code, git->root, "opening its git repository");
        return find_prefix(git, err);
}

/* One that was named: its commits are of the root as it is. */
static pawl_status open_exactly(pawl__git *git, pawl_error *err)
{
        const int code = git->lib->git_repository_open_ext(
                &git->repo, git->root, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);

        if (code == GIT_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%s: is no git repository; name the directory that has .git in it, or a "
                        "bare one",
                        git->root);
        return code ? pawl__git_fail(err, code, git->root, "opening the git repository") : PAWL_OK;
}

static pawl_status open_by(pawl__git **out, const char *root,
        pawl_status (*open)(pawl__git *git, pawl_error *err), pawl_error *err)
{
        const pawl__git_library *lib;
        pawl_status status = pawl__git_load(&lib, err);

        if (status)
                return status;
        pawl__git *git = calloc(1, sizeof *git);
        if (!git || !(git->root = strdup(root))) {
                free(git);
                return pawl__nomem(err);
        }
        git->lib = lib;
        status = open(git, err);
        if (status)
                pawl__git_close(git);
        else
                *out = git;
        return status;
}

pawl_status pawl__git_open(pawl__git **out, const char *root, pawl_error *err)
{
        return open_by(out, root, open_repository, err);
}

pawl_status pawl__git_open_at(pawl__git **out, const char *directory, pawl_error *err)
{
        return open_by(out, directory, open_exactly, err);
}

void pawl__git_close(pawl__git *git)
{
        if (!git)
                return;
        git->lib->git_repository_free(git->repo);
        free(git->root);
        free(git->prefix);
        free(git);
}

/* ---- HEAD ------------------------------------------------------------------------------------ */

static pawl_status take_branch(
        pawl__git_head *head, const char *name, pawl__arena *arena, pawl_error *err)
{
        static const char heads[] = "refs/heads/";

        if (!name || strncmp(name, heads, sizeof heads - 1) != 0)
                return PAWL_OK;
        head->branch = pawl__arena_copy(arena, pawl__text(name + sizeof heads - 1));
        return pawl__arena_check(arena, err);
}

/* HEAD names a branch that has no commit yet. */
static pawl_status read_unborn(
        pawl__git_head *head, pawl__git *git, pawl__arena *arena, pawl_error *err)
{
        git_reference *ref;
        int code = git->lib->git_reference_lookup(&ref, git->repo, "HEAD");

        if (code)
                return pawl__git_fail(err, code, git->root, "reading git's HEAD");
        pawl_status status =
                take_branch(head, git->lib->git_reference_symbolic_target(ref), arena, err);
        git->lib->git_reference_free(ref);
        return status;
}

pawl_status pawl__git_head_read(
        pawl__git_head *out, pawl__git *git, pawl__arena *arena, pawl_error *err)
{
        pawl__git_head head = {"", {NULL, 0}};
        git_reference *ref;
        int code = git->lib->git_repository_head(&ref, git->repo);
        pawl_status status;

        if (code == GIT_EUNBORNBRANCH) {
                status = read_unborn(&head, git, arena, err);
        } else if (code) {
                return pawl__git_fail(err, code, git->root, "reading git's HEAD");
        } else {
                git->lib->git_oid_tostr(
                        head.commit, sizeof head.commit, git->lib->git_reference_target(ref));
                status = take_branch(&head, git->lib->git_reference_name(ref), arena, err);
                git->lib->git_reference_free(ref);
        }
        if (status == PAWL_OK)
                *out = head;
        return status;
}

/* ---- Commits --------------------------------------------------------------------------------- */

static bool is_commit_id(const char *id)
{
        return strlen(id) == PAWL__COMMIT_ID - 1 &&
               strspn(id, "0123456789abcdef") == PAWL__COMMIT_ID - 1;
}

pawl_status pawl__git_commit_get(git_commit **out, pawl__git *git, const char *id, pawl_error *err)
{
        git_oid oid;
        int code = is_commit_id(id) ? git->lib->git_oid_fromstr(&oid, id) : GIT_ENOTFOUND;

        if (code == 0)
                code = git->lib->git_commit_lookup(out, git->repo, &oid);
        if (code == GIT_ENOTFOUND || code == GIT_EINVALIDSPEC) {
                pawl__fail(err, PAWL_ENOTFOUND,
                        "%s: the git repository has no commit %.40s (any more); fetch it from "
                        "where it is, or go on without git",
                        git->root, id);
                return PAWL_ENOTFOUND;
        }
        return code ? pawl__git_fail(err, code, git->root, "reading a commit") : PAWL_OK;
}

pawl_status pawl__git_tree_get(git_tree **out, pawl__git *git, const char *id, pawl_error *err)
{
        git_commit *commit = NULL;
        pawl_status status = pawl__git_commit_get(&commit, git, id, err);

        if (status)
                return status;
        int code = git->lib->git_commit_tree(out, commit);
        git->lib->git_commit_free(commit);
        return code ? pawl__git_fail(err, code, git->root, "reading a commit's tree") : PAWL_OK;
}

pawl_status pawl__git_has(bool *has, pawl__git *git, const char *commit, pawl_error *err)
{
        git_commit *found = NULL;
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = pawl__git_commit_get(&found, git, commit, &why);

        if (status && status != PAWL_ENOTFOUND) {
                if (err)
                        *err = why;
                return status;
        }
        *has = status == PAWL_OK;
        if (*has)
                git->lib->git_commit_free(found);
        return PAWL_OK;
}

/* One commit of the walk, into the list. */
static pawl_status take_commit(pawl__git_commit *out, pawl__git *git, const git_oid *oid,
        pawl__arena *arena, pawl_error *err)
{
        git_commit *commit = NULL;
        int code = git->lib->git_commit_lookup(&commit, git->repo, oid);

        if (code)
                return pawl__git_fail(err, code, git->root, "reading a commit");
        const char *subject = git->lib->git_commit_summary(commit);
        git->lib->git_oid_tostr(out->id, sizeof out->id, oid);
        out->subject = pawl__arena_copy(arena, pawl__text(subject ? subject : ""));
        git->lib->git_commit_free(commit);
        return pawl__arena_check(arena, err);
}

pawl_status pawl__git_subject(
        pawl_text *out, pawl__git *git, const char *commit, pawl__arena *arena, pawl_error *err)
{
        pawl__git_commit found;
        git_oid oid;
        bool has = false;
        pawl_status status = pawl__git_has(&has, git, commit, err);

        if (!status && (!has || git->lib->git_oid_fromstr(&oid, commit)))
                status = PAWL_DONE;
        if (!status)
                status = take_commit(&found, git, &oid, arena, err);
        if (!status)
                *out = found.subject;
        return status;
}

static pawl_status walk_commits(uint64_t *count, pawl__git_commit *list, size_t max, pawl__git *git,
        git_revwalk *walk, const char *from, const char *to, pawl__arena *arena, pawl_error *err)
{
        git_oid oid;
        pawl_status status = PAWL_OK;

        git->lib->git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME);
        int code = git->lib->git_oid_fromstr(&oid, to);
        if (code == 0)
                code = git->lib->git_revwalk_push(walk, &oid);
        if (code == 0)
                code = git->lib->git_oid_fromstr(&oid, from);
        if (code == 0)
                code = git->lib->git_revwalk_hide(walk, &oid);
        while (code == 0 && status == PAWL_OK) {
                code = git->lib->git_revwalk_next(&oid, walk);
                if (code)
                        break;
                if (*count < max)
                        status = take_commit(&list[*count], git, &oid, arena, err);
                ++*count;
        }
        if (code && code != GIT_ITEROVER)
                return pawl__git_fail(err, code, git->root, "walking through commits");
        return status;
}

pawl_status pawl__git_commits(uint64_t *count, pawl__git_commit **list, size_t *n, size_t max,
        pawl__git *git, const char *from, const char *to, pawl__arena *arena, pawl_error *err)
{
        const char *const ends[] = {from, to};
        uint64_t found = 0;
        git_revwalk *walk;

        for (int i = 0; i < 2; i++) {
                git_commit *commit = NULL;
                pawl_status status = pawl__git_commit_get(&commit, git, ends[i], err);
                if (status)
                        return status;
                git->lib->git_commit_free(commit);
        }
        pawl__git_commit *commits = pawl__arena_array(arena, max ? max : 1, sizeof *commits);
        if (!commits)
                return pawl__nomem(err);
        int code = git->lib->git_revwalk_new(&walk, git->repo);
        if (code)
                return pawl__git_fail(err, code, git->root, "walking through commits");
        pawl_status status = walk_commits(&found, commits, max, git, walk, from, to, arena, err);
        git->lib->git_revwalk_free(walk);
        if (status)
                return status;
        *count = found;
        *list = commits;
        *n = found < max ? (size_t)found : max;
        return PAWL_OK;
}

/* ---- What differs between two commits -------------------------------------------------------- */

static pawl_status take_change(pawl__git_changed *out, pawl__git *git, git_diff *diff, size_t i,
        pawl__arena *arena, pawl_error *err)
{
        static const char letters[] = {
                [GIT_DELTA_ADDED] = 'A', [GIT_DELTA_DELETED] = 'D', [GIT_DELTA_TYPECHANGE] = 'T'};
        const git_diff_delta *delta = git->lib->git_diff_get_delta(diff, i);
        git_patch *patch = NULL;
        size_t added = 0, removed = 0;
        int code = git->lib->git_patch_from_diff(&patch, diff, i);

        if (code == 0 && patch)
                code = git->lib->git_patch_line_stats(NULL, &added, &removed, patch);
        git->lib->git_patch_free(patch);
        if (code)
                return pawl__git_fail(err, code, git->root, "comparing two commits");
        const size_t status = (size_t)delta->status;
        out->status = status < sizeof letters && letters[status] ? letters[status] : 'M';
        out->binary = delta->flags & GIT_DIFF_FLAG_BINARY;
        out->added = added;
        out->removed = removed;
        out->path = pawl__arena_copy(arena, pawl__text(delta->new_file.path));
        return pawl__arena_check(arena, err);
}

static pawl_status take_changes(pawl__git_changed **list, size_t *n, pawl__git *git, git_diff *diff,
        pawl__arena *arena, pawl_error *err)
{
        const size_t count = git->lib->git_diff_num_deltas(diff);
        pawl__git_changed *all = pawl__arena_array(arena, count ? count : 1, sizeof *all);
        pawl_status status = PAWL_OK;

        if (!all)
                return pawl__nomem(err);
        for (size_t i = 0; i < count && status == PAWL_OK; i++)
                status = take_change(&all[i], git, diff, i, arena, err);
        if (status == PAWL_OK) {
                *list = all;
                *n = count;
        }
        return status;
}

pawl_status pawl__git_stat(pawl__git_changed **list, size_t *n, pawl__git *git, const char *from,
        const char *to, pawl__arena *arena, pawl_error *err)
{
        git_tree *before = NULL, *after = NULL;
        git_diff *diff;
        pawl_status status = pawl__git_tree_get(&before, git, from, err);

        if (status == PAWL_OK)
                status = pawl__git_tree_get(&after, git, to, err);
        if (status == PAWL_OK) {
                int code = git->lib->git_diff_tree_to_tree(&diff, git->repo, before, after, NULL);
                if (code) {
                        status = pawl__git_fail(err, code, git->root, "comparing two commits");
                } else {
                        status = take_changes(list, n, git, diff, arena, err);
                        git->lib->git_diff_free(diff);
                }
        }
        git->lib->git_tree_free(before);
        git->lib->git_tree_free(after);
        return status;
}

/* ---- A file in a commit ---------------------------------------------------------------------- */

static pawl_status take_blob(
        pawl__buf *out, pawl__git *git, const git_tree_entry *entry, uint64_t max, pawl_error *err)
{
        git_blob *blob;
        pawl_status status = PAWL_OK;

        if (git->lib->git_tree_entry_type(entry) != GIT_OBJECT_BLOB)
                return PAWL_ENOTFOUND;
        int code = git->lib->git_blob_lookup(&blob, git->repo, git->lib->git_tree_entry_id(entry));
        if (code == GIT_ENOTFOUND)
                return PAWL_ENOTFOUND;
        if (code)
                return pawl__git_fail(err, code, git->root, "reading a file of a commit");
        const uint64_t size = (uint64_t)git->lib->git_blob_rawsize(blob);
        if (size > max)
                status = PAWL_ETOOBIG;
        else if (pawl__buf_add(out, git->lib->git_blob_rawcontent(blob), (size_t)size))
                status = pawl__nomem(err);
        git->lib->git_blob_free(blob);
        return status;
}

pawl_status pawl__git_blob(pawl__buf *out, pawl__git *git, const char *commit, pawl_text path,
        uint64_t max, pawl_error *err)
{
        pawl__buf full = PAWL__BUF_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        git_tree *tree;
        git_tree_entry *entry;

        if (!git->prefix || path.len == 0)
                return PAWL_ENOTFOUND;
        pawl_status status = pawl__git_tree_get(&tree, git, commit, &why);
        if (status) {
                if (err && status != PAWL_ENOTFOUND)
                        *err = why;
                return status;
        }
        if (pawl__buf_adds(&full, git->prefix) || pawl__buf_add(&full, path.data, path.len)) {
                status = pawl__nomem(err);
        } else {
                int code = git->lib->git_tree_entry_bypath(&entry, tree, full.data);
                if (code == GIT_ENOTFOUND) {
                        status = PAWL_ENOTFOUND;
                } else if (code) {
                        status = pawl__git_fail(err, code, git->root, "reading a file of a commit");
                } else {
                        status = take_blob(out, git, entry, max, err);
                        git->lib->git_tree_entry_free(entry);
                }
        }
        pawl__buf_free(&full);
        git->lib->git_tree_free(tree);
        return status;
}
