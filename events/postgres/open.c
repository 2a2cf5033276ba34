/* Opening a log on a server, and making it. */
#include "base/error.h"
#include "events/copy.h"
#include "events/postgres/server.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TRIES = 20 };

/* Two processes that make the same at once: one of them fails so, and finds it made when it looks
 * again. */
static bool was_made_meanwhile(const char *message)
{
        static const char *const codes[] = {
                "(42P06)", "(42P07)", "(42710)", "(23505)", "(XX000)", "(40P01)", "(40001)"};

        for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
                if (strstr(message, codes[i]))
                        return true;
        return false;
}

typedef enum tables { NO_TABLES, OLDER_TABLES, TABLES } tables;

/* The log's number is the beginning of its name's hash. */
static pawl_status choose_id(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const char *name = server->address.log;
        unsigned char hash[32];

        TRY(pawl__sha256(log->hasher, hash, name, strlen(name), err));
        hash[0] &= 0x7f;
        server->log_id = 0;
        for (int i = 0; i < 8; i++)
                server->log_id = server->log_id << 8 | hash[i];
        snprintf(server->id_literal, sizeof server->id_literal, "%lld", (long long)server->log_id);
        return PAWL_OK;
}

/* The log's row. *there false: there is none, or no tables at all. */
static pawl_status find(bool *there, tables *found, pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        const pawl_text name = pawl__text(server->address.log);
        PGresult *result = NULL;

        *there = false;
        pawl_status status = pawl__server_execute(&result, log,
                "SELECT CAST(CASE WHEN to_regclass('pawl.logs') IS NULL THEN 0 "
                "WHEN to_regclass('pawl.packed') IS NULL THEN 1 ELSE 2 END AS bigint)",
                NULL, 0, "open it", err);
        if (status)
                return status;
        pawl__postgres_query answer = {
                .base.engine = &pawl__postgres_engine, .log = log, .result = result};
        *found = pq->PQntuples(result) == 1 ? (tables)pawl__query_integer(&answer.base, 0)
                                            : NO_TABLES;
        pq->PQclear(result);
        if (*found == NO_TABLES)
                return PAWL_OK;
        status = pawl__server_execute(&result, log,
                "SELECT log_id, version FROM pawl.logs WHERE name = $1", &name, 1, "open it", err);
        if (status)
                return status;
        pawl__postgres_query row = {
                .base.engine = &pawl__postgres_engine, .log = log, .result = result};
        *there = pq->PQntuples(result) == 1;
        if (*there && (pawl__query_value(&row.base, 0).type != PAWL__SQL_INTEGER ||
                              pawl__query_value(&row.base, 1).type != PAWL__SQL_INTEGER))
                status = pawl__server_unexpected(log, "the log's row is none", err);
        else if (*there && pawl__query_integer(&row.base, 0) != server->log_id)
                status = pawl__fail(err, PAWL_EDAMAGED,
                        "%s: its row in pawl.logs has the number of another log; remove that row, "
                        "or put back a copy of the database",
                        log->path);
        else if (*there)
                log->version = (int)pawl__query_integer(&row.base, 1);
        pq->PQclear(result);
        return status;
}

static pawl_status execute_all(pawl_log *log, const char *statements, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (const char *sql = statements; *sql && !status; sql += strlen(sql) + 1)
                status = pawl__server_execute(NULL, log, sql, NULL, 0, "make its tables", err);
        return status;
}

/* What tables of version 4 lack, beside whole ones; the statements of the schema rely on it. */
static const char since_4[] =
        "ALTER TABLE pawl.runs ADD COLUMN IF NOT EXISTS untold bigint NOT NULL DEFAULT 0\0";

/* What is compressed already is not tried again. */
static const char stored_as_it_is[] =
        "ALTER TABLE pawl.contents ALTER COLUMN data SET STORAGE EXTERNAL\0"
        "ALTER TABLE pawl.packs ALTER COLUMN data SET STORAGE EXTERNAL\0";

