/* A log that is told to stop: what is under way ends, and what failed wrote nothing. */
#include "events/group.h"
#include "support/event_log.h"
#include <stdatomic.h>
#include <unistd.h>

/* As the fixture's first failure says. */
static void is_interrupted(event_log *f, pawl_status status)
{
        assert_int_equal(status, PAWL_EINTERRUPTED);
        assert_says(pawl_log_errmsg(f->log), "was interrupted, and nothing was written; try again");
}

LOG_TEST(every_call_fails_until_it_is_turned_off)
{
        pawl_log *log = event_log_open(f);
        pawl_verify_result verified = {.why = PAWL_ERROR_INIT};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_cursor *cursor = NULL, *other = NULL;
        unsigned char hash[32];
        uint64_t seq = 99, fence = 99, freed = 99;
        pawl_event event;

        event_log_fill(f, 3);
        assert_ok(pawl_cursor_open(&cursor, log, 0));
        pawl_log_interrupt(log, true);
        is_interrupted(f, pawl_log_head(&seq, hash, log));
        is_interrupted(f, pawl_cursor_next(cursor, &event));
        is_interrupted(f, pawl_cursor_open(&other, log, 0));
        is_interrupted(f, pawl__log_event(&event, &arena, log, 1));
        assert_int_equal(pawl_log_verify(&verified, log, 0, NULL), PAWL_EINTERRUPTED);
        is_interrupted(f, append_one(log, event_scope(NULL), 0));
        is_interrupted(f, pawl_log_claim(&fence, log, "mission", "run", NULL, NULL));
        is_interrupted(f, pawl_log_shrink(&freed, log));
        assert_int_equal(seq, 99);
        assert_int_equal(fence, 99);
        assert_int_equal(freed, 99);
        assert_null(other);
        assert_int_equal(event_log_count(f), 3);

        pawl_log_interrupt(log, false);
        assert_ok(pawl_cursor_next(cursor, &event));
        assert_int_equal(event.seq, 1);
        assert_ok(pawl_log_verify(&verified, log, 0, NULL));
        event_log_fill(f, 1);
        assert_ok(pawl_log_head(&seq, hash, log));
        assert_int_equal(seq, 4);
        pawl_cursor_close(cursor);
        pawl__arena_free(&arena);
}

/* A statement that would be at work for hours. */
static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                              "SELECT count(*) FROM n";

/* On either engine. */
static pawl_status run(pawl_log *log, const char *sql, pawl_error *err)
{
        pawl__query *query = NULL;
        pawl_status status = pawl__query_prepare(&query, log, sql, err);

        if (!status)
                status = pawl__query_step(query, "count", err);
        pawl__query_finalize(query);
        return status;
}

LOG_TEST(one_long_statement_ends)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = event_log_open(f);

        pawl_log_interrupt(log, true);
        assert_int_equal(run(log, endless, &err), PAWL_EINTERRUPTED);
        assert_says(err.message, "was interrupted");
}

typedef struct stopper {
        pawl_log *log;
        pthread_t thread;
        atomic_bool begun;
} stopper;

static void *stop_when_begun(void *user)
{
        stopper *s = user;

        while (!atomic_load(&s->begun))
                sched_yield();
        if (on_server())
                usleep(50000); /* it has only just been sent */
        pawl_log_interrupt(s->log, true);
        return NULL;
}

static void tell_begun(sqlite3_context *context, int n, sqlite3_value **values)
{
        stopper *s = sqlite3_user_data(context);

        (void)n;
        (void)values;
        atomic_store(&s->begun, true);
        sqlite3_result_int(context, 1);
}

LOG_TEST(another_thread_ends_it)
{
        stopper s = {.log = event_log_open(f)};
        pawl_error err = PAWL_ERROR_INIT;

        if (on_server())
                atomic_store(&s.begun, true);
        else
                assert_int_equal(sqlite3_create_function(pawl__log_db(s.log), "begun", 0,
                                         SQLITE_UTF8, &s, tell_begun, NULL, NULL),
                        SQLITE_OK);
        assert_int_equal(pthread_create(&s.thread, NULL, stop_when_begun, &s), 0);
        assert_int_equal(run(s.log,
                                 on_server() ? endless
                                             : "WITH RECURSIVE n(i) AS (SELECT begun() UNION ALL "
                                               "SELECT i + 1 FROM n) SELECT count(*) FROM n",
                                 &err),
                PAWL_EINTERRUPTED);
        pthread_join(s.thread, NULL);
}

