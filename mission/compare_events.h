/**
 * @file mission/compare_events.h
 * @brief What a run's events say of its steps, for a comparison of two runs.
 *
 * What a rollback gave up does not count. An answer outlives one, as the step is told it all the
 * same: one to a question of the present line counts until its step has completed.
 */
#pragma once

#include "base/map.h"
#include "mission/compare_files.h"

typedef struct pawl__step_answer {
        pawl_text term, value; /**< as JSON */
} pawl__step_answer;

typedef struct pawl__step_record {
        int64_t started_us, duration_ms; /**< -1: not known */
        pawl__step_answer *answers;      /**< free() */
        size_t n_answers, cap_answers;
        bool completed;
        pawl__left_files files;
} pawl__step_record;

/** Fill @p records, one a step, by the step's place in @p at. What a fork has from another run is
 *  that run's. Texts lie in the arena. */
PAWL_MUST_CHECK pawl_status pawl__step_records(pawl__step_record *records, const pawl__map *at,
        pawl_log *log, pawl__state *state, const pawl__row *run, pawl__arena *arena,
        pawl_error *err);
