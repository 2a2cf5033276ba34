/**
 * @file pipeline/question.h
 * @brief A question that a step asks people, as a conflict of type "question".
 *
 * The gate blocks the step by it and the clarification layer asks it, as they do with a term; but
 * its answer is the step's output, and no sense.
 */
#pragma once

#include "pipeline/gate.h"
#include "pipeline/signed.h"

/** Who answers where nobody did in time. */
#define PAWL__ACTOR_TIMEOUT "system:timeout"

struct pawl__question {
        pawl_text text;
        const pawl_text *options; /**< one of them is the answer; none: any text is */
        size_t n_options;
        const pawl_text *to; /**< the actors who may answer; none: everybody may */
        size_t n_to;
        int64_t within_ms;   /**< 0: there is no time limit */
        pawl_text otherwise; /**< the answer when that is over; absent: the step fails */
        bool again;          /**< it is asked anew where nobody answered in time */
};

/** Is this one such a conflict? By the name of its type. */
bool pawl__is_question(pawl_text conflict_type);

/**
 * Does the context's question block its step? *blocker is it then. Else ctx->reply is the answer,
 * or ctx->expired says that there was none in time.
 */
PAWL_MUST_CHECK pawl_status pawl__question_blocks(
        bool *blocks, pawl__blocker *blocker, pawl_context *ctx);

/** Fill ctx->reply after a pass that went on behind the gate. */
PAWL_MUST_CHECK pawl_status pawl__question_answered(pawl_context *ctx);

/** Members of its GlossaryClarificationRequested that a term's has not: otherwise, to, due_at.
 *  *@p asked_us is that event's time. */
PAWL_MUST_CHECK pawl_status pawl__question_members(
        int64_t *asked_us, pawl_context *ctx, pawl_text conflict_id);

/** Does the newest request of its conflict, a row, say the same of actors and time? */
PAWL_MUST_CHECK pawl_status pawl__question_same(
        bool *same, pawl_context *ctx, const pawl__row *conflict);

/** May this actor answer the context's question? */
bool pawl__question_is_to(const pawl__question *question, pawl_text actor);

/**
 * GlossaryClarificationResolved with the answer, which *@p text is then. As pawl__answer_emit().
 * @return PAWL_EINVAL for what is none of its options, an empty answer, one for a term.
 */
PAWL_MUST_CHECK pawl_status pawl__question_emit(pawl__batch *batch, pawl_text *text,
        const pawl_conflict *conflict, const pawl_answer *answer, const char *mode,
        int64_t replaces, const pawl__seal *seal, const pawl_event *like, int64_t now_us,
        pawl_error *err);

/** What the log says of one. Texts in the arena. */
typedef struct pawl__question_info {
        pawl_text *to;
        size_t n_to;
        int64_t due_us; /**< 0: there is no time limit */
        pawl_text otherwise;
        pawl_text answer; /**< absent: it is open, or nobody answered in time */
        pawl_text answered_by;
} pawl__question_info;

PAWL_MUST_CHECK pawl_status pawl__question_read(pawl__question_info *out, pawl__arena *arena,
        pawl_log *log, const pawl__row *conflict, pawl_error *err);

/** A question of a blocked step of the run that nobody answered in time. */
typedef struct pawl__expired {
        pawl_text question;  /**< absent: there is none */
        pawl_text otherwise; /**< what counts as its answer; absent: its step fails */
} pawl__expired;

/** One without `otherwise`, if there is one. @p step_id may be absent: of any step. */
PAWL_MUST_CHECK pawl_status pawl__question_expired(pawl__expired *out, pawl_log *log,
        pawl__state *state, pawl_text run_id, pawl_text step_id, pawl__arena *arena,
        pawl_error *err);

/** PAWL_EACCESS naming who may, unless @p actor is one of them. */
PAWL_MUST_CHECK pawl_status pawl__question_allows(const pawl__question_info *info,
        const pawl_conflict *conflict, pawl_text actor, pawl_error *err);

/** For who looks again and again: a wall clock that is set back meanwhile delays nothing. All 0 at
 *  first. */
typedef struct pawl__question_clock {
        int64_t wall_us, boot_ms; /**< when it looked first */
        int64_t due_ms; /**< by the boot clock: when the next question's time is over; INT64_MAX:
                           there is none */
} pawl__question_clock;

/** Answer the questions whose time is over by what they say of that, as PAWL__ACTOR_TIMEOUT. A log
 *  that can't be written is left as it is. @p clock may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__questions_settle(
        pawl__question_clock *clock, pawl_log *log, pawl__state *state, pawl_error *err);
/** Is there a question whose time is over since it looked last? */
bool pawl__questions_due(const pawl__question_clock *clock, const pawl_log *log);

/** Does the answer to this conflict count, if it has one? Why not is in ctx->distrust, the first
 *  time. */
PAWL_MUST_CHECK pawl_status pawl__answer_counts(
        bool *counts, pawl_context *ctx, const pawl__row *conflict);
