/* Reading where nothing may be written, and leaving nothing behind. */
#include "support/allocator.h"
#include "support/event_log.h"
#include <sys/stat.h>
#include <unistd.h>

static bool exists(event_log *f, const char *suffix)
{
        char name[4096];

        snprintf(name, sizeof name, "%s%s", f->path, suffix);
        return access(name, F_OK) == 0;
}

OPEN_LOG_TEST(read_only_changes_nothing_and_leaves_no_file)
{
        pawl_verify_result result;
        size_t before_len, len;

        event_log_fill(f, 3);
        event_log_close(f);
        /* Beside the log as a writer left it, and beside a copy of the database file alone. */
        for (int copied = 0; copied < 2; copied++) {
                if (copied) {
                        char name[4096];
                        snprintf(name, sizeof name, "%s-wal", f->path);
                        assert_int_equal(unlink(name), 0);
                        snprintf(name, sizeof name, "%s-shm", f->path);
                        assert_int_equal(unlink(name), 0);
                }
                char *before = file_read(f->path, &before_len);
                f->flags = PAWL_LOG_READONLY;
                event_log_open(f);
                assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
                assert_int_equal(result.events, 3);
                assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EREADONLY);
                assert_says(pawl_log_errmsg(f->log), "opened for reading only");
                event_log_close(f);
                char *now = file_read(f->path, &len);
                assert_int_equal(len, before_len);
                assert_memory_equal(now, before, len);
                assert_int_equal(exists(f, "-wal"), !copied);
                assert_int_equal(exists(f, "-shm"), !copied);
        }
}

/* A copy of a log that was being written: the last events are in the -wal alone. */
static void copy_open_log(event_log *f, bool with_shm)
{
        static const char *const suffixes[] = {"", "-wal", "-shm"};
        char from[4096], to[4096];

        for (size_t i = 0; i < (with_shm ? 3 : 2); i++) {
                size_t len;
                snprintf(from, sizeof from, "%s%s", f->path, suffixes[i]);
                snprintf(to, sizeof to, "%s/copy.db%s", f->directory, suffixes[i]);
                char *data = file_read(from, &len);
                file_write(to, data, len);
        }
        f->path = path_in(f->directory, "copy.db");
}

OPEN_LOG_TEST(a_copy_with_a_write_ahead_log_is_read_whole_and_left_alone)
{
        pawl_verify_result result;
        char name[4096];
        size_t before_len, len;

        event_log_fill(f, 3);
        copy_open_log(f, false);
        event_log_close(f);
        snprintf(name, sizeof name, "%s-wal", f->path);
        char *before = file_read(name, &before_len);
        assert_true(before_len > 0);
        f->flags = PAWL_LOG_READONLY;
        event_log_open(f);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, 3);
        event_log_close(f);
        char *now = file_read(name, &len);
        assert_int_equal(len, before_len);
        assert_memory_equal(now, before, len);
        assert_false(exists(f, "-shm"));
}

/* Runs fn in a child that is not root, which could write anywhere. */
static void as_nobody(event_log *f, void (*fn)(event_log *f))
{
        pid_t child;

        fflush(NULL);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
                        _exit(99);
                fn(f);
                _exit(0);
        }
        child_exits(child, 0);
}

#define CHILD_CHECK(condition)                                                                     \
        do {                                                                                       \
                if (!(condition)) {                                                                \
                        fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, err.message);  \
                        _exit(1);                                                                  \
                }                                                                                  \
        } while (0)

static void read_in_unwritable_directory(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_verify_result result;
        pawl_log *log = NULL;

        f->flags = 0;
        CHILD_CHECK(event_log_try(&log, f, &err) == PAWL_EREADONLY);
        CHILD_CHECK(strstr(err.message, "directory cannot be written"));
        f->flags = PAWL_LOG_READONLY;
        CHILD_CHECK(event_log_try(&log, f, &err) == PAWL_OK);
        CHILD_CHECK(pawl_log_verify(&result, log, 0, NULL) == PAWL_OK);
        CHILD_CHECK(result.events == 3);
        pawl_log_close(log);
}

static void check_unwritable_directory(event_log *f)
{
        char name[4096];
        static const char *const suffixes[] = {"", "-wal", "-shm"};

        for (size_t i = 0; i < 3; i++) {
                snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                (void)chmod(name, 0666);
        }
        assert_int_equal(chmod(f->directory, 0555), 0);
        as_nobody(f, read_in_unwritable_directory);
        assert_int_equal(chmod(f->directory, 0755), 0);
}

