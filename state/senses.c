/* The senses that hold for a mission: what a glossary is loaded from. */
#include "base/error.h"
#include "state/projection.h"

/* One range of the primary key a kind: the mission's own answers, those of no seed version, and
 * those of each version named, which in mission_local are each mission's. */
static pawl_status senses_text(pawl__buf *sql, const pawl__scope_ref *refs, size_t n_refs)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < n_refs + 2 && status == PAWL_OK; i++) {
                status = pawl__buf_adds(sql, i ? " UNION ALL SELECT " : "SELECT ");
                if (status == PAWL_OK)
                        status = pawl__sql_columns(sql, PAWL__SENSES);
                if (status == PAWL_OK && i == 0)
                        status = pawl__buf_adds(sql, " FROM senses WHERE mission_id = ?1"
                                                     " AND scope = 'mission_local'"
                                                     " AND version_id = ''");
                else if (status == PAWL_OK && i == 1)
                        status = pawl__buf_adds(
                                sql, " FROM senses WHERE mission_id = '' AND version_id = ''");
                else if (status == PAWL_OK)
                        status = pawl__buf_addf(sql,
                                " FROM senses WHERE mission_id = %s AND scope = ?%zu"
                                " AND version_id = ?%zu",
                                pawl__text_is(refs[i - 2].scope, "mission_local") ? "?1" : "''",
                                2 * i - 2, 2 * i - 1);
        }
        return status ? status : pawl__buf_adds(sql, " ORDER BY seq");
}

static pawl_status bind_senses(sqlite3_stmt *stmt, pawl_log *log, pawl_text mission_id,
        const pawl__scope_ref *refs, size_t n_refs, pawl_error *err)
{
        int rc = SQLITE_OK;

        /* '' is no mission's id, but that of the senses that belong to none */
        if (mission_id.len)
                rc = pawl__db_bind_text(stmt, 1, mission_id);
        for (size_t i = 0; i < n_refs && rc == SQLITE_OK; i++) {
                rc = pawl__db_bind_text(stmt, 2 * (int)i + 2, refs[i].scope);
                if (rc == SQLITE_OK)
                        rc = pawl__db_bind_text(stmt, 2 * (int)i + 3, refs[i].version_id);
        }
        return rc == SQLITE_OK ? PAWL_OK : pawl__db_fail(log, rc, "read the senses", err);
}

/* Prepared each time: its text depends on how many versions there are, and it runs once a run. */
pawl_status pawl__state_senses(pawl__state *state, pawl_text mission_id,
        const pawl__scope_ref *refs, size_t n_refs, pawl__row_fn fn, void *user, pawl_error *err)
{
        pawl__buf sql = PAWL__BUF_INIT;
        sqlite3_stmt *stmt = NULL;
        int rc = SQLITE_DONE;
        pawl_status status;

        if (senses_text(&sql, refs, n_refs))
                status = pawl__nomem(err);
        else
                status = pawl__db_prepare(&stmt, state->log, sql.data, err);
        pawl__buf_free(&sql);
        if (status == PAWL_OK)
                status = bind_senses(stmt, state->log, mission_id, refs, n_refs, err);
        while (status == PAWL_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
                pawl__row row;
                pawl__sql_row(&row, PAWL__SENSES, stmt);
                status = fn(&row, user, err);
        }
        if (status == PAWL_OK && rc != SQLITE_DONE)
                status = pawl__db_fail(state->log, rc, "read the senses", err);
        sqlite3_finalize(stmt);
        return status;
}
