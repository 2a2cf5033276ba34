/* Layer 3: may the step generate? It fails closed: what it does not know counts as the highest
 * severity, and its checkpoint is in the log before its verdict takes effect. */
#include "pipeline/gate.h"
#include "base/error.h"
#include "base/map.h"
#include "pipeline/layers.h"
#include "pipeline/question.h"
#include "pipeline/signed.h"

bool pawl__gate_blocks(pawl__phase phase, pawl__strictness effective, pawl__severity severity)
{
        if (phase == PAWL__ON_OUTPUT && effective != PAWL__STRICTNESS_MAX)
                return false;
        switch (effective) {
        case PAWL__STRICTNESS_OFF:
                return false;
        case PAWL__STRICTNESS_MAX:
                return severity != PAWL__SEVERITY_NONE;
        case PAWL__STRICTNESS_UNSET:
        case PAWL__STRICTNESS_MEDIUM:
                break;
        }
        return severity != PAWL__SEVERITY_NONE && severity != PAWL__SEVERITY_LOW &&
               severity != PAWL__SEVERITY_MEDIUM;
}

const char *pawl__phase_name(pawl__phase phase)
{
        return phase == PAWL__ON_OUTPUT ? "output" : "inputs";
}

pawl_status pawl__conflict_resolved(bool *resolved, pawl_context *ctx, pawl_text conflict_id)
{
        pawl__row row = {.v[PAWL__CON_ID].text = conflict_id};

        *resolved = false;
        if (!ctx->state)
                return PAWL_OK;
        pawl_status status =
                pawl__state_get(ctx->state, PAWL__CONFLICTS, &row, &ctx->pass, &ctx->error);
        if (status == PAWL_ENOTFOUND)
                return PAWL_OK;
        if (!status)
                *resolved = pawl__text_is(row.v[PAWL__CON_STATUS].text, "resolved");
        return status;
}

/* The ids of this step's conflicts that were answered, in one query for all findings. */
static pawl_status answered(pawl__map *ids, pawl_context *ctx)
{
        pawl__row *rows;
        size_t n;

        if (!ctx->state || ctx->is_new)
                return PAWL_OK;
        pawl_status status = pawl__state_conflicts(
                &rows, &n, ctx->state, ctx->run_id, ctx->step_id, false, &ctx->pass, &ctx->error);
        for (size_t i = 0; i < n && !status; i++) {
                bool counts = false;
                if (!pawl__text_is(rows[i].v[PAWL__CON_STATUS].text, "resolved"))
                        continue;
                status = pawl__answer_counts(&counts, ctx, &rows[i]);
                if (!status && counts && pawl__map_put(ids, rows[i].v[PAWL__CON_ID].text, 1))
                        status = pawl__nomem(&ctx->error);
        }
        return status;
}

/* Add a finding to the blockers, unless its conflict was answered before. */
static pawl_status block(pawl__blocker *blockers, size_t *n, pawl_context *ctx,
        const pawl__finding *finding, const pawl__map *ids)
{
        char id[17];
        bool ok = true;

        if (pawl__conflict_id(id, ctx, finding->term))
                return pawl__nomem(&ctx->error);
        if (pawl__map_get(ids, pawl__text(id)) != PAWL__MAP_NONE)
                return PAWL_OK;
        blockers[*n] = (pawl__blocker){finding, pawl__context_keep(ctx, pawl__text(id), &ok)};
        (*n)++;
        return ok ? PAWL_OK : pawl__nomem(&ctx->error);
}

/* A severity that is not known counts as the highest. */
static pawl__severity rank(pawl__severity severity)
{
        return severity > PAWL__SEVERITY_HIGH ? PAWL__SEVERITY_HIGH : severity;
}

static pawl_status block_all(
        pawl__blocker *blockers, size_t *n, pawl_context *ctx, const pawl__map *ids)
{
        const pawl__findings *findings = &ctx->findings;
        pawl_status status = PAWL_OK;

        for (pawl__severity s = PAWL__SEVERITY_HIGH; s > PAWL__SEVERITY_NONE; s--) {
                if (!pawl__gate_blocks(ctx->phase, ctx->effective, s))
                        continue;
                for (size_t i = 0; i < findings->n && !status; i++)
                        if (rank(findings->items[i].severity) == s)
                                status = block(blockers, n, ctx, &findings->items[i], ids);
        }
        return status;
}

