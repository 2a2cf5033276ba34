/**
 * @file workspace/git/git_index.h
 * @brief Which paths git tracks: the names in its index, read without libgit2.
 *
 * Versions 2 to 4 of the format, with names that are cut (4), entries that are extended (3), and an
 * index that is split in two; of SHA-1 and of SHA-256. What else it says is passed over.
 */
#pragma once

#include "base/text.h"

/** Zero-initialised is empty. */
typedef struct pawl__tracked {
        pawl__buf names; /**< one after the other, each ended by a NUL, 's' before those of
                              submodules and 'f' before the others */
        size_t *at;      /**< where each begins in them, in the order of their bytes */
        size_t n, cap;
} pawl__tracked;

/**
 * Read the index in the directory @p git. One that is not there tracks nothing.
 * @param oid_len  bytes of an object's name: 20, or 32 with SHA-256
 * @return PAWL_EPARSE, PAWL_EACCESS, PAWL_EIO naming the file; PAWL_ENOMEM. Nothing is to be
 * freed after a failure.
 */
PAWL_MUST_CHECK pawl_status pawl__tracked_read(
        pawl__tracked *out, const char *git, size_t oid_len, pawl_error *err);
/** The same of an index that is in memory, that of @p path. */
PAWL_MUST_CHECK pawl_status pawl__tracked_decode(pawl__tracked *out, pawl_text data,
        const char *path, const char *git, size_t oid_len, pawl_error *err);
void pawl__tracked_free(pawl__tracked *tracked);

typedef enum pawl__tracking {
        PAWL__UNTRACKED,
        PAWL__TRACKED,       /**< a file or link; a submodule, with all that is in it */
        PAWL__TRACKED_WITHIN /**< a directory that holds some that are */
} pawl__tracking;

/** What git says of a path, relative to the top of its work tree. */
pawl__tracking pawl__tracked_lookup(const pawl__tracked *tracked, pawl_text path, bool directory);

/** A file of git, whole, at most @p max bytes of it; a link is followed. PAWL_ENOTFOUND without a
 *  message where there is none; PAWL_EACCESS, PAWL_EIO, PAWL_ETOOBIG, PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__git_file(
        pawl__buf *out, const char *path, size_t max, pawl_error *err);
