/**
 * @file workspace/git/git_place.h
 * @brief Which repository a directory lies in, found by its path upwards, without libgit2.
 */
#pragma once

#include "base/text.h"

/** Paths are absolute and NUL-ended. */
typedef struct pawl__git_place {
        pawl__buf git;    /**< the repository's directory: of this work tree, if it has several */
        pawl__buf common; /**< the one that all its work trees share */
        pawl__buf top;    /**< of the work tree */
        pawl__buf prefix; /**< of the directory in it: "" or "sub/directory/" */
        bool inside;      /**< none, as the directory lies in one of git's own, which is top then */
} pawl__git_place;

#define PAWL__GIT_PLACE_INIT                                                                       \
        {                                                                                          \
                PAWL__BUF_INIT, PAWL__BUF_INIT, PAWL__BUF_INIT, PAWL__BUF_INIT, false              \
        }

/**
 * Find the repository around @p root, which is absolute and without links. One above the root
 * counts only if it belongs to this user or to whom the root belongs, and lies on the same file
 * system.
 * @return PAWL_ENOTFOUND without a message: there is none; PAWL_EACCESS, PAWL_EIO, PAWL_EPARSE.
 *         Free *out whatever is returned.
 */
PAWL_MUST_CHECK pawl_status pawl__git_place_find(
        pawl__git_place *out, const char *root, pawl_error *err);
/** The one whose work tree is @p top, for which nothing above is looked at. */
PAWL_MUST_CHECK pawl_status pawl__git_place_at(
        pawl__git_place *out, const char *top, pawl_error *err);
/** Is @p directory, absolute, the top of a linked work tree, of whatever repository? What cannot be
 *  read is none. */
PAWL_MUST_CHECK pawl_status pawl__git_place_linked(
        bool *is, const char *directory, pawl_error *err);
void pawl__git_place_free(pawl__git_place *place);
