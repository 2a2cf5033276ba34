/**
 * @file workspace/run_state.h
 * @brief A run's state and outputs as JSON documents: what a checkpoint keeps of the mission.
 */
#ifndef PAWL_WORKSPACE_RUN_STATE_H
#define PAWL_WORKSPACE_RUN_STATE_H

#include "state/state.h"

/** A step that is completed, but whose event waits in a batch still. Absent ids: there is none. */
typedef struct pawl__last_step {
        pawl_text step_id, input_hash, output_hash;
} pawl__last_step;

/**
 * {"mission_id","run_id","steps":{STEP:{"status","input_hash","output_hash"}}} of the steps that
 * are completed, canonical.
 * @param last may be NULL.
 * @param[out] completed how many steps are.
 * @return PAWL_ENOTFOUND, without a message, for a run that the log does not have.
 */
PAWL_MUST_CHECK pawl_status pawl__run_state(pawl__buf *out, size_t *completed, pawl__state *state,
        pawl_text run_id, const pawl__last_step *last, pawl_error *err);

/** Is @p document one of those, of that run? */
bool pawl__run_state_is(pawl_text document, pawl_text run_id);

/** The outputs that such a document names, {STEP: OUTPUT}, canonical; one that the log does not
 * have (any more) is left out. */
PAWL_MUST_CHECK pawl_status pawl__run_outputs(
        pawl__buf *out, pawl_log *log, pawl_text document, pawl_error *err);

#endif
