/**
 * @file events/sqlite/sqlite.h
 * @brief A log in a file: the inside of the engine, for its own files and their tests.
 */
#pragma once

#include "events/handle.h"
#include "events/sqlite/migrate.h"
#include <sqlite3.h>
#include <sys/stat.h>

/** When the write-ahead log is moved into the database (wal.c). */
typedef struct pawl__wal_limits {
        int checkpoint_frames; /**< from so many on, at each commit, as far as nobody is in the way
                                */
        int restart_frames;    /**< from so many on, and at each such growth, waiting for readers */
        unsigned wait_ms;      /**< for all together; up to 16 times that without success */
        int64_t warn_bytes;    /**< from this size on, somebody who stays is worth a warning */
} pawl__wal_limits;

extern const pawl__wal_limits pawl__wal_limits_default;

typedef struct pawl__wal {
        sqlite3_io_methods methods; /* first: of the database's file during a checkpoint */
        const sqlite3_io_methods *system;
        pawl__wal_limits limits;
        int retry_frames; /* where the next checkpoint that waits is due, after one without success
                           */
        unsigned wait_ms; /* of that one */
        int64_t left_us;  /* to wait, of the try that is under way */
        bool warned;
        int64_t warned_ms;
} pawl__wal;

/** What a COMMIT writes to the -wal, until it is written in one go (gather.c). */
typedef struct pawl__gather {
        sqlite3_io_methods methods; /* first: by the file's methods this is found */
        const sqlite3_io_methods *system;
        sqlite3_int64 offset; /* where in the file the text goes */
        int n;
        char text[64 << 10]; /* as large as the largest page */
} pawl__gather;

/** When a database was last written, and how far SQLite's checkpoints had come then: only they
 * write it. */
typedef struct pawl__stamp {
        int64_t mtime_ns, size;
        uint32_t salts[2], moved,
                moving; /* frames of the -wal that are in the database, or are to be */
} pawl__stamp;

/** How long a writer still waits while nobody commits (busy.c). */
typedef struct pawl__quiet {
        pawl__patience patience;
        struct timespec since; /* when the write-ahead log was last written to */
} pawl__quiet;

/** A write's place in the queue of processes (writer_queue.c). */
typedef enum pawl__turn {
        PAWL__TURN_FREE,   /**< first, or without a queue: waits for SQLite's lock alone */
        PAWL__TURN_LOCKED, /**< first, with the lock of the directory */
        PAWL__TURN_WAITS   /**< behind another process: SQLite's lock is tried, not waited for */
} pawl__turn;

struct pawl__file {
        sqlite3 *db;
        char *side, *side_end; /* room for the path and "-wal", "-shm" or "-journal" after it */
        const pawl__schema *schema;
        bool current;               /* pawl__schema_identify() found all of that */
        pawl__stamp stamp;          /* of the database, when it was last looked at */
        ino_t wal_inode, shm_inode; /* of the files beside it that are open; 0: there was none */
        bool displaced; /* another log is at the path: what is committed now is saved, and fails
                         */
        pawl__quiet quiet;
        pawl__wal wal;
        pawl__gather gather;
        int writer_queue_fd; /* the log's directory, locked in writer_queue.c; -1: none */
        pawl__turn turn;
        struct pawl__queued *queued; /* waits for that lock; NULL: none does */
        bool relaxed;                /* commits do not wait for the disk: a lease was changed */
        bool whole;         /* a statement is at work that is not interrupted (interrupt.c) */
        bool viewed;        /* a view is open, of this connection */
        unsigned committed; /* SQLite's count of the file's changes, as we committed last */
        sqlite3_stmt *begin, *commit, *rollback, *view;

        /* A read-only view that takes no locks, since nobody could be writing when it was made
         * (connect.c); wal_size is what the write-ahead log held then, -1: none. */
        bool unlocked;
        int64_t wal_size;
};

/** The log's connection. */
sqlite3 *pawl__log_db(pawl_log *log);

