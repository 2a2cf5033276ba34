#include "base/error.h"
#include "workspace/git/git_handle.h"
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a check has found, for the move that follows it. */
struct moving {
        git_reference *branch;
        git_tree *now, *then; /* of the present commit, of the one it goes to */
        git_index *index;
        git_oid to;
        char from[PAWL__COMMIT_ID];
        bool index_moved; /* the branch has not, and the index is that of the other commit */
};

static void let_go(struct moving *m, pawl__git *git)
{
        git->lib->git_reference_free(m->branch);
        git->lib->git_tree_free(m->now);
        git->lib->git_tree_free(m->then);
        git->lib->git_index_free(m->index);
}

static pawl_status refuse(pawl_error *err, const pawl__git *git, const char *what, const char *fix)
{
        return pawl__fail(
                err, PAWL_ESTATE, "%s: the branch stays where it is: %s; %s", git->root, what, fix);
}

/* The same, where git itself may have no way: @p fix, or what the caller does instead. */
static pawl_status refuse_or(pawl_error *err, const pawl__git *git, const pawl__git_move *move,
        const char *what, const char *fix)
{
        return pawl__fail(err, PAWL_ESTATE, "%s: the branch stays where it is: %s; %s%s%s",
                git->root, what, fix, *fix ? ", or " : "",
                move->instead ? move->instead : "leave git where it is");
}

/* ---- The conditions -------------------------------------------------------------------------- */

/* The branch is checked out here. */
static pawl_status find_branch(
        struct moving *m, pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__git_head head;
        pawl__buf what = PAWL__BUF_INIT;

        if (git->lib->git_repository_is_bare(git->repo))
                return refuse_or(err, git, move, "the repository is bare", "");
        pawl_status status = pawl__git_head_read(&head, git, &arena, err);
        if (status == PAWL_OK && !pawl__text_eq(head.branch, move->branch)) {
                if (!head.branch.data
                                ? pawl__buf_addf(&what, "HEAD is detached, not on %.*s",
                                          PAWL__FMT(move->branch))
                                : pawl__buf_addf(&what, "HEAD is on %.*s, the checkpoint on %.*s",
                                          PAWL__FMT(head.branch), PAWL__FMT(move->branch)))
                        status = pawl__nomem(err);
                else
                        status = refuse_or(err, git, move, what.data,
                                "check that branch out with `git switch`");
        }
        if (status == PAWL_OK && !head.commit[0])
                status = refuse_or(err, git, move, "it has no commit", "");
        if (status == PAWL_OK) {
                memcpy(m->from, head.commit, sizeof m->from);
                int code = git->lib->git_repository_head(&m->branch, git->repo);
                if (code)
                        status = pawl__git_fail(err, code, git->root, "reading git's HEAD");
                else if (strcmp(git->lib->git_oid_tostr((char[PAWL__COMMIT_ID]){""},
                                        PAWL__COMMIT_ID, git->lib->git_reference_target(m->branch)),
                                 m->from) != 0)
                        status = pawl__fail(err, PAWL_EBUSY,
                                "%s: somebody is moving the branch; try again when they are done",
                                git->root);
        }
        pawl__buf_free(&what);
        pawl__arena_free(&arena);
        return status;
}

static pawl_status check_nothing_under_way(pawl__git *git, pawl_error *err)
{
        static const char *const names[] = {
                [GIT_REPOSITORY_STATE_MERGE] = "a merge is in progress",
                [GIT_REPOSITORY_STATE_REVERT] = "a revert is in progress",
                [GIT_REPOSITORY_STATE_REVERT_SEQUENCE] = "a revert is in progress",
                [GIT_REPOSITORY_STATE_CHERRYPICK] = "a cherry-pick is in progress",
                [GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE] = "a cherry-pick is in progress",
                [GIT_REPOSITORY_STATE_BISECT] = "a bisection is in progress",
                [GIT_REPOSITORY_STATE_REBASE] = "a rebase is in progress",
                [GIT_REPOSITORY_STATE_REBASE_INTERACTIVE] = "a rebase is in progress",
                [GIT_REPOSITORY_STATE_REBASE_MERGE] = "a rebase is in progress",
                [GIT_REPOSITORY_STATE_APPLY_MAILBOX] = "git am is in progress",
                [GIT_REPOSITORY_STATE_APPLY_MAILBOX_OR_REBASE] =
                        "git am, or a rebase, is in progress",
        };
        const int state = git->lib->git_repository_state(git->repo);

        if (state == GIT_REPOSITORY_STATE_NONE)
                return PAWL_OK;
        const bool known = state > 0 && (size_t)state < sizeof names / sizeof names[0];
        return refuse(err, git,
                known && names[state] ? names[state] : "git is in the middle of something",
                "end or abort it (`git status` says how)");
}