OPEN_LOG_TEST(a_log_in_a_directory_that_cannot_be_written_is_read_and_not_opened_to_write)
{
        char name[4096];

        event_log_fill(f, 3);
        copy_open_log(f, true);
        event_log_close(f);
        check_unwritable_directory(f); /* database, -wal and -shm */
        snprintf(name, sizeof name, "%s-shm", f->path);
        assert_int_equal(unlink(name), 0);
        check_unwritable_directory(f); /* without the -shm */
        f->flags = 0;
        event_log_open(f); /* which moves what the -wal holds into the database */
        event_log_close(f);
        check_unwritable_directory(f); /* with an empty -wal */
        assert_int_equal(unlink(name), 0);
        snprintf(name, sizeof name, "%s-wal", f->path);
        assert_int_equal(unlink(name), 0);
        check_unwritable_directory(f); /* the database alone */
}

static void open_unwritable_file(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        f->flags = 0;
        CHILD_CHECK(event_log_try(&log, f, &err) == PAWL_EREADONLY);
        CHILD_CHECK(strstr(err.message, "the log cannot be written"));
        f->flags = PAWL_LOG_READONLY;
        CHILD_CHECK(event_log_try(&log, f, &err) == PAWL_OK);
        pawl_log_close(log);
}

static void open_unreadable_file(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        f->flags = PAWL_LOG_READONLY;
        CHILD_CHECK(event_log_try(&log, f, &err) == PAWL_EACCESS);
        CHILD_CHECK(strstr(err.message, "Permission denied"));
}

OPEN_LOG_TEST(a_file_that_cannot_be_written_or_read_is_refused_by_that)
{
        copy_open_log(f, false);
        event_log_close(f);
        assert_int_equal(chmod(f->directory, 0777), 0);
        assert_int_equal(chmod(f->path, 0444), 0);
        as_nobody(f, open_unwritable_file);
        assert_int_equal(chmod(f->path, 0), 0);
        as_nobody(f, open_unreadable_file);
}

OPEN_LOG_TEST(a_reader_sees_what_a_writer_appends_while_both_have_it_open)
{
        unsigned char hash[32];
        uint64_t seq;

        event_log_fill(f, 1);
        f->flags = PAWL_LOG_READONLY;
        pawl_log *reader = event_log_another(f);
        event_log_fill(f, 1);
        assert_ok(pawl_log_head(&seq, hash, reader));
        assert_int_equal(seq, 2);
        pawl_log_close(reader);
}

OPEN_LOG_TEST(a_reader_that_took_no_locks_sees_a_writer_that_came_later)
{
        pawl_verify_result result;
        unsigned char hash[32];
        uint64_t seq;

        event_log_fill(f, 2);
        copy_open_log(f, false);
        for (int with_wal = 1; with_wal >= 0; with_wal--) {
                f->flags = PAWL_LOG_READONLY;
                pawl_log *reader = event_log_another(f);
                assert_ok(pawl_log_head(&seq, hash, reader));
                f->flags = 0;
                event_log_open(f);
                event_log_fill(f, 1);
                uint64_t before = seq;
                assert_ok(pawl_log_head(&seq, hash, reader));
                assert_int_equal(seq, before + 1);
                assert_ok(pawl_log_verify(&result, reader, 0, NULL));
                pawl_log_close(reader);
                event_log_close(f);
                char name[4096];
                snprintf(name, sizeof name, "%s-shm", f->path);
                assert_int_equal(unlink(name), 0);
                snprintf(name, sizeof name, "%s-wal", f->path);
                assert_int_equal(unlink(name), 0);
        }
}

/* SQLite would delete a -wal that lies beside an empty database. */
/* Another program that opens the log, reads it and closes it again, when it is told to. It begins
 * before this one has a log open: SQLite would take the child of one that has for the same. */
typedef struct visitor {
        pid_t child;
        int word[2];
} visitor;

static void visitor_wait(const visitor *v)
{
        sqlite3 *db;
        char path[4096];

        ssize_t len = read(v->word[0], path, sizeof path);
        _exit(len <= 0 || path[len - 1] || sqlite3_open(path, &db) != SQLITE_OK ||
                sqlite3_exec(db, "SELECT count(*) FROM events", NULL, NULL, NULL) != SQLITE_OK ||
                sqlite3_close(db) != SQLITE_OK);
}

static void visitor_begin(visitor *v)
{
        assert_int_equal(pipe(v->word), 0);
        v->child = fork();
        assert_true(v->child >= 0);
        if (v->child == 0)
                visitor_wait(v);
}

static void visitor_visits(visitor *v, const char *path)
{
        assert_int_equal(write(v->word[1], path, strlen(path) + 1), (ssize_t)strlen(path) + 1);
        child_exits(v->child, 0);
        close(v->word[0]);
        close(v->word[1]);
}