/* ---- What writes ----------------------------------------------------------------------------- */

typedef struct looker {
        pawl_log *log;
        pawl_status looked; /* what the log says once it was interrupted */
} looker;

static pawl_status interrupt_and_look(
        pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        static const unsigned char content_hash[32] = {1};
        looker *looks = user;
        bool has;

        (void)batch;
        (void)err;
        pawl_status status = pawl__log_content_put(log, content_hash, 0, 3, "abc", 3);
        if (status)
                return status;
        pawl_log_interrupt(log, true);
        looks->looked = pawl__log_content_has(&has, log, content_hash);
        return looks->looked;
}

LOG_TEST(a_fill_ends_and_is_taken_back)
{
        pawl_log *log = event_log_open(f);
        looker looks = {.log = log};
        pawl__batch batch = PAWL__BATCH_INIT;
        const pawl_event event = event_scope(NULL);
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t seq = 99;

        assert_ok(pawl__batch_event(&batch, &event, &err));
        batch.prepare = interrupt_and_look;
        batch.prepare_user = &looks;
        assert_int_equal(pawl__log_commit(log, &batch, 0, &seq), PAWL_EINTERRUPTED);
        assert_int_equal(looks.looked, PAWL_EINTERRUPTED);
        assert_int_equal(seq, 99);
        assert_int_equal(event_log_count(f), 0);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM contents"), 0);
        pawl_log_interrupt(log, false);
        event_log_fill(f, 1);
        pawl__batch_free(&batch);
}

static pawl_status interrupt_apply(void *user, const pawl_event *event, pawl__event_type type,
        const pawl__json_tree *payload, pawl_error *err)
{
        pawl_log *log = user;

        (void)type;
        (void)event;
        (void)payload;
        pawl_log_interrupt(log, true);
        /* Long enough for an engine to ask. */
        return run(log,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
                "SELECT count(*) FROM n",
                err);
}

static pawl_status nothing(void *user, pawl_error *err)
{
        (void)user;
        (void)err;
        return PAWL_OK;
}

static void nothing_at_all(void *user)
{
        (void)user;
}

LOG_TEST(an_append_that_has_begun_is_done_whole)
{
        pawl_log *log = event_log_open(f);
        const pawl__projector projector = {
                nothing, interrupt_apply, nothing, nothing_at_all, nothing_at_all, log, NULL, NULL};

        pawl__log_set_projector(log, &projector);
        assert_ok(append_one(log, event_scope(NULL), 0));
        assert_int_equal(event_log_count(f), 1);
        is_interrupted(f, append_one(log, event_scope(NULL), 0));
        assert_int_equal(event_log_count(f), 1);
}

/* ---- What waits ------------------------------------------------------------------------------ */

typedef struct waiter {
        pawl_log *log;
        pthread_t thread;
        pawl_status status;
} waiter;

static void *append_it(void *user)
{
        waiter *w = user;

        w->status = append_one(w->log, event_scope(NULL), 0);
        return NULL;
}

/* Waits longer than the test may take. */
static void start(waiter *w, event_log *f)
{
        f->busy_ms = 3600 * 1000;
        w->log = event_log_another(f);
        assert_int_equal(pthread_create(&w->thread, NULL, append_it, w), 0);
}

static void end(waiter *w)
{
        pawl_log_interrupt(w->log, true);
        pthread_join(w->thread, NULL);
        assert_int_equal(w->status, PAWL_EINTERRUPTED);
        assert_says(pawl_log_errmsg(w->log), "was interrupted, and nothing was written");
        pawl_log_close(w->log);
}

