/* Needs PAWL_WITH_POSTGRES. */
/* What a server, and the way to it, can do to a writer: each event that was acknowledged is there
 * once, each that was not is not, and each failure says which. */
#include "events/postgres/server.h"
#include "state/state.h"
#include "support/event_log.h"
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A library that fails where a test says so. */
static const pawl__postgres_library *real;
static pawl__postgres_library broken;

static void break_library(pawl_log *log)
{
        real = log->server->pq;
        broken = *real;
        log->server->pq = &broken;
}

/* By another connection. */
static void server_does(event_log *f, const char *sql)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *other = event_log_another(f);

        if (pawl__server_execute(NULL, other, sql, NULL, 0, "test", &err))
                fail_msg("%s: %s", sql, err.message);
        pawl_log_close(other);
}

static void cut(event_log *f, const pawl_log *log)
{
        char sql[100];

        snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(%d, 5000)",
                log->server->pq->PQbackendPID(log->server->conn));
        server_does(f, sql);
}

static void log_has(event_log *f, uint64_t events)
{
        pawl_verify_result result;
        pawl_log *log = event_log_another(f);

        assert_ok(pawl_log_verify(&result, log, 0, NULL));
        assert_int_equal(result.events, events);
        pawl_log_close(log);
}

/* ---- A connection that is lost --------------------------------------------------------------- */

OPEN_LOG_TEST(a_writer_goes_on_after_its_connection_was_cut)
{
        unsigned char hash[32];
        uint64_t seq;

        event_log_fill(f, 3);
        cut(f, f->log);
        assert_ok(pawl_log_head(&seq, hash, f->log));
        assert_int_equal(seq, 3);
        cut(f, f->log);
        event_log_fill(f, 1);
        log_has(f, 4);
}

/* Its reads succeed each time but the last one. */
OPEN_LOG_TEST(a_view_that_is_lost_again_and_again_is_given_up)
{
        struct pawl__server *server = f->log->server;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32];
        uint64_t seq;
        int views = 0;

        event_log_fill(f, 3);
        server->tries = 1;
        server->tried_from = pawl__now_ms() - PAWL__AGAIN_MS + 1000;
        do {
                views++;
                assert_ok(pawl__log_view_begin(f->log, &err));
                assert_ok(pawl_log_head(&seq, hash, f->log));
                cut(f, f->log);
                assert_int_equal(pawl_log_head(&seq, hash, f->log), PAWL_EIO);
                pawl__log_view_end(f->log);
        } while (pawl__log_view_again(f->log, PAWL_EIO) && views < 1000);
        assert_in_range(views, 2, 999);
        assert_false(pawl__log_view_again(f->log, PAWL_EIO));
        assert_ok(pawl_log_head(&seq, hash, f->log));
        assert_int_equal(seq, 3);
        assert_ok(pawl__log_view_begin(f->log, &err));
        pawl__log_view_end(f->log);
        assert_int_equal(server->tries, 0);
}

static int prepared;

static pawl_status cut_once(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        (void)batch, (void)err;
        if (prepared++ == 0)
                cut(user, log);
        return PAWL_OK;
}

static pawl__batch batch_of(event_log *f, pawl_event *event,
        pawl_status (*prepare)(pawl_log *, pawl__batch *, void *, pawl_error *))
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        prepared = 0;
        *event = event_scope(NULL);
        assert_ok(pawl__batch_event(&batch, event, &err));
        batch.prepare = prepare;
        batch.prepare_user = f;
        return batch;
}

OPEN_LOG_TEST(a_transaction_that_was_cut_is_tried_again)
{
        pawl_event event;

        event_log_fill(f, 1);
        pawl__batch batch = batch_of(f, &event, cut_once);
        assert_ok(pawl__log_commit(f->log, &batch, 0, NULL));
        assert_int_equal(prepared, 2);
        pawl__batch_free(&batch);
        log_has(f, 2);
}

/* ---- A COMMIT without an answer -------------------------------------------------------------- */

static enum where {
        NOT_YET,
        BEFORE,
        BEHIND
} lose; /* where the connection goes, once COMMIT is sent */
static bool armed;