static pawl_status put_row(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        char version[16];
        PGresult *result = NULL;

        snprintf(version, sizeof version, "%d", pawl__postgres_version());
        const pawl_text texts[] = {pawl__text(server->id_literal), pawl__text(server->address.log),
                pawl__text(version)};

        TRY(pawl__server_execute(&result, log,
                "INSERT INTO pawl.logs (log_id, name, version, head_seq, head_hash, applied_seq) "
                "VALUES (CAST($1 AS bigint), $2, CAST($3 AS bigint), 0, "
                "decode(repeat('00', 32), 'hex'), 0) ON CONFLICT DO NOTHING",
                texts, 3, "make its tables", err));
        log->made = strcmp(server->pq->PQcmdTuples(result), "1") == 0;
        server->pq->PQclear(result);
        return log->made ? pawl__key_set(log, err) : PAWL_OK;
}

/* A log of an older version is one of today, once the tables are. */
static pawl_status set_version(pawl_log *log, pawl_error *err)
{
        char version[16];

        snprintf(version, sizeof version, "%d", pawl__postgres_version());
        const pawl_text texts[] = {pawl__text(log->server->id_literal), pawl__text(version)};
        return pawl__server_execute(NULL, log,
                "UPDATE pawl.logs SET version = CAST($2 AS bigint) "
                "WHERE log_id = CAST($1 AS bigint) AND version < CAST($2 AS bigint)",
                texts, 2, "make its tables", err);
}

/* In one transaction: the tables, if need be, and the log's row. */
static pawl_status make(pawl_log *log, bool there, tables found, pawl_error *err)
{
        pawl__buf schema = PAWL__BUF_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = pawl__postgres_schema(&schema, err);

        if (!status)
                status = pawl__server_execute(NULL, log, "BEGIN", NULL, 0, "make its tables", err);
        if (!status && found == OLDER_TABLES)
                status = execute_all(log, since_4, err);
        if (!status && found != TABLES)
                status = execute_all(log, schema.data, err);
        if (!status && found != TABLES)
                status = execute_all(log, stored_as_it_is, err);
        if (!status && found != TABLES) /* one that another role made meanwhile stays as it is */
                status = pawl__trust_look(log, err);
        if (!status)
                status = there ? set_version(log, err) : put_row(log, err);
        pawl__buf_free(&schema);
        if (!status)
                status = pawl__server_execute(NULL, log, "COMMIT", NULL, 0, "make its tables", err);
        if (!status)
                return PAWL_OK;
        log->made = false;
        if (pawl__server_execute(NULL, log, "ROLLBACK", NULL, 0, "make its tables", &why))
                log->server->lost = true;
        return status;
}

static pawl_status check_version(const pawl_log *log, pawl_error *err)
{
        if (log->version > pawl__postgres_version())
                return pawl__fail(err, PAWL_ENEWER,
                        "%s: was written by a newer Pawl (schema %d, this one knows %d); use that "
                        "one",
                        log->path, log->version, pawl__postgres_version());
        return PAWL_OK;
}

static pawl_status find_or_make(pawl_log *log, pawl_error *err)
{
        const bool create = log->flags & PAWL_LOG_CREATE;
        const struct pawl__server *server = log->server;
        const bool reads = log->flags & PAWL_LOG_READONLY;
        tables found = NO_TABLES;
        bool there = false;
        pawl_status status;

        for (int i = 0;; i++) {
                status = pawl__server_ready(log, err);
                if (!status)
                        status = find(&there, &found, log, err);
                if (!status && there &&
                        (reads || (found == TABLES && log->version >= pawl__postgres_version())))
                        return check_version(log, err);
                if (!status && !there && !create)
                        return pawl__fail(err, PAWL_ENOTFOUND,
                                "%s: there is no log \"%s\" in this database; make it with "
                                "`pawl init`, or see `pawl list-logs`",
                                log->path, log->server->address.log);
                if (!status && i == TRIES)
                        return pawl__fail(err, PAWL_EDAMAGED,
                                "%s: cannot make the log: its row in pawl.logs is not there after "
                                "it was written; look for another row with log_id %s",
                                log->path, server->id_literal);
                if (!status)
                        status = make(log, there, found, err);
                if (status && server->lost && pawl__server_again(log))
                        continue;
                if (status && !((create || there) && i < TRIES && was_made_meanwhile(err->message)))
                        return status;
        }
}

