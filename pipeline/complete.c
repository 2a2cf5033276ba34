/* What comes after the gate: the output and its check, or the failure, and the end of the run. */
#include "base/error.h"
#include "base/json_canon.h"
#include "pipeline/object.h"
#include "pipeline/resume.h"

static pawl_status no_pass(pawl_pipeline *pipeline, const pawl_context *ctx)
{
        return pawl__fail(&pipeline->error, PAWL_ESTATE,
                "step %.*s: no pass of this pipeline let it generate; run it first",
                PAWL__STEP(ctx));
}

static pawl_status has_ended(pawl_pipeline *pipeline, const pawl_context *ctx)
{
        return pawl__fail(&pipeline->error, PAWL_ESTATE,
                "step %.*s: has ended since this context passed; run it again to see how",
                PAWL__STEP(ctx));
}

/* May the context's step end now? Only under the claim that it passed under, and once: another
 * context of the step may have ended it. Where a completion is in the log, its append says so. */
static pawl_status may_end(pawl_pipeline *pipeline, pawl_context *ctx, bool fails)
{
        const pawl__claim *claim = pawl__claim_find(pipeline, ctx->run_id);
        pawl__row step;

        if (pipeline->running || !ctx->may_generate || !claim || claim->fence != ctx->fence)
                return no_pass(pipeline, ctx);
        if (pawl__completion_waits(pipeline, ctx))
                return has_ended(pipeline, ctx);
        if (claim->failures == ctx->failures && !fails)
                return PAWL_OK;
        const pawl_status status = pawl__resume_step(&step, 0, ctx);
        if (status) {
                pipeline->error = ctx->error;
                return status;
        }
        return pawl__text_is(step.v[PAWL__STEP_STATUS].text, "running") ? PAWL_OK
                                                                        : has_ended(pipeline, ctx);
}

/* The output's canonical form: the JSON value that it is, or else a string. */
static pawl_status canonical(pawl__buf *out, const char *output, size_t len, pawl_context *ctx)
{
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = pawl__json_canon(out, output, len, &why);

        if (status != PAWL_EPARSE) {
                if (status)
                        pawl__fail(&ctx->error, status, "step %.*s: output: %s", PAWL__STEP(ctx),
                                why.message);
                return status;
        }
        size_t valid = pawl__utf8_span(output, len);
        if (valid < len)
                return pawl__fail(&ctx->error, PAWL_EPARSE,
                        "step %.*s: output: byte %zu is not valid UTF-8; print UTF-8",
                        PAWL__STEP(ctx), valid);
        status = pawl__json_quote(out, pawl__text_n(output, len));
        return status ? pawl__nomem(&ctx->error) : PAWL_OK;
}

static pawl_status set_output(pawl_context *ctx, const char *output, size_t len)
{
        pawl__buf text = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = canonical(&text, output, len, ctx);

        if (!status)
                status = pawl__sha256(ctx->hasher, hash, text.data, text.len, &ctx->error);
        if (!status)
                status = pawl__batch_blob(ctx->batch, hash, pawl__buf_text(&text), &ctx->error);
        if (status) {
                pawl__buf_free(&text);
                return status;
        }
        pawl__buf_free(&ctx->output_buf);
        ctx->output_buf = text;
        ctx->output = pawl__buf_text(&ctx->output_buf);
        pawl__hex(ctx->output_hash, hash, sizeof hash);
        return PAWL_OK;
}

/* Prepare the context for the layers' pass over the output. The decisions on the inputs
 * (strictness, the checkpoint that allowed generation) are kept. */
static void begin_output(pawl_context *ctx)
{
        ctx->phase = PAWL__ON_OUTPUT;
        ctx->token_used = true;
        ctx->blocked = false;
        ctx->conflicts = NULL;
        ctx->n_conflicts = 0;
        ctx->requested = false;
        ctx->questions = 0;
        ctx->answered = false;
}

static pawl_status complete(
        pawl_pipeline *pipeline, pawl_context *ctx, const char *output, size_t len, bool may_assume)
{
        if (may_assume)
                pawl__claim_assume(pipeline, ctx);
        pawl_status status = pawl__claim_take(pipeline, ctx);
        if (status)
                return status;
        if (may_assume)
                pawl__claim_rest(pipeline);
        pawl__pipeline_attach(pipeline, ctx);
        pawl__pipeline_mark(pipeline);
        status = set_output(ctx, output, len);
        if (status)
                return status;
        begin_output(ctx);
        status = pawl__pipeline_pass(
                pipeline, ctx, PAWL__FROM_START, pipeline->options.defer_completion);
        if (status < 0) { /* it may be tried again */
                ctx->phase = PAWL__ON_INPUTS;
                ctx->output = (pawl_text){NULL, 0};
        } else {
                ctx->may_generate = false;
        }
        return status;
}

pawl_status pawl_pipeline_complete(
        pawl_pipeline *pipeline, pawl_context *ctx, const char *output, size_t len)
{
        TRY(pawl__pipeline_usable(pipeline));
        TRY(pawl__context_usable(ctx, &pipeline->error));

        pawl_status status = may_end(pipeline, ctx, false);

        if (status)
                return status;
        ctx->error = (pawl_error)PAWL_ERROR_INIT;
        pipeline->running = ctx->passing = true;
        pipeline->overtaken = false;
        /* A completion that is to wait is not proven soon. */
        status = complete(pipeline, ctx, output, len, !pipeline->options.defer_completion);
        if (status == PAWL_EBUSY && pipeline->overtaken)
                status = complete(pipeline, ctx, output, len, false);
        pipeline->batch.assumes = 0;
        pipeline->running = ctx->passing = false;
        if (status != PAWL_OK && status != PAWL_DONE) {
                pipeline->error = ctx->error;
                pipeline->error.status = status;
        }
        return status;
}

pawl_status pawl_pipeline_failed(
        pawl_pipeline *pipeline, pawl_context *ctx, int exit_code, const char *why)
{
        TRY(pawl__pipeline_usable(pipeline));
        TRY(pawl__context_usable(ctx, &pipeline->error));

        pawl_status status = may_end(pipeline, ctx, true);

        if (status)
                return status;
        status = pawl__claim_take(pipeline, ctx);
        pawl__pipeline_mark(pipeline);
        if (!status) {
                pawl__json_writer *w = pawl__context_payload(ctx);
                pawl__json_member_integer(w, "exit_code", exit_code);
                pawl__json_member_string(w, "input_hash", ctx->input_hash);
                pawl__json_member_string(w, "reason", why ? why : "failed");
                status = pawl__context_emit(ctx, PAWL__STEP_FAILED);
        }
        if (!status)
                status = pawl__pipeline_commit(pipeline, &ctx->error);
        if (status) {
                pawl__pipeline_discard(pipeline);
                pipeline->error = ctx->error;
                return status;
        }
        ctx->may_generate = false;
        pipeline->claims[pipeline->current].failures++;
        return PAWL_OK;
}
