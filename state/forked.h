/**
 * @file state/forked.h
 * @brief A run that began as another one was before a step of it.
 *
 * Its RunStarted says which, and where: forked_from {run_id, step_id, seq}. What people answered
 * after that event and before the fork does not count for it. Where its files lie in a root of its
 * own, its row says so: "ROOT/./PATH" is the path of its mission's file.
 */
#pragma once

#include "state/state.h"

typedef struct pawl__forked {
        pawl_text run_id, step_id; /**< absent: it is no fork */
        uint64_t seq;              /**< up to this event it is as that one was */
} pawl__forked;

/** What the event that a run started with says of it. */
PAWL_MUST_CHECK pawl_status pawl__forked_read(pawl__forked *out, pawl_log *log,
        uint64_t started_seq, pawl__arena *arena, pawl_error *err);

/** The same from that event's payload, which may be absent. */
PAWL_MUST_CHECK pawl_status pawl__forked_of(
        pawl__forked *out, pawl_text payload, pawl__arena *arena, pawl_error *err);

/** The seq of the run's first RunStarted or RunSubmitted as the log has it, whatever the tables
 * say; 0: it has none. */
PAWL_MUST_CHECK pawl_status pawl__run_began(
        uint64_t *seq, pawl_log *log, pawl_text run_id, pawl_error *err);

/** The checkpoint whose files the run began with, in a root of its own; 0: it says none. */
PAWL_MUST_CHECK pawl_status pawl__began_with(
        uint64_t *out, pawl_log *log, uint64_t started_seq, pawl__arena *arena, pawl_error *err);

/** Places of the log at which what was answered does not count for a run: after since and before
 *  until, each. */
typedef struct pawl__hidden {
        struct pawl__hidden_range {
                uint64_t since, until;
        } * items;
        size_t n;
} pawl__hidden;

/** Those of a run, its own and those of what it was forked from. */
PAWL_MUST_CHECK pawl_status pawl__hidden_read(pawl__hidden *out, pawl_log *log, pawl__state *state,
        uint64_t started_seq, pawl__arena *arena, pawl_error *err);
/** @p hidden NULL: nothing is. */
bool pawl__is_hidden(const pawl__hidden *hidden, uint64_t seq);

/** The root that is the run's alone; absent: it has none. */
pawl_text pawl__run_root(const pawl__row *run);