static int send_and_arm(PGconn *conn, const char *sql, int n, const Oid *types,
        const char *const *values, const int *lengths, const int *formats, int format)
{
        armed = armed || strcmp(sql, "COMMIT") == 0;
        return real->PQsendQueryParams(conn, sql, n, types, values, lengths, formats, format);
}

static int flush_or_lose(PGconn *conn)
{
        const struct timespec time = {0, 300000000};

        if (!armed)
                return real->PQflush(conn);
        armed = false;
        if (lose == BEHIND) { /* the server gets it, and nobody hears of it */
                while (real->PQflush(conn) > 0)
                        ;
                nanosleep(&time, NULL);
        }
        shutdown(real->PQsocket(conn), SHUT_RDWR);
        return -1;
}

static void a_lost_answer(event_log *f, enum where where)
{
        event_log_open(f);
        break_library(f->log);
        broken.PQsendQueryParams = send_and_arm;
        broken.PQflush = flush_or_lose;
        lose = where;
        armed = false;
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_false(armed);
        assert_int_equal(f->log->server->connection, 2);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        log_has(f, 2);
}

LOG_TEST(a_commit_whose_answer_is_lost_is_looked_up)
{
        a_lost_answer(f, BEHIND);
}

LOG_TEST(a_commit_that_never_came_there_is_tried_again)
{
        a_lost_answer(f, BEFORE);
}

/* A server that comes back without what it acknowledged, as a standby may. */
OPEN_LOG_TEST(what_the_server_lost_is_named_and_nothing_more_is_written)
{
        char hex[65], sql[400];

        event_log_fill(f, 3);
        pawl__hex(hex, f->log->head_hash, 32);
        const char *id = f->log->server->id_literal;
        snprintf(sql, sizeof sql, "DELETE FROM pawl.events WHERE log_id = %s AND seq = 3", id);
        server_does(f, sql);
        snprintf(sql, sizeof sql,
                "UPDATE pawl.logs SET head_seq = 2, applied_seq = 2, head_hash = (SELECT hash FROM "
                "pawl.events WHERE log_id = %s AND seq = 2) WHERE log_id = %s",
                id, id);
        server_does(f, sql);
        cut(f, f->log);
        pawl__query *row = NULL; /* by whoever is the first to ask, and for no reason */
        assert_int_equal(pawl__log_row(&row, f->log, PAWL__STMT_KEY_TABLE, "read it", NULL, ""),
                PAWL_EDAMAGED);
        for (int i = 0; i < 2; i++) {
                assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
                assert_says(pawl_log_errmsg(f->log), "has lost what it acknowledged: seq 3 (");
                hex[16] = '\0';
                assert_says(pawl_log_errmsg(f->log), hex);
                assert_says(pawl_log_errmsg(f->log), "now the log ends at seq 2 (");
        }
        log_has(f, 2);
}

/* ---- What the server refuses ----------------------------------------------------------------- */

static const char *raised;
static int raise_times;

static pawl_status raise_error(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        char sql[200];

        (void)batch, (void)user;
        if (prepared++ >= raise_times)
                return PAWL_OK;
        snprintf(sql, sizeof sql,
                "DO 'BEGIN RAISE EXCEPTION ''as told'' USING ERRCODE = ''%s''; END'", raised);
        return pawl__server_execute(NULL, log, sql, NULL, 0, "append", err);
}

LOG_TEST(conflicts_of_transactions_are_tried_again)
{
        static const char *const codes[] = {"40001", "40P01", "26000"};
        pawl_event event;

        event_log_open(f);
        for (int i = 0; i < 3; i++) {
                raised = codes[i];
                raise_times = 3;
                pawl__batch batch = batch_of(f, &event, raise_error);
                assert_ok(pawl__log_commit(f->log, &batch, 0, NULL));
                assert_int_equal(prepared, 4);
                pawl__batch_free(&batch);
        }
        log_has(f, 3);
        raise_times = 1000; /* not without end */
        pawl__batch batch = batch_of(f, &event, raise_error);
        assert_int_equal(pawl__log_commit(f->log, &batch, 0, NULL), PAWL_EBUSY);
        assert_true(prepared < 20);
        pawl__batch_free(&batch);
        log_has(f, 3);
}

