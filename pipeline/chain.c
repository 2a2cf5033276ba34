/* The chain: the layers in their order, one pass of a context through them, and its one commit. */
#include "base/error.h"
#include "pipeline/gate.h"
#include "pipeline/layers.h"
#include "pipeline/object.h"
#include "pipeline/resume.h"

/* How often a pass may go back: the token, the answers, and an answer that came in between for each
 * of a burst's questions. More is a layer that goes in circles. */
enum { MAX_JUMPS = 8 };

static pawl_status wait(pawl_context *ctx)
{
        TRY(pawl__pipeline_commit(ctx->wait_user, &ctx->error));
        ctx->is_new = false;
        ctx->answer_waits = false;
        ctx->checkpoint_waits = false;
        ctx->committed = ctx->checkpoint;
        return PAWL_OK;
}

static pawl_status reload(pawl_context *ctx)
{
        pawl_pipeline *pipeline = ctx->wait_user;
        pawl__claim *claim = &pipeline->claims[pipeline->current];

        TRY(pawl__claim_reload(pipeline, claim, ctx->scope_refs, ctx->n_scope_refs, &ctx->error));
        ctx->glossary = claim->glossary;
        ctx->scope_refs = claim->refs;
        return PAWL_OK;
}

void pawl__pipeline_ask(pawl_pipeline *pipeline, bool ask)
{
        pipeline->silent = !ask;
}

void pawl__pipeline_hold(pawl_pipeline *pipeline, bool hold)
{
        pipeline->holds = hold;
}

pawl_status pawl__pipeline_settle(pawl_pipeline *pipeline, pawl_context *ctx)
{
        const pawl_status status = wait(ctx);

        if (status) {
                pipeline->error = ctx->error;
                pipeline->error.status = status;
        }
        return status;
}

void pawl__pipeline_attach(pawl_pipeline *pipeline, pawl_context *ctx)
{
        const pawl__claim *claim = pawl__claim_find(pipeline, ctx->run_id);

        ctx->log = pipeline->log;
        ctx->state = pipeline->state;
        ctx->batch = &pipeline->batch;
        ctx->wait = wait;
        ctx->wait_user = pipeline;
        ctx->reload = reload;
        ctx->sources = pawl__log_sources(pipeline->log);
        const bool asks =
                !pipeline->silent && !pipeline->trust; /* what is said here is not signed */
        ctx->trust = pipeline->trust;
        ctx->clarify = asks ? pipeline->options.clarify : NULL;
        ctx->clarify_terms = asks ? pipeline->options.clarify_terms : NULL;
        ctx->clarify_user = pipeline->options.clarify_user;
        ctx->confirm = pipeline->options.confirm;
        ctx->confirm_user = pipeline->options.confirm_user;
        ctx->store_inputs = ctx->store_inputs && pipeline->options.store_inputs;
        if (!ctx->actor.data)
                ctx->actor = pipeline->actor;
        if (!claim)
                return;
        ctx->glossary = claim->glossary;
        ctx->scope_refs = claim->refs;
        ctx->n_scope_refs = claim->n_refs;
        if (!ctx->session_id.data)
                ctx->session_id = claim->session_id;
}

/* ---- A pass --------------------------------------------------------------------------------- */

static size_t first_layer(const pawl_pipeline *pipeline, pawl__first_layer entry)
{
        switch (entry) {
        case PAWL__FROM_CLARIFICATION:
                return pawl__pipeline_index(pipeline, pawl__layer_clarification.name);
        case PAWL__FROM_RESUME:
                return pawl__pipeline_index(pipeline, pawl__layer_resume.name);
        case PAWL__FROM_START:
                break;
        }
        return 0;
}

/* Where a jump goes on. Behind the gate that is the next layer, so that users' layers there have
 * their say on every way to generation. */
static size_t target(const pawl_pipeline *pipeline, pawl__cursor_at cursor)
{
        size_t gate = pawl__pipeline_index(pipeline, pawl__layer_gate.name);

        switch (cursor) {
        case PAWL__AT_START:
                return 0;
        case PAWL__AT_POST_GATE:
                return gate + 1;
        case PAWL__AT_PRE_GENERATION_GATE:
        case PAWL__AT_POST_CLARIFICATION:
        case PAWL__AT_POST_GENERATION:
                break;
        }
        return gate;
}

/* A program's own layer blocks the step. After the gate, a checkpoint makes the step resumable: it
 * goes through that layer again. (A layer before the gate would be skipped by such a resume: there
 * the step is started again.) */
