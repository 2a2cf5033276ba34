/*
 * A write-ahead log that is started again beside a checkpoint.
 *
 * SQLite before 3.51.3 loses committed pages so: all of the -wal is in the database; a checkpoint
 * reads where the -wal ends, and stops; a writer starts the -wal again; the checkpoint goes on, and
 * counts as moved what was not written yet. Two processes play that here, each stopped by the VFS.
 */
#include "support/event_log.h"
#include "support/vfs.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEFORE = 8, AFTER = 60, PAD = 3000, THREADS = 3, ROUNDS = 6 };

/* Checkpoints when the test asks for them; or after each commit. */
static const pawl__wal_limits never = {
        .checkpoint_frames = 1 << 20, .restart_frames = 1 << 20, .wait_ms = 0};
static const pawl__wal_limits each = {
        .checkpoint_frames = 1, .restart_frames = 1 << 20, .wait_ms = 0};

/* An event that fills most of a page, so that no later one writes that page again. */
static pawl_status append_page(pawl_log *log)
{
        char payload[PAD + 80];

        snprintf(payload, sizeof payload,
                "{\"scope_id\":\"core\",\"glossary_version_id\":\"v1\",\"pad\":\"%0*d\"}", PAD, 0);
        return append_one(log, event_scope(payload), 0);
}

static void append_pages(event_log *f, int n)
{
        while (n-- > 0)
                assert_ok(append_page(f->log));
}

/* A process, and the pipes by which it says where it stands and is let go on. */
typedef struct stepper {
        pid_t pid;
        int says[2], hears[2];
} stepper;

static void stand(fault_checkpoint at, void *user)
{
        const stepper *s = user;
        char go;

        if (write(s->says[1], at == FAULT_CHECKPOINT_BEGINS ? "b" : "r", 1) != 1 ||
                read(s->hears[0], &go, 1) != 1)
                _exit(1);
}

static void expect_at(const stepper *s, char place)
{
        char at;

        assert_int_equal(read(s->says[0], &at, 1), 1);
        assert_int_equal(at, place);
}

static void let_go(const stepper *s)
{
        assert_int_equal(write(s->hears[1], "g", 1), 1);
}

/* Appends once, and moves the -wal after that. */
static void start_stepper(stepper *s, event_log *f)
{
        assert_int_equal(pipe(s->says), 0);
        assert_int_equal(pipe(s->hears), 0);
        s->pid = fork();
        assert_true(s->pid >= 0);
        if (s->pid > 0)
                return;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        f->wal = &each;
        if (event_log_try(&log, f, &err))
                _exit(2);
        fault_on_checkpoint(stand, s);
        if (append_page(log))
                _exit(3);
        fault_on_checkpoint(NULL, NULL);
        pawl_log_close(log);
        _exit(0);
}

LOG_TEST(no_writer_starts_the_wal_again_beside_a_checkpoint)
{
        pawl_verify_result result;
        stepper s;
        int status, frames, moved;

        fault_reset();
        f->vfs = FAULT_VFS;
        f->wal = &never;
        f->busy_ms = 300;
        start_stepper(&s, f);
        event_log_open(f);
        append_pages(f, BEFORE);
        expect_at(&s, 'b'); /* its event is committed */
        append_pages(f, 1);
        assert_int_equal(pawl__wal_checkpoint(f->log, SQLITE_CHECKPOINT_FULL, 0, &frames, &moved),
                SQLITE_OK);
        assert_int_equal(moved, frames);
        let_go(&s);
        expect_at(&s, 'r'); /* it has read where the -wal ends: all of it was moved */
        const pawl_status beside = append_page(f->log);
        let_go(&s);
        assert_int_equal(waitpid(s.pid, &status, 0), s.pid);
        assert_int_equal(status, 0);
        append_pages(f, AFTER);
        assert_int_equal(
                pawl__wal_checkpoint(f->log, SQLITE_CHECKPOINT_TRUNCATE, 0, NULL, NULL), SQLITE_OK);
        event_log_close(f);
        event_log_open(f);
        if (pawl_log_verify(&result, f->log, 0, NULL))
                fail_msg("%s", pawl_log_errmsg(f->log));
        assert_int_equal(result.events, BEFORE + 2 + (beside == PAWL_OK) + AFTER);
        assert_int_equal(
                event_log_integer(f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
                1);
        assert_int_equal(beside, PAWL_EBUSY);
}

/* A writer is at work: a checkpoint of any kind moves nothing. */
LOG_TEST(a_checkpoint_beside_a_writer_does_not_begin)
{
        static const int modes[] = {
                SQLITE_CHECKPOINT_FULL, SQLITE_CHECKPOINT_RESTART, SQLITE_CHECKPOINT_TRUNCATE};
        sqlite3 *writer;
        int frames, moved;

        f->wal = &never;
        event_log_open(f);
        append_pages(f, BEFORE);
        assert_int_equal(sqlite3_open(f->path, &writer), SQLITE_OK);
        assert_int_equal(sqlite3_exec(writer, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
                assert_int_equal(
                        pawl__wal_checkpoint(f->log, modes[i], 2000, &frames, &moved) & 0xff,
                        SQLITE_BUSY);
                assert_int_equal(frames, -1);
                assert_int_equal(moved, -1);
        }
        assert_int_equal(sqlite3_exec(writer, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(writer);
        assert_int_equal(
                pawl__wal_checkpoint(f->log, SQLITE_CHECKPOINT_TRUNCATE, 0, &frames, &moved),
                SQLITE_OK);
}

/* All that moves the -wal, by a handle that is opened and closed for it: commits, what gives space
 * back, a copy, the last close. NULL, or what failed. */
static void *move_it_all(void *user)
{
        event_log *f = user;
        char copy[64];

        for (int i = 0; i < ROUNDS; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_log *log = NULL;
                pawl_backup made;
                uint64_t freed;
                if (event_log_try(&log, f, &err))
                        return "open";
                for (int n = 0; n < BEFORE; n++)
                        if (append_page(log))
                                return "append";
                snprintf(copy, sizeof copy, "%.40s/%d-%p-%d", f->directory, (int)getpid(),
                        (void *)&err, i);
                if (pawl_log_backup(&made, log, copy, NULL, NULL))
                        return "backup";
                if (pawl_log_shrink(&freed, log))
                        return "shrink";
                pawl_log_close(log);
        }
        return NULL;
}

/* The VFS aborts where a checkpoint is not alone. */
LOG_TEST(processes_and_threads_that_move_it_do_so_one_at_a_time)
{
        pthread_t threads[THREADS];
        pid_t children[THREADS];
        void *failed;
        int status;

        fault_reset();
        f->vfs = FAULT_VFS;
        f->wal = &each;
        f->busy_ms = 20000;
        for (int i = 0; i < THREADS; i++) {
                children[i] = fork();
                assert_true(children[i] >= 0);
                if (children[i] == 0)
                        _exit(move_it_all(f) != NULL);
        }
        for (int i = 0; i < THREADS; i++)
                assert_int_equal(pthread_create(&threads[i], NULL, move_it_all, f), 0);
        for (int i = 0; i < THREADS; i++) {
                assert_int_equal(pthread_join(threads[i], &failed), 0);
                if (failed)
                        fail_msg("%s", (const char *)failed);
                assert_int_equal(waitpid(children[i], &status, 0), children[i]);
                assert_int_equal(status, 0);
        }
        event_log_open(f);
        assert_int_equal(event_log_count(f), 2 * THREADS * ROUNDS * BEFORE);
}
