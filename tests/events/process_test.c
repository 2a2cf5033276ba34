/* Several processes at one log: they wait, they take turns, and they notice when one of them is
 * dead. */
#include "support/event_log.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child runs fn with the write end of a pipe, on which the parent waits for a byte. */
static pid_t start_child(event_log *f, void (*fn)(event_log *f, int ready))
{
        int ends[2];
        char byte;
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                close(ends[0]);
                fn(f, ends[1]);
                _exit(0);
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        close(ends[0]);
        return child;
}

static void end_child(pid_t child)
{
        int status;

        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
}

static void hold_the_write_lock(event_log *f, int ready)
{
        sqlite3 *db;

        if (sqlite3_open(f->path, &db) != SQLITE_OK ||
                sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
                write(ready, "x", 1) != 1)
                _exit(1);
        for (;;)
                pause();
}

LOG_TEST(who_keeps_the_log_locked_is_named_after_busy_ms)
{
        char says[80];
        uint64_t fence = 99;

        f->busy_ms = 30;
        event_log_open(f);
        event_log_fill(f, 1);
        int64_t pid = 0;
        assert_int_equal(pawl__lock_holders(&pid, 1, f->log, PAWL__LOCK_WRITE), 0);
        pid_t child = start_child(f, hold_the_write_lock);
        assert_int_equal(pawl__lock_holders(&pid, 1, f->log, PAWL__LOCK_WRITE), 1);
        assert_int_equal(pid, child);
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EBUSY);
        snprintf(says, sizeof says, "process %d (", (int)child);
        assert_says(pawl_log_errmsg(f->log), says);
        assert_says(pawl_log_errmsg(f->log), ") has kept it locked for 30 ms");
        assert_int_equal(pawl_log_claim(&fence, f->log, "m", "r", NULL, NULL), PAWL_EBUSY);
        assert_int_equal(fence, 99);
        /* Readers are not held up, nor is opening. */
        pawl_log *other = event_log_another(f);
        pawl_verify_result result;
        assert_ok(pawl_log_verify(&result, other, 0, NULL));
        assert_int_equal(result.events, 1);
        pawl_log_close(other);
        end_child(child);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_int_equal(event_log_count(f), 2);
}

OPEN_LOG_TEST(a_lock_that_is_given_up_in_time_is_waited_for)
{
        int status;

        pid_t child = start_child(f, hold_the_write_lock);
        pid_t killer = fork();
        assert_true(killer >= 0);
        if (killer == 0) {
                usleep(60000);
                kill(child, SIGKILL);
                _exit(0);
        }
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(waitpid(killer, &status, 0), killer);
        assert_int_equal(event_log_count(f), 1);
}

enum { WRITERS = 4, APPENDS = 60 };

static void append_many(event_log *f, int ready)
{
        pawl_log *log = NULL;
        pawl_error err = PAWL_ERROR_INIT;

        if (event_log_try(&log, f, &err) || write(ready, "x", 1) != 1)
                _exit(1);
        for (int i = 0; i < APPENDS; i++) {
                pawl_event pair[2] = {event_scope(NULL), event_scope(NULL)};
                uint64_t seq;
                if (pawl__log_append(&seq, log, pair, 2, 0)) {
                        fprintf(stderr, "%s\n", pawl_log_errmsg(log));
                        _exit(2);
                }
                if (seq % 2 != 0) /* somebody's event came between the two */
                        _exit(3);
        }
        pawl_log_close(log);
}

OPEN_LOG_TEST(processes_that_append_at_once_take_turns_without_a_gap)
{
        pawl_verify_result result;
        pid_t child[WRITERS];

        for (int i = 0; i < WRITERS; i++)
                child[i] = start_child(f, append_many);
        for (int i = 0; i < WRITERS; i++) {
                child_exits(child[i], 0);
        }
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, WRITERS * APPENDS * 2);
}

static void claim_and_wait(event_log *f, int ready)
{
        pawl_log *log = NULL;
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t fence;

        if (pawl_log_open(&log, f->path, NULL, &err) ||
                pawl_log_claim(&fence, log, "m", "run-1", "user:child", NULL) ||
                write(ready, "x", 1) != 1)
                _exit(1);
        for (;;)
                pause();
}

OPEN_LOG_TEST(a_holder_that_was_killed_loses_the_run_at_once_even_unreaped)
{
        pawl_owner owner = {0, 0, {NULL, 0}};
        pawl_log *log = NULL;
        uint64_t fence = 99;
        siginfo_t info;

        event_log_close(f);
        assert_ok(pawl_log_open(&log, f->path, NULL, NULL));
        pid_t child = start_child(f, claim_and_wait);
        assert_int_equal(pawl_log_claim(&fence, log, "m", "run-1", "user:ana", &owner), PAWL_EHELD);
        assert_int_equal(owner.pid, child);
        assert_int_equal(fence, 99);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
        assert_ok(pawl_log_claim(&fence, log, "m", "run-1", "user:ana", &owner));
        assert_int_equal(fence, 2);
        pawl_log_close(log);
        end_child(child);
}