/* ---- Statements (query.c) -------------------------------------------------------------------- */

/** SQLite's result as a pawl_status, with the message "FILE: WHAT; HOW TO FIX" in @p err: the one
 *  place that translates. SQLITE_OK, ROW and DONE give PAWL_OK. */
pawl_status pawl__db_fail(pawl_log *log, int rc, const char *doing, pawl_error *err);
/** The first column of the first row of @p sql, an integer; 0 when there is no row. */
PAWL_MUST_CHECK pawl_status pawl__db_integer(
        int64_t *out, pawl_log *log, const char *sql, pawl_error *err);
/** PAWL_EBUSY: who has it locked. */
pawl_status pawl__sqlite_busy(pawl_log *log, const char *doing, pawl_error *err);
/** Run statements that are not kept. */
PAWL_MUST_CHECK pawl_status pawl__db_exec(
        pawl_log *log, const char *sql, const char *doing, pawl_error *err);

struct pawl__statement {
        pawl__query query;
        sqlite3_stmt *stmt;
        pawl_log *log;
        int bound; /* the first failure of binding, until the next step or run */
};

PAWL_MUST_CHECK pawl_status pawl__sqlite_prepare(
        pawl__query **out, pawl_log *log, const char *sql, pawl_error *err);
void pawl__sqlite_finalize(pawl__query *query);
void pawl__sqlite_bind(pawl__query *query, int index, const pawl__sql_value *value);
PAWL_MUST_CHECK pawl_status pawl__sqlite_step(
        pawl__query *query, const char *doing, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__sqlite_run(
        pawl__query *query, int64_t *changes, const char *doing, pawl_error *err);
void pawl__sqlite_reset(pawl__query *query);
void pawl__sqlite_value(pawl__sql_value *out, pawl__query *query, int column);
bool pawl__sqlite_nomem(pawl__query *query);

/* ---- Transactions (write.c) ------------------------------------------------------------------ */

PAWL_MUST_CHECK pawl_status pawl__sqlite_begin(pawl_log *log, bool again);
PAWL_MUST_CHECK pawl_status pawl__sqlite_commit(pawl_log *log);
bool pawl__sqlite_alone(pawl_log *log);
void pawl__sqlite_rollback(pawl_log *log, bool large);
PAWL_MUST_CHECK pawl_status pawl__sqlite_durable(pawl_log *log, bool on, const char *doing);
PAWL_MUST_CHECK pawl_status pawl__sqlite_view_begin(pawl_log *log, pawl_error *err);
bool pawl__sqlite_view_end(pawl_log *log);

/* ---- Opening, step by step (open.c, log_path.c, create.c, connect.c) ------------------------- */

/** Find the file, or with PAWL_LOG_CREATE the place for it, whose directory is made; sets log->path
 *  and *there. */
PAWL_MUST_CHECK pawl_status pawl__log_path_find(
        bool *there, pawl_log *log, const char *path, pawl_error *err);
/** Sync the directory above the log's, whoever made the log's directory: the process that did may
 *  have died before it synced. Called before there is a log, so that the directory of every log is
 *  on disk. */
PAWL_MUST_CHECK pawl_status pawl__log_path_sync(const pawl_log *log, pawl_error *err);
/** Write the .gitignore of the log's directory where it has none and is one of ours. 0, or an
 * errno.
 */
int pawl__log_path_ignore(const pawl_log *log);
/** Create the log at log->path, whole or not at all; it is no failure if another process was
 * quicker. */
PAWL_MUST_CHECK pawl_status pawl__create(
        pawl_log *log, const pawl__schema *schema, pawl_error *err);
/** Is it a file that can be a log? Makes room for the names of the files beside it. */
PAWL_MUST_CHECK pawl_status pawl__log_path_check(pawl_log *log, pawl_error *err);
/** PAWL_EREADONLY when file or directory refuse to be written, PAWL_EACCESS when not even to be
 * read.
 */
PAWL_MUST_CHECK pawl_status pawl__log_path_access(const pawl_log *log, pawl_error *err);
/** Bytes in the file PATH + @p suffix, or -1 when there is none. */
int64_t pawl__log_path_size(const pawl_log *log, const char *suffix);

/** Let SQLite ask whether the log was interrupted while a statement of this connection is at work.
 */
void pawl__interrupt_watch(pawl_log *log);
/** Connect to log->path as log->flags say. Nothing is read yet. */
PAWL_MUST_CHECK pawl_status pawl__connect(pawl_log *log, pawl_error *err);
/** sqlite3_open_v2() without locks of any kind (unlocked.c); the URI names no VFS. */
int pawl__unlocked_open(const char *uri, sqlite3 **db, int flags);
/** Finalize what is kept and close the connection. */
void pawl__disconnect(pawl_log *log);
/** Has a process begun to write since an unlocked view was made? */
bool pawl__sqlite_stale(const pawl_log *log);
/** Before a read begins: make a stale view anew, unless a projector holds on to it. */
PAWL_MUST_CHECK pawl_status pawl__sqlite_refresh(pawl_log *log, pawl_error *err);
/** The queue of processes that write (writer_queue.c). */
void pawl__writer_queue_open(pawl_log *log);
void pawl__writer_queue_close(pawl_log *log);
/** Wait for the turn of this process. It may not have come: the queue excludes nobody. */
void pawl__turn_begin(pawl_log *log);
void pawl__turn_end(pawl_log *log);
/** sqlite3_step() of a statement that takes SQLite's write lock, in the turn of this process.
 *  SQLITE_BUSY after log->busy_ms in which no process commits. */
int pawl__turn_step(pawl_log *log, sqlite3_stmt *stmt);
/** Begin to count the time in which no process commits. */
void pawl__quiet_begin(pawl_log *log);
/** Has a process committed since the last look? Then the time counts from now on. */
bool pawl__quiet_moved(pawl_log *log);
/** SQLite's busy handler: sleeps shortly each time, log->busy_ms in all in which no process
 *  commits. */
int pawl__busy(void *log, int count);

/** Let the connection call back with this log, whoever opened it. */
void pawl__connection_adopt(pawl_log *log);
/** As the engine's keep_few(). */
void pawl__connection_keep_few(pawl_log *log, bool few);

/* ---- Whether the path still names what is open (files.c, present.c) ------------------ */

typedef enum pawl__presence {
        PAWL__FILES_SAME,
        PAWL__FILES_OVERWRITTEN, /**< the database, by something else than a checkpoint */
        PAWL__FILES_GONE,
        PAWL__FILES_SIDE_GONE, /**< the database is there without its -wal or -shm */
        PAWL__FILES_OTHER
} pawl__presence;

/** What is at the log's path. */
PAWL_MUST_CHECK pawl_status pawl__files_presence(pawl__presence *out, pawl_log *log);
/** The same of the -wal and the -shm alone. */
pawl__presence pawl__side_files_presence(const pawl_log *log);
/** What has the name PATH + @p suffix: its inode; 0: nothing, whose size is 0. Of another file
 * system: none of ours. Of what is beside the database only st_dev, st_ino and st_size. */
ino_t pawl__inode_at(const pawl_log *log, const char *suffix, struct stat *st);
/** When the database was written last: that is known from now on. */
void pawl__files_note_time(pawl_log *log);
/** The log's directory; malloc'd. */
char *pawl__directory_of(const pawl_log *log);
/** Is it a directory, or nothing? Not a symbolic link, which leads elsewhere. */
bool pawl__is_directory(const char *directory);
/** Take note of the files that a connection for writing has open, once it has read. */
void pawl__files_note(pawl_log *log);
/** Does the path name the files that are open? */
bool pawl__files_same(pawl_log *log);
/** Called when it does not; this process held the write lock since, so that no other process writes
 * to the old files any more. Put the log back, or continue with the same log at the path; then call
 * pawl__files_same() again. Sets log->displaced if another log is there. */
PAWL_MUST_CHECK pawl_status pawl__files_fix(pawl_log *log);
/** For a displaced log: save it beside the path. PAWL_EDAMAGED saying where; the handle takes no
 * more events. */
pawl_status pawl__files_save(pawl_log *log);
/** Before a command reports success: put it back if it was removed. */
PAWL_MUST_CHECK pawl_status pawl__files_keep(pawl_log *log);
/** Continue with the file that the other handles of the group have, as soon as possible. */
void pawl__files_follow(pawl_log *log);

/** Copy the log as it is, leases included, into a new file in the directory of @p path (absolute),
 *  and sync it. *made: its name, malloc'd. @p verified: PAWL_EDAMAGED unless it is whole. */
PAWL_MUST_CHECK pawl_status pawl__copy_make(
        char **made, pawl_log *log, const char *path, bool verified, pawl_error *err);
/** Is every page of it what SQLite expects there? PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__pages_check(pawl_log *log, pawl_error *err);

/* ---- Locks, and the write-ahead log (lock_holder.c, wal.c) -------------------- */

typedef enum pawl__lock { PAWL__LOCK_WRITE, PAWL__LOCK_READ } pawl__lock;

/** The processes that hold such a lock on the log, each once: how many pids were put into @p pids.
 *  Those that the kernel does not tell, of another pid namespace for instance, are left out. */
size_t pawl__lock_holders(int64_t *pids, size_t max, const pawl_log *log, pawl__lock lock);

enum { PAWL__PROCESS_NAME = 80 };
/** "process 4711 (sqlite3)"; without the command when that cannot be known. */
void pawl__process_name(char out[PAWL__PROCESS_NAME], int64_t pid);

/** Look after the size of the write-ahead log from now on, after each commit of this connection. */
void pawl__wal_watch(pawl_log *log);
/** sqlite3_wal_checkpoint_v2() that waits for so long in all, and moves nothing while another
 * connection writes. @p mode is not SQLITE_CHECKPOINT_PASSIVE. SQLite's result; *frames and *moved
 * (may be NULL) are -1 when it did not begin. */
int pawl__wal_checkpoint(pawl_log *log, int mode, int64_t wait_us, int *frames, int *moved);
/** Before a COMMIT: gather what it writes to the -wal, the returned file, until it syncs. NULL: a
 *  COMMIT that does not sync. */
sqlite3_file *pawl__gather_begin(pawl_log *log);
/** After that COMMIT, whose result is @p rc: the file has its own methods again. Returns @p rc, or
 *  what writing the rest of one that did not sync came to. */
int pawl__gather_end(pawl_log *log, sqlite3_file *file, int rc);

/* ---- The kernel's lock on a run (run_lock.c) ------------------------------------------------- */

/** Take the lock on a claim that is about to be committed, with its mark on disk; without it, the
 *  lease alone says who lives. */
void pawl__run_lock_take(pawl_log *log, pawl__lease *lease);
/** Take it again where the file is not there any more. */
void pawl__run_lock_keep(pawl_log *log, pawl__lease *lease);
void pawl__run_lock_drop(pawl__lease *lease);
pawl__life pawl__run_lock_state(pawl_log *log, pawl_text run_id, uint64_t fence);

/* ---- Copies and space (backup.c, shrink.c)
 * ------------------------------------------------------- */

PAWL_MUST_CHECK pawl_status pawl__sqlite_backup(
        pawl_backup *result, pawl_log *log, const char *path, pawl_backup_fn go_on, void *user);
/** A blob's hash, as pawl__engine.blob_hash (events/sqlite/blob_hash.c). */
pawl_status pawl__sqlite_blob_hash(
        unsigned char out[32], pawl_log *log, const unsigned char hash[32]);
PAWL_MUST_CHECK pawl_status pawl__sqlite_shrink(uint64_t *freed, pawl_log *log);
PAWL_MUST_CHECK pawl_status pawl__sqlite_space(uint64_t *files, uint64_t *free, pawl_log *log);
