/**
 * @file state/apply_ctx.h
 * @brief What the apply functions share: the current event, its members, and how they refuse.
 *
 * An apply function checks everything before its first put, so that one that refuses has changed
 * nothing.
 */
#pragma once

#include "state/apply.h"

typedef enum pawl__row_is { PAWL__ROW_UNREAD, PAWL__ROW_MISSING, PAWL__ROW_THERE } pawl__row_is;

/** One event being folded. The root of the payload is node 0 of the tree. */
typedef struct pawl__apply_ctx {
        pawl__store *store;
        pawl__arena *arena;          /**< cleared before the next event */
        const pawl__json_tree *tree; /**< required fields are there and of their kind */
        const pawl_event *event;
        pawl_error *err;
        pawl_log *log; /**< where earlier events are looked up; may be NULL */
        bool in_log;   /**< the event is in the log already, and not being appended */
        const pawl__past_rules *past_rules; /**< it is held against them then; may be NULL */
        struct pawl__past **past;
        bool *run_put; /**< set when the event's run was put */
        /** The rows of the event's run and step, as the rules (state/rules.h) have read them; of
         * one that is missing the ids alone are set, and of one that is unread nothing. */
        pawl__row_is run_is, step_is;
        pawl__row run, step;
} pawl__apply_ctx;

typedef pawl_status pawl__apply_fn(pawl__apply_ctx *a);

/** "seq 7 (StepStarted): FIELD: WHAT; HOW TO FIX". */
pawl_status pawl__apply_refuse(
        const pawl__apply_ctx *a, pawl_status status, const char *field, const char *what);

/** An object's member that must be a string; @p path names the object: "payload.new_sense". */
PAWL_MUST_CHECK pawl_status pawl__apply_text(pawl_text *out, const pawl__apply_ctx *a,
        pawl__node object, const char *path, const char *name);
/** The same for a number from 0 to 1. */
PAWL_MUST_CHECK pawl_status pawl__apply_confidence(
        double *out, const pawl__apply_ctx *a, pawl__node object, const char *path);
/** The same for an integer. */
PAWL_MUST_CHECK pawl_status pawl__apply_integer(int64_t *out, const pawl__apply_ctx *a,
        pawl__node object, const char *path, const char *name);

static inline pawl_text pawl__apply_optional(const pawl__apply_ctx *a, const char *name)
{
        return pawl__json_get_text(a->tree, 0, name);
}

/** The event's run, or its step: PAWL_ENOTFOUND, without a message and with the ids alone, when
 * there is none. */
PAWL_MUST_CHECK pawl_status pawl__apply_find_run(pawl__row *run, const pawl__apply_ctx *a);
PAWL_MUST_CHECK pawl_status pawl__apply_find_step(pawl__row *step, const pawl__apply_ctx *a);
/** The event's run. PAWL_ESTATE when there is none. */
PAWL_MUST_CHECK pawl_status pawl__apply_run(pawl__row *run, const pawl__apply_ctx *a);
/** The event's step. PAWL_ESTATE when its run has none of that name. */
PAWL_MUST_CHECK pawl_status pawl__apply_step(pawl__row *step, const pawl__apply_ctx *a);
/** Put the run, updated by this event, with @p status (NULL: as it is). */
PAWL_MUST_CHECK pawl_status pawl__apply_put_run(
        const pawl__apply_ctx *a, pawl__row *run, const char *status);
/** Put the run, whose range reaches to this event. */
PAWL_MUST_CHECK pawl_status pawl__apply_reach(const pawl__apply_ctx *a, pawl__row *run);
static inline PAWL_MUST_CHECK pawl_status pawl__apply_put(
        const pawl__apply_ctx *a, pawl__table table, pawl__row *row)
{
        const pawl_status status =
                table == PAWL__STEPS ? pawl__step_join(row, a->arena, a->err) : PAWL_OK;

        return status ? status : a->store->put(a->store, table, row, a->err);
}

