/**
 * @file pipeline/chain.h
 * @brief A pipeline from inside: what the mission runner needs beside the public calls.
 */
#ifndef PAWL_PIPELINE_CHAIN_H
#define PAWL_PIPELINE_CHAIN_H

#include "pipeline/context.h"

/** The batch that the next commit appends; the runner adds run and session events to it. */
pawl__batch *pawl__pipeline_batch(pawl_pipeline *pipeline);

/** The run was claimed by the caller, who owns it under @p fence. Both texts must outlive the
 *  pipeline. Claim, adopt, then load the senses: what is appended after this is seen by the passes.
 */
void pawl__pipeline_adopt(
        pawl_pipeline *pipeline, pawl_text run_id, pawl_text session_id, uint64_t fence);

/** Use these senses and versions, which the caller keeps, in place of loading any. Passes add what
 *  this and other sessions answer meanwhile. */
void pawl__pipeline_use_glossary(pawl_pipeline *pipeline, pawl__glossary *glossary,
        const pawl__scope_ref *refs, size_t n_refs);

pawl_error *pawl__pipeline_error(pawl_pipeline *pipeline);

#endif
