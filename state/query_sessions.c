/* Sessions, and the run of a mission that could go on. */
#include "base/error.h"
#include "state/projection.h"

enum { LIMIT = 3 }; /* the number of the parameter for LIMIT; the ones before it are texts */

pawl_status pawl__query_rows(pawl__row **rows, size_t *n, pawl__state *state, pawl__table table,
        const char *rest, const pawl_text texts[2], int64_t limit, pawl__arena *arena,
        pawl_error *err)
{
        pawl__query *query;

        if (pawl__tables[table].since > pawl__log_version(state->log)) {
                *n = 0;
                return PAWL_OK;
        }
        pawl_status status = pawl__query_cached(&query, state, table, rest, err);
        if (status)
                return status;
        for (int i = 0; i < 2; i++)
                if (texts[i].data)
                        pawl__query_bind_text(query, i + 1, texts[i]);
        if (limit)
                pawl__query_bind_integer(query, LIMIT, limit);
        return pawl__sql_collect(rows, n, state->log, table, query, arena, err);
}

pawl_status pawl__query_row(pawl__row *row, pawl__state *state, pawl__table table, const char *rest,
        const pawl_text texts[2], pawl__arena *arena, pawl_error *err)
{
        pawl__row *found = NULL;
        size_t n = 0;
        pawl_status status = pawl__query_rows(&found, &n, state, table, rest, texts, 0, arena, err);

        if (!status && n == 0)
                return PAWL_ENOTFOUND;
        if (!status)
                *row = found[0];
        return status;
}

pawl_status pawl__query_page(pawl__row **rows, size_t *n, pawl__state *state, pawl__table table,
        const char *rest, const pawl__page *page, const pawl_text *texts, size_t n_texts,
        pawl__arena *arena, pawl_error *err)
{
        pawl__query *query;

        if (pawl__tables[table].since > pawl__log_version(state->log)) {
                *n = 0;
                return PAWL_OK;
        }
        pawl_status status = pawl__query_cached(&query, state, table, rest, err);
        if (status)
                return status;
        pawl__query_bind(query, "ii",
                page->before && page->before < INT64_MAX ? (int64_t)page->before : INT64_MAX,
                page->limit && page->limit < INT64_MAX ? (int64_t)page->limit : INT64_MAX);
        for (size_t i = 0; i < n_texts; i++)
                pawl__query_bind_text(query, 3 + (int)i, texts[i]);
        return pawl__sql_collect(rows, n, state->log, table, query, arena, err);
}

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
                "AND substr(mission_path, 1, 1) = '/' ORDER BY updated_seq DESC LIMIT 1",
                texts, arena, err);
}
