/**
 * @file mission/inputs.h
 * @brief A step's inputs with each {"$from": "STEP#/POINTER"} and {"$param": NAME} replaced by what
 * it names.
 */
#pragma once

#include "mission/mission.h"

/** Gives the canonical output of an earlier step; the text is valid until the next call. */
typedef pawl_status (*pawl__output_fn)(
        pawl_text *output, pawl_text step_id, void *user, pawl_error *err);

/**
 * The canonical inputs of a step, appended to @p out.
 * @param output  NULL: $from objects stay as they are (for a check without a run).
 * @return PAWL_ENOTFOUND naming member and pointer when a pointer leads nowhere. The caller says of
 *         which step.
 */
PAWL_MUST_CHECK pawl_status pawl__inputs_resolve(pawl__buf *out, const pawl_mission *mission,
        const pawl__step *step, pawl__output_fn output, void *user, pawl_error *err);

/** Does a step's `when` say that it runs? Not for false, null, 0, "" and an empty list. As
 *  pawl__inputs_resolve(). */
PAWL_MUST_CHECK pawl_status pawl__when_holds(bool *out, const pawl_mission *mission,
        const pawl__step *step, pawl__output_fn output, void *user, pawl_error *err);

/** Split "STEP#/POINTER"; the pointer is "" without a '#'. */
void pawl__from_split(pawl_text *step_id, pawl_text *pointer, pawl_text from);

/** If this node is an object with the one member $from, a string: that string; else absent. */
pawl_text pawl__from_of(const pawl__json_tree *tree, pawl__node node);
