/* Queries on a server. A query's rows are there whole after its step. */
#include "events/postgres/server.h"
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

/* How many parameters the text has: the greatest N of $N. */
static int count_parameters(const char *sql)
{
        int most = 0;

        for (const char *at = strchr(sql, '$'); at; at = strchr(at + 1, '$')) {
                const int n = atoi(at + 1);
                most = n > most ? n : most;
        }
        return most;
}

enum { NO_NUMBER = -1 };

static int which_of(const char *sql)
{
        for (int i = 0; i < PAWL__STMTS; i++)
                if (pawl__postgres_sql[i] == sql)
                        return i;
        return NO_NUMBER;
}

pawl_status pawl__postgres_prepare(
        pawl__query **out, pawl_log *log, const char *sql, pawl_error *err)
{
        pawl__postgres_query *q = calloc(1, sizeof *q);
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status =
                q ? pawl__sql_expand(&text, sql, log->server->id_literal, err) : pawl__nomem(err);

        if (!status && count_parameters(text.data) > PAWL__PARAMS_MAX)
                status = pawl__fail(err, PAWL_ETOOBIG,
                        "%s: a statement has more than %d parameters; use fewer scopes", log->path,
                        PAWL__PARAMS_MAX);
        if (!status && !(q->sql = pawl__buf_take(&text, NULL)))
                status = pawl__nomem(err);
        pawl__buf_free(&text);
        if (status) {
                free(q);
                return status;
        }
        q->base.engine = &pawl__postgres_engine;
        q->log = log;
        q->which = which_of(sql);
        q->n = count_parameters(q->sql);
        q->keys = pawl__rows_keys(q->sql);
        q->of_state = q->which < 0 && q->n == 0 && !strstr(q->sql, "pawl.leases");
        *out = &q->base;
        return PAWL_OK;
}

/* In a transaction nothing goes on after a failure, which is what every later call says, even where
 * this one's caller does not want to know. */
static pawl_status keep_failure(pawl_log *log, pawl_status status, const pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (status && server->in_transaction && !server->failed) {
                server->failed = true;
                server->why = *err;
        }
        return status;
}

void pawl__postgres_finalize(pawl__query *self)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;

        struct pawl__server *server = q->log->server;
        pawl_error why = PAWL_ERROR_INIT;

        if ((server->deferring && server->n_deferred && pawl__deferred_begin(q->log, &why)) ||
                (server->queues && pawl__queue_send(q->log, &why)))
                (void)keep_failure(q->log, why.status, &why);
        for (int i = 0; i <= PAWL__ROWS_FEW; i++)
                if (q->twins[i])
                        pawl__postgres_finalize(&q->twins[i]->base);
        for (size_t i = server->at; i < server->n_pending; i++)
                if (server->pending[i].prepares == q)
                        server->pending[i].prepares = NULL;
        pawl__postgres_reset(self);
        pawl__prefetch_drop(q->log, q);
        if (q->kept)
                q->log->server->pq->PQclear(q->kept);
        pawl__arena_free(&q->escaped);
        free(q->sql);
        free(q);
}

/*
 * The state tables change with the log alone. So what a query without parameters gave is what it
 * gives in a transaction which finds the log at the same seq: where it was asked in one that found
 * it there, too, or since the event of that seq was acknowledged to us. That holds until something
 * is written.
 */
static bool is_kept(const pawl__postgres_query *q)
{
        const struct pawl__server *server = q->log->server;

        return q->kept && server->in_transaction && server->whole &&
               q->kept_seq == server->begun_seq;
}

/* At which seq is what is asked now known to be read? 0: at none. */
static uint64_t seq_of(const pawl__postgres_query *q)
{
        const struct pawl__server *server = q->log->server;

        if (!q->of_state || server->viewing)
                return 0;
        if (!server->in_transaction)
                return server->acked_seq;
        return server->whole ? server->begun_seq : 0;
}

static void put_away(pawl__postgres_query *q)
{
        const pawl__postgres_library *pq = q->log->server->pq;

        if (q->kept)
                pq->PQclear(q->kept);
        q->kept = NULL;
        q->kept_seq = q->seq;
        if (q->seq && pq->PQntuples(q->result) <= 1)
                q->kept = q->result;
        else
                pq->PQclear(q->result);
}

void pawl__postgres_reset(pawl__query *self)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;

        if (q->result)
                put_away(q);
        q->result = NULL;
        q->row = 0;
        q->n_given = 0;
        q->nomem = false;
        pawl__arena_clear(&q->escaped);
        memset(q->values, 0, (size_t)q->n * sizeof *q->values);
        memset(q->lengths, 0, (size_t)q->n * sizeof *q->lengths);
}

/* ---- Running --------------------------------------------------------------------------------- */

static pawl_status failed_before(const struct pawl__server *server, pawl_error *err)
{
        return pawl__fail(err, server->why.status, "%s", server->why.message);
}

/* Send it and wait for its answer. A read, or a statement that does the same when it is done twice,
 * is sent again where the connection was lost. */
