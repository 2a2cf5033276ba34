/**
 * @file workspace/diff/patch.h
 * @brief A unified diff of files, as `git apply` and `patch -p1` read it.
 */
#pragma once

#include "workspace/diff/lines.h"

/** A file's content is compared up to this size; a larger one counts as binary. */
#define PAWL__PATCH_MAX ((uint64_t)64 << 20)

/** What is at a path before or after. */
typedef struct pawl__patch_side {
        char kind;         /**< 'f' a file, 'l' a link, 0 nothing */
        uint32_t mode;     /**< of a file; git knows only whether its owner may execute it */
        uint64_t size;     /**< of a file */
        pawl_text content; /**< of a file, up to PAWL__PATCH_MAX: of a larger one nothing is read; a
                                link's target */
} pawl__patch_side;

typedef struct pawl__patch_counts {
        pawl__line_counts lines; /**< zeros where binary */
        bool binary;
} pawl__patch_counts;

/**
 * Count the lines that differ at a path, and append its part of a patch to @p out (may be NULL):
 * nothing where git would see no difference. Contents that differ and are binary are a git
 * binary patch; of larger ones than PAWL__PATCH_MAX it is only said that they differ. A file that
 * became a link, or the other way, is removed and added.
 * @param path relative, '/' between names, any bytes but NUL; quoted as git quotes it.
 * @return as pawl__lines_compare()
 */
PAWL_MUST_CHECK pawl_status pawl__patch_add(pawl__patch_counts *counts, pawl__buf *out,
        pawl_text path, const pawl__patch_side *before, const pawl__patch_side *after,
        pawl_error *err);
