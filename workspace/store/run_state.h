/**
 * @file workspace/store/run_state.h
 * @brief A run's state and outputs as JSON documents: what a checkpoint keeps of the mission.
 */
#pragma once

#include "base/json_write.h"
#include "state/state.h"

/**
 * {"mission_id","run_id","steps":{STEP:{"status","input_hash","output_hash"}}} of the steps that
 * were completed right after the event @p seq (UINT64_MAX: that are), canonical.
 * @return PAWL_ENOTFOUND, without a message, for a run that the log did not have then.
 */
PAWL_MUST_CHECK pawl_status pawl__run_state(
        pawl__buf *out, pawl__state *state, pawl_text run_id, uint64_t seq, pawl_error *err);

/** Append what the writer holds in canonical form; the writer is freed. */
PAWL_MUST_CHECK pawl_status pawl__document_end(
        pawl__buf *out, pawl__json_writer *w, pawl_error *err);

/* Such a document, piece by piece: its beginning, a step that is completed, its end, appended in
 * canonical form. */
void pawl__run_state_open(pawl__json_writer *w, pawl_text mission_id, pawl_text run_id);
void pawl__run_state_step(pawl__json_writer *w, pawl_text id, pawl_text input, pawl_text output);
PAWL_MUST_CHECK pawl_status pawl__run_state_close(
        pawl__buf *out, pawl__json_writer *w, pawl_error *err);

/** Is @p document one of those, of that run? */
bool pawl__run_state_is(pawl_text document, pawl_text run_id);

/** The outputs that such a document names, {STEP: OUTPUT}, canonical; one that the log does not
 * have (any more) is left out. */
PAWL_MUST_CHECK pawl_status pawl__run_outputs(
        pawl__buf *out, pawl_log *log, pawl_text document, pawl_error *err);