static pawl_status ask(pawl__postgres_query *q, const char *doing, pawl_error *err)
{
        pawl_log *log = q->log;
        struct pawl__server *server = log->server;
        pawl_status status;

        for (;;) {
                status = server->in_transaction || server->viewing ? PAWL_OK
                                                                   : pawl__server_ready(log, err);
                if (!status)
                        status = pawl__send(q, &q->result, doing, err);
                if (!status)
                        status = pawl__exchange(log, doing, err);
                if (!status && q->result) {
                        if (!server->in_transaction && !server->viewing)
                                server->tries = 0;
                        return PAWL_OK;
                }
                if (!status)
                        status = pawl__server_unexpected(log, "a statement has none", err);
                if (q->result)
                        server->pq->PQclear(q->result);
                q->result = NULL;
                if (server->in_transaction || server->viewing || !pawl__server_again(log))
                        return keep_failure(log, status, err);
        }
}

/* The row of a lease that is assumed: its fence, and that it is held. */
static pawl_status assume(pawl__postgres_query *q, pawl_error *err)
{
        const pawl_text run_id = {q->values[0], (size_t)q->lengths[0]};
        pawl_status status = pawl__lease_assume(&q->given[0], q->log, run_id, err);

        if (status == PAWL_OK) {
                q->given[1] = 1;
                q->n_given = 2;
        }
        return status == PAWL_DONE ? PAWL_OK : keep_failure(q->log, status, err);
}

/* Rows that begin() has asked for already, or that it knows. */
static bool known(pawl__postgres_query *q)
{
        struct pawl__server *server = q->log->server;

        if (!server->in_transaction)
                return false;
        if (is_kept(q)) {
                q->result = q->kept;
                q->seq = q->kept_seq;
                q->kept = NULL;
                return true;
        }
        if (q->which == PAWL__STMT_PLACE) {
                q->given[0] = server->applied;
                q->given[1] = (int64_t)q->log->head_seq;
                q->n_given = 2;
                return true;
        }
        q->result = pawl__prefetch_take(q);
        return q->result != NULL;
}

/* A head that was read outside of a transaction. */
static void note_head(pawl__postgres_query *q)
{
        const pawl_text hash = pawl__query_bytes(&q->base, 1);

        if (!q->log->server->in_transaction && hash.len == 32)
                pawl__head_note(q->log, (uint64_t)pawl__query_integer(&q->base, 0),
                        (const unsigned char *)hash.data);
}

pawl_status pawl__postgres_step(pawl__query *self, const char *doing, pawl_error *err)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        pawl_log *log = q->log;
        pawl_error unwanted;

        err = err ? err : &unwanted;
        if (q->n_given) /* of one row */
                return PAWL_DONE;
        if (q->result) {
                q->row++;
        } else {
                if (log->server->failed)
                        return failed_before(log->server, err);
                if (pawl__interrupt_waits(log))
                        return keep_failure(log, pawl__interrupt_fail(log, err), err);
                pawl_status status = PAWL_OK;
                if (q->which == PAWL__STMT_LEASE_GET && q->values[0])
                        status = assume(q, err);
                if (!status && !q->n_given && !known(q)) {
                        q->seq = seq_of(q);
                        status = ask(q, doing, err);
                }
                if (status)
                        return status;
                if (q->which == PAWL__STMT_HEAD)
                        note_head(q);
                q->row = 0;
                if (q->n_given)
                        return PAWL_OK;
        }
        return q->row < log->server->pq->PQntuples(q->result) ? PAWL_OK : PAWL_DONE;
}

/* What is read again must be what it is now: a lease, and all but the log's own tables. */
static void note_write(pawl__postgres_query *q)
{
        switch (q->which) {
        case PAWL__STMT_LEASE_PUT:
        case PAWL__STMT_LEASE_RENEW:
        case PAWL__STMT_LEASE_RELEASE:
                q->log->server->leases_change = true;
                /* fall through */
        case NO_NUMBER:
                pawl__prefetch_drop(q->log, NULL);
                break;
        case PAWL__STMT_INSERT:
                if (q->log->queries[PAWL__STMT_TYPES])
                        pawl__prefetch_drop(
                                q->log, (pawl__postgres_query *)q->log->queries[PAWL__STMT_TYPES]);
                break;
        default:
                break;
        }
}

pawl_status pawl__postgres_run(
        pawl__query *self, int64_t *changes, const char *doing, pawl_error *err)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        pawl_log *log = q->log;
        struct pawl__server *server = log->server;
        pawl_error unwanted;
        pawl_status status;

        err = err ? err : &unwanted;
        server->whole = false;
        if (server->failed) {
                status = failed_before(server, err);
        } else if (q->which == PAWL__STMT_PLACE_PUT && server->in_transaction) {
                int64_t applied = 0; /* with the head, in commit() */
                memcpy(&applied, q->values[0], sizeof applied);
                server->applied = (int64_t)be64toh((uint64_t)applied);
                status = PAWL_OK;
        } else if (!changes && server->in_transaction) {
                note_write(q);
                status = pawl__defer(q, doing, err);
                if (!status)
                        status = pawl__send_some(log, doing, err);
                status = keep_failure(log, status, err);
        } else {
                note_write(q);
                status = ask(q, doing, err);
                if (!status && changes)
                        *changes = strtoll(server->pq->PQcmdTuples(q->result), NULL, 10);
        }
        pawl__postgres_reset(self);
        return status;
}
