/* Opening and closing a log, and its parts for the modules above. */
#include "events/log.h"
#include "base/sources.h"
#include "events/group.h"
#include "events/handle.h"
#include <assert.h>
#include <stdlib.h>

static pawl_status take_options(pawl_log *log, const pawl_log_options *options, pawl_error *err)
{
        static const pawl_log_options defaults = PAWL_LOG_OPTIONS_INIT;

        if (!options)
                options = &defaults;
        if (options->version != PAWL_LOG_OPTIONS_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "options: version %u is not known; start from PAWL_LOG_OPTIONS_INIT",
                        options->version);
        if (options->flags & ~(unsigned)(PAWL_LOG_CREATE | PAWL_LOG_READONLY))
                return pawl__fail(err, PAWL_EINVAL,
                        "options: flags 0x%x are not known; use PAWL_LOG_CREATE or "
                        "PAWL_LOG_READONLY",
                        options->flags);
        if (options->flags == (PAWL_LOG_CREATE | PAWL_LOG_READONLY))
                return pawl__fail(err, PAWL_EINVAL,
                        "options: a log cannot be made and only be read; use one of the flags");
        log->flags = options->flags;
        log->busy_ms = options->busy_ms;
        log->lease_ms = options->lease_ms;
        log->sources = pawl__sources_complete(&options->sources);
        return pawl__key_take(log, options->key, options->key_len, err);
}

/* WAL mode is a property of the file. Changing to it needs the file for a moment alone, and SQLite
 * does not ask the busy handler for that. */
static pawl_status use_wal(pawl_log *log, pawl_error *err)
{
        sqlite3_stmt *stmt = NULL;
        bool wal = false;
        int rc, tries = 0;

        do {
                rc = sqlite3_prepare_v2(log->db, "PRAGMA journal_mode = WAL", -1, &stmt, NULL);
                if (rc == SQLITE_OK)
                        rc = sqlite3_step(stmt);
                if (rc == SQLITE_ROW)
                        wal = pawl__text_is(pawl__db_column_text(stmt, 0), "wal");
                sqlite3_finalize(stmt);
        } while ((rc & 0xff) == SQLITE_BUSY && pawl__busy(log, tries++));
        pawl_status status = pawl__db_fail(log, rc, "open it", err);
        if (!status && !wal)
                return pawl__fail(err, PAWL_EIO,
                        "%s: SQLite cannot keep a write-ahead log here; put the log on a local "
                        "file system",
                        log->path);
        return status;
}

static pawl_status open_log(pawl_log *log, const char *path)
{
        pawl_error *err = &log->err;
        bool there, empty = false;
        pawl_status status = pawl__log_path_find(&there, log, path, err);

        if (!status && !there)
                status = pawl__create(log, log->schema, err);
        if (!status)
                status = pawl__log_path_check(log, err);
        if (!status)
                status = pawl__log_path_access(log, err);
        if (!status && !(log->flags & PAWL_LOG_READONLY))
                (void)pawl__log_path_ignore(log); /* of an older log; not worth a failure */
        if (!status)
                status = pawl__hasher_new(&log->hasher, err);
        if (!status)
                status = pawl__connect(log, err);
        if (!status)
                status = pawl__schema_identify(&empty, log, log->schema, err);
        if (!status && empty && !(log->flags & PAWL_LOG_CREATE))
                status = pawl__fail(err, PAWL_EFORMAT,
                        "%s: is not a Pawl log: it is empty; make it one with `pawl init`",
                        log->path);
        if (status || log->flags & PAWL_LOG_READONLY)
                return status;
        if (empty)
                status = pawl__log_path_sync(log, err);
        if (!status)
                status = use_wal(log, err);
        if (!status)
                status = pawl__schema_ensure(log, log->schema, err);
        if (!status)
                status = pawl__key_open(log, err);
        if (status)
                return status;
        pawl__files_note(log); /* the -wal is open: SQLite gives back what this maps of its index */
        return pawl__group_join(log, err);
}

