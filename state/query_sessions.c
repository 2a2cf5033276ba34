/* Sessions, and the run of a mission that could go on. */
#include "state/projection.h"

pawl_status pawl__state_sessions(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text mission_id, const pawl__page *page, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_page(rows, n, state, PAWL__SESSIONS,
                mission_id.data ? "FROM {sessions} WHERE mission_id = ?3 AND status <> 'pruned' "
                                  "AND seq < ?1 ORDER BY seq DESC LIMIT ?2"
                                : "FROM {sessions} WHERE status <> 'pruned' AND seq < ?1 "
                                  "ORDER BY seq DESC LIMIT ?2",
                page, &mission_id, mission_id.data ? 1 : 0, arena, err);
}

pawl_status pawl__state_noted_session(pawl__row *session, pawl__state *state, pawl_text mission_id,
        pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {mission_id, {NULL, 0}};

        /* The condition is that of the index sessions_noted. */
        return pawl__query_row(session, state, PAWL__SESSIONS,
                "FROM {sessions} WHERE mission_id = ?1 AND notes_seq > 0 ORDER BY seq DESC LIMIT 1",
                texts, arena, err);
}

pawl_status pawl__state_active_sessions(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

        /* The condition is that of the index sessions_active. */
        return pawl__query_rows(rows, n, state, PAWL__SESSIONS,
                "FROM {sessions} WHERE status = 'active' ORDER BY seq", none, 0, arena, err);
}

pawl_status pawl__state_not_notified(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {mission_id, {NULL, 0}};

        /* The condition is that of the index runs_untold. */
        return pawl__query_rows(rows, n, state, PAWL__RUNS,
                "FROM {runs} WHERE untold > 0 AND mission_id = ?1 ORDER BY untold", texts, 0, arena,
                err);
}

pawl_status pawl__state_unfinished(pawl__row *run, pawl__state *state, pawl_text mission_id,
        pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {mission_id, {NULL, 0}};

        return pawl__query_row(run, state, PAWL__RUNS,
                "FROM {runs} WHERE status <> 'completed' AND status <> 'cancelled' AND mission_id = ?1 "
                "AND substr(mission_path, 1, 1) = '/' ORDER BY started_seq DESC LIMIT 1",
                texts, arena, err);
}
