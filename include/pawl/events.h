/**
 * @file pawl/events.h
 * @brief The append-only event log: one SQLite file, one order, one chain of hashes.
 *
 * Threads: a log and its cursors belong to one thread at a time, but pawl_log_interrupt(); threads
 * and processes that share a file open one pawl_log each. A log does not survive fork(): in the
 * child every call on it is PAWL_ESTATE, and closing it releases nothing of the parent's; open it
 * again there. Logs that one process has open for writing on the same file, by the same path, share
 * commits: what their threads append while another's append waits for the disk goes into one
 * transaction, with one sync for all of it. Each call still returns when its own events are on
 * disk, and fails only for what is wrong with them or with the disk. Claims, renewals and releases
 * come in between. While a thread waits in a call here, another may read the events that it gave,
 * but never calls its sources, unless both logs were given the same ones. Readers: a cursor reads
 * in batches and holds no transaction between them, so a slow reader never keeps the write-ahead
 * log from being recycled. Errors: PAWL_OK, PAWL_DONE (pawl_cursor_next only) or a negative
 * pawl_status; pawl_log_errmsg() then says why, and out parameters are as they were.
 */
#ifndef PAWL_EVENTS_H
#define PAWL_EVENTS_H

#include <pawl/base.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pawl_log pawl_log;       /**< Opaque. Close with pawl_log_close(). */
typedef struct pawl_cursor pawl_cursor; /**< Opaque. Close with pawl_cursor_close(). */

/** One event: its envelope and its payload. Texts that do not apply are absent (data NULL). */
typedef struct pawl_event {
        uint64_t seq;    /**< 1, 2, 3, ... without a gap; set by the log */
        int64_t time_us; /**< microseconds since 1970-01-01 UTC; for people; 0: the log sets it */
        pawl_text type;  /**< such as "StepCheckpointed" */
        int v;           /**< version of the payload's form, from 1; 0 on append: the newest */
        pawl_text mission_id, run_id, step_id, session_id, actor;
        pawl_text payload; /**< any JSON object on append; canonical when read; absent: pruned */
        unsigned char prev[32], hash[32]; /**< the chain; set by the log */
} pawl_event;

typedef enum pawl_log_flags {
        PAWL_LOG_CREATE = 1,  /**< create the log, and its directory, if there is none */
        PAWL_LOG_READONLY = 2 /**< change nothing; works in a directory that cannot be written */
} pawl_log_flags;

/** Options for opening. Start from PAWL_LOG_OPTIONS_INIT. */
typedef struct pawl_log_options {
        unsigned version;     /**< PAWL_LOG_OPTIONS_VERSION */
        unsigned flags;       /**< pawl_log_flags */
        unsigned busy_ms;     /**< how long a write waits for the log's lock, counted only while
                                 nobody commits and this process runs; default 5,000 */
        unsigned lease_ms;    /**< how long a claim holds without renewal; default 30,000 */
        pawl_sources sources; /**< clocks and ids; all NULL: the system's */
        const void *key;      /**< of the chain, copied; NULL: none (see pawl_log_open()) */
        size_t key_len;       /**< bytes, PAWL_KEY_MIN to PAWL_KEY_MAX; 0 without a key */
} pawl_log_options;

#define PAWL_KEY_MIN 32
#define PAWL_KEY_MAX 1024

#define PAWL_LOG_OPTIONS_VERSION 1
#define PAWL_LOG_OPTIONS_INIT                                                                      \
        {                                                                                          \
                PAWL_LOG_OPTIONS_VERSION, 0, 5000, 30000, {NULL, NULL, NULL, NULL}, NULL, 0        \
        }

/**
 * Open the log at @p path. Old logs are migrated, in one transaction, unless opened read-only.
 *
 * A log that is made with a key is keyed: each event gets a MAC, HMAC-SHA-256(key, hash). From then
 * on it takes events from handles with that key alone; without it, every append is PAWL_EKEY.
 * Reading needs no key. A log that was made without one takes none later. A read-only handle keeps
 * its key for pawl_log_verify(), which is the first to look at it.
 *
 * @param[out] out  the log, the caller's.
 * @param options   NULL: the defaults.
 * @param[out] err  says why, since there is no handle yet; may be NULL.
 * @return PAWL_ENOTFOUND, PAWL_EFORMAT (not SQLite, another application's), PAWL_ENEWER,
 *         PAWL_EREADONLY, PAWL_EACCESS, PAWL_EBUSY, PAWL_EDAMAGED, PAWL_EIO, PAWL_ENOMEM,
 *         PAWL_EINVAL for options that are none, PAWL_EKEY for a key that is not the log's.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_open(
        pawl_log **out, const char *path, const pawl_log_options *options, pawl_error *err);

/** Close; NULL is allowed. Claims that it still has are released. */
PAWL_EXTERN void pawl_log_close(pawl_log *log);