static pawl_status evaluate(struct pawl__verdicts *verdicts, pawl_context *ctx)
{
        pawl__map ids = PAWL__MAP_INIT;
        pawl__severity worst = pawl__findings_severity(&ctx->findings);
        pawl_status status = PAWL_OK;

        verdicts->of = ctx->findings;
        if (!pawl__gate_blocks(ctx->phase, ctx->effective, worst))
                return PAWL_OK;
        verdicts->blockers =
                pawl__arena_array(&ctx->pass, ctx->findings.n, sizeof *verdicts->blockers);
        if (!verdicts->blockers)
                return pawl__nomem(&ctx->error);
        status = answered(&ids, ctx);
        if (!status)
                status = block_all(verdicts->blockers, &verdicts->n, ctx, &ids);
        pawl__map_free(&ids);
        return status;
}

pawl_status pawl__gate_blockers(pawl__blocker **out, size_t *n, pawl_context *ctx)
{
        struct pawl__verdicts *verdicts = ctx->verdicts;

        /* The clarification layer notices a conflict that is answered in between. */
        if (!verdicts || verdicts->of.items != ctx->findings.items ||
                verdicts->of.n != ctx->findings.n) {
                verdicts = pawl__arena_alloc(&ctx->pass, sizeof *verdicts);
                if (!verdicts)
                        return pawl__nomem(&ctx->error);
                pawl_status status = evaluate(verdicts, ctx);
                if (status)
                        return status;
                ctx->verdicts = verdicts;
        }
        *out = verdicts->blockers;
        *n = verdicts->n;
        return PAWL_OK;
}

/* A step has one token until it completes or its inputs change. */
static bool keeps_token(const pawl_context *ctx)
{
        return ctx->checkpoint.retry_token[0] && !ctx->token_spent &&
               strcmp(ctx->checkpoint.input_hash, ctx->input_hash) == 0;
}

pawl_status pawl__gate_checkpoint(pawl_context *ctx, pawl__cursor_at cursor)
{
        pawl__checkpoint checkpoint = {.mission_id = ctx->mission_id,
                .run_id = ctx->run_id,
                .step_id = ctx->step_id,
                .strictness = ctx->effective,
                .n_scope_refs = ctx->n_scope_refs,
                .cursor = cursor};
        pawl_event event = pawl__context_event(ctx, PAWL__STEP_CHECKPOINTED);
        pawl__buf payload = PAWL__BUF_INIT;

        for (size_t i = 0; i < ctx->n_scope_refs; i++)
                checkpoint.scope_refs[i] = ctx->scope_refs[i];
        memcpy(checkpoint.input_hash, ctx->input_hash, sizeof checkpoint.input_hash);
        if (cursor == PAWL__AT_POST_GENERATION)
                memcpy(checkpoint.output_hash, ctx->output_hash, sizeof checkpoint.output_hash);
        if (keeps_token(ctx))
                memcpy(checkpoint.retry_token, ctx->checkpoint.retry_token,
                        sizeof checkpoint.retry_token);
        else
                ctx->sources->uuid(checkpoint.retry_token, ctx->sources->user);
        pawl_status status = pawl__checkpoint_encode(&payload, &checkpoint, &ctx->error);
        if (!status) {
                event.payload = pawl__buf_text(&payload);
                status = pawl__batch_event(ctx->batch, &event, &ctx->error);
        }
        pawl__buf_free(&payload);
        if (status)
                return status;
        ctx->checkpoint = checkpoint;
        ctx->checkpoint_waits = true;
        ctx->token_spent = false;
        return PAWL_OK;
}

pawl_status pawl__conflict_public(
        pawl_conflict *out, pawl_context *ctx, const pawl__finding *f, pawl_text conflict_id)
{
        pawl_sense *senses = pawl__arena_array(&ctx->pass, f->n_candidates, sizeof *senses);

        if (!senses)
                return pawl__nomem(&ctx->error);
        for (size_t i = 0; i < f->n_candidates; i++)
                senses[i] = pawl__sense_public(&f->candidates[i]);
        *out = (pawl_conflict){conflict_id, f->term, pawl__text(pawl__conflict_type_name(f->type)),
                pawl__text(pawl__severity_name(f->severity)),
                f->context.data ? f->context : pawl__text(""), f->confidence, senses,
                f->n_candidates};
        return PAWL_OK;
}

/* The conflicts as callers and callbacks see them. */
static pawl_status show(pawl_context *ctx, const pawl__blocker *blockers, size_t n)
{
        pawl_conflict *conflicts = pawl__arena_array(&ctx->pass, n, sizeof *conflicts);
        pawl__prompt_state *prompts = pawl__arena_array(&ctx->pass, n, sizeof *prompts);

        if (!conflicts || !prompts)
                return pawl__nomem(&ctx->error);
        for (size_t i = 0; i < n; i++)
                if (pawl__conflict_public(
                            &conflicts[i], ctx, blockers[i].finding, blockers[i].conflict_id))
                        return PAWL_ENOMEM;
        ctx->conflicts = conflicts;
        ctx->n_conflicts = n;
        ctx->prompts = prompts;
        return PAWL_OK;
}

