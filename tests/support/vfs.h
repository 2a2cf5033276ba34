/**
 * @file tests/support/vfs.h
 * @brief A disk that fails: an SQLite VFS over the system's that lets the n-th operation go wrong.
 *
 * Counted are the operations that change files: writes, truncations, syncs, making and deleting a
 * file, and growing the -shm. Threads may use it; what goes wrong is set for all of them.
 */
#pragma once

#include <stdbool.h>

#define FAULT_VFS "fault"

typedef enum fault_kind {
        FAULT_NONE,
        FAULT_EIO,      /**< the operation fails with an I/O error, nothing of it done */
        FAULT_FULL,     /**< a write, or what makes a file longer, finds the disk full */
        FAULT_SHORT,    /**< half of a write is done before the disk is full */
        FAULT_KILL,     /**< SIGKILL, half of a write done */
        FAULT_POWER_CUT /**< every write since its file was last synced is undone, then SIGKILL */
} fault_kind;

/** Register the VFS (once a process) and forget what was set. */
void fault_reset(void);
/** From now on the n-th operation fails, n from 1; with @p stays, every later one too. */
void fault_at(fault_kind kind, int n, bool stays);
/** Operations since fault_reset() or fault_at(). */
int fault_count(void);
/** Syncs that went well since then. */
int fault_syncs(void);
/** Call @p fn within every sync, by the thread that syncs; NULL: nothing. fault_reset() forgets it.
 */
void fault_on_sync(void (*fn)(void *user), void *user);
