/**
 * @file state/threads.h
 * @brief Threads (pawl/threads.h) as rows: a run that never was claimed, and a step a checkpoint.
 *
 * A step's id is the checkpoint's, behind "(NAMESPACE) " where that is not the root, so that the
 * checkpoints of a namespace lie together; retry_token is the checkpoint's id, checkpoint_seq its
 * event, or 0 while only writes are there, and cursor the seqs of its other events: "12 15". A step
 * whose order_seq is not its run's started_seq is of a thread that was deleted.
 */
#pragma once

#include "state/state.h"

/** The reason of a run whose thread was deleted. */
#define PAWL__THREAD_DELETED "deleted"

/** Is it the run of a thread? */
bool pawl__run_is_thread(const pawl__row *run);
/** Of a step's id: what is before the checkpoint's, "" or "(NAMESPACE) ". */
pawl_text pawl__thread_prefix(pawl_text step_id);

/** Which checkpoints of threads. */
typedef struct pawl__thread_range {
        pawl_text run_id;      /**< absent: of any thread */
        pawl_text from, until; /**< step ids; until is not among them */
        bool by_id;            /**< sorted by checkpoint, and not by step, ids; or of any thread: */
        pawl_text id, run, step; /**< those behind these, in that order */
        size_t limit;            /**< 0: all */
} pawl__thread_range;

/** Their steps, those with the greatest ids first. */
PAWL_MUST_CHECK pawl_status pawl__state_thread_steps(pawl__row **rows, size_t *n,
        pawl__state *state, const pawl__thread_range *range, pawl__arena *arena, pawl_error *err);
/** The runs of threads that were not deleted, the one that was put to last first. */
PAWL_MUST_CHECK pawl_status pawl__state_threads(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err);
/** Every step of a thread that was not deleted, those without a checkpoint too; @p run_id absent:
 *  of all threads. */
PAWL_MUST_CHECK pawl_status pawl__state_thread_parts(pawl__row **rows, size_t *n,
        pawl__state *state, pawl_text run_id, pawl__arena *arena, pawl_error *err);
