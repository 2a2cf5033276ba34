/* Layer 5: a pass goes on at a checkpoint's cursor. pawl__resume_decide() decides where, from the
 * checkpoint, the hash of the inputs and the events since; no clock is read. */
#include "pipeline/resume.h"
#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "pipeline/gate.h"
#include "pipeline/layers.h"

pawl_status pawl__resume_load_newest(pawl_context *ctx, const pawl__row *step)
{
        pawl_status status =
                pawl__checkpoint_of_step(&ctx->asked_for, &ctx->pass, ctx->log, step, &ctx->error);

        if (!status && !pawl__text_is(step->v[PAWL__STEP_STATUS].text, "completed"))
                status = pawl__state_completed_since(&ctx->token_spent, ctx->state, step,
                        (int64_t)ctx->asked_for.seq, &ctx->error);
        return status;
}

pawl_status pawl__resume_load(pawl_context *ctx, pawl_text token)
{
        pawl__checkpoint *asked = &ctx->asked_for;
        pawl__checkpoint found;

        TRY(pawl__checkpoint_load(&found, &ctx->pass, ctx->log, token, &ctx->error));
        if (!pawl__text_eq(found.mission_id, ctx->mission_id) ||
                !pawl__text_eq(found.run_id, ctx->run_id) ||
                !pawl__text_eq(found.step_id, ctx->step_id))
                return pawl__fail(&ctx->error, PAWL_EINVAL,
                        "retry token %s: belongs to step %.*s of run %.*s of mission %.*s, not to "
                        "step %.*s of run %.*s; resume it there",
                        found.retry_token, PAWL__FMT(found.step_id), PAWL__FMT(found.run_id),
                        PAWL__FMT(found.mission_id), PAWL__STEP(ctx), PAWL__FMT(ctx->run_id));
        *asked = found;
        return PAWL_OK;
}

pawl_status pawl__resume_step(pawl__row *row, uint64_t at, pawl_context *ctx)
{
        *row = (pawl__row){0};
        row->v[PAWL__STEP_RUN].text = ctx->run_id;
        row->v[PAWL__STEP_ID].text = ctx->step_id;
        return at ? pawl__state_known(ctx->state, at, PAWL__STEPS, row, &ctx->pass, &ctx->error)
                  : pawl__state_get(ctx->state, PAWL__STEPS, row, &ctx->pass, &ctx->error);
}

pawl_status pawl__resume_output(pawl_context *ctx, pawl_text hash)
{
        pawl__buf output = PAWL__BUF_INIT;
        unsigned char bytes[PAWL__HASH_LEN];
        pawl_status status = PAWL_ENOTFOUND;

        if (pawl__unhex32(bytes, hash))
                status = pawl__log_blob(&output, ctx->log, bytes);
        if (status) {
                pawl__buf_free(&output);
                if (status != PAWL_ENOTFOUND) {
                        ctx->error = *pawl__log_error(ctx->log);
                        return status;
                }
                return pawl__fail(&ctx->error, PAWL_EDAMAGED,
                        "step %.*s: its recorded output %.*s is not in the log; run `eventlog "
                        "verify`",
                        PAWL__STEP(ctx), PAWL__FMT(hash));
        }
        pawl__buf_free(&ctx->output_buf);
        ctx->output_buf = output;
        ctx->output = pawl__buf_text(&ctx->output_buf);
        memcpy(ctx->output_hash, hash.data, 64);
        ctx->output_hash[64] = '\0';
        return PAWL_OK;
}

static pawl_status emit_resumed(pawl_context *ctx, pawl__event_type type,
        const pawl__checkpoint *from, bool inputs_changed, pawl_text confirmed_by)
{
        pawl__json_writer *w = pawl__context_payload(ctx);

        if (type == PAWL__RESUME_ABORTED)
                pawl__json_member_string(w, "checkpoint_hash", ctx->checkpoint_hash);
        pawl__json_member_text(w, "confirmed_by", confirmed_by);
        if (type == PAWL__RESUME_ABORTED)
                pawl__json_member_string(w, "current_hash", ctx->input_hash);
        pawl__json_member_string(w, "cursor", pawl__cursor_name(from->cursor));
        pawl__json_member_bool(w, "inputs_changed", inputs_changed);
        pawl__json_member_string(w, "retry_token", from->retry_token);
        return pawl__context_emit(ctx, type);
}

