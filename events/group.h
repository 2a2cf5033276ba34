/**
 * @file events/group.h
 * @brief Group commit: the handles of one process on one file write one at a time and share
 * commits.
 *
 * A group is all the writing handles that this process has on one file, by one name and one VFS.
 * One of them at a time is the leader: only it asks SQLite for the write lock. Writers that arrive
 * meanwhile wait in a queue, first in, first out. A leader that appends adds the batches of the
 * queue to its own transaction (events/append.c), so that one commit, with one sync, is for all of
 * them. Then the first waiter that is left becomes the leader. There is no delay to collect
 * batches: a writer that finds no leader becomes the leader at once, and adds the batches that were
 * queued by the time its own is in the transaction.
 *
 * Threads: a function is called by the thread that its handle belongs to. While a leader commits
 * the batch of a waiter, the waiter's thread sleeps; the leader reads the batch and writes the
 * result.
 */
#pragma once

#include "events/log.h"
#include <pthread.h>

typedef struct pawl__group pawl__group;

typedef enum pawl__waiter_state {
        PAWL__WAITER_QUEUED,
        PAWL__WAITER_LEADER,   /**< its thread is the one that may write */
        PAWL__WAITER_COMMITTED /**< status and seq say what came of its batch */
} pawl__waiter_state;

/** One write of a handle, on its thread's stack. The caller sets the members above the line; the
 *  others start as zero. */
typedef struct pawl__waiter {
        pawl_log *log;
        pawl__batch *batch; /**< NULL: needs a transaction of its own */
        uint64_t fence;
        /* ---- */
        int64_t wall_us; /**< its handle's clock, when it began to wait */
        struct pawl__waiter *next;
        bool refused; /**< failed in a leader's transaction: retried as a leader, to fail alone */
        pawl_status status;
        uint64_t seq;
        /* Between its thread and the leader that wakes it; initialised only if it has to wait. */
        pawl__waiter_state state;
        bool queued;
        pthread_mutex_t mutex;
        pthread_cond_t woken;
} pawl__waiter;

/** Join the group of the log's file. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__group_join(pawl_log *log, pawl_error *err);
/** Leave it; the last one frees it. Without a group: nothing. */
void pawl__group_leave(pawl_log *log);

/** The handle has another file now, and so has its group. */
void pawl__group_moved(const pawl_log *log);
/** Does the group have the same file as the handle? */
bool pawl__group_is_at(const pawl_log *log);

/** How many waiters are in the queue. */
size_t pawl__group_waiting(const pawl_log *log);

/** Wait until the waiter is the leader or its batch is committed (waiter->state says which). The
 *  time waited counts as waiting for the lock. PAWL_EBUSY "cannot DOING" after busy_ms in which no
 *  leader had its transaction: nothing was written. */
PAWL_MUST_CHECK pawl_status pawl__waiter_take(pawl__waiter *waiter, const char *doing);
/** Remove the first waiter from the queue and return it, unless it needs a transaction of its own,
 *  was refused once, or has more than *room bytes; then NULL. Only for the leader. */
pawl__waiter *pawl__waiter_next(const pawl__waiter *leader, size_t *space_left);
/** Put waiters back to the front of the queue, in their order. */
void pawl__waiter_put_back(const pawl__waiter *leader, pawl__waiter *first);
/** The leader is done, with @p status: the first waiter becomes the leader, and those in
 *  @p committed return their status, seq and log's error to their callers. */
void pawl__waiter_end(pawl__waiter *leader, pawl__waiter *committed, pawl_status status);