/* The strictness of the mission or the project; the step may have another. */
static pawl__strictness mode(const pawl_context *ctx)
{
        if (ctx->mission_strictness != PAWL__STRICTNESS_UNSET)
                return ctx->mission_strictness;
        if (ctx->project_strictness != PAWL__STRICTNESS_UNSET)
                return ctx->project_strictness;
        return PAWL__STRICTNESS_MEDIUM;
}

static pawl_status emit_blocked(pawl_context *ctx, const pawl__blocker *blockers)
{
        pawl__json_writer *w = pawl__context_payload(ctx);

        if (ctx->phase == PAWL__ON_OUTPUT)
                pawl__attempt_members(w, &ctx->attempt);
        pawl__json_name(w, "conflicts");
        pawl__json_open_array(w);
        for (size_t i = 0; i < ctx->n_conflicts; i++)
                pawl__finding_write(w, blockers[i].finding, blockers[i].conflict_id);
        pawl__json_close_array(w);
        pawl__json_member_string(w, "effective_strictness", pawl__strictness_name(ctx->effective));
        pawl__json_member_string(w, "strictness_mode", pawl__strictness_name(mode(ctx)));
        return pawl__context_emit(ctx, PAWL__GENERATION_BLOCKED);
}

pawl_status pawl__gate_blocked_by(pawl_context *ctx, const char *layer, const char *reason)
{
        pawl__json_writer *w = pawl__context_payload(ctx);

        pawl__context_decide(ctx);
        if (ctx->phase == PAWL__ON_OUTPUT)
                pawl__attempt_members(w, &ctx->attempt);
        pawl__json_member_raw(w, "conflicts", pawl__text("[]"));
        pawl__json_member_string(w, "effective_strictness", pawl__strictness_name(ctx->effective));
        pawl__json_member_string(w, "layer", layer);
        if (reason)
                pawl__json_member_string(w, "reason", reason);
        pawl__json_member_string(w, "strictness_mode", pawl__strictness_name(mode(ctx)));
        return pawl__context_emit(ctx, PAWL__GENERATION_BLOCKED);
}

/* Passed again with an output that was held: that is checked next, unless it is not the answer that
 * was given. */
static pawl_status check_output(pawl_context *ctx)
{
        pawl__buf quoted = PAWL__BUF_INIT;
        bool is = !ctx->question;

        ctx->has_output = false;
        if (ctx->question) {
                pawl__json_quote(&quoted, ctx->reply);
                is = !quoted.failed && pawl__text_eq(pawl__buf_text(&quoted), ctx->output);
                pawl__buf_free(&quoted);
        }
        if (!is)
                return pawl__gate_checkpoint(ctx, PAWL__AT_POST_GATE);
        ctx->phase = PAWL__ON_OUTPUT;
        ctx->cursor = PAWL__AT_START;
        return PAWL_JUMP;
}

static pawl_status process(const pawl_layer *layer, pawl_context *ctx)
{
        bool on_output = ctx->phase == PAWL__ON_OUTPUT, asks = false;
        pawl__blocker *blockers = NULL, question;
        size_t n = 0;

        (void)layer;
        pawl__context_decide(ctx);
        ctx->conflicts = NULL;
        ctx->n_conflicts = 0;
        ctx->blocked = false;
        ctx->requested = false;
        pawl_status status = pawl__gate_blockers(&blockers, &n, ctx);
        if (!status && n == 0 && !on_output && ctx->question)
                status = pawl__question_blocks(&asks, &question, ctx);
        if (status)
                return status;
        if (asks) {
                blockers = &question;
                n = 1;
        }
        if (n == 0 && ctx->expired)
                return PAWL_DONE;
        if (n == 0 && ctx->has_output)
                return check_output(ctx);
        if (n == 0)
                return on_output ? PAWL_OK : pawl__gate_checkpoint(ctx, PAWL__AT_POST_GATE);
        ctx->blocked = true;
        if ((status = show(ctx, blockers, n)))
                return status;
        status = pawl__gate_checkpoint(
                ctx, on_output ? PAWL__AT_POST_GENERATION : PAWL__AT_PRE_GENERATION_GATE);
        if (!status)
                status = emit_blocked(ctx, blockers);
        return status ? status : PAWL_BLOCKED;
}

const pawl_layer pawl__layer_gate = {"generation_gate", process, NULL};
