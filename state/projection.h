/**
 * @file state/projection.h
 * @brief A state from the inside: its tables, its place in the log, and the fold of what it missed.
 */
#ifndef PAWL_STATE_PROJECTION_H
#define PAWL_STATE_PROJECTION_H

#include "state/apply.h"
#include "state/sql.h"
#include "state/state.h"

/** Statements of queries, by what narrows a listing of conflicts (state/query.c). */
enum { PAWL__BY_RUN = 1, PAWL__BY_STEP = 2, PAWL__BY_OPEN = 4, PAWL__CONFLICT_LISTS = 8 };

struct pawl__state {
        pawl_log *log;
        pawl__store *tables;
        pawl__applier applier;
        uint64_t applied; /**< the last event folded, while a transaction lasts */
        uint64_t stored;  /**< what the projection table says, while a transaction lasts */
        sqlite3_stmt *place, *set_place;
        sqlite3_stmt *steps, *resumable, *by_prefix, *conflicts[PAWL__CONFLICT_LISTS];
};

/** How far the tables have come and where the log ends, as one read. */
PAWL_MUST_CHECK pawl_status pawl__projection_place(
        uint64_t *applied, uint64_t *head, sqlite3_stmt **stmt, pawl_log *log, pawl_error *err);

/** One event that stands in the log already. What contradicts what stood before it (a second
 * answer, a second start: written past the state tables) changes nothing, as it would have been
 * refused. */
PAWL_MUST_CHECK pawl_status pawl__fold_event(
        pawl__applier *applier, const pawl_event *event, pawl_error *err);

void pawl__applier_free(pawl__applier *applier);

/** Rows of "SELECT its columns FROM table REST", asked once: ?1 and ?2 are texts (absent: not in
 *  REST), ?3 is a limit (0: not in REST). None of a table that the log does not have yet. */
PAWL_MUST_CHECK pawl_status pawl__query_rows(pawl__row **rows, size_t *n, pawl__state *state,
        pawl__table table, const char *rest, const pawl_text texts[2], int64_t limit,
        pawl__arena *arena, pawl_error *err);
/** The first of them. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__query_row(pawl__row *row, pawl__state *state, pawl__table table,
        const char *rest, const pawl_text texts[2], pawl__arena *arena, pawl_error *err);

/** Statements that queries prepared. */
void pawl__query_finalize(pawl__state *state);

#endif
