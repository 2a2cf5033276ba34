/*
 * Transactions. A writer locks the row of its log, which has the head: begin() is one round trip,
 * and commit() another, in which everything goes that was written since.
 *
 * A COMMIT whose answer was lost is looked up: the row's lock is taken again, which is to be had
 * only when the transaction has ended, one way or the other; then the log's event at our seq is
 * ours, or it is not.
 */
#include "events/postgres/server.h"
#include <stdio.h>

static pawl_status send_own(pawl__postgres_query **out, pawl_log *log, pawl__own_statement which,
        bool rows, pawl_error *err)
{
        char limit[32];
        pawl_status status = pawl__own_query(out, log, which, err);

        if (status)
                return status;
        if (which == PAWL__OWN_LIMITS) {
                snprintf(limit, sizeof limit, "%ums", log->busy_ms ? log->busy_ms : 1);
                pawl__query_bind_text(&(*out)->base, 1, pawl__text(limit));
                pawl__query_bind_text(
                        &(*out)->base, 2, pawl__text(log->server->pooled ? "t" : "f"));
        }
        return pawl__send(*out, rows ? &(*out)->result : NULL, "append", err);
}

/* The head, from the row that is locked now. */
static pawl_status take_head(pawl_log *log, pawl__postgres_query *lock, pawl_error *err)
{
        const int64_t seq = pawl__postgres_integer(&lock->base, 0);

        if (log->server->pq->PQntuples(lock->result) != 1)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: the log is not there any more; put it back from a copy, or make it "
                        "again with `pawl init`",
                        log->path);
        if (pawl__postgres_type(&lock->base, 0) != PAWL__SQL_INTEGER || seq < 0 ||
                !pawl__query_hash(log->head_hash, &lock->base, 1) ||
                pawl__postgres_type(&lock->base, 2) != PAWL__SQL_INTEGER)
                return pawl__damaged(log, err, 0, "the log's head is not a seq and a hash");
        log->head_seq = (uint64_t)seq;
        log->server->begun_seq = log->head_seq;
        log->server->applied = pawl__postgres_integer(&lock->base, 2);
        log->server->whole = log->server->applied == seq;
        return PAWL_OK;
}

static pawl_status lock_log(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *q, *lock = NULL;
        pawl_status status = pawl__server_ready(log, err);

        if (status)
                return status;
        server->failed = server->retry = false;
        status = send_own(&q, log, PAWL__OWN_BEGIN, false, err);
        if (!status && server->limited != server->connection)
                status = send_own(&q, log, PAWL__OWN_LIMITS, false, err);
        if (!status)
                status = send_own(&lock, log, PAWL__OWN_LOCK, true, err);
        if (!status)
                status = pawl__prefetch(log, err);
        if (!status)
                status = pawl__exchange(log, "append", err);
        server->in_transaction = true;
        if (!status && !server->pooled)
                server->limited = server->connection;
        if (!status && !lock->result)
                status = pawl__server_odd(log, "a statement has none", err);
        if (!status)
                status = take_head(log, lock, err);
        if (lock)
                pawl__postgres_reset(&lock->base);
        if (status)
                pawl__postgres_rollback(log, false);
        return status;
}

