/* A fill that fails, for whatever reason, leaves all of its contents in the log or none. */
#include "support/contents.h"
#include "support/sweep.h"
#include "support/vfs.h"
#include <sys/stat.h>

static int fault_teardown(void **state);
#define FAULT_TEST(name) UNIT_TEST_WITH(name, event_log *f, event_log_setup, fault_teardown)

enum { SWEEP_MAX = 2000 };

FAULT_TEST(a_large_fill_that_fails_leaves_no_large_write_ahead_log)
{
        pawl_log *log = event_log_open(f);
        content_work w = {.first = 1, .contents = 4, .part_len = 2 << 20, .fails = PAWL_EINPUTS};
        struct stat st;

        assert_int_equal(contents_commit_one(log, &w), PAWL_EINPUTS);
        assert_int_equal(stat(path_in(f->directory, ".pawl/events.db-wal"), &st), 0);
        assert_true(st.st_size < 1 << 20);
        assert_int_equal(contents_rows(f), 0);
        w.fails = PAWL_OK;
        assert_ok(contents_commit_one(log, &w));
        content_check(log, 4, 2 << 20);
}

/* With the fault at the n-th operation, for each n: the event is there with all of its contents, or
 * neither is. */
static void sweep_faults(event_log *f, fault_kind kind, bool stays)
{
        int n, failures = 0;

        f->vfs = FAULT_VFS;
        fault_reset();
        event_log_open(f);
        int64_t events = event_log_count(f);
        event_log_close(f);
        for (n = 1; n < SWEEP_MAX; n++) {
                content_work w = {.first = (unsigned char)(1 + n % 200),
                        .contents = 2,
                        .part_len = CONTENT_PART};
                unsigned char drop[2][32];
                event_log_open(f);
                fault_at(kind, n, stays);
                pawl_status status = contents_commit_one(f->log, &w);
                bool reached = fault_count() >= n;
                if (status && status != PAWL_EIO && status != PAWL_EFULL)
                        fail_msg("operation %d: %s", n, pawl_log_errmsg(f->log));
                failures += status != PAWL_OK;
                event_log_close(f);
                fault_reset();
                event_log_open(f);
                int64_t found = event_log_count(f);
                assert_true(found == events + 1 || (status && found == events));
                assert_int_equal(contents_rows(f), (found - events) * 2 * CONTENT_PARTS);
                if (found > events)
                        content_check(f->log, w.first, CONTENT_PART);
                for (unsigned char i = 0; i < 2; i++) {
                        content_work goes = {.drops = drop[i]};
                        content_hash(drop[i], (unsigned char)(w.first + i));
                        assert_ok(contents_commit_one(f->log, &goes));
                }
                assert_int_equal(contents_rows(f), 0);
                events = found + 2;
                event_log_close(f);
                if (!reached)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(failures >= 5);
}

FAULT_TEST(an_io_error_at_any_operation_keeps_all_of_it_or_nothing)
{
        sweep_faults(f, FAULT_EIO, false);
        sweep_faults(f, FAULT_EIO, true);
}

FAULT_TEST(a_disk_that_fills_up_keeps_all_of_it_or_nothing)
{
        sweep_faults(f, FAULT_SHORT, false);
}

FAULT_TEST(without_memory_at_any_allocation_nothing_is_kept)
{
        unsigned char hash[32];

        content_hash(hash, 7);
        f->vfs = FAULT_VFS;
        fault_reset();
        event_log_open(f);
        event_log_fill(f, 1);
        for (sweep s = {.least = 11, .keeps = true}; sweep_next(&s);) {
                content_work w = {.first = 7, .contents = 1, .part_len = CONTENT_PART, .events = 1};
                pawl__buf out = PAWL__BUF_INIT;
                content_listing l = {.stop_at = 4};
                bool has = false;
                event_log_close(f);
                event_log_open(f);
                int64_t before = event_log_count(f);
                sweep_arm(&s);
                pawl_status status = contents_commit_one(f->log, &w);
                pawl_status wrote = status;
                if (!status)
                        status = pawl__log_content_has(&has, f->log, hash);
                if (!status)
                        status = pawl__log_content_get(&out, NULL, f->log, hash, 1);
                if (!status)
                        status = pawl__log_content_each(f->log, contents_list, &l);
                content_work goes = {.drops = hash};
                if (!status)
                        status = contents_commit_one(f->log, &goes);
                (void)sweep_done(&s, status, NULL);
                pawl__buf_free(&out);
                if (wrote) {
                        assert_int_equal(event_log_count(f), before);
                        assert_int_equal(contents_rows(f), 0);
                } else if (status) {
                        assert_int_equal(contents_rows(f), CONTENT_PARTS);
                        assert_ok(contents_commit_one(f->log, &goes));
                }
                assert_int_equal(contents_rows(f), 0);
        }
}

static int fault_teardown(void **state)
{
        fault_reset();
        return event_log_teardown(state);
}
