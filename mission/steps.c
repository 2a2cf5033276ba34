/* One step of a run, through the pipeline and its command. */
#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/checkpoint.h"
#include "mission/ask.h"
#include "mission/runner.h"
#include "pipeline/question.h"
#include <stdio.h>

/* Where the outputs of earlier steps come from. */
typedef struct outputs {
        const pawl__step_run *p;
        pawl__buf blob; /* holds the text that was given last */
} outputs;

/* ---- Inputs --------------------------------------------------------------------------------- */

/* The step that completed last may still wait in the batch, so its output comes from its context;
 * those of all others are in the log, after a commit at the latest. */
static pawl_status output_of(pawl_text *output, pawl_text step_id, void *user, pawl_error *err)
{
        outputs *from = user;
        pawl__runner *r = from->p->r;
        pawl__row row = {0};
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status;

        if (r->last && pawl__text_eq(r->mission->steps[r->last_step].id, step_id)) {
                *output = pawl_context_output(r->last);
                return PAWL_OK;
        }
        row.v[PAWL__STEP_RUN].text = r->run_id;
        row.v[PAWL__STEP_ID].text = step_id;
        status = pawl__state_get(r->state, PAWL__STEPS, &row, &r->arena, err);
        if (!status && !pawl__text_is(row.v[PAWL__STEP_STATUS].text, "completed") &&
                pawl__pipeline_batch(r->pipeline)->n) {
                status = pawl_pipeline_flush(r->pipeline);
                if (status)
                        return pawl__step_run_error(from->p, status);
                status = pawl__state_get(r->state, PAWL__STEPS, &row, &r->arena, err);
        }
        if (status && status != PAWL_ENOTFOUND)
                return status;
        const size_t index = pawl__mission_find(r->mission, step_id);
        if (!status && index != SIZE_MAX && (status = pawl__step_counts(r, index, &row))) {
                if (err)
                        *err = r->error;
                return status;
        }
        pawl_text hex = row.v[PAWL__STEP_OUTPUT_HASH].text;
        if (status || !hex.data || !pawl__unhex32(hash, hex))
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "step %.*s: has no output in this run; start a new run",
                        PAWL__FMT(step_id));
        pawl__buf_clear(&from->blob);
        status = pawl__log_blob(&from->blob, r->log, hash);
        if (status) {
                if (err)
                        *err = *pawl__log_error(r->log);
                return status;
        }
        *output = pawl__buf_text(&from->blob);
        return PAWL_OK;
}

/* Is it the step's data that is at fault, and not the log or this machine? */
static bool fault_of_step(pawl_status status)
{
        return status == PAWL_ENOTFOUND || status == PAWL_EINVAL || status == PAWL_EPARSE ||
               status == PAWL_ETOOBIG;
}

static pawl_status context_failure(const pawl__step_run *p, pawl_status status)
{
        return pawl__fail(&p->r->error, status, "%s", pawl_context_errmsg(p->ctx));
}

static pawl_status set_inputs(pawl__step_run *p)
{
        outputs from = {p, PAWL__BUF_INIT};
        pawl__buf inputs = PAWL__BUF_INIT;
        pawl_status status;

        status = pawl__step_inputs(&inputs, p->r->mission, p->step, output_of, &from, &p->r->error);
        if (!status) {
                status = pawl_context_set_inputs(p->ctx, inputs.data, inputs.len);
                if (status)
                        context_failure(p, status);
        }
        p->has_inputs = !status;
        pawl__buf_free(&from.blob);
        pawl__buf_free(&inputs);
        return status;
}

/* ---- The context ---------------------------------------------------------------------------- */

/* The token to go on with: the one that was asked for, else the step's newest. Absent: none. */
static pawl_text token_of(const pawl__step_run *p)
{
        const pawl__runner *r = p->r;

        if (r->token.data && pawl__text_eq(r->token_step, p->step->id))
                return r->token;
        return p->row ? p->row->v[PAWL__STEP_TOKEN].text : (pawl_text){NULL, 0};
}

pawl_status pawl__step_settings(
        pawl_context *ctx, const pawl_mission *mission, const pawl__step *step)
{
        const pawl__settings *own = &step->settings;

        ctx->critical = step->critical;
        ctx->step_strictness = own->strictness;
        ctx->mission_strictness = mission->settings.strictness;
        ctx->check_disabled =
                own->check_disabled || (mission->settings.check_disabled && !own->check_enabled);
        ctx->check_forced = own->check_enabled;
        ctx->store_inputs = mission->store_inputs;
        if (!step->metadata.data)
                return PAWL_OK;
        return pawl_context_set_metadata(ctx, step->metadata.data, step->metadata.len);
}

