/* The engine of a log in a file: its statements, its functions, and how a file is opened. */
#include "events/own_files.h"
#include "events/sqlite/sqlite.h"
#include <stdlib.h>

#define COLUMNS                                                                                    \
        "seq, type, v, time, mission_id, run_id, step_id, session_id, actor, payload, prev, hash"

#define FOUND                                                                                      \
        " AND (type = ?3 OR ?3 IS NULL) AND (run_id = ?4 OR ?4 IS NULL)"                           \
        " AND (step_id = ?5 OR ?5 IS NULL)"

static const char *const sql_of[PAWL__STMTS] = {
        [PAWL__STMT_HEAD] = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1",
        [PAWL__STMT_FIRST] = "SELECT seq FROM events ORDER BY seq LIMIT 1",
        [PAWL__STMT_RANGE] =
                "SELECT " COLUMNS " FROM events WHERE seq > ?1 AND seq <= ?2 ORDER BY seq",
        [PAWL__STMT_TYPES] = "SELECT DISTINCT type, run_id IS ?3 FROM events "
                             "WHERE seq > ?1 AND seq <= ?2",
        [PAWL__STMT_FIND] = "SELECT " COLUMNS " FROM events WHERE seq > ?1 AND seq < ?2" FOUND
                            " ORDER BY seq LIMIT ?6",
        [PAWL__STMT_FIND_BACK] = "SELECT " COLUMNS " FROM events WHERE seq > ?1 AND seq < ?2" FOUND
                                 " ORDER BY seq DESC LIMIT ?6",
        [PAWL__STMT_INSERT] =
                "INSERT INTO events (" COLUMNS ") VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
        [PAWL__STMT_BLOB_PUT] = "INSERT OR IGNORE INTO blobs (hash, content) VALUES (?1, ?2)",
        [PAWL__STMT_BLOB_GET] = "SELECT content FROM blobs WHERE hash = ?1",
        [PAWL__STMT_CONTENT_PUT] =
                "INSERT OR IGNORE INTO contents (hash, part, size, data) VALUES (?1, ?2, ?3, ?4)",
        [PAWL__STMT_CONTENT_GET] = "SELECT size, data FROM contents WHERE hash = ?1 AND part = ?2",
        [PAWL__STMT_CONTENT_HAS] = "SELECT 1 FROM contents WHERE hash = ?1 AND part = 0",
        [PAWL__STMT_CONTENT_DROP] = "DELETE FROM contents WHERE hash = ?1",
        [PAWL__STMT_CONTENT_EACH] = "SELECT hash, max(size), sum(length(data)), count(*) "
                                    "FROM contents GROUP BY hash ORDER BY hash",
        [PAWL__STMT_PACK_LAST] = "SELECT ifnull(max(pack), 0) FROM packs",
        [PAWL__STMT_PACK_PUT] =
                "INSERT OR REPLACE INTO packs (pack, heads, data) VALUES (?1, ?2, ?3)",
        [PAWL__STMT_PACK_GET] = "SELECT heads, data FROM packs WHERE pack = ?1",
        [PAWL__STMT_PACK_HEADS] = "SELECT heads FROM packs WHERE pack = ?1",
        [PAWL__STMT_PACK_DROP] = "DELETE FROM packs WHERE pack = ?1",
        [PAWL__STMT_PACKED_PUT] =
                "INSERT OR REPLACE INTO packed (hash, pack, at) VALUES (?1, ?2, ?3)",
        [PAWL__STMT_PACKED_GET] = "SELECT pack, at FROM packed WHERE hash = ?1",
        [PAWL__STMT_PACKED_FIND] =
                "SELECT pack, at, hash FROM packed WHERE hash >= ?1 AND hash <= ?2 LIMIT 1",
        [PAWL__STMT_PARTS_FIND] = "SELECT hash FROM contents WHERE hash >= ?1 AND hash <= ?2 "
                                  "AND part = 0 LIMIT 1",
        [PAWL__STMT_PACKED_DROP] = "DELETE FROM packed WHERE hash = ?1",
        [PAWL__STMT_PACKED_EACH] = "SELECT hash, pack, at FROM packed ORDER BY pack, at",
        [PAWL__STMT_PRUNED] = "SELECT payload_hash FROM pruned WHERE seq = ?1",
        [PAWL__STMT_PRUNED_PUT] = "INSERT OR REPLACE INTO pruned VALUES (?1, ?2)",
        [PAWL__STMT_PAYLOAD_DROP] = "UPDATE events SET payload = NULL WHERE seq = ?1",
        [PAWL__STMT_LEASE_GET] = "SELECT fence, held, host, boot_id, pid, pid_start, pid_ns, "
                                 "until_ms, lease_ms, NULL FROM leases WHERE run_id = ?1",
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
        [PAWL__STMT_KEY_TABLE] = "SELECT count(*) FROM main.sqlite_schema "
                                 "WHERE type = 'table' AND name = 'chain_key'",
        [PAWL__STMT_KEY_GET] = "SELECT key_check FROM chain_key",
        [PAWL__STMT_KEY_PUT] = "INSERT INTO chain_key (id, key_check) VALUES (1, ?1)",
        [PAWL__STMT_PLACE] = "SELECT applied_seq, (SELECT ifnull(max(seq), 0) FROM events) "
                             "FROM projection WHERE id = 1",
        [PAWL__STMT_PLACE_PUT] = "UPDATE projection SET applied_seq = ?1 WHERE id = 1",
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* WAL mode is a property of the file. Changing to it needs the file for a moment alone, and SQLite
 * does not ask the busy handler for that. */
static pawl_status use_wal(pawl_log *log, pawl_error *err)
{
        sqlite3_stmt *stmt = NULL;
        bool wal = false;
        int rc, tries = 0;

        do {
                rc = sqlite3_prepare_v2(
                        log->file->db, "PRAGMA journal_mode = WAL", -1, &stmt, NULL);
                if (rc == SQLITE_OK)
                        rc = sqlite3_step(stmt);
                if (rc == SQLITE_ROW)
                        wal = sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 0), "wal") ==
                              0;
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

static pawl_status open_file(pawl_log *log, pawl_error *err)
{
        const pawl__schema *schema = log->file->schema;
        bool there, empty = false;
        pawl_status status = pawl__log_path_find(&there, log, log->name, err);

        if (!status && !there)
                status = pawl__own_files_spare_others(log->path, err);
        if (!status && !there)
                status = pawl__create(log, schema, err);
        if (!status)
                status = pawl__log_path_check(log, err);
        if (!status)
                status = pawl__log_path_access(log, err);
        if (!status && !(log->flags & PAWL_LOG_READONLY))
                (void)pawl__log_path_ignore(log); /* of an older log; not worth a failure */
        if (!status)
                status = pawl__connect(log, err);
        if (!status)
                status = pawl__schema_identify(&empty, log, schema, err);
        if (!status && empty && !(log->flags & PAWL_LOG_CREATE))
                status = pawl__fail(err, PAWL_EFORMAT,
                        "%s: is not a Pawl log: it is empty; make it one with `pawl init`",
                        log->path);
        if (status || log->flags & PAWL_LOG_READONLY)
                return status;
        if (empty)
                status = pawl__own_files_spare_others(log->path, err);
        if (!status && empty)
                status = pawl__log_path_sync(log, err);
        if (!status)
                status = use_wal(log, err);
        if (!status)
                status = pawl__schema_ensure(log, schema, err);
        if (!status) /* the -wal is open: SQLite gives back what this maps of its index */
                pawl__files_note(log);
        return status;
}

static pawl_status sqlite_open(pawl_log *log, pawl_error *err)
{
        const pawl__log_setup *setup = log->setup;
        struct pawl__file *file = calloc(1, sizeof *file);

        if (!file)
                return pawl__nomem(err);
        file->writer_queue_fd = -1;
        file->schema = setup->schema ? setup->schema : &pawl__schema_current;
        file->wal.limits = setup->wal ? *setup->wal : pawl__wal_limits_default;
        log->file = file;
        return open_file(log, err);
}

static void sqlite_close(pawl_log *log)
{
        if (!log->file)
                return;
        pawl__disconnect(log);
        free(log->file->side);
        free(log->file);
        log->file = NULL;
}

/* What is verified is the file, not what an earlier read kept of it: SQLite does not check a page
 * again that it has, even one that it found malformed. */
static void forget(pawl_log *log)
{
        (void)sqlite3_db_release_memory(log->file->db);
}

void pawl__log_start_lean(void)
{
        (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

const char *pawl_sqlite_version(void)
{
        return sqlite3_libversion();
}

const pawl__engine pawl__sqlite_engine = {
        .sql = sql_of,
        .open = sqlite_open,
        .close = sqlite_close,
        .refresh = pawl__sqlite_refresh,
        .prepare = pawl__sqlite_prepare,
        .finalize = pawl__sqlite_finalize,
        .bind = pawl__sqlite_bind,
        .step = pawl__sqlite_step,
        .run = pawl__sqlite_run,
        .reset = pawl__sqlite_reset,
        .value = pawl__sqlite_value,
        .nomem = pawl__sqlite_nomem,
        .begin = pawl__sqlite_begin,
        .alone = pawl__sqlite_alone,
        .commit = pawl__sqlite_commit,
        .rollback = pawl__sqlite_rollback,
        .durable = pawl__sqlite_durable,
        .keep_few = pawl__connection_keep_few,
        .view_saves = true,
        .view_begin = pawl__sqlite_view_begin,
        .view_end = pawl__sqlite_view_end,
        .derive_anew = pawl__schema_derive_anew,
        .keep = pawl__files_keep,
        .follow = pawl__files_follow,
        .stale = pawl__sqlite_stale,
        .forget = forget,
        .lock_take = pawl__run_lock_take,
        .lock_keep = pawl__run_lock_keep,
        .lock_drop = pawl__run_lock_drop,
        .life = pawl__run_lock_state,
        .busy = pawl__sqlite_busy,
        .backup = pawl__sqlite_backup,
        .shrink = pawl__sqlite_shrink,
        .blob_hash = pawl__sqlite_blob_hash,
        .space = pawl__sqlite_space,
};
