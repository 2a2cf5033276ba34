/*
 * The end of a transaction.
 *
 * A COMMIT whose answer was lost is looked up: the row's lock is taken again, which is to be had
 * only when the transaction has ended, one way or the other; then the log's event at our seq is
 * ours, or it is not.
 */
#include "events/postgres/server.h"

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
                const pawl_text found = pawl__query_bytes(&q->base, 0);
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
                status = pawl__log_lock(log, err);
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

        log->server->retry = log->server->assumed = false;
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

        server->in_transaction = server->assumed = false;
        server->tries = 0;
        pawl__prefetch_drop(log, NULL);
        pawl__deferred_drop(log);
        pawl__place_note(log);
        if (log->head_seq > server->begun_seq) {
                server->acked_seq = log->head_seq;
                memcpy(server->acked_hash, log->head_hash, 32);
        }
}

/* Send what ends the transaction, and wait: it must be committed then. What has no BEGIN is
 * committed by the end of the exchange. */
static pawl_status exchange_commit(pawl_log *log, pawl__postgres_query *end, bool begun)
{
        const struct pawl__server *server = log->server;
        bool committed = false;
        pawl__postgres_query *commit = NULL;
        pawl_error *err = &log->err;
        pawl_status status = pawl__send(end, &end->result, "append", err);

        if (!status)
                status = pawl__deferred_send(log, err);
        if (!status && begun)
                status = pawl__send_own(&commit, log, PAWL__OWN_COMMIT, true, err);
        if (!status) {
                status = pawl__exchange(log, "append", err);
                if (status == PAWL_ENOMEM) /* for an answer: it may be done all the same */
                        status = pawl__server_lost(log, "out of memory", "append", err);
        }
        if (!status)
                committed =
                        end->result && strcmp(server->pq->PQcmdTuples(end->result), "1") == 0 &&
                        (begun ? commit->result && strcmp(server->pq->PQcmdStatus(commit->result),
                                                           "COMMIT") == 0
                               : server->pq->PQtransactionStatus(server->conn) == PQTRANS_IDLE);
        if (!status && !committed)
                status = pawl__server_unexpected(log, "a COMMIT that did not commit", err);
        pawl__postgres_reset(&end->base);
        if (commit)
                pawl__postgres_reset(&commit->base);
        return status;
}

static void bind_head(pawl__postgres_query *q, const pawl_log *log)
{
        pawl__query_bind_integer(&q->base, 1, (int64_t)log->head_seq);
        pawl__query_bind_bytes(&q->base, 2, log->head_hash, 32);
        pawl__query_bind_integer(&q->base, 3, log->server->applied);
}

/* All in one exchange: begin, take the head, write, commit. Where the exchange is such a
 * transaction by itself, as PostgreSQL's is, BEGIN and COMMIT are left out. */
static pawl_status try_at_once(pawl_log *log)
{
        struct pawl__server *server = log->server;
        const pawl__lease *owned = server->owned;
        pawl__postgres_query *take;
        pawl_status status = pawl__send_begin(log, true, &log->err);

        server->in_transaction = true;
        if (!status)
                status = pawl__own_query(
                        &take, log, owned ? PAWL__OWN_TAKE_OWNED : PAWL__OWN_TAKE, &log->err);
        if (status)
                return status;
        bind_head(take, log);
        pawl__query_bind_integer(&take->base, 4, (int64_t)server->known_seq);
        pawl__query_bind_bytes(&take->base, 5, server->known_hash, 32);
        pawl__query_bind_integer(&take->base, 6, server->known_applied);
        if (owned) {
                pawl__query_bind_text(&take->base, 7, pawl__text_n(owned->run_id, owned->run_len));
                pawl__query_bind_integer(&take->base, 8, (int64_t)owned->fence);
        }
        server->answered = false;
        status = exchange_commit(log, take, !server->implicit);
        server->undone = status && server->implicit && server->answered && !server->lost;
        return status;
}

/* Connect, after the answer to a COMMIT was lost; why it was. */
static pawl_status connect_again(pawl_log *log, pawl_status lost)
{
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = lost;

        log->server->in_transaction = log->server->assumed = false;
        while (status && pawl__server_again(log))
                status = pawl__server_ready(log, &why);
        log->server->assumed = true;
        if (status == PAWL_EDAMAGED && why.status)
                log->err = why;
        return status == PAWL_OK || (status == PAWL_EDAMAGED && why.status)
                       ? status
                       : not_known(log, status);
}

/* It was sent more than once, and refused at last: did an earlier one do it? */
static pawl_status refused_at_last(pawl_log *log, pawl_status status)
{
        struct pawl__server *server = log->server;
        const bool refused = server->refused;
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status asked;
        bool there = false;

        pawl__postgres_rollback(log, false);
        server->assumed = false;
        do {
                asked = pawl__server_ready(log, &why);
                if (!asked)
                        asked = is_there(&there, log, log->head_seq, log->head_hash, &why);
        } while (asked && pawl__server_again(log));
        if (asked == PAWL_EDAMAGED)
                log->err = why;
        else if (asked || (!there && !refused))
                asked = not_known(log, asked ? asked : status);
        if (asked || there)
                return asked;
        server->assumed = true;
        return status; /* the head it asks for will not be there again */
}

/*
 * A COMMIT that came with the rest may still be on its way when its connection is lost, and holds
 * no lock then that a look at the log would wait for. So it is not looked up but sent again: the
 * head that it takes is there only once. Either this one is carried out, and no other can be, or
 * what was refused says that the head has moved: by the first one, or by another writer.
 */
static pawl_status commit_at_once(pawl_log *log)
{
        struct pawl__server *server = log->server;
        bool sent = false;

        server->deferring = false;
        for (;; sent = true) {
                server->refused = false;
                pawl_status status = try_at_once(log);
                if (!status) {
                        server->limited = server->pooled ? 0 : server->connection;
                        return PAWL_OK;
                }
                if (!server->lost)
                        return sent ? refused_at_last(log, status) : status;
                if (!server->retry)
                        return status == PAWL_EINTERRUPTED ? not_known(log, status) : status;
                status = connect_again(log, status);
                if (status)
                        return status;
        }
}

/* The row is locked, and written now. */
static pawl_status commit_locked(pawl_log *log)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *end;
        /* A connection that looks a COMMIT up waits for that lock, so it is taken before one is
         * sent. */
        pawl_status status = server->assumed && !server->proven
                                     ? pawl__exchange(log, "append", &log->err)
                                     : PAWL_OK;

        if (!status)
                status = pawl__own_query(&end, log, PAWL__OWN_END, &log->err);
        if (status)
                return status;
        bind_head(end, log);
        pawl__query_bind_integer(&end->base, 4, (int64_t)server->begun_seq);
        status = exchange_commit(log, end, true);
        if (status && server->lost && (server->retry || status == PAWL_EINTERRUPTED)) {
                server->in_transaction = false;
                status = server->retry ? answer_lost(log) : not_known(log, status);
        }
        return status;
}

pawl_status pawl__postgres_commit(pawl_log *log)
{
        struct pawl__server *server = log->server;
        pawl_status status = PAWL_OK;

        if (server->failed)
                return pawl__fail(&log->err, server->why.status, "%s", server->why.message);
        if (server->deferring && log->head_seq == server->begun_seq)
                status = pawl__deferred_begin(log, &log->err); /* it takes no head */
        if (!status)
                status = server->deferring ? commit_at_once(log) : commit_locked(log);
        if (!status)
                acknowledge(log);
        return status;
}