/* Does HEAD of this repository, or of one of its worktrees, name the branch? A worktree that cannot
 * be read does not hold it: git passes over it too. */
static bool holds_branch(
        pawl__git *git, git_repository *repo, const char *worktree, const char *name)
{
        git_reference *head;
        int code = worktree ? git->lib->git_repository_head_for_worktree(&head, repo, worktree)
                            : git->lib->git_repository_head(&head, repo);

        if (code)
                return false;
        const bool same = strcmp(git->lib->git_reference_name(head), name) == 0;
        git->lib->git_reference_free(head);
        return same;
}

static pawl_status check_nowhere_else(struct moving *m, pawl__git *git, pawl_error *err)
{
        const char *name = git->lib->git_reference_name(m->branch);
        git_strarray linked = {NULL, 0};
        git_repository *first;
        int places = 0;
        int code = git->lib->git_repository_open_ext(&first,
                git->lib->git_repository_commondir(git->repo), GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);

        if (code == 0) {
                places += holds_branch(git, first, NULL, name);
                code = git->lib->git_worktree_list(&linked, first);
                for (size_t i = 0; code == 0 && i < linked.count; i++)
                        places += holds_branch(git, first, linked.strings[i], name);
                git->lib->git_strarray_dispose(&linked);
                git->lib->git_repository_free(first);
        }
        if (code)
                return pawl__git_fail(err, code, git->root, "reading git's worktrees");
        return places > 1 ? refuse(err, git, "it is checked out in another worktree too",
                                    "detach it there with `git switch --detach`")
                          : PAWL_OK;
}

/* A commit is given up only for one that it grew from, and taken back only as long as nothing else
 * grew there. */
static pawl_status check_line(
        struct moving *m, pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        git_oid from;
        int code = git->lib->git_oid_fromstr(&from, m->from);

        if (code == 0)
                code = git->lib->git_oid_fromstr(&m->to, move->to);
        if (code)
                return pawl__git_fail(err, code, git->root, "reading a commit's name");
        if (move->expect && strcmp(move->expect, m->from) != 0)
                return refuse_or(err, git, move, "it was moved since", "look at `git reflog`");
        code = move->forward ? git->lib->git_graph_descendant_of(git->repo, &m->to, &from)
                             : git->lib->git_graph_descendant_of(git->repo, &from, &m->to);
        if (code < 0)
                return pawl__git_fail(err, code, git->root, "comparing two commits");
        if (code)
                return PAWL_OK;
        return refuse_or(err, git, move,
                move->forward ? "the commit it was at did not grow from the present one"
                              : "the recorded commit is not an ancestor of HEAD",
                "look at `git log --all --graph`");
}

static pawl_status index_is(
        bool *is, struct moving *m, pawl__git *git, git_tree *tree, pawl_error *err)
{
        git_diff *diff;
        int code = git->lib->git_diff_tree_to_index(&diff, git->repo, tree, m->index, NULL);

        if (code)
                return pawl__git_fail(err, code, git->root, "comparing the index");
        *is = git->lib->git_diff_num_deltas(diff) == 0;
        git->lib->git_diff_free(diff);
        return PAWL_OK;
}

