/* Threads that write at once, each by a handle of its own, without anybody telling them when. */
#include "state/state.h"
#include "support/event_log.h"
#include "support/vfs.h"
#include <pthread.h>

static int threads_setup(void **state);

/* The chain is whole, so long, and the state tables are what it means. */
static void check_log(event_log *f, uint64_t events)
{
        pawl_verify_result result;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;

        if (pawl_log_verify(&result, f->log, 0, NULL))
                fail_msg("%s", result.why.message);
        assert_int_equal(result.events, events);
        if (pawl__state_of(&state, f->log, &err) || pawl__replay_check(f->log, &err))
                fail_msg("%s", err.message);
}

enum { THREADS = 8, APPENDS = 60 };

typedef struct many {
        event_log *f;
        int number;
        pthread_t thread;
        pawl_error err;
        uint64_t seqs[APPENDS];
        int done; /* appends and refusals that came out as they should */
} many;

/* One append in twelve is of no known form, one in twelve under a fence that never was. */
static pawl_status append_nth(pawl_log *log, many *m, int i)
{
        char payload[80];
        pawl_event event = event_scope(NULL);

        snprintf(payload, sizeof payload, "{\"glossary_version_id\":\"v1\",\"scope_id\":\"%d-%d\"}",
                m->number, i);
        event.payload = pawl__text(payload);
        if (i % 12 == 5)
                event.type = pawl__text("Unheard");
        if (i % 12 == 7)
                event.run_id = pawl__text("run-nobody-claimed");
        return pawl__log_append(&m->seqs[i], log, &event, 1, i % 12 == 7 ? 3 : 0);
}

static void *append_many(void *user)
{
        many *m = user;
        pawl_log *log = NULL;
        pawl__state *state;
        uint64_t fence;
        char run[16];

        snprintf(run, sizeof run, "run-%d", m->number);
        pawl_status status = event_log_try(&log, m->f, &m->err);
        if (!status && m->number % 2)
                status = pawl__state_of(&state, log, &m->err);
        if (!status && pawl_log_claim(&fence, log, "mission", run, NULL, NULL))
                m->err = log->err;
        for (int i = 0; i < APPENDS && log; i++) {
                static const pawl_status expected[12] = {[5] = PAWL_EINVAL, [7] = PAWL_EFENCED};
                m->done += append_nth(log, m, i) == expected[i % 12];
                if (i % 10 == 0 && pawl_log_renew(log, run, fence))
                        m->err = log->err;
        }
        pawl_log_close(log);
        return NULL;
}

UNIT_TEST_WITH(threads_that_append_at_once_lose_nothing_and_keep_their_order, event_log *f,
        threads_setup, event_log_teardown)
{
        static many m[THREADS];
        pawl_cursor *cursor;
        pawl_event event;
        int next[THREADS] = {0};

        memset(m, 0, sizeof m);
        for (int t = 0; t < THREADS; t++) {
                m[t].f = f;
                m[t].number = t;
                assert_int_equal(pthread_create(&m[t].thread, NULL, append_many, &m[t]), 0);
        }
        for (int t = 0; t < THREADS; t++)
                assert_int_equal(pthread_join(m[t].thread, NULL), 0);
        for (int t = 0; t < THREADS; t++) {
                assert_string_equal(m[t].err.message, "");
                assert_int_equal(m[t].done, APPENDS);
        }
        assert_ok(pawl_cursor_open(&cursor, f->log, 0));
        while (pawl_cursor_next(cursor, &event) == PAWL_OK) {
                int t, i;
                const char *id = strstr(event.payload.data, "\"scope_id\":\"");
                if (!id)
                        continue; /* a claim */
                assert_int_equal(sscanf(id, "\"scope_id\":\"%d-%d", &t, &i), 2);
                while (next[t] % 12 == 5 || next[t] % 12 == 7)
                        assert_int_equal(m[t].seqs[next[t]++], 0);
                assert_int_equal(i, next[t]);
                assert_int_equal(m[t].seqs[next[t]++], event.seq);
        }
        pawl_cursor_close(cursor);
        for (int t = 0; t < THREADS; t++)
                assert_int_equal(next[t], APPENDS);
        check_log(f, THREADS * (1 + APPENDS - APPENDS / 12 * 2));
}

static void *append_some(void *user)
{
        many *m = user;
        pawl_log *log = NULL;

        if (!event_log_try(&log, m->f, &m->err))
                for (int i = 0; i < 1000; i++)
                        m->done += append_nth(log, m, 12) == PAWL_OK;
        pawl_log_close(log);
        return NULL;
}

/* It is appended between the look for it and the look at the log's end, again and again. */
UNIT_TEST_WITH(an_event_that_is_appended_while_it_is_read_is_not_missing, event_log *f,
        threads_setup, event_log_teardown)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        many m = {.f = f};
        uint64_t seq = 1;
        pawl_event event;

        assert_int_equal(pthread_create(&m.thread, NULL, append_some, &m), 0);
        while (seq <= 1000) {
                const pawl_status status = pawl__log_event(&event, &arena, f->log, seq);
                seq += status == PAWL_OK;
                if (status != PAWL_OK && status != PAWL_ENOTFOUND)
                        fail_msg("%s", f->log->err.message);
        }
        assert_int_equal(pthread_join(m.thread, NULL), 0);
        assert_int_equal(m.done, 1000);
        pawl__arena_free(&arena);
}

static int threads_setup(void **state)
{
        fault_reset(); /* a VFS that syncs nothing, and so is quick */
        if (event_log_setup(state))
                return -1;
        ((event_log *)*state)->vfs = FAULT_VFS;
        event_log_open(*state);
        return 0;
}
