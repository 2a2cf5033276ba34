/**
 * @file events/handle.h
 * @brief The inside of a log, for events/ and its tests alone.
 */
#ifndef PAWL_EVENTS_HANDLE_H
#define PAWL_EVENTS_HANDLE_H

#include "base/error.h"
#include "base/ids.h"
#include "base/json_tree.h"
#include "base/mac.h"
#include "base/system.h"
#include "events/db.h"
#include "events/identity.h"
#include "events/migrate.h"
#include "events/types.h"
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>

struct pawl__group; /* events/group.h */

/* ---- Statements that are prepared once a log, when first used -------------------------------- */

typedef enum pawl__stmt {
        PAWL__STMT_BEGIN,
        PAWL__STMT_COMMIT,
        PAWL__STMT_ROLLBACK,
        PAWL__STMT_HEAD,
        PAWL__STMT_FIRST,
        PAWL__STMT_RANGE, /**< ?1 exclusive, ?2 inclusive; the columns that events/row.c reads */
        PAWL__STMT_INSERT,
        PAWL__STMT_BLOB_PUT,
        PAWL__STMT_BLOB_GET,
        PAWL__STMT_CONTENT_PUT,
        PAWL__STMT_CONTENT_GET,
        PAWL__STMT_CONTENT_HAS,
        PAWL__STMT_CONTENT_DROP,
        PAWL__STMT_PRUNED,
        PAWL__STMT_PRUNED_PUT,
        PAWL__STMT_PAYLOAD_DROP,
        PAWL__STMT_LEASE_GET,
        PAWL__STMT_LEASE_PUT,
        PAWL__STMT_LEASE_RENEW,
        PAWL__STMT_LEASE_RELEASE,
        PAWL__STMT_FENCE_STATE,
        PAWL__STMT_FENCE_EVENTS,
        PAWL__STMT_MAC_PUT,
        PAWL__STMT_MAC_GET,
        PAWL__STMT_MAC_RANGE, /**< ?1 exclusive, ?2 inclusive; seq, mac */
        PAWL__STMT_MAC_END,   /**< the last seq of events, of macs */
        PAWL__STMTS
} pawl__stmt;

/** The statement, reset and ready to be bound; its texts may have been bound before: bind all. */
PAWL_MUST_CHECK pawl_status pawl__log_stmt(
        sqlite3_stmt **out, pawl_log *log, pawl__stmt which, pawl_error *err);
/** Run a statement that gives no rows, its parameters bound as by pawl__db_bind(). The message is
 * the log's error. */
PAWL_MUST_CHECK pawl_status pawl__log_run(
        pawl_log *log, pawl__stmt which, const char *doing, const char *types, ...);
/** The first row of a statement, its parameters bound as by pawl__db_bind(): *row stands on it and
 * is reset by the caller; NULL: there is none. */
PAWL_MUST_CHECK pawl_status pawl__log_row(sqlite3_stmt **row, pawl_log *log, pawl__stmt which,
        const char *doing, pawl_error *err, const char *types, ...);
/** Step a statement that gives no rows, and reset it. SQLITE_OK when it is done. */
int pawl__db_run(sqlite3_stmt *stmt);
/** The first column of the first row of @p sql, an integer; 0 when there is no row. */
PAWL_MUST_CHECK pawl_status pawl__db_integer(
        int64_t *out, pawl_log *log, const char *sql, pawl_error *err);
/** Run statements that are not kept. */
PAWL_MUST_CHECK pawl_status pawl__db_exec(
        pawl_log *log, const char *sql, const char *doing, pawl_error *err);

/* ---- The log -------------------------------------------------------------------------------- */

/** A claim that this handle made and has not released. */
typedef struct pawl__lease {
        char run_id[PAWL__ID_MAX];
        size_t run_len;
        uint64_t fence;
        int64_t due_ms;  /* by the boot clock: when pawl__log_keep_claims() renews it */
        int lock_fd;     /* the kernel's lock on it (events/run_lock.c); -1: it could not be had */
        int64_t lock_at; /* its place in the file */
} pawl__lease;

/** The last lease seen of a process about which nothing else can be known (of another machine), and
 *  since when, by our own clock, it has not changed. */
