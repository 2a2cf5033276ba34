/**
 * @file workspace/rollback/tracked_paths.h
 * @brief Which paths some checkpoint of the log recorded: the only ones that a rollback may touch.
 */
#pragma once

#include "workspace/store/tree_diff.h"

typedef struct pawl__tracked_paths pawl__tracked_paths;

/** Over @p n trees, 32 bytes each, one after the other; both are borrowed, and may hold a tree
 *  twice. Nothing is read yet. */
PAWL_MUST_CHECK pawl_status pawl__tracked_paths_new(pawl__tracked_paths **out,
        const pawl__directories *directories, const unsigned char *trees, size_t n,
        pawl_error *err);
void pawl__tracked_paths_free(pawl__tracked_paths *recorded);

/**
 * Did one of the trees record something at @p path, of whatever kind? An entry that was not
 * captured is no record. Asked in the order of a walk, each directory is read once.
 */
PAWL_MUST_CHECK pawl_status pawl__tracked_paths_has(
        bool *has, pawl__tracked_paths *recorded, pawl_text path, pawl_error *err);
