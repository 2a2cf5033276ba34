/**
 * @file mission/graph.h
 * @brief Which steps of a mission wait for which: `needs`, `when` and `parallel`.
 */
#pragma once

#include "base/json_write.h"
#include "mission/command.h"
#include "mission/loader.h"
#include "state/state.h"

#define PAWL__PARALLEL_MOST PAWL__COMMANDS_MOST /* steps at once */

PAWL_MUST_CHECK pawl_status pawl__needs_read(const pawl__place *place, pawl__node node);
PAWL_MUST_CHECK pawl_status pawl__when_read(const pawl__place *place, pawl__node node);
PAWL_MUST_CHECK pawl_status pawl__parallel_read(const pawl__place *place, pawl__node node);

/**
 * Fill needs of every step, and the mission's order, once all steps are read.
 * @param ids  the index of each step by its id.
 * @return PAWL_EPARSE "PATH: line N: steps[I].needs...: ..." for a step that is not there, one that
 *         is named twice, the step itself, and a cycle.
 */
PAWL_MUST_CHECK pawl_status pawl__graph_make(
        pawl_mission *mission, const pawl__map *ids, pawl_error *err);

/** The member `needs` of a step: the ids of what it needs. */
void pawl__graph_write(pawl__json_writer *w, const pawl_mission *mission, size_t step);

/** Mark what a step needs, itself or by way of others: a mark each, false before, and as much room.
 */
void pawl__graph_needed(bool *needed, uint32_t *stack, const pawl__needs *of, size_t step);

/** One side of a comparison of two graphs. */
typedef struct pawl__graph_side {
        const pawl__needs *needs; /**< one a step */
        size_t n;
} pawl__graph_side;

/** Of a graph a step was moved when, of those that both have, others come before it.
 *  @param moved  a mark for each of @p is, false before.
 *  @param was_at  for each of @p is its number in @p was; PAWL__MAP_NONE: it is not there. */
PAWL_MUST_CHECK pawl_status pawl__graph_moved(bool *moved, const pawl__graph_side *is,
        const pawl__graph_side *was, const uint32_t *was_at, pawl__arena *arena, pawl_error *err);

/** Does the step need this one, itself or by way of others? PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__graph_needs(
        bool *out, const pawl_mission *mission, size_t step, size_t other, pawl_error *err);

/**
 * What each of a run's steps needs, by its place among them, as the mission that the log keeps has
 * it; all of it lives in @p arena.
 * @param[out] when   the output, or member of one, that says whether a step runs: "STEP#/POINTER";
 *                    absent: none does.
 * @param[out] graph  some step says what it needs; else each needs the one before.
 */
PAWL_MUST_CHECK pawl_status pawl__run_needs(pawl__needs **out, pawl_text **when, bool *graph,
        pawl_log *log, const pawl__row *run, const pawl__row *steps, size_t n, pawl__arena *arena,
        pawl_error *err);
