/**
 * @file workspace/git_library.h
 * @brief libgit2, loaded when it is first used.
 */
#ifndef PAWL_WORKSPACE_GIT_LIBRARY_H
#define PAWL_WORKSPACE_GIT_LIBRARY_H

#include "base/lazy.h"
#include <git2.h>

#define PAWL__GIT_FUNCTIONS(X)                                                                     \
        X(git_libgit2_init)                                                                        \
        X(git_error_last)                                                                          \
        X(git_diff_buffers)

/** Its functions, under their own names. */
typedef struct pawl__git_library {
        PAWL__GIT_FUNCTIONS(PAWL__LAZY_FIELD)
} pawl__git_library;

/** Load and start it. PAWL_ENOTFOUND where it is not installed. Static. */
PAWL_MUST_CHECK pawl_status pawl__git_load(const pawl__git_library **out, pawl_error *err);

/** libgit2's last failure as "WHERE: DOING: what it says; ...": PAWL_ENOMEM, PAWL_ENOTFOUND,
 *  PAWL_EACCESS (another owner) or PAWL_EIO. */
pawl_status pawl__git_fail(pawl_error *err, int code, const char *where, const char *doing);

#endif
