/* Contents kept by their hash. */
#include "events/handle.h"

pawl_status pawl__tx_blob(pawl_log *log, const unsigned char hash[32], pawl_text content)
{
        sqlite3_stmt *stmt;
        pawl_status status = pawl__log_stmt(&stmt, log, PAWL__STMT_BLOB_PUT, &log->err);

        if (status)
                return status;
        int rc = sqlite3_bind_blob64(stmt, 1, hash, 32, SQLITE_STATIC);
        if (rc == SQLITE_OK)
                rc = sqlite3_bind_blob64(
                        stmt, 2, content.data ? content.data : "", content.len, SQLITE_STATIC);
        if (rc == SQLITE_OK)
                rc = pawl__db_run(stmt);
        return pawl__db_fail(log, rc, "keep the inputs", &log->err);
}

/* Add the content to out and compare its hash, which is that of the bytes as they now are. */
static pawl_status take(
        pawl__buf *out, pawl_log *log, const unsigned char hash[32], sqlite3_stmt *stmt)
{
        unsigned char found[32];
        char hex[65];
        const void *content = sqlite3_column_blob(stmt, 0);
        size_t len = (size_t)sqlite3_column_bytes(stmt, 0);

        if (!content && len)
                return pawl__nomem(&log->err);
        pawl_status status = pawl__sha256(log->hasher, found, content, len, &log->err);
        if (status)
                return status;
        if (memcmp(found, hash, 32) != 0) {
                pawl__hex(hex, hash, 32);
                return pawl__fail(&log->err, PAWL_EDAMAGED,
                        "blob %.16s: its content was changed; put back a copy of the log", hex);
        }
        return pawl__buf_add(out, content, len) ? pawl__nomem(&log->err) : PAWL_OK;
}

pawl_status pawl__log_blob(pawl__buf *out, pawl_log *log, const unsigned char hash[32])
{
        sqlite3_stmt *stmt;
        char hex[65];
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                status = pawl__log_stmt(&stmt, log, PAWL__STMT_BLOB_GET, &log->err);
        if (status)
                return status;
        int rc = sqlite3_bind_blob64(stmt, 1, hash, 32, SQLITE_STATIC);
        if (rc == SQLITE_OK)
                rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW) {
                status = take(out, log, hash, stmt);
        } else if (rc == SQLITE_DONE) {
                pawl__hex(hex, hash, 32);
                status = pawl__fail(&log->err, PAWL_ENOTFOUND,
                        "blob %.16s: is not in the log; it was pruned or never kept", hex);
        } else {
                status = pawl__db_fail(log, rc, "read it", &log->err);
        }
        sqlite3_reset(stmt);
        return status;
}