static bool same_scopes(const pawl_context *ctx, const pawl__checkpoint *from)
{
        if (ctx->n_scope_refs != from->n_scope_refs)
                return false;
        for (size_t i = 0; i < from->n_scope_refs; i++)
                if (!pawl__text_eq(ctx->scope_refs[i].scope, from->scope_refs[i].scope) ||
                        !pawl__text_eq(
                                ctx->scope_refs[i].version_id, from->scope_refs[i].version_id))
                        return false;
        return true;
}

/* Restore what the step is evaluated by: the checkpoint's strictness, or that with which the step
 * started since, and its versions of the scopes. */
static pawl_status restore(pawl_context *ctx, const pawl__checkpoint *from)
{
        ctx->token_used = true;
        ctx->resumed = true;
        ctx->cursor = ctx->resumed_at = from->cursor;
        ctx->effective = from->strictness < ctx->least ? ctx->least : from->strictness;
        ctx->checkpoint = ctx->committed = *from;
        if (same_scopes(ctx, from))
                return PAWL_OK;
        ctx->scope_refs = ctx->checkpoint.scope_refs;
        ctx->n_scope_refs = ctx->checkpoint.n_scope_refs;
        return ctx->reload(ctx);
}

static pawl_status reevaluate(pawl_context *ctx, const pawl__findings *recorded)
{
        pawl__findings open;

        TRY(pawl__findings_reevaluate(&open, &ctx->pass, ctx->glossary, recorded, &ctx->error));
        ctx->findings = open;
        ctx->reevaluated = true;
        return PAWL_OK;
}

/* The findings that the checkpoint depends on, from their event, re-evaluated by the present
 * glossary. */
static pawl_status recall(pawl_context *ctx, uint64_t seq)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__findings recorded = {NULL, 0};
        pawl_event event;

        if (seq == 0) /* the check was off */
                return reevaluate(ctx, &recorded);
        pawl_status status = pawl__log_event(&event, &ctx->pass, ctx->log, seq);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(&ctx->error, PAWL_EDAMAGED,
                        "checkpoint %s: the check it rests on, seq %llu, is not in the log; run "
                        "`eventlog verify`",
                        ctx->checkpoint.retry_token, (unsigned long long)seq);
        if (status) {
                ctx->error = *pawl__log_error(ctx->log);
                return status;
        }
        if (!event.payload.data)
                return pawl__fail(&ctx->error, PAWL_ESTATE,
                        "seq %llu (SemanticCheckEvaluated): its payload was pruned; start step "
                        "%.*s again without a token",
                        (unsigned long long)seq, PAWL__STEP(ctx));
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, &ctx->error);
        if (!status)
                status = pawl__findings_read(&recorded, &ctx->pass, &tree,
                        pawl__json_get(&tree, 0, "findings"), &ctx->error);
        if (status)
                pawl__fail_prefix(&ctx->error, status, "seq %llu (SemanticCheckEvaluated)",
                        (unsigned long long)seq);
        pawl__json_tree_free(&tree);
        return status ? status : reevaluate(ctx, &recorded);
}

