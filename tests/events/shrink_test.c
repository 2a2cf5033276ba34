/* Giving space back: the log says what it said, in less space, whoever is beside it. */
#include "support/event_log.h"
#include "support/sweep.h"
#include "support/vfs.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int shrink_teardown(void **state);
#define SHRINK_TEST(name) UNIT_TEST_WITH(name, event_log *f, event_log_setup, shrink_teardown)

enum { CONTENTS = 40, FEW = 6, LARGE = 100000, SWEEP_MAX = 20000 };

static void hash_of(unsigned char hash[32], int which)
{
        memset(hash, which + 1, 32);
}

typedef struct part {
        int from, n;
        size_t len;
} part;

static pawl_status put_all(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const part *p = user;
        char *data = calloc(1, p->len);
        pawl_status status = data ? PAWL_OK : pawl__nomem(err);

        (void)batch;
        for (int i = p->from; i < p->from + p->n && !status; i++) {
                unsigned char hash[32];
                hash_of(hash, i);
                memset(data, i + 1, p->len);
                status = pawl__log_content_put(log, hash, 0, p->len, data, p->len);
        }
        free(data);
        return status;
}

static pawl_status drop_all(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const part *p = user;
        pawl_status status = PAWL_OK;

        (void)batch, (void)err;
        for (int i = p->from; i < p->from + p->n && !status; i++) {
                unsigned char hash[32];
                hash_of(hash, i);
                status = pawl__log_content_drop(log, hash);
        }
        return status;
}

static void fill(pawl_log *log, pawl__batch_prepare_fn fn, part *p)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);

        assert_ok(pawl__batch_event(&batch, &event, NULL));
        batch.prepare = fn;
        batch.prepare_user = p;
        if (pawl__log_commit(log, &batch, 0, NULL))
                fail_msg("%s", pawl_log_errmsg(log));
        pawl__batch_free(&batch);
}

/* A log of which most was dropped. */
static void make(event_log *f, int contents, size_t len)
{
        event_log_open(f);
        event_log_fill(f, 3);
        fill(f->log, put_all, &(part){0, contents, len});
        fill(f->log, drop_all, &(part){2, contents - 2, len});
}

static int64_t size_on_disk(const event_log *f)
{
        char wal[4096];
        struct stat st;
        int64_t size = 0;

        snprintf(wal, sizeof wal, "%s-wal", f->path);
        if (stat(f->path, &st) == 0)
                size += st.st_size;
        if (stat(wal, &st) == 0)
                size += st.st_size;
        return size;
}

static void check_whole(event_log *f, uint64_t events, int64_t contents)
{
        pawl_verify_result result;

        if (pawl_log_verify(&result, f->log, 0, NULL))
                fail_msg("%s", result.why.message);
        assert_int_equal(result.events, events);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM contents"), contents);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM pragma_integrity_check "
                                              "WHERE integrity_check = 'ok'"),
                1);
        assert_int_equal(event_log_integer(f, "PRAGMA user_version"), 6);
        assert_int_equal(event_log_integer(f, "PRAGMA application_id"), PAWL__APPLICATION_ID);
}

static void check_content(pawl_log *log, int which, size_t len)
{
        pawl__buf out = PAWL__BUF_INIT;
        unsigned char hash[32];
        uint64_t size;

        hash_of(hash, which);
        assert_ok(pawl__log_content_get(&out, &size, log, hash, 0));
        assert_int_equal(size, len);
        assert_int_equal(out.len, len);
        for (size_t i = 0; i < len; i++)
                if (out.data[i] != (char)(which + 1))
                        fail_msg("byte %d", (int)i);
        pawl__buf_free(&out);
}

SHRINK_TEST(what_was_dropped_goes_back_to_the_file_system)
{
        uint64_t freed = 0;

        make(f, CONTENTS, LARGE);
        int64_t before = size_on_disk(f);
        assert_true(before > CONTENTS * LARGE);
        assert_ok(pawl_log_shrink(&freed, f->log));
        assert_true(size_on_disk(f) < 6 * LARGE);
        assert_int_equal(freed, before - size_on_disk(f));
        check_whole(f, 5, 2);
        check_content(f->log, 0, LARGE);
        check_content(f->log, 1, LARGE);
        event_log_fill(f, 2); /* and goes on */
        /* There is nothing more to give. */
        assert_ok(pawl_log_shrink(&freed, f->log));
        assert_int_equal(freed, 0);
        event_log_close(f);
        event_log_open(f);
        check_whole(f, 7, 2);
}

SHRINK_TEST(a_reader_beside_it_keeps_what_it_reads)
{
        uint64_t freed = 99;
        sqlite3 *reader;
        sqlite3_stmt *stmt;

        make(f, CONTENTS, LARGE);
        int64_t before = size_on_disk(f);
        needs_file();
        assert_int_equal(sqlite3_open(f->path, &reader), SQLITE_OK);
        assert_int_equal(
                sqlite3_prepare_v2(reader, "SELECT seq FROM events ORDER BY seq", -1, &stmt, NULL),
                SQLITE_OK);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW); /* and stays there */
        assert_ok(pawl_log_shrink(&freed, f->log));
        assert_int_equal(freed, 0);
        for (int seq = 2; seq <= 5; seq++) {
                assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
                assert_int_equal(sqlite3_column_int(stmt, 0), seq);
        }
        assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
        sqlite3_finalize(stmt);
        sqlite3_close(reader);
        check_whole(f, 5, 2);
        event_log_close(f); /* now it is shorter */
        assert_true(size_on_disk(f) < before / 4);
        event_log_open(f);
        check_content(f->log, 1, LARGE);
        check_whole(f, 5, 2);
}

