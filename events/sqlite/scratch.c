/* Tables of a log in a temporary file, for a state that is folded once and thrown away. */
#include "events/log.h"
#include "events/sqlite/sqlite.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a name SQLite makes a file in its directory for temporary ones as soon as the pages do
 * not fit into the cache, and removes it at once. */
static pawl_status open_unnamed(pawl_log *log, pawl_error *err)
{
        const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                          SQLITE_OPEN_EXRESCODE;
        pawl_status status = pawl__db_fail(
                log, sqlite3_open_v2("", &log->file->db, flags, NULL), "make it", err);

        if (!status)
                status = pawl__schema_ensure(log, log->file->schema, err);
        return status ? status
                      : pawl__db_exec(log,
                                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
                                "PRAGMA cache_size = -16384; BEGIN",
                                "make it", err);
}

pawl_status pawl__log_scratch(pawl_log **out, pawl_error *err)
{
        pawl_log *log = calloc(1, sizeof *log);
        pawl_status status;

        if (!log)
                return pawl__nomem(err);
        log->engine = &pawl__sqlite_engine;
        log->process = getpid();
        log->signal_fd = -1;
        log->file = calloc(1, sizeof *log->file);
        log->path = strdup("the temporary file");
        if (!log->file || !log->path) {
                status = pawl__nomem(err);
        } else {
                log->file->writer_queue_fd = -1;
                log->file->schema = &pawl__schema_current;
                status = open_unnamed(log, err);
        }
        if (status)
                pawl_log_close(log);
        else
                *out = log;
        return status;
}
