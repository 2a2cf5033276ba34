/* Needs PAWL_WITH_POSTGRES. */
/* Whatever happens at an exchange with the server, at each in turn: what was acknowledged is there
 * once, what was refused is not, and the rows of state are those that the events give. */
#include "events/postgres/server.h"
#include "state/state.h"
#include "support/event_log.h"
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

typedef enum fault_kind {
        CUT_BEFORE,  /* nothing comes there */
        CUT_WITHIN,  /* half of what is sent does */
        CUT_BEHIND,  /* all of it, and is answered, but the answer is lost */
        LATE,        /* the connection is lost, and all comes there behind other exchanges */
        LATE_WITHIN, /* half of it, and the other half behind others */
        OTHERS,      /* others append before it */
        TAKEN_OVER,  /* another claims the run before it, as of a writer that was stopped */
        REFUSED,     /* a statement fails for a conflict */
        TERMINATED   /* the server ends the connection in place of a statement */
} fault_kind;

static const pawl__postgres_library *real;
static pawl__postgres_library faulty;
static struct {
        fault_kind fault;
        int at, after; /* which exchange or statement; how many exchanges behind what is late */
        int exchanges, statements;
        bool done;
        int server; /* the connection that was lost, -1: none */
        char bytes[1 << 16];
        size_t n;
        pawl_log *other;
        const char *run, *session;
} plan;

static pawl_event checkpointed(const char *session, char payload[40], int n)
{
        snprintf(payload, 40, "{\"reason\":\"manual\",\"summary\":\"%d\"}", n);
        return (pawl_event){.type = pawl__text("SessionCheckpointed"),
                .session_id = pawl__text(session),
                .payload = pawl__text(payload)};
}

static void hand_on(void)
{
        struct pollfd answer = {.fd = plan.server, .events = POLLIN};

        if (plan.server < 0)
                return;
        (void)!send(plan.server, plan.bytes, plan.n, MSG_NOSIGNAL);
        (void)poll(&answer, 1, 300);
        close(plan.server);
        plan.server = -1;
}

