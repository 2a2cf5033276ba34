/*
 * The write transaction: BEGIN IMMEDIATE to COMMIT, on disk when that returns (WAL,
 * synchronous=FULL), to the log that stands at its path.
 *
 * What a failure leaves: nothing. Before COMMIT, ROLLBACK undoes it. A COMMIT that fails while it
 * writes may leave complete frames in the -wal that no reader counts yet, but that a recovery after
 * a crash would; so after such a failure the -wal is emptied, as far as the disk still allows that.
 * A COMMIT that was cut by a crash is there whole after the recovery, or not at all.
 */
#include "events/sqlite/sqlite.h"

/* How often a log that is not at its path is looked for. */
enum { LOOKS = 8 };

/* Prepared at its first use, and kept. */
static int run_kept(pawl_log *log, sqlite3_stmt **stmt, const char *sql)
{
        int rc = SQLITE_OK;

        if (!*stmt)
                rc = sqlite3_prepare_v3(
                        log->file->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
        if (rc == SQLITE_OK) {
                rc = sqlite3_step(*stmt);
                const int reset = sqlite3_reset(*stmt);
                if (rc == SQLITE_DONE)
                        rc = reset;
        }
        return rc;
}

pawl_status pawl__sqlite_durable(pawl_log *log, bool on, const char *doing)
{
        pawl_status status = PAWL_OK;

        if (!on)
                log->file->relaxed = true;
        if (log->file->relaxed)
                status = pawl__db_exec(log,
                        on ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", doing,
                        &log->err);
        if (on && !status)
                log->file->relaxed = false;
        return status;
}

static pawl_status begin(pawl_log *log)
{
        pawl_status status = pawl__sqlite_durable(log, true, "append");

        if (status)
                return status;
        const bool taken = pawl__writer_queue_take(log);
        status = pawl__log_interrupted(log, &log->err);
        if (!status) {
                log->file->whole = true; /* or it would not be known whether it is open */
                const int rc = run_kept(log, &log->file->begin, "BEGIN IMMEDIATE");
                log->file->whole = false;
                status = pawl__db_fail(log, rc, "append", &log->err);
        }
        pawl__writer_queue_release(log, taken);
        return status;
}

/* The same on what stands at the log's path (present.c). */
static pawl_status begin_there(pawl_log *log)
{
        log->file->displaced = false;
        for (int i = 0; i < LOOKS; i++) {
                pawl_status status = begin(log);
                if (status || log->file->displaced || pawl__files_same(log))
                        return status;
                pawl__sqlite_rollback(log, false);
                status = pawl__files_fix(log);
                if (status)
                        return status;
        }
        return pawl__fail(&log->err, PAWL_EBUSY,
                "%s: is removed or replaced again and again; end what does that and try again",
                log->path);
}

pawl_status pawl__sqlite_begin(pawl_log *log)
{
        pawl_status status = begin_there(log);

        if (status)
                return status;
        status = pawl__head_read(&log->head_seq, log->head_hash, log, &log->err);
        if (status)
                pawl__sqlite_rollback(log, false);
        return status;
}

void pawl__sqlite_rollback(pawl_log *log, bool large)
{
        if (!sqlite3_get_autocommit(log->file->db))
                (void)sqlite3_exec(log->file->db, "ROLLBACK", NULL, NULL, NULL);
        if (large) /* what does not fit SQLite's cache was in the -wal before COMMIT */
                (void)pawl__wal_checkpoint(log, SQLITE_CHECKPOINT_TRUNCATE, 0, NULL, NULL);
}

/* In a tree with a malformed inner page a new row can come to stand where no reader of the end
 * finds it: what is acknowledged must be the last event. */
static pawl_status check_end(pawl_log *log)
{
        unsigned char hash[32];
        uint64_t seq = 0;
        pawl_status status = pawl__head_read(&seq, hash, log, &log->err);

        if (!status && (seq != log->head_seq || memcmp(hash, log->head_hash, 32) != 0))
                status = pawl__damaged(log, &log->err, log->head_seq,
                        "once appended, it would not be the last event");
        return status;
}

pawl_status pawl__sqlite_commit(pawl_log *log)
{
        pawl_status status = check_end(log);

        if (status)
                return status;
        status = pawl__db_fail(
                log, run_kept(log, &log->file->commit, "COMMIT"), "append", &log->err);
        if (status) /* see the top of the file; readers that are under way keep the -wal */
                pawl__sqlite_rollback(log, true);
        else if (log->file->displaced)
                status = pawl__files_save(log);
        return status;
}

/* ---- Views ------------------------------------------------------------------------------------
 */

pawl_status pawl__sqlite_view_begin(pawl_log *log, pawl_error *err)
{
        int64_t head;

        log->file->viewed = true;
        (void)pawl__sqlite_view_end(log); /* one whose end found no memory */
        log->file->viewed = true;
        pawl_status status = pawl__db_exec(log, "BEGIN", "read it", err);
        if (!status) /* a transaction begins with its first read */
                status = pawl__db_integer(&head, log, "SELECT max(seq) FROM events", err);
        if (status)
                (void)pawl__sqlite_view_end(log);
        return status;
}

bool pawl__sqlite_view_end(pawl_log *log)
{
        const bool same = log->file->viewed;

        log->file->viewed = false;
        if (same && !sqlite3_get_autocommit(log->file->db))
                (void)sqlite3_exec(
                        log->file->db, "ROLLBACK", NULL, NULL, NULL); /* nothing written */
        return same;
}
