/**
 * @file workspace/turns.h
 * @brief What a checkpoint changed, and in which turn of an agent's session it was taken.
 */
#pragma once

#include "workspace/workspace.h"

/** The checkpoint that "N" or "SESSION:N" names by a turn that ended at it. PAWL_ENOTFOUND without
 *  a message. PAWL_DONE: @p which is not of that form. */
PAWL_MUST_CHECK pawl_status pawl__workspace_of_turn(
        pawl__row *out, pawl__state *state, const char *which, pawl__arena *arena, pawl_error *err);

/** Set what each changed since the one before, and its turn. @p items ascend; texts lie in @p
 * arena.
 *  @param paths    NULL, or those that matter.
 *  @param touched  NULL, or for each whether it changed one of @p paths. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_details(pawl_workspace_checkpoint_info *items,
        size_t n, pawl__state *state, const pawl__paths *paths, bool *touched, pawl__arena *arena,
        pawl_error *err);
