/**
 * @file toolcalls/batch.h
 * @brief A batch of calls: read, asked which of them edit, and told again.
 */
#pragma once

#include "base/mask.h"
#include "toolcalls/document.h"
#include "toolcalls/name.h"

/** One call, and what came of it. */
typedef struct pawl__call {
        pawl__node node;
        pawl_toolcall_outcome outcome; /* its texts: of the tree, and the two below */
        char name[PAWL__TOOLCALL_NAME_MAX];
        pawl_error error;
} pawl__call;

struct pawl_toolcalls {
        pawl__buf text;
        pawl__json_tree tree;
        pawl__call *calls;
        size_t n;
};

/** Read @p json; a copy is kept, masked, so that no value is in whatever is made of it. Failures as
 * of pawl_toolcalls_checkpoint(). */
PAWL_MUST_CHECK pawl_status pawl__calls_read(pawl_toolcalls **out, const char *json, size_t len,
        const pawl__mask *mask, const pawl_toolcalls_options *options, pawl_error *err);
