/**
 * @file checkpoint/checkpoint.h
 * @brief A step's checkpoint: what a StepCheckpointed event says, validated.
 */
#pragma once

#include "base/json_write.h"
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
        uint64_t evaluated_seq; /**< of the SemanticCheckEvaluated it depends on; 0: none */
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

/** The newest of a step, by its row, which has a token. A rollback puts a step back to an earlier
 *  checkpoint of its token. Fails like pawl__checkpoint_load(). */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_of_step(pawl__checkpoint *out, pawl__arena *arena,
        pawl_log *log, const pawl__row *step, pawl_error *err);

/* ---- What makes its fields valid, to be written and read back alike -------------------------- */

/** The only algorithm there is, and the field that names it. */
#define PAWL__INPUT_HASH_ALG "jcs-sha256"
/** Of a checkpoint that was taken over (glossary/foreign.h): it is kept, and not resumed. */
#define PAWL__PYTHON_HASH_ALG "python-json-sha256"

/**
 * Every field of its form, and those that belong together. PAWL_EINVAL "FIELD: WHAT; HOW TO FIX",
 * which the caller puts its place before.
 */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_check(
        const pawl__checkpoint *checkpoint, pawl_error *err);

/** The array [{scope, version_id}], and back: texts are copied into the arena, what is missing is
 *  absent. PAWL_ETOOBIG. */
void pawl__scope_refs_write(pawl__json_writer *w, const pawl__scope_ref *refs, size_t n);
PAWL_MUST_CHECK pawl_status pawl__scope_refs_read(pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX],
        size_t *n, pawl__arena *arena, pawl_text json, pawl_error *err);

/** 64 lower-case hex digits? */
bool pawl__hash_valid(pawl_text text);

/* ---- Where a resume goes on ------------------------------------------------------------------ */

typedef enum pawl__resume_verdict {
        PAWL__RESUME_AT_CURSOR, /**< hashes equal: go on at decision.cursor */
        PAWL__RESUME_CHANGED,   /**< hashes differ: ask; yes starts again at layer 1 */
        PAWL__RESUME_DONE       /**< the step completed with these inputs: the output is recorded */
} pawl__resume_verdict;

typedef struct pawl__resume_decision {
        pawl__resume_verdict verdict;
        pawl__cursor_at cursor;
        const pawl__checkpoint *from; /**< the given one, or the newer one that it led to */
} pawl__resume_decision;

/**
 * @param asked        the checkpoint that the token names.
 * @param newest       the newest checkpoint of the same step, or NULL if it is the asked one. Where
 *                     it is at post_gate or post_generation over the same inputs, the gate has
 *                     since let the step pass: the resume goes on there, under its token, so that
 * an interrupted command keeps its idempotency key.
 * @param step_status  the step's status in the state tables.
 * @param input_hash   64 hex digits of the inputs as they are now.
 */
pawl__resume_decision pawl__resume_decide(const pawl__checkpoint *asked,
        const pawl__checkpoint *newest, pawl_text step_status, const char *input_hash);

/* ---- Which members of two JSON documents differ, by path ------------------------------------- */

typedef enum pawl__member_change_kind {
        PAWL__ADDED,
        PAWL__REMOVED,
        PAWL__CHANGED,
        PAWL__CHANGED_TYPE
} pawl__member_change_kind;

typedef struct pawl__member_change {
        pawl__member_change_kind kind;
        pawl_text path;   /**< "inputs.requirements[1]"; a name that is no identifier as ["a b"] */
        pawl_text before; /**< canonical JSON; absent when added */
        pawl_text after;  /**< canonical JSON; absent when removed */
} pawl__member_change;

typedef pawl_status (*pawl__member_change_fn)(const pawl__member_change *change, void *user);

/**
 * Call @p fn for each difference, in the order of the canonical texts (array elements by index:
 * what is past the end of the shorter array was added or removed). @p root is the first part of
 * each path. Both texts are canonical; nothing recurses. A status other than PAWL_OK from fn ends
 * it and is passed on.
 */
PAWL_MUST_CHECK pawl_status pawl__inputs_diff(const char *root, pawl_text before, pawl_text after,
        pawl__member_change_fn fn, void *user, pawl_error *err);

/** One change as people read it: `inputs.requirements[1]: "A" → "B"`, values cut at 60 characters,
 *  from shortly before where they part if that is far in.
 */
PAWL_MUST_CHECK pawl_status pawl__member_change_line(
        pawl__buf *out, const pawl__member_change *change);
