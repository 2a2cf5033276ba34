/**
 * @file checkpoint/resume.h
 * @brief Where a resume goes on: a function from (checkpoint, current hash, what came since).
 */
#ifndef PAWL_CHECKPOINT_RESUME_H
#define PAWL_CHECKPOINT_RESUME_H

#include "checkpoint/checkpoint.h"

typedef enum pawl__resume_verdict {
        PAWL__RESUME_AT_CURSOR, /**< hashes equal: go on at decision.cursor */
        PAWL__RESUME_CHANGED,   /**< hashes differ: ask; yes starts again at layer 1 */
        PAWL__RESUME_DONE       /**< the step completed already: print what was recorded */
} pawl__resume_verdict;

typedef struct pawl__resume_decision {
        pawl__resume_verdict verdict;
        pawl__cursor_at cursor;
        const pawl__checkpoint *from; /**< the given one, or the newer one that it led to */
} pawl__resume_decision;

/**
 * @param asked        the checkpoint that the token names.
 * @param newest       the newest checkpoint of the same step, or NULL if it is the asked one. Where
 *                     it stands at post_gate or post_generation over the same inputs, the gate has
 *                     since let the step pass: the resume goes on there, under its token, so that
 * an interrupted command keeps its idempotency key.
 * @param step_status  the step's status in the state tables.
 * @param input_hash   64 hex digits of the inputs as they are now.
 */
pawl__resume_decision pawl__resume_decide(const pawl__checkpoint *asked,
        const pawl__checkpoint *newest, pawl_text step_status, const char *input_hash);

#endif
