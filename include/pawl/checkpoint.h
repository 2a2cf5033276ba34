/**
 * @file pawl/checkpoint.h
 * @brief A step's checkpoint: load it by its token, or the newest of a step.
 *
 * Threads: a checkpoint is a copy, free of its log; loading uses the log's thread.
 */
#ifndef PAWL_CHECKPOINT_H
#define PAWL_CHECKPOINT_H

#include <pawl/events.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of a scope's glossary that was in force. */
typedef struct pawl_scope_ref {
        pawl_text scope, version_id;
} pawl_scope_ref;

/** What a StepCheckpointed event says. Everything lives as long as the checkpoint; each text ends
 *  in a NUL. */
typedef struct pawl_step_checkpoint {
        pawl_text mission_id, run_id, step_id;
        const char *retry_token; /**< a UUID */
        const char *input_hash;  /**< 64 hex digits */
        const char *cursor;      /**< such as "post_gate" */
        const char *strictness;  /**< the effective one */
        const pawl_scope_ref *scope_refs;
        size_t n_scope_refs;
        uint64_t seq;    /**< of the event */
        int64_t time_us; /**< of the event, since 1970-01-01 UTC; for people */
} pawl_step_checkpoint;

/** By its token. Free with pawl_step_checkpoint_free().
 *  @return PAWL_ENOTFOUND, PAWL_EINVAL (no token's form), PAWL_EDAMAGED. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_step_checkpoint_load(
        pawl_step_checkpoint **out, pawl_log *log, const char *retry_token, pawl_error *err);
/** The newest of a step. @return as above; PAWL_ENOTFOUND also for a step without one. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_step_checkpoint_latest(pawl_step_checkpoint **out,
        pawl_log *log, const char *run_id, const char *step_id, pawl_error *err);
/** The payload of a StepCheckpointed event, @p len bytes of JSON: ids are absent, seq and time_us
 * 0.
 *  @return PAWL_EINVAL, naming the field that is not of its form. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_step_checkpoint_parse(
        pawl_step_checkpoint **out, const char *payload, size_t len, pawl_error *err);
/** NULL is allowed. */
PAWL_EXTERN void pawl_step_checkpoint_free(pawl_step_checkpoint *checkpoint);

/** Do these inputs (any JSON text) hash as the checkpoint's did? *same. PAWL_EPARSE. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_step_checkpoint_verify(bool *same,
        const pawl_step_checkpoint *checkpoint, const char *inputs, size_t len, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
