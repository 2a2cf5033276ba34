/**
 * @file toolcalls/named_paths.h
 * @brief The paths that the arguments of a tool call name: it may have made the files there.
 */
#pragma once

#include "base/json_tree.h"

/** Values of members whose names end like those of paths, and files that a patch adds; in
 *  @p arena, NUL-ended, as written. @p args may be PAWL__NO_NODE. */
PAWL_MUST_CHECK pawl_status pawl__named_paths(const char *const **out, size_t *n,
        const pawl__json_tree *tree, pawl__node args, pawl__arena *arena, pawl_error *err);
