/*
 * The frames of a commit, written in one go.
 *
 * SQLite writes the header and the page of each frame of the -wal by a call of its own, fourteen
 * for a commit of seven; most of what they take is the system's own. So what a COMMIT writes to the
 * -wal, one behind the other, is gathered here, and written when something else comes: a write
 * elsewhere, a read, the sync. For that long the file has these methods in place of its own, to
 * which everything is passed on, whatever VFS they are of.
 *
 * That is for a commit that syncs: others read a frame once the index of the -wal names it, which
 * SQLite writes after that sync. From the sync on the file has its own methods again. A write that
 * fails then fails the sync, and with it the COMMIT; of what was gathered nothing counts, and what
 * is not written yet never is.
 */
#include "events/sqlite/sqlite.h"

static pawl__gather *gather_of(const sqlite3_file *file)
{
        return (pawl__gather *)(uintptr_t)file->pMethods;
}

static int flush(pawl__gather *g, sqlite3_file *file)
{
        const int n = g->n;

        g->n = 0;
        return n ? g->system->xWrite(file, g->text, n, g->offset) : SQLITE_OK;
}

static int gather_write(sqlite3_file *file, const void *data, int n, sqlite3_int64 offset)
{
        pawl__gather *g = gather_of(file);
        int rc = SQLITE_OK;

        file->pMethods = g->system; /* its functions may look there */
        if (offset != g->offset + g->n || n > (int)sizeof g->text - g->n)
                rc = flush(g, file);
        file->pMethods = &g->methods;
        if (rc)
                return rc;
        if (g->n == 0)
                g->offset = offset;
        memcpy(g->text + g->n, data, (size_t)n);
        g->n += n;
        return SQLITE_OK;
}

static int gather_read(sqlite3_file *file, void *data, int n, sqlite3_int64 offset)
{
        pawl__gather *g = gather_of(file);

        file->pMethods = g->system;
        int rc = flush(g, file);
        if (rc == SQLITE_OK)
                rc = g->system->xRead(file, data, n, offset);
        file->pMethods = &g->methods;
        return rc;
}

static int gather_sync(sqlite3_file *file, int flags)
{
        pawl__gather *g = gather_of(file);

        file->pMethods = g->system;
        const int rc = flush(g, file);
        return rc == SQLITE_OK ? g->system->xSync(file, flags) : rc;
}

sqlite3_file *pawl__gather_begin(pawl_log *log)
{
        pawl__gather *g = &log->file->gather;
        sqlite3_file *file = NULL;
        const int rc =
                sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);

        if (rc != SQLITE_OK || !file || !file->pMethods || log->file->relaxed)
                return NULL;
        g->system = file->pMethods;
        g->methods = *g->system;
        g->methods.xWrite = gather_write;
        g->methods.xRead = gather_read;
        g->methods.xSync = gather_sync;
        g->n = 0;
        file->pMethods = &g->methods;
        return file;
}

int pawl__gather_end(pawl_log *log, sqlite3_file *file, int rc)
{
        pawl__gather *g = &log->file->gather;

        if (!file || file->pMethods != &g->methods)
                return rc;
        file->pMethods = g->system;
        return rc == SQLITE_OK ? flush(g, file) : rc;
}
