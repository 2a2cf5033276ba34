/* No memory at any allocation: a clear failure, nothing written, nothing leaked, the handle as
 * good. */
#include "support/event_log.h"
#include "support/sweep.h"
#include "support/vfs.h"

static int memory_setup_as(void **state, const char *key)
{
        if (event_log_setup(state))
                return -1;
        ((event_log *)*state)->key = key;
        fault_reset();
        ((event_log *)*state)->vfs = FAULT_VFS; /* which syncs nothing, and so is quick */
        event_log_open(*state); /* what libraries keep for themselves is allocated by now */
        event_log_fill(*state, 2);
        event_log_close(*state);
        return 0;
}

static int memory_setup(void **state)
{
        return memory_setup_as(state, NULL);
}

static int keyed_setup(void **state)
{
        return memory_setup_as(state, "0123456789abcdef0123456789abcdef");
}

/* check() sees the state after each round. */
static void sweep_call(
        event_log *f, pawl_status (*what)(event_log *f, sweep *s), void (*check)(event_log *f))
{
        for (sweep s = {0}; sweep_next(&s);) {
                (void)sweep_done(&s, what(f, &s), NULL);
                if (check)
                        check(f);
        }
}

static pawl_status open_and_close(event_log *f, sweep *s)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        sweep_arm(s);
        pawl_status status = event_log_try(&log, f, &err);
        if (status == PAWL_ENOMEM)
                assert_says(err.message, "out of memory");
        assert_true((log == NULL) == (status != PAWL_OK));
        pawl_log_close(log);
        return status;
}

#define MEMORY_TEST(name)                                                                          \
        UNIT_TEST_TWICE(name, memory_setup, event_log_teardown, of_a_keyed_log, keyed_setup)

MEMORY_TEST(opening_without_memory_fails_cleanly)
{
        event_log *f = *state;

        sweep_call(f, open_and_close, NULL);
        f->flags = PAWL_LOG_READONLY;
        sweep_call(f, open_and_close, NULL);
        event_log_open(f);
        assert_int_equal(event_log_count(f), 2);
}

/* On a fresh handle: a claim with a batch and a blob, an event, a renewal, a read of the last
 * events, a verification, and the close. */
static pawl_status use(event_log *f, sweep *s)
{
        const pawl_text none = {NULL, 0};
        char run_id[32]; /* another each time: giving a run back may fail when the log is closed */
        unsigned char hash[32];
        bool keyed = false;
        uint64_t fence, seq;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);
        pawl_cursor *cursor = NULL;
        pawl__buf out = PAWL__BUF_INIT;
        pawl_verify_result result;
        pawl_log *log = event_log_another(f);

        sweep_arm(s);
        snprintf(run_id, sizeof run_id, "run-%d", (int)s->n);
        const pawl_text run = pawl__text(run_id);
        memset(hash, 1, sizeof hash);
        pawl_status status = pawl__batch_event(&batch, &event, NULL);
        if (!status)
                status = pawl__batch_blob(&batch, hash, pawl__text("content"), NULL);
        if (!status)
                status = pawl__log_claim(
                        &fence, log, pawl__text("m"), run, none, none, &batch, NULL);
        event.run_id = run;
        if (!status)
                status = pawl__log_append(&seq, log, &event, 1, fence);
        if (!status)
                status = pawl_log_renew(log, run_id, fence);
        if (!status)
                status = pawl_cursor_open(&cursor, log, seq - 3);
        while (!status && !(status = pawl_cursor_next(cursor, &event)))
                status = pawl__event_json(&out, &event, NULL, NULL);
        if (status == PAWL_DONE && f->key)
                status = pawl__log_mac(&keyed, hash, log, event.seq) || !keyed ? PAWL_ENOMEM
                                                                               : PAWL_DONE;
        if (status == PAWL_DONE)
                status = pawl__chain_verify(&result, log, 0, NULL, NULL, NULL);
        pawl_cursor_close(cursor);
        pawl__buf_free(&out);
        pawl__batch_free(&batch);
        pawl_log_close(log);
        return status;
}

static void check_whole(event_log *f)
{
        pawl_verify_result result;
        int64_t events = 0;

        event_log_open(f);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        event_log_close(f);
        /* A claim and its batch are there together. */
        events = event_log_integer(f, "SELECT count(*) FROM events WHERE type = 'RunClaimed'");
        assert_int_equal(
                events, event_log_integer(f, "SELECT count(*) FROM events WHERE seq > 2 AND "
                                             "type <> 'RunClaimed' AND run_id IS NULL"));
        assert_int_equal(events, event_log_integer(f, "SELECT count(*) FROM leases"));
}

MEMORY_TEST(using_a_log_without_memory_fails_cleanly)
{
        sweep_call(*state, use, check_whole);
}

static pawl_status append_with_kept_handle(event_log *f)
{
        pawl_status status = append_one(f->log, event_scope(NULL), 0);

        if (status)
                assert_says(pawl_log_errmsg(f->log), "out of memory");
        return status;
}

MEMORY_TEST(a_handle_that_ran_out_of_memory_goes_on)
{
        event_log *f = *state;
        pawl_verify_result result;

        event_log_open(f);
        /* the first ones prepare what is kept */
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                const bool ok = sweep_done(&s, append_with_kept_handle(f), NULL);
                assert_int_equal(event_log_count(f), ok ? 3 : 2);
        }
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
}