static pawl_status make_context(pawl__step_run *p)
{
        pawl__runner *r = p->r;
        const pawl_mission *mission = r->mission;
        pawl_text token = token_of(p);
        pawl_status status;

        status = pawl_context_new(&p->ctx, pawl_mission_id(mission), r->run_id.data,
                pawl_mission_step_id(mission, p->index), &r->error);
        if (status)
                return status;
        p->ctx->session_id = r->session_id;
        p->ctx->actor = r->actor;
        p->ctx->runtime_strictness = r->runtime;
        p->ctx->project_strictness = r->project;
        status = pawl__step_settings(p->ctx, mission, p->step);
        if (status)
                return context_failure(p, status);
        if (token.data) {
                char text[37];
                snprintf(text, sizeof text, "%.*s", PAWL__FMT(token));
                status = pawl_context_set_retry_token(p->ctx, text);
                if (status)
                        return context_failure(p, status);
        }
        return PAWL_OK;
}

/* ---- One step ------------------------------------------------------------------------------- */

/* "step specify: its inputs changed since the checkpoint: inputs.n: 1 → 2, and 3 more ...". */
static pawl_status inputs_changed(const pawl__step_run *p)
{
        const pawl_input_change *change = pawl_context_input_diff(p->ctx);
        const char *diff = change->diff;
        size_t first = strcspn(diff, "\n"), more = 0;
        char others[32] = "";

        for (const char *at = diff + first; *at; at++)
                more += *at == '\n' && at[1];
        if (more)
                snprintf(others, sizeof others, ", and %zu more", more);
        first = pawl__utf8_cut(diff, first, 160);
        return pawl__fail(&p->r->error, PAWL_EINPUTS,
                "step %.60s: its inputs changed since the checkpoint%s%.*s%s (%.16s is %.16s now); "
                "restore them, or accept them: `pawl resume %s --accept-changed-inputs`",
                pawl_mission_step_id(p->r->mission, p->index), first ? ": " : "", (int)first, diff,
                others, change->checkpoint_hash, change->current_hash, PAWL__WORD(p->r->run_id));
}

/* A question that was ended by a signal leaves its byte to be read. */
static pawl_status pass_interrupted(const pawl__step_run *p)
{
        pawl_status status = pawl__runner_signalled(p->r, 0);

        return status ? status : pawl__step_run_error(p, PAWL_EINTERRUPTED);
}

static pawl_status keep_change(const pawl__member_change *change, void *user)
{
        pawl__runner *r = user;
        pawl_changed_inputs *kept = &r->changed_inputs;
        bool ok = true;

        if (pawl__grow(&r->members, &r->cap_members, kept->n + 1, sizeof *r->members))
                return PAWL_ENOMEM;
        r->members[kept->n] = (pawl_changed_member){pawl__arena_text(&r->arena, change->path, &ok),
                pawl__arena_text(&r->arena, change->before, &ok),
                pawl__arena_text(&r->arena, change->after, &ok)};
        kept->items = r->members;
        kept->n++;
        return ok ? PAWL_OK : PAWL_ENOMEM;
}

/* What changed in the inputs, for the result. Inputs that were not kept differ in their hashes
 * alone. */
static pawl_status keep_changes(const pawl__step_run *p)
{
        const pawl_input_change *change = pawl_context_input_diff(p->ctx);
        pawl__runner *r = p->r;
        pawl__buf before = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        bool ok = true;

        r->changed_inputs = (pawl_changed_inputs){pawl_mission_step_id(r->mission, p->index), NULL,
                0, pawl__arena_text(&r->arena, pawl__text(change->checkpoint_hash), &ok).data,
                pawl__arena_text(&r->arena, pawl__text(change->current_hash), &ok).data};
        pawl_status status = PAWL_ENOTFOUND;
        if (ok && pawl__unhex32(hash, pawl__text(change->checkpoint_hash)))
                status = pawl__log_blob(&before, r->log, hash);
        if (!status && pawl__inputs_diff("inputs", pawl__buf_text(&before),
                               pawl_context_inputs(p->ctx), keep_change, r, NULL))
                ok = false;
        pawl__buf_free(&before);
        return ok ? PAWL_OK : pawl__nomem(&r->error);
}