/* What the writer sends goes to nobody; the server's end is kept. */
static int take_connection(PGconn *conn)
{
        int ends[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
        plan.server = dup(real->PQsocket(conn));
        assert_int_equal(dup2(ends[1], real->PQsocket(conn)), real->PQsocket(conn));
        close(ends[1]);
        return ends[0];
}

static void send_part(size_t n)
{
        assert_int_equal(send(plan.server, plan.bytes, n, MSG_NOSIGNAL), n);
        plan.n -= n;
        memmove(plan.bytes, plan.bytes + n, plan.n);
}

static int lose(PGconn *conn)
{
        const int here = take_connection(conn);
        const int sent = real->PQpipelineSync(conn);

        while (real->PQflush(conn) > 0)
                ;
        const ssize_t n = read(here, plan.bytes, sizeof plan.bytes);
        assert_in_range(n, 1, sizeof plan.bytes - 1);
        plan.n = (size_t)n;
        close(here);
        if (plan.fault == CUT_WITHIN || plan.fault == LATE_WITHIN)
                send_part(plan.n / 2);
        if (plan.fault == CUT_WITHIN) {
                close(plan.server);
                plan.server = -1;
        } else if (plan.fault == CUT_BEHIND) {
                hand_on();
        }
        return sent;
}

static int sync_or_fail(PGconn *conn)
{
        char payload[40];
        uint64_t fence;

        if (plan.server >= 0 && plan.after-- == 0)
                hand_on();
        if (plan.fault >= REFUSED || plan.exchanges++ != plan.at)
                return real->PQpipelineSync(conn);
        plan.done = true;
        if (plan.fault == CUT_BEFORE)
                shutdown(real->PQsocket(conn), SHUT_RDWR);
        if (plan.fault < CUT_WITHIN || plan.fault > LATE_WITHIN) {
                if (plan.fault == TAKEN_OVER) {
                        pawl__batch batch = PAWL__BATCH_INIT;
                        batch.takes_over = true;
                        (void)!pawl__log_claim(&fence, plan.other, pawl__text("m"),
                                pawl__text(plan.run), (pawl_text){NULL, 0}, pawl__text("user:bob"),
                                &batch, NULL);
                        pawl__batch_free(&batch);
                }
                if (plan.fault >= OTHERS)
                        for (int i = 0; i < 2; i++)
                                (void)!append_one(
                                        plan.other, checkpointed(plan.session, payload, 99), 0);
                return real->PQpipelineSync(conn);
        }
        return lose(conn);
}

/* The statement that goes in place of the one whose turn it is; NULL: none. */
static const char *instead(void)
{
        if (plan.fault < REFUSED || plan.statements++ != plan.at)
                return NULL;
        plan.done = true;
        return plan.fault == REFUSED ? "DO $$BEGIN RAISE 'no' USING ERRCODE = '40001'; END$$"
                                     : "SELECT pg_terminate_backend(pg_backend_pid())";
}

static int send_params(PGconn *conn, const char *sql, int n, const Oid *types,
        const char *const *values, const int *lengths, const int *formats, int format)
{
        const char *other = instead();

        return other ? real->PQsendQueryParams(conn, other, 0, NULL, NULL, NULL, NULL, 1)
                     : real->PQsendQueryParams(
                               conn, sql, n, types, values, lengths, formats, format);
}

static int send_prepared(PGconn *conn, const char *name, int n, const char *const *values,
        const int *lengths, const int *formats, int format)
{
        const char *other = instead();

        return other ? real->PQsendQueryParams(conn, other, 0, NULL, NULL, NULL, NULL, 1)
                     : real->PQsendQueryPrepared(conn, name, n, values, lengths, formats, format);
}

/* ---- A session under way --------------------------------------------------------------------- */

enum { STEPS = 7, HURRIED_MS = 200, PATIENT_MS = 20000 };

/* A server that is slow to see that a connection ended keeps its lock for as long. */
static void wait_for_the_lock(pawl_log *log, unsigned busy_ms)
{
        log->busy_ms = busy_ms;
        log->server->limited = 0;
}

/* How often each checkpoint of the session is in the log. */
static void count_each(int times[STEPS], pawl_log *log)
{
        pawl_cursor *cursor;
        pawl_event event;
        char payload[40];

        memset(times, 0, STEPS * sizeof *times);
        assert_ok(pawl_cursor_open(&cursor, log, 0));
        while (pawl_cursor_next(cursor, &event) == PAWL_OK)
                for (int i = 1; i < STEPS; i++) {
                        const pawl_event wanted = checkpointed(plan.session, payload, i);
                        times[i] += pawl__text_eq(event.session_id, wanted.session_id) &&
                                    pawl__text_eq(event.payload, wanted.payload);
                }
        pawl_cursor_close(cursor);
}

static void check(event_log *f, const pawl_status *became)
{
        pawl_verify_result result;
        pawl_error err = PAWL_ERROR_INIT;
        char payload[40];
        pawl__state *state;
        int times[STEPS];
        pawl_log *log = event_log_another(f);

        assert_ok(pawl__state_of(&state, log, &err));
        wait_for_the_lock(log, PATIENT_MS);
        if (append_one(log, checkpointed(plan.session, payload, 100), 0))
                fail_msg("%s", pawl_log_errmsg(log));
        if (pawl_log_verify(&result, log, 0, NULL) || result.bad_seq)
                fail_msg("fault %d at %d: %s", plan.fault, plan.at, pawl_log_errmsg(log));
        if (pawl__replay_check(log, &err))
                fail_msg("fault %d at %d: %s", plan.fault, plan.at, err.message);
        count_each(times, log);
        pawl_log_close(log);
        for (int i = 1; i < STEPS; i++) /* what is not known may be there */
                if (became[i] ? times[i] > (became[i] == PAWL_EIO) : times[i] != 1)
                        fail_msg("fault %d at %d: step %d became %d, and is there %d times",
                                plan.fault, plan.at, i, became[i], times[i]);
}

static void claim_and_release(pawl_log *log, const char *which)
{
        char run[60];
        uint64_t fence;

        snprintf(run, sizeof run, "%s-%s", plan.run, which);
        if (!pawl_log_claim(&fence, log, "m", run, "user:ana", NULL))
                (void)!pawl_log_release(log, run, fence);
        assert_int_not_equal(pawl__log_error(log)->status, PAWL_EDAMAGED);
}

/* Seven commits of a writer, with one of another in the middle. Was there such an exchange? */
static bool session_with(event_log *f, fault_kind fault, int at, int after)
{
        char run[40], session[40], payload[40];
        pawl_status became[STEPS] = {PAWL_OK};
        pawl__state *state;
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t fence = 0;

        plan.server = -1;
        plan.n = 0;
        plan.fault = fault;
        plan.at = at;
        plan.after = after;
        plan.exchanges = plan.statements = 0;
        plan.done = false;
        snprintf(run, sizeof run, "run-%d-%d-%d", fault, at, after);
        snprintf(session, sizeof session, "session-%d-%d-%d", fault, at, after);
        plan.run = run;
        plan.session = session;
        pawl_log *log = event_log_open(f);
        f->flags = 0;
        plan.other = event_log_another(f);
        assert_ok(pawl__state_of(&state, log, &err));
        assert_ok(pawl__state_of(&state, plan.other, &err));
        assert_ok(pawl_log_claim(&fence, log, "m", run, "user:ana", NULL));
        real = log->server->pq;
        faulty = *real;
        faulty.PQpipelineSync = sync_or_fail;
        faulty.PQsendQueryParams = send_params;
        faulty.PQsendQueryPrepared = send_prepared;
        log->server->pq = &faulty;
        for (int i = 0; i < STEPS; i++) {
                pawl_event event = checkpointed(session, payload, i);
                if (i == 0)
                        event.type = pawl__text("SessionStarted");
                event.mission_id = pawl__text("m");
                event.run_id = pawl__text(run);
                became[i] = append_one(log, event, fence);
                if (became[i] == PAWL_EDAMAGED)
                        fail_msg("fault %d at %d: %s", fault, at, pawl_log_errmsg(log));
                if (i == 1 || i == 5) /* a claim of its own transaction, and what gives it back */
                        claim_and_release(log, i == 1 ? "one" : "two");
                wait_for_the_lock(plan.other, PATIENT_MS);
                if (i == 0 && became[i]) { /* the rest is of a session */
                        became[i] = append_one(plan.other, event, 0);
                        assert_true(!became[i] || became[i] == PAWL_EEXISTS);
                }
                if (i == 3)
                        assert_ok(append_one(plan.other, checkpointed(session, payload, 98), 0));
                wait_for_the_lock(plan.other, HURRIED_MS);
        }
        hand_on();
        log->server->pq = real;
        pawl_log_close(plan.other);
        event_log_close(f);
        check(f, became);
        return plan.done;
}

static void at_each(event_log *f, fault_kind fault, int after)
{
        int at = 0;

        f->busy_ms = HURRIED_MS;
        while (session_with(f, fault, at, after))
                at++;
        assert_true(at > STEPS);
}

#define AT_EACH_TEST(name, fault)                                                                  \
        LOG_TEST(name)                                                                             \
        {                                                                                          \
                at_each(f, fault, 0);                                                              \
        }
AT_EACH_TEST(nothing_of_it_comes_there, CUT_BEFORE)
AT_EACH_TEST(half_of_it_comes_there, CUT_WITHIN)
AT_EACH_TEST(its_answer_is_lost, CUT_BEHIND)
AT_EACH_TEST(others_append_before_it, OTHERS)
AT_EACH_TEST(the_run_is_taken_over_before_it, TAKEN_OVER)
AT_EACH_TEST(a_statement_is_refused, REFUSED)
AT_EACH_TEST(the_server_ends_the_connection, TERMINATED)

LOG_TEST(it_comes_late)
{
        for (int after = test_full() ? 0 : 1; after < (test_full() ? 4 : 2); after++)
                at_each(f, LATE, after);
}

LOG_TEST(half_of_it_comes_late)
{
        for (int after = test_full() ? 0 : 1; after < (test_full() ? 4 : 2); after++)
                at_each(f, LATE_WITHIN, after);
}
