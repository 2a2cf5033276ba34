/**
 * @file workspace/store/history.h
 * @brief How a run's completed steps came to be, as one document: what an archive takes along so
 *        that another log, which has not the run's events, knows its state at each checkpoint.
 *
 * {"mission_id","run_id","changes":[{"seq","step_id","input_hash","output_hash"}]}, canonical, by
 * seq: from that event on the step was completed, with these hashes or, without them, no more.
 */
#pragma once

#include "workspace/store/run_state.h"

/** A run's, up to the event @p until. PAWL_ENOTFOUND, without a message: there was no such run. */
PAWL_MUST_CHECK pawl_status pawl__run_history(
        pawl__buf *out, pawl__state *state, pawl_text run_id, uint64_t until, pawl_error *err);

/** The run's state (workspace/store/run_state.h) right after the event @p seq of the log that the
 * history is from. PAWL_EDAMAGED for a document that is none. */
PAWL_MUST_CHECK pawl_status pawl__history_state(
        pawl__buf *out, pawl_text history, uint64_t seq, pawl_error *err);
