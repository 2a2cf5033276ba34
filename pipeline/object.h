/**
 * @file pipeline/object.h
 * @brief The private parts of a pipeline: its layers, its claims on runs, and its batch.
 */
#pragma once

#include "glossary/seed.h"
#include "pipeline/chain.h"

/** A run that the pipeline writes to. */
typedef struct pawl__claim {
        pawl__arena arena;
        pawl_text run_id, mission_id, session_id; /**< mission_id absent: adopted, not met yet */
        uint64_t fence;
        bool own;                 /**< claimed by the pipeline, which releases it */
        bool borrowed;            /**< glossary is the caller's */
        pawl__glossary *glossary; /**< NULL: not loaded yet */
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX];
        size_t n_refs;
        const pawl__hidden *hidden; /**< what the glossary leaves out; NULL: nothing */
        uint64_t seen;              /**< the glossary holds all that the log says up to this seq */
        uint64_t failures;          /**< StepFailed events that the pipeline recorded for it */
} pawl__claim;

struct pawl_pipeline {
        pawl_log *log;
        pawl__state *state;
        pawl_error error;
        pawl__arena arena; /**< lives as long as the pipeline */
        pawl_pipeline_options options;
        pawl_text actor;
        pawl_layer *layers;
        size_t n_layers, cap_layers;
        pawl__seed seeds[PAWL__SCOPES_N];
        size_t n_seeds;
        pawl__claim *claims;
        size_t n_claims, cap_claims;
        size_t current; /**< whose events the batch holds; n_claims: nobody's */
        pawl__glossary *borrowed;
        pawl__scope_ref borrowed_refs[PAWL__SCOPE_REFS_MAX];
        size_t n_borrowed_refs;
        const pawl__hidden *borrowed_hidden;
        pawl__trust *trust; /**< the caller's: which answers count; NULL: all do */
        pawl__batch batch;
        size_t mark, mark_blobs; /**< of the batch, that were there before the pass began */
        bool running;            /**< a pass is under way */
        bool overtaken;          /**< the last commit failed since others wrote first */
        bool silent;             /**< nobody is asked for answers in a pass */
        bool holds;              /**< a pass that ends well is committed by who asked for it */
};

/** The first line of every public function that takes a pipeline: as pawl__log_usable(). */
PAWL_MUST_CHECK pawl_status pawl__pipeline_usable(pawl_pipeline *pipeline);

/* ---- claim.c -------------------------------------------------------------------------------- */

/** The pipeline's claim on the context's run, or NULL. */
pawl__claim *pawl__claim_find(pawl_pipeline *pipeline, pawl_text run_id);

/**
 * Make the context's run the current one: claimed, started if the log has no such run, and its
 * senses those that hold now. What the batch holds of another run is committed first.
 * Why it failed is in ctx->error. PAWL_EHELD; PAWL_ESTATE: the run has completed; PAWL_EINVAL: it
 * is another mission's.
 */
PAWL_MUST_CHECK pawl_status pawl__claim_take(pawl_pipeline *pipeline, pawl_context *ctx);

/**
 * Let a pass over the context depend on what this pipeline knows of the log, without asking whether
 * others have written since: the seq of its last event, which the batch assumes from now on. A
 * commit that finds behind it what the pass should have seen sets pipeline->overtaken, and the pass
 * is to be made again. 0: that is not possible, pawl__claim_take() asks.
 */
uint64_t pawl__claim_assume(pawl_pipeline *pipeline, const pawl_context *ctx);

/** The same of a run that was taken, as the log was then. */
void pawl__claim_rest(pawl_pipeline *pipeline);

/** PAWL_ESTATE, in pipeline->error: the run is not this pipeline's. */
pawl_status pawl__pipeline_no_claim(pawl_pipeline *pipeline, pawl_text run_id);

/** Drop a claim without releasing the run. Pointers to other claims become invalid. */
void pawl__claim_drop(pawl_pipeline *pipeline, pawl__claim *claim);

/** Release the run of a claim of the pipeline's own, and drop the claim; a failure is in
 *  pipeline->error, and the lease expires then. */
pawl_status pawl__claim_release(pawl_pipeline *pipeline, pawl__claim *claim);

/** Load what was added to the current run's senses since; with @p refs other than its own, load
 *  the senses of those instead. A failure is in @p err. */
PAWL_MUST_CHECK pawl_status pawl__claim_reload(pawl_pipeline *pipeline, pawl__claim *claim,
        const pawl__scope_ref *refs, size_t n_refs, pawl_error *err);

/* ---- batch.c -------------------------------------------------------------------------------- */

/** Commit what the batch holds, under the current claim. Nothing to commit is PAWL_OK. A stale
 * fence empties the batch and drops the claim, if it was the pipeline's own: the run is another's
 * now. */
PAWL_MUST_CHECK pawl_status pawl__pipeline_commit(pawl_pipeline *pipeline, pawl_error *err);

/** What the batch holds now is to be kept if what comes fails. */
void pawl__pipeline_mark(pawl_pipeline *pipeline);

/** Forget what came since the mark or the last commit; a completion of an earlier pass that was
 *  deferred goes on waiting. */
void pawl__pipeline_discard(pawl_pipeline *pipeline);

/* ---- chain.c -------------------------------------------------------------------------------- */

/** Attach the context to the pipeline and its current claim. */
void pawl__pipeline_attach(pawl_pipeline *pipeline, pawl_context *ctx);

/** The standard layer that a pass begins at. */
typedef enum pawl__first_layer {
        PAWL__FROM_START,
        PAWL__FROM_CLARIFICATION,
        PAWL__FROM_RESUME
} pawl__first_layer;

/**
 * Pass the context through the layers from there on, record the completion if it is about the
 * output and nothing blocks it, and commit; what ends well waits in the batch if @p keep. After
 * a failure the batch is as it was when the pass began (pipeline->mark), less what was committed on
 * the way.
 * @return PAWL_OK, PAWL_BLOCKED, PAWL_DONE or a failure; ctx->error says why for all but the first
 *         and PAWL_DONE.
 */
PAWL_MUST_CHECK pawl_status pawl__pipeline_pass(
        pawl_pipeline *pipeline, pawl_context *ctx, pawl__first_layer entry, bool keep);

/** Does this step's StepCompleted wait in the batch? Then the state does not know of it yet. */
bool pawl__completion_waits(const pawl_pipeline *pipeline, const pawl_context *ctx);

/** The index of the layer of that name, or n_layers. */
size_t pawl__pipeline_index(const pawl_pipeline *pipeline, const char *name);

/* ---- complete.c ----------------------------------------------------------------------------- */

/** StepCompleted into the batch. */
PAWL_MUST_CHECK pawl_status pawl__complete_record(pawl_context *ctx);
