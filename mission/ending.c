/* How a session of a run ends: what its verdict means for the run and the session. */
#include "base/error.h"
#include "base/printable.h"
#include "mission/runner.h"
#include "session/session.h"
#include <signal.h>
#include <stdio.h>

static pawl_status emit_run(pawl__runner *r, pawl__event_type type, const char *reason)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        if (reason)
                pawl__json_member_string(&w, "reason", reason);
        return pawl__runner_emit(r, type, (pawl_text){NULL, 0}, &w);
}

static pawl_status emit_session(pawl__runner *r, const char *status, const char *reason)
{
        const pawl_event like = pawl__runner_envelope(r);
        pawl__session_report told = {.status = status, .reason = reason};

        if (r->mission->graph && strcmp(status, "interrupted") == 0)
                told.run_status = strcmp(reason, "blocked") == 0 ? "blocked" : "interrupted";
        return pawl__session_emit(
                pawl__pipeline_batch(r->pipeline), PAWL__SESSION_ENDED, &like, &told, &r->error);
}

static pawl_status emit_interrupted(pawl__runner *r)
{
        char text[32];

        if (r->timed_out) {
                pawl_status status =
                        pawl__runner_tell(r, PAWL__SESSION_CHECKPOINTED, NULL, "time_limit");
                return status ? status : emit_session(r, "interrupted", "time limit reached");
        }
        if (r->stopped)
                return emit_session(r, "interrupted", "no checkpoint of the workspace");
        pawl__signal_name(text, r->signal);
        return emit_session(r, "interrupted", text);
}

static pawl_status emit_end(pawl__runner *r, pawl_status verdict)
{
        char text[PAWL_ERROR_MAX];
        pawl_status status;

        switch (verdict) {
        case PAWL_OK:
                status = r->completed ? PAWL_OK : emit_run(r, PAWL__RUN_COMPLETED, NULL);
                return status ? status : emit_session(r, "completed", NULL);
        case PAWL_ESTEP:
                status = emit_run(r, PAWL__RUN_FAILED, r->failure.message);
                return status ? status : emit_session(r, "error", r->failure.message);
        case PAWL_BLOCKED:
                return emit_session(r, "interrupted", "blocked");
        case PAWL_EINPUTS:
                return emit_session(r, "interrupted", "inputs changed");
        case PAWL_EINTERRUPTED:
                return emit_interrupted(r);
        default:
                snprintf(text, sizeof text, "%s", r->error.message);
                pawl__message_fix(text);
                return emit_session(r, "interrupted", text);
        }
}

/* What a verdict asks of the end. */
typedef enum duty {
        RECORD, /* it holds only if it is in the log */
        TRY,  /* something failed: a step that completed before may wait in the batch, and is worth
                 another try; the failure's own message is the one that counts */
        LEAVE /* the log is another's now, or not to be written: nothing is */
} duty;

static duty duty_of(pawl_status verdict)
{
        switch (verdict) {
        case PAWL_OK:
        case PAWL_BLOCKED:
        case PAWL_ESTEP:
        case PAWL_EINPUTS:
        case PAWL_EINTERRUPTED:
                return RECORD;
        case PAWL_EFENCED:
        case PAWL_EREADONLY:
        case PAWL_EDAMAGED:
                return LEAVE;
        default:
                return TRY;
        }
}

/* A stale fence means little to the person whose run it was. PAWL_EFENCED; PAWL_ESTATE: it was
 * cancelled. */
static pawl_status say_taken_over(pawl__runner *r)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = r->run_id};
        pawl_owner owner = {0};
        bool held = false;
        char by[300] = "another process, which has ended since";

        if (!pawl__state_get(r->state, PAWL__RUNS, &run, &r->arena, &r->error) &&
                pawl__text_is(run.v[PAWL__RUN_STATUS].text, "cancelled")) {
                pawl__step_log_recorded(r); /* as far as it ever is */
                return pawl__fail(&r->error, PAWL_ESTATE, "run %.*s: was %.*s",
                        PAWL__FMT(r->run_id), PAWL__FMT(run.v[PAWL__RUN_REASON].text));
        }
        if (!pawl__log_holder(&held, &owner, r->log, r->run_id) && held)
                snprintf(by, sizeof by, "process %lld on %.*s", (long long)owner.pid,
                        PAWL__FMT(owner.host));
        return pawl__fail(&r->error, PAWL_EFENCED,
                "run %.*s: was taken over by %s, since this one did not renew its claim within %u "
                "ms; nothing more was recorded here, see `pawl resume %s`",
                PAWL__FMT(r->run_id), by, pawl__log_lease_ms(r->log), PAWL__WORD(r->run_id));
}

/* The session's end is in the log. */
static void left(pawl__runner *r)
{
        r->released = true;
        pawl__runner_tell_done(r);
        pawl__step_log_recorded(r);
        pawl__runner_hand_over(r);
        pawl__runner_prune(r);
}

/* The last events; the run is released with them. */
static pawl_status add_end(pawl__runner *r, void *user)
{
        const pawl_status *verdict = user;
        pawl_status status = emit_end(r, *verdict);

        if (status)
                return status;
        return pawl__batch_release(pawl__pipeline_batch(r->pipeline), r->run_id, &r->error);
}

/* The end goes into the commit of the workspace's checkpoint, after it; or, where none is taken, or
 * one is in the way of the rest, into one of its own. */
static pawl_status commit_end(pawl__runner *r, pawl_status verdict)
{
        const pawl_text none = {NULL, 0};
        bool done = verdict == PAWL_OK && r->last;

        if (!pawl__runner_snapshot(r, done ? r->last->step_id : none, add_end, &verdict))
                return PAWL_OK;
        pawl_status status = add_end(r, &verdict);
        if (!status) {
                status = pawl_pipeline_flush(r->pipeline);
                if (status)
                        r->error = *pawl__pipeline_error(r->pipeline);
        }
        return status;
}

pawl_status pawl__runner_end(pawl__runner *r, pawl_status verdict)
{
        const pawl_error why = r->error;
        const duty owed = duty_of(verdict);
        pawl_status status;

        if (verdict == PAWL_EFENCED)
                return say_taken_over(r);
        if (owed == LEAVE)
                return verdict;
        if (verdict == PAWL_EINTERRUPTED && !r->signal && !r->timed_out && !r->stopped)
                r->signal = SIGINT; /* a question that was broken off did not say by which */
        status = commit_end(r, verdict);
        if (status == PAWL_EFENCED)
                return say_taken_over(r);
        if (!status)
                left(r);
        if (!status && owed == RECORD) /* else what failed says enough */
                pawl__snapshot_report(r);
        if (!status)
                pawl__runner_notify(r, verdict);
        if (status && owed == RECORD)
                return status;
        r->error = why;
        return verdict;
}

pawl_status pawl__runner_keep_log(pawl__runner *r, pawl_status status)
{
        const pawl_status kept = pawl__log_keep(r->log);

        if (!kept || (kept != PAWL_EDAMAGED && status != PAWL_DONE && duty_of(status) != RECORD))
                return status;
        r->error = *pawl__log_error(r->log);
        return kept;
}
