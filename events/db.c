/* SQLite's results in the library's terms, and the statements that a log keeps. */
#include "events/handle.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define COLUMNS                                                                                    \
        "seq, type, v, time, mission_id, run_id, step_id, session_id, actor, payload, prev, hash"

static const char *const sql_of[PAWL__STMTS] = {
        [PAWL__STMT_BEGIN] = "BEGIN IMMEDIATE",
        [PAWL__STMT_COMMIT] = "COMMIT",
        [PAWL__STMT_ROLLBACK] = "ROLLBACK",
        [PAWL__STMT_HEAD] = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1",
        [PAWL__STMT_FIRST] = "SELECT seq FROM events ORDER BY seq LIMIT 1",
        [PAWL__STMT_RANGE] =
                "SELECT " COLUMNS " FROM events WHERE seq > ?1 AND seq <= ?2 ORDER BY seq",
        [PAWL__STMT_INSERT] =
                "INSERT INTO events (" COLUMNS ") VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
        [PAWL__STMT_BLOB_PUT] = "INSERT OR IGNORE INTO blobs (hash, content) VALUES (?1, ?2)",
        [PAWL__STMT_BLOB_GET] = "SELECT content FROM blobs WHERE hash = ?1",
        [PAWL__STMT_CONTENT_PUT] =
                "INSERT OR IGNORE INTO contents (hash, part, size, data) VALUES (?1, ?2, ?3, ?4)",
        [PAWL__STMT_CONTENT_GET] = "SELECT size, data FROM contents WHERE hash = ?1 AND part = ?2",
        [PAWL__STMT_CONTENT_HAS] = "SELECT 1 FROM contents WHERE hash = ?1 AND part = 0",
        [PAWL__STMT_CONTENT_DROP] = "DELETE FROM contents WHERE hash = ?1",
        [PAWL__STMT_PRUNED] = "SELECT payload_hash FROM pruned WHERE seq = ?1",
        [PAWL__STMT_PRUNED_PUT] = "INSERT OR REPLACE INTO pruned VALUES (?1, ?2)",
        [PAWL__STMT_PAYLOAD_DROP] = "UPDATE events SET payload = NULL WHERE seq = ?1",
        [PAWL__STMT_LEASE_GET] = "SELECT fence, held, host, boot_id, pid, pid_start, pid_ns, "
                                 "until_ms, lease_ms FROM leases WHERE run_id = ?1",
        [PAWL__STMT_LEASE_PUT] =
                "INSERT OR REPLACE INTO leases (run_id, fence, held, host, boot_id, pid, "
                "pid_start, pid_ns, until_ms, lease_ms) VALUES (?1,?2,1,?3,?4,?5,?6,?7,?8,?9)",
        [PAWL__STMT_LEASE_RENEW] = "UPDATE leases SET until_ms = ?3, lease_ms = ?4 "
                                   "WHERE run_id = ?1 AND fence = ?2 AND held = 1",
        [PAWL__STMT_LEASE_RELEASE] =
                "UPDATE leases SET held = 0 WHERE run_id = ?1 AND fence = ?2 AND held = 1",
        [PAWL__STMT_FENCE_STATE] =
                "SELECT applied_seq, (SELECT fence FROM runs WHERE run_id = ?1) FROM projection",
        [PAWL__STMT_FENCE_EVENTS] = "SELECT max(payload ->> '$.fence') FROM events "
                                    "WHERE seq > ?2 AND type = 'RunClaimed' AND run_id = ?1",
        [PAWL__STMT_MAC_PUT] = "INSERT INTO macs (seq, mac) VALUES (?1, ?2)",
        [PAWL__STMT_MAC_GET] = "SELECT mac FROM macs WHERE seq = ?1",
        [PAWL__STMT_MAC_RANGE] =
                "SELECT seq, mac FROM macs WHERE seq > ?1 AND seq <= ?2 ORDER BY seq",
        [PAWL__STMT_MAC_END] = "SELECT (SELECT ifnull(max(seq), 0) FROM events), "
                               "(SELECT ifnull(max(seq), 0) FROM macs)",
};

sqlite3 *pawl__log_db(pawl_log *log)
{
        return log->db;
}

static pawl_status fail_busy(pawl_log *log, const char *doing, pawl_error *err)
{
        char who[PAWL__PROCESS_NAME] = "another process";
        const char *fix = "try again later";
        int64_t pid;

        bool known = pawl__lock_holders(&pid, 1, log, PAWL__LOCK_WRITE) == 1;
        if (known && pid == getpid()) {
                snprintf(who, sizeof who, "another thread of this process");
        } else if (known) {
                pawl__process_name(who, pid);
                fix = "wait for that process or end it";
        }
        return pawl__fail(err, PAWL_EBUSY, "%s: cannot %s: %s has kept it locked for %u ms; %s",
                log->path, doing, who, log->busy_ms, fix);
}