OPEN_LOG_TEST(a_wait_for_the_lock_ends)
{
        sqlite3 *holder;
        waiter w;

        needs_file();
        assert_int_equal(sqlite3_open(f->path, &holder), SQLITE_OK);
        assert_int_equal(sqlite3_exec(holder, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        start(&w, f);
        end(&w);
        assert_int_equal(sqlite3_exec(holder, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_close(holder), SQLITE_OK);
        assert_int_equal(event_log_count(f), 0);
}

/* The waiter is in the queue behind this fill, and is interrupted there. */
static pawl_status let_another_wait(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        waiter *w = user;

        (void)batch;
        (void)err;
        assert_int_equal(pthread_create(&w->thread, NULL, append_it, w), 0);
        while (pawl__group_waiting(log) == 0)
                sched_yield();
        pawl_log_interrupt(w->log, true);
        pthread_join(w->thread, NULL);
        return PAWL_OK;
}

LOG_TEST(a_wait_for_a_turn_ends_and_the_others_go_on)
{
        pawl_log *log = event_log_open(f);
        pawl__batch batch = PAWL__BATCH_INIT;
        const pawl_event event = event_scope(NULL);
        pawl_error err = PAWL_ERROR_INIT;
        waiter w = {.status = PAWL_OK};
        uint64_t seq = 0;

        f->busy_ms = 3600 * 1000;
        w.log = event_log_another(f);
        assert_ok(pawl__batch_event(&batch, &event, &err));
        batch.prepare = let_another_wait;
        batch.prepare_user = &w;
        assert_ok(pawl__log_commit(log, &batch, 0, &seq));
        assert_int_equal(w.status, PAWL_EINTERRUPTED);
        assert_int_equal(event_log_count(f), 1);
        pawl_log_interrupt(w.log, false);
        assert_ok(append_one(w.log, event, 0));
        assert_int_equal(event_log_count(f), 2);
        pawl_log_close(w.log);
        pawl__batch_free(&batch);
}

LOG_TEST(closing_gives_claims_back_all_the_same)
{
        pawl_log *log = event_log_open(f);
        uint64_t fence;

        assert_ok(pawl_log_claim(&fence, log, "mission", "run", NULL, NULL));
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM leases WHERE held"), 1);
        pawl_log_interrupt(log, true);
        event_log_close(f);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM leases WHERE held"), 0);
}

/* Reads, appends and interruptions as they come: a read fails or is whole, an append is there or
 * is not, and each says which. */
typedef struct racer {
        pawl_log *log;
        pthread_t thread;
        atomic_bool done;
        atomic_uint rounds;
        uint64_t appended, refused, verified, cut;
        bool wrong;
} racer;

enum { RACES = 50 };

static void *race(void *user)
{
        racer *r = user;

        while (!r->wrong && (r->appended < RACES || r->refused < RACES || r->verified < RACES ||
                                    r->cut < RACES)) {
                pawl_verify_result result = {.why = PAWL_ERROR_INIT};
                atomic_fetch_add(&r->rounds, 1);
                pawl_status status = append_one(r->log, event_scope(NULL), 0);
                r->appended += status == PAWL_OK;
                r->refused += status == PAWL_EINTERRUPTED;
                r->wrong = r->wrong || (status && status != PAWL_EINTERRUPTED);
                status = pawl_log_verify(&result, r->log, 0, NULL);
                r->verified += status == PAWL_OK;
                r->cut += status == PAWL_EINTERRUPTED;
                r->wrong = r->wrong || (status && status != PAWL_EINTERRUPTED);
        }
        atomic_store(&r->done, true);
        return NULL;
}

LOG_TEST(what_fails_wrote_nothing_whenever_it_is_cut)
{
        racer r = {.log = event_log_open(f)};
        unsigned rounds = 0;

        assert_int_equal(pthread_create(&r.thread, NULL, race, &r), 0);
        while (!atomic_load(&r.done)) {
                pawl_log_interrupt(r.log, true);
                sched_yield();
                pawl_log_interrupt(r.log, false);
                sched_yield();
                if (++rounds % 64 == 0) { /* long enough for a verify of all that was appended */
                        const unsigned now = atomic_load(&r.rounds);
                        while (!atomic_load(&r.done) && atomic_load(&r.rounds) - now < 2)
                                usleep(100);
                }
        }
        pthread_join(r.thread, NULL);
        pawl_log_interrupt(r.log, false);
        assert_false(r.wrong);
        assert_int_equal(event_log_count(f), r.appended);
}
