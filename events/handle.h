/**
 * @file events/handle.h
 * @brief The inside of a log, for events/ and its tests alone.
 */
#pragma once

#include "base/error.h"
#include "base/ids.h"
#include "base/json_tree.h"
#include "base/mac.h"
#include "base/mask.h"
#include "base/sources.h"
#include "base/system.h"
#include "events/engine.h"
#include "events/identity.h"
#include "events/types.h"
#include <stdatomic.h>
#include <sys/types.h>

struct pawl__group; /* events/group.h */

/* ---- The log -------------------------------------------------------------------------------- */

/** A claim that this handle made and has not released. */
typedef struct pawl__lease {
        char run_id[PAWL__ID_MAX];
        size_t run_len;
        uint64_t fence;
        int64_t due_ms; /* by the boot clock: when pawl__log_keep_claims() renews it */
        int lock_fd; /* the kernel's lock on it (events/sqlite/run_lock.c); -1: it could not be had
                      */
        int64_t lock_at; /* its place in the file */
} pawl__lease;

/** Another process's lease, and since when, by our own clock, it has not changed. */
typedef struct pawl__watched {
        pawl__lease lease;
        int64_t until_ms, since_ms;
        int64_t alive_until_ms; /* pawl__log_holder_seen(): by our own clock; 0: it is not known */
        int64_t pid, pid_start; /* of this machine; pid 0: of another */
} pawl__watched;

struct pawl_log {
        const pawl__engine *engine;
        pid_t process;                       /* that opened it: no other may use it */
        struct pawl__file *file;             /* the engine's own part: events/sqlite/sqlite.h, */
        struct pawl__server *server;         /* or events/postgres/ */
        const struct pawl__log_setup *setup; /* while it is opened */
        char *name;  /* what the caller named: of a log on a server, with its password */
        char *path;  /* what people are shown, malloc'd: of a file, its absolute name */
        char *place; /* of a log on a server: pawl__log_place(); else NULL */
        const char *vfs;
        dev_t device; /* with inode, path and vfs: what handles of one group have in common */
        ino_t inode;
        pawl_error lost; /* why nothing more is written: the events are saved elsewhere; else
                            PAWL_OK */
        pawl_error warning, said;  /* what waits to be said, and what was handed out last */
        struct pawl__group *group; /* of this process's handles on the log; read-only: none */
        unsigned flags, busy_ms, lease_ms;
        pawl_sources sources;
        pawl__mask own_mask;
        const pawl__mask *mask; /* of payloads; NULL: none */
        pawl__identity self;
        pawl_error err;
        pawl__hasher *hasher;
        pawl__mac *key; /* NULL: none was given */
        pawl__query *queries[PAWL__STMTS];
        pawl__projector projector;
        bool projecting;
        atomic_bool interrupted; /* set by any thread (interrupt.c) */
        int signal_fd;           /* what is read there is a signal; -1: none */
        bool hurried;            /* one came */
        bool impatient;    /* a server that is away is given up soon, and asked again by others */
        bool made;         /* this handle made the log, on a server */
        int64_t waited_us; /* in the group's queue, which counts as waiting for the lock */

        bool keyed, keyed_known; /* the log has a key; handles that write know it from the start */

        /* The transaction that is open, and the chain's end in it. */
        int version; /* of the log's schema, as it was when that was last looked at */
        int event_v; /* of the events that name none; 0: the newest */
        bool writing;
        const pawl__batch *expected; /* what the transaction begins for; NULL: not known */
        bool preparing; /* a batch's prepare hook runs: contents may be put and dropped */
        uint64_t head_seq;
        unsigned char head_hash[32];
        uint64_t sound_seq; /* the last event that this handle appended or verified; 0: none */
        unsigned char sound_hash[32];
        struct pawl__verified {
                unsigned char (*hashes)[32]; /* of the first n events, which this handle verified */
                uint64_t n;
                size_t cap;
                /* of what is read of them: does it still have these hashes? NULL: not looked at */
                pawl_status (*check)(pawl_log *log, const pawl_event *event, pawl_error *err);
        } verified;
        unsigned char kept[256][32]; /* by its first byte: a blob that is there; or none (blob.c) */
        unsigned char kept_head[32]; /* the last event's hash, for which that holds */
        int64_t now_us;
        pawl__buf payload, envelope; /* kept from event to event */
        pawl__json_tree tree;

