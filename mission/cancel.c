/* Ending a run for good, whoever holds it. */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_write.h"
#include "events/types.h"
#include "mission/attempts.h"
#include "mission/runner.h"
#include "session/session.h"
#include "state/state.h"
#include <pawl/mission.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cancelling {
        pawl_log *log;
        pawl__state *state;
        pawl_event like;
        char reason[200];
        pawl__batch batch;
        pawl__arena arena;
        pawl_text *steps; /* at work */
        size_t n_steps, cap_steps;
        pawl__buf files; /* paths of those whose text is in the batch, each with its NUL */
} cancelling;

static pawl_status take_step(const pawl__row *row, void *user, pawl_error *err)
{
        cancelling *c = user;

        if (!pawl__text_is(row->v[PAWL__STEP_STATUS].text, "running"))
                return PAWL_OK;
        if (pawl__grow(&c->steps, &c->cap_steps, c->n_steps + 1, sizeof *c->steps))
                return pawl__nomem(err);
        c->steps[c->n_steps++] = pawl__arena_copy(&c->arena, row->v[PAWL__STEP_ID].text);
        return pawl__arena_check(&c->arena, err);
}

/* One that is gone was recorded meanwhile, or is another machine's. */
static pawl_status keep_log(
        cancelling *c, pawl_text step_id, const pawl__attempt_view *one, pawl_error *err)
{
        pawl__attempt attempt = {.number = one->number};
        pawl_event like = c->like;
        pawl__buf text = PAWL__BUF_INIT;
        uint64_t before = 0;
        size_t dir;
        pawl_status status =
                pawl__attempt_log(&text, &before, c->log, like.run_id, step_id, one, err);

        if (status) {
                pawl__buf_free(&text);
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        }
        like.step_id = step_id;
        status = pawl__attempt_keep(
                &attempt, &c->batch, c->log, pawl__buf_text(&text), before + text.len, err);
        if (!status)
                status = pawl__attempt_cut_off(&c->batch, &like, &attempt, -1, c->reason, err);
        pawl__buf_free(&text);
        if (!status &&
                (pawl__log_file_path(&c->files, &dir, c->log, like.run_id, step_id, one->number) ||
                        pawl__buf_addc(&c->files, '\0')))
                status = pawl__nomem(err);
        return status;
}

/* What the commands at work wrote so far is kept: who has the run appends nothing any more. */
static pawl_status keep_logs(cancelling *c, pawl_error *err)
{
        pawl_status status =
                pawl__state_each_step(c->state, c->like.run_id, false, take_step, c, err);

        for (size_t i = 0; i < c->n_steps && !status; i++) {
                pawl__attempts attempts = {NULL, 0, 0};
                status = pawl__attempts_read(
                        &attempts, c->log, c->like.run_id, c->steps[i], &c->arena, err);
                for (size_t k = 0; k < attempts.n && !status; k++)
                        if (!attempts.list[k].seq)
                                status = keep_log(c, c->steps[i], &attempts.list[k], err);
                free(attempts.list);
        }
        return status;
}

static pawl_status fill(cancelling *c, const pawl__row *run, pawl_text actor, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        c->like = (pawl_event){.mission_id = run->v[PAWL__RUN_MISSION].text,
                .run_id = run->v[PAWL__RUN_ID].text,
                .session_id = run->v[PAWL__RUN_SESSION].text,
                .actor = actor};
        snprintf(c->reason, sizeof c->reason, "cancelled by %.*s", PAWL__FMT(actor));
        const pawl_status status = keep_logs(c, err);
        if (status)
                return status;
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "reason", c->reason);
        return pawl__batch_emit(&c->batch, PAWL__RUN_CANCELLED, &c->like, &w, err);
}

/* A claim that takes the run from whoever has it: what that appends is refused from now on, and it
 * ends its command when it looks. */
static pawl_status commit(
        pawl_log *log, const pawl__row *run, pawl_text actor, pawl__batch *batch, pawl_error *err)
{
        const pawl_text run_id = run->v[PAWL__RUN_ID].text;
        uint64_t fence = 0;

        batch->takes_over = true;
        pawl_status status = pawl__log_claim(&fence, log, run->v[PAWL__RUN_MISSION].text, run_id,
                run->v[PAWL__RUN_SESSION].text, actor, batch, NULL);
        if (status)
                return pawl__log_failed(log, status, err);
        /* What is recorded stands; a lease that is not released ends with this process. */
        pawl_status ignored = pawl_log_release(log, run_id.data, fence);
        (void)ignored;
        return PAWL_OK;
}

static pawl_status cancel(cancelling *c, const char *run_id, pawl_text actor, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = pawl__text(run_id)};
        pawl_owner owner = {0};
        bool held = false;
        pawl_status status = pawl__id_check(pawl__text(run_id), "run id", err);

        if (!status)
                status = pawl__id_check(actor, "actor", err);
        if (!status)
                status = pawl__state_of(&c->state, c->log, err);
        if (!status)
                status = pawl__state_get(c->state, PAWL__RUNS, &run, &c->arena, err);
        if (status == PAWL_ENOTFOUND)
                status = pawl__fail(err, status,
                        "run %.*s: the log has none of that id; see `pawl runs`",
                        PAWL__FMT(pawl__text(run_id)));
        if (!status && (status = pawl__log_holder(&held, &owner, c->log, pawl__text(run_id))))
                status = pawl__log_failed(c->log, status, err);
        if (!status)
                status = fill(c, &run, actor, err);
        if (!status) /* a run that has ended meanwhile refuses the event */
                status = commit(c->log, &run, actor, &c->batch, err);
        if (status)
                return status;
        pawl__log_files_remove(&c->files);
        if (!held) /* else who has it does so once its commands have ended */
                pawl__step_terms_tidy(c->log, pawl__text(run_id), 0);
        /* It is cancelled; a session that is not ended here is by whoever next looks. */
        pawl_error why;
        const pawl_status ignored = pawl__sessions_settle(c->log, c->state, &why);
        (void)ignored;
        return PAWL_OK;
}

pawl_status pawl_mission_cancel(
        pawl_log *log, const char *run_id, const char *actor, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        cancelling c = {.log = log};
        const pawl_status status = cancel(&c, run_id, pawl__text(actor ? actor : "program"), err);

        pawl__batch_free(&c.batch);
        pawl__arena_free(&c.arena);
        pawl__buf_free(&c.files);
        free(c.steps);
        return status;
}
