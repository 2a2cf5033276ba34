/**
 * @file mission/steering.h
 * @brief What resuming a run, cancelling it or skipping a step would mean, before anybody does it.
 */
#pragma once

#include "mission/runs.h"
#include <pawl/mission.h>

typedef enum pawl__steering_action {
        PAWL__STEER_RESUME,
        PAWL__STEER_CANCEL,
        PAWL__STEER_SKIP
} pawl__steering_action;

typedef struct pawl__steering_step {
        pawl_text step_id, status; /**< as it is, for people */
        pawl_text word;            /**< as programs know it */
        const char *then; /**< "stays"; "ends": its command gets TERM; "never": it is not run
                               any more; "skipped"; "runs"; "again": though it completed;
                               "asks": it waits for answers; "waits": for one that waits;
                               "left": the mission has it no more */
        const char *why;  /**< NULL: there is nothing to add */
} pawl__steering_step;

typedef struct pawl__steering {
        pawl__run_view run;
        pawl__steering_step *steps; /**< in the run's order, then those that are new */
        size_t n_steps;
        pawl_mission_change *changes; /**< of a resume: what the mission file differs in */
        size_t n_changes;
        pawl_error refused; /**< PAWL_OK: it would be done; else what it would say */
} pawl__steering;

/**
 * Nothing is written. All of *out lives in @p arena.
 * @param step_id  that would be skipped.
 * @param options  of a resume: which changes are accepted.
 * @return PAWL_ENOTFOUND: no such run, or no such step in it. What refuses the action itself is
 * out->refused.
 */
PAWL_MUST_CHECK pawl_status pawl__steering_preview(pawl__steering *out, pawl_log *log,
        pawl__steering_action action, pawl_text run_id, pawl_text step_id,
        const pawl_run_options *options, pawl__arena *arena, pawl_error *err);
