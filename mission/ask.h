/**
 * @file mission/ask.h
 * @brief A step that asks people: it has no command, and the answer is its output.
 */
#pragma once

#include "mission/inputs.h"
#include "mission/loader.h"

/** `ask` of a step. */
struct pawl__ask {
        pawl_text question; /**< as the file says it: with "{$param: NAME}" for a value */
        pawl_text *options;
        size_t n_options; /**< 0: any text is an answer */
        pawl_text *to;
        size_t n_to;         /**< 0: everybody may answer */
        int64_t within_ms;   /**< 0: there is no time limit */
        pawl_text otherwise; /**< absent: the step fails when that is over */
};

#define PAWL__GIVE_COMMAND "give its command: run: [COMMAND, ARGUMENT, ...]"

/** The mapping `ask:`. */
PAWL_MUST_CHECK pawl_status pawl__ask_read(const pawl__place *place, pawl__node node);
/** A step's mapping has either `run` or `ask`, and with that nothing about commands. */
PAWL_MUST_CHECK pawl_status pawl__ask_or_run(const pawl__place *place, pawl__node step);

/** As pawl__inputs_resolve(), but not canonical: those of a step that asks have a member "ask",
 *  {"options", "question"}, too, so that an answer is one to that question with those inputs. What
 *  is no object is member "inputs" beside it. */
PAWL_MUST_CHECK pawl_status pawl__step_inputs(pawl__buf *out, const pawl_mission *mission,
        const pawl__step *step, pawl__output_fn output, void *user, pawl_error *err);

/** The hash of what the step asks people, as a run's plan has it (state/step_plan.h). */
PAWL_MUST_CHECK pawl_status pawl__ask_hash(char hex[65], const pawl_mission *mission,
        const pawl__step *step, pawl_log *log, pawl_error *err);

struct pawl__step_run;
/** Give the step's context its question, before the pass that asks it. */
PAWL_MUST_CHECK pawl_status pawl__ask_pose(struct pawl__step_run *p);
/** The gate let it pass: the answer is the output. As pawl__step_run_execute(). */
PAWL_MUST_CHECK pawl_status pawl__ask_answered(struct pawl__step_run *p);
/** Nobody answered in time: the step has failed. */
PAWL_MUST_CHECK pawl_status pawl__ask_expired(struct pawl__step_run *p);