        pawl__lease *leases;
        size_t n_leases, cap_leases;
        pawl__watched *watched;
        size_t n_watched, cap_watched;
        pawl__buf owner_host;
};

/** What tests set: NULL or zero members give the real thing. */
typedef struct pawl__log_setup {
        const char *vfs;                    /**< SQLite's name of a VFS; must outlive the log */
        const pawl__identity *identity;     /**< copied */
        const struct pawl__schema *schema;  /**< events/sqlite/migrate.h */
        const struct pawl__wal_limits *wal; /**< copied; events/sqlite/sqlite.h */
        int event_v; /**< v of the events that name none, as an older program wrote; 0: the newest
                      */
} pawl__log_setup;

/** Open a log on that engine, with the parts that tests exchange. @p setup may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__log_open_on(const pawl__engine *engine, pawl_log **out,
        const char *path, const pawl_log_options *options, const pawl__log_setup *setup,
        pawl_error *err);
/** The same on the engine that the name says. */
PAWL_MUST_CHECK pawl_status pawl__log_open_as(pawl_log **out, const char *path,
        const pawl_log_options *options, const pawl__log_setup *setup, pawl_error *err);

/** Before a read begins: see what is there now. */
PAWL_MUST_CHECK pawl_status pawl__view_refresh(pawl_log *log, pawl_error *err);
/** Is what is read no more than a view that a writer has overtaken? What looks like damage is none
 *  then. */
bool pawl__view_stale(const pawl_log *log);
/** Finalize the numbered queries. */
void pawl__queries_finalize(pawl_log *log);

/* ---- Waiting for a lock ---------------------------------------------------------------------- */

/** What is left of the time that a lock is waited for. A waiter looks again and again, and one look
 *  counts for LOOK_MOST_US at most: a process that was stopped, or got no processor, has not waited
 *  meanwhile, and others may have released the lock. */
typedef struct pawl__patience {
        int64_t left_us, seen_us; /**< when it last looked, by pawl__monotonic_us() */
} pawl__patience;

enum { PAWL__LOOK_MOST_US = 100 * 1000 };

static inline pawl__patience pawl__patience_of(int64_t us)
{
        return (pawl__patience){us, pawl__monotonic_us()};
}

/** Count the time since the last look, as it is now. Is none left? */
static inline bool pawl__patience_over(pawl__patience *patience)
{
        const int64_t now = pawl__monotonic_us(), passed = now - patience->seen_us;

        patience->left_us -= passed < PAWL__LOOK_MOST_US ? passed : PAWL__LOOK_MOST_US;
        patience->seen_us = now;
        return patience->left_us <= 0;
}

/* ---- Interrupting a call (events/interrupt.c) ------------------------------------------------ */

/** Is a wait for a lock to end? */
bool pawl__interrupt_waits(const pawl_log *log);
/** Has a signal come (pawl__log_watch_signals())? Then a server that says nothing is given up soon.
 */
bool pawl__log_hurries(pawl_log *log);
/** PAWL_EINTERRUPTED with its message. */
pawl_status pawl__interrupt_fail(const pawl_log *log, pawl_error *err);

/* ---- Rows (events/row.c)
 * -------------------------------------------------------------------------- */

/** The present row of PAWL__STMT_RANGE as an event; texts are valid until the statement moves.
 *  PAWL_EDAMAGED "seq N: WHAT" for a value of the wrong type or form. */
PAWL_MUST_CHECK pawl_status pawl__row_event(
        pawl_event *out, pawl_log *log, pawl__query *range, uint64_t expected, pawl_error *err);
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
/** The same with payload_hash: the event's leaf of the tree (events/merkle.h). */
PAWL_MUST_CHECK pawl_status pawl__chain_leaf(
        pawl__buf *out, const pawl_event *event, const unsigned char payload_hash[32]);

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

