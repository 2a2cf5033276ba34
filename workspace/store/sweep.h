/**
 * @file workspace/store/sweep.h
 * @brief All contents of a log: told one by one, or let go where nothing names them any more.
 */
#pragma once

#include "workspace/store/contents.h"

/** Tell @p fn of every content once, as pawl__log_content_each() does, those in packs first; what
 * one takes up in a pack is its frame. Of a damaged pack, that it takes up nothing.
 *  @return what @p fn returned; PAWL_EDAMAGED for rows that are none. */
PAWL_MUST_CHECK pawl_status pawl__contents_each(
        pawl__contents *contents, pawl__content_fn fn, void *user, pawl_error *err);

/** Is a content to stay? */
typedef bool (*pawl__keeps_fn)(const unsigned char hash[32], void *user);

/** What a sweep lets go. */
typedef struct pawl__swept {
        uint64_t contents, bytes; /**< bytes: as they are stored */
} pawl__swept;

/**
 * Let every content go that is not to stay, within a batch's prepare hook; or only find out which.
 * What stays and is a difference from one that goes is made whole first, and packs are put together
 * anew, so that no byte of what goes is left. One that cannot be read any more stays as it is.
 * Some 60 bytes of memory a content.
 */
PAWL_MUST_CHECK pawl_status pawl__contents_sweep(pawl__swept *out, pawl__contents *contents,
        pawl__keeps_fn keeps, void *user, bool dry_run, pawl_error *err);
