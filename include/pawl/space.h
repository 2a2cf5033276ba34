/**
 * @file pawl/space.h
 * @brief What checkpoints of the workspace take up, and pruning old ones.
 *
 * Contents are kept once each, however many checkpoints have them, compressed: pruning a checkpoint
 * frees what no other names. Errors: PAWL_OK or a failure with its message in @p err (may be
 * NULL); a call that failed has changed nothing.
 */
#ifndef PAWL_SPACE_H
#define PAWL_SPACE_H

#include <pawl/events.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What they take up ----------------------------------------------------------------------- */

/** Of the log as a whole, in bytes where nothing else is said. */
typedef struct pawl_usage_totals {
        uint64_t checkpoints;    /**< how many are kept */
        uint64_t pruned;         /**< how many are not any more */
        uint64_t contents;       /**< how many different files and directories they hold */
        uint64_t bytes;          /**< of these, not compressed */
        uint64_t stored;         /**< as the log has them */
        uint64_t unnamed;        /**< contents that no checkpoint names: a prune lets them go */
        uint64_t unnamed_stored; /**< as the log has them */
        uint64_t log;            /**< its files on disk */
        uint64_t free;           /**< of these, what later appends fill: pawl_log_shrink() */
} pawl_usage_totals;

/** One checkpoint that is kept. Texts live as long as the usage. */
typedef struct pawl_workspace_checkpoint_usage {
        uint64_t n;
        pawl_text id;
        uint64_t files, bytes; /**< captured, not compressed */
        uint64_t own;          /**< bytes as stored that no other checkpoint names */
        bool damaged;          /**< a directory of it cannot be read: own is what could be found */
} pawl_workspace_checkpoint_usage;

/** The checkpoints that are kept, oldest first. Free with pawl_usage_free(). */
typedef struct pawl_usage {
        pawl_usage_totals total;
        const pawl_workspace_checkpoint_usage *items;
        size_t n;
} pawl_usage;

PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_usage(
        pawl_usage **out, pawl_log *log, pawl_error *err);
PAWL_EXTERN void pawl_usage_free(pawl_usage *usage);

/* ---- Pruning --------------------------------------------------------------------------------- */

/** Which may go. Start from PAWL_CHECKPOINT_PRUNE_INIT; with both, what neither keeps. */
typedef struct pawl_workspace_prune_options {
        unsigned version;  /**< PAWL_CHECKPOINT_PRUNE_VERSION */
        size_t keep;       /**< the newest so many stay; SIZE_MAX: not asked for */
        int64_t older_us;  /**< what was taken at or after this time stays; INT64_MAX: not asked */
        bool dry_run;      /**< only tell */
        const char *actor; /**< NULL: "program" */
        bool include_manual; /**< those that a person took may go, too, and count among the newest
                              */
} pawl_workspace_prune_options;

#define PAWL_CHECKPOINT_PRUNE_VERSION 1
#define PAWL_CHECKPOINT_PRUNE_INIT                                                                 \
        {                                                                                          \
                PAWL_CHECKPOINT_PRUNE_VERSION, SIZE_MAX, INT64_MAX, false, NULL, false             \
        }

/** One checkpoint, and whether it goes. Texts live as long as the report. */
typedef struct pawl_pruned_checkpoint {
        uint64_t n;
        pawl_text id;
        const char *stays; /**< why: "current", "pinned", "newest" ...; NULL: it goes */
} pawl_pruned_checkpoint;

/** Every checkpoint that was kept, newest first. Free with pawl_workspace_prune_free(). */
typedef struct pawl_workspace_prune_report {
        const pawl_pruned_checkpoint *items;
        size_t n, going;          /**< how many there are, and how many go */
        uint64_t contents, bytes; /**< that go with them, and their bytes as stored */
} pawl_workspace_prune_report;

/**
 * Delete old checkpoints in one commit: the contents that no other names go for good, and a
 * Pruned event says which. It goes by those that programs took: what a person took stays, unless it
 * is asked for. So do the current one, the safety copy that an undo goes to, those that are pinned,
 * and those of runs that are blocked or at work. Nothing to delete: nothing is written.
 * @return PAWL_EINVAL where options ask for nothing; PAWL_ESTATE while a rollback is half done;
 *         PAWL_EDAMAGED where a checkpoint that stays cannot be read, as what it names is not known
 *         then: repair it, or let it go too.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_prune(pawl_workspace_prune_report **out,
        pawl_log *log, const pawl_workspace_prune_options *options, pawl_error *err);
PAWL_EXTERN void pawl_workspace_prune_free(pawl_workspace_prune_report *report);

#ifdef __cplusplus
}
#endif

#endif