typedef struct pawl__watched {
        pawl__lease lease; /* run_len 0: none */
        int64_t until_ms, since_ms;
} pawl__watched;

/** When the write-ahead log is moved into the database (events/wal.c). */
typedef struct pawl__wal_limits {
        int checkpoint_frames; /**< from so many on, at each commit, as far as nobody is in the way
                                */
        int restart_frames;    /**< from so many on, and at each such growth, waiting for readers */
        unsigned wait_ms; /**< for all of them together; up to 16 times that, where it is in vain */
        int64_t warn_bytes; /**< from this size on, somebody who stays is worth a warning */
} pawl__wal_limits;

extern const pawl__wal_limits pawl__wal_limits_default;

typedef struct pawl__wal {
        pawl__wal_limits limits;
        int retry_frames; /* where the next checkpoint that waits is due, after one in vain */
        unsigned wait_ms; /* of that one */
        int64_t left_us;  /* to wait, of the try that is under way */
        bool warned;
        int64_t warned_ms;
        pawl_error warning, said; /* what waits to be said, and what was handed out last */
} pawl__wal;

/** When a database was last written, and how far SQLite's checkpoints had come then: only they
 * write it. */
typedef struct pawl__stamp {
        int64_t mtime_ns, size;
        uint32_t salts[2], moved,
                moving; /* frames of the -wal that are in the database, or are to be */
} pawl__stamp;

struct pawl_log {
        sqlite3 *db;
        char *path;            /* absolute, malloc'd */
        char *side, *side_end; /* room for the path and "-wal", "-shm" or "-journal" after it */
        const char *vfs;
        const pawl__schema *schema;
        dev_t device; /* with inode: the file */
        ino_t inode;
        pawl__stamp stamp;          /* of the database, when it was last looked at */
        ino_t wal_inode, shm_inode; /* of the files beside it that are open; 0: there was none */
        bool displaced; /* another log stands at the path: what is committed now is saved, and fails
                         */
        pawl_error lost; /* why nothing more is written: the events are saved elsewhere; else
                            PAWL_OK */
        struct pawl__group *group; /* of this process's handles on the file; read-only: none */
        unsigned flags, busy_ms, lease_ms;
        pawl_sources sources;
        pawl__identity self;
        pawl_error err;
        pawl__hasher *hasher;
        pawl__mac *key; /* NULL: none was given */
        sqlite3_stmt *stmts[PAWL__STMTS];
        pawl__projector projector;
        bool projecting;
        atomic_bool interrupted; /* set by any thread (interrupt.c) */
        int64_t waited_us;       /* in the group's queue, which counts as waiting for the lock */
        int64_t busy_until_us;   /* by CLOCK_MONOTONIC: when the busy handler gives up */
        pawl__wal wal;

        /* A read-only view that takes no locks, since nobody could be writing when it was made
         * (events/connect.c); wal_size is what the write-ahead log held then, -1: none. */
        bool unlocked;
        int64_t wal_size;

        bool keyed, keyed_known; /* the log has a key; handles that write know it from the start */

        /* The transaction that is open, and the chain's end in it. */
        int version;         /* of the file's schema, as it was when that was last looked at */
        int writer_queue_fd; /* the log's directory, locked in writer_queue.c; -1: none */
        bool relaxed;        /* commits do not wait for the disk: a lease was changed (lease.c) */
        bool writing;
        bool whole;     /* a statement is at work that is not interrupted (interrupt.c) */
        bool preparing; /* a batch's prepare hook runs: contents may be put and dropped */
        uint64_t head_seq;
        unsigned char head_hash[32];
        uint64_t sound_seq; /* the last event that this handle appended or verified; 0: none */
        unsigned char sound_hash[32];
        int64_t now_us;
        pawl__buf payload, envelope; /* kept from event to event */
        pawl__json_tree tree;

        pawl__lease *held;
        size_t n_held, cap_held;
        pawl__watched watched;
        pawl__buf owner_host;
};

/** What tests set: NULL or zero members give the real thing. */
typedef struct pawl__log_setup {
        const char *vfs;                /**< SQLite's name of a VFS; must outlive the log */
        const pawl__identity *identity; /**< copied */
        const pawl__schema *schema;
        const pawl__wal_limits *wal; /**< copied */
} pawl__log_setup;

