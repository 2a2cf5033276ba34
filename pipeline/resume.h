/**
 * @file pipeline/resume.h
 * @brief What layer 5 and the chain share: loading the token's checkpoint, and a recorded output.
 */
#pragma once

#include "pipeline/context.h"

/** Load the checkpoint of that token into ctx->asked_for, and see that it is this step's.
 *  Reads only. PAWL_ENOTFOUND; PAWL_EINVAL: another mission's, run's or step's. */
PAWL_MUST_CHECK pawl_status pawl__resume_load(pawl_context *ctx, pawl_text token);

/** The step's newest checkpoint into ctx->asked_for, from its row, which has a token; and whether
 *  that token is spent. Reads only. */
PAWL_MUST_CHECK pawl_status pawl__resume_load_newest(pawl_context *ctx, const pawl__row *step);

/** The step, whose row this is, has completed. PAWL_DONE with its output if its inputs were the
 *  context's, or are not known; PAWL_EINPUTS if others, and nobody accepts that; else PAWL_OK: it
 * is to pass again. */
PAWL_MUST_CHECK pawl_status pawl__resume_completed(pawl_context *ctx, const pawl__row *step);

/** The step's row in the state; PAWL_ENOTFOUND, without a message, when it never started. @p at: as
 *  pawl__state_known() has it, or PAWL_DONE; 0: as it is. */
PAWL_MUST_CHECK pawl_status pawl__resume_step(pawl__row *row, uint64_t at, pawl_context *ctx);

/** The output kept under @p hash, into ctx->output. PAWL_EDAMAGED when it is not there. */
PAWL_MUST_CHECK pawl_status pawl__resume_output(pawl_context *ctx, pawl_text hash);