static pawl_status blocked_by_layer(pawl_pipeline *pipeline, pawl_context *ctx, size_t at)
{
        const pawl__cursor_at cursor = ctx->phase == PAWL__ON_OUTPUT ? PAWL__AT_POST_GENERATION
                                                                     : PAWL__AT_PRE_GENERATION_GATE;
        const char *name = pipeline->layers[at].name;
        const pawl_error why = ctx->error;
        const char *reason = why.status == PAWL_BLOCKED && *why.message ? why.message : NULL;
        pawl_status status = PAWL_OK;

        if (at > pawl__pipeline_index(pipeline, pawl__layer_gate.name))
                status = pawl__gate_checkpoint(ctx, cursor);
        if (!status)
                status = pawl__gate_blocked_by(ctx, name, reason);
        return status ? status
                      : pawl__fail(&ctx->error, PAWL_BLOCKED,
                                "step %.*s: blocked by layer %s%s%s; run it again when that layer "
                                "lets it pass",
                                PAWL__STEP(ctx), name, reason ? ": " : "", reason ? reason : "");
}

static pawl_status blocked_by_conflicts(pawl_context *ctx)
{
        size_t n = ctx->n_conflicts;

        return pawl__fail(&ctx->error, PAWL_BLOCKED,
                "step %.*s: blocked by %zu unresolved conflict%s; answer, then run it again",
                PAWL__STEP(ctx), n, n == 1 ? "" : "s");
}

static pawl_status layer_failed(pawl_context *ctx, const pawl_layer *layer, pawl_status status)
{
        if (status >= 0)
                return pawl__fail(&ctx->error, PAWL_EINVAL,
                        "layer %s: gave the verdict %d, which there is not; give one that "
                        "pawl_layer names",
                        layer->name, (int)status);
        if (!ctx->error.message[0])
                pawl__fail(&ctx->error, status, "step %.*s: layer %s failed (%s); try again",
                        PAWL__STEP(ctx), layer->name, pawl_status_name(status));
        return status;
}

static pawl_status pass(pawl_pipeline *pipeline, pawl_context *ctx, pawl__first_layer entry)
{
        const size_t prompts = pawl__pipeline_index(pipeline, pawl__layer_clarification.name);
        size_t at = first_layer(pipeline, entry), jumps = 0;

        while (at < pipeline->n_layers) {
                const pawl_layer *layer = &pipeline->layers[at];
                pawl_status status = layer->process(layer, ctx);
                switch (status) {
                case PAWL_OK:
                        at++;
                        break;
                case PAWL_BLOCKED:
                        if (ctx->n_conflicts == 0)
                                return blocked_by_layer(pipeline, ctx, at);
                        if (at >= prompts)
                                return blocked_by_conflicts(ctx);
                        at++; /* the gate and the clarification still record and ask what blocks */
                        break;
                case PAWL_JUMP:
                        if (++jumps > MAX_JUMPS)
                                return pawl__fail(&ctx->error, PAWL_ESTATE,
                                        "step %.*s: layer %s goes in circles; let it go on",
                                        PAWL__STEP(ctx), layer->name);
                        at = target(pipeline, ctx->cursor);
                        break;
                case PAWL_DONE:
                        return PAWL_DONE;
                default:
                        return layer_failed(ctx, layer, status);
                }
        }
        return ctx->blocked ? blocked_by_conflicts(ctx) : PAWL_OK;
}

pawl_status pawl__pipeline_pass(
        pawl_pipeline *pipeline, pawl_context *ctx, pawl__first_layer entry, bool keep)
{
        for (;;) {
                pawl_status verdict = pass(pipeline, ctx, entry), status;
                if (verdict == PAWL_OK && ctx->phase == PAWL__ON_OUTPUT)
                        verdict = pawl__complete_record(ctx);
                if (verdict == PAWL_OK && keep && !ctx->answer_waits)
                        return PAWL_OK;
                if (verdict >= 0 && (status = wait(ctx))) {
                        if (status == PAWL_EEXISTS && ctx->answer_waits) {
                                /* Another session answered first: its answer stands. */
                                ctx->answer_waits = false;
                                ctx->reply = (pawl_text){NULL, 0};
                                pawl__batch_clear(&pipeline->batch);
                                ctx->blocked = true;
                                entry = PAWL__FROM_CLARIFICATION;
                                verdict = reload(ctx);
                                if (verdict == PAWL_OK)
                                        continue;
                        } else {
                                verdict = status;
                        }
                }
                if (verdict < 0) {
                        pawl__pipeline_discard(pipeline);
                        if (ctx->checkpoint_waits) /* its token is none that the log knows */
                                ctx->checkpoint = ctx->committed;
                        ctx->checkpoint_waits = false;
                }
                return verdict;
        }
}

