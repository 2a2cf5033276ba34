/**
 * @file workspace/git/git_tree.h
 * @brief What a commit holds: its directories and files, by the ids that git has for them.
 */
#pragma once

#include "workspace/git/git.h"

/** Open exactly the repository at @p directory, bare or with a work tree, whose commits are of the
 *  root as it is. As pawl__git_open(). */
PAWL_MUST_CHECK pawl_status pawl__git_open_at(
        pawl__git **out, const char *directory, pawl_error *err);

/** The id of the directory that the root is in a commit; whatever leads to one is taken, such as an
 *  annotated tag. PAWL_ENOTFOUND: the repository does not have it, or the root is not in it. */
PAWL_MUST_CHECK pawl_status pawl__git_directory(
        char id[PAWL__COMMIT_ID], pawl__git *git, const char *commit, pawl_error *err);

typedef enum pawl__git_kind {
        PAWL__GIT_FILE,
        PAWL__GIT_PROGRAM, /**< a file that may be executed */
        PAWL__GIT_LINK,
        PAWL__GIT_DIRECTORY,
        PAWL__GIT_SUBMODULE /**< a commit of another repository */
} pawl__git_kind;

typedef struct pawl__git_entry {
        pawl__git_kind kind;
        pawl_text name;           /**< valid during the call */
        char id[PAWL__COMMIT_ID]; /**< of its content or directory */
} pawl__git_entry;

/** Called for each entry, in git's order. Anything but PAWL_OK ends it and is passed on. */
typedef pawl_status (*pawl__git_entry_fn)(
        const pawl__git_entry *entry, void *user, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__git_entries(pawl__git *git, const char id[PAWL__COMMIT_ID],
        pawl__git_entry_fn fn, void *user, pawl_error *err);

/** Append a file's content, or a link's target, as git stores it. PAWL_ENOTFOUND: it is not there,
 *  as in a repository that was not cloned whole. */
PAWL_MUST_CHECK pawl_status pawl__git_content(
        pawl__buf *out, pawl__git *git, const char id[PAWL__COMMIT_ID], pawl_error *err);