LOG_TEST(what_the_server_refuses_is_said_in_our_terms)
{
        static const struct {
                const char *code;
                pawl_status status;
                const char *fix;
        } cases[] = {
                {"53100", PAWL_EFULL, "free some space on the server"},
                {"25006", PAWL_EREADONLY, "name the primary"},
                {"42501", PAWL_EACCESS, "grant the role"},
                {"57014", PAWL_EBUSY, "statement_timeout"},
                {"53300", PAWL_EBUSY, "max_connections"},
                {"23505", PAWL_EDAMAGED, "eventlog verify"},
                {"XX001", PAWL_EDAMAGED, "the server's own files are damaged"},
                {"P0001", PAWL_EIO, "look at the server's log"},
        };
        pawl_event event;

        event_log_open(f);
        event_log_fill(f, 1);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                raised = cases[i].code;
                raise_times = 1;
                pawl__batch batch = batch_of(f, &event, raise_error);
                assert_int_equal(pawl__log_commit(f->log, &batch, 0, NULL), cases[i].status);
                assert_says(pawl_log_errmsg(f->log), "as told");
                assert_says(pawl_log_errmsg(f->log), cases[i].fix);
                pawl__batch_free(&batch);
                log_has(f, 1);
        }
        event_log_fill(f, 1);
}

static pawl_status fail_unheard(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        pawl__query *query;

        (void)batch, (void)user;
        pawl_status status = pawl__postgres_prepare(
                &query, log, "DO 'BEGIN RAISE ''as told'' USING ERRCODE = ''53100''; END'", err);
        if (status)
                return status;
        if (prepared++ == 0)
                assert_int_equal(pawl__query_step(query, "append", NULL), PAWL_EFULL);
        else
                assert_int_equal(pawl__query_run(query, &(int64_t){0}, "append", NULL), PAWL_EFULL);
        pawl__postgres_finalize(query);
        return PAWL_OK;
}

OPEN_LOG_TEST(a_transaction_ends_with_a_failure_that_nobody_heard_of)
{
        pawl_event event;

        event_log_fill(f, 1);
        pawl__batch batch = batch_of(f, &event, fail_unheard);
        for (int i = 0; i < 2; i++) {
                assert_int_equal(pawl__log_commit(f->log, &batch, 0, NULL), PAWL_EFULL);
                assert_int_equal(prepared, i + 1);
                assert_says(pawl_log_errmsg(f->log), "as told");
                log_has(f, 1);
        }
        pawl__batch_free(&batch);
}

OPEN_LOG_TEST(a_log_that_is_locked_is_waited_for_so_long_and_no_longer)
{
        f->busy_ms = 200;
        pawl_log *other = event_log_another(f);
        assert_ok(f->log->engine->begin(f->log, false));
        assert_int_equal(append_one(other, event_scope(NULL), 0), PAWL_EBUSY);
        assert_says(pawl_log_errmsg(other), "another writer has kept it locked for 200 ms");
        f->log->engine->rollback(f->log, false);
        assert_ok(append_one(other, event_scope(NULL), 0));
        pawl_log_close(other);
}

static void *interrupt_soon(void *log)
{
        const struct timespec time = {0, 200000000};

        nanosleep(&time, NULL);
        pawl_log_interrupt(log, true);
        return NULL;
}

OPEN_LOG_TEST(a_wait_for_the_lock_is_interrupted)
{
        pthread_t thread;

        f->busy_ms = 20000;
        pawl_log *other = event_log_another(f);
        assert_ok(f->log->engine->begin(f->log, false));
        const int64_t began = pawl__now_ms();
        assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, other), 0);
        assert_int_equal(append_one(other, event_scope(NULL), 0), PAWL_EINTERRUPTED);
        assert_true(pawl__now_ms() - began < 15000);
        pthread_join(thread, NULL);
        assert_int_equal(append_one(other, event_scope(NULL), 0), PAWL_EINTERRUPTED);
        f->log->engine->rollback(f->log, false);
        pawl_log_interrupt(other, false);
        assert_ok(append_one(other, event_scope(NULL), 0));
        pawl_log_close(other);
        log_has(f, 1);
}

