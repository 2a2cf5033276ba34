/**
 * @file state/rules_of.h
 * @brief The rules of one type each, of the table in state/rules.c, and what they share.
 */
#pragma once

#include "state/rules.h"

enum pawl__step_status {
        ABSENT = 1 << 0,
        PENDING = 1 << 1,
        RUNNING = 1 << 2,
        BLOCKED = 1 << 3,
        DONE = 1 << 4,
        STEP_FAILED = 1 << 5,
        REMOVED = 1 << 6,
        ANY_STEP = 0
};

/** What else holds for an event whose run and step may have it: PAWL_ESTATE by the rule's name. */
typedef pawl_status pawl__rule_fn(const pawl__apply_ctx *a);

/** Of steps: state/rules_step.c. */
pawl__rule_fn pawl__rule_starts_step, pawl__rule_checkpoints_step, pawl__rule_resumes,
        pawl__rule_completes_step, pawl__rule_wrong_status;
/** By the plan of the mission: state/rules_plan.c. What the step needs is done; somebody went past
 *  it, or its `when` did; the event's member of that name is no lower strictness than the step's.
 */
pawl__rule_fn pawl__rule_needs_done, pawl__rule_left_out, pawl__rule_blocks;
pawl__rule_fn pawl__rule_same_asks; /**< of a RunMissionChanged with the same mission */
PAWL_MUST_CHECK pawl_status pawl__rule_strictness(const pawl__apply_ctx *a, const char *member);
/** A step's checkpoint has that token, which is or is not the @p same as its last one has. */
PAWL_MUST_CHECK pawl_status pawl__rule_token(
        const pawl__apply_ctx *a, pawl_text token, pawl_text input_hash, bool same);
/** Of what is asked and found: state/rules_answer.c. */
pawl__rule_fn pawl__rule_requests, pawl__rule_evaluates;
/** The payload of the event at that seq. */
PAWL_MUST_CHECK pawl_status pawl__rule_earlier_payload(
        pawl__json_tree *tree, const pawl__apply_ctx *a, int64_t seq);
/** A conflict that is asked again is one of that step. */
PAWL_MUST_CHECK pawl_status pawl__rule_is_own_conflict(
        const pawl__apply_ctx *a, const pawl__row *conflict);
/** A question is what the step's mission has it ask; its time counts from @p since_us. */
PAWL_MUST_CHECK pawl_status pawl__rule_asks(const pawl__apply_ctx *a, int64_t since_us);
/** The answer to a conflict that is there. */
PAWL_MUST_CHECK pawl_status pawl__rule_answers(const pawl__apply_ctx *a, const pawl__row *conflict);

enum pawl__step_status pawl__rule_step_status(const pawl__apply_ctx *a);

static inline bool pawl__rule_is(const pawl__row *row, int column, const char *text)
{
        return pawl__text_is(row->v[column].text, text);
}

static inline bool pawl__rule_has(const pawl__apply_ctx *a, const char *member)
{
        return pawl__json_get(a->tree, 0, member) != PAWL__NO_NODE;
}

static inline bool pawl__rule_is_true(const pawl__apply_ctx *a, const char *member)
{
        const pawl__node node = pawl__json_get(a->tree, 0, member);

        return node != PAWL__NO_NODE && pawl__json_at(a->tree, node)->type == PAWL__JSON_TRUE;
}