/** pawl_log_open(), with the parts that tests exchange. @p setup may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__log_open_as(pawl_log **out, const char *path,
        const pawl_log_options *options, const pawl__log_setup *setup, pawl_error *err);

/* ---- Opening, step by step (events/log_path.c, events/create.c, events/connect.c) ---------------
 */

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

/** Connect to log->path as log->flags say. Nothing is read yet. */
PAWL_MUST_CHECK pawl_status pawl__connect(pawl_log *log, pawl_error *err);
/** sqlite3_open_v2() without locks of any kind (events/unlocked.c); the URI names no VFS. */
int pawl__unlocked_open(const char *uri, sqlite3 **db, int flags);
/** Finalize what is kept and close the connection. */
void pawl__disconnect(pawl_log *log);
/** Has a process begun to write since an unlocked view was made? */
bool pawl__view_stale(const pawl_log *log);
/** Before a read begins: make a stale view anew, unless a projector holds on to it. */
PAWL_MUST_CHECK pawl_status pawl__view_refresh(pawl_log *log, pawl_error *err);
/** The queue of processes that write (events/writer_queue.c). The caller goes on even if its lock
 * was not taken. */
void pawl__writer_queue_open(pawl_log *log);
void pawl__writer_queue_close(pawl_log *log);
bool pawl__writer_queue_take(pawl_log *log);
void pawl__writer_queue_release(pawl_log *log, bool taken);
/** SQLite's busy handler: sleeps shortly each time, log->busy_ms in all. */
int pawl__busy(void *log, int count);

/** Let the connection call back with this log, whoever opened it. */
void pawl__connection_adopt(pawl_log *log);

/* ---- Whether the path still names what is open (events/files.c, present.c) ------------------ */

typedef enum pawl__presence {
        PAWL__FILES_SAME,
        PAWL__FILES_OVERWRITTEN, /**< the database, by something else than a checkpoint */
        PAWL__FILES_GONE,
        PAWL__FILES_SIDE_GONE, /**< the database stands there without its -wal or -shm */
        PAWL__FILES_OTHER
} pawl__presence;

/** What stands at the log's path. */
PAWL_MUST_CHECK pawl_status pawl__files_look(pawl__presence *out, pawl_log *log);
/** The same of the -wal and the -shm alone. */
pawl__presence pawl__files_beside(const pawl_log *log);
/** What has the name PATH + @p suffix: its inode; 0: nothing, whose size is 0. Of another file
 * system: none of ours. */
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
/** Continue with the file that the other handles of the group have, as soon as possible. */
void pawl__files_follow(pawl_log *log);

/** Copy the log as it is, leases included, into a new file in the directory of @p path (absolute),
 *  and sync it. *made: its name, malloc'd. @p verified: PAWL_EDAMAGED unless it is whole. */
PAWL_MUST_CHECK pawl_status pawl__copy_make(
        char **made, pawl_log *log, const char *path, bool verified, pawl_error *err);
/** Is every page of it what SQLite expects there? PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__pages_check(pawl_log *log, pawl_error *err);

/* ---- Interrupting a call (events/interrupt.c) ------------------------------------------------ */

/** Let SQLite ask while a statement of this connection is at work. */
void pawl__interrupt_watch(pawl_log *log);
/** Is a wait for a lock to end? */
bool pawl__interrupt_waits(const pawl_log *log);
/** PAWL_EINTERRUPTED with its message. */
pawl_status pawl__interrupt_fail(const pawl_log *log, pawl_error *err);

/* ---- Locks, and the write-ahead log (events/lock_holder.c, events/wal.c) -------------------- */

typedef enum pawl__lock { PAWL__LOCK_WRITE, PAWL__LOCK_READ } pawl__lock;

/** The processes that hold such a lock on the log, each once: how many pids were put into @p pids.
 *  Those that the kernel does not tell, of another pid namespace for instance, are left out. */
size_t pawl__lock_holders(int64_t *pids, size_t max, const pawl_log *log, pawl__lock lock);

