/* Processes that wait for the log are in a queue, in the order in which they came. A dead or
 * stopped one holds up no other. */
#include "support/event_log.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITERS = 8 };

/* A child that ends with the test, even one that is stopped. */
static pid_t fork_child(void)
{
        fflush(NULL);
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
                _exit(1);
        return child;
}

/* Another program, which has SQLite's write lock until it is ended. */
static pid_t lock_log(const event_log *f)
{
        int ends[2];
        char byte;

        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork_child();
        if (child == 0) {
                sqlite3 *db;
                if (sqlite3_open(f->path, &db) != SQLITE_OK ||
                        sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
                        write(ends[1], "x", 1) != 1)
                        _exit(1);
                for (;;)
                        pause();
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        close(ends[0]);
        return child;
}

static void end_process(pid_t child)
{
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
}

static void append_numbered(event_log *f, int number, int busy_exit)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        char payload[96];

        snprintf(payload, sizeof payload, "{\"glossary_version_id\":\"v1\",\"scope_id\":\"%d\"}",
                number);
        pawl_event event = event_scope(payload);
        pawl_status status = event_log_try(&log, f, &err);
        if (!status)
                status = pawl_log_append(NULL, log, &event, 1, 0);
        if (status == PAWL_EBUSY && strstr(pawl_log_errmsg(log), "has kept it locked for"))
                _exit(busy_exit);
        if (status)
                fprintf(stderr, "process %d: %s\n", number,
                        log ? pawl_log_errmsg(log) : err.message);
        pawl_log_close(log);
        _exit(status ? 1 : 0);
}

/* How many locks and requests for locks there are on the log's directory. */
static int count_queue(const event_log *f)
{
        char *directory = pawl__directory_of(f->log), inode[40], line[256];
        struct stat st;
        int n = 0;
        FILE *locks = fopen("/proc/locks", "re");

        assert_non_null(locks);
        assert_int_equal(stat(directory, &st), 0);
        snprintf(inode, sizeof inode, ":%llu ", (unsigned long long)st.st_ino);
        while (fgets(line, sizeof line, locks))
                n += strstr(line, "FLOCK") && strstr(line, inode);
        fclose(locks);
        free(directory);
        return n;
}

static void await_queue(const event_log *f, int n)
{
        for (int i = 0; count_queue(f) != n; i++) {
                assert_true(i < 10000);
                usleep(1000);
        }
}

/* A process that appends, once it stands in the queue as the nth. */
static pid_t enqueue(event_log *f, int number, int nth)
{
        const pid_t child = fork_child();

        if (child == 0)
                append_numbered(f, number, 6);
        await_queue(f, nth);
        return child;
}

OPEN_LOG_TEST(processes_that_wait_are_served_in_the_order_in_which_they_came)
{
        pid_t child[WAITERS];
        pawl_cursor *cursor;
        pawl_event event;

        const pid_t holder = lock_log(f);
        for (int i = 0; i < WAITERS; i++)
                child[i] = enqueue(f, i, i + 1);
        usleep(300 * 1000); /* in which nothing moves: each keeps its place */
        end_process(holder);
        for (int i = 0; i < WAITERS; i++)
                child_exits(child[i], 0);
        assert_ok(pawl_cursor_open(&cursor, f->log, 0));
        for (int i = 0; i < WAITERS; i++) {
                char scope[32];
                snprintf(scope, sizeof scope, "\"scope_id\":\"%d\"", i);
                assert_ok(pawl_cursor_next(cursor, &event));
                assert_says(event.payload.data, scope);
        }
        pawl_cursor_close(cursor);
        assert_int_equal(count_queue(f), 0);
}

OPEN_LOG_TEST(a_first_waiter_that_is_killed_frees_the_queue)
{
        const pid_t holder = lock_log(f);
        const pid_t first = enqueue(f, 0, 1), second = enqueue(f, 1, 2);

        end_process(first);
        await_queue(f, 1);
        end_process(holder);
        child_exits(second, 0);
        assert_int_equal(event_log_count(f), 1);
}

OPEN_LOG_TEST(a_first_waiter_that_is_stopped_is_passed)
{
        const pid_t holder = lock_log(f);
        const pid_t first = enqueue(f, 0, 1), second = enqueue(f, 1, 2);

        assert_int_equal(kill(first, SIGSTOP), 0);
        end_process(holder);
        child_exits(second, 0);
        assert_ok(append_one(f->log, event_scope(NULL), 0)); /* and again, by one that stays */
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_int_equal(event_log_count(f), 3);
        assert_int_equal(kill(first, SIGCONT), 0);
        child_exits(first, 0);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        assert_int_equal(event_log_count(f), 5);
}

