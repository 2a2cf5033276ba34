/**
 * @file mission/runs.h
 * @brief Runs as they are now, for readers: newest first, in pages, or one.
 */
#pragma once

#include "session/standing.h"
#include "state/forked.h"

/** A run as it is. */
typedef struct pawl__run_view {
        pawl__row row;         /**< of PAWL__RUNS */
        pawl_text status;      /**< as it is now: somebody alive holds it: running; the log says
                                    running and nobody does: interrupted; else as the log says */
        int64_t started_us;    /**< of the event that it started with; 0: that event says none */
        size_t conflicts_open; /**< that hold a step of it back */
        pawl_text retry_token; /**< of its current step, or absent */
        pawl__retry retry;     /**< of its current step; one run alone: pawl__run_get() */
        pawl__forked forked;   /**< what it was forked from, if it was */
        pawl__worktree_place place; /**< where its files are */
        bool held;
        bool died;        /**< not held, and its last owner did not release it: that one died */
        pawl_owner owner; /**< where held */
} pawl__run_view;

/** Its row, its status and who holds it, and nothing else; that costs no more than a look. */
PAWL_MUST_CHECK pawl_status pawl__run_stand(pawl__run_view *out, pawl_log *log,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);

typedef pawl_status (*pawl__run_fn)(const pawl__run_view *run, void *user, pawl_error *err);

/**
 * Runs, those that started last first, each given to @p fn, whose texts end with that call. A run
 * whose process died is found here as in pawl_session_list(): a log that can be
 * written gets its SessionEnded; from another it is only shown so.
 * @param[out] next  the @p before of the next page; 0: there is none.
 * @param status     queued, running, blocked, interrupted, completed or failed; unfinished: all of
 * these but completed; absent: any.
 * @param before     those that started before this event; 0: from the newest on.
 * @param limit      so many at most, from 1.
 */
PAWL_MUST_CHECK pawl_status pawl__runs_list(uint64_t *next, pawl_log *log, pawl_text status,
        uint64_t before, uint64_t limit, pawl__run_fn fn, void *user, pawl_error *err);

/** How many are unfinished of those that started before this event. */
PAWL_MUST_CHECK pawl_status pawl__runs_unfinished(
        uint64_t *n, pawl_log *log, uint64_t before, pawl_error *err);

/** The attempts at one of its steps that is at work, or unfinished; at none: none. */
PAWL_MUST_CHECK pawl_status pawl__step_retry(pawl__retry *out, pawl_log *log,
        const pawl__run_view *run, pawl_text step, pawl_error *err);

/** The program's own layer that blocked a step last, and its reason, each absent if there is none:
 *  what its last GenerationBlockedBySemanticConflict says. */
PAWL_MUST_CHECK pawl_status pawl__step_blocked_by(pawl_text *layer, pawl_text *reason,
        pawl_log *log, pawl_text run_id, pawl_text step_id, pawl__arena *arena, pawl_error *err);

/** One run, by its id or 4 characters or more that it alone begins with; texts and rows live in the
 *  arena. PAWL_ENOTFOUND.
 *  @param steps  NULL: they are not read. */
PAWL_MUST_CHECK pawl_status pawl__run_get(pawl__run_view *out, pawl__run_steps *steps,
        pawl_log *log, pawl_text run_id, pawl__arena *arena, pawl_error *err);
