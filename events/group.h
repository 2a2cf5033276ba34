/**
 * @file events/group.h
 * @brief The handles of one process on one file take turns at writing, and share commits.
 *
 * A group is all the writing handles that this process has on one file, by one name and one VFS.
 * One of them at a time leads: it alone asks SQLite for the write lock. Those that come meanwhile
 * wait in a queue, in order. An append that leads takes in the appends that wait (events/append.c),
 * and one commit, one sync, serves them all; then the first that still waits leads. Nothing is
 * waited for: who finds nobody leading leads at once, and takes in whoever came by the time that
 * its own batch is in the transaction.
 *
 * Threads: everything here may be called by the thread that the handle belongs to. While a turn is
 * taken in by another's, its thread sleeps, and the leader reads its batch and writes its outcome.
 */
#ifndef PAWL_EVENTS_GROUP_H
#define PAWL_EVENTS_GROUP_H

#include "events/log.h"
#include <pthread.h>

typedef struct pawl__group pawl__group;

typedef enum pawl__waiter_state {
        PAWL__WAITER_QUEUED,
        PAWL__WAITER_LEADER,   /**< its thread is the one that may write */
        PAWL__WAITER_COMMITTED /**< status and seq say what came of its batch */
} pawl__waiter_state;

/** One write of a handle, on its thread's stack. The members above the line are the caller's to
 *  set, the others zero. */
typedef struct pawl__waiter {
        pawl_log *log;
        const pawl__batch *batch; /**< NULL: a transaction of its own, nothing to be taken in */
        uint64_t fence;
        /* ---- */
        int64_t wall_us; /**< its handle's clock, when it began to wait */
        struct pawl__waiter *next;
        bool refused; /**< failed within another's transaction: leads its own, to fail alone */
        pawl_status status;
        uint64_t seq;
        /* Between its thread and the leader that wakes it; made only by one that has to wait. */
        pawl__waiter_state state;
        bool queued;
        pthread_mutex_t mutex;
        pthread_cond_t woken;
} pawl__waiter;

/** Join the group of the log's file. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__group_join(pawl_log *log, pawl_error *err);
/** Leave it; the last one frees it. Without a group: nothing. */
void pawl__group_leave(pawl_log *log);

/** The handle went on with another file, and its group with it. */
void pawl__group_moved(const pawl_log *log);
/** Is the group at the handle's file? */
bool pawl__group_is_at(const pawl_log *log);

/** How many turns wait in the queue now. */
size_t pawl__group_waiting(const pawl_log *log);

/** Wait until the turn leads or was served (turn->state says which). What was waited counts as
 *  waiting for the lock. PAWL_EBUSY "cannot DOING" after busy_ms: nothing was written. */
PAWL_MUST_CHECK pawl_status pawl__waiter_take(pawl__waiter *waiter, const char *doing);
/** Take in the next that waits, unless it wants a transaction of its own, was refused once, or is
 *  more than @p room bytes; NULL: none. Only for a turn that leads. */
pawl__waiter *pawl__waiter_next(const pawl__waiter *leader, size_t *room);
/** Turns that were taken in go back to the front of the queue, in their order. */
void pawl__waiter_put_back(const pawl__waiter *leader, pawl__waiter *first);
/** The leader is done: the first that waits leads, and those in @p served return to their callers
 *  with what their status, seq and log's error say. */
void pawl__waiter_end(pawl__waiter *leader, pawl__waiter *committed);

#endif
