/**
 * @file state/undone.h
 * @brief What of a run's events a rollback gave up: the others are its present line.
 *
 * A rollback puts the steps of a run back to what they were at its target's place in the log. So
 * what the run did between that place and the rollback is no part of what it is; an undo, which is
 * a rollback to the place before one, brings that back, and takes out what came in between.
 */
#pragma once

#include "state/state.h"

/** The events after @p since and before @p until: of the rollback that ended at @p until. */
typedef struct pawl__undone_range {
        uint64_t since, until;
        int64_t target; /**< the n of the checkpoint that it went to */
} pawl__undone_range;

/** Latest first. */
typedef struct pawl__undone {
        pawl__undone_range *items;
        size_t n;
} pawl__undone;

/** Those of a run as it was after event @p at. */
PAWL_MUST_CHECK pawl_status pawl__undone_read(pawl__undone *out, pawl_log *log, pawl__state *state,
        pawl_text run_id, uint64_t at, pawl__arena *arena, pawl_error *err);
bool pawl__is_undone(const pawl__undone *undone, uint64_t seq);

/**
 * Which of these conflicts, rows of their table, are questions that have no answer on the present
 * line of their run. Of one whose answer there is not the last, that one's seq is put into its row.
 * An answer to a question of that line counts until its step has completed. What a term means is
 * the mission's, and stays with it.
 * @param[out] undone  one a row.
 */
PAWL_MUST_CHECK pawl_status pawl__undone_answers(bool *undone, pawl__row *conflicts, size_t n,
        pawl_log *log, pawl__state *state, pawl__arena *arena, pawl_error *err);
