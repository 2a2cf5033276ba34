/**
 * @file state/verified.h
 * @brief The state folded from events that were verified, for runs that believe nothing else.
 *
 * The tables are rows that any program may change. While this is on, what the state says of runs,
 * steps, checkpoints, conflicts and senses comes from a fold into memory of the log's events, each
 * verified (pawl__log_verified_walk()); each read takes the new events first. Lists of sessions and
 * of the workspace, which no gate depends on, still come from the tables. Beside the rows it keeps
 * how each answer and each completion came to be.
 */
#pragma once

#include "state/state.h"

typedef struct pawl__verified_fold pawl__verified_fold;

/** Fold the log's events, or those that came since this was on last, and read from that fold until
 *  pawl__state_unverify(). Calls nest. @return PAWL_EDAMAGED for a log that does not verify. */
PAWL_MUST_CHECK pawl_status pawl__state_verify(pawl__state *state, pawl_error *err);
void pawl__state_unverify(pawl__state *state);

/** The newest request of a conflict; seq 0: there was none. */
typedef struct pawl__asked {
        uint64_t seq;
        /** When it was asked for the first time since it has no answer; no earlier than any event
         *  before, so that an event with an older time does not let a time be over sooner. */
        int64_t since_us;
} pawl__asked;

pawl__asked pawl__verified_asked(pawl__state *state, pawl_text conflict_id);

/** An answer that was in force at some time. */
typedef struct pawl__verified_answer {
        uint64_t seq;
        pawl__asked asked; /**< the newest request when it was given */
        uint64_t replaces; /**< the answer that was in force until then; 0: there was none */
        bool replaced;     /**< another one came in its place */
        int64_t time_us;   /**< as since_us */
        pawl_text run_id, step_id; /**< of the conflict then */
} pawl__verified_answer;

/** NULL: the event is no answer, or the log refused it then. Valid until the next read. */
const pawl__verified_answer *pawl__verified_answer_at(pawl__state *state, uint64_t seq);
/** All of them, in order. */
const pawl__verified_answer *pawl__verified_answers(size_t *n, pawl__state *state);

/** A StepCompleted, and what led to it. */
typedef struct pawl__verified_completion {
        uint64_t seq;
        char output_hash[65];
        bool legal; /**< the step was at work, or could be skipped, or is a fork's */
        bool forked, skipped, when;
        bool asked;        /**< it had asked a question */
        uint64_t answer;   /**< the one in force to that question; 0: none */
        uint64_t blocked;  /**< the GenerationBlocked since the step began; 0: none */
        uint64_t glossary; /**< the last change of the glossary that was no answer */
        bool other_inputs; /**< than when it was blocked */
        uint32_t before;   /**< index of the step's completion before it + 1; 0: none */
} pawl__verified_completion;

/** The last one of a step with that output, up to event @p until. NULL: there is none. Valid until
 *  the next read. */
const pawl__verified_completion *pawl__verified_completed(pawl__state *state, pawl_text run_id,
        pawl_text step_id, pawl_text output_hash, uint64_t until);