static void write_ids(pawl__json_writer *w, const char *name, const pawl__row *rows, size_t n)
{
        pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++)
                if (!pawl__text_is(rows[i].v[PAWL__STEP_STATUS].text, "skipped"))
                        pawl__json_text(w, rows[i].v[PAWL__STEP_ID].text);
        pawl__json_close_array(w);
}

/* A completed step is pending again, as its inputs are others: RunMissionChanged. */
static pawl_status make_pending(pawl_context *ctx)
{
        const pawl__row own = {.v[PAWL__STEP_ID].text = ctx->step_id};
        pawl_event event = pawl__context_event(ctx, PAWL__RUN_MISSION_CHANGED);
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__row *steps;
        size_t n;

        TRY(pawl__state_steps(&steps, &n, ctx->state, ctx->run_id, &ctx->pass, &ctx->error));
        event.step_id = (pawl_text){NULL, 0};
        pawl__json_open_object(&w);
        pawl__json_name(&w, "changes");
        pawl__json_open_array(&w);
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "change", "inputs");
        pawl__json_member_text(&w, "step_id", ctx->step_id);
        pawl__json_close_object(&w);
        pawl__json_close_array(&w);
        write_ids(&w, "rerun", &own, 1);
        write_ids(&w, "steps", steps, n);
        return pawl__batch_emit(ctx->batch, PAWL__RUN_MISSION_CHANGED, &event, &w, &ctx->error);
}

/* StepStarted, and the inputs, so that a refused resume can say what changed. */
static pawl_status start(pawl_context *ctx)
{
        pawl_status status = pawl__context_keep_inputs(ctx);

        if (!status && ctx->reruns)
                status = make_pending(ctx);
        if (status)
                return status;
        pawl__json_member_string(pawl__context_payload(ctx), "input_hash", ctx->input_hash);
        return pawl__context_emit(ctx, PAWL__STEP_STARTED);
}

bool pawl__completion_waits(const pawl_pipeline *pipeline, const pawl_context *ctx)
{
        const char *name = pawl__event_def_of(PAWL__STEP_COMPLETED)->name;

        for (size_t i = 0; i < pipeline->batch.n; i++) {
                const pawl_event *event = &pipeline->batch.events[i];
                if (pawl__text_is(event->type, name) && pawl__text_eq(event->run_id, ctx->run_id) &&
                        pawl__text_eq(event->step_id, ctx->step_id))
                        return true;
        }
        return false;
}

/* The step's row; where the pass @p may assume it, as this pipeline knows it. But what has
 * completed is read: no commit would prove it. */
static pawl_status step_row(
        pawl__row *step, pawl_pipeline *pipeline, pawl_context *ctx, bool may_assume)
{
        pawl_status status = PAWL_DONE;

        if (may_assume && pawl__claim_assume(pipeline, ctx))
                status = pawl__resume_step(step, pipeline->batch.assumes, ctx);
        if (status == PAWL_OK && pawl__text_is(step->v[PAWL__STEP_STATUS].text, "completed"))
                status = PAWL_DONE;
        return status == PAWL_DONE ? pawl__resume_step(step, 0, ctx) : status;
}

/* The checkpoint that the pass resumes from: that of another token that is given, else
 * the step's newest. A step that
 * was put back to pending starts anew. */
static pawl_status find_checkpoint(pawl_context *ctx, const pawl__row *step)
{
        const pawl_text newest = step->v[PAWL__STEP_TOKEN].text;
        const char *asked = ctx->asked_for.retry_token;

        if (!newest.data || (*asked && !pawl__text_is(newest, asked)) ||
                pawl__text_is(step->v[PAWL__STEP_STATUS].text, "pending"))
                return PAWL_OK;
        return pawl__resume_load_newest(ctx, step);
}

static pawl_status check_completed(pawl_context *ctx, const pawl__row *step)
{
        bool left_out = false;
        const pawl_status status =
                pawl__trust_completed(&left_out, ctx->trust, step, ctx->question, &ctx->error);

        return status || !left_out
                       ? status
                       : pawl__fail(&ctx->error, PAWL_EDAMAGED,
                                 "run %.*s: step %.*s was left out meanwhile, although it is to "
                                 "run; put back a copy of the log, or start a new run",
                                 PAWL__FMT(ctx->run_id), PAWL__STEP(ctx));
}

/* PAWL_DONE with the recorded output if the step has completed with these inputs, PAWL_EINPUTS if
 * with others that nobody accepts; reads only, but for a completion that waited. An unknown token
 * is found out here, before anything is claimed or written. */
