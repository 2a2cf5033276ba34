/*
 * Transactions. A writer locks the row of its log, which has the head. One that has seen the head
 * there again and again assumes it: nothing is sent before the commit (defer.c), and the statement
 * that takes the row fails, and all behind it, unless the head is that one, and the claim is. So a
 * commit is one round trip. What fails in such a
 * transaction, whatever it is, may be due to what was assumed: it is tried again, by a begin() that
 * waits for the head: one round trip, and commit() another, in which everything goes that was
 * written since.
 *
 * A COMMIT whose answer was lost is looked up: the row's lock is taken again, which is to be had
 * only when the transaction has ended, one way or the other; then the log's event at our seq is
 * ours, or it is not.
 */
#include "events/postgres/server.h"
#include <stdio.h>

void pawl__prefetch_drop(pawl_log *log)
{
        struct pawl__server *server = log->server;

        for (int i = 0; i < PAWL__PREFETCHED; i++) {
                if (server->prefetched[i].result)
                        server->pq->PQclear(server->prefetched[i].result);
                server->prefetched[i].result = NULL;
        }
}

/* With the lock, ask for the leases of this handle, each of which an append looks at. */
static pawl_status prefetch(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl_status status = PAWL_OK;

        pawl__prefetch_drop(log);
        for (size_t i = 0; i < log->n_held && i < PAWL__PREFETCHED && !status; i++) {
                const pawl__lease *held = &log->held[i];
                pawl__query *query;
                status = pawl__log_query(&query, log, PAWL__STMT_LEASE_GET, err);
                if (status)
                        break;
                pawl__query_bind_text(query, 1, pawl__text_n(held->run_id, held->run_len));
                status = pawl__send((pawl__postgres_query *)query, &server->prefetched[i].result,
                        "append", err);
                memcpy(server->prefetched[i].run_id, held->run_id, held->run_len);
                server->prefetched[i].run_len = held->run_len;
                pawl__query_reset(query);
        }
        return status;
}

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
static void note_place(pawl_log *log)
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
        if (log->server->known_connection == log->server->connection) {
                if (!is_known(log->server, log->head_seq, log->head_hash))
                        log->server->calm = 0;
                else if (log->server->calm < PAWL__CALM)
                        log->server->calm++;
        }
        note_place(log);
        return PAWL_OK;
}

static pawl_status send_begin(pawl_log *log, pawl_error *err)
{
        pawl__postgres_query *q;
        pawl_status status = send_own(&q, log, PAWL__OWN_BEGIN, false, err);

        if (!status && log->server->limited != log->server->connection)
                status = send_own(&q, log, PAWL__OWN_LIMITS, false, err);
        return status;
}

