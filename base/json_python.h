/**
 * @file base/json_python.h
 * @brief JSON as Python's json.dumps(value, sort_keys=True) writes it: what other tools hash.
 *
 * Members by name, in code-point order; ", " and ": " between; integers as they are, other numbers
 * as repr() of the double, so with a point or an exponent; strings with the escapes of json.
 */
#pragma once

#include "base/json_tree.h"

/**
 * Append a node of a tree.
 * @param without  a member of the node, an object, that is left out; NULL: none.
 * @param ascii    ensure_ascii: what is no ASCII is escaped, as json.dumps() does if not told
 *                 otherwise; false: it stands as UTF-8.
 */
PAWL_MUST_CHECK pawl_status pawl__json_python(pawl__buf *out, const pawl__json_tree *tree,
        pawl__node node, const char *without, bool ascii, pawl_error *err);
