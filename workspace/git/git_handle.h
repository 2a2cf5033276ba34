/**
 * @file workspace/git/git_handle.h
 * @brief The inside of a pawl__git, for workspace/git*.c alone.
 */
#pragma once

#include "workspace/git/git.h"
#include "workspace/git/git_library.h"

struct pawl__git {
        const pawl__git_library *lib;
        git_repository *repo;
        char *root;   /* as it was given, for messages */
        char *prefix; /* of the root in the work tree: "" or "sub/directory/"; NULL: not in it */
};

/** Look up a commit by its 40 digits: PAWL_ENOTFOUND "no commit ...". */
PAWL_MUST_CHECK pawl_status pawl__git_commit_get(
        git_commit **out, pawl__git *git, const char *id, pawl_error *err);
/** Its tree. */
PAWL_MUST_CHECK pawl_status pawl__git_tree_get(
        git_tree **out, pawl__git *git, const char *id, pawl_error *err);