static pawl_status go_on(pawl_context *ctx, const pawl__checkpoint *from)
{
        pawl_status status = restore(ctx, from);

        if (!status)
                status = emit_resumed(ctx, PAWL__STEP_RESUMED, from, false, (pawl_text){NULL, 0});
        if (!status && ctx->token_spent && from->cursor == PAWL__AT_POST_GATE)
                status = pawl__gate_checkpoint(ctx, from->cursor);
        if (!status && !ctx->trust && from->cursor != PAWL__AT_POST_GATE)
                status = recall(ctx, from->evaluated_seq);
        if (!status && from->cursor == PAWL__AT_POST_GENERATION)
                status = pawl__resume_output(ctx, pawl__text(from->output_hash));
        if (!status && ctx->trust) { /* what the checkpoint says of the gate is not believed */
                ctx->cursor = PAWL__AT_START;
                ctx->has_output = from->cursor == PAWL__AT_POST_GENERATION;
        } else if (!status && from->cursor == PAWL__AT_POST_GENERATION) {
                ctx->phase = PAWL__ON_OUTPUT;
        }
        if (!status && !ctx->trust && from->cursor != PAWL__AT_POST_GATE)
                status = pawl__check_change(ctx);
        return status ? status : PAWL_JUMP;
}

/* ---- Changed inputs ------------------------------------------------------------------------- */

static pawl_status add_line(const pawl__member_change *change, void *user)
{
        pawl__buf *diff = user;
        pawl_status status = pawl__member_change_line(diff, change);

        return status ? status : pawl__buf_addc(diff, '\n');
}

/* Fill ctx->change. Inputs that were not kept leave the diff empty: then only the hashes tell. */
static pawl_status compare(pawl_context *ctx, const pawl__checkpoint *from)
{
        pawl__buf before = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_ENOTFOUND;

        pawl__buf_clear(&ctx->diff);
        memcpy(ctx->checkpoint_hash, from->input_hash, sizeof ctx->checkpoint_hash);
        if (pawl__unhex32(hash, pawl__text(from->input_hash))) {
                status = pawl__log_blob(&before, ctx->log, hash);
                if (status)
                        ctx->error = *pawl__log_error(ctx->log);
        }
        if (!status)
                status = pawl__inputs_diff("inputs", pawl__buf_text(&before), ctx->inputs, add_line,
                        &ctx->diff, &ctx->error);
        pawl__buf_free(&before);
        if (status && status != PAWL_ENOTFOUND)
                return status == PAWL_ENOMEM ? pawl__nomem(&ctx->error) : status;
        ctx->change = (pawl_input_change){pawl__buf_text(&ctx->diff).data, ctx->checkpoint_hash,
                ctx->input_hash, ctx->step_id};
        ctx->inputs_changed = true;
        return PAWL_OK;
}

static pawl_status inputs_differ(pawl_context *ctx)
{
        return pawl__fail(&ctx->error, PAWL_EINPUTS,
                "step %.*s: its inputs changed since the checkpoint (%.16s, now %.16s); restore "
                "them, or resume and accept the changed inputs",
                PAWL__STEP(ctx), ctx->checkpoint_hash, ctx->input_hash);
}

static pawl_status refuse(pawl_context *ctx, const pawl__checkpoint *from)
{
        pawl_status status =
                emit_resumed(ctx, PAWL__RESUME_ABORTED, from, true, (pawl_text){NULL, 0});

        if (!status)
                status = ctx->wait(ctx);
        return status ? status : inputs_differ(ctx);
}

/* Fill ctx->change, and ask whether the present inputs are accepted, once a pass. */
static pawl_status accept(bool *yes, pawl_context *ctx, const pawl__checkpoint *from)
{
        pawl_status status = compare(ctx, from);

        *yes = ctx->accepts;
        if (status || *yes || !ctx->confirm)
                return status;
        if ((status = ctx->wait(ctx)))
                return status;
        status = ctx->confirm(yes, &ctx->change, ctx->confirm_user);
        if (status)
                return pawl__fail(&ctx->error, status < 0 ? status : PAWL_EINVAL,
                        "step %.*s: asking about the changed inputs failed (%s); resume to be "
                        "asked again",
                        PAWL__STEP(ctx), pawl_status_name(status));
        ctx->accepts = *yes;
        return PAWL_OK;
}