/* Of a write that failed in COMMIT, SQLite before 3.42 does not pass the errno on; the file that
 * was written to has it: the write-ahead log, or the database. */
static int errno_of(pawl_log *log, int rc)
{
        sqlite3_file *wal = NULL;
        int error = 0;

        if (!log->db)
                return 0;
        if (rc == SQLITE_IOERR_WRITE &&
                sqlite3_file_control(log->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal) ==
                        SQLITE_OK &&
                wal && wal->pMethods)
                (void)wal->pMethods->xFileControl(wal, SQLITE_FCNTL_LAST_ERRNO, &error);
        if (rc == SQLITE_IOERR_WRITE && !error)
                (void)sqlite3_file_control(log->db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
        return error ? error : sqlite3_system_errno(log->db);
}

static pawl_status fail_system(pawl_log *log, int rc, const char *doing, pawl_error *err)
{
        int error = errno_of(log, rc);
        pawl_status status = PAWL_EIO;
        const char *fix = "check the disk and the file's permissions";

        /* SQLite gives a general code also when the errno says that there is no room. */
        if (pawl__errno_status(error) == PAWL_EFULL) {
                status = PAWL_EFULL;
                fix = "free some space and try again";
        } else if (error == EACCES || error == EPERM) {
                status = PAWL_EACCESS;
                fix = "check who may read and write it";
        } else if (error == EROFS) {
                status = PAWL_EREADONLY;
                fix = "work on a copy elsewhere";
        }
        return pawl__fail(err, status, "%s: cannot %s: %s%s%s; %s", log->path, doing,
                sqlite3_errstr(rc), error ? ": " : "", error ? strerror(error) : "", fix);
}

pawl_status pawl__db_fail(pawl_log *log, int rc, const char *doing, pawl_error *err)
{
        const char *path = log->path;

        if (rc == SQLITE_IOERR_NOMEM)
                return pawl__nomem(err);
        switch (rc & 0xff) {
        case SQLITE_OK:
        case SQLITE_ROW:
        case SQLITE_DONE:
                return PAWL_OK;
        case SQLITE_NOMEM:
                /* Also where a damaged record's length makes SQLite ask for no bytes. */
                return pawl__fail(err, PAWL_ENOMEM,
                        "%s: cannot %s: out of memory, or a page of it is damaged; free some and "
                        "try again, and put back a copy if that fails",
                        path, doing);
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
                if (pawl__interrupt_waits(log))
                        return pawl__interrupt_fail(log, err);
                return fail_busy(log, doing, err);
        case SQLITE_FULL:
                return pawl__fail(err, PAWL_EFULL,
                        "%s: cannot %s: the disk is full; free some space and try again", path,
                        doing);
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_AUTH:
                return fail_system(log, rc, doing, err);
        case SQLITE_READONLY:
                /* A rollback journal: only the making of a log from an empty file has one. */
                if (rc == SQLITE_READONLY_ROLLBACK)
                        return pawl__fail(err, PAWL_EREADONLY,
                                "%s: cannot %s: the process that made it was cut off; let `pawl "
                                "init` make it whole",
                                path, doing);
                return pawl__fail(err, PAWL_EREADONLY,
                        "%s: cannot %s: it cannot be written; check the permissions of the file "
                        "and its directory",
                        path, doing);
        case SQLITE_NOTADB:
                return pawl__fail(err, PAWL_EFORMAT,
                        "%s: is not a Pawl log: it is not an SQLite database; name another file",
                        path);
        case SQLITE_TOOBIG:
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%s: cannot %s: a value is larger than SQLite's limit of a billion bytes; "
                        "make it smaller",
                        path, doing);
        case SQLITE_INTERRUPT:
                return pawl__interrupt_fail(log, err);
        default:
                break;
        }
        /* SQLITE_CORRUPT, and whatever a sound schema cannot give: a table that is missing, a
         * constraint that does not hold. */
        if (pawl__view_stale(log))
                return pawl__damaged(log, err, 0, "");
        return pawl__fail(err, PAWL_EDAMAGED,
                "%s: cannot %s: %s; run `eventlog verify`, and put back a copy if that fails", path,
                doing, log->db ? sqlite3_errmsg(log->db) : sqlite3_errstr(rc));
}

