/**
 * @file checkpoint/diff.h
 * @brief Which members of two JSON documents differ, by path.
 */
#ifndef PAWL_CHECKPOINT_DIFF_H
#define PAWL_CHECKPOINT_DIFF_H

#include "base/text.h"

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

#endif
