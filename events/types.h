/**
 * @file events/types.h
 * @brief The event types: for each its name, its version, and the fields that its payload must
 * have.
 *
 * Adding a type is a row here, an apply function in state/ if it changes what is, and a paragraph
 * in docs/reference/event-log.md.
 */
#pragma once

#include "base/json_tree.h"
#include <pawl/events.h>

typedef enum pawl__event_type {
        PAWL__RUN_STARTED,
        PAWL__RUN_SUBMITTED,
        PAWL__RUN_CLAIMED,
        PAWL__RUN_COMPLETED,
        PAWL__RUN_FAILED,
        PAWL__RUN_CANCELLED,
        PAWL__RUN_NOTIFIED,
        PAWL__RUN_MISSION_CHANGED,
        PAWL__STEP_STARTED,
        PAWL__STEP_COMPLETED,
        PAWL__STEP_FAILED,
        PAWL__STEP_ATTEMPT_FAILED,
        PAWL__SCOPE_ACTIVATED,
        PAWL__TERM_OBSERVED,
        PAWL__CHECK_EVALUATED,
        PAWL__STEP_CHECKPOINTED,
        PAWL__GENERATION_BLOCKED,
        PAWL__CLARIFICATION_REQUESTED,
        PAWL__CLARIFICATION_RESOLVED,
        PAWL__SENSE_UPDATED,
        PAWL__STEP_RESUMED,
        PAWL__RESUME_ABORTED,
        PAWL__SESSION_STARTED,
        PAWL__SESSION_UPDATED,
        PAWL__SESSION_CHECKPOINTED,
        PAWL__SESSION_NOTED,
        PAWL__SESSION_ENDED,
        PAWL__PRUNED,
        PAWL__WORKSPACE_CHECKPOINTED,
        PAWL__TOOL_CALL_CHECKPOINTED,
        PAWL__ROLLBACK_STARTED,
        PAWL__ROLLED_BACK,
        PAWL__CHECKPOINT_INVALIDATED,
        PAWL__CHECKPOINT_UPDATED,
        PAWL__WORKSPACE_CHECKPOINT_FAILED,
        PAWL__THREAD_CHECKPOINTED,
        PAWL__THREAD_WRITES_PUT,
        PAWL__EVENT_TYPES,                    /* how many there are */
        PAWL__EVENT_OTHER = PAWL__EVENT_TYPES /* a type that this version does not know */
} pawl__event_type;

typedef enum pawl__field_kind {
        PAWL__FIELD_TEXT,
        PAWL__FIELD_INTEGER, /**< no fraction, no exponent */
        PAWL__FIELD_COUNT,   /**< the same, at least 0; before v 2 any */
        PAWL__FIELD_NUMBER,
        PAWL__FIELD_BOOL,
        PAWL__FIELD_HASH, /**< text of 64 lower-case hex digits */
        PAWL__FIELD_UUID,
        PAWL__FIELD_OBJECT,
        PAWL__FIELD_MAYBE_OBJECT, /**< or null */
        PAWL__FIELD_ARRAY,
        PAWL__FIELD_REFS,      /**< an array of {scope, version_id} */
        PAWL__FIELD_OWNER,     /**< {boot_id, host, pid, pid_start}; before v 2 any object */
        PAWL__FIELD_FINDINGS,  /**< an array of {term, severity}; before v 2 any */
        PAWL__FIELD_CONFLICTS, /**< an array of {conflict_id}; before v 2 any */
        PAWL__FIELD_TIME,      /**< RFC 3339 */
        PAWL__FIELD_CHOICE     /**< one of some words; from v 2 on, before that any text */
} pawl__field_kind;

typedef struct pawl__event_field {
        const char *name;
        pawl__field_kind kind;
        size_t len;          /**< of the name */
        const char *choices; /**< of a CHOICE: "off, medium, max" */
        size_t choices_len;
} pawl__event_field;

typedef struct pawl__event_def {
        const char *name;
        size_t len;       /**< of the name */
        int v;            /**< newest version of the payload known here */
        bool needs_fence; /**< with a run_id it may be appended only by the run's owner */
        size_t max_len;   /**< of the canonical payload, bytes; 0: no limit of its own */
        pawl__event_field required[10]; /**< ends with a NULL name */
        /** Likewise those that may be left out or null, and that readers depend on where they are
         *  there; from v 2 on. */
        const pawl__event_field *optional;
} pawl__event_def;

/** The definition of a type; a static table. */
const pawl__event_def *pawl__event_def_of(pawl__event_type type);
/** The type of that name, or PAWL__EVENT_OTHER. */
pawl__event_type pawl__event_type_of(pawl_text name);

/** Does it change senses, which other runs go by, too? */
static inline bool pawl__event_changes_senses(pawl__event_type type)
{
        return type == PAWL__SENSE_UPDATED || type == PAWL__CLARIFICATION_RESOLVED ||
               type == PAWL__SCOPE_ACTIVATED;
}

/**
 * Check a payload against its type: an object, each required field there and of its kind, each
 * optional one that is there, too. Fields that are not known are ignored; types that are not known
 * pass.
 * @return PAWL_EINVAL "seq 7 (StepCheckpointed): payload.retry_token: WHAT; HOW TO FIX" (seq 0 is
 *         left out), PAWL_ENEWER when the event's v is newer than the form's.
 */
PAWL_MUST_CHECK pawl_status pawl__event_check(const pawl_event *event, pawl__event_type type,
        const pawl__json_tree *payload, pawl_error *err);
