#include "base/error.h"
#include "state/projection.h"
#include <stdlib.h>

pawl_status pawl__state_get(
        pawl__state *state, pawl__table table, pawl__row *row, pawl__arena *arena, pawl_error *err)
{
        pawl__row found = *row;
        pawl_status status = state->tables->get(state->tables, table, &found, err);

        if (status == PAWL_OK)
                status = pawl__row_copy(&found, table, arena, err);
        if (status == PAWL_OK)
                *row = found;
        return status;
}

pawl_status pawl__state_each(
        pawl__state *state, pawl__table table, pawl__row_fn fn, void *user, pawl_error *err)
{
        return state->tables->each(state->tables, table, fn, user, err);
}

/* "SELECT its columns FROM table REST", prepared at the first use and kept. */
static pawl_status statement(sqlite3_stmt **stmt, pawl__state *state, pawl__table table,
        const char *rest, pawl_error *err)
{
        pawl__buf sql = PAWL__BUF_INIT;
        pawl_status status;

        if (*stmt) {
                sqlite3_reset(*stmt);
                return PAWL_OK;
        }
        status = pawl__buf_adds(&sql, "SELECT ");
        if (status == PAWL_OK)
                status = pawl__sql_select(&sql, state->log, table);
        if (status == PAWL_OK)
                status = pawl__buf_addf(&sql, " FROM %s %s", pawl__tables[table].name, rest);
        if (status)
                status = pawl__nomem(err);
        else
                status = pawl__db_prepare(stmt, state->log, sql.data, err);
        pawl__buf_free(&sql);
        return status;
}

static pawl_status collect(pawl__row **rows, size_t *n, pawl__state *state, pawl__table table,
        sqlite3_stmt *stmt, int bound, pawl__arena *arena, pawl_error *err)
{
        if (bound != SQLITE_OK)
                return pawl__db_fail(state->log, bound, "read the state tables", err);
        return pawl__sql_collect(rows, n, state->log, table, stmt, arena, err);
}

pawl_status pawl__state_steps(pawl__row **rows, size_t *n, pawl__state *state, pawl_text run_id,
        pawl__arena *arena, pawl_error *err)
{
        pawl_status status = statement(
                &state->steps, state, PAWL__STEPS, "WHERE run_id = ?1 ORDER BY number", err);

        if (status)
                return status;
        int rc = pawl__db_bind_text(state->steps, 1, run_id);
        return collect(rows, n, state, PAWL__STEPS, state->steps, rc, arena, err);
}

/* Nobody answered it, and it was asked at the checkpoint where its step stands now: one of inputs
 * that changed since, or of a step that has got past the gate or was given up by a rollback, holds
 * nothing back. */
#define HOLDS                                                                                      \
        "status = 'open' AND NOT EXISTS (SELECT 1 FROM steps AS s"                                 \
        " WHERE s.run_id = conflicts.run_id AND s.step_id = conflicts.step_id"                     \
        " AND (s.status = 'completed' OR s.retry_token <> conflicts.retry_token"                   \
        " OR (s.retry_token IS NULL AND s.checkpoint_seq > conflicts.seq)))"

pawl_status pawl__state_conflicts(pawl__row **rows, size_t *n, pawl__state *state, pawl_text run_id,
        pawl_text step_id, bool open_only, pawl__arena *arena, pawl_error *err)
{
        static const char *const rest[PAWL__CONFLICT_LISTS] = {
                [0] = "ORDER BY seq",
                [PAWL__BY_RUN] = "WHERE run_id = ?1 ORDER BY seq",
                [PAWL__BY_STEP] = "WHERE step_id = ?2 ORDER BY seq",
                [PAWL__BY_RUN | PAWL__BY_STEP] = "WHERE run_id = ?1 AND step_id = ?2 ORDER BY seq",
                [PAWL__BY_OPEN] = "WHERE " HOLDS " ORDER BY seq",
                [PAWL__BY_OPEN | PAWL__BY_RUN] = "WHERE " HOLDS " AND run_id = ?1 ORDER BY seq",
                [PAWL__BY_OPEN | PAWL__BY_STEP] = "WHERE " HOLDS " AND step_id = ?2 ORDER BY seq",
                [PAWL__BY_OPEN | PAWL__BY_RUN | PAWL__BY_STEP] =
                        "WHERE " HOLDS " AND run_id = ?1 AND step_id = ?2 ORDER BY seq",
        };
        int by = (run_id.data ? PAWL__BY_RUN : 0) | (step_id.data ? PAWL__BY_STEP : 0) |
                 (open_only ? PAWL__BY_OPEN : 0);
        pawl_status status =
                statement(&state->conflicts[by], state, PAWL__CONFLICTS, rest[by], err);
        int rc = SQLITE_OK;

        if (status)
                return status;
        if (run_id.data)
                rc = pawl__db_bind_text(state->conflicts[by], 1, run_id);
        if (rc == SQLITE_OK && step_id.data)
                rc = pawl__db_bind_text(state->conflicts[by], 2, step_id);
        return collect(rows, n, state, PAWL__CONFLICTS, state->conflicts[by], rc, arena, err);
}

static bool starts_with(pawl_text text, pawl_text prefix)
{
        return text.len >= prefix.len &&
               (prefix.len == 0 || memcmp(text.data, prefix.data, prefix.len) == 0);
}

pawl_status pawl__state_conflict_by_prefix(pawl__row rows[2], size_t *n, pawl__state *state,
        pawl_text prefix, pawl__arena *arena, pawl_error *err)
{
        pawl__row *found = NULL;
        size_t count = 0, matching = 0;
        pawl_status status = statement(&state->by_prefix, state, PAWL__CONFLICTS,
                "WHERE conflict_id >= ?1 ORDER BY conflict_id LIMIT 2", err);

        if (status)
                return status;
        /* Those that start with it come first among those that do not sort before it. */
        int rc = pawl__db_bind_text(state->by_prefix, 1, prefix);
        status = collect(&found, &count, state, PAWL__CONFLICTS, state->by_prefix, rc, arena, err);
        if (status)
                return status;
        while (matching < count && starts_with(found[matching].v[PAWL__CON_ID].text, prefix)) {
                rows[matching] = found[matching];
                matching++;
        }
        *n = matching;
        return PAWL_OK;
}

pawl_status pawl__state_resumable(pawl__row *run, pawl__state *state, bool failed, size_t skip,
        pawl__arena *arena, pawl_error *err)
{
        pawl__row *found = NULL;
        size_t count = 0;
        /* The first condition is that of the index runs_resumable, which gives the order too. */
        pawl_status status = statement(&state->resumable, state, PAWL__RUNS,
                "WHERE status <> 'completed' AND (status = 'failed') = ?2"
                " ORDER BY updated_seq DESC LIMIT 1 OFFSET ?1",
                err);

        if (status)
                return status;
        int rc = sqlite3_bind_int64(state->resumable, 1, (sqlite3_int64)skip);
        if (!rc)
                rc = sqlite3_bind_int(state->resumable, 2, failed);
        status = collect(&found, &count, state, PAWL__RUNS, state->resumable, rc, arena, err);
        if (status)
                return status;
        if (count == 0)
                return PAWL_ENOTFOUND;
        *run = found[0];
        return PAWL_OK;
}

void pawl__query_finalize(pawl__state *state)
{
        sqlite3_finalize(state->steps);
        sqlite3_finalize(state->resumable);
        sqlite3_finalize(state->by_prefix);
        for (int by = 0; by < PAWL__CONFLICT_LISTS; by++)
                sqlite3_finalize(state->conflicts[by]);
}
