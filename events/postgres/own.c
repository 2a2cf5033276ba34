/* The engine's own statements. */
#include "events/postgres/server.h"

/* A reader from whom a policy hides rows is refused, in place of reading less. */
#define PATH(is_local)                                                                             \
        "pg_catalog.set_config('search_path', " PAWL__SEARCH_PATH ", " is_local "), "              \
        "pg_catalog.set_config('row_security', 'off', " is_local ")"

pawl_status pawl__own_query(
        pawl__postgres_query **out, pawl_log *log, pawl__own_statement which, pawl_error *err)
{
        static const char *const sql[] = {
                [PAWL__OWN_BEGIN] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
                [PAWL__OWN_LIMITS] = "SELECT " PATH(
                        "$2 OPERATOR(pg_catalog.=) 't'") ", "
                                                         "pg_catalog.set_config('lock_timeout', $1, $2 OPERATOR(pg_catalog.=) 't'), "
                                                         "pg_catalog.set_config('idle_in_transaction_session_timeout', '300s', "
                                                         "$2 OPERATOR(pg_catalog.=) 't')",
                [PAWL__OWN_PATH] = "SELECT " PATH("true"),
                [PAWL__OWN_LOCK] = "SELECT head_seq, head_hash, applied_seq FROM pawl.logs "
                                   "WHERE {log AND} true FOR UPDATE",
                /* What is proven so is a cast that fails, and says why in the server's log. */
                [PAWL__OWN_PROVE] =
                        "SELECT CAST(coalesce((SELECT CASE WHEN head_seq = ?1 AND head_hash = ?2 "
                        "AND applied_seq = ?3 THEN '1' ELSE 'pawl: another writer was first' END "
                        "FROM pawl.logs WHERE {log AND} true FOR UPDATE), "
                        "'pawl: the log is gone') AS bigint)",
                [PAWL__OWN_PROVE_LEASE] =
                        "SELECT CAST(coalesce((SELECT CASE WHEN fence = ?2 AND held = 1 "
                        "THEN '1' ELSE 'pawl: the claim is over' END FROM pawl.leases "
                        "WHERE {log AND} run_id = ?1), 'pawl: the claim is gone') AS bigint)",
#define TAKE                                                                                       \
        "WITH taken AS (UPDATE pawl.logs SET head_seq = ?1, head_hash = ?2, applied_seq = ?3 "     \
        "WHERE {log AND} head_seq = ?4 AND head_hash = ?5 AND applied_seq = ?6 RETURNING log_id) " \
        "SELECT CAST(coalesce((SELECT '1' FROM taken), 'pawl: another writer was first') AS bigint)"
                [PAWL__OWN_TAKE] = TAKE,
                [PAWL__OWN_TAKE_OWNED] = TAKE
                ", CAST(coalesce((SELECT '1' FROM pawl.leases WHERE {log AND} run_id = ?7 "
                "AND fence = ?8 AND held = 1), 'pawl: the claim is over') AS bigint)",
#undef TAKE
                [PAWL__OWN_END] = "UPDATE pawl.logs SET head_seq = ?1, head_hash = ?2, "
                                  "applied_seq = ?3 WHERE {log AND} head_seq = ?4",
                [PAWL__OWN_COMMIT] = "COMMIT",
                [PAWL__OWN_ROLLBACK] = "ROLLBACK",
                [PAWL__OWN_VIEW] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                [PAWL__OWN_ACKED] =
                        "SELECT (SELECT hash FROM pawl.events WHERE {log AND} seq = ?1), "
                        "head_seq, head_hash FROM pawl.logs WHERE {log AND} true",
                [PAWL__OWN_TRUST] = pawl__trust_sql,
        };
        struct pawl__server *server = log->server;

        if (!server->own[which]) {
                pawl__query *query;
                pawl_status status = pawl__postgres_prepare(&query, log, sql[which], err);
                if (status)
                        return status;
                server->own[which] = (pawl__postgres_query *)query;
        }
        pawl__postgres_reset(&server->own[which]->base);
        *out = server->own[which];
        return PAWL_OK;
}

pawl_status pawl__server_execute(PGresult **result, pawl_log *log, const char *sql,
        const pawl_text *texts, int n, const char *doing, pawl_error *err)
{
        pawl__query *query;
        pawl_status status = pawl__postgres_prepare(&query, log, sql, err);

        if (status)
                return status;
        pawl__postgres_query *q = (pawl__postgres_query *)query;
        for (int i = 0; i < n; i++)
                pawl__query_bind_text(query, i + 1, texts[i]);
        status = pawl__send(q, &q->result, doing, err);
        if (!status)
                status = pawl__exchange(log, doing, err);
        if (!status && !q->result)
                status = pawl__server_unexpected(log, "a statement has none", err);
        if (!status && result) {
                *result = q->result;
                q->result = NULL;
        }
        pawl__postgres_finalize(query);
        return status;
}
