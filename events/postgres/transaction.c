/*
 * Transactions. A writer locks the row of its log, which has the head. One that has seen the head
 * there again and again assumes it: nothing is sent before the commit (defer.c), and the statement
 * that takes the row fails, and all behind it, unless the head is that one, and the claim is. So a
 * commit is one round trip. What fails in such a transaction, whatever it is, may be due to what
 * was assumed: it is tried again, by a begin() that waits for the head: one round trip, and
 * commit() another, in which everything goes that was written since.
 */
#include "base/error.h"
#include "events/postgres/server.h"
#include <stdio.h>

pawl_status pawl__send_own(pawl__postgres_query **out, pawl_log *log, pawl__own_statement which,
        bool rows, pawl_error *err)
{
        char limit[32];

        TRY(pawl__own_query(out, log, which, err));
        if (which == PAWL__OWN_LIMITS) {
                snprintf(limit, sizeof limit, "%ums", log->busy_ms ? log->busy_ms : 1);
                pawl__query_bind_text(&(*out)->base, 1, pawl__text(limit));
                pawl__query_bind_text(
                        &(*out)->base, 2, pawl__text(log->server->pooled ? "t" : "f"));
        }
        return pawl__send(*out, rows ? &(*out)->result : NULL, "append", err);
}

/* ---- The head that is known ------------------------------------------------------------------ */

static bool is_known(const struct pawl__server *server, uint64_t seq, const unsigned char hash[32])
{
        return server->known_connection == server->connection && server->known_seq == seq &&
               memcmp(server->known_hash, hash, 32) == 0;
}

void pawl__head_note(pawl_log *log, uint64_t seq, const unsigned char hash[32])
{
        struct pawl__server *server = log->server;

        if (is_known(server, seq, hash))
                return;
        server->known_connection = 0; /* where the state tables are is not known */
        server->calm = 0;
}

/* The head is that of the transaction that is open, or was committed. */
void pawl__place_note(pawl_log *log)
{
        struct pawl__server *server = log->server;

        server->known_connection = server->connection;
        server->known_applied = server->applied;
        server->known_seq = log->head_seq;
        memcpy(server->known_hash, log->head_hash, 32);
}

/* The head, from the row that is locked now. */
static pawl_status take_head(pawl_log *log, pawl__postgres_query *lock, pawl_error *err)
{
        const int64_t seq = pawl__query_integer(&lock->base, 0);

        if (log->server->pq->PQntuples(lock->result) != 1)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: the log is not there any more; put it back from a copy, or make it "
                        "again with `pawl init`",
                        log->path);
        if (pawl__query_value(&lock->base, 0).type != PAWL__SQL_INTEGER || seq < 0 ||
                !pawl__query_hash(log->head_hash, &lock->base, 1) ||
                pawl__query_value(&lock->base, 2).type != PAWL__SQL_INTEGER)
                return pawl__damaged(log, err, 0, "the log's head is not a seq and a hash");
        log->head_seq = (uint64_t)seq;
        log->server->begun_seq = log->head_seq;
        log->server->applied = pawl__query_integer(&lock->base, 2);
        log->server->whole = log->server->applied == seq;
        if (log->server->known_connection == log->server->connection) {
                if (!is_known(log->server, log->head_seq, log->head_hash))
                        log->server->calm = 0;
                else if (log->server->calm < PAWL__CALM)
                        log->server->calm++;
        }
        pawl__place_note(log);
        return PAWL_OK;
}

pawl_status pawl__send_begin(pawl_log *log, bool whole, pawl_error *err)
{
        pawl__postgres_query *q;
        pawl_status status = PAWL_OK;

        if (!whole || !log->server->implicit)
                status = pawl__send_own(&q, log, PAWL__OWN_BEGIN, false, err);
        if (!status && log->server->limited != log->server->connection)
                status = pawl__send_own(&q, log, PAWL__OWN_LIMITS, false, err);
        return status;
}

static bool trust_is_due(const struct pawl__server *server)
{
        return pawl__now_ms() - server->trusted_ms >= PAWL__TRUST_MS;
}

pawl_status pawl__log_lock(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *lock = NULL, *trust = NULL;
        pawl_status status = pawl__server_ready(log, err);

        if (status)
                return status;
        server->failed = server->retry = server->assumed = false;
        pawl__deferred_drop(log);
        status = pawl__send_begin(log, false, err);
        if (!status && trust_is_due(server))
                status = pawl__send_own(&trust, log, PAWL__OWN_TRUST, true, err);
        if (!status)
                status = pawl__send_own(&lock, log, PAWL__OWN_LOCK, true, err);
        if (!status)
                status = pawl__prefetch(log, err);
        if (!status)
                status = pawl__exchange(log, "append", err);
        server->in_transaction = true;
        if (!status && !server->pooled)
                server->limited = server->connection;
        if (!status && !lock->result)
                status = pawl__server_unexpected(log, "a statement has none", err);
        if (!status && trust && trust->result)
                status = pawl__trust_check(log, trust, err);
        if (!status)
                status = take_head(log, lock, err);
        if (trust)
                pawl__postgres_reset(&trust->base);
        if (lock)
                pawl__postgres_reset(&lock->base);
        if (status)
                pawl__postgres_rollback(log, false);
        return status;
}

/* Is the connection there, as far as can be seen, and the head where it was? */
static bool may_assume(pawl_log *log)
{
        struct pawl__server *server = log->server;

        if (server->lost || !server->conn || log->lost.status || server->calm < PAWL__CALM ||
                server->known_connection != server->connection || trust_is_due(server) ||
                !(server->pooled || server->limited == server->connection) ||
                log->sound_seq != server->known_seq ||
                memcmp(log->sound_hash, server->known_hash, 32) != 0)
                return false;
        if (server->pq->PQconsumeInput(server->conn) &&
                server->pq->PQstatus(server->conn) == CONNECTION_OK)
                return true;
        server->lost = true;
        return false;
}

