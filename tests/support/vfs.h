/**
 * @file tests/support/vfs.h
 * @brief A disk that fails: an SQLite VFS over the system's that lets the n-th operation go wrong.
 *
 * Counted are the operations that change files: writes, truncations, syncs, making and deleting a
 * file, and growing the -shm. Threads may use it; what goes wrong is set for all of them.
 *
 * It aborts where a checkpoint of a write-ahead log writes without SQLite's locks against writers
 * and other checkpoints, or the one on the whole file.
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

typedef enum fault_checkpoint {
        FAULT_CHECKPOINT_BEGINS,  /**< it has no lock yet */
        FAULT_CHECKPOINT_HAS_READ /**< it has its locks, and knows where the -wal ends */
} fault_checkpoint;

/** Call @p fn at these moments, by the thread at the checkpoint. The second one comes only if
 *  others wrote since this connection read last. fault_reset() forgets it. */
void fault_on_checkpoint(void (*fn)(fault_checkpoint at, void *user), void *user);
