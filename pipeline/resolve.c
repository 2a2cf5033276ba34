/* Answering a conflict from any session: found by its id, answered once, without the run's fence.
 */
#include "base/error.h"
#include "base/ids.h"
#include "base/map.h"
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

/* One answer, and where its events go. */
struct answering {
        pawl__batch *batch;
        pawl__state *state;
        pawl__arena *arena;
        pawl__map *seen; /* ids of conflicts that are answered in the batch */
        pawl_text actor;
        int64_t now_us;
};

static pawl_status emit(struct answering *a, const pawl_conflict_answer *said, pawl_error *err)
{
        pawl__row row = {0};
        pawl_conflict conflict;
        pawl__sense chosen;
        pawl_status status =
                pawl__conflict_find(&row, a->state, pawl__text(said->conflict_id), a->arena, err);

        if (status)
                return status;
        const pawl_text id = row.v[PAWL__CON_ID].text;
        if (pawl__text_is(row.v[PAWL__CON_STATUS].text, "resolved"))
                return pawl__fail(err, PAWL_EEXISTS,
                        "conflict %.*s: was answered already, at seq %" PRId64
                        "; `eventlog show %" PRId64 "` prints that answer",
                        PAWL__FMT(id), row.v[PAWL__CON_RESOLVED_SEQ].integer,
                        row.v[PAWL__CON_RESOLVED_SEQ].integer);
        if (pawl__map_get(a->seen, id) != PAWL__MAP_NONE)
                return pawl__fail(err, PAWL_EEXISTS,
                        "conflict %.*s: is answered twice here; leave one answer out",
                        PAWL__FMT(id));
        if (pawl__map_put(a->seen, id, 1))
                return pawl__nomem(err);
        const pawl_event like = {.mission_id = row.v[PAWL__CON_MISSION].text,
                .run_id = row.v[PAWL__CON_RUN].text,
                .step_id = row.v[PAWL__CON_STEP].text,
                .actor = a->actor};
        status = pawl__conflict_of(&conflict, a->arena, &row, err);
        return status ? status
                      : pawl__answer_emit(a->batch, &chosen, a->arena, &conflict, &said->answer,
                                "async", &like, a->now_us, err);
}

pawl_status pawl_conflicts_resolve(pawl_log *log, const pawl_conflict_answer *answers, size_t n,
        const char *actor, size_t *refused, pawl_error *err)
{
        const pawl_sources *sources = pawl__log_sources(log);
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__map seen = PAWL__MAP_INIT;
        struct answering a = {.batch = &batch,
                .arena = &arena,
                .seen = &seen,
                .actor = pawl__text(actor ? actor : "program"),
                .now_us = sources->wall_us(sources->user)};
        size_t at = n;
        pawl_status status = pawl__id_check(a.actor, "actor", err);

        if (!status)
                status = pawl__state_of(&a.state, log, err);
        for (size_t i = 0; i < n && !status; i++)
                if ((status = emit(&a, &answers[i], err)))
                        at = i;
        if (!status && batch.n > 0)
                status = pawl__log_failed(log, pawl__log_commit(log, &batch, 0, NULL), err);
        if (refused)
                *refused = at;
        pawl__map_free(&seen);
        pawl__batch_free(&batch);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl_conflict_resolve(pawl_log *log, const char *conflict_id, const pawl_answer *answer,
        const char *actor, pawl_error *err)
{
        const pawl_conflict_answer one = {conflict_id, *answer};

        return pawl_conflicts_resolve(log, &one, 1, actor, NULL, err);
}