enum { PAWL__PROCESS_NAME = 80 };
/** "process 4711 (sqlite3)"; without the command when that cannot be known. */
void pawl__process_name(char out[PAWL__PROCESS_NAME], int64_t pid);

/** Look after the size of the write-ahead log from now on, after each commit of this connection. */
void pawl__wal_watch(pawl_log *log);
/** sqlite3_wal_checkpoint_v2() that waits for so long in all. SQLite's result; *frames and *moved
 * (may be NULL) are -1 when it did not begin. */
int pawl__wal_checkpoint(pawl_log *log, int mode, int64_t wait_us, int *frames, int *moved);

/* ---- Rows (events/row.c)
 * -------------------------------------------------------------------------- */

/** The present row of PAWL__STMT_RANGE as an event; texts are valid until the statement moves.
 *  PAWL_EDAMAGED "seq N: WHAT" for a value of the wrong type or form. */
PAWL_MUST_CHECK pawl_status pawl__row_event(
        pawl_event *out, pawl_log *log, sqlite3_stmt *range, uint64_t expected, pawl_error *err);
/** Report damage at @p seq; PAWL_EBUSY instead when the view is stale, as that looks the same. */
pawl_status pawl__damaged(pawl_log *log, pawl_error *err, uint64_t seq, const char *what);
/** Does RFC 3339 have a form for it: years 1 to 9999? */
bool pawl__time_writable(int64_t time_us);
/** Before anything is built on the chain's end, as it was just read: verify the last event (its
 * hash, its prev, with the key its MAC), unless this handle appended or verified it. PAWL_EDAMAGED.
 */
PAWL_MUST_CHECK pawl_status pawl__head_check(
        uint64_t seq, const unsigned char hash[32], pawl_log *log, pawl_error *err);
/** The last event's seq and hash; 0 and zeros when there is none. */
PAWL_MUST_CHECK pawl_status pawl__head_read(
        uint64_t *seq, unsigned char hash[32], pawl_log *log, pawl_error *err);

/* ---- The chain (events/chain.c)
 * -------------------------------------------------------------------- */

/** Append the canonical JSON of the envelope without payload, prev and hash. */
PAWL_MUST_CHECK pawl_status pawl__chain_envelope(pawl__buf *out, const pawl_event *event);

/* ---- The key of the chain (events/key.c) ----------------------------------------------------- */

typedef enum pawl__key_fit {
        PAWL__KEY_NONE,    /**< the log has no key */
        PAWL__KEY_UNKNOWN, /**< it has one, and the handle has none */
        PAWL__KEY_FITS,
        PAWL__KEY_OTHER
} pawl__key_fit;

/** Copy the options' key. PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__key_take(
        pawl_log *log, const void *key, size_t len, pawl_error *err);
/** While the log is made, in that transaction: make it keyed if the handle has a key. */
PAWL_MUST_CHECK pawl_status pawl__key_set(pawl_log *log, pawl_error *err);
/** Hold the handle's key against the log's. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__key_fit_of(pawl__key_fit *out, pawl_log *log, pawl_error *err);
/** For a handle that writes: PAWL_EKEY unless the key it has, if any, is the log's; sets
 * log->keyed.
 */
PAWL_MUST_CHECK pawl_status pawl__key_open(pawl_log *log, pawl_error *err);
/** PAWL_EKEY "...: opened without its key". */
pawl_status pawl__key_missing(const pawl_log *log, pawl_error *err);
/** Put in the event's MAC, in the transaction that is open. */
PAWL_MUST_CHECK pawl_status pawl__key_seal(pawl_log *log, const pawl_event *event);

/* ---- The write transaction (events/append.c)
 * ------------------------------------------------------- */

/** PAWL_EREADONLY; PAWL_EKEY without the key; PAWL_ESTATE when a transaction of this handle is
 * open. */
PAWL_MUST_CHECK pawl_status pawl__tx_may_begin(pawl_log *log);
/** From here on commits wait for the disk, also if a lease was changed without that before. */
PAWL_MUST_CHECK pawl_status pawl__commits_durable(pawl_log *log, const char *doing);
/** BEGIN IMMEDIATE, read the last event's hash, let the projector catch up. Rolls back on failure.
 */
