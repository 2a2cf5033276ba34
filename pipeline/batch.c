/* The pipeline's batch, the events that wait for the next commit, and its commit; the claims, and
 * what a lost one takes with it. */
#include "base/error.h"
#include "pipeline/object.h"

pawl_status pawl__pipeline_usable(pawl_pipeline *pipeline)
{
        return pipeline ? pawl__log_usable(pipeline->log, &pipeline->error) : PAWL_EINVAL;
}

void pawl__pipeline_mark(pawl_pipeline *pipeline)
{
        pipeline->mark = pipeline->batch.n;
        pipeline->mark_blobs = pipeline->batch.n_blobs;
}

void pawl__pipeline_discard(pawl_pipeline *pipeline)
{
        if (pipeline->mark == 0 && pipeline->mark_blobs == 0) {
                pawl__batch_clear(&pipeline->batch);
                return;
        }
        pipeline->batch.assumes = 0;
        pipeline->batch.n = pipeline->mark;
        pipeline->batch.n_blobs = pipeline->mark_blobs;
}

pawl__batch *pawl__pipeline_batch(pawl_pipeline *pipeline)
{
        return &pipeline->batch;
}

/* Another process owns the claim's run now: drop the events that wait for it. */
static void fenced(pawl_pipeline *pipeline, pawl__claim *claim)
{
        if (!claim || (size_t)(claim - pipeline->claims) == pipeline->current) {
                pawl__batch_clear(&pipeline->batch);
                pawl__pipeline_mark(pipeline);
        }
        if (claim && claim->own)
                pawl__claim_drop(pipeline, claim);
}

pawl_status pawl__pipeline_commit(pawl_pipeline *pipeline, pawl_error *err)
{
        pawl__claim *claim = NULL;
        size_t n = pipeline->batch.n;
        const uint64_t assumes = pipeline->batch.assumes;
        uint64_t seq = 0;

        if (n == 0 && pipeline->batch.n_blobs == 0 && !pipeline->batch.prepare)
                return PAWL_OK;
        if (pipeline->current < pipeline->n_claims)
                claim = &pipeline->claims[pipeline->current];
        const bool deferred =
                pipeline->batch.prepare && pipeline->batch.n > pipeline->batch.n_before;
        pawl_status status =
                pawl__log_commit(pipeline->log, &pipeline->batch, claim ? claim->fence : 0, &seq);
        pipeline->overtaken = status && pipeline->batch.overtaken;
        if (status && status != PAWL_EFENCED && !pipeline->overtaken && deferred &&
                pipeline->batch.prepare_between) {
                /* maybe because of its prepare hook: try without; whoever set the hook checks */
                pipeline->batch.prepare = NULL;
                pipeline->batch.prepare_between = false;
                status = pawl__log_commit(
                        pipeline->log, &pipeline->batch, claim ? claim->fence : 0, &seq);
        }
        if (status) {
                *err = *pawl__log_error(pipeline->log);
                if (status == PAWL_EFENCED)
                        fenced(pipeline, claim);
                return status;
        }
        pawl__pipeline_mark(pipeline);
        /* Nobody else appended, or nothing that changes senses; our own are loaded. */
        if (claim && (claim->seen + n == seq || (assumes && claim->seen == assumes)))
                claim->seen = seq;
        return PAWL_OK;
}

pawl_status pawl_pipeline_flush(pawl_pipeline *pipeline)
{
        TRY(pawl__pipeline_usable(pipeline));

        return pawl__pipeline_commit(pipeline, &pipeline->error);
}

pawl_status pawl_pipeline_renew(pawl_pipeline *pipeline, const char *run_id)
{
        TRY(pawl__pipeline_usable(pipeline));

        pawl__claim *claim = pawl__claim_find(pipeline, pawl__text(run_id));

        if (pipeline->running || !claim)
                return pawl__pipeline_no_claim(pipeline, pawl__text(run_id));
        pawl_status status = pawl_log_renew(pipeline->log, run_id, claim->fence);
        if (status)
                pipeline->error = *pawl__log_error(pipeline->log);
        if (status == PAWL_EFENCED)
                fenced(pipeline, claim);
        return status;
}

pawl__claim *pawl__claim_find(pawl_pipeline *pipeline, pawl_text run_id)
{
        for (size_t i = 0; i < pipeline->n_claims; i++)
                if (pawl__text_eq(pipeline->claims[i].run_id, run_id))
                        return &pipeline->claims[i];
        return NULL;
}

pawl_status pawl__pipeline_no_claim(pawl_pipeline *pipeline, pawl_text run_id)
{
        return pawl__fail(&pipeline->error, PAWL_ESTATE,
                "run %.*s: this pipeline has not claimed it; pass a step of it first",
                PAWL__FMT(run_id));
}

static void clear(pawl__claim *claim)
{
        if (!claim->borrowed)
                pawl__glossary_free(claim->glossary);
        pawl__arena_free(&claim->arena);
}

void pawl__claim_drop(pawl_pipeline *pipeline, pawl__claim *claim)
{
        size_t at = (size_t)(claim - pipeline->claims), last = pipeline->n_claims - 1;

        clear(claim);
        pipeline->claims[at] = pipeline->claims[last];
        pipeline->n_claims = last;
        if (pipeline->current == last && at != last) /* what it holds is another's, which moved */
                pipeline->current = at;
        else if (pipeline->current == at || pipeline->current > last)
                pipeline->current = last; /* nobody's: its events are committed or forgotten */
}

pawl_status pawl__claim_release(pawl_pipeline *pipeline, pawl__claim *claim)
{
        /* its texts end with a NUL */
        pawl_status status = pawl_log_release(pipeline->log, claim->run_id.data, claim->fence);

        if (status)
                pipeline->error = *pawl__log_error(pipeline->log);
        pawl__claim_drop(pipeline, claim);
        return status;
}
