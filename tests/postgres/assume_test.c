/* Needs PAWL_WITH_POSTGRES. */
/* A writer that assumes the log's head: what that saves, and that nothing which was not so is
 * believed. */
#include "events/postgres/server.h"
#include "state/state.h"
#include "support/claims.h"
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A library that counts exchanges, and loses the one that commits where a test says so. */
static const pawl__postgres_library *real;
static pawl__postgres_library watched;
static int exchanges;
static bool committing, lose, sent, undoing, lose_undo;

/* What a writer sent that lost its connection, on its way to the server, which it reaches when the
 * writer has made so many exchanges over another connection. */
static struct {
        bool armed;
        int after, here, server;
        char bytes[65536];
        size_t n;
} late;

static void keep_what_is_sent(PGconn *conn)
{
        int ends[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
        late.server = dup(real->PQsocket(conn));
        assert_int_equal(dup2(ends[1], real->PQsocket(conn)), real->PQsocket(conn));
        close(ends[1]);
        late.here = ends[0];
        late.armed = false;
        late.n = 0;
}

static void hand_on(void)
{
        assert_int_equal(send(late.server, late.bytes, late.n, MSG_NOSIGNAL), late.n);
        late.n = 0;
        nanosleep(&(struct timespec){0, 100000000}, NULL);
}

static int count_sync(PGconn *conn)
{
        exchanges++;
        if (late.armed && committing)
                keep_what_is_sent(conn);
        else if (late.n && late.after-- == 0)
                hand_on();
        return real->PQpipelineSync(conn);
}

static int note_commit(PGconn *conn, const char *sql, int n, const Oid *types,
        const char *const *values, const int *lengths, const int *formats, int format)
{
        committing = committing || strcmp(sql, "COMMIT") == 0 || strstr(sql, "WITH taken AS");
        undoing = strcmp(sql, "ROLLBACK") == 0;
        return real->PQsendQueryParams(conn, sql, n, types, values, lengths, formats, format);
}

static int flush_or_lose(PGconn *conn)
{
        struct timespec time = {0, 300000000};

        if (late.here >= 0) {
                const ssize_t n = read(late.here, late.bytes, sizeof late.bytes);
                assert_in_range(n, 1, sizeof late.bytes - 1);
                late.n = (size_t)n;
                close(late.here);
                late.here = -1;
                committing = false;
                return -1;
        }
        if (undoing && lose_undo) {
                lose_undo = false;
                shutdown(real->PQsocket(conn), SHUT_RDWR);
                return -1;
        }
        if (!committing || !lose)
                return real->PQflush(conn);
        lose = false;
        if (sent) { /* the server gets it, and nobody hears of it */
                while (real->PQflush(conn) > 0)
                        ;
                nanosleep(&time, NULL);
        }
        shutdown(real->PQsocket(conn), SHUT_RDWR);
        return -1;
}

/* Where a test says so, libpq has no memory for the first answer to a commit. */
static bool spoil;
static const PGresult *spoilt;

static ExecStatusType status_or_none(const PGresult *result)
{
        if (spoil && committing) {
                spoil = false;
                spoilt = result;
        }
        return result == spoilt ? PGRES_FATAL_ERROR : real->PQresultStatus(result);
}

static char *field_or_none(const PGresult *result, int field)
{
        return result == spoilt ? NULL : real->PQresultErrorField(result, field);
}

static char *message_or_none(const PGresult *result)
{
        static char none[] = "out of memory for query result\n";
        const bool here = result == spoilt;

        spoilt = NULL;
        return here ? none : real->PQresultErrorMessage(result);
}

static void watch(pawl_log *log)
{
        real = log->server->pq;
        watched = *real;
        watched.PQpipelineSync = count_sync;
        watched.PQsendQueryParams = note_commit;
        watched.PQflush = flush_or_lose;
        watched.PQresultStatus = status_or_none;
        watched.PQresultErrorField = field_or_none;
        watched.PQresultErrorMessage = message_or_none;
        log->server->pq = &watched;
        exchanges = 0;
        committing = lose = lose_undo = spoil = late.armed = false;
        spoilt = NULL;
        late.here = -1;
        late.n = 0;
}

/* By another connection; the log's id comes last. */
static void server_does(event_log *f, const char *before)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *other = event_log_another(f);
        char sql[500];

        snprintf(sql, sizeof sql, "%s%s", before, other->server->id_literal);
        if (pawl__server_execute(NULL, other, sql, NULL, 0, "test", &err))
                fail_msg("%s: %s", sql, err.message);
        pawl_log_close(other);
}