/* Nothing is staged: the index is what HEAD has, or what a move that was killed has made of it. */
static pawl_status check_index(struct moving *m, pawl__git *git, pawl_error *err)
{
        bool clean = false;
        int code = git->lib->git_repository_index(&m->index, git->repo);

        if (code == 0)
                code = git->lib->git_index_read(m->index, 1);
        if (code)
                return pawl__git_fail(err, code, git->root, "reading the index");
        if (git->lib->git_index_has_conflicts(m->index))
                return refuse(err, git, "files are in conflict", "resolve and commit them");
        pawl_status status = index_is(&clean, m, git, m->now, err);
        if (status == PAWL_OK && !clean)
                status = index_is(&clean, m, git, m->then, err);
        if (status == PAWL_OK && !clean)
                status = refuse(err, git, "something is staged",
                        "commit it, or take it out of the index with `git restore --staged .`");
        return status;
}

static pawl_status check(
        struct moving *m, pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        pawl_status status = find_branch(m, git, move, err);

        if (status == PAWL_OK)
                status = pawl__git_tree_get(&m->then, git, move->to, err);
        if (status == PAWL_OK)
                status = pawl__git_tree_get(&m->now, git, m->from, err);
        if (status == PAWL_OK && strcmp(m->from, move->to) == 0)
                return PAWL_DONE;
        if (status == PAWL_OK)
                status = check_nothing_under_way(git, err);
        if (status == PAWL_OK)
                status = check_nowhere_else(m, git, err);
        if (status == PAWL_OK)
                status = check_line(m, git, move, err);
        return status ? status : check_index(m, git, err);
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static int set_index(struct moving *m, pawl__git *git, const git_tree *tree)
{
        int code = git->lib->git_index_read_tree(m->index, tree);

        return code ? code : git->lib->git_index_write(m->index);
}

static pawl_status set_branch(
        struct moving *m, pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        git_reference *moved = NULL;
        int code = git->lib->git_reference_set_target(&moved, m->branch, &m->to, move->message);

        git->lib->git_reference_free(moved);
        if (code == GIT_EMODIFIED)
                return pawl__fail(err, PAWL_EBUSY,
                        "%s: somebody moved the branch meanwhile; look at `git log`, then try "
                        "again",
                        git->root);
        return code ? pawl__git_fail(err, code, git->root, "moving the branch") : PAWL_OK;
}

static pawl_status move_now(
        struct moving *m, pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        int code = set_index(m, git, m->then);

        if (code)
                return pawl__git_fail(err, code, git->root, "writing the index");
        const pawl_status status = set_branch(m, git, move, err);
        m->index_moved = status && set_index(m, git, m->now) != 0;
        return status;
}

/* Root writes as the repository's owner, so that index and branch stay that one's. Where that user
 * can move no more than the index, root puts it back. */
static pawl_status move_as_owner(
        struct moving *m, pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        const char *path = git->lib->git_repository_path(git->repo);
        struct stat repository;
        const bool gives = geteuid() == 0 && stat(path, &repository) == 0;

        if (gives) {
                setfsgid(repository.st_gid);
                setfsuid(repository.st_uid);
        }
        const pawl_status status = move_now(m, git, move, err);
        if (gives) {
                setfsuid(geteuid());
                setfsgid(getegid());
        }
        if (m->index_moved && gives && set_index(m, git, m->now) == 0)
                m->index_moved = lchown(git->lib->git_index_path(m->index), repository.st_uid,
                                         repository.st_gid) != 0;
        if (m->index_moved)
                return pawl__fail_prefix(err, status,
                        "%s: its index was left as of the other commit (`git reset` fixes it)",
                        git->root);
        return status;
}

static pawl_status check_and(bool go, char from[PAWL__COMMIT_ID], pawl__git *git,
        const pawl__git_move *move, pawl_error *err)
{
        struct moving m = {.branch = NULL};
        pawl_status status = check(&m, git, move, err);

        if (status == PAWL_OK && go)
                status = move_as_owner(&m, git, move, err);
        if (status == PAWL_OK || status == PAWL_DONE)
                memcpy(from, m.from, sizeof m.from);
        let_go(&m, git);
        return status;
}

pawl_status pawl__git_move_check(
        char from[PAWL__COMMIT_ID], pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        return check_and(false, from, git, move, err);
}

pawl_status pawl__git_move_do(
        char from[PAWL__COMMIT_ID], pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        return check_and(true, from, git, move, err);
}
