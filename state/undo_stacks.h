/**
 * @file state/undo_stacks.h
 * @brief What `undo` and `redo` reverse next, derived from the rollbacks in the order of the log.
 *
 * A rollback or a restore is put on the undo stack and empties the redo stack. An undo moves the
 * newest one of the undo stack to the redo stack; a redo, which is the undo of an undo, moves it
 * back. Checkpoints and edits change neither. Abandoned rollbacks count for nothing. One that
 * writes what the one before could not write is a part of that one.
 */
#pragma once

#include "state/state.h"

typedef enum pawl__reversal {
        PAWL__NO_REVERSAL,
        PAWL__IS_UNDO,
        PAWL__IS_REDO,
        PAWL__IS_FINISH /**< it writes what the one before it could not write */
} pawl__reversal;

typedef struct pawl__undo_entry {
        pawl__row row;         /**< of PAWL__ROLLBACKS */
        pawl__reversal is;     /**< what it is itself */
        pawl__reversal may_be; /**< reversed by an undo, by a redo, or not any more */
} pawl__undo_entry;

typedef struct pawl__undo_stacks {
        pawl__undo_entry *items; /**< every rollback, oldest first */
        size_t n, cap, n_redo;   /**< n_redo: those that a redo may reverse */
        pawl__arena *arena;
} pawl__undo_stacks;

PAWL_MUST_CHECK pawl_status pawl__undo_stacks_read(
        pawl__undo_stacks *out, pawl__state *state, pawl__arena *arena, pawl_error *err);
/** The one that an undo (or a redo) reverses. NULL: nothing is left. */
const pawl__undo_entry *pawl__undo_stacks_top(
        const pawl__undo_stacks *stacks, pawl__reversal by, const char *worktree);
/** "rollback", "undo" or "redo". Static. */
const char *pawl__reversal_word(pawl__reversal is);
/** What the rollback of that row is itself, finished or not. */
PAWL_MUST_CHECK pawl_status pawl__reversal_of(pawl__reversal *is, const pawl__row *row,
        pawl__state *state, pawl__arena *arena, pawl_error *err);
/** The one that started at @p seq. NULL: there is no such rollback. */
const pawl__undo_entry *pawl__undo_stacks_at(const pawl__undo_stacks *stacks, uint64_t seq);
