/**
 * @file tests/support/checkpoints.h
 * @brief Checkpoints put into a log without a workspace: trees that a test has in memory.
 */
#pragma once

#include "support/event_log.h"
#include "support/trees.h"

/** Append a checkpoint of @p tree, numbered after the last, with all that @p all has as contents.
 *  @param state, outputs canonical JSON, or NULL. @return its number. */
uint64_t checkpoint_put(
        pawl_log *log, const trees *all, tree_hash tree, const char *state, const char *outputs);
/** Everything that a checkpoint's tree holds, read back, as lines: "PATH MODE CONTENT"; malloc'd.
 */
char *checkpoint_read(pawl_log *log, uint64_t n);
