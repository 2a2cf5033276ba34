/**
 * @file workspace/retention.h
 * @brief Which automatic checkpoints stay: `retention` of `.pawl/config.yaml`.
 */
#pragma once

#include <pawl/space.h>

#define PAWL__RETENTION_WARN   (UINT64_C(2) << 30)
#define PAWL__RETENTION_SHRINK (UINT64_C(256) << 20)

/** Limits; 0: there is none. */
typedef struct pawl__retention {
        uint64_t days;   /**< automatic checkpoints that are older go */
        uint64_t count;  /**< so many automatic ones stay, the newest */
        uint64_t bytes;  /**< all checkpoints together, as stored */
        uint64_t warn;   /**< without a limit, a warning from so many bytes on */
        uint64_t shrink; /**< the log's file is rewritten if so many bytes of it are free, and a
                            quarter of it */
} pawl__retention;

#define PAWL__RETENTION_INIT                                                                       \
        {                                                                                          \
                0, 0, 0, PAWL__RETENTION_WARN, PAWL__RETENTION_SHRINK                              \
        }

/** What was done, or with dry_run would be. */
typedef struct pawl__retained {
        uint64_t checkpoints, bytes; /**< that were pruned, and their bytes as stored */
        uint64_t freed;              /**< by how much the log's file is smaller */
} pawl__retained;

/** Is any limit set? */
bool pawl__retention_set(const pawl__retention *limits);

/**
 * Prune the oldest automatic checkpoints until all limits hold. Never one that is named (taken by a
 * person), pinned, current, of an unfinished run, or needed by an undo or a redo. While a rollback
 * is half done, none.
 */
PAWL_MUST_CHECK pawl_status pawl__retention_apply(pawl__retained *out, pawl_log *log,
        const pawl__retention *limits, bool dry_run, const char *actor, pawl_error *err);

/** Is a warning due? At most once a day, and only for a log that has files on this machine.
 * *stored: what checkpoints take up. */
PAWL_MUST_CHECK pawl_status pawl__retention_warns(bool *warns, uint64_t *stored, pawl_log *log,
        const pawl__retention *limits, pawl_error *err);