static void log_has(event_log *f, uint64_t events)
{
        pawl_verify_result result;
        pawl_log *log = event_log_another(f);
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl_log_verify(&result, log, 0, NULL));
        assert_int_equal(result.events, events);
        assert_ok(pawl__replay_check(log, &err));
        pawl_log_close(log);
}

static int exchanges_of_an_append(pawl_log *log, pawl_event event, uint64_t fence)
{
        exchanges = 0;
        if (append_one(log, event, fence))
                fail_msg("%s", pawl_log_errmsg(log));
        return exchanges;
}

static void begin_with(event_log *f, int events)
{
        pawl__state *state;
        pawl_error err = PAWL_ERROR_INIT;

        event_log_open(f);
        assert_ok(pawl__state_of(&state, f->log, &err));
        event_log_fill(f, events);
        watch(f->log);
}

LOG_TEST(a_commit_of_a_lone_writer_is_one_exchange)
{
        begin_with(f, 2);
        for (int i = 0; i < 5; i++)
                assert_int_equal(exchanges_of_an_append(f->log, event_scope(NULL), 0), 1);
        log_has(f, 7);
}

OPEN_LOG_TEST(an_owner_proves_its_claim_in_that_exchange)
{
        watch(f->log);
        assert_int_equal(claims_take(f->log), 1);
        for (int i = 0; i < 3; i++)
                assert_int_equal(exchanges_of_an_append(f->log, claims_event("RunFailed"), 1), 1);
        assert_int_equal(append_one(f->log, claims_event("RunFailed"), 2), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "fence 2, but 1 holds run-1");
        assert_int_equal(event_log_count(f), 4);
}

/* Once it is due the question goes with the lock of the next append, which waits for the head. */
LOG_TEST(a_writer_that_stays_connected_asks_again_what_others_control)
{
        pawl__postgres_query *trust;
        pawl_error err = PAWL_ERROR_INIT;

        begin_with(f, 2);
        f->log->server->trusted_ms -= PAWL__TRUST_MS;
        assert_int_equal(exchanges_of_an_append(f->log, event_scope(NULL), 0), 2);
        assert_int_equal(exchanges_of_an_append(f->log, event_scope(NULL), 0), 1);
        assert_ok(pawl__own_query(&trust, f->log, PAWL__OWN_TRUST, &err));
        free(trust->sql);
        trust->sql = strdup("SELECT true"); /* then it is looked at, within the transaction */
        trust->used = false;
        f->log->server->trusted_ms -= PAWL__TRUST_MS;
        assert_int_equal(exchanges_of_an_append(f->log, event_scope(NULL), 0), 3);
        log_has(f, 5);
}

/* Another writer in between: nothing is lost, and who contends waits for the head, until it is calm
 * again. */
LOG_TEST(another_writer_is_found_out_and_nothing_is_lost)
{
        begin_with(f, 2);
        pawl_log *other = event_log_another(f);
        assert_ok(append_one(other, event_scope(NULL), 0));
        assert_true(exchanges_of_an_append(f->log, event_scope(NULL), 0) > 2);
        assert_int_equal(f->log->server->calm, 0);
        for (int i = 0; i < PAWL__CALM; i++)
                assert_int_equal(exchanges_of_an_append(f->log, event_scope(NULL), 0), 2);
        assert_int_equal(exchanges_of_an_append(f->log, event_scope(NULL), 0), 1);
        assert_ok(append_one(other, event_scope(NULL), 0));
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        pawl_log_close(other);
        log_has(f, 5 + PAWL__CALM + 2);
}

/* By who appends an event: whether the head is waited for, or assumed, and refused. */
LOG_TEST(a_blob_that_another_removed_is_put_again)
{
        pawl__buf out = PAWL__BUF_INIT;
        unsigned char hash[32];

        begin_with(f, 2);
        pawl_log *other = event_log_another(f);
        assert_ok(pawl__sha256(f->log->hasher, hash, "a", 1, NULL));
        assert_ok(append_blob(f->log, "a", event_scope(NULL)));
        for (unsigned calm = 0; calm <= PAWL__CALM; calm += PAWL__CALM) {
                server_does(f, "DELETE FROM pawl.blobs WHERE log_id = ");
                assert_ok(append_one(other, event_scope(NULL), 0));
                f->log->server->calm = calm;
                assert_ok(append_blob(f->log, "a", event_scope(NULL)));
                assert_ok(pawl__log_blob(&out, other, hash));
        }
        pawl__buf_free(&out);
        pawl_log_close(other);
        log_has(f, 7);
}

