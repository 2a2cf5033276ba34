/**
 * @file workspace/git/git_diff.h
 * @brief libgit2's comparison of two texts, line by line. It needs no repository.
 */
#pragma once

#include "base/text.h"

/** Ranges of lines, the first one 1; where a range is empty, the line before it. */
typedef struct pawl__git_hunk {
        uint64_t before, n_before, after, n_after;
} pawl__git_hunk;

/** What is told of a comparison. */
typedef struct pawl__git_sink {
        void (*hunk)(const pawl__git_hunk *hunk, void *user);
        /** @p origin: '+', '-' or ' ' */
        void (*line)(char origin, pawl_text line, void *user);
        void *user;
} pawl__git_sink;

/**
 * @param context  equal lines around what differs
 * @return PAWL_DONE, and nothing told, in a build without libgit2; PAWL_ENOTFOUND where it is not
 *         installed; PAWL_ENOMEM, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status pawl__git_compare(pawl_text before, pawl_text after, unsigned context,
        const pawl__git_sink *sink, pawl_error *err);
