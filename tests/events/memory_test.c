/* No memory at any allocation: a clear failure, nothing written, nothing leaked, the handle as
 * good. */
#include "support/allocator.h"
#include "support/event_log.h"
#include "support/vfs.h"

enum { SWEEP_MAX = 5000 };

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

/* Run what under each n until none fails any more; check() sees the state after each failure. */
static void sweep(event_log *f, pawl_status (*what)(event_log *f, size_t fail_at),
        void (*check)(event_log *f, pawl_status status))
{
        int refused = 0;
        size_t n;

        if (!allocator_works())
                skip();
        for (n = 1; n < SWEEP_MAX; n++) {
                long before = allocator_live();
                pawl_status status = what(f, n);
                bool failed = allocator_failed();
                allocator_fail_at(0);
                if (status && status != PAWL_ENOMEM)
                        fail_msg("allocation %d: %s", (int)n, pawl_status_name(status));
                refused += status != PAWL_OK;
                check(f, status);
                if (allocator_live() > before) /* libraries may let go of what they kept */
                        fail_msg("allocation %d: %d blocks leaked", (int)n,
                                (int)(allocator_live() - before));
                if (!failed)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(refused > 0);
}

static pawl_status open_and_close(event_log *f, size_t fail_at)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        allocator_fail_at(fail_at);
        pawl_status status = event_log_try(&log, f, &err);
        if (status == PAWL_ENOMEM)
                assert_says(err.message, "out of memory");
        assert_true((log == NULL) == (status != PAWL_OK));
        pawl_log_close(log);
        return status;
}

static void check_nothing(event_log *f, pawl_status status)
{
        (void)f, (void)status;
}

static void opening_without_memory_fails_cleanly(void **state)
{
        event_log *f = *state;

        sweep(f, open_and_close, check_nothing);
        f->flags = PAWL_LOG_READONLY;
        sweep(f, open_and_close, check_nothing);
        event_log_open(f);
        assert_int_equal(event_log_count(f), 2);
}

/* On a fresh handle: a claim with a batch and a blob, an event, a renewal, a read of the last
 * events, a verification, and the close. */
static pawl_status use(event_log *f, size_t fail_at)
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

        allocator_fail_at(fail_at);
        snprintf(run_id, sizeof run_id, "run-%d", (int)fail_at);
        const pawl_text run = pawl__text(run_id);
        memset(hash, 1, sizeof hash);
        pawl_status status = pawl__batch_event(&batch, &event, NULL);
        if (!status)
                status = pawl__batch_blob(&batch, hash, pawl__text("content"), NULL);
        if (!status)
                status = pawl__log_claim(&fence, log, none, run, none, none, &batch, NULL);
        event.run_id = run;
        if (!status)
                status = pawl_log_append(&seq, log, &event, 1, fence);
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
                status = pawl_log_verify(&result, log, 0, NULL);
        pawl_cursor_close(cursor);
        pawl__buf_free(&out);
        pawl__batch_free(&batch);
        pawl_log_close(log);
        return status;
}

static void check_whole(event_log *f, pawl_status status)
{
        pawl_verify_result result;
        int64_t events = 0;

        (void)status;
        event_log_open(f);
        assert_int_equal(pawl_log_verify(&result, f->log, 0, NULL), PAWL_OK);
        event_log_close(f);
        /* A claim and its batch are there together. */
        events = event_log_integer(f, "SELECT count(*) FROM events WHERE type = 'RunClaimed'");
        assert_int_equal(
                events, event_log_integer(f, "SELECT count(*) FROM events WHERE seq > 2 AND "
                                             "type <> 'RunClaimed' AND run_id IS NULL"));
        assert_int_equal(events, event_log_integer(f, "SELECT count(*) FROM leases"));
}

static void using_a_log_without_memory_fails_cleanly(void **state)
{
        sweep(*state, use, check_whole);
}

static pawl_status append_with_kept_handle(event_log *f)
{
        pawl_status status = append_one(f->log, event_scope(NULL), 0);

        if (status)
                assert_says(pawl_log_errmsg(f->log), "out of memory");
        return status;
}

static void a_handle_that_ran_out_of_memory_goes_on(void **state)
{
        event_log *f = *state;
        pawl_verify_result result;

        if (!allocator_works())
                skip();
        event_log_open(f);
        allocator_fail_at(1);
        assert_int_equal(append_with_kept_handle(f), PAWL_ENOMEM);
        allocator_fail_at(0);
        assert_int_equal(event_log_count(f), 2);
        for (size_t n = 1; n < 200; n++) { /* the first ones prepare what is kept */
                allocator_fail_at(n);
                pawl_status status = append_with_kept_handle(f);
                allocator_fail_at(0);
                assert_int_equal(event_log_count(f), status ? 2 : 3);
                if (!status)
                        break;
        }
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_OK);
        assert_int_equal(pawl_log_verify(&result, f->log, 0, NULL), PAWL_OK);
}

#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, memory_setup, event_log_teardown)
#define KEYED_TEST(name)                                                                           \
        {                                                                                          \
#name " of a keyed log", name, keyed_setup, event_log_teardown, NULL               \
        }

int main(void)
{
        const struct CMUnitTest tests[] = {
                MEMORY_TEST(opening_without_memory_fails_cleanly),
                MEMORY_TEST(using_a_log_without_memory_fails_cleanly),
                MEMORY_TEST(a_handle_that_ran_out_of_memory_goes_on),
                KEYED_TEST(opening_without_memory_fails_cleanly),
                KEYED_TEST(using_a_log_without_memory_fails_cleanly),
                KEYED_TEST(a_handle_that_ran_out_of_memory_goes_on),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
