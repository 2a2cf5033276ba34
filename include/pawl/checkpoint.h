/**
 * @file pawl/checkpoint.h
 * @brief A step's checkpoint: load it by its token and look at it.
 *
 * Threads: a checkpoint is a copy, free of its log; loading uses the log's thread.
 */
#ifndef PAWL_CHECKPOINT_H
#define PAWL_CHECKPOINT_H

#include <pawl/events.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pawl_checkpoint pawl_checkpoint; /**< Opaque. Free with pawl_checkpoint_free(). */

/** @return PAWL_ENOTFOUND, PAWL_EINVAL (no token's form), PAWL_EDAMAGED. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_checkpoint_load(
        pawl_checkpoint **out, pawl_log *log, const char *retry_token, pawl_error *err);
PAWL_EXTERN void pawl_checkpoint_free(pawl_checkpoint *checkpoint);

/* Each text lives as long as the checkpoint. */
PAWL_EXTERN const char *pawl_checkpoint_mission_id(const pawl_checkpoint *checkpoint);
PAWL_EXTERN const char *pawl_checkpoint_run_id(const pawl_checkpoint *checkpoint);
PAWL_EXTERN const char *pawl_checkpoint_step_id(const pawl_checkpoint *checkpoint);
PAWL_EXTERN const char *pawl_checkpoint_retry_token(const pawl_checkpoint *checkpoint);
PAWL_EXTERN const char *pawl_checkpoint_input_hash(const pawl_checkpoint *checkpoint);
PAWL_EXTERN const char *pawl_checkpoint_cursor(const pawl_checkpoint *checkpoint);
PAWL_EXTERN const char *pawl_checkpoint_strictness(const pawl_checkpoint *checkpoint);
PAWL_EXTERN uint64_t pawl_checkpoint_seq(const pawl_checkpoint *checkpoint);

/** Do these inputs (any JSON text) hash as the checkpoint's did? *same. PAWL_EPARSE. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_checkpoint_verify(bool *same,
        const pawl_checkpoint *checkpoint, const char *inputs, size_t len, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
