/**
 * @file state/projection.h
 * @brief A state from the inside: its tables, its place in the log, and the fold of what it missed.
 */
#pragma once

#include "state/apply.h"
#include "state/sql.h"
#include "state/state.h"
#include "state/verified.h"

/** A query that is kept once it was asked for. */
typedef struct pawl__cached_query {
        const char *rest; /**< by whose address it is found again */
        pawl__query *query;
} pawl__cached_query;

struct pawl__state {
        pawl_log *log;
        pawl__store *tables;
        pawl__applier applier;
        uint64_t applied; /**< the last event folded, while a transaction lasts */
        uint64_t stored;  /**< what the projection table says, while a transaction lasts */
        uint64_t cached;  /**< the event whose state the tables' cache has; 0: none */
        pawl__query *count_runs;
        pawl__cached_query *queries;
        size_t n_queries, cap_queries;
        pawl__verified_fold *verified;            /**< NULL: nobody asked for it yet */
        char worktree[PAWL__WORKTREE_ID_MAX + 1]; /**< pawl__state_set_worktree() */
        char *worktree_root;
        pawl__worktree_find_fn find_worktree;
        char *named; /**< pawl__state_set_named() */
};

/** Where rows are read from: the tables, or the fold of verified events, brought up to the log's
 *  end, while pawl__state_verify() is on. */
PAWL_MUST_CHECK pawl_status pawl__state_source(
        pawl__store **out, pawl__state *state, pawl_error *err);
/** Is it the fold? */
bool pawl__state_is_verified(const pawl__state *state);
/** The rows of a table, from the fold, that @p match says yes to, in the table's order. */
typedef bool (*pawl__row_match)(const pawl__row *row, const void *user);
PAWL_MUST_CHECK pawl_status pawl__verified_rows(pawl__row **rows, size_t *n, pawl__state *state,
        pawl__table table, pawl__row_match match, const void *user, pawl__arena *arena,
        pawl_error *err);
void pawl__verified_free(pawl__verified_fold *fold);

/** How far the tables have come and where the log ends, as one read. */
PAWL_MUST_CHECK pawl_status pawl__projection_place(
        uint64_t *applied, uint64_t *head, pawl_log *log, pawl_error *err);

/** One event that is in the log already. What contradicts the events before it (a second
 * answer, a second start: written past the state tables) changes nothing, as it would have been
 * refused. */
PAWL_MUST_CHECK pawl_status pawl__fold_event(
        pawl__applier *applier, const pawl_event *event, pawl_error *err);

/** The columns of a checkpoint's row that its table does not have, from its event. They live in the
 *  arena. A row from memory has them. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_complete(
        pawl__row *row, pawl_log *log, pawl__arena *arena, pawl_error *err);

/** The state of more events is folded into a file: 0.5 kB an event, in memory. */
enum { PAWL__EVENTS_IN_MEMORY = 100000 };

/** pawl__replay() and pawl__replay_check(), with the state of so many events in memory: that of
 * more is in a temporary file. */
PAWL_MUST_CHECK pawl_status pawl__replay_within(uint64_t events, pawl__store **out,
        uint64_t *head_seq, unsigned char head_hash[32], pawl_log *log,
        const pawl__replay_filter *filter, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__replay_check_within(
        uint64_t events, pawl_log *log, pawl_error *err);

/** What an event of the log that is not of its form means for the log: PAWL_EDAMAGED. */
static inline pawl_status pawl__as_damage(pawl_status status)
{
        return status == PAWL_EINVAL || status == PAWL_EPARSE || status == PAWL_ETOOBIG
                       ? PAWL_EDAMAGED
                       : status;
}

/** "SELECT the table's columns REST", reset; prepared when it is first asked for, and kept: to
 *  prepare one takes longer than most take to run. @p rest is a literal, "FROM ..." and what
 *  follows, its tables in braces. */
PAWL_MUST_CHECK pawl_status pawl__query_cached(pawl__query **out, pawl__state *state,
        pawl__table table, const char *rest, pawl_error *err);
/** Its rows: ?1 and ?2 are texts (absent: not in REST), ?3 is a limit (0: not in REST). None of a
 * table that the log does not have yet. */
PAWL_MUST_CHECK pawl_status pawl__query_rows(pawl__row **rows, size_t *n, pawl__state *state,
        pawl__table table, const char *rest, const pawl_text texts[2], int64_t limit,
        pawl__arena *arena, pawl_error *err);
/** The first of them. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__query_row(pawl__row *row, pawl__state *state, pawl__table table,
        const char *rest, const pawl_text texts[2], pawl__arena *arena, pawl_error *err);

/** Of a list that is read page by page, newest first: ?1 is what it is before, ?2 how many, and ?3
 *  on are texts. */
PAWL_MUST_CHECK pawl_status pawl__query_page(pawl__row **rows, size_t *n, pawl__state *state,
        pawl__table table, const char *rest, const pawl__page *page, const pawl_text *texts,
        size_t n_texts, pawl__arena *arena, pawl_error *err);

/* Blocks its step: nobody has answered it, and it is among those that the gate named last. It does
 * not block if the inputs changed since, or if the step has passed the gate or was discarded by a
 * rollback. (A log of before may name none, but has a token for each checkpoint.) */
#define PAWL__CONFLICT_BLOCKS                                                                      \
        "status = 'open' AND NOT EXISTS (SELECT 1 FROM {steps}"                                    \
        " WHERE steps.run_id = conflicts.run_id AND steps.step_id = conflicts.step_id"             \
        " AND (steps.status = 'completed' OR steps.retry_token <> conflicts.retry_token"           \
        " OR (steps.gate LIKE '!%' AND steps.gate || ' ' NOT LIKE '% ' || conflict_id || ' %')"    \
        " OR (coalesce(steps.gate, '-') LIKE '-%' AND steps.status <> 'blocked')"                  \
        " OR (steps.retry_token IS NULL AND steps.checkpoint_seq > conflicts.seq)))"               \
        " AND NOT EXISTS (SELECT 1 FROM {runs} WHERE runs.run_id = conflicts.run_id"               \
        " AND runs.status = 'cancelled')"

/** Statements that queries prepared. */
void pawl__queries_release(pawl__state *state);
