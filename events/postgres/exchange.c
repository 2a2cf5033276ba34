/*
 * Sending statements and taking their answers.
 *
 * What is sent is in libpq's buffer, and from 64 KiB on goes to the server as it comes; answers
 * are taken in between, or both sides could wait for the other to read. An exchange ends with a
 * Sync: after it, the server has answered everything, and goes on after a failure.
 */
#include "events/postgres/server.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

enum {
        SLICE_MS = 100,
        CANCEL_MS = 5000, /* for so long a server may be silent to who was interrupted */
        MANY = 256,
        MANY_BYTES = 1 << 20
};

int64_t pawl__now_ms(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static pawl_status push(pawl_log *log, pawl__pending_kind kind, PGresult **result,
        const char *doing, pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (pawl__grow(&server->pending, &server->cap_pending, server->n_pending + 1,
                    sizeof *server->pending))
                return pawl__nomem(err);
        pawl__pending *added = &server->pending[server->n_pending++];
        added->kind = kind;
        added->result = result;
        added->doing = doing;
        added->prepares = NULL;
        added->events = 0;
        return PAWL_OK;
}

/* The parameters have other types than it was prepared for, or it was in another session. */
static bool must_prepare(const pawl__postgres_query *q, const struct pawl__server *server)
{
        return q->prepared != server->connection ||
               memcmp(q->types, q->prepared_types, (size_t)q->n * sizeof *q->types) != 0;
}

static bool send_query(pawl__postgres_query *q, struct pawl__server *server, bool named)
{
        int binary[PAWL__PARAMS_MAX];

        for (int i = 0; i < q->n; i++)
                binary[i] = 1;
        return named ? server->pq->PQsendQueryPrepared(
                               server->conn, q->name, q->n, q->values, q->lengths, binary, 1)
                     : server->pq->PQsendQueryParams(server->conn, q->sql, q->n, q->types,
                               q->values, q->lengths, binary, 1);
}

static bool is_own(const pawl__postgres_query *q, pawl__own_statement which)
{
        return q == q->log->server->own[which];
}

/* Behind a pooler: is it the first of a transaction, of which the session knows nothing yet? BEGIN
 * is followed by the limits, which set the path too. */
static bool needs_path(const pawl__postgres_query *q)
{
        const struct pawl__server *server = q->log->server;

        return server->pooled && !server->n_pending && !server->in_transaction &&
               !server->viewing && !is_own(q, PAWL__OWN_BEGIN) && !is_own(q, PAWL__OWN_LIMITS) &&
               !is_own(q, PAWL__OWN_PATH) && !is_own(q, PAWL__OWN_VIEW);
}

pawl_status pawl__send(
        pawl__postgres_query *q, PGresult **result, const char *doing, pawl_error *err)
{
        pawl__postgres_query *path;
        pawl_log *log = q->log;
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        pawl_status status = PAWL_OK;

        if (q->nomem)
                return pawl__nomem(err);
        if (server->deferring)
                status = pawl__deferred_begin(log, err);
        else if (server->queues)
                status = pawl__queue_send(log, err);
        if (status)
                return status;
        if (server->lost || !server->conn)
                return pawl__server_lost(log, "the connection was lost", doing, err);
        if (needs_path(q))
                status = pawl__send_own(&path, log, PAWL__OWN_PATH, false, err);
        if (status)
                return status;
        for (int i = 0; i < q->n; i++)
                if (!q->types[i])
                        q->types[i] = 25;              /* text */
        const bool named = !server->pooled && q->used; /* what is used once is not kept */
        q->used = true;
        if (named && must_prepare(q, server)) {
                snprintf(q->name, sizeof q->name, "pawl%u", ++server->names);
                status = push(log, PAWL__PENDING_RUN, NULL, doing, err);
                if (status)
                        return status;
                if (!pq->PQsendPrepare(server->conn, q->name, q->sql, q->n, q->types))
                        return pawl__server_lost(log, pq->PQerrorMessage(server->conn), doing, err);
                server->pending[server->n_pending - 1].prepares = q;
                q->prepared = server->connection;
                memcpy(q->prepared_types, q->types, sizeof q->types);
        }
        status = push(log, result ? PAWL__PENDING_ROWS : PAWL__PENDING_RUN, result, doing, err);
        if (status)
                return status;
        if (!send_query(q, server, named))
                return pawl__server_lost(log, pq->PQerrorMessage(server->conn), doing, err);
        for (int i = 0; i < q->n; i++)
                server->queued_bytes += (size_t)q->lengths[i];
        return PAWL_OK;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

/* One result of the statement whose turn it is. *first: the first failure. */
static void take(pawl_log *log, PGresult *result, pawl_status *first, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        pawl__pending *now = &server->pending[server->at];
        const ExecStatusType kind = pq->PQresultStatus(result);

        if (now->prepares && kind != PGRES_COMMAND_OK)
                now->prepares->prepared = 0; /* what was before it failed */
        switch (kind) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
                if (now->kind == PAWL__PENDING_ROWS && !*now->result) {
                        *now->result = result;
                        return;
                }
                if (now->events && strtoull(pq->PQcmdTuples(result), NULL, 10) != now->events) {
                        *first = pawl__server_fail(
                                log, "22012", "the server left out events", now->doing, err);
                        log->lost = *err;
                }
                break;
        case PGRES_PIPELINE_SYNC:
                if (now->kind == PAWL__PENDING_SYNC)
                        server->at++;
                else if (!*first)
                        *first = pawl__server_unexpected(log, "it is out of step", err);
                break;
        case PGRES_PIPELINE_ABORTED:
                break;
        case PGRES_FATAL_ERROR:
                if (!*first)
                        *first = pq->PQstatus(server->conn) == CONNECTION_BAD &&
                                                 !*pawl__sqlstate(log, result)
                                         ? pawl__server_lost(log, pq->PQresultErrorMessage(result),
                                                   now->doing, err)
                                         : pawl__server_fail_result(log, result, now->doing, err);
                break;
        default: /* COPY and others, which we never ask for */
                if (!*first)
                        *first = pawl__server_unexpected(
                                log, "it begins what nobody asked for", err);
                server->lost = true;
                break;
        }
        pq->PQclear(result);
}

/* Take what is there. */
static void take_all(pawl_log *log, pawl_status *first, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;

        while (server->at < server->n_pending && !server->lost && !pq->PQisBusy(server->conn)) {
                const bool sync = server->pending[server->at].kind == PAWL__PENDING_SYNC;
                PGresult *result = pq->PQgetResult(server->conn);
                if (result)
                        take(log, result, first, err);
                else if (!sync)
                        server->at++;
                else if (pq->PQstatus(server->conn) == CONNECTION_BAD)
                        server->lost = true;
                else
                        break; /* it comes with the next bytes */
        }
}

/* Read once. */
static pawl_status consume(pawl_log *log, const char *doing, pawl_error *err)
{
        struct pawl__server *server = log->server;
        int there = 0;

        if (ioctl(server->pq->PQsocket(server->conn), FIONREAD, &there) == 0)
                server->answered_bytes += there;
        if (!server->pq->PQconsumeInput(server->conn))
                return pawl__server_lost(log, server->pq->PQerrorMessage(server->conn), doing, err);
        if (server->answered_bytes > server->answer_max || server->notices > 100000)
                return pawl__server_unexpected(log, "it does not end", err);
        return PAWL_OK;
}

typedef struct cancelling {
        const pawl__postgres_library *pq;
        PGcancel *request;
} cancelling;

static void *run_cancel(void *user)
{
        cancelling *c = user;
        char why[256];

        (void)c->pq->PQcancel(c->request, why, sizeof why);
        c->pq->PQfreeCancel(c->request);
        free(c);
        return NULL;
}

/* libpq waits for the server without end: in a thread of its own, which nobody waits for. */
static void cancel(struct pawl__server *server)
{
        cancelling *c = malloc(sizeof *c);
        sigset_t all, before;
        pthread_t thread;

        if (!c)
                return;
        *c = (cancelling){server->pq, server->pq->PQgetCancel(server->conn)};
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the caller's */
        const bool runs = c->request && pthread_create(&thread, NULL, run_cancel, c) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (runs) {
                pthread_detach(thread);
                return;
        }
        c->pq->PQfreeCancel(c->request);
        free(c);
}

/* Send; with @p all, until everything that was sent is answered. */
static pawl_status pump(pawl_log *log, bool all, const char *doing, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        int64_t heard = pawl__now_ms(), hurried = 0;
        const int64_t silent_ms = log->impatient ? PAWL__IMPATIENT_MS : PAWL__SILENT_MS;
        bool cancelled = false;
        pawl_status first = PAWL_OK;

        for (;;) {
                const int unsent = pq->PQflush(server->conn);
                take_all(log, &first, err);
                if (!first && (unsent < 0 || server->lost))
                        first = pawl__server_lost(
                                log, pq->PQerrorMessage(server->conn), doing, err);
                if (server->lost || (all ? server->at == server->n_pending : !unsent))
                        return first;
                if (!cancelled && !server->undoing && pawl__interrupt_waits(log)) {
                        cancel(server);
                        cancelled = true;
                        heard = pawl__now_ms();
                }
                struct pollfd wait = {.fd = pq->PQsocket(server->conn),
                        .events = (short)(POLLIN | (unsent ? POLLOUT : 0))};
                const int ready = poll(&wait, 1, SLICE_MS);
                pawl_status status = PAWL_OK;
                if (ready > 0) {
                        heard = pawl__now_ms();
                        if (wait.revents & ~POLLOUT)
                                status = consume(log, doing, err);
                } else if (pawl__log_hurries(log) && !hurried) {
                        hurried = heard = pawl__now_ms();
                } else if (hurried && pawl__now_ms() - heard > PAWL__HURRIED_MS) {
                        status = pawl__server_give_up(log, doing, err);
                } else if (pawl__now_ms() - heard >
                           (cancelled ? CANCEL_MS : silent_ms + log->busy_ms)) {
                        status = pawl__server_lost(
                                log, "the server has not answered for too long", doing, err);
                }
                if (status)
                        return first ? first : status;
        }
}

/* What did not get its answer never will. */
static void forget_pending(struct pawl__server *server)
{
        server->n_pending = server->at = 0;
        server->queued_bytes = 0;
        server->answered_bytes = 0;
}

pawl_status pawl__send_some(pawl_log *log, const char *doing, pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (server->n_pending - server->at < MANY && server->queued_bytes < MANY_BYTES)
                return PAWL_OK;
        server->queued_bytes = 0;
        pawl_status status = pump(log, false, doing, err);
        if (server->at == server->n_pending)
                server->n_pending = server->at = 0;
        return status;
}

pawl_status pawl__exchange(pawl_log *log, const char *doing, pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (server->lost || !server->conn)
                return pawl__server_lost(log, "the connection was lost", doing, err);
        pawl_status status = push(log, PAWL__PENDING_SYNC, NULL, doing, err);
        if (status) {
                server->lost = true;
                return status;
        }
        if (!server->pq->PQpipelineSync(server->conn))
                status = pawl__server_lost(
                        log, server->pq->PQerrorMessage(server->conn), doing, err);
        if (!status)
                status = pump(log, true, doing, err);
        server->answered = !server->lost && server->at == server->n_pending;
        forget_pending(server);
        if (status && server->pq->PQstatus(server->conn) != CONNECTION_OK)
                server->lost = true;
        server->proven = server->in_transaction && !status;
        return status;
}
