/**
 * @file workspace/at.h
 * @brief Where a workspace stood at an earlier place of the log.
 */
#pragma once

#include "state/state.h"

/** The checkpoint that it stood at after the event @p seq: the log's own workspace, or, with a
 *  @p run_id, the one that the run has for itself, which began with number @p from. PAWL_ENOTFOUND
 *  without a message. */
PAWL_MUST_CHECK pawl_status pawl__workspace_at(pawl__row *out, pawl__state *state, pawl_text run_id,
        uint64_t from, uint64_t seq, pawl__arena *arena, pawl_error *err);
