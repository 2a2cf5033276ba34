/*
 * The connection: how a log is opened for writing, and the three ways to open one for reading only.
 *
 * A reader must change nothing, not even leave a file beside the log, and must work where it may
 * not write. While somebody has the log open, its -wal and -shm files are there, and they stay
 * after a clean end too (the -wal then empty), because writers ask for that. So:
 *
 *  1. -shm is there: an ordinary read-only connection, which takes read locks as any other does. In
 *     a directory that cannot be written SQLite then reads the -wal without the -shm by itself.
 *  2. -shm is not there, and the -wal is not or is empty: a copy of the database file alone. Nobody
 *     has it open; immutable=1 reads it without locks and without making files.
 *  3. -shm is not there, and the -wal has content: a copy made while a writer was at work or after
 *     it died. Immutable would not see the last events. A connection in exclusive locking mode
 *     keeps the index of the -wal in memory instead of in a -shm; a VFS that locks nothing
 *     (unlocked.c) lets a read-only one be exclusive. Nothing is copied and nothing written.
 *
 * In 2 and 3 a writer may still come after us; pawl__sqlite_stale() sees its -shm. Then a read that
 * begins makes the view anew, and what looks like damage is reported as PAWL_EBUSY.
 */
#include "base/error.h"
#include "events/sqlite/sqlite.h"
#include <stdlib.h>

/* How many KiB of pages are kept in memory, at most. Many: the inner pages of a log of a million
 * events, and the leaves that a program comes back to (bench_load). Few: the inner pages alone. A
 * run of 2,000 steps on a log of 48 MB reads 5 in 100 more pages with them. */
#define KEEP_MANY "PRAGMA cache_size = -16384"
#define KEEP_FEW  "PRAGMA cache_size = -2048"

/* Not by sqlite3_interrupt(), which would cut whatever statement it meets, a COMMIT among them, and
 * is forgotten when none is at work: SQLite asks every so many steps. */
static int stops(void *user)
{
        const pawl_log *log = user;

        return !log->file->whole && pawl__interrupt_waits(log);
}

void pawl__interrupt_watch(pawl_log *log)
{
        sqlite3_progress_handler(log->file->db, 1000, stops, log);
}

/* An SQLite URI for an absolute path: characters with a meaning in a URI are written as %XX. */
static pawl_status make_uri(
        pawl__buf *out, const char *path, const char *parameters, pawl_error *err)
{
        pawl__buf_adds(out, "file:");
        for (; *path; path++)
                if (*path == '%' || *path == '?' || *path == '#')
                        pawl__buf_addf(out, "%%%02X", (unsigned)(unsigned char)*path);
                else
                        pawl__buf_addc(out, *path);
        pawl__buf_adds(out, parameters);
        return pawl__buf_check(out, err);
}

/* Settings of every connection: a schema or a page that another program prepared can run nothing
 * and is checked, and SQLite makes no temporary files. The schema's own triggers are for other
 * programs: the one insert into events counts on from the head that its transaction read, and
 * nothing here updates or deletes there. They cost 1.1 us an event. */
static pawl_status configure(pawl_log *log, pawl_error *err)
{
        static const struct {
                int option, value;
        } options[] = {
                {SQLITE_DBCONFIG_DEFENSIVE, 1},
                {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        };
        int rc = sqlite3_busy_handler(log->file->db, pawl__busy, log);

        pawl__interrupt_watch(log);
        for (size_t i = 0; i < sizeof options / sizeof options[0] && rc == SQLITE_OK; i++)
                rc = sqlite3_db_config(log->file->db, options[i].option, options[i].value, NULL);
        if (rc != SQLITE_OK)
                return pawl__db_fail(log, rc, "set up the connection", err);
        return pawl__db_exec(log,
                "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY",
                "set up the connection", err);
}

static pawl_status open_db(pawl_log *log, const char *name, int flags, bool locks, pawl_error *err)
{
        flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE;
        int rc = locks ? sqlite3_open_v2(name, &log->file->db, flags, log->vfs)
                       : pawl__unlocked_open(name, &log->file->db, flags);

        if (rc != SQLITE_OK)
                return pawl__db_fail(log, rc, "open it", err);
        return configure(log, err);
}

/* An unlocked view, case 2 or 3 above. */
static pawl_status connect_unlocked(pawl_log *log, pawl_error *err)
{
        pawl__buf uri = PAWL__BUF_INIT;
        bool has_wal = log->file->wal_size > 0;
        pawl_status status =
                make_uri(&uri, log->path, has_wal ? "?mode=ro" : "?mode=ro&immutable=1", err);

        log->file->unlocked = true;
        if (!status)
                status = open_db(
                        log, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, !has_wal, err);
        if (!status && has_wal) {
                /* With its view closed, an exclusive connection would move the -wal's content into
                 * the database: it is told not to. */
                int rc =
                        sqlite3_db_config(log->file->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
                status = rc != SQLITE_OK ? pawl__db_fail(log, rc, "open it", err)
                                         : pawl__db_exec(log, "PRAGMA locking_mode = EXCLUSIVE",
                                                   "open it", err);
        }
        pawl__buf_free(&uri);
        return status;
}

static pawl_status connect_reader(pawl_log *log, pawl_error *err)
{
        log->file->wal_size = pawl__log_path_size(log, "-wal");
        log->file->unlocked = false;
        if (pawl__log_path_size(log, "-journal") > 0)
                return open_db(log, log->path, SQLITE_OPEN_READONLY, true, err);
        if (pawl__log_path_size(log, "-shm") < 0 || log->file->wal_size < 0)
                return connect_unlocked(log, err);
        return open_db(log, log->path, SQLITE_OPEN_READONLY, true, err);
}

static pawl_status connect_writer(pawl_log *log, pawl_error *err)
{
        int keep_wal = 1;

        TRY(open_db(log, log->path, SQLITE_OPEN_READWRITE, true, err));
        if (sqlite3_db_readonly(log->file->db, "main") == 1)
                return pawl__db_fail(log, SQLITE_READONLY, "open it", err);
        int rc = sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep_wal);
        if (rc != SQLITE_OK)
                return pawl__db_fail(log, rc, "open it", err);
        pawl__wal_watch(log);
        pawl__writer_queue_open(log);
        return pawl__db_exec(log,
                "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; " KEEP_MANY,
                "set up the connection", err);
}

void pawl__connection_keep_few(pawl_log *log, bool few)
{
        /* without memory for it all stays as it was */
        (void)sqlite3_exec(log->file->db, few ? KEEP_FEW : KEEP_MANY, NULL, NULL, NULL);
}

void pawl__connection_adopt(pawl_log *log)
{
        (void)sqlite3_busy_handler(log->file->db, pawl__busy, log);
        pawl__interrupt_watch(log);
        pawl__wal_watch(log);
}

pawl_status pawl__connect(pawl_log *log, pawl_error *err)
{
        return log->flags & PAWL_LOG_READONLY ? connect_reader(log, err) : connect_writer(log, err);
}

void pawl__disconnect(pawl_log *log)
{
        pawl__writer_queue_close(log);
        pawl__queries_finalize(log);
        sqlite3_finalize(log->file->begin);
        sqlite3_finalize(log->file->commit);
        sqlite3_finalize(log->file->rollback);
        sqlite3_finalize(log->file->view);
        log->file->begin = log->file->commit = log->file->rollback = log->file->view = NULL;
        log->file->viewed = false;
        /* Not a zombie: every statement of this log is finalized, and a module above finalized its
         * own when the projector was closed. */
        sqlite3_close_v2(log->file->db);
        log->file->db = NULL;
}
