/* What came of a step, recorded and told. */
#include "base/error.h"
#include "base/printable.h"
#include "mission/ask.h"
#include "mission/runner.h"
#include "pipeline/question.h"
#include "state/answer_way.h"

static void tell(const pawl__runner *r, size_t step, pawl_run_stage stage)
{
        if (r->options.progress)
                r->options.progress(stage, pawl_mission_step_id(r->mission, step), step + 1,
                        r->mission->n_steps, r->options.progress_user);
}

void pawl__step_run_progress(const pawl__step_run *p, pawl_run_stage stage)
{
        tell(p->r, p->index, stage);
}

void pawl__runner_tell_done(pawl__runner *r)
{
        if (pawl__pipeline_batch(r->pipeline)->n)
                return;
        for (size_t i = 0; i < r->n_done; i++)
                tell(r, r->done[i].step, r->done[i].stage);
        r->n_done = 0;
}

pawl_status pawl__step_run_done(const pawl__step_run *p, pawl_run_stage stage)
{
        pawl__runner *r = p->r;

        if (pawl__grow(&r->done, &r->cap_done, r->n_done + 1, sizeof *r->done))
                return pawl__nomem(&r->error);
        r->done[r->n_done++] = (struct pawl__done){p->index, stage};
        pawl__runner_tell_done(r);
        return PAWL_OK;
}

pawl_status pawl__step_run_error(const pawl__step_run *p, pawl_status status)
{
        pawl__runner *r = p->r;

        r->error = *pawl__pipeline_error(r->pipeline);
        r->error.status = status;
        return status;
}

static pawl_status emit_failed(const pawl__step_run *p, int exit_code, const char *reason)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "reason", reason);
        pawl__json_member_integer(&w, "exit_code", exit_code);
        if (p->has_inputs)
                pawl__json_member_string(&w, "input_hash", pawl_context_input_hash(p->ctx));
        pawl__attempt_members(&w, &p->ctx->attempt);
        return pawl__runner_emit(p->r, PAWL__STEP_FAILED, p->step->id, &w);
}

/* With the last line that its command wrote to standard error, and where the rest of it is. */
static pawl_status failed_saying(const pawl__step_run *p)
{
        pawl__runner *r = p->r;
        const char *line = p->ctx->attempt.last_line;
        size_t len = strlen(line), shown = pawl__utf8_cut(line, len, 160);

        return pawl__fail(&r->error, PAWL_ESTEP,
                "%.200s%s%.*s%s; see `pawl logs %s %s`, go on with `pawl resume %s` after you fix it",
                r->failure.message, len ? ": " : "", (int)shown, line, shown < len ? "..." : "",
                PAWL__WORD(r->run_id), PAWL__WORD(p->step->id), PAWL__WORD(r->run_id));
}

pawl_status pawl__step_run_failed(const pawl__step_run *p, int exit_code, const char *why)
{
        pawl__runner *r = p->r;
        pawl_error reason;
        pawl_status status;

        pawl__fail(&reason, PAWL_ESTEP, "%s", why);
        pawl__mask_string(&r->secrets.mask, reason.message);
        pawl__message_fix(reason.message);
        status = emit_failed(p, exit_code, reason.message);
        if (status)
                return status;
        pawl__fail(
                &r->failure, PAWL_ESTEP, "step %.*s: %s", PAWL__FMT(p->step->id), reason.message);
        pawl__message_fix(r->failure.message);
        pawl__step_run_progress(p, PAWL_STEP_FAILED);
        if (exit_code && p->ctx->attempt.log_bytes)
                return failed_saying(p);
        return pawl__fail(&r->error, PAWL_ESTEP, "%s; go on with `pawl resume %s` after you fix it",
                r->failure.message, PAWL__WORD(r->run_id));
}

pawl_status pawl__step_run_blocked(const pawl__step_run *p)
{
        pawl__runner *r = p->r;
        const size_t n = pawl_context_conflicts(p->ctx);
        const pawl_conflict *first = n ? pawl_context_conflict(p->ctx, 0) : NULL;
        const bool asks = first && pawl__is_question(first->conflict_type);
        const char *distrust = p->ctx->distrust.message, *since = *distrust ? ", since " : "";
        pawl__answer_way way = {.id = first ? first->conflict_id : pawl__text(""),
                .option = pawl__answer_option(asks, first && first->n_candidates),
                .is_signed = r->trusts};

        pawl__step_run_progress(p, PAWL_STEP_BLOCKED);
        if (!asks)
                return pawl__fail(&r->error, PAWL_BLOCKED,
                        "step %.*s: generation is blocked by %zu unresolved conflict%s%s%s; answer "
                        "with `%s`%s (see `pawl conflicts`), then `pawl resume %s`",
                        PAWL__FMT(p->step->id), n, n == 1 ? "" : "s", since, distrust,
                        PAWL__ANSWER_COMMAND(&way),
                        first && first->n_candidates ? ", or --define TEXT" : "",
                        PAWL__WORD(r->run_id));
        if (p->ctx->question && p->ctx->question->n_to)
                way.actor = p->ctx->question->to[0];
        const size_t shown = pawl__utf8_cut(first->term.data, first->term.len, 120);
        return pawl__fail(&r->error, PAWL_BLOCKED,
                "step %.*s: waits for an answer to \"%.*s%s\"%s%s; `%s` gives one, then `pawl "
                "resume %s`",
                PAWL__FMT(p->step->id), (int)shown, first->term.data,
                shown < first->term.len ? "..." : "", since, distrust, PAWL__ANSWER_COMMAND(&way),
                PAWL__WORD(r->run_id));
}

/* One that completed just now is a checkpoint of the session, in the commit that takes its
 * StepCompleted. */
pawl_status pawl__step_run_completed(pawl__step_run *p)
{
        pawl__runner *r = p->r;
        const pawl_status status =
                p->ctx->phase == PAWL__ON_OUTPUT
                        ? pawl__runner_tell(r, PAWL__SESSION_CHECKPOINTED, NULL, "step_complete")
                        : PAWL_OK;

        if (status)
                return status;
        pawl_context_free(r->last);
        r->last = p->ctx;
        r->last_step = p->index;
        p->ctx = NULL;
        return pawl__step_run_done(p, PAWL_STEP_COMPLETED);
}

pawl_status pawl__step_run_output(pawl__step_run *p, pawl_text output)
{
        pawl_status status =
                pawl_pipeline_complete(p->r->pipeline, p->ctx, output.data, output.len);

        if (status == PAWL_BLOCKED)
                return pawl__step_run_blocked(p);
        return status ? pawl__step_run_error(p, status) : pawl__step_run_completed(p);
}