/* ---- The write transaction ------------------------------------------------------------------- */

/** PAWL_EREADONLY; PAWL_EKEY without the key; PAWL_ESTATE when a transaction of this handle is
 * open. */
PAWL_MUST_CHECK pawl_status pawl__tx_may_begin(pawl_log *log);
/** Begin to write, verify the last event, let the projector catch up. Rolls back on failure.
 *  @p again: as the engine's begin(). */
PAWL_MUST_CHECK pawl_status pawl__tx_begin(pawl_log *log, bool again);
/** Of a batch that assumes another event than the last: did what it depends on stay as it was?
 *  PAWL_EBUSY with batch->overtaken set. */
PAWL_MUST_CHECK pawl_status pawl__tx_overtaken(pawl_log *log, pawl__batch *batch);
/** Within an engine's begin(): prefetch the log's end, what others appended, and the rows that the
 *  expected events read. */
PAWL_MUST_CHECK pawl_status pawl__tx_prefetch(pawl_log *log, pawl_error *err);
/** May what failed and was undone be tried again? */
static inline bool pawl__tx_again(pawl_log *log, pawl_status status)
{
        return status && log->engine->again && log->engine->again(log);
}
/** Check, chain and insert one event; apply it. The caller rolls back on failure. @p before: the
 * one that was appended before it in the same batch, or one without ids. */
PAWL_MUST_CHECK pawl_status pawl__tx_event(
        pawl_log *log, const pawl_event *event, const pawl_event *before);
/** A batch's blobs and events, the run's fence checked. The caller rolls back on failure. */
PAWL_MUST_CHECK pawl_status pawl__tx_batch(pawl_log *log, pawl__batch *batch, uint64_t fence);
/** pawl__tx_batch() of a batch that may have a prepare hook, which is called first. The caller
 *  removes what the hook added (pawl__batch_cut()) if the transaction fails, here or later. */
PAWL_MUST_CHECK pawl_status pawl__tx_prepared(pawl_log *log, pawl__batch *batch, uint64_t fence);
/** Flush the projector and COMMIT. On failure it is rolled back. */
PAWL_MUST_CHECK pawl_status pawl__tx_commit(pawl_log *log);
/** Undo; the log's error stays. Returns @p status. @p large: see the engine's rollback(). */
pawl_status pawl__tx_rollback(pawl_log *log, pawl_status status, bool large);

/** Is @p fence that of the newest claim on @p run_id? PAWL_EFENCED. @p released_passes: a claim
 * that was released since, and not followed by another, is enough. */
PAWL_MUST_CHECK pawl_status pawl__fence_check(
        pawl_log *log, pawl_text run_id, uint64_t fence, bool released_passes);
/** Release a run in the open transaction; after the commit the caller removes the handle's lease
 * (pawl__lease_forget()). PAWL_EFENCED. */
PAWL_MUST_CHECK pawl_status pawl__tx_release(pawl_log *log, pawl_text run_id, uint64_t fence);
bool pawl__lease_is(const pawl__lease *lease, pawl_text run_id, uint64_t fence);
/** fence 0: whatever claim on that run. */
void pawl__lease_forget(pawl_log *log, pawl_text run_id, uint64_t fence);
/** Release every lease that this handle still has, as far as that can be done. */
void pawl__lease_release(pawl_log *log);

/** Drop the kernel's lock of a claim that is over; without one: nothing. */
static inline void pawl__lease_unlock(pawl_log *log, pawl__lease *lease)
{
        if (lease->lock_fd >= 0)
                log->engine->lock_drop(lease);
}

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
/** A transaction has begun where the log ends as log->head_hash says: which blobs are there, if it
 * is not where this handle left it, is not known. */
void pawl__blobs_begin(pawl_log *log);
/** It was committed: what it put is there. */
void pawl__blobs_commit(pawl_log *log);
/** It was undone. */
void pawl__blobs_forget(pawl_log *log);
