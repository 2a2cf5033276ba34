/**
 * @file state/step_plan.h
 * @brief What a mission says of its steps, as the log has it for the rules: `plan` of RunStarted,
 * RunSubmitted and RunMissionChanged, and of each step a text in its row.
 *
 * The text is a digit of its strictness, 'w' if it has a `when` and '-' if not, the hash of what it
 * asks people behind a '?', if it does, and the id of each step that it needs behind a '/'; a
 * newline, which an id has none of, stands for a space.
 */
#pragma once

#include "base/digest.h"
#include "base/json_write.h"
#include "base/map.h"
#include "state/apply_ctx.h"

/** What a step needs: all that is left of its text. */
typedef struct pawl__plan_needs {
        pawl_text left;
} pawl__plan_needs;

/** Of a text: 0 off (also where there is none), 1 medium, 2 max. */
static inline int pawl__plan_strictness(pawl_text plan)
{
        return plan.len ? plan.data[0] - '0' : 0;
}
static inline bool pawl__plan_has_when(pawl_text plan)
{
        return plan.len > 1 && plan.data[1] == 'w';
}
/** The hash of what it asks people; absent: it asks nothing. */
static inline pawl_text pawl__plan_ask(pawl_text plan)
{
        return plan.len > 66 && plan.data[2] == '?' ? (pawl_text){plan.data + 3, 64}
                                                    : (pawl_text){NULL, 0};
}
/** 0 off, 1 medium, 2 max; of another word 2. */
int pawl__strictness_rank(pawl_text word);

/** What a step asks people. */
typedef struct pawl__asks {
        pawl_text question;
        const pawl_text *options, *to;
        size_t n_options, n_to;
        int64_t within_ms;   /**< 0: there is no time limit */
        pawl_text otherwise; /**< may be absent */
} pawl__asks;

/** The SHA-256 of the canonical JSON of {"options", "otherwise", "question", "to", "within"}:
 *  arrays, which may be empty, a text or null, and milliseconds, 0 without a limit. */
PAWL_MUST_CHECK pawl_status pawl__asks_hash(
        char hex[65], const pawl__asks *asks, pawl__hasher *hasher, pawl_error *err);

/** Begin the text, and add what the step needs, one by one. The buffer keeps a failure.
 *  @p ask: the hash of what it asks; absent: it asks nothing. */
void pawl__plan_begin(pawl__buf *plan, int strictness, bool when, pawl_text ask);
void pawl__plan_need(pawl__buf *plan, pawl_text step_id);

/** The next one that the step needs, in @p room, of PAWL__ID_MAX bytes; absent: no more. */
pawl__plan_needs pawl__plan_needs_of(pawl_text plan);
pawl_text pawl__plan_next(pawl__plan_needs *needs, char *room);

/** The step's object of `plan`, as its text says. @p before: the step before, which is needed where
 *  nothing is said; absent: it is the first. */
void pawl__plan_write(pawl__json_writer *w, pawl_text plan, pawl_text before);

/** Is the payload's `plan`, if it is there, one object for each of `steps`, whose ids are in
 *  @p ids? PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__plan_check(
        const pawl__apply_ctx *a, pawl__node steps, const pawl__map *ids);

/** The payload's `plan`, walked along with its `steps`. */
typedef struct pawl__plan_walk {
        const pawl__apply_ctx *a;
        pawl__node list, at; /**< list: PAWL__NO_NODE where the payload has none */
        pawl_text before;    /**< the step before */
        pawl__buf buf;
} pawl__plan_walk;

pawl__plan_walk pawl__plan_walk_of(const pawl__apply_ctx *a);
/** The next step's text, in the arena; absent: the payload has no plan. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__plan_take(
        pawl_text *plan, pawl__plan_walk *walk, pawl_text step_id);
void pawl__plan_walk_end(pawl__plan_walk *walk);
