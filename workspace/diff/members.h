/**
 * @file workspace/diff/members.h
 * @brief Which members of two checkpoints' state or outputs were added, removed or changed.
 */
#pragma once

#include "checkpoint/checkpoint.h"

/**
 * pawl__inputs_diff() where either document may be absent: beside an object its members were added
 * or removed one by one, beside any other value that value was. @p root is "state" or "outputs".
 */
PAWL_MUST_CHECK pawl_status pawl__members_diff(const char *root, pawl_text before, pawl_text after,
        pawl__member_change_fn fn, void *user, pawl_error *err);
