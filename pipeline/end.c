/* The end of a run: its claim, the steps that are open, and its last event. */
#include "base/error.h"
#include "pipeline/object.h"
#include <stdio.h>

static pawl_status emit_end(pawl_pipeline *pipeline, const pawl__claim *claim, const char *reason)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        const pawl_event like = {.mission_id = claim->mission_id,
                .run_id = claim->run_id,
                .session_id = claim->session_id,
                .actor = pipeline->actor};

        pawl__json_open_object(&w);
        if (reason)
                pawl__json_member_string(&w, "reason", reason);
        return pawl__batch_emit(&pipeline->batch, reason ? PAWL__RUN_FAILED : PAWL__RUN_COMPLETED,
                &like, &w, &pipeline->error);
}

enum { NAMED = 3 }; /* open steps that a message names */

/* PAWL_ESTATE, naming them, if steps of the run are open. */
static pawl_status check_steps(pawl_pipeline *pipeline, pawl_text run_id, pawl__arena *arena)
{
        pawl__row *steps;
        size_t n, open = 0;
        char names[3 * 100] = "", more[32] = "";

        TRY(pawl__state_steps(&steps, &n, pipeline->state, run_id, arena, &pipeline->error));
        for (size_t i = 0, len = 0; i < n; i++) {
                const pawl_text is = steps[i].v[PAWL__STEP_STATUS].text;
                if (pawl__text_is(is, "completed") || open++ >= NAMED)
                        continue;
                const pawl_text id = steps[i].v[PAWL__STEP_ID].text;
                len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s (%.*s)",
                        len ? ", " : "", (int)pawl__utf8_cut(id.data, id.len, 64), id.data,
                        PAWL__FMT(is));
        }
        if (open == 0)
                return PAWL_OK;
        if (open > NAMED)
                snprintf(more, sizeof more, " and %zu more", open - NAMED);
        return pawl__fail(&pipeline->error, PAWL_ESTATE,
                "run %.*s: steps are open: %s%s; complete them, or end the run with a reason",
                PAWL__FMT(run_id), names, more);
}

/* The claim on a run that this pipeline has not claimed. */
static pawl_status claim_run(pawl_pipeline *pipeline, const pawl__row *run)
{
        pawl_context *ctx = NULL; /* of no step: it names the run */
        pawl_status status = pawl_context_new(&ctx, run->v[PAWL__RUN_MISSION].text.data,
                run->v[PAWL__RUN_ID].text.data, "end", &pipeline->error);

        if (status)
                return status;
        pawl__pipeline_attach(pipeline, ctx);
        status = pawl__claim_take(pipeline, ctx);
        if (status)
                pipeline->error = ctx->error;
        pawl_context_free(ctx);
        return status;
}

/* PAWL_DONE: the run has ended in that way; PAWL_OK: it has not ended. */
static pawl_status check_run(pawl_pipeline *pipeline, const pawl__row *run, const char *reason)
{
        const pawl_text is = run->v[PAWL__RUN_STATUS].text;

        if (pawl__text_is(is, reason ? "failed" : "completed"))
                return PAWL_DONE;
        if (!pawl__text_is(is, "completed") && !pawl__text_is(is, "cancelled"))
                return PAWL_OK;
        return pawl__fail(&pipeline->error, PAWL_ESTATE, "run %.*s: is %.*s; start another run",
                PAWL__FMT(run->v[PAWL__RUN_ID].text), PAWL__FMT(is));
}

/* A run that failed is open again when one of its steps is. */
static pawl_status check_reopened(pawl_pipeline *pipeline, const pawl__row *run, const char *reason)
{
        if (reason || !pawl__text_is(run->v[PAWL__RUN_STATUS].text, "failed"))
                return PAWL_OK;
        return pawl__fail(&pipeline->error, PAWL_ESTATE,
                "run %.*s: failed; run a step of it again, or start another run",
                PAWL__FMT(run->v[PAWL__RUN_ID].text));
}

static pawl_status record_end(pawl_pipeline *pipeline, pawl_text run_id, const char *reason)
{
        pawl__claim *claim = pawl__claim_find(pipeline, run_id);

        pipeline->current = (size_t)(claim - pipeline->claims);
        pawl__pipeline_mark(pipeline);
        pawl_status status = emit_end(pipeline, claim, reason);
        if (!status)
                status = pawl_pipeline_flush(pipeline);
        if (status) {
                pawl__pipeline_discard(pipeline);
                return status;
        }
        return claim->own ? pawl__claim_release(pipeline, claim) : PAWL_OK;
}

static pawl_status end_run(
        pawl_pipeline *pipeline, pawl_text run_id, const char *reason, pawl__arena *arena)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        pawl_status status =
                pawl__state_get(pipeline->state, PAWL__RUNS, &run, arena, &pipeline->error);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(&pipeline->error, PAWL_ENOTFOUND,
                        "run %.*s: is not in this log; run a step of it first", PAWL__FMT(run_id));
        if (!status)
                status = check_run(pipeline, &run, reason);
        if (!status && !pawl__claim_find(pipeline, run_id))
                status = claim_run(pipeline, &run);
        if (!status && !reason)
                status = check_steps(pipeline, run_id, arena);
        if (!status)
                status = check_reopened(pipeline, &run, reason);
        return status ? status : record_end(pipeline, run_id, reason);
}

pawl_status pawl_pipeline_end_run(pawl_pipeline *pipeline, const char *run_id, const char *reason)
{
        TRY(pawl__pipeline_usable(pipeline));

        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_status status;

        if (pipeline->running)
                return pawl__pipeline_no_claim(pipeline, pawl__text(run_id));
        const bool held = pawl__claim_find(pipeline, pawl__text(run_id));
        status = pawl_pipeline_flush(pipeline);
        if (!status)
                status = end_run(pipeline, pawl__text(run_id), reason, &arena);
        pawl__arena_free(&arena);
        pawl__claim *claim = held ? NULL : pawl__claim_find(pipeline, pawl__text(run_id));
        if (claim) { /* taken for this alone */
                const pawl_error why = pipeline->error;
                (void)pawl__claim_release(pipeline, claim);
                pipeline->error = why;
        }
        return status == PAWL_DONE ? PAWL_OK : status;
}