/**
 * Interrupt the calls on a log, from any thread: while @p on, every call that reads or writes by
 * this handle fails with PAWL_EINTERRUPTED, at its next statement or within a thousand steps of
 * one, also while it waits for a lock. A call that fails so wrote nothing; an append that has begun
 * to write is done whole. A rollback of the workspace that is cut between two files is left to be
 * finished, as by a crash. It stays on until it is turned off; then all works as before.
 *
 * The log must not be closed meanwhile. Closing it is not interrupted, and releases its claims.
 */
PAWL_EXTERN void pawl_log_interrupt(pawl_log *log, bool on);

/** Why the last call on this log failed. Valid until the next call on it. */
PAWL_EXTERN const char *pawl_log_errmsg(const pawl_log *log);

/**
 * Something that its users should know though nothing failed, as one line "WHERE: WHAT; REMEDY";
 * NULL: there is nothing. Each is told once. Today there is one: the write-ahead log has grown past
 * 64 MiB, since another program keeps a transaction open that reads an old state. It comes again
 * after an hour if that lasts. Valid until the next call of this function on the log.
 */
PAWL_EXTERN const char *pawl_log_warning(pawl_log *log);

/** The version of SQLite in use, such as "3.40.1". Static. */
PAWL_EXTERN const char *pawl_sqlite_version(void);

/**
 * Append @p n events as one transaction; on PAWL_OK all of them are on disk, in order. They must
 * follow the rules of docs/reference/event-log.md, "What may follow what".
 *
 * @param[out] seq_out  seq of the last one; may be NULL.
 * @param fence         the fence of the claim on the events' run, or 0 for events that need none
 *                      (no run, or an answer to a conflict).
 * @return PAWL_EFENCED if a newer claim exists, PAWL_EFULL on a full disk, PAWL_EBUSY after
 *         options.busy_ms, PAWL_EINVAL for an event that is not of its type's form, PAWL_EEXISTS
 *         for a second start or answer, PAWL_ESTATE for an event that breaks a rule, which the
 *         message names, PAWL_EDAMAGED for a run that has an event which broke one, PAWL_EKEY for
 *         a keyed log that was opened without its key: in each case nothing was written.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_append(
        uint64_t *seq_out, pawl_log *log, const pawl_event *events, size_t n, uint64_t fence);

/** The owner of a run. Texts are valid until the next call on the log. */
typedef struct pawl_owner {
        uint64_t fence;
        int64_t pid;
        pawl_text host;
} pawl_owner;

/**
 * Claim a run for this process: a lease and a fence greater than any before, with a RunClaimed
 * event, in one transaction. A holder on this machine that is dead loses its lease at once, and one
 * that lives never: each has a lock on the file PATH-lock that the kernel gives up with the
 * process. Of another machine nothing is known: its lease is over when this log has seen it
 * unchanged, from claim to claim, for as long as it was given. A child that is forked while a run
 * is held, and does not exec, keeps its parent's lock.
 *
 * @param[out] fence  what every append for the run then carries.
 * @param[out] owner  the present holder, on PAWL_EHELD; may be NULL.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_claim(uint64_t *fence, pawl_log *log,
        const char *mission_id, const char *run_id, const char *actor, pawl_owner *owner);

/** Hold on for another lease_ms. PAWL_EFENCED: somebody else has the run now. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_renew(
        pawl_log *log, const char *run_id, uint64_t fence);

/**
 * Hold on to every run that this log has claimed: what a callback that waits for a person calls
 * from time to time, well within lease_ms. Not while an append of this log is under way.
 * @return PAWL_EFENCED: somebody else has one of them now; or the first other failure. All of them
 * were tried.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_renew_all(pawl_log *log);

/** Release the run. PAWL_EFENCED if this claim was not the newest any more. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_release(
        pawl_log *log, const char *run_id, uint64_t fence);

/** The last event's seq and hash: what to keep elsewhere as an anchor. seq 0 for an empty log. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_head(
        uint64_t *seq, unsigned char hash[32], pawl_log *log);

/** Read events in seq order, those after @p since, up to the last one there is now. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cursor_open(
        pawl_cursor **out, pawl_log *log, uint64_t since);

/** The next event; its texts are valid until the next call on the cursor. PAWL_DONE at the end. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cursor_next(pawl_cursor *cursor, pawl_event *event);

/** Which events. Start from PAWL_EVENT_FILTER_INIT, which means all of them. */
typedef struct pawl_event_filter {
        unsigned version;                    /**< PAWL_EVENT_FILTER_VERSION */
        uint64_t since;                      /**< those after this seq */
        const char *type, *run_id, *step_id; /**< of these alone; NULL: of any */
} pawl_event_filter;

