/**
 * @file session/standing.h
 * @brief The steps of a run and how each is, as every list, document and page shows them.
 */
#pragma once

#include "session/retry.h"

/** What a reader is told of a step that the log says is running, where nobody is at its run: its
 *  process died, or the run was cancelled. */
#define PAWL__STEP_UNFINISHED "unfinished"

/** Give a step, a row of PAWL__STEPS that says running, the status PAWL__STEP_UNFINISHED where
 * nobody is at its run. */
void pawl__step_stand(pawl__row *step, bool at_work);
/** What pawl__row_step_status() says to people, as programs know it: what is unfinished is pending.
 */
pawl_text pawl__step_status_word(pawl_text status);

/** What the events say of a step beyond its row. */
typedef struct pawl__step_why {
        pawl_text reason;  /**< why it failed, in its newest StepFailed that no rollback took back;
                                absent: it did not, or no event of this run says it */
        pawl__retry retry; /**< of one that is running or unfinished */
} pawl__step_why;

/** The steps of a run. Rows and texts live in the arena. */
typedef struct pawl__run_steps {
        pawl__row *rows; /**< in mission order, each as pawl__step_stand() has it */
        size_t n;
        pawl__step_why *why; /**< one each; NULL until pawl__run_steps_why() */
        pawl_text current;   /**< as pawl__run_current() */
} pawl__run_steps;

PAWL_MUST_CHECK pawl_status pawl__run_steps_read(pawl__run_steps *out, pawl__state *state,
        const pawl__row *run, bool at_work, pawl__arena *arena, pawl_error *err);
/** Read what the events say of those that failed, run or are unfinished. */
PAWL_MUST_CHECK pawl_status pawl__run_steps_why(pawl__run_steps *steps, pawl_log *log,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);

/** The step that began last and is not completed; else the first of those that the run's status is
 *  due to, or that are running, blocked or failed. Absent: none. Its text lives in row or arena. */
PAWL_MUST_CHECK pawl_status pawl__run_current(pawl_text *out, pawl__state *state,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);

enum { PAWL__WAY_MAX = 6000 };
/** For "continue with %s": the command in back quotes, or what else continues it. The run goes by
 *  @p shown. */
const char *pawl__run_advice(
        char out[PAWL__WAY_MAX], pawl_log *log, const pawl__row *run, pawl_text shown);
#define PAWL__ADVICE(log, run, shown) pawl__run_advice((char[PAWL__WAY_MAX]){""}, log, run, shown)