/* A view without locks that is let go takes none of a writer's in the same process with it: who
 * closes the log last would take itself for the only one, and delete the -wal. */
static void a_reader_beside_a_writer_leaves_it_its_locks(event_log *f, bool with_wal)
{
        unsigned char hash[32];
        char name[4096];
        uint64_t seq;
        visitor v;

        visitor_begin(&v);
        event_log_open(f);
        event_log_fill(f, 1);
        copy_open_log(f, false);
        event_log_close(f);
        if (!with_wal) {
                snprintf(name, sizeof name, "%s-wal", f->path);
                assert_int_equal(unlink(name), 0);
        }
        f->flags = PAWL_LOG_READONLY;
        pawl_log *refreshed = event_log_another(f), *closed = event_log_another(f);
        assert_ok(pawl_log_head(&seq, hash, refreshed));
        assert_ok(pawl_log_head(&seq, hash, closed));
        f->flags = 0;
        event_log_open(f);
        event_log_fill(f, 1);
        assert_ok(pawl_log_head(&seq, hash, refreshed));
        pawl_log_close(refreshed);
        pawl_log_close(closed);
        visitor_visits(&v, f->path);
        assert_true(exists(f, "-wal"));
        assert_true(exists(f, "-shm"));
        event_log_fill(f, 1);
        assert_int_equal(event_log_count(f), with_wal + 2);
}

LOG_TEST(a_reader_of_a_copy_leaves_a_writer_its_locks)
{
        a_reader_beside_a_writer_leaves_it_its_locks(f, false);
}

LOG_TEST(a_reader_of_a_copy_with_a_wal_leaves_a_writer_its_locks)
{
        a_reader_beside_a_writer_leaves_it_its_locks(f, true);
}

/* A view that could not be made anew is made at the next read. */
LOG_TEST(a_reader_whose_log_was_out_of_reach_reads_it_later)
{
        enum { CALLS_MAX = 2000 };
        pawl_verify_result result;
        unsigned char hash[32];
        char away[4096];
        uint64_t seq;

        event_log_open(f);
        event_log_fill(f, 3);
        event_log_close(f);
        snprintf(away, sizeof away, "%s-away", f->path);
        for (size_t n = 0; n < CALLS_MAX; n++) {
                static const char *const suffixes[] = {"-wal", "-shm"};
                pawl_log *reader = NULL;
                char name[4096];
                for (size_t i = 0; i < 2; i++) {
                        snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                        assert_int_equal(unlink(name), 0);
                }
                f->flags = PAWL_LOG_READONLY;
                assert_ok(event_log_try(&reader, f, NULL));
                f->flags = 0;
                event_log_open(f); /* a writer comes: the view is stale */
                if (n == 0) {
                        assert_int_equal(rename(f->path, away), 0);
                        assert_int_equal(pawl_log_head(&seq, hash, reader), PAWL_EIO);
                        assert_int_equal(rename(away, f->path), 0);
                } else if (allocator_works()) {
                        allocator_fail_at(n);
                        pawl_status status = pawl_log_head(&seq, hash, reader);
                        allocator_fail_at(0);
                        assert_true(status == PAWL_OK || status == PAWL_ENOMEM);
                        if (status == PAWL_OK)
                                n = CALLS_MAX;
                } else {
                        n = CALLS_MAX;
                }
                assert_ok(pawl_log_verify(&result, reader, 0, NULL));
                assert_ok(pawl_log_head(&seq, hash, reader));
                assert_int_equal(seq, 3);
                pawl_log_close(reader);
                event_log_close(f);
        }
}

OPEN_LOG_TEST(a_log_that_lost_its_database_keeps_its_write_ahead_log)
{
        static const unsigned flags[] = {PAWL_LOG_READONLY, 0, PAWL_LOG_CREATE};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        size_t len, before_len;

        event_log_fill(f, 3);
        copy_open_log(f, false);
        event_log_close(f);
        char *path = path_in(f->directory, "copy.db"), *wal = path_in(f->directory, "copy.db-wal");
        char *before = file_read(wal, &before_len);
        file_write(path, "", 0);
        f->path = path;
        for (size_t i = 0; i < 3; i++) {
                f->flags = flags[i];
                assert_int_equal(event_log_try(&log, f, &err), PAWL_EDAMAGED);
                assert_null(log);
                assert_says(err.message,
                        "copy.db: is empty, but its write-ahead log, the same name "
                        "and -wal, is not; put back a copy of both");
                char *now = file_read(wal, &len);
                assert_int_equal(len, before_len);
                assert_memory_equal(now, before, len);
        }
}