PAWL_MUST_CHECK pawl_status pawl__tx_begin(pawl_log *log);
/** Check, chain and insert one event; apply it. The caller rolls back on failure. */
PAWL_MUST_CHECK pawl_status pawl__tx_event(pawl_log *log, const pawl_event *event);
/** A batch's blobs and events, the run's fence checked. The caller rolls back on failure. */
PAWL_MUST_CHECK pawl_status pawl__tx_batch(pawl_log *log, const pawl__batch *batch, uint64_t fence);
/** pawl__tx_batch() of a batch that may have a prepare hook, which is called first. The caller
 *  removes what the hook added (pawl__batch_cut()) if the transaction fails, here or later. */
PAWL_MUST_CHECK pawl_status pawl__tx_prepared(pawl_log *log, pawl__batch *batch, uint64_t fence);
/** Roll back a transaction with a prepare hook: also remove from the disk what it spilled into
 * the -wal. */
pawl_status pawl__tx_rollback_prepared(pawl_log *log, pawl_status status);
/** Flush the projector and COMMIT. On failure it is rolled back. */
PAWL_MUST_CHECK pawl_status pawl__tx_commit(pawl_log *log);
/** Undo; the log's error stays. Returns @p status. */
pawl_status pawl__tx_rollback(pawl_log *log, pawl_status status);

/** Milliseconds by the clock that leases use. */
static inline int64_t pawl__boot_ms(const pawl_log *log)
{
        return log->sources.boot_ms(log->sources.user);
}
/** Is @p fence that of the newest claim on @p run_id? PAWL_EFENCED. @p released_passes: a claim
 * that was released since, and not followed by another, is enough. */
PAWL_MUST_CHECK pawl_status pawl__fence_check(
        pawl_log *log, pawl_text run_id, uint64_t fence, bool released_passes);
/** Release a run in the open transaction; after the commit the caller removes the handle's lease
 * (pawl__lease_forget()). PAWL_EFENCED. */
PAWL_MUST_CHECK pawl_status pawl__tx_release(pawl_log *log, pawl_text run_id, uint64_t fence);
bool pawl__lease_is(const pawl__lease *held, pawl_text run_id, uint64_t fence);
/** fence 0: whatever claim on that run. */
void pawl__lease_forget(pawl_log *log, pawl_text run_id, uint64_t fence);
/** Release every lease that this handle still has, as far as that can be done. */
void pawl__lease_release(pawl_log *log);

/* ---- The kernel's lock on a run (events/run_lock.c) -------------------------------------------
 */

typedef enum pawl__life {
        PAWL__LIFE_UNKNOWN, /**< the kernel cannot say */
        PAWL__LIFE_LIVES, /**< somebody has the lock: the holder, or what is left of its command */
        PAWL__LIFE_OVER   /**< the holder had it, and nobody has it now */
} pawl__life;

/** Take the lock on a claim that is about to be committed, with its mark on disk; without it, the
 *  lease alone says who lives. */
void pawl__run_lock_take(pawl_log *log, pawl__lease *held);
/** Take it again where the file is not there any more. */
void pawl__run_lock_keep(pawl_log *log, pawl__lease *held);
void pawl__run_lock_drop(pawl__lease *held);
pawl__life pawl__run_lock_look(pawl_log *log, pawl_text run_id, uint64_t fence);

/** Remove an event's payload and keep its hash. PAWL_EDAMAGED when it is not what was hashed. */
PAWL_MUST_CHECK pawl_status pawl__tx_prune(pawl_log *log, uint64_t seq);

/** How much a batch holds, and the batch cut back to that. */
typedef struct pawl__batch_mark {
        size_t n, n_blobs, n_prunes;
        pawl_text releases;
} pawl__batch_mark;

pawl__batch_mark pawl__batch_marked(const pawl__batch *batch);
void pawl__batch_cut(pawl__batch *batch, const pawl__batch_mark *to);

struct pawl__batch_blob {
        unsigned char hash[32];
        pawl_text content;
};
PAWL_MUST_CHECK pawl_status pawl__tx_blob(
        pawl_log *log, const unsigned char hash[32], pawl_text content);

#endif