/* A session whose exchange is no transaction undoes what was refused, and loses its connection as
 * it does. */
LOG_TEST(a_wrong_assumption_is_tried_again_though_its_end_is_lost)
{
        begin_with(f, 2);
        pawl_log *other = event_log_another(f);
        f->log->server->implicit = false;
        f->log->server->pooled = true; /* statements go by their text */
        f->log->server->calm = PAWL__CALM;
        assert_ok(append_one(other, event_scope(NULL), 0));
        lose_undo = true;
        if (append_one(f->log, event_scope(NULL), 0))
                fail_msg("%s", pawl_log_errmsg(f->log));
        assert_false(lose_undo);
        pawl_log_close(other);
        log_has(f, 4);
}

/* Statements that were to be prepared behind what failed are prepared again. */
LOG_TEST(a_wrong_assumption_is_no_pooler)
{
        begin_with(f, 1);
        pawl_log *other = event_log_another(f);
        for (int i = 0; i < 4; i++) { /* some are used for the second time, and prepared */
                assert_ok(append_one(other, event_scope(NULL), 0));
                f->log->server->calm = PAWL__CALM;
                assert_ok(append_one(f->log, event_scope(NULL), 0));
                assert_ok(append_one(f->log, event_scope(NULL), 0));
                assert_false(f->log->server->pooled);
        }
        pawl_log_close(other);
        log_has(f, 13);
}

/* A head that was read is not assumed to be another. */
LOG_TEST(a_head_that_was_read_is_known)
{
        unsigned char hash[32];
        uint64_t seq;

        begin_with(f, 2);
        pawl_log *other = event_log_another(f);
        assert_ok(append_one(other, event_scope(NULL), 0));
        assert_ok(pawl_log_head(&seq, hash, f->log));
        assert_int_equal(seq, 3);
        f->log->server->failed = false;
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_false(f->log->server->assumed);
        pawl_log_close(other);
        log_has(f, 4);
}

/* A lease changes without an event where it is given back. */
LOG_TEST(a_claim_that_is_over_is_found_out_and_nothing_is_written)
{
        begin_with(f, 1);
        assert_int_equal(claims_take(f->log), 1);
        server_does(f, "UPDATE pawl.leases SET held = 0 WHERE log_id = ");
        assert_int_equal(append_one(f->log, claims_event("RunFailed"), 1), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "fence 1 was given back");
        server_does(f, "UPDATE pawl.leases SET held = 1, fence = 7 WHERE log_id = ");
        assert_int_equal(append_one(f->log, claims_event("RunFailed"), 1), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "fence 1, but 7 holds run-1");
        assert_int_equal(exchanges_of_an_append(f->log, event_scope(NULL), 0) > 0, 1);
}

/* As behind a pooler, after a standby was promoted that did not have the last event. */
LOG_TEST(a_head_with_another_hash_is_found_out_and_nothing_is_written)
{
        begin_with(f, 3);
        server_does(f, "UPDATE pawl.logs SET head_hash = decode(repeat('00', 32), 'hex') "
                       "WHERE log_id = ");
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "is not the log that was opened any more");
        assert_int_equal(event_log_count(f), 3);
}

LOG_TEST(a_log_that_is_gone_is_found_out_and_nothing_is_written)
{
        begin_with(f, 3);
        server_does(f, "DELETE FROM pawl.logs WHERE log_id = ");
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "the log is not there any more");
}

/* What is refused late in the exchange is refused as it is without the assumption. */
LOG_TEST(what_the_server_refuses_at_last_undoes_the_rest)
{
        begin_with(f, 3);
        server_does(f,
                "INSERT INTO pawl.events SELECT log_id, 4, type, v, time, mission_id, run_id, "
                "step_id, session_id, actor, payload, prev, hash FROM pawl.events "
                "WHERE seq = 3 AND log_id = ");
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "eventlog verify");
        server_does(f, "DELETE FROM pawl.events WHERE seq = 4 AND log_id = ");
        log_has(f, 3);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        log_has(f, 4);
}

