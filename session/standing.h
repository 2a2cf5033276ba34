/**
 * @file session/standing.h
 * @brief Why steps failed, read from the events of their run.
 */
#pragma once

#include "state/state.h"

/** The step that began last and is not completed; else the first of those that the run's status is
 *  due to, or that are at work, blocked or failed. Absent: none. Its text lives in row or arena. */
PAWL_MUST_CHECK pawl_status pawl__run_current(pawl_text *out, pawl__state *state,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);

/** A failed step. */
typedef struct pawl__step_failure {
        pawl_text step_id;
        pawl_text reason; /**< absent: no event of this run says it */
        int64_t exit_code;
} pawl__step_failure;

/** The failed steps of a run, in mission order: reason and exit code are those of its newest
 *  StepFailed that no rollback took back. Texts live in the arena. */
PAWL_MUST_CHECK pawl_status pawl__run_failures(pawl__step_failure **out, size_t *n, pawl_log *log,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);