pawl_status pawl__db_prepare(sqlite3_stmt **out, pawl_log *log, const char *sql, pawl_error *err)
{
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v3(log->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);

        if (rc != SQLITE_OK)
                return pawl__db_fail(log, rc, "read its tables", err);
        *out = stmt;
        return PAWL_OK;
}

pawl_status pawl__log_stmt(sqlite3_stmt **out, pawl_log *log, pawl__stmt which, pawl_error *err)
{
        if (pawl__interrupt_waits(log))
                return pawl__interrupt_fail(log, err);
        if (!log->stmts[which]) {
                pawl_status status = pawl__db_prepare(&log->stmts[which], log, sql_of[which], err);
                if (status)
                        return status;
        }
        *out = log->stmts[which];
        return PAWL_OK;
}

int pawl__db_run(sqlite3_stmt *stmt)
{
        int rc = sqlite3_step(stmt);
        int reset = sqlite3_reset(stmt);

        if (rc == SQLITE_DONE || rc == SQLITE_ROW)
                return reset;
        return rc;
}

pawl_status pawl__log_run(
        pawl_log *log, pawl__stmt which, const char *doing, const char *types, ...)
{
        sqlite3_stmt *stmt = NULL; /* -O3 cannot see that it is set */
        va_list list;
        pawl_status status = pawl__log_stmt(&stmt, log, which, &log->err);

        if (status)
                return status;
        va_start(list, types);
        int rc = pawl__db_bind_list(stmt, types, list);
        va_end(list);
        if (rc == SQLITE_OK)
                rc = pawl__db_run(stmt);
        return pawl__db_fail(log, rc, doing, &log->err);
}

pawl_status pawl__log_row(sqlite3_stmt **row, pawl_log *log, pawl__stmt which, const char *doing,
        pawl_error *err, const char *types, ...)
{
        va_list list;
        pawl_status status = pawl__log_stmt(row, log, which, err);

        if (status)
                return status;
        va_start(list, types);
        int rc = pawl__db_bind_list(*row, types, list);
        va_end(list);
        if (rc == SQLITE_OK)
                rc = sqlite3_step(*row);
        if (rc == SQLITE_ROW)
                return PAWL_OK;
        status = pawl__db_fail(log, rc, doing, err);
        sqlite3_reset(*row);
        *row = NULL;
        return status;
}

pawl_status pawl__db_integer(int64_t *out, pawl_log *log, const char *sql, pawl_error *err)
{
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(log->db, sql, -1, &stmt, NULL);
        int64_t value = 0;

        if (rc == SQLITE_OK)
                rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW)
                value = sqlite3_column_int64(stmt, 0);
        sqlite3_finalize(stmt);
        pawl_status status = pawl__db_fail(log, rc, "read it", err);
        if (!status)
                *out = value;
        return status;
}

pawl_status pawl__db_exec(pawl_log *log, const char *sql, const char *doing, pawl_error *err)
{
        return pawl__db_fail(log, sqlite3_exec(log->db, sql, NULL, NULL, NULL), doing, err);
}

int pawl__db_bind_text(sqlite3_stmt *stmt, int index, pawl_text text)
{
        if (!text.data)
                return sqlite3_bind_null(stmt, index);
        return sqlite3_bind_text64(stmt, index, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

int pawl__db_bind_list(sqlite3_stmt *stmt, const char *types, va_list list)
{
        int rc = SQLITE_OK;

        for (int i = 0; types[i] && rc == SQLITE_OK; i++)
                switch (types[i]) {
                case 'i':
                        rc = sqlite3_bind_int64(stmt, i + 1, va_arg(list, int64_t));
                        break;
                case 't':
                        rc = pawl__db_bind_text(stmt, i + 1, va_arg(list, pawl_text));
                        break;
                case 'h':
                        rc = sqlite3_bind_blob(
                                stmt, i + 1, va_arg(list, const void *), 32, SQLITE_STATIC);
                        break;
                default: {
                        const void *data = va_arg(list, const void *);
                        const size_t len = va_arg(list, size_t);
                        rc = sqlite3_bind_blob64(stmt, i + 1, data ? data : "", len, SQLITE_STATIC);
                        break;
                }
                }
        return rc;
}

int pawl__db_bind(sqlite3_stmt *stmt, const char *types, ...)
{
        va_list list;

        va_start(list, types);
        int rc = pawl__db_bind_list(stmt, types, list);
        va_end(list);
        return rc;
}

pawl_text pawl__db_column_text(sqlite3_stmt *stmt, int column)
{
        const char *data = (const char *)sqlite3_column_text(stmt, column);

        return (pawl_text){data, data ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
}
