/**
 * @file checkpoint/checkpoint.h
 * @brief A step's checkpoint: what a StepCheckpointed event says, validated.
 */
#ifndef PAWL_CHECKPOINT_CHECKPOINT_H
#define PAWL_CHECKPOINT_CHECKPOINT_H

#include "base/json_tree.h"
#include "state/state.h"

typedef enum pawl__cursor_at {
        PAWL__AT_START, /**< no checkpoint: from layer 1 on; never encoded */
        PAWL__AT_PRE_GENERATION_GATE,
        PAWL__AT_POST_CLARIFICATION,
        PAWL__AT_POST_GATE,
        PAWL__AT_POST_GENERATION
} pawl__cursor_at;

typedef enum pawl__strictness {
        PAWL__STRICTNESS_UNSET, /**< not said: the next source decides; never encoded */
        PAWL__STRICTNESS_OFF,
        PAWL__STRICTNESS_MEDIUM,
        PAWL__STRICTNESS_MAX
} pawl__strictness;

/** Names as in the log; NULL for those that are never encoded. Static. */
const char *pawl__cursor_name(pawl__cursor_at cursor);
const char *pawl__strictness_name(pawl__strictness strictness);
/** The reverse; false for a name that is not known (the empty text too). */
bool pawl__cursor_of(pawl__cursor_at *out, pawl_text name);
bool pawl__strictness_of(pawl__strictness *out, pawl_text name);

#define PAWL__SCOPE_REFS_MAX 4
#define PAWL__CHECKPOINT_MAX 1024 /* bytes of canonical payload */

/** Texts are borrowed from the arena that decode and load were given. */
typedef struct pawl__checkpoint {
        uint64_t seq;           /**< of its event; 0: not appended yet */
        int64_t time_us;        /**< of its event */
        uint64_t evaluated_seq; /**< of the SemanticCheckEvaluated it rests on; 0: none */
        pawl_text mission_id, run_id, step_id;
        pawl__strictness strictness; /**< the effective one */
        pawl__scope_ref scope_refs[PAWL__SCOPE_REFS_MAX];
        size_t n_scope_refs;
        char input_hash[65];  /**< 64 lower-case hex digits */
        char output_hash[65]; /**< at post_generation; else "" */
        pawl__cursor_at cursor;
        char retry_token[37]; /**< a UUID */
} pawl__checkpoint;

/** The payload, canonical. PAWL_ETOOBIG past PAWL__CHECKPOINT_MAX, PAWL_EINVAL for a field that is
 *  not of its form. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_encode(
        pawl__buf *out, const pawl__checkpoint *checkpoint, pawl_error *err);

/** From an event read back. Unknown fields are ignored; a missing or malformed one is PAWL_EINVAL
 *  naming seq and field. evaluated_seq is left 0. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_decode(
        pawl__checkpoint *out, pawl__arena *arena, const pawl_event *event, pawl_error *err);

/** By its token. PAWL_ENOTFOUND: no such token (the message says what to do); PAWL_EINVAL: not of a
 *  token's form; PAWL_EDAMAGED: the event does not say what the table says, or
 *  not what it said when it was appended. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_load(
        pawl__checkpoint *out, pawl__arena *arena, pawl_log *log, pawl_text token, pawl_error *err);

#endif
