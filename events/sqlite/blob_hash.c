/* The hash of a blob, of which one piece at a time is in memory. */
#include "events/sqlite/sqlite.h"

enum { PIECE = 1 << 20 };

/* SQLITE_DONE: there is no such blob. */
static int find_row(int64_t *rowid, pawl_log *log, const unsigned char hash[32])
{
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(
                log->file->db, "SELECT rowid FROM blobs WHERE hash = ?1", -1, &stmt, NULL);

        if (rc == SQLITE_OK)
                rc = sqlite3_bind_blob(stmt, 1, hash, 32, SQLITE_STATIC);
        if (rc == SQLITE_OK)
                rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW)
                *rowid = sqlite3_column_int64(stmt, 0);
        (void)sqlite3_finalize(stmt);
        return rc;
}

static int hash_pieces(pawl_log *log, sqlite3_blob *blob, char *piece, bool *hashed)
{
        const int len = sqlite3_blob_bytes(blob);
        int rc = SQLITE_OK;

        for (int at = 0; at < len && rc == SQLITE_OK && *hashed; at += PIECE) {
                const int n = len - at < PIECE ? len - at : PIECE;
                rc = sqlite3_blob_read(blob, piece, n, at);
                if (rc == SQLITE_OK)
                        *hashed = !pawl__hasher_add(log->hasher, piece, (size_t)n);
        }
        return rc;
}

pawl_status pawl__sqlite_blob_hash(
        unsigned char out[32], pawl_log *log, const unsigned char hash[32])
{
        sqlite3_blob *blob = NULL;
        int64_t rowid = 0;
        int rc = find_row(&rowid, log, hash);

        if (rc != SQLITE_ROW)
                return rc == SQLITE_DONE ? PAWL_ENOTFOUND
                                         : pawl__db_fail(log, rc, "read it", &log->err);
        char *piece = sqlite3_malloc(PIECE);
        bool hashed = piece && !pawl__hasher_begin(log->hasher, &log->err);
        rc = sqlite3_blob_open(log->file->db, "main", "blobs", "content", rowid, 0, &blob);
        if (rc == SQLITE_OK && hashed)
                rc = hash_pieces(log, blob, piece, &hashed);
        hashed = hashed && !pawl__hasher_end(log->hasher, out);
        (void)sqlite3_blob_close(blob);
        sqlite3_free(piece);
        if (rc != SQLITE_OK)
                return pawl__db_fail(log, rc, "read it", &log->err);
        return hashed ? PAWL_OK : pawl__nomem(&log->err);
}
