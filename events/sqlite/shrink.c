/*
 * Returning space to the file system. What is removed leaves free pages in the file, which later
 * appends use; the file itself gets no smaller. This makes it smaller, on request only, by VACUUM,
 * which writes all that is kept into one transaction of the write-ahead log. SQLite's incremental
 * vacuum is not used: it has to be chosen when a file is created, and costs one more page in each
 * commit that makes the file longer, even if nothing is ever removed; no existing log has it.
 *
 * For other processes it is an append like any other: readers keep the state that they have,
 * writers wait for the lock, and an interruption leaves the log as it was. It needs room: what is
 * kept, once more in the directory for temporary files and once in the -wal. The file gets shorter
 * when the -wal has been moved into it, which waits for readers of the state before: those that are
 * still there after a moment put it off to a later commit.
 */
#include "base/error.h"
#include "events/group.h"
#include "events/sqlite/sqlite.h"

enum { WAIT_US = 1000 * 1000 };

static const char doing[] = "give space back";

/* VACUUM wants no statement at work on the connection: a cursor, a listing. */
static pawl_status check_idle(pawl_log *log)
{
        for (sqlite3_stmt *at = sqlite3_next_stmt(log->file->db, NULL); at;
                at = sqlite3_next_stmt(log->file->db, at))
                if (sqlite3_stmt_busy(at))
                        return pawl__fail(&log->err, PAWL_ESTATE,
                                "%s: a read is under way on this log; let it end first", log->path);
        return PAWL_OK;
}

/* Other temporary files of SQLite are kept in memory: this one is as large as the log. */
static pawl_status vacuum(pawl_log *log)
{
        pawl_status status = pawl__sqlite_durable(log, true, doing);

        if (!status)
                status = pawl__db_exec(log, "PRAGMA temp_store = FILE", doing, &log->err);
        if (!status)
                status = pawl__db_exec(log, "VACUUM main", doing, &log->err);
        if (status && !sqlite3_get_autocommit(log->file->db))
                (void)sqlite3_exec(log->file->db, "ROLLBACK", NULL, NULL, NULL);
        (void)sqlite3_exec(log->file->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
        return status;
}

static int64_t bytes_of(const pawl_log *log)
{
        int64_t db = pawl__log_path_size(log, ""), wal = pawl__log_path_size(log, "-wal");

        return (db > 0 ? db : 0) + (wal > 0 ? wal : 0);
}

static pawl_status shrink(pawl_log *log)
{
        int64_t free_pages;
        pawl_status status =
                pawl__db_integer(&free_pages, log, "PRAGMA main.freelist_count", &log->err);

        if (status || free_pages == 0)
                return status;
        pawl_error kept = PAWL_ERROR_INIT;
        status = vacuum(log);
        if (status)
                kept = log->err;
        /* Also what a failure left in the -wal. */
        (void)pawl__wal_checkpoint(log, SQLITE_CHECKPOINT_TRUNCATE, WAIT_US, NULL, NULL);
        if (status)
                log->err = kept;
        return status;
}

pawl_status pawl__sqlite_shrink(uint64_t *freed, pawl_log *log)
{
        pawl__waiter waiter = {.log = log};
        pawl_status status = check_idle(log);

        if (!status)
                status = pawl__waiter_take(&waiter, doing);
        if (status)
                return status;
        int64_t before = bytes_of(log);
        status = shrink(log);
        int64_t after = bytes_of(log);
        pawl__waiter_end(&waiter, NULL, status);
        *freed = before > after ? (uint64_t)(before - after) : 0;
        return status;
}

pawl_status pawl__sqlite_space(uint64_t *files, uint64_t *free, pawl_log *log)
{
        int64_t pages = 0, size = 0;

        TRY(pawl__db_integer(&pages, log, "PRAGMA main.freelist_count", &log->err));
        TRY(pawl__db_integer(&size, log, "PRAGMA main.page_size", &log->err));
        *files = (uint64_t)bytes_of(log);
        *free = (uint64_t)(pages * size);
        return PAWL_OK;
}
