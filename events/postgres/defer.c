/*
 * The writes of a transaction that assumes its head. Until something is asked they wait here, and
 * nothing is sent. When the first thing that goes is the commit, the log's row is written at the
 * beginning, with the head that the events lead to: one statement that locks the row, proves the
 * old head and puts the new one. Otherwise the row is locked and proven, and written at the end.
 */
#include "events/postgres/server.h"
#include <stdlib.h>

enum { MOST_BYTES = 256 << 10 /* that wait here */ };

/* A statement with its parameters. */
struct pawl__deferred {
        pawl__postgres_query *query;
        const char *doing;
        int n;
        const Oid *types;
        const char *const *values;
        const int *lengths;
};

void pawl__deferred_drop(pawl_log *log)
{
        struct pawl__server *server = log->server;

        server->deferring = false;
        server->n_deferred = 0;
        server->deferred_bytes = 0;
        server->owned = NULL;
        pawl__arena_clear(&server->deferred_memory);
}

/* Copy what the query is bound to. */
static bool copy_parameters(
        pawl__deferred *out, const pawl__postgres_query *q, struct pawl__server *server)
{
        const size_t n = (size_t)q->n;
        pawl__arena *arena = &server->deferred_memory;
        Oid *types = pawl__arena_alloc(arena, (n + 1) * sizeof *types);
        const char **values = pawl__arena_alloc(arena, (n + 1) * sizeof *values);
        int *lengths = pawl__arena_alloc(arena, (n + 1) * sizeof *lengths);

        if (!types || !values || !lengths)
                return false;
        for (size_t i = 0; i < n; i++) {
                const size_t len = (size_t)q->lengths[i];
                types[i] = q->types[i];
                lengths[i] = q->lengths[i];
                values[i] = NULL;
                if (!q->values[i])
                        continue;
                char *copy = pawl__arena_alloc(arena, len + 1);
                if (!copy)
                        return false;
                memcpy(copy, q->values[i], len);
                values[i] = copy;
                server->deferred_bytes += len;
        }
        *out = (pawl__deferred){NULL, NULL, q->n, types, values, lengths};
        return true;
}

pawl_status pawl__defer(pawl__postgres_query *q, const char *doing, pawl_error *err)
{
        pawl_log *log = q->log;
        struct pawl__server *server = log->server;

        if (!server->deferring)
                return pawl__send(q, NULL, doing, err);
        pawl__deferred added;
        if (q->nomem || !copy_parameters(&added, q, server) ||
                pawl__grow(&server->deferred, &server->cap_deferred, server->n_deferred + 1,
                        sizeof *server->deferred))
                return pawl__nomem(err);
        added.query = q;
        added.doing = doing;
        server->deferred[server->n_deferred++] = added;
        return server->deferred_bytes > MOST_BYTES ? pawl__deferred_begin(log, err) : PAWL_OK;
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Several events by one statement, of which each number has its own. */
static pawl_status events_query(
        pawl__postgres_query **out, pawl_log *log, size_t n, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl__buf sql = PAWL__BUF_INIT;
        pawl__query *query;
        pawl_status status = PAWL_OK;

        if (!server->events[n - 2]) {
                pawl__buf_adds(&sql, pawl__postgres_sql[PAWL__STMT_INSERT]);
                for (size_t i = 1; i < n; i++)
                        for (size_t p = 1; p <= PAWL__EVENT_PARAMS; p++)
                                pawl__buf_addf(&sql, "%s?%zu%s", p == 1 ? ", ({log,} " : ",",
                                        i * PAWL__EVENT_PARAMS + p,
                                        p == PAWL__EVENT_PARAMS ? ")" : "");
                status = pawl__buf_check(&sql, err);
                if (!status)
                        status = pawl__postgres_prepare(&query, log, sql.data, err);
                if (!status)
                        server->events[n - 2] = (pawl__postgres_query *)query;
                pawl__buf_free(&sql);
        }
        if (!status) {
                *out = server->events[n - 2];
                pawl__postgres_reset(&(*out)->base);
        }
        return status;
}

static void put_parameters(pawl__postgres_query *q, int at, const pawl__deferred *from)
{
        for (int i = 0; i < from->n; i++) {
                if (from->types[i])
                        q->types[at + i] = from->types[i];
                q->values[at + i] = from->values[i];
                q->lengths[at + i] = from->lengths[i];
        }
}

/* Send those from @p first on that are one statement; how many they are is *n. */
static pawl_status send_next(size_t *n, pawl_log *log, size_t first, pawl_error *err)
{
        const struct pawl__server *server = log->server;
        const pawl__deferred *from = &server->deferred[first];
        pawl__postgres_query *q = from->query;
        pawl_status status = PAWL_OK;

        *n = 1;
        while (q->which == PAWL__STMT_INSERT && *n < PAWL__EVENTS_MAX &&
                first + *n < server->n_deferred && from[*n].query == q)
                ++*n;
        if (*n > 1)
                status = events_query(&q, log, *n, err);
        if (status)
                return status;
        for (size_t i = 0; i < *n; i++)
                put_parameters(q, (int)i * PAWL__EVENT_PARAMS, &from[i]);
        status = pawl__send(q, NULL, from->doing, err);
        pawl__postgres_reset(&q->base);
        return status;
}

pawl_status pawl__deferred_send(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl_status status = PAWL_OK;

        server->deferring = false;
        for (size_t i = 0, n = 1; i < server->n_deferred && !status; i += n)
                status = send_next(&n, log, i, err);
        return status;
}

void pawl__deferred_free(pawl_log *log)
{
        struct pawl__server *server = log->server;

        for (size_t i = 0; i < sizeof server->events / sizeof server->events[0]; i++)
                if (server->events[i])
                        pawl__postgres_finalize(&server->events[i]->base);
        pawl__deferred_drop(log);
        pawl__arena_free(&server->deferred_memory);
        free(server->deferred);
}
