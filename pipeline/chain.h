/**
 * @file pipeline/chain.h
 * @brief What the mission runner needs of a pipeline beyond the public calls.
 */
#pragma once

#include "pipeline/context.h"
#include "pipeline/signed.h"
#include "state/forked.h"

/** The batch that the next commit appends; the runner adds run and session events to it. */
pawl__batch *pawl__pipeline_batch(pawl_pipeline *pipeline);

/** Use a run that the caller has claimed and owns under @p fence. Both texts must outlive the
 *  pipeline. Claim, adopt, then load the senses: passes see what is appended after this call. */
void pawl__pipeline_adopt(
        pawl_pipeline *pipeline, pawl_text run_id, pawl_text session_id, uint64_t fence);

/** Use these senses and versions instead of loading any; they must outlive the pipeline. Passes add
 *  the answers that this and other sessions give meanwhile, but for those that are @p hidden (NULL:
 *  none). */
void pawl__pipeline_use_glossary(pawl_pipeline *pipeline, pawl__glossary *glossary,
        const pawl__scope_ref *refs, size_t n_refs, const pawl__hidden *hidden);

/** From now on the answers alone count that this says; it must outlive the pipeline. Nobody is
 * asked in a pass: what is said there is not signed. Before the first pass. */
void pawl__pipeline_require_signed(pawl_pipeline *pipeline, pawl__trust *trust);

/** Whether passes from now on ask for answers, as the pipeline's options say (which is so at
 * first), or defer all questions. */
void pawl__pipeline_ask(pawl_pipeline *pipeline, bool ask);

/** Whether passes from now on that let their step generate stay in the batch, uncommitted (at first
 *  they do not): then pawl__pipeline_settle() is due before the step generates, so that those that
 *  begin together are one commit. */
void pawl__pipeline_hold(pawl_pipeline *pipeline, bool hold);
/** Commit what the context's pass put into the batch, with all else there, unless that was done.
 *  Why not: in pawl__pipeline_error(). */
PAWL_MUST_CHECK pawl_status pawl__pipeline_settle(pawl_pipeline *pipeline, pawl_context *ctx);

pawl_error *pawl__pipeline_error(pawl_pipeline *pipeline);