static pawl_status connect_log(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = calloc(1, sizeof *server);
        pawl_status status;

        if (!server)
                return pawl__nomem(err);
        log->server = server;
        server->answer_max = PAWL__ANSWER_MAX;
        server->calm = PAWL__CALM;
        status = pawl__postgres_load(&server->pq, err);
        if (!status)
                status = pawl__address_parse(&server->address, log->name, err);
        if (status)
                return status;
        log->path = strdup(server->address.shown);
        if (!log->path)
                return pawl__nomem(err);
        if (!log->hasher)
                status = pawl__hasher_new(&log->hasher, err);
        if (!status)
                status = choose_id(log, err);
        if (!status)
                status = pawl__server_connect(log, false, err);
        return status;
}

static pawl_status open_log(pawl_log *log, pawl_error *err)
{
        pawl_error unwanted;
        pawl_status status = connect_log(log, err);

        return status ? status : find_or_make(log, err ? err : &unwanted);
}

static void close_log(pawl_log *log)
{
        struct pawl__server *server = log->server;

        if (!server)
                return;
        if (server->pq) {
                pawl__postgres_rollback(log, false);
                for (size_t i = 0; i < sizeof server->own / sizeof server->own[0]; i++)
                        if (server->own[i])
                                pawl__postgres_finalize(&server->own[i]->base);
                pawl__deferred_free(log);
                pawl__queries_finalize(log);
                pawl__server_disconnect(log);
        }
        pawl__address_free(&server->address);
        free(server->pending);
        free(server);
        log->server = NULL;
}

static pawl_status derive_anew(pawl_log *log, pawl_error *err)
{
        pawl__buf statements = PAWL__BUF_INIT;
        pawl_status status = pawl__postgres_derived(&statements, log->server->id_literal, err);

        for (const char *sql = statements.data; !status && *sql; sql += strlen(sql) + 1) {
                pawl__query *query;
                status = pawl__postgres_prepare(&query, log, sql, err);
                if (status)
                        break;
                status = pawl__postgres_run(query, NULL, "make its tables", err);
                pawl__postgres_finalize(query);
        }
        pawl__buf_free(&statements);
        log->server->applied = 0;
        return status;
}

static pawl_status list(pawl_log *log, pawl__log_listed_fn fn, void *user, pawl_error *err)
{
        pawl__query *query = NULL;
        tables found;
        bool there;
        pawl_status row = PAWL_OK, status = find(&there, &found, log, err);

        if (status || found == NO_TABLES)
                return status;
        status = pawl__postgres_prepare(&query, log,
                "SELECT name, head_seq, head_hash, key_check IS NOT NULL FROM pawl.logs "
                "ORDER BY name",
                err);
        while (!status && (row = pawl__postgres_step(query, "read it", err)) == PAWL_OK) {
                pawl__log_listed listed = {.name = pawl__query_text(query, 0),
                        .head_seq = (uint64_t)pawl__query_integer(query, 1),
                        .keyed = pawl__query_integer(query, 3)};
                if (!listed.name.data || !pawl__query_hash(listed.head_hash, query, 2))
                        status = pawl__server_unexpected(log, "a log's row is none", err);
                else
                        status = fn(&listed, user, err);
        }
        pawl__query_finalize(query);
        return status ? status : row < 0 ? row : PAWL_OK;
}

pawl_status pawl__log_list(const char *url, pawl__log_listed_fn fn, void *user, pawl_error *err)
{
        pawl_log *log = calloc(1, sizeof *log);

        if (!log)
                return pawl__nomem(err);
        log->engine = &pawl__postgres_engine;
        log->signal_fd = -1;
        log->flags = PAWL_LOG_READONLY;
        log->busy_ms = 5000;
        log->name = strdup(url);
        pawl_status status = log->name ? connect_log(log, err) : pawl__nomem(err);
        if (!status)
                status = list(log, fn, user, err);
        close_log(log);
        pawl__hasher_free(log->hasher);
        free(log->path);
        free(log->name);
        free(log);
        return status;
}

/* Another handle of this process wrote for this one: what was acknowledged is at the head, or
 * before it. */
static void follow(pawl_log *log)
{
        struct pawl__server *server = log->server;
        unsigned char hash[32];
        uint64_t seq;

        if (!pawl_log_head(&seq, hash, log)) {
                server->acked_seq = seq;
                memcpy(server->acked_hash, hash, 32);
        }
}