pawl_status pawl__log_open_as(pawl_log **out, const char *path, const pawl_log_options *options,
        const pawl__log_setup *setup, pawl_error *err)
{
        static const pawl__log_setup real = {.vfs = NULL};
        pawl_log *log = calloc(1, sizeof *log);

        if (!log)
                return pawl__nomem(err);
        log->writer_queue_fd = -1;
        if (!setup)
                setup = &real;
        log->vfs = setup->vfs;
        log->schema = setup->schema ? setup->schema : &pawl__schema_current;
        if (setup->identity)
                log->self = *setup->identity;
        else
                pawl__identity_system(&log->self);
        log->wal.limits = setup->wal ? *setup->wal : pawl__wal_limits_default;
        pawl_status status = take_options(log, options, &log->err);
        if (!status)
                status = open_log(log, path);
        if (status) {
                if (err)
                        *err = log->err;
                pawl_log_close(log);
                return status;
        }
        *out = log;
        return PAWL_OK;
}

pawl_status pawl_log_open(
        pawl_log **out, const char *path, const pawl_log_options *options, pawl_error *err)
{
        return pawl__log_open_as(out, path, options, NULL, err);
}

void pawl_log_close(pawl_log *log)
{
        if (!log)
                return;
        pawl_log_interrupt(log, false);
        if (log->db)
                pawl__lease_release(log);
        if (log->projecting)
                log->projector.close(log->projector.user);
        pawl__group_leave(log);
        pawl__disconnect(log);
        pawl__hasher_free(log->hasher);
        pawl__mac_free(log->key);
        pawl__json_tree_free(&log->tree);
        pawl__buf_free(&log->payload);
        pawl__buf_free(&log->envelope);
        pawl__buf_free(&log->owner_host);
        free(log->held);
        free(log->path);
        free(log->side);
        free(log);
}

const char *pawl_log_errmsg(const pawl_log *log)
{
        return log->err.message;
}

pawl_status pawl_log_head(uint64_t *seq, unsigned char hash[32], pawl_log *log)
{
        uint64_t last = 0;
        unsigned char last_hash[32];
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                status = pawl__head_read(&last, last_hash, log, &log->err);
        if (!status) {
                *seq = last;
                memcpy(hash, last_hash, 32);
        }
        return status;
}

pawl_status pawl__log_view_begin(pawl_log *log, pawl_error *err)
{
        int64_t head;

        if (pawl__log_readonly(log))
                return PAWL_OK;
        pawl_status status = pawl__db_exec(log, "BEGIN", "read it", err);
        if (!status) /* a transaction begins with its first read */
                status = pawl__db_integer(&head, log, "SELECT max(seq) FROM events", err);
        if (status)
                pawl__log_view_end(log);
        return status;
}

void pawl__log_view_end(pawl_log *log)
{
        if (!pawl__log_readonly(log) && !sqlite3_get_autocommit(log->db))
                (void)sqlite3_exec(log->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
}

const pawl_sources *pawl__log_sources(const pawl_log *log)
{
        return &log->sources;
}

pawl__hasher *pawl__log_hasher(pawl_log *log)
{
        return log->hasher;
}

pawl_error *pawl__log_error(pawl_log *log)
{
        return &log->err;
}

bool pawl__log_has_key(const pawl_log *log)
{
        return log->key != NULL;
}

bool pawl__log_readonly(const pawl_log *log)
{
        return log->flags & PAWL_LOG_READONLY;
}

int pawl__log_version(const pawl_log *log)
{
        return pawl__log_readonly(log) ? log->version : pawl__schema_current.version;
}

pawl_status pawl__log_failed(const pawl_log *log, pawl_status status, pawl_error *err)
{
        return pawl__fail(err, status, "%s", log->err.message);
}

const char *pawl__log_path(const pawl_log *log)
{
        return log->path;
}

unsigned pawl__log_lease_ms(const pawl_log *log)
{
        return log->lease_ms;
}

void pawl__log_set_projector(pawl_log *log, const pawl__projector *projector)
{
        assert(!log->projecting);
        log->projector = *projector;
        log->projecting = true;
}

void *pawl__log_projector(pawl_log *log)
{
        return log->projecting ? log->projector.user : NULL;
}
