/*
 * A disk that fails at each of its operations in turn, and a process that dies there: what was
 * acknowledged stands, what was refused does not, and the next open needs no repair.
 */
#include "support/event_log.h"
#include "support/vfs.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 3, SWEEP_MAX = 400 };

static int fault_setup(void **state)
{
        fault_reset();
        if (event_log_setup(state))
                return -1;
        ((event_log *)*state)->vfs = FAULT_VFS;
        return 0;
}

static int keyed_fault_setup(void **state)
{
        if (fault_setup(state))
                return -1;
        ((event_log *)*state)->key = "0123456789abcdef0123456789abcdef";
        return 0;
}

static int fault_teardown(void **state)
{
        fault_reset();
        return event_log_teardown(state);
}

/* Three events and a blob that fill some pages. */
static pawl_status append_batch(pawl_log *log)
{
        static const char pad[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde";
        pawl__batch batch = PAWL__BATCH_INIT;
        unsigned char hash[32] = {0};
        char payload[2200];
        size_t at;
        uint64_t head;
        pawl_status status;

        at = (size_t)snprintf(payload, sizeof payload,
                "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"pad\":\"");
        while (at < 2000)
                at += (size_t)snprintf(payload + at, sizeof payload - at, "%s", pad);
        snprintf(payload + at, sizeof payload - at, "\"}");
        status = pawl_log_head(&head, hash, log);
        for (int i = 0; i < BATCH && !status; i++) {
                pawl_event event = event_scope(payload);
                status = pawl__batch_event(&batch, &event, pawl__log_error(log));
        }
        if (!status)
                status = pawl__batch_blob(&batch, hash, pawl__text(payload), pawl__log_error(log));
        if (!status)
                status = pawl__log_commit(log, &batch, 0, NULL);
        pawl__batch_free(&batch);
        return status;
}

/* Without faults: it opens, it verifies, and it can be appended to. Returns how many there are. */
static uint64_t check_sound(event_log *f)
{
        pawl_verify_result result;

        fault_reset();
        event_log_open(f);
        if (pawl_log_verify(&result, f->log, 0, NULL))
                fail_msg("%s", result.why.message);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM pragma_integrity_check "
                                              "WHERE integrity_check = 'ok'"),
                1);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM blobs") * BATCH, result.events);
        assert_ok(append_batch(f->log));
        event_log_close(f);
        return result.events;
}

static bool is_disk_failure(pawl_status status)
{
        return status == PAWL_EIO || status == PAWL_EFULL;
}

/* A checkpoint at every append, one that also starts the -wal again each time, and none. */
static const pawl__wal_limits moved = {.checkpoint_frames = 1, .restart_frames = 100000};
static const pawl__wal_limits restarted = {.checkpoint_frames = 1, .restart_frames = 1};
static const pawl__wal_limits kept = {.checkpoint_frames = 1000, .restart_frames = 100000};
/* One at some appends. */
static const pawl__wal_limits moved_at_times = {.checkpoint_frames = 12, .restart_frames = 24};

