/*
 * The writes of a transaction that assumes its head. Until something is asked they wait here, and
 * nothing is sent. When the first thing that goes is the commit, the log's row is written at the
 * beginning, with the head that the events lead to: one statement that locks the row, proves the
 * old head and puts the new one. Otherwise the row is locked and proven, and written at the end.
 *
 * Of a transaction that has begun, rows wait until some hundred of them can go by one statement
 * (rows.c), or something else is to be sent.
 */
#include "events/postgres/server.h"
#include <stdlib.h>

enum { MOST_BYTES = 256 << 10 /* that wait here */ };

void pawl__deferred_drop(pawl_log *log)
{
        struct pawl__server *server = log->server;

        server->deferring = server->queues = false;
        server->n_deferred = 0;
        server->deferred_bytes = 0;
        server->owned = NULL;
        pawl__arena_clear(&server->deferred_memory);
}

/* Copy what the query is bound to, into one piece. */
static bool copy_parameters(
        pawl__deferred *out, const pawl__postgres_query *q, struct pawl__server *server)
{
        const size_t n = (size_t)q->n, each = sizeof(char *) + sizeof(Oid) + sizeof(int);
        size_t bytes = 0;

        for (size_t i = 0; i < n; i++)
                bytes += (size_t)q->lengths[i];
        const char **values = pawl__arena_take(&server->deferred_memory, n * each + bytes);
        if (!values)
                return false;
        Oid *types = memcpy(values + n, q->types, n * sizeof *types);
        int *lengths = memcpy(types + n, q->lengths, n * sizeof *lengths);
        char *to = (char *)(lengths + n);
        for (size_t i = 0; i < n; to += lengths[i++])
                values[i] = q->values[i] ? memcpy(to, q->values[i], (size_t)lengths[i]) : NULL;
        server->deferred_bytes += bytes;
        *out = (pawl__deferred){NULL, NULL, q->n, types, values, lengths};
        return true;
}

pawl_status pawl__defer(pawl__postgres_query *q, const char *doing, pawl_error *err)
{
        pawl_log *log = q->log;
        struct pawl__server *server = log->server;

        if (!server->deferring && q->keys < 0)
                return pawl__send(q, NULL, doing, err);
        pawl__deferred added;
        if (q->nomem || !copy_parameters(&added, q, server) ||
                pawl__grow(&server->deferred, &server->cap_deferred, server->n_deferred + 1,
                        sizeof *server->deferred))
                return pawl__nomem(err);
        added.query = q;
        added.doing = doing;
        server->deferred[server->n_deferred++] = added;
        server->queues = !server->deferring;
        if (server->queues)
                return server->deferred_bytes > MOST_BYTES || server->n_deferred == PAWL__ROWS_MAX
                               ? pawl__queue_send(log, err)
                               : PAWL_OK;
        return server->deferred_bytes > MOST_BYTES ? pawl__deferred_begin(log, err) : PAWL_OK;
}

pawl_status pawl__deferred_send(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;

        server->deferring = false;
        return pawl__rows_send(server->deferred, server->n_deferred, err);
}

pawl_status pawl__queue_send(pawl_log *log, pawl_error *err)
{
        log->server->queues = false;
        pawl_status status = pawl__deferred_send(log, err);
        pawl__deferred_drop(log);
        return status;
}

void pawl__deferred_free(pawl_log *log)
{
        struct pawl__server *server = log->server;

        pawl__deferred_drop(log);
        pawl__arena_free(&server->deferred_memory);
        free(server->deferred);
}