uint64_t pawl__postgres_assumed(pawl_log *log)
{
        return !log->server->in_transaction && !log->server->viewing ? log->sound_seq : 0;
}

/* Nothing is sent yet. */
static void assume_head(pawl_log *log)
{
        struct pawl__server *server = log->server;

        server->failed = server->retry = server->proven = server->refused = false;
        pawl__prefetch_drop(log, NULL);
        pawl__deferred_drop(log);
        server->in_transaction = server->assumed = server->deferring = true;
        log->head_seq = server->begun_seq = server->known_seq;
        memcpy(log->head_hash, server->known_hash, 32);
        server->applied = server->known_applied;
        server->whole = server->applied == (int64_t)log->head_seq;
}

static pawl_status prove_lease(pawl_log *log, const pawl__lease *lease, pawl_error *err)
{
        pawl__postgres_query *q;

        TRY(pawl__own_query(&q, log, PAWL__OWN_PROVE_LEASE, err));
        pawl__query_bind_text(&q->base, 1, pawl__text_n(lease->run_id, lease->run_len));
        pawl__query_bind_integer(&q->base, 2, (int64_t)lease->fence);
        return pawl__defer(q, "append", err);
}

/* A read, or much to write, comes before the commit: the row is locked, and written at the end. */
pawl_status pawl__deferred_begin(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__lease *owned = server->owned;
        pawl__postgres_query *q;

        server->deferring = false;
        pawl_status status = pawl__send_begin(log, false, err);
        if (!status)
                status = pawl__own_query(&q, log, PAWL__OWN_PROVE, err);
        if (!status) {
                pawl__query_bind_integer(&q->base, 1, (int64_t)server->known_seq);
                pawl__query_bind_bytes(&q->base, 2, server->known_hash, 32);
                pawl__query_bind_integer(&q->base, 3, server->known_applied);
                status = pawl__send(q, NULL, "append", err);
        }
        if (!status && owned)
                status = prove_lease(log, owned, err);
        if (!status)
                status = pawl__deferred_send(log, err);
        pawl__deferred_drop(log);
        return status;
}

pawl_status pawl__lease_assume(int64_t *fence, pawl_log *log, pawl_text run_id, pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (!server->in_transaction || !server->assumed || server->leases_change)
                return PAWL_DONE;
        for (size_t i = 0; i < log->n_leases; i++) {
                const pawl__lease *lease = &log->leases[i];
                if (!pawl__lease_is(lease, run_id, lease->fence))
                        continue;
                *fence = (int64_t)lease->fence;
                if (server->deferring && (!server->owned || server->owned == lease)) {
                        server->owned = lease;
                        return PAWL_OK;
                }
                return prove_lease(log, lease, err);
        }
        return PAWL_DONE;
}

pawl_status pawl__postgres_begin(pawl_log *log, bool again)
{
        struct pawl__server *server = log->server;
        pawl_status status;

        server->leases_change = false;
        if (again && may_assume(log)) {
                assume_head(log);
                return PAWL_OK;
        }
        do
                status = pawl__log_lock(log, &log->err);
        while (status && pawl__server_again(log));
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
        const bool retry = server->retry;          /* of what failed */
        if (server->deferring || server->undone) { /* nothing was sent, or all is undone */
                pawl__deferred_drop(log);
                server->in_transaction = server->failed = server->undone = false;
                return;
        }
        pawl__deferred_drop(log);
        server->undoing = true;
        const bool lost = server->lost;
        if (!lost && server->conn) {
                /* Where a failure was answered before the exchange had an end, as in one of much to
                 * write, all up to that end is passed over, the first ROLLBACK too. */
                for (int tries = 0; tries < 2 && !server->lost; tries++) {
                        pawl_status status =
                                pawl__send_own(&q, log, PAWL__OWN_ROLLBACK, false, &why);
                        if (!status)
                                (void)!pawl__exchange(log, "append", &why);
                        if (server->pq->PQtransactionStatus(server->conn) != PQTRANS_INERROR)
                                break;
                }
                if (server->pq->PQtransactionStatus(server->conn) != PQTRANS_IDLE)
                        server->lost = true;
        }
        server->undoing = false;
        server->in_transaction = server->failed = false;
        server->limited = 0; /* what the transaction set is undone with it */
        /* What failed on an assumption is tried again, whatever became of the ROLLBACK. */
        server->retry = retry || (server->assumed && server->lost && !lost);
        pawl__prefetch_drop(log, NULL);
}

/* ---- A view ---------------------------------------------------------------------------------- */

pawl_status pawl__postgres_view_begin(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *q;
        pawl_status status;

        do {
                status = pawl__server_ready(log, err);
                if (server->in_transaction)
                        return status;
                if (!status)
                        status = pawl__send_own(&q, log, PAWL__OWN_VIEW, false, err);
                if (!status && server->pooled)
                        status = pawl__send_own(&q, log, PAWL__OWN_PATH, false, err);
                if (!status)
                        status = pawl__exchange(log, "read it", err);
        } while (status && pawl__server_again(log));
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
                pawl_status status = pawl__send_own(&q, log, PAWL__OWN_ROLLBACK, false, &why);
                if (!status)
                        status = pawl__exchange(log, "read it", &why);
                if (status)
                        server->lost = true;
                else
                        server->tries = 0;
        }
        server->undoing = false;
        return !server->lost && server->view_connection == server->connection;
}