static void a_lost_answer(event_log *f, bool behind)
{
        begin_with(f, 2);
        f->log->server->pooled = true; /* statements go by their text */
        lose = true;
        sent = behind;
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_false(lose);
        assert_int_equal(f->log->server->connection, 2);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        log_has(f, 4);
}

LOG_TEST(a_commit_whose_answer_is_lost_is_looked_up)
{
        a_lost_answer(f, true);
}

LOG_TEST(a_commit_that_never_came_there_is_tried_again)
{
        a_lost_answer(f, false);
}

/* Whether the head was assumed, or waited for. */
LOG_TEST(a_commit_whose_answer_finds_no_memory_is_looked_up)
{
        begin_with(f, 2);
        for (unsigned calm = 0; calm <= PAWL__CALM; calm += PAWL__CALM) {
                f->log->server->pooled = true; /* statements go by their text */
                f->log->server->calm = calm;
                committing = false;
                spoil = true;
                assert_ok(append_one(f->log, event_scope(NULL), 0));
                assert_false(spoil);
                log_has(f, 3 + calm / PAWL__CALM);
        }
}

/* What BEGIN asks for is not what such a session has without it. */
LOG_TEST(a_session_that_only_reads_by_default_writes_all_the_same)
{
        begin_with(f, 2);
        assert_true(f->log->server->implicit);
        assert_int_equal(setenv("PGOPTIONS", "-c default_transaction_read_only=on", 1), 0);
        pawl_log *other = event_log_another(f);
        unsetenv("PGOPTIONS");
        assert_false(other->server->implicit);
        for (int i = 0; i < PAWL__CALM + 2; i++)
                assert_ok(append_one(other, event_scope(NULL), 0));
        assert_int_equal(other->server->connection, 1);
        pawl_log_close(other);
        log_has(f, 2 + PAWL__CALM + 2);
}

/* Whenever it comes there, before the writer asks again or behind, the event is there once. */
LOG_TEST(a_commit_that_comes_late_is_none_or_the_only_one)
{
        enum { MOMENTS = 8 };

        begin_with(f, 2);
        for (int moment = 0; moment <= MOMENTS; moment++) {
                f->log->server->pooled = true; /* statements go by their text */
                f->log->server->calm = PAWL__CALM;
                committing = false;
                late.armed = true;
                late.after = moment;
                assert_ok(append_one(f->log, event_scope(NULL), 0));
                assert_false(late.armed);
                if (late.n)
                        hand_on();
                log_has(f, 3 + (uint64_t)moment);
                close(late.server);
        }
}

/* A server that went away between two commits is no doubt about the second. */
LOG_TEST(a_connection_that_was_closed_is_seen_before_anything_is_sent)
{
        char sql[100];

        begin_with(f, 2);
        snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(%d, 5000) WHERE 0 <> ",
                real->PQbackendPID(f->log->server->conn));
        server_does(f, sql);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_int_equal(f->log->server->connection, 2);
        log_has(f, 3);
}

LOG_TEST(a_lock_that_is_kept_is_said_as_such)
{
        f->busy_ms = 200;
        begin_with(f, 2);
        pawl_log *other = event_log_another(f);
        assert_ok(other->engine->begin(other, false));
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EBUSY);
        assert_says(pawl_log_errmsg(f->log), "another writer has kept it locked for 200 ms");
        other->engine->rollback(other, false);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        pawl_log_close(other);
        log_has(f, 3);
}

/* What is much goes to the server as it comes, so that it is answered before the exchange has an
 * end. */
OPEN_LOG_TEST(much_to_write_is_written_over_another_s_event)
{
        enum { MUCH = 4 << 20 };
        static char payload[MUCH + 64];
        pawl_log *other = event_log_another(f);
        pawl_event event = event_scope(NULL);
        const pawl_event much = {.type = pawl__text("SessionStarted"),
                .mission_id = pawl__text("m"),
                .session_id = pawl__text("s"),
                .payload = pawl__text_n(payload,
                        (size_t)snprintf(payload, sizeof payload, "{\"x\":\"%0*d\"}", MUCH, 1))};

        for (int times = 0; times < 5; times++) {
                for (int i = 0; i < PAWL__CALM + 1; i++)
                        assert_ok(append_one(f->log, event, 0));
                assert_ok(append_one(other, event, 0));
                assert_ok(append_one(f->log, much, 0));
        }
        assert_int_equal(event_log_count(f), 5 * (PAWL__CALM + 3));
        pawl_log_close(other);
}