SHRINK_TEST(a_log_that_is_read_or_read_only_is_not_shrunk)
{
        pawl_cursor *cursor;
        pawl_event event;
        uint64_t freed = 99;
        sqlite3_stmt *stmt;

        make(f, FEW, 1000);
        assert_ok(pawl_cursor_open(&cursor, f->log, 0));
        assert_ok(pawl_cursor_next(cursor, &event));
        pawl_cursor_close(cursor);
        assert_int_equal(
                sqlite3_prepare_v2(pawl__log_db(f->log), "SELECT seq FROM events", -1, &stmt, NULL),
                SQLITE_OK);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        assert_int_equal(pawl_log_shrink(&freed, f->log), PAWL_ESTATE);
        assert_says(pawl_log_errmsg(f->log), "a read is under way on this log");
        sqlite3_finalize(stmt);
        event_log_close(f);
        f->flags = PAWL_LOG_READONLY;
        event_log_open(f);
        assert_int_equal(pawl_log_shrink(&freed, f->log), PAWL_EREADONLY);
        assert_int_equal(freed, 99);
}

SHRINK_TEST(a_writer_in_the_way_is_waited_for_and_then_named)
{
        sqlite3 *writer;
        uint64_t freed = 99;

        f->busy_ms = 20;
        make(f, FEW, 1000);
        needs_file();
        assert_int_equal(sqlite3_open(f->path, &writer), SQLITE_OK);
        assert_int_equal(sqlite3_exec(writer, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(pawl_log_shrink(&freed, f->log), PAWL_EBUSY);
        assert_says(pawl_log_errmsg(f->log), ": cannot give space back: another thread of this");
        assert_int_equal(freed, 99);
        sqlite3_close(writer);
        assert_ok(pawl_log_shrink(&freed, f->log));
        check_whole(f, 5, 2);
}

/* A renewal does not wait for the disk. What is appended after it does, also where there was
 * nothing to give back in between. */
SHRINK_TEST(an_append_after_it_waits_for_the_disk)
{
        uint64_t fence, freed = 99;

        f->vfs = FAULT_VFS;
        fault_reset();
        event_log_open(f);
        assert_ok(pawl_log_claim(&fence, f->log, "m", "run-1", "user:ana", NULL));
        assert_ok(pawl_log_renew(f->log, "run-1", fence));
        assert_ok(pawl_log_shrink(&freed, f->log));
        assert_int_equal(freed, 0);
        fault_reset();
        event_log_fill(f, 1);
        assert_true(fault_syncs() > 0);
}

/* At every operation of the disk: killed, cut off from power, or failing. */
static void sweep_faults(event_log *f, fault_kind kind, bool stays)
{
        int n, failures = 0;
        size_t len;
        char wal[4096];

        f->vfs = FAULT_VFS;
        fault_reset();
        if (access(f->path, F_OK) == 0)
                (void)unlink(f->path);
        make(f, FEW, 3000);
        event_log_close(f);
        char *image = file_read(f->path, &len);
        snprintf(wal, sizeof wal, "%s-wal", f->path);
        for (n = 1; n < SWEEP_MAX; n++) {
                int status = 0;

                (void)unlink(wal);
                file_write(f->path, image, len);
                pid_t child = process_fork();
                if (child == 0) {
                        event_log_open(f);
                        fault_at(kind, n, stays);
                        pawl_status is = pawl_log_shrink(NULL, f->log);
                        bool reached = fault_count() >= n;
                        if (is && is != PAWL_EIO && is != PAWL_EFULL)
                                _exit(2);
                        _exit(reached ? is ? 3 : 1 : 0);
                }
                assert_int_equal(waitpid(child, &status, 0), child);
                if (WIFEXITED(status))
                        assert_int_not_equal(WEXITSTATUS(status), 2);
                failures += WIFSIGNALED(status) || WEXITSTATUS(status) == 3;
                event_log_open(f);
                check_whole(f, 5, 2);
                check_content(f->log, 1, 3000);
                event_log_fill(f, 1);
                event_log_close(f);
                if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(failures >= 5);
        print_message("%d operations, %d failed\n", n, failures);
}

SHRINK_TEST(a_process_killed_meanwhile_leaves_the_log_whole)
{
        sweep_faults(f, FAULT_KILL, false);
}

SHRINK_TEST(a_power_cut_meanwhile_leaves_the_log_whole)
{
        sweep_faults(f, FAULT_POWER_CUT, false);
}

SHRINK_TEST(a_disk_that_fails_or_is_full_leaves_the_log_whole)
{
        sweep_faults(f, FAULT_EIO, false);
        sweep_faults(f, FAULT_SHORT, true);
}

SHRINK_TEST(without_memory_at_any_allocation_the_log_stays_whole)
{
        f->vfs = FAULT_VFS;
        fault_reset();
        make(f, FEW, 3000);
        /* Most of them are for pages, one like the other. */
        for (sweep s = {.spread = 50, .least = 11, .keeps = true}; sweep_next(&s);) {
                uint64_t freed = 99;
                sweep_arm(&s);
                if (sweep_done(&s, pawl_log_shrink(&freed, f->log), NULL))
                        /* it could do without: something to give once more */
                        event_log_sql(f, "CREATE TABLE t (b); INSERT INTO t VALUES "
                                         "(zeroblob(50000)); DROP TABLE t");
        }
        check_whole(f, 5, 2);
}

static int shrink_teardown(void **state)
{
        fault_reset();
        return event_log_teardown(state);
}
