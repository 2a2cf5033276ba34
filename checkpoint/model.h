/**
 * @file checkpoint/model.h
 * @brief What makes a checkpoint's fields valid, the same for one to be written and one read back.
 */
#ifndef PAWL_CHECKPOINT_MODEL_H
#define PAWL_CHECKPOINT_MODEL_H

#include "checkpoint/checkpoint.h"

/** The only algorithm there is, and the field that names it. */
#define PAWL__INPUT_HASH_ALG "jcs-sha256"

/**
 * Every field of its form, and those that belong together. PAWL_EINVAL "FIELD: WHAT; HOW TO MEND",
 * which the caller puts its place before.
 */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_check(
        const pawl__checkpoint *checkpoint, pawl_error *err);

/** 64 lower-case hex digits? */
bool pawl__hash_valid(pawl_text text);

#endif
