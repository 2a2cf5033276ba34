/**
 * @file events/lease.h
 * @brief The lease of a run as the log has it, for who claims one.
 */
#pragma once

#include "events/handle.h"

/** The row of a lease: who holds the run, or held it last. */
typedef struct pawl__lease_row {
        uint64_t fence;
        bool held;
        pawl__identity owner;
        int64_t until_ms, lease_ms;
        bool timed;      /* the engine's clock says ... */
        int64_t left_ms; /* ... in how long it is over */
} pawl__lease_row;

/** *found false: nobody ever claimed the run, as far as the leases know. */
PAWL_MUST_CHECK pawl_status pawl__lease_read(
        pawl__lease_row *out, bool *found, pawl_log *log, pawl_text run_id);
/** Does whoever holds it live, as far as can be known? */
bool pawl__lease_is_alive(pawl_log *log, pawl_text run_id, const pawl__lease_row *l);
/** Is it this handle's own claim? */
bool pawl__lease_is_ours(const pawl_log *log, pawl_text run_id, uint64_t fence);
/** Who holds it; @p owner may be NULL. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__lease_tell_owner(
        pawl_owner *owner, pawl_log *log, const pawl__lease_row *l);
/** A holder that just died may leave its step's command to its watcher, which has the lock until
 *  nothing of the command is left, mostly some milliseconds: wait for that. */
void pawl__lease_await_watcher(pawl_log *log, pawl_text run_id);
/** A claim of this handle, to be renewed when @p due_ms is there, by the boot clock. */
void pawl__lease_set(pawl__lease *out, pawl_text run_id, uint64_t fence, int64_t due_ms);
