/*
 * The write transaction: BEGIN IMMEDIATE to COMMIT, on disk when that returns (WAL,
 * synchronous=FULL), to the log that is at its path.
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
static int prepare_kept(pawl_log *log, sqlite3_stmt **stmt, const char *sql)
{
        if (*stmt)
                return SQLITE_OK;
        return sqlite3_prepare_v3(log->file->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
}

typedef int (*step_fn)(pawl_log *log, sqlite3_stmt *stmt);

static int step_now(pawl_log *log, sqlite3_stmt *stmt)
{
        (void)log;
        return sqlite3_step(stmt);
}

static int step_kept(pawl_log *log, sqlite3_stmt **stmt, const char *sql, step_fn step)
{
        int rc = prepare_kept(log, stmt, sql);

        if (rc == SQLITE_OK) {
                rc = step(log, *stmt);
                const int reset = sqlite3_reset(*stmt);
                if (rc == SQLITE_DONE)
                        rc = reset;
        }
        return rc;
}

static int run_kept(pawl_log *log, sqlite3_stmt **stmt, const char *sql)
{
        return step_kept(log, stmt, sql, step_now);
}

/* A transaction begins when what ends it is at hand: without memory it could not be prepared. */
static int begin_kept(pawl_log *log, sqlite3_stmt **stmt, const char *sql, step_fn step)
{
        const int rc = prepare_kept(log, &log->file->rollback, "ROLLBACK");

        return rc == SQLITE_OK ? step_kept(log, stmt, sql, step) : rc;
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
        TRY(pawl__sqlite_durable(log, true, "append"));
        TRY(pawl__log_interrupted(log, &log->err));
        log->file->whole = true; /* or it would not be known whether it is open */
        const int rc = begin_kept(log, &log->file->begin, "BEGIN IMMEDIATE", pawl__turn_step);
        log->file->whole = false;
        return pawl__db_fail(log, rc, "append", &log->err);
}

/* The same on what is at the log's path (present.c). */
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

pawl_status pawl__sqlite_begin(pawl_log *log, bool again)
{
        (void)again; /* it has waited for its turn */
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
                (void)run_kept(log, &log->file->rollback, "ROLLBACK");
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

/* How often the file was changed, by us or, as far as we have read since, by others. */
static unsigned count_changes(pawl_log *log)
{
        unsigned changes = 0;

        (void)sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_DATA_VERSION, &changes);
        return changes;
}

bool pawl__sqlite_alone(pawl_log *log)
{
        return count_changes(log) == log->file->committed;
}

pawl_status pawl__sqlite_commit(pawl_log *log)
{
        pawl_status status = check_end(log);

        if (status)
                return status;
        sqlite3_file *wal = pawl__gather_begin(log);
        int rc = run_kept(log, &log->file->commit, "COMMIT");
        rc = pawl__gather_end(log, wal, rc);
        status = pawl__db_fail(log, rc, "append", &log->err);
        if (status) /* see the top of the file; readers that are under way keep the -wal */
                pawl__sqlite_rollback(log, true);
        else if (log->file->displaced)
                status = pawl__files_save(log);
        log->file->committed = count_changes(log);
        return status;
}

/* ---- Views ----------------------------------------------------------------------------------- */

pawl_status pawl__sqlite_view_begin(pawl_log *log, pawl_error *err)
{
        int64_t head;
        pawl_status status = pawl__db_fail(
                log, begin_kept(log, &log->file->view, "BEGIN", step_now), "read it", err);

        if (status)
                return status;
        log->file->viewed = true; /* a transaction begins with its first read */
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
                (void)run_kept(log, &log->file->rollback, "ROLLBACK"); /* nothing written */
        return same;
}