#define PAWL_EVENT_FILTER_VERSION 1
#define PAWL_EVENT_FILTER_INIT                                                                     \
        {                                                                                          \
                PAWL_EVENT_FILTER_VERSION, 0, NULL, NULL, NULL                                     \
        }

/** Read the events that the filter lets pass, in seq order, up to the last one there is now. It
 *  costs what the events after filter.since cost, of a run what those between its first event and
 * its last do: none is found by an index. The filter is copied. PAWL_EINVAL for a type that is not
 * known, or another version. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cursor_find(
        pawl_cursor **out, pawl_log *log, const pawl_event_filter *filter);

/**
 * Wait for an event that pawl_cursor_next() has not returned yet, and that the filter lets pass.
 * The log is looked at ten times a second; no transaction is open in between.
 * @param timeout_ms  0: look once.
 * @return PAWL_OK: pawl_cursor_next() returns one; PAWL_DONE: none came in time;
 *         PAWL_EINTERRUPTED by pawl_log_interrupt().
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cursor_wait(pawl_cursor *cursor, unsigned timeout_ms);

PAWL_EXTERN void pawl_cursor_close(pawl_cursor *cursor);

/** Where verification failed. */
typedef struct pawl_verify_result {
        uint64_t events;  /**< events that verify */
        uint64_t bad_seq; /**< the first that does not; 0: all do */
        bool keyed;       /**< the log has a key; without it, the MACs were not checked */
        pawl_error why;
} pawl_verify_result;

/**
 * Recompute the chain from the first event on. @p anchor_seq and @p anchor_hash are a head recorded
 * earlier (0 and NULL: none), which must still be in the log. With a key, each event's MAC must be
 * there and fit, and none beyond the last event; a log without a key is then damaged at its first.
 * @return PAWL_OK, PAWL_EDAMAGED with @p result filled, PAWL_EKEY when the handle's key is not the
 *         one that the log was made with, or another failure.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_verify(pawl_verify_result *result, pawl_log *log,
        uint64_t anchor_seq, const unsigned char *anchor_hash);

/** What a copy holds. */
typedef struct pawl_backup {
        uint64_t events;
        uint64_t head_seq;           /**< its last event, which was the log's when it was begun: */
        unsigned char head_hash[32]; /**< an anchor */
        uint64_t bytes;              /**< size of the file */
} pawl_backup;

/** Asked now and then while a log is copied: @p done of @p pages pages are. False ends it. */
typedef bool (*pawl_backup_fn)(uint64_t done, uint64_t pages, void *user);

/**
 * Copy the log as it is now into one new file, which is a whole log: while others write, and
 * from a read-only handle too. No process has a run of the copy: its leases are released. It is
 * made beside @p path under another name, verified, and then named, on disk; nothing is replaced.
 * An older schema stays as it is, and a keyed log needs no key here.
 *
 * @param[out] result  what the copy holds; may be NULL.
 * @param go_on        may be NULL.
 * @return PAWL_EEXISTS (something has the name, or its -wal, -shm or -journal), PAWL_ENOTFOUND (the
 *         directory), PAWL_EACCESS, PAWL_EREADONLY, PAWL_EFULL, PAWL_EINTERRUPTED by go_on,
 *         PAWL_EDAMAGED when the log does not verify, PAWL_EBUSY when a writer came to a log that
 *         nobody had open, PAWL_EIO: in each case no file is left.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_backup(
        pawl_backup *result, pawl_log *log, const char *path, pawl_backup_fn go_on, void *user);

/**
 * Return the space of what was removed to the file system; without this call, later appends use it.
 * Long on a large log, as it is written anew; writers wait meanwhile, readers do not, and it is
 * done whole or not at all. It needs room for what is kept twice, in the directory for temporary
 * files and beside the log.
 * @param[out] freed  bytes by which the log's files are smaller now; 0 where there was nothing to
 *         give, or a reader holds on to the state before: then they are when that reader is gone
 * and more was appended. May be NULL.
 * @return as an append; PAWL_ESTATE while a cursor of this log stands, PAWL_EFULL without that
 * room.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_log_shrink(uint64_t *freed, pawl_log *log);

#ifdef __cplusplus
}
#endif

#endif
