/**
 * @file workspace/git/git.h
 * @brief Where git stands around a workspace, and moving its branch back and forth again.
 *
 * Everything but pawl__git_move() reads. A repository is looked for from the root upwards; one that
 * belongs to another user is refused as libgit2 refuses it. No hook, filter or network is ever run.
 */
#pragma once

#include "base/text.h"

enum { PAWL__COMMIT_ID = 41 /**< 40 hex digits and a NUL */ };

/** The repository around a root. */
typedef struct pawl__git pawl__git;

/**
 * @param root absolute
 * @return PAWL_ENOTFOUND: the root is in no repository, or libgit2 is not installed (the message
 *         tells them apart); PAWL_EACCESS: the repository is somebody else's.
 */
PAWL_MUST_CHECK pawl_status pawl__git_open(pawl__git **out, const char *root, pawl_error *err);
void pawl__git_close(pawl__git *git);

typedef struct pawl__git_head {
        char commit[PAWL__COMMIT_ID]; /**< "" while the branch has none yet */
        pawl_text branch;             /**< "main"; absent where HEAD is detached. In the arena */
} pawl__git_head;

PAWL_MUST_CHECK pawl_status pawl__git_head_read(
        pawl__git_head *out, pawl__git *git, pawl__arena *arena, pawl_error *err);

/** Does the repository have this commit? A text that is no commit's id is none that it has. */
PAWL_MUST_CHECK pawl_status pawl__git_has(
        bool *has, pawl__git *git, const char *commit, pawl_error *err);

typedef struct pawl__git_commit {
        char id[PAWL__COMMIT_ID];
        pawl_text subject; /**< the message's first paragraph on one line; any bytes */
} pawl__git_commit;

/**
 * The commits that @p to has and @p from has not: how many, and the newest @p max of them, newest
 * first. Allocated in @p arena. PAWL_ENOTFOUND names the commit that is not there.
 */
PAWL_MUST_CHECK pawl_status pawl__git_commits(uint64_t *count, pawl__git_commit **list, size_t *n,
        size_t max, pawl__git *git, const char *from, const char *to, pawl__arena *arena,
        pawl_error *err);

/** The subject of one. PAWL_DONE: the repository does not have it. */
PAWL_MUST_CHECK pawl_status pawl__git_subject(
        pawl_text *out, pawl__git *git, const char *commit, pawl__arena *arena, pawl_error *err);

typedef struct pawl__git_changed {
        pawl_text path;          /**< relative to the repository's top */
        char status;             /**< 'A' added, 'D' deleted, 'M' modified, 'T' of another type */
        uint64_t added, removed; /**< lines; zeros where binary */
        bool binary;
} pawl__git_changed;

/** The files that differ between two commits. Allocated in @p arena. PAWL_ENOTFOUND as above. */
PAWL_MUST_CHECK pawl_status pawl__git_stat(pawl__git_changed **list, size_t *n, pawl__git *git,
        const char *from, const char *to, pawl__arena *arena, pawl_error *err);

/** The content of @p path, relative to the root, in @p commit, appended to @p out. PAWL_ENOTFOUND
 * without a message where there is no such file or commit; PAWL_ETOOBIG, likewise, beyond @p max
 * bytes. */
PAWL_MUST_CHECK pawl_status pawl__git_blob(pawl__buf *out, pawl__git *git, const char *commit,
        pawl_text path, uint64_t max, pawl_error *err);

/* ---- Moving the branch (workspace/git/git_move.c)
 * ------------------------------------------------ */

/** Where a branch is to go. */
typedef struct pawl__git_move {
        pawl_text branch;   /**< that must be checked out: "main" */
        const char *expect; /**< the commit it must be at; NULL: any */
        const char *to;     /**< the commit it goes to */
        bool forward; /**< `to` has the present commit among its ancestors, not the other way */
        const char *message; /**< of the reflog */
        const char *instead; /**< what can be done where it cannot; NULL: "leave git where it is" */
} pawl__git_move;

/**
 * May the branch be moved so? It may if it is checked out here and nowhere else, no merge, rebase,
 * cherry-pick or the like is in progress, nothing is staged, and the commit is there and is an
 * ancestor (forward: a descendant) of the present one, so that no commit loses its last name but
 * those that the caller names. Files of the work tree do not matter: they are not touched.
 *
 * @param[out] from  the present commit
 * @return PAWL_DONE where the branch is there already; PAWL_ESTATE with the condition that does not
 * hold; PAWL_ENOTFOUND where the commit is gone.
 */
PAWL_MUST_CHECK pawl_status pawl__git_move_check(
        char from[PAWL__COMMIT_ID], pawl__git *git, const pawl__git_move *move, pawl_error *err);

/**
 * The same, and move it: the index is made that of the commit, then the branch, with a line in the
 * reflog (what `git reset --mixed` does). Never by force: a branch that somebody else moves
 * meanwhile stays theirs (PAWL_EBUSY). Killed in between, the index is the commit's and the branch
 * where it was, from where the same call goes on.
 */
PAWL_MUST_CHECK pawl_status pawl__git_move_do(
        char from[PAWL__COMMIT_ID], pawl__git *git, const pawl__git_move *move, pawl_error *err);