LOG_TEST(those_behind_a_holder_that_is_stopped_end_after_busy_ms)
{
        event_log_open(f);
        event_log_fill(f, 1);
        const pid_t holder = lock_log(f);
        assert_int_equal(kill(holder, SIGSTOP), 0);
        f->busy_ms = 400;
        const pid_t first = enqueue(f, 0, 1), second = enqueue(f, 1, 2);
        child_exits(first, 6);
        child_exits(second, 6);
        assert_int_equal(event_log_count(f), 1);
        end_process(holder);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
}

/* The transaction takes a while. */
static pawl_status take_a_while(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        (void)log, (void)batch, (void)user, (void)err;
        usleep(100 * 1000);
        return PAWL_OK;
}

static void append_slowly(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        pawl_event event = event_scope(NULL);
        pawl__batch batch = {.prepare = take_a_while};

        if (event_log_try(&log, f, &err) || pawl__batch_event(&batch, &event, &err) ||
                pawl__log_commit(log, &batch, 0, NULL)) {
                fprintf(stderr, "%s\n", log ? pawl_log_errmsg(log) : err.message);
                _exit(1);
        }
        pawl_log_close(log);
        _exit(0);
}

/* Together they take for twice as long as one of them waits while nothing moves. */
LOG_TEST(a_waiter_waits_for_as_long_as_others_commit)
{
        enum { MANY = 24 };
        pid_t child[MANY];

        event_log_open(f);
        f->busy_ms = 1200;
        for (int i = 0; i < MANY; i++) {
                child[i] = fork_child();
                if (child[i] == 0)
                        append_slowly(f);
        }
        for (int i = 0; i < MANY; i++)
                child_exits(child[i], 0);
        assert_int_equal(event_log_count(f), MANY);
}

static void append_until(event_log *f, const atomic_bool *ends)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        pawl_status status = event_log_try(&log, f, &err);

        while (!status && !atomic_load(ends))
                status = append_one(log, event_scope(NULL), 0);
        pawl_log_close(log);
        _exit(status ? 1 : 0);
}

/* It polls, as SQLite does, and is not in the queue. */
OPEN_LOG_TEST(a_program_that_writes_without_the_queue_has_its_turns)
{
        enum { WRITERS = 4, TURNS = 20 };
        atomic_bool *ends =
                mmap(NULL, sizeof *ends, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pid_t child[WRITERS];
        sqlite3 *db;

        assert_true(ends != MAP_FAILED);
        for (int i = 0; i < WRITERS; i++) {
                child[i] = fork_child();
                if (child[i] == 0)
                        append_until(f, ends);
        }
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_busy_timeout(db, 5000), SQLITE_OK);
        for (int i = 0; i < TURNS; i++)
                assert_int_equal(
                        sqlite3_exec(db, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
        atomic_store(ends, true);
        for (int i = 0; i < WRITERS; i++)
                child_exits(child[i], 0);
        munmap(ends, sizeof *ends);
}

/* To open a directory takes the right to read it: that process has no queue. */
OPEN_LOG_TEST(a_user_who_may_not_read_the_directory_takes_turns_too)
{
        enum { EACH = 50 };

        if (geteuid() != 0)
                skip();
        event_log_fill(f, 1);
        char *directory = pawl__directory_of(f->log), name[4096];
        static const char *const suffixes[] = {"", "-wal", "-shm", "-lock"};
        for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
                snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                (void)chmod(name, 0666);
        }
        assert_int_equal(chmod(f->directory, 0733), 0);
        assert_int_equal(chmod(directory, 0733), 0);
        const pid_t child = fork_child();
        if (child == 0) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_log *log = NULL;
                if (setgid(65534) != 0 || setuid(65534) != 0 || event_log_try(&log, f, &err) ||
                        log->file->writer_queue_fd >= 0)
                        _exit(1);
                for (int i = 0; i < EACH; i++)
                        if (append_one(log, event_scope(NULL), 0))
                                _exit(2);
                pawl_log_close(log);
                _exit(0);
        }
        event_log_fill(f, EACH);
        child_exits(child, 0);
        assert_int_equal(event_log_count(f), 2 * EACH + 1);
        free(directory);
}