/* Nothing is recorded of a refusal: the step stays completed, and its run may have ended. */
pawl_status pawl__resume_completed(pawl_context *ctx, const pawl__row *step)
{
        const pawl_text hash = step->v[PAWL__STEP_INPUT_HASH].text;
        bool yes;

        if (!ctx->asked_for.retry_token[0] || !hash.data || pawl__text_is(hash, ctx->input_hash)) {
                const pawl_status status =
                        pawl__resume_output(ctx, step->v[PAWL__STEP_OUTPUT_HASH].text);
                return status ? status : PAWL_DONE;
        }
        const pawl_status status = accept(&yes, ctx, &ctx->asked_for);
        if (status)
                return status;
        if (!yes)
                return inputs_differ(ctx);
        ctx->reruns = true;
        ctx->asked_for.retry_token[0] = '\0'; /* it starts anew */
        return PAWL_OK;
}

static pawl_status changed(pawl_context *ctx, const pawl__checkpoint *from)
{
        bool yes;
        pawl_status status = accept(&yes, ctx, from);

        if (status)
                return status;
        if (!yes)
                return refuse(ctx, from);
        status = restore(ctx, from);
        if (!status)
                status = emit_resumed(ctx, PAWL__STEP_RESUMED, from, true, ctx->actor);
        if (!status)
                status = pawl__context_keep_inputs(ctx);
        ctx->cursor = ctx->resumed_at = PAWL__AT_START;
        return status ? status : PAWL_JUMP;
}

/* ---- The layer ------------------------------------------------------------------------------ */

/* All blockers were answered in this pass: the checkpoint is in memory, and its hash is ours. */
static pawl_status from_memory(pawl_context *ctx)
{
        TRY(emit_resumed(ctx, PAWL__STEP_RESUMED, &ctx->checkpoint, false, (pawl_text){NULL, 0}));
        TRY(reevaluate(ctx, &ctx->findings));
        ctx->answered = false;
        ctx->evaluated = true;
        ctx->cursor = ctx->checkpoint.cursor;
        return PAWL_JUMP;
}

static pawl_status from_token(pawl_context *ctx)
{
        const pawl__checkpoint *asked = &ctx->asked_for;
        pawl__checkpoint newest;
        pawl__row step;
        pawl_status status = pawl__resume_step(&step, 0, ctx);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(&ctx->error, PAWL_EDAMAGED,
                        "step %.*s: has a checkpoint but no state; run `eventlog replay --check`",
                        PAWL__STEP(ctx));
        if (status)
                return status;
        ctx->least =
                (pawl__strictness)(PAWL__STRICTNESS_OFF + step.v[PAWL__STEP_STRICTNESS].integer);
        pawl_text token = step.v[PAWL__STEP_TOKEN].text;
        bool newer = token.data && !pawl__text_is(token, asked->retry_token);
        if (newer && (status = pawl__checkpoint_of_step(
                              &newest, &ctx->pass, ctx->log, &step, &ctx->error)))
                return status;
        pawl__resume_decision decision = pawl__resume_decide(
                asked, newer ? &newest : NULL, step.v[PAWL__STEP_STATUS].text, ctx->input_hash);
        if (newer && decision.from == asked) /* it has another token since, and goes on with none */
                ctx->token_spent = true;
        switch (decision.verdict) {
        case PAWL__RESUME_AT_CURSOR:
                return go_on(ctx, decision.from);
        case PAWL__RESUME_CHANGED:
                return changed(ctx, decision.from);
        case PAWL__RESUME_DONE:
                break;
        }
        status = pawl__resume_output(ctx, step.v[PAWL__STEP_OUTPUT_HASH].text);
        return status ? status : PAWL_DONE;
}

static pawl_status process(const pawl_layer *layer, pawl_context *ctx)
{
        (void)layer;
        if (ctx->answered)
                return from_memory(ctx);
        return ctx->asked_for.retry_token[0] && !ctx->token_used ? from_token(ctx) : PAWL_OK;
}

const pawl_layer pawl__layer_resume = {"resume", process, NULL};