/* A pooler gives each transaction another session. */
OPEN_LOG_TEST(statements_that_the_session_forgot_are_no_failure)
{
        pawl_error err = PAWL_ERROR_INIT;

        event_log_fill(f, 3);
        assert_ok(pawl__server_execute(NULL, f->log, "DEALLOCATE ALL", NULL, 0, "test", &err));
        event_log_fill(f, 2);
        assert_true(f->log->server->pooled);
        log_has(f, 5);
}

/* ---- Answers that are none of ours --------------------------------------------------------------
 */

static int zero(const PGresult *result)
{
        (void)result;
        return 0;
}

static Oid no_type(const PGresult *result, int column)
{
        (void)result, (void)column;
        return 0;
}

static Oid text_type(const PGresult *result, int column)
{
        (void)result, (void)column;
        return 25;
}

static int short_length(const PGresult *result, int row, int column)
{
        const int len = real->PQgetlength(result, row, column);

        return len ? len - 1 : 0;
}

static int always_null(const PGresult *result, int row, int column)
{
        (void)result, (void)row, (void)column;
        return 1;
}

static void use_all(pawl_log *log)
{
        pawl_verify_result result;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32] = {0};
        pawl__buf out = PAWL__BUF_INIT;
        uint64_t seq, fence;
        bool has;

        bool ok = !pawl_log_head(&seq, hash, log);
        ok &= !pawl_log_verify(&result, log, 0, NULL);
        ok &= !pawl__log_blob(&out, log, hash);
        ok &= !pawl__log_content_has(&has, log, hash);
        ok &= !pawl_log_claim(&fence, log, "m", "run", NULL, NULL);
        ok &= !append_one(log, event_scope(NULL), 0);
        ok &= !pawl__state_rebuild(log, &err);
        ok &= !pawl__replay_check(log, &err);
        assert_false(ok); /* the last blob is none in any case */
        pawl__buf_free(&out);
}

/* Types, lengths and rows that no table of ours has: failures, and nothing that is believed. */
OPEN_LOG_TEST(answers_of_other_types_are_refused)
{
        event_log_fill(f, 3);
        for (int i = 0; i < 6; i++) {
                event_log_open(f);
                break_library(f->log);
                if (i == 0)
                        broken.PQntuples = zero;
                else if (i == 1)
                        broken.PQftype = no_type;
                else if (i == 2)
                        broken.PQftype = text_type;
                else if (i == 3)
                        broken.PQgetlength = short_length;
                else if (i == 4)
                        broken.PQgetisnull = always_null;
                else
                        broken.PQnfields = zero;
                assert_true(append_one(f->log, event_scope(NULL), 0) < 0);
                use_all(f->log);
        }
        log_has(f, 3);
}

OPEN_LOG_TEST(an_answer_that_does_not_end_is_given_up)
{
        pawl_error err = PAWL_ERROR_INIT;

        event_log_fill(f, 1);
        f->log->server->answer_max = 1 << 20;
        assert_int_equal(pawl__server_execute(NULL, f->log,
                                 "SELECT repeat('x', 1000) FROM generate_series(1, 1000000)", NULL,
                                 0, "read it", &err),
                PAWL_EDAMAGED);
        assert_says(err.message, "it does not end");
        event_log_fill(f, 1);
        log_has(f, 2);
}

/* ---- Interrupted at a server that is stopped ------------------------------------------------- */

static int cancel_never(PGcancel *request, char *why, int size)
{
        (void)request, (void)why, (void)size;
        return (int)sleep(600);
}

OPEN_LOG_TEST(who_is_interrupted_does_not_wait_for_a_server_that_takes_no_cancel)
{
        pawl_error err = PAWL_ERROR_INIT;
        pthread_t thread;

        break_library(f->log);
        broken.PQcancel = cancel_never;
        assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, f->log), 0);
        const int64_t began = pawl__now_ms();
        assert_true(pawl__server_execute(
                            NULL, f->log, "SELECT pg_sleep(60)", NULL, 0, "test", &err) < 0);
        assert_true(pawl__now_ms() - began < 40000);
        pthread_join(thread, NULL);
        pawl_log_interrupt(f->log, false);
        f->log->server->pq = real;
}