/** These versions are the ones in force from this event on. Checks them first. */
PAWL_MUST_CHECK pawl_status pawl__apply_scope_refs(
        const pawl__apply_ctx *a, pawl__node refs, bool check_only);

/** What blocks a step that begins anew is still open, and what it asks is still asked. */
static inline void pawl__apply_keep_asked(pawl__row *fresh, const pawl__row *former)
{
        fresh->v[PAWL__STEP_BLOCKERS] = former->v[PAWL__STEP_BLOCKERS];
        fresh->v[PAWL__STEP_QUESTION] = former->v[PAWL__STEP_QUESTION];
}

/** The selected_sense of an answer as the mission's own, checked. */
PAWL_MUST_CHECK pawl_status pawl__apply_local_sense(
        pawl__row *sense, const pawl__apply_ctx *a, pawl_text mission);

pawl__apply_fn pawl__apply_run_started, pawl__apply_run_submitted, pawl__apply_run_claimed,
        pawl__apply_run_completed, pawl__apply_run_failed, pawl__apply_run_mission_changed,
        pawl__apply_run_cancelled, pawl__apply_run_notified;
pawl__apply_fn pawl__apply_step_started, pawl__apply_step_completed, pawl__apply_step_failed,
        pawl__apply_step_attempt_failed, pawl__apply_check_evaluated, pawl__apply_step_checkpointed,
        pawl__apply_generation_blocked, pawl__apply_step_resumed;
pawl__apply_fn pawl__apply_scope_activated, pawl__apply_sense_updated;
pawl__apply_fn pawl__apply_clarification_requested, pawl__apply_clarification_resolved;
pawl__apply_fn pawl__apply_session_started, pawl__apply_session_updated,
        pawl__apply_session_checkpointed, pawl__apply_session_noted, pawl__apply_session_ended,
        pawl__apply_pruned;
pawl__apply_fn pawl__apply_workspace_checkpointed, pawl__apply_tool_call_checkpointed,
        pawl__apply_checkpoint_invalidated, pawl__apply_checkpoint_updated,
        pawl__apply_pruned_checkpoints;
pawl__apply_fn pawl__apply_rollback_started, pawl__apply_rolled_back;
pawl__apply_fn pawl__apply_thread_checkpointed, pawl__apply_thread_writes_put;
/** The thread is deleted; none of that id: nothing. */
PAWL_MUST_CHECK pawl_status pawl__apply_pruned_thread(pawl__apply_ctx *a, pawl_text run_id);

/** The checkpoint of the workspace with that number, which the payload's @p field names.
 * PAWL_ESTATE when there is none. */
PAWL_MUST_CHECK pawl_status pawl__apply_workspace(
        pawl__row *checkpoint, const pawl__apply_ctx *a, int64_t n, const char *field);
/** Is the payload's @p field an array of numbers of checkpoints that are there? PAWL_EINVAL,
 *  PAWL_ESTATE. */
PAWL_MUST_CHECK pawl_status pawl__apply_numbers(const pawl__apply_ctx *a, const char *field);
/** Call @p change for each of them, and put what it made of the row. */
typedef void (*pawl__workspace_change)(pawl__row *checkpoint, const pawl__apply_ctx *a, void *user);
PAWL_MUST_CHECK pawl_status pawl__apply_to_numbers(
        const pawl__apply_ctx *a, const char *field, pawl__workspace_change change, void *user);
/** A member "git" {NAME: text, ...}, that may be missing: *value is absent then. PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__apply_git(
        pawl_text *value, const pawl__apply_ctx *a, const char *name);
/** A member that may be missing or null, else true or false. PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__apply_flag(
        int *value, const pawl__apply_ctx *a, const char *name);
/** A member that may be missing or null (*value is absent then), else a text. PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__apply_maybe_text(
        pawl_text *value, const pawl__apply_ctx *a, const char *name);