static pawl_status lock_log(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *lock = NULL;
        pawl_status status = pawl__server_ready(log, err);

        if (status)
                return status;
        server->failed = server->retry = server->assumed = false;
        status = send_begin(log, err);
        if (!status)
                status = send_own(&lock, log, PAWL__OWN_LOCK, true, err);
        if (!status)
                status = prefetch(log, err);
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

/* Is the connection there, as far as can be seen, and the head where it was? */
static bool may_assume(pawl_log *log)
{
        struct pawl__server *server = log->server;

        if (server->lost || !server->conn || log->lost.status || server->calm < PAWL__CALM ||
                server->known_connection != server->connection ||
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
        return !log->server->in_transaction && !log->server->viewing && may_assume(log)
                       ? log->server->known_seq
                       : 0;
}

/* Nothing is sent yet. */
static void assume_head(pawl_log *log)
{
        struct pawl__server *server = log->server;

        server->failed = server->retry = server->proven = server->refused = false;
        pawl__prefetch_drop(log);
        pawl__deferred_drop(log);
        server->in_transaction = server->assumed = server->deferring = true;
        log->head_seq = server->begun_seq = server->known_seq;
        memcpy(log->head_hash, server->known_hash, 32);
        server->applied = server->known_applied;
        server->whole = server->applied == (int64_t)log->head_seq;
}

static pawl_status prove_lease(pawl_log *log, const pawl__lease *held, pawl_error *err)
{
        pawl__postgres_query *q;
        pawl_status status = pawl__own_query(&q, log, PAWL__OWN_PROVE_LEASE, err);

        if (status)
                return status;
        pawl__query_bind_text(&q->base, 1, pawl__text_n(held->run_id, held->run_len));
        pawl__query_bind_integer(&q->base, 2, (int64_t)held->fence);
        return pawl__defer(q, "append", err);
}

/* A read, or much to write, comes before the commit: the row is locked, and written at the end. */
pawl_status pawl__deferred_begin(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__lease *owned = server->owned;
        pawl__postgres_query *q;

        server->deferring = false;
        pawl_status status = send_begin(log, err);
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
        for (size_t i = 0; i < log->n_held; i++) {
                const pawl__lease *held = &log->held[i];
                if (!pawl__lease_is(held, run_id, held->fence))
                        continue;
                *fence = (int64_t)held->fence;
                if (server->deferring && (!server->owned || server->owned == held)) {
                        server->owned = held;
                        return PAWL_OK;
                }
                return prove_lease(log, held, err);
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
        pawl__prefetch_drop(log);
        pawl__deferred_drop(log);
        note_place(log);
        if (log->head_seq > server->begun_seq) {
                server->acked_seq = log->head_seq;
                memcpy(server->acked_hash, log->head_hash, 32);
        }
}

/* Send what ends the transaction, and wait: it must be committed then. */
static pawl_status exchange_commit(pawl_log *log, pawl__postgres_query *end)
{
        const struct pawl__server *server = log->server;
        pawl__postgres_query *commit = NULL;
        pawl_error *err = &log->err;
        pawl_status status = pawl__send(end, &end->result, "append", err);

        if (!status)
                status = pawl__deferred_send(log, err);
        if (!status)
                status = send_own(&commit, log, PAWL__OWN_COMMIT, true, err);
        if (!status)
                status = pawl__exchange(log, "append", err);
        if (!status && (!end->result || !commit->result ||
                               strcmp(server->pq->PQcmdTuples(end->result), "1") != 0 ||
                               strcmp(server->pq->PQcmdStatus(commit->result), "COMMIT") != 0))
                status = pawl__server_odd(log, "a COMMIT that did not commit", err);
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

/* All in one exchange: begin, take the head, write, commit. */
static pawl_status try_at_once(pawl_log *log)
{
        struct pawl__server *server = log->server;
        const pawl__lease *owned = server->owned;
        pawl__postgres_query *take;
        pawl_status status = send_begin(log, &log->err);

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
        return exchange_commit(log, take);
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
        pawl_error why = PAWL_ERROR_INIT;
        bool there = false;

        pawl__postgres_rollback(log, false);
        const pawl_status asked = is_there(&there, log, log->head_seq, log->head_hash, &why);
        if (asked || (!there && !log->server->refused))
                return not_known(log, asked ? asked : status);
        return there ? PAWL_OK : status; /* the head it asks for will not be there again */
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
        /* Whoever looks a COMMIT up waits for that lock, so it is had before one is sent. */
        pawl_status status = server->assumed && !server->proven
                                     ? pawl__exchange(log, "append", &log->err)
                                     : PAWL_OK;

        if (!status)
                status = pawl__own_query(&end, log, PAWL__OWN_END, &log->err);
        if (status)
                return status;
        bind_head(end, log);
        pawl__query_bind_integer(&end->base, 4, (int64_t)server->begun_seq);
        status = exchange_commit(log, end);
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

void pawl__postgres_rollback(pawl_log *log, bool large)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *q;
        pawl_error why = PAWL_ERROR_INIT;

        (void)large;
        if (!server || !server->in_transaction)
                return;
        const bool retry = server->retry; /* of what failed */
        if (server->deferring) {          /* nothing was sent */
                pawl__deferred_drop(log);
                server->in_transaction = server->failed = false;
                return;
        }
        pawl__deferred_drop(log);
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
        pawl__prefetch_drop(log);
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