/* Appends with a fault at the n-th operation, for every n until it is never reached. */
static void sweep_append(event_log *f, fault_kind kind, bool stays, const pawl__wal_limits *wal)
{
        uint64_t acknowledged = 0;
        int failures = 0, n;

        fault_reset();
        event_log_open(f);
        for (int i = 0; i < 3; i++, acknowledged += BATCH)
                assert_ok(append_batch(f->log));
        event_log_close(f);
        for (n = 1; n < SWEEP_MAX; n++) {
                f->wal = wal;
                event_log_open(f);
                f->wal = NULL;
                fault_at(kind, n, stays);
                pawl_status status = append_batch(f->log);
                bool reached = fault_count() >= n;
                if (!status) {
                        acknowledged += BATCH;
                } else {
                        failures++;
                        if (!is_disk_failure(status))
                                fail_msg("operation %d: %s", n, pawl_log_errmsg(f->log));
                        assert_says(pawl_log_errmsg(f->log), ": cannot append: ");
                        assert_true(reached);
                        if (!stays) { /* the same handle goes on where it was */
                                assert_ok(append_batch(f->log));
                                acknowledged += BATCH;
                        }
                }
                event_log_close(f);
                uint64_t found = check_sound(f);
                /* A disk that fails for good while it syncs may keep what it was given. */
                if (found != acknowledged && !(stays && status && found == acknowledged + BATCH))
                        fail_msg("operation %d: %d events acknowledged, %d found", n,
                                (int)acknowledged, (int)found);
                acknowledged = found + BATCH;
                if (!reached)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(failures >= 5);
}

#define FAULT_TEST(name) UNIT_TEST_OF(name, fault_setup, fault_teardown, NULL)
#define KEYED_TEST(name)                                                                           \
        UNIT_TEST_TWICE(name, fault_setup, fault_teardown, of_a_keyed_log, keyed_fault_setup)

KEYED_TEST(an_io_error_at_any_operation_refuses_the_append_and_loses_nothing)
{
        sweep_append(*state, FAULT_EIO, false, &moved);
}

FAULT_TEST(a_disk_that_fills_up_within_any_write_refuses_the_append_and_loses_nothing)
{
        sweep_append(*state, FAULT_SHORT, false, &kept);
}

FAULT_TEST(a_disk_that_fails_for_good_loses_nothing_acknowledged)
{
        sweep_append(*state, FAULT_EIO, true, &moved);
}

FAULT_TEST(a_failure_while_the_write_ahead_log_is_started_again_loses_nothing)
{
        sweep_append(*state, FAULT_EIO, false, &restarted);
}

FAULT_TEST(a_full_disk_is_said_to_be_full)
{
        event_log *f = *state;

        event_log_open(f);
        fault_at(FAULT_FULL, 1, true);
        assert_int_equal(append_batch(f->log), PAWL_EFULL);
        assert_says(pawl_log_errmsg(f->log), "the disk is full; free some space and try again");
        fault_reset();
        assert_ok(append_batch(f->log));
        event_log_close(f);
        assert_int_equal(check_sound(f), BATCH);
}

/* However many frames it has: one write, one sync. */
FAULT_TEST(an_append_writes_once_and_waits_once)
{
        event_log *f = *state;

        event_log_open(f);
        assert_ok(append_batch(f->log)); /* makes the -wal */
        fault_reset();
        assert_ok(append_batch(f->log));
        assert_int_equal(fault_syncs(), 1);
        assert_int_equal(fault_count(), 2);
        event_log_close(f);
}

/* Open a log that is not there, or that is an empty file, with every operation from the n-th on
 * failing, for each n; then without. How often it could not be opened. */
static int sweep_making(event_log *f, fault_kind kind, bool empty_file)
{
        static const char *const suffixes[] = {"", "-wal", "-shm"};
        char name[4096];
        int failures = 0, n;

        for (n = 1; n < SWEEP_MAX; n++) {
                pawl_error err = PAWL_ERROR_INIT;
                if (empty_file)
                        file_write(f->path, "", 0);
                fault_at(kind, n, true);
                pawl_status status = event_log_try(&f->log, f, &err);
                bool reached = fault_count() >= n;
                if (status) {
                        failures++;
                        if (!is_disk_failure(status))
                                fail_msg("operation %d: %s", n, err.message);
                        assert_null(f->log);
                }
                fault_reset();
                event_log_close(f);
                assert_int_equal(check_sound(f), 0);
                for (size_t i = 0; i < 3; i++) {
                        snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                        (void)unlink(name);
                }
                if (!reached)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        return failures;
}

FAULT_TEST(a_log_that_could_not_be_made_can_be_made_later)
{
        event_log *f = *state;

        assert_true(sweep_making(f, FAULT_EIO, false) >= 2);
        assert_true(sweep_making(f, FAULT_SHORT, false) >= 2);
        /* As it is made where the file system cannot rename without replacing. */
        assert_true(sweep_making(f, FAULT_EIO, true) >= 5);
        assert_true(sweep_making(f, FAULT_SHORT, true) >= 5);
}

/* ---- A process that dies
 * -------------------------------------------------------------------------- */

/* The child opens the log and appends, a byte into the pipe for each batch acknowledged. */
static void child_appends(event_log *f, fault_kind kind, int n, int pipe_end)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        fault_at(kind, n, true);
        f->wal = &moved_at_times;
        if (event_log_try(&log, f, &err))
                _exit(1);
        for (int i = 0; i < 4; i++) {
                if (append_batch(log))
                        _exit(2);
                if (write(pipe_end, "x", 1) != 1)
                        _exit(3);
        }
        pawl_log_close(log);
        _exit(0);
}

static void sweep_death(event_log *f, fault_kind kind)
{
        uint64_t before = 0;
        int deaths = 0, status = 0, n;

        event_log_open(f);
        event_log_close(f);
        for (n = 1; n < SWEEP_MAX; n++) {
                int ends[2];
                char byte;
                uint64_t acknowledged = before;
                assert_int_equal(pipe(ends), 0);
                pid_t child = process_fork();
                if (child == 0)
                        child_appends(f, kind, n, ends[1]);
                close(ends[1]);
                while (read(ends[0], &byte, 1) == 1)
                        acknowledged += BATCH;
                close(ends[0]);
                assert_int_equal(waitpid(child, &status, 0), child);
                uint64_t found = check_sound(f);
                /* What the child could not acknowledge any more may be there, whole. */
                if (found != acknowledged && found != acknowledged + BATCH)
                        fail_msg("operation %d: %d events acknowledged, %d found", n,
                                (int)(acknowledged - before), (int)(found - before));
                before = found + BATCH;
                if (WIFEXITED(status))
                        break;
                assert_int_equal(WTERMSIG(status), SIGKILL);
                deaths++;
        }
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(n < SWEEP_MAX);
        assert_true(deaths > 20);
}

/* An append that fails at operation n, and then the process dies before it could close the log. */
static void child_fails_and_dies(event_log *f, int n, int pipe_end)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        if (event_log_try(&log, f, &err))
                _exit(1);
        fault_at(FAULT_EIO, n, false);
        const char *said = append_batch(log) ? "refused" : "done";
        if (write(pipe_end, said, 1) != 1)
                _exit(3);
        if (fault_count() < n)
                _exit(0);
        raise(SIGKILL);
}

