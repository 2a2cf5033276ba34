/**
 * @file workspace/diff/lines.h
 * @brief What differs between two byte texts, line by line.
 *
 * A line ends after its '\n', the last one at the end of the text; so a last line without '\n' is
 * another than the same one with it.
 *
 * What is equal at both ends is cut off first. What is left is compared by libgit2's xdiff, which
 * finds a shortest or nearly shortest script (E. Myers, "An O(ND) Difference Algorithm and Its
 * Variations", 1986, in linear space, with its cost bounded by git's heuristics) and needs no
 * repository. Where nothing is left on one side, or there are more than PAWL__LINES_MAX lines to
 * compare, all that is left is replaced, which is a true account too, if a long one.
 */
#pragma once

#include "base/text.h"

enum {
        PAWL__LINES_MAX = 1 << 20, /**< of both together: 2.5 s at worst */
        PAWL__LINES_CONTEXT = 3    /**< equal lines around what differs */
};

typedef struct pawl__line_counts {
        uint64_t added, removed;
} pawl__line_counts;

/** Binary, as git sees it: a NUL among the first 8,000 bytes. */
bool pawl__is_binary(pawl_text text);

/**
 * Compare two texts, absent ones being empty: count the lines, and append the hunks of a unified
 * diff to
 * @p hunks (may be NULL), `@@ -1,4 +1,5 @@` first; nothing where they are equal. Texts are bytes
 * and no more than 1 GiB.
 * @return PAWL_ENOMEM; PAWL_ENOTFOUND where libgit2 is needed and missing; PAWL_ETOOBIG.
 */
PAWL_MUST_CHECK pawl_status pawl__lines_compare(pawl__line_counts *counts, pawl__buf *hunks,
        pawl_text before, pawl_text after, pawl_error *err);