static pawl_status recorded(pawl_pipeline *pipeline, pawl_context *ctx, bool may_assume)
{
        pawl__row step;
        pawl_status status = PAWL_OK;

        if (pawl__completion_waits(pipeline, ctx))
                status = pawl__pipeline_commit(pipeline, &ctx->error);
        if (!status && ctx->token[0])
                status = pawl__resume_load(ctx, pawl__text(ctx->token));
        if (status)
                return status;
        status = step_row(&step, pipeline, ctx, may_assume && !ctx->token[0]);
        ctx->is_new = status == PAWL_ENOTFOUND; /* it never started */
        if (ctx->is_new)
                return PAWL_OK;
        if (!status)
                status = find_checkpoint(ctx, &step);
        if (ctx->asked_for.retry_token[0])
                pipeline->batch.assumes = 0;
        if (status || !pawl__text_is(step.v[PAWL__STEP_STATUS].text, "completed"))
                return status;
        if (ctx->trust && (status = check_completed(ctx, &step)))
                return status;
        return pawl__resume_completed(ctx, &step);
}

/* PAWL_OK when the context's run is the pipeline's. What the pass goes by was read before the run
 * was claimed, and another process may have had it in between: then it is read again. */
static pawl_status claim_run(pawl_pipeline *pipeline, pawl_context *ctx)
{
        const bool held = pawl__claim_find(pipeline, ctx->run_id) != NULL;
        const pawl_status status = pawl__claim_take(pipeline, ctx);

        return status || held ? status : recorded(pipeline, ctx, false);
}

static pawl_status run(pawl_pipeline *pipeline, pawl_context *ctx, bool may_assume)
{
        pawl_status status;

        pawl__context_reset(ctx);
        ctx->error = (pawl_error)PAWL_ERROR_INIT;
        ctx->accepts = pipeline->options.accept_inputs;
        pawl__pipeline_attach(pipeline, ctx);
        const bool held = pawl__claim_find(pipeline, ctx->run_id) != NULL;
        status = recorded(pipeline, ctx, may_assume);
        if (!status)
                status = claim_run(pipeline, ctx);
        if (status)
                return status;
        const bool resumes = ctx->asked_for.retry_token[0];
        if (may_assume && !resumes)
                pawl__claim_rest(pipeline);
        pawl__pipeline_attach(pipeline, ctx);
        pawl__pipeline_mark(pipeline);
        if (!resumes && (status = start(ctx))) {
                pawl__pipeline_discard(pipeline);
                return status;
        }
        status = pawl__pipeline_pass(
                pipeline, ctx, resumes ? PAWL__FROM_RESUME : PAWL__FROM_START, pipeline->holds);
        if (status == PAWL_OK && ctx->phase == PAWL__ON_OUTPUT)
                return PAWL_DONE; /* the output that was blocked passed, and is recorded */
        ctx->may_generate = status == PAWL_OK;
        pawl__claim *claim = pawl__claim_find(pipeline, ctx->run_id);
        if (status == PAWL_EINPUTS && !held && claim && claim->own) {
                (void)pawl__claim_release(pipeline, claim); /* nothing runs: it was only compared */
                return status;
        }
        if (claim) {
                ctx->fence = claim->fence;
                ctx->failures = claim->failures;
        }
        return status;
}

pawl_status pawl_pipeline_run(pawl_pipeline *pipeline, pawl_context *ctx)
{
        TRY(pawl__pipeline_usable(pipeline));
        TRY(pawl__context_usable(ctx, &pipeline->error));

        if (pipeline->running)
                return pawl__fail(&pipeline->error, PAWL_ESTATE,
                        "step %.*s: a pass of this pipeline is under way; run it after that",
                        PAWL__STEP(ctx));
        pipeline->running = ctx->passing = true;
        pipeline->overtaken = false;
        pawl_status status = run(pipeline, ctx, true);
        if (status == PAWL_EBUSY && pipeline->overtaken)
                status = run(pipeline, ctx, false);
        ctx->is_new = false;
        pipeline->batch.assumes = 0;
        pipeline->running = ctx->passing = false;
        if (status != PAWL_OK && status != PAWL_DONE) {
                pipeline->error = ctx->error;
                pipeline->error.status = status;
        }
        return status;
}

pawl_status pawl__complete_record(pawl_context *ctx)
{
        pawl__json_writer *w = pawl__context_payload(ctx);

        pawl__json_member_integer(w, "exit_code", 0);
        pawl__json_member_string(w, "input_hash", ctx->input_hash);
        pawl__attempt_members(w, &ctx->attempt);
        pawl__json_member_string(w, "output_hash", ctx->output_hash);
        return pawl__context_emit(ctx, PAWL__STEP_COMPLETED);
}
