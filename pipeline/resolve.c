/* Answering a conflict from any session: found by its id, answered once, without the run's fence.
 */
#include "base/error.h"
#include "base/ids.h"
#include "pipeline/answer.h"
#include <inttypes.h>

pawl_status pawl__conflict_find(
        pawl__row *row, pawl__state *state, pawl_text id, pawl__arena *arena, pawl_error *err)
{
        const pawl__table table = PAWL__CONFLICTS;
        pawl_status status = pawl__id_check(id, "conflict id", err);

        if (status)
                return status;
        status = pawl__state_whole_id(&id, state, &table, 1, "conflict", arena, err);
        if (status)
                return status;
        *row = (pawl__row){.v[PAWL__CON_ID].text = id};
        status = pawl__state_get(state, PAWL__CONFLICTS, row, arena, err);
        if (status != PAWL_ENOTFOUND)
                return status;
        if (id.len < PAWL__PREFIX_MIN)
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: is too short; give %d digits or more of its id",
                        PAWL__FMT(id), PAWL__PREFIX_MIN);
        return pawl__fail(err, PAWL_ENOTFOUND,
                "conflict %.*s: there is none; `pawl conflicts --all` lists them", PAWL__FMT(id));
}

pawl_status pawl__conflict_of(
        pawl_conflict *out, pawl__arena *arena, const pawl__row *row, pawl_error *err)
{
        pawl_sense *candidates = NULL;
        const pawl_text json = row->v[PAWL__CON_CANDIDATES].text;

        *out = (pawl_conflict){.conflict_id = row->v[PAWL__CON_ID].text,
                .term = row->v[PAWL__CON_TERM].text,
                .conflict_type = row->v[PAWL__CON_TYPE].text,
                .severity = row->v[PAWL__CON_SEVERITY].text,
                .context = row->v[PAWL__CON_CONTEXT].text,
                .confidence = row->v[PAWL__CON_CONFIDENCE].real};
        if (!json.data)
                return PAWL_OK;
        const pawl_status status =
                pawl__candidates_read(&candidates, &out->n_candidates, arena, json, err);
        out->candidates = candidates;
        return status ? pawl__fail_prefix(err, status, "conflict %.*s: candidates",
                                PAWL__FMT(out->conflict_id))
                      : PAWL_OK;
}

static pawl_status append(pawl_log *log, pawl__arena *arena, const pawl__row *row,
        const pawl_answer *answer, pawl_text actor, pawl_error *err)
{
        const pawl_sources *sources = pawl__log_sources(log);
        const pawl_event like = {.mission_id = row->v[PAWL__CON_MISSION].text,
                .run_id = row->v[PAWL__CON_RUN].text,
                .step_id = row->v[PAWL__CON_STEP].text,
                .actor = actor};
        pawl_conflict conflict;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__sense chosen;
        pawl_status status = pawl__conflict_of(&conflict, arena, row, err);

        if (!status)
                status = pawl__answer_emit(&batch, &chosen, arena, &conflict, answer, "async",
                        &like, sources->wall_us(sources->user), err);
        if (!status) {
                status = pawl__log_commit(log, &batch, 0, NULL);
                if (status && err)
                        *err = *pawl__log_error(log);
        }
        pawl__batch_free(&batch);
        return status;
}

static pawl_status resolve(pawl_log *log, pawl__arena *arena, pawl_text id,
        const pawl_answer *answer, pawl_text actor, pawl_error *err)
{
        pawl__state *state;
        pawl__row row = {0};
        pawl_status status = pawl__id_check(actor, "actor", err);

        if (!status)
                status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__conflict_find(&row, state, id, arena, err);
        if (status)
                return status;
        if (pawl__text_is(row.v[PAWL__CON_STATUS].text, "resolved"))
                return pawl__fail(err, PAWL_EEXISTS,
                        "conflict %.*s: was answered already, at seq %" PRId64
                        "; `eventlog show %" PRId64 "` prints that answer",
                        PAWL__FMT(row.v[PAWL__CON_ID].text), row.v[PAWL__CON_RESOLVED_SEQ].integer,
                        row.v[PAWL__CON_RESOLVED_SEQ].integer);
        return append(log, arena, &row, answer, actor, err);
}

pawl_status pawl_conflict_resolve(pawl_log *log, const char *conflict_id, const pawl_answer *answer,
        const char *actor, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_status status = resolve(log, &arena, pawl__text(conflict_id), answer,
                pawl__text(actor ? actor : "program"), err);

        pawl__arena_free(&arena);
        return status;
}