FAULT_TEST(what_was_refused_does_not_come_back_after_a_crash)
{
        event_log *f = *state;
        uint64_t expected = 0;
        int refused = 0, status = 0, n;

        event_log_open(f);
        event_log_close(f);
        for (n = 1; n < SWEEP_MAX; n++) {
                int ends[2];
                char said;
                assert_int_equal(pipe(ends), 0);
                pid_t child = process_fork();
                if (child == 0)
                        child_fails_and_dies(f, n, ends[1]);
                assert_int_equal(read(ends[0], &said, 1), 1);
                close(ends[0]);
                close(ends[1]);
                assert_int_equal(waitpid(child, &status, 0), child);
                if (said == 'd')
                        expected += BATCH;
                else
                        refused++;
                if (check_sound(f) != expected)
                        fail_msg("operation %d: a refused append is there", n);
                expected += BATCH;
                if (WIFEXITED(status))
                        break;
        }
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(n < SWEEP_MAX);
        assert_true(refused >= 5);
}

KEYED_TEST(a_process_killed_at_any_operation_loses_nothing_acknowledged)
{
        sweep_death(*state, FAULT_KILL);
}

KEYED_TEST(a_power_cut_at_any_operation_loses_nothing_acknowledged)
{
        sweep_death(*state, FAULT_POWER_CUT);
}

/* The child of the test below: a lease changes, an append is acknowledged, another is under way. */
static void child_releases_and_appends(event_log *f, int n, int pipe_end)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        uint64_t fence;
        char run[16];

        snprintf(
                run, sizeof run, "run-%d", n); /* the one before died without giving its run back */
        fault_at(FAULT_POWER_CUT, n, false);
        if (event_log_try(&log, f, &err) ||
                pawl_log_claim(&fence, log, "mission", run, "actor", NULL) ||
                pawl_log_renew(log, run, fence) || pawl_log_release(log, run, fence) ||
                append_batch(log) || write(pipe_end, "a", 1) != 1 || append_batch(log))
                _exit(1);
        _exit(0); /* n was not reached */
}

/* A lease is changed without waiting for the disk; the append after it waits again. */
FAULT_TEST(an_append_after_a_release_survives_a_power_cut)
{
        event_log *f = *state;
        int status = 0, n, acknowledged = 0;

        for (n = 1; n < SWEEP_MAX; n++) {
                int ends[2];
                char said;
                event_log_open(f);
                uint64_t before = (uint64_t)event_log_integer(f, "SELECT count(*) FROM blobs");
                event_log_close(f);
                assert_int_equal(pipe(ends), 0);
                pid_t child = process_fork();
                if (child == 0)
                        child_releases_and_appends(f, n, ends[1]);
                close(ends[1]);
                bool acked = read(ends[0], &said, 1) == 1;
                close(ends[0]);
                assert_int_equal(waitpid(child, &status, 0), child);
                event_log_open(f);
                uint64_t after = (uint64_t)event_log_integer(f, "SELECT count(*) FROM blobs");
                event_log_close(f);
                if (acked && after < before + 1)
                        fail_msg("operation %d: what was acknowledged is gone", n);
                acknowledged += acked && WIFSIGNALED(status);
                if (WIFEXITED(status))
                        break;
        }
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(n < SWEEP_MAX);
        assert_true(acknowledged > 0);
}