pawl_status pawl__postgres_begin(pawl_log *log)
{
        pawl_status status;

        do
                status = lock_log(log, &log->err);
        while (status && pawl__server_again(log));
        return status;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Is that the log's event at @p seq? */
static pawl_status is_there(
        bool *there, pawl_log *log, uint64_t seq, const unsigned char hash[32], pawl_error *err)
{
        pawl__postgres_query *q;
        pawl_status status = pawl__own_query(&q, log, PAWL__OWN_ACKED, err);

        if (status)
                return status;
        pawl__query_bind_integer(&q->base, 1, (int64_t)seq);
        status = pawl__send(q, &q->result, "append", err);
        if (!status)
                status = pawl__exchange(log, "append", err);
        if (!status) {
                const pawl_text found = pawl__postgres_bytes(&q->base, 0);
                *there = found.len == 32 && memcmp(found.data, hash, 32) == 0;
        }
        pawl__postgres_reset(&q->base);
        return status;
}

/* Was the transaction committed, of whose COMMIT we have no answer? */
static pawl_status look_up(bool *committed, pawl_log *log, pawl_error *err)
{
        const uint64_t seq = log->head_seq, begun = log->server->begun_seq;
        unsigned char hash[32];
        pawl_status status;

        memcpy(hash, log->head_hash, 32);
        *committed = false;
        do {
                status = lock_log(log, err);
                if (!status && seq > begun)
                        status = is_there(committed, log, seq, hash, err);
                pawl__postgres_rollback(log, false);
        } while (status && pawl__server_again(log));
        log->head_seq = seq;
        memcpy(log->head_hash, hash, 32);
        log->server->begun_seq = begun;
        return status;
}

/* Whether it was committed cannot be asked. */
static pawl_status not_known(pawl_log *log, pawl_status status)
{
        char hex[65];

        log->server->retry = false;
        pawl__hex(hex, log->head_hash, 32);
        return pawl__fail(&log->err, status == PAWL_EINTERRUPTED ? status : PAWL_EIO,
                "%s: the connection was lost while seq %llu (%.16s) was committed, and the "
                "server cannot be asked whether it was; see with `eventlog show %llu` when "
                "it is up",
                log->path, (unsigned long long)log->head_seq, hex,
                (unsigned long long)log->head_seq);
}

/* The connection was lost behind the COMMIT. */
static pawl_status answer_lost(pawl_log *log)
{
        bool committed;
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = look_up(&committed, log, &why);

        if (status == PAWL_EDAMAGED) {
                log->err = why;
                return status;
        }
        if (status)
                return not_known(log, status);
        log->server->retry = !committed;
        return committed ? PAWL_OK : log->err.status;
}

static void acknowledge(pawl_log *log)
{
        struct pawl__server *server = log->server;

        server->in_transaction = false;
        server->tries = 0;
        pawl__prefetch_drop(log, NULL);
        if (log->head_seq > server->begun_seq) {
                server->acked_seq = log->head_seq;
                memcpy(server->acked_hash, log->head_hash, 32);
        }
}

pawl_status pawl__postgres_commit(pawl_log *log)
{
        struct pawl__server *server = log->server;
        pawl_error *err = &log->err;
        pawl__postgres_query *end, *commit = NULL;

        if (server->failed)
                return pawl__fail(err, server->why.status, "%s", server->why.message);
        pawl_status status = pawl__own_query(&end, log, PAWL__OWN_END, err);
        if (!status) {
                pawl__query_bind_integer(&end->base, 1, (int64_t)log->head_seq);
                const pawl__sql_value hash = {
                        PAWL__SQL_BYTES, {.bytes = {(const char *)log->head_hash, 32}}};
                pawl__postgres_bind(&end->base, 2, &hash);
                pawl__query_bind_integer(&end->base, 3, server->applied);
                pawl__query_bind_integer(&end->base, 4, (int64_t)server->begun_seq);
                status = pawl__send(end, &end->result, "append", err);
        }
        if (!status)
                status = send_own(&commit, log, PAWL__OWN_COMMIT, true, err);
        if (status)
                return status;
        status = pawl__exchange(log, "append", err);
        if (!status && (!end->result || !commit->result ||
                               strcmp(server->pq->PQcmdTuples(end->result), "1") != 0 ||
                               strcmp(server->pq->PQcmdStatus(commit->result), "COMMIT") != 0))
                status = pawl__server_odd(log, "a COMMIT that did not commit", err);
        pawl__postgres_reset(&end->base);
        pawl__postgres_reset(&commit->base);
        if (status && server->lost && (server->retry || status == PAWL_EINTERRUPTED)) {
                server->in_transaction = false;
                status = server->retry ? answer_lost(log) : not_known(log, status);
        }
        if (!status)
                acknowledge(log);
        return status;
}

void pawl__postgres_rollback(pawl_log *log, bool large)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *q;
        pawl_error why = PAWL_ERROR_INIT;

        (void)large;
        if (!server || !server->in_transaction)
                return;
        const bool retry = server->retry; /* of what failed */
        server->undoing = true;
        if (!server->lost && server->conn) {
                pawl_status status = send_own(&q, log, PAWL__OWN_ROLLBACK, false, &why);
                if (!status)
                        (void)!pawl__exchange(log, "append", &why);
                /* What failed was answered with the rest; the ROLLBACK comes last. */
                if (server->pq->PQtransactionStatus(server->conn) != PQTRANS_IDLE)
                        server->lost = true;
        }
        server->undoing = false;
        server->in_transaction = server->failed = false;
        server->limited = 0; /* what the transaction set is undone with it */
        server->retry = retry;
        pawl__prefetch_drop(log, NULL);
}

/* ---- A view ---------------------------------------------------------------------------------- */

pawl_status pawl__postgres_view_begin(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *q;
        pawl_status status = pawl__server_ready(log, err);

        if (status || server->in_transaction)
                return status;
        status = send_own(&q, log, PAWL__OWN_VIEW, false, err);
        if (!status)
                status = pawl__exchange(log, "read it", err);
        server->viewing = !status;
        server->view_connection = server->connection;
        return status;
}

bool pawl__postgres_view_end(pawl_log *log)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *q;
        pawl_error why = PAWL_ERROR_INIT;

        if (!server->viewing)
                return true;
        server->viewing = false;
        server->undoing = true;
        if (!server->lost) {
                pawl_status status = send_own(&q, log, PAWL__OWN_ROLLBACK, false, &why);
                if (!status)
                        status = pawl__exchange(log, "read it", &why);
                if (status)
                        server->lost = true;
        }
        server->undoing = false;
        return !server->lost && server->view_connection == server->connection;
}
