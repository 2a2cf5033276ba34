/**
 * @file mission/compare.h
 * @brief Two runs side by side: what each step took, made, was answered and left behind.
 */
#pragma once

#include "mission/runs.h"
#include <pawl/workspace.h>

/** What was asked in a step, and how it was answered: JSON; absent: it was not. */
typedef struct pawl__compared_answer {
        pawl_text term, before, after;
} pawl__compared_answer;

/** One step. [0] is of the first run, [1] of the second. */
typedef struct pawl__compared_step {
        pawl_text step_id;
        pawl_text status[2];    /**< absent: the run has no such step */
        int64_t duration_ms[2]; /**< from its start, or its last resume, to its end; -1: not known
                                 */
        bool moved;             /**< among those that both have it stands elsewhere */
        pawl_member_change *inputs, *output;
        size_t n_inputs, n_output;
        pawl__compared_answer *answers;
        size_t n_answers;
        pawl_comparison *files; /**< that either run's step changed; NULL: they are the same */
        bool same;              /**< durations apart */
} pawl__compared_step;

typedef struct pawl__run_comparison {
        pawl__run_view runs[2];
        pawl__compared_step *steps; /**< in the first run's order, then those of the second alone */
        size_t n;
        bool same; /**< also: they are of one mission */
        pawl__arena arena;
} pawl__run_comparison;

/** What a fork has from another run is that run's doing. Free it in any case. PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__runs_compare(pawl__run_comparison *out, pawl_log *log,
        const char *const run_ids[2], const pawl_workspace_options *options, pawl_error *err);
void pawl__run_comparison_free(pawl__run_comparison *comparison);