/* The connection may have ended since, and another server may be in its place. */
static pawl_status keep(pawl_log *log)
{
        struct pawl__server *server = log->server;

        if (server->acked_seq && server->conn && !server->in_transaction && !server->viewing &&
                (!server->pq->PQconsumeInput(server->conn) ||
                        server->pq->PQstatus(server->conn) != CONNECTION_OK))
                server->lost = true;
        return server->acked_seq ? pawl__server_ready(log, &log->err) : PAWL_OK;
}

static bool assumes(const pawl_log *log)
{
        return log->server->in_transaction && log->server->assumed;
}

static bool is_away(const pawl_log *log)
{
        return !log->server->conn || log->server->lost;
}

static pawl_status busy(pawl_log *log, const char *doing, pawl_error *err)
{
        return pawl__fail(err, PAWL_EBUSY,
                "%s: cannot %s: another writer has kept it locked for %u ms; try again later",
                log->path, doing, log->busy_ms);
}

/* A query whose one row has come. */
static pawl_status ask(pawl__query **out, pawl_log *log, const char *sql)
{
        pawl_status status = pawl__postgres_prepare(out, log, sql, &log->err);

        if (status)
                return status;
        status = pawl__postgres_step(*out, "read it", &log->err);
        if (status >= 0)
                return PAWL_OK;
        pawl__postgres_finalize(*out);
        return status;
}

/* Of the log's own rows, as they are stored: a query over all tables, which the server writes. */
static pawl_status space(uint64_t *files, uint64_t *free_bytes, pawl_log *log)
{
        enum { BESIDE = 28 }; /* of a row, beside its columns */
        pawl__buf sql = PAWL__BUF_INIT;
        pawl__query *query;

        pawl__buf_addf(&sql,
                "SELECT 'SELECT CAST(coalesce(sum(n), 0) AS bigint) FROM (' || string_agg(q, ' "
                "UNION ALL ') || ') AS rows (n)' FROM (SELECT 'SELECT sum(%d + ' || "
                "string_agg('coalesce(pg_column_size(' || quote_ident(a.attname) || '), 0)', "
                "' + ') || ') FROM pawl.' || quote_ident(c.relname) || ' WHERE log_id = %s' "
                "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute "
                "a ON a.attrelid = c.oid WHERE n.nspname = 'pawl' AND c.relkind = 'r' AND "
                "a.attnum > 0 AND NOT a.attisdropped GROUP BY c.relname) AS tables (q)",
                BESIDE, log->server->id_literal);
        pawl_status status = pawl__buf_check(&sql, &log->err);
        if (!status)
                status = ask(&query, log, sql.data);
        pawl__buf_clear(&sql);
        if (!status) {
                pawl__buf_add_text(&sql, pawl__query_text(query, 0));
                pawl__postgres_finalize(query);
                status = pawl__buf_check(&sql, &log->err);
        }
        if (!status)
                status = ask(&query, log, sql.data);
        if (!status) {
                *files = (uint64_t)pawl__query_integer(query, 0);
                *free_bytes = 0;
                pawl__postgres_finalize(query);
        }
        pawl__buf_free(&sql);
        return status;
}

/* The end of the connection is not said: it is the parent's, too. */
static void abandon(pawl_log *log)
{
        struct pawl__server *server = log->server;

        if (server && server->conn && server->pq->PQsocket(server->conn) >= 0)
                close(server->pq->PQsocket(server->conn));
}

const pawl__engine pawl__postgres_engine = {
        .sql = pawl__postgres_sql,
        .open = open_log,
        .close = close_log,
        .abandon = abandon,
        .refresh = pawl__server_ready,
        .prepare = pawl__postgres_prepare,
        .finalize = pawl__postgres_finalize,
        .bind = pawl__postgres_bind,
        .step = pawl__postgres_step,
        .prefetch = pawl__postgres_prefetch,
        .run = pawl__postgres_run,
        .reset = pawl__postgres_reset,
        .value = pawl__postgres_value,
        .nomem = pawl__postgres_nomem,
        .begin = pawl__postgres_begin,
        .commit = pawl__postgres_commit,
        .rollback = pawl__postgres_rollback,
        .again = pawl__server_again,
        .assumes = assumes,
        .view_begin = pawl__postgres_view_begin,
        .view_end = pawl__postgres_view_end,
        .derive_anew = derive_anew,
        .assumed = pawl__postgres_assumed,
        .follow = follow,
        .keeps_rows = true,
        .keep = keep,
        .is_away = is_away,
        .busy = busy,
        .space = space,
};
