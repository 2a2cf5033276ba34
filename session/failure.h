/**
 * @file session/failure.h
 * @brief Why steps failed, read from the events of their run.
 */
#pragma once

#include "state/state.h"

/** A failed step. */
typedef struct pawl__step_failure {
        pawl_text step_id; /**< set by the caller */
        pawl_text reason;  /**< absent: no event of this run says it */
        int64_t exit_code;
} pawl__step_failure;

/** Fill reason and exit code of each step in @p list: those of its newest StepFailed that no
 *  rollback took back. Texts live in the arena. */
PAWL_MUST_CHECK pawl_status pawl__step_failures_read(pawl__step_failure *list, size_t n,
        pawl_log *log, const pawl__row *run, pawl__arena *arena, pawl_error *err);

/** The failed steps of a run, in mission order, as above. */
PAWL_MUST_CHECK pawl_status pawl__run_failures(pawl__step_failure **out, size_t *n, pawl_log *log,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);