static pawl_status pass(pawl__step_run *p)
{
        pawl_status status = pawl_pipeline_run(p->r->pipeline, p->ctx);

        if (p->ctx->inputs_changed && keep_changes(p))
                return PAWL_ENOMEM;
        if (status == PAWL_BLOCKED) { /* the commit was of the step before, too */
                const pawl_status settled = pawl__runner_snapshot_settle(p->r);
                if (settled)
                        return settled;
        }
        switch (status) {
        case PAWL_OK:
                status = pawl__runner_passed(p->r, p->step->id);
                if (!status && p->step->ask)
                        return pawl__ask_answered(p);
                p->passed = !status;
                return status;
        case PAWL_DONE:
                return p->ctx->expired ? pawl__ask_expired(p) : pawl__step_run_completed(p);
        case PAWL_BLOCKED:
                return pawl__step_run_blocked(p);
        case PAWL_EINPUTS:
                return inputs_changed(p);
        case PAWL_EINTERRUPTED:
                return pass_interrupted(p);
        default:
                return pawl__step_run_error(p, status);
        }
}

pawl_status pawl__step_holds(bool *out, pawl__runner *r, size_t index)
{
        const pawl__step_run p = {.r = r, .step = &r->mission->steps[index], .index = index};
        outputs from = {&p, PAWL__BUF_INIT};
        pawl_status status = PAWL_OK;

        *out = true;
        if (p.step->when != PAWL__NO_NODE)
                status = pawl__when_holds(out, r->mission, p.step, output_of, &from, &r->error);
        pawl__buf_free(&from.blob);
        return status;
}

pawl_status pawl__step_counts(pawl__runner *r, size_t index, const pawl__row *row)
{
        const pawl__step *step = &r->mission->steps[index];
        const pawl__ask *ask = step->ask;
        const pawl__question asks = {.within_ms = ask ? ask->within_ms : 0,
                .otherwise = ask ? ask->otherwise : (pawl_text){NULL, 0}};
        bool left_out = false, runs = false;
        pawl_status status = PAWL_OK;

        if (!r->trusts)
                return PAWL_OK;
        status = pawl__trust_completed(&left_out, r->trusts, row, ask ? &asks : NULL, &r->error);
        if (!status && left_out)
                status = pawl__step_holds(&runs, r, index);
        if (!status && runs)
                status = pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: step %.*s was left out, although its `when` says that it runs; "
                        "put back a copy of the log, or start a new run",
                        PAWL__FMT(r->run_id), PAWL__FMT(step->id));
        return status;
}

/* As one that a person goes past: its output is null. */
static pawl_status leave_out(const pawl__step_run *p)
{
        pawl__runner *r = p->r;
        pawl_event like = pawl__runner_envelope(r);

        like.step_id = p->step->id;
        const pawl_status status = pawl__skip_emit(pawl__pipeline_batch(r->pipeline), &like,
                pawl__text(NULL), pawl__text("null"), "when", pawl__log_hasher(r->log), &r->error);
        return status ? status : pawl__step_run_done(p, PAWL_STEP_LEFT_OUT);
}

pawl_status pawl__step_run_start(pawl__step_run *p)
{
        pawl_status status = pawl__pipeline_settle(p->r->pipeline, p->ctx);

        p->passed = false;
        if (status)
                return pawl__step_run_error(p, status);
        status = pawl__runner_snapshot_settle(p->r); /* it was of the step before, too */
        if (!status)
                status = pawl__runner_signalled(p->r, 0);
        return status ? status : pawl__step_run_execute(p);
}

pawl_status pawl__step_run_begin(pawl__step_run *p)
{
        bool runs = true;
        pawl_status status;

        pawl__step_run_progress(p, PAWL_STEP_CHECKING);
        status = make_context(p);
        if (status)
                return status;
        status = pawl__step_holds(&runs, p->r, p->index);
        if (!status && !runs)
                return leave_out(p);
        if (!status)
                status = set_inputs(p);
        if (!status && p->step->ask)
                status = pawl__ask_pose(p);
        if (fault_of_step(status)) {
                const pawl_error why = p->r->error;
                return pawl__step_run_failed(p, -1, why.message);
        }
        return status ? status : pass(p);
}
