/* Ending a run for good, whoever holds it. */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_write.h"
#include "events/types.h"
#include "session/session.h"
#include "state/state.h"
#include <pawl/mission.h>
#include <stdio.h>

static pawl_status fill(pawl__batch *batch, const pawl__row *run, pawl_text actor, pawl_error *err)
{
        const pawl_event like = {.mission_id = run->v[PAWL__RUN_MISSION].text,
                .run_id = run->v[PAWL__RUN_ID].text,
                .session_id = run->v[PAWL__RUN_SESSION].text,
                .actor = actor};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char reason[200];

        snprintf(reason, sizeof reason, "cancelled by %.*s", PAWL__FMT(actor));
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "reason", reason);
        return pawl__batch_emit(batch, PAWL__RUN_CANCELLED, &like, &w, err);
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

pawl_status pawl_mission_cancel(
        pawl_log *log, const char *run_id, const char *actor, pawl_error *err)
{
        const pawl_text who = pawl__text(actor ? actor : "program");
        pawl__row run = {.v[PAWL__RUN_ID].text = pawl__text(run_id)};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state = NULL;
        pawl_status status = pawl__id_check(pawl__text(run_id), "run id", err);

        if (!status)
                status = pawl__id_check(who, "actor", err);
        if (!status)
                status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__state_get(state, PAWL__RUNS, &run, &arena, err);
        if (status == PAWL_ENOTFOUND)
                status = pawl__fail(err, status,
                        "run %.*s: the log has none of that id; see `pawl runs`",
                        PAWL__FMT(pawl__text(run_id)));
        if (!status)
                status = fill(&batch, &run, who, err);
        if (!status) /* a run that has ended meanwhile refuses the event */
                status = commit(log, &run, who, &batch, err);
        if (!status) /* nobody else ends its session */
                status = pawl__sessions_settle(log, state, err);
        pawl__batch_free(&batch);
        pawl__arena_free(&arena);
        return status;
}
