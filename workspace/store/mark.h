/**
 * @file workspace/store/mark.h
 * @brief What trees name: every file, directory and chunk of these, and whether one tree names it
 * or several do.
 */
#pragma once

#include "workspace/store/contents.h"

#define PAWL__MARK_SHARED UINT32_MAX /* several trees name it */

typedef struct pawl__mark pawl__mark;

/** Nothing is named yet. @p contents is borrowed. */
PAWL_MUST_CHECK pawl_status pawl__mark_new(
        pawl__mark **out, pawl__contents *contents, pawl_error *err);
void pawl__mark_free(pawl__mark *marks);
/** From now on what several trees name is the first one's, instead of shared. */
void pawl__mark_first(pawl__mark *marks);

/**
 * Add what a tree names, as @p owner's (not PAWL__MARK_SHARED). A directory is read twice at most,
 * however many trees have it. Some 60 bytes of memory a content.
 * @return PAWL_ENOTFOUND, PAWL_EDAMAGED when a directory is not what it was: what could be found is
 *         added.
 */
PAWL_MUST_CHECK pawl_status pawl__mark_add(
        pawl__mark *marks, const unsigned char tree[32], uint32_t owner, pawl_error *err);

/** Add a content that something else than a tree names. */
PAWL_MUST_CHECK pawl_status pawl__mark_content(
        pawl__mark *marks, const unsigned char hash[32], uint32_t owner, pawl_error *err);

/** Does a tree name it? *owner (may be NULL): whose, or PAWL__MARK_SHARED. */
bool pawl__mark_has(uint32_t *owner, const pawl__mark *marks, const unsigned char hash[32]);
/** Is it named as a chunk of larger contents, and not as a content? */
bool pawl__mark_is_chunk(const pawl__mark *marks, const unsigned char hash[32]);
