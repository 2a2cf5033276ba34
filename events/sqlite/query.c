/* SQLite's results in the library's terms, and its statements as queries. */
#include "events/sqlite/sqlite.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

sqlite3 *pawl__log_db(pawl_log *log)
{
        return log->file->db;
}

pawl_status pawl__sqlite_busy(pawl_log *log, const char *doing, pawl_error *err)
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

        if (!log->file->db)
                return 0;
        if (rc == SQLITE_IOERR_WRITE &&
                sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal) ==
                        SQLITE_OK &&
                wal && wal->pMethods)
                (void)wal->pMethods->xFileControl(wal, SQLITE_FCNTL_LAST_ERRNO, &error);
        if (rc == SQLITE_IOERR_WRITE && !error)
                (void)sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
        return error ? error : sqlite3_system_errno(log->file->db);
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
                return pawl__sqlite_busy(log, doing, err);
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
        if (pawl__sqlite_stale(log))
                return pawl__damaged(log, err, 0, "");
        return pawl__fail(err, PAWL_EDAMAGED,
                "%s: cannot %s: %s; run `eventlog verify`, and put back a copy if that fails", path,
                doing, log->file->db ? sqlite3_errmsg(log->file->db) : sqlite3_errstr(rc));
}

pawl_status pawl__db_integer(int64_t *out, pawl_log *log, const char *sql, pawl_error *err)
{
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(log->file->db, sql, -1, &stmt, NULL);
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
        return pawl__db_fail(log, sqlite3_exec(log->file->db, sql, NULL, NULL, NULL), doing, err);
}

/* ---- Queries --------------------------------------------------------------------------------- */

typedef struct pawl__statement query;

pawl_status pawl__sqlite_prepare(pawl__query **out, pawl_log *log, const char *sql, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        query *q = calloc(1, sizeof *q);
        pawl_status status = q ? pawl__sql_expand(&text, sql, NULL, err) : pawl__nomem(err);

        if (!status) {
                q->query.engine = log->engine;
                q->log = log;
                int rc = sqlite3_prepare_v3(
                        log->file->db, text.data, -1, SQLITE_PREPARE_PERSISTENT, &q->stmt, NULL);
                status = pawl__db_fail(log, rc, "read its tables", err);
        }
        pawl__buf_free(&text);
        if (status) {
                free(q);
                return status;
        }
        *out = &q->query;
        return PAWL_OK;
}

void pawl__sqlite_finalize(pawl__query *self)
{
        query *q = (query *)self;

        sqlite3_finalize(q->stmt);
        free(q);
}

void pawl__sqlite_bind(pawl__query *self, int index, const pawl__sql_value *value)
{
        query *q = (query *)self;
        int rc = SQLITE_OK;

        switch (value->type) {
        case PAWL__SQL_NULL:
                rc = sqlite3_bind_null(q->stmt, index);
                break;
        case PAWL__SQL_INTEGER:
                rc = sqlite3_bind_int64(q->stmt, index, value->as.integer);
                break;
        case PAWL__SQL_REAL:
                rc = sqlite3_bind_double(q->stmt, index, value->as.real);
                break;
        case PAWL__SQL_TEXT:
                rc = sqlite3_bind_text64(q->stmt, index, value->as.bytes.data, value->as.bytes.len,
                        SQLITE_STATIC, SQLITE_UTF8);
                break;
        case PAWL__SQL_BYTES:
                rc = sqlite3_bind_blob64(
                        q->stmt, index, value->as.bytes.data, value->as.bytes.len, SQLITE_STATIC);
                break;
        }
        if (rc != SQLITE_OK && q->bound == SQLITE_OK)
                q->bound = rc;
}

/* SQLite's result of a step. */
static int step(query *q)
{
        const int rc = q->bound;

        q->bound = SQLITE_OK;
        if (rc != SQLITE_OK)
                return rc;
        if (sqlite3_get_autocommit(q->log->file->db) && !sqlite3_stmt_readonly(q->stmt))
                return pawl__turn_step(q->log, q->stmt);
        return sqlite3_step(q->stmt);
}

pawl_status pawl__sqlite_step(pawl__query *self, const char *doing, pawl_error *err)
{
        query *q = (query *)self;
        const int rc = step(q);

        if (rc == SQLITE_ROW)
                return PAWL_OK;
        return rc == SQLITE_DONE ? PAWL_DONE : pawl__db_fail(q->log, rc, doing, err);
}

pawl_status pawl__sqlite_run(
        pawl__query *self, int64_t *changes, const char *doing, pawl_error *err)
{
        query *q = (query *)self;
        struct pawl__file *file = q->log->file;

        file->whole = true; /* one that is interrupted as it ends has done its work all the same */
        int rc = step(q);
        file->whole = false;
        const int reset = sqlite3_reset(q->stmt);
        if (rc == SQLITE_DONE || rc == SQLITE_ROW)
                rc = reset;
        if (changes)
                *changes = sqlite3_changes(file->db);
        return pawl__db_fail(q->log, rc, doing, err);
}

void pawl__sqlite_reset(pawl__query *self)
{
        query *q = (query *)self;

        q->bound = SQLITE_OK;
        sqlite3_reset(q->stmt);
}

/* Looked up once: no other thread has the connection. */
void pawl__sqlite_value(pawl__sql_value *out, pawl__query *self, int column)
{
        sqlite3_value *value = sqlite3_column_value(((query *)self)->stmt, column);

        switch (sqlite3_value_type(value)) {
        case SQLITE_INTEGER:
                out->type = PAWL__SQL_INTEGER;
                out->as.integer = sqlite3_value_int64(value);
                break;
        case SQLITE_FLOAT:
                out->type = PAWL__SQL_REAL;
                out->as.real = sqlite3_value_double(value);
                break;
        case SQLITE_TEXT:
                out->type = PAWL__SQL_TEXT;
                out->as.bytes.data = (const char *)sqlite3_value_text(value);
                out->as.bytes.len = (size_t)sqlite3_value_bytes(value);
                break;
        case SQLITE_BLOB:
                out->type = PAWL__SQL_BYTES;
                out->as.bytes.data = sqlite3_value_blob(value);
                out->as.bytes.len = (size_t)sqlite3_value_bytes(value);
                break;
        default:
                break;
        }
}

bool pawl__sqlite_nomem(pawl__query *self)
{
        return sqlite3_errcode(sqlite3_db_handle(((query *)self)->stmt)) == SQLITE_NOMEM;
}
