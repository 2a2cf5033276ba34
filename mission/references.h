/**
 * @file mission/references.h
 * @brief What a mission's {"$from"} objects may name.
 */
#pragma once

#include "base/map.h"
#include "mission/mission.h"

/**
 * Check every $from in the steps' inputs: it stands alone in its object, is "STEP" or
 * "STEP#/POINTER", and names an earlier step.
 * @param ids  the index of each step by its id.
 * @return PAWL_EPARSE "PATH: line N: steps[I].inputs.MEMBER: ...", with a message of its own for an
 *         unknown step, a later one, the step itself, and a cycle.
 */
PAWL_MUST_CHECK pawl_status pawl__references_check(
        const pawl_mission *mission, const pawl__map *ids, pawl_error *err);

/** Append where @p node is below @p root: ".part", "[0]", "[\"a b\"]" and so on; nothing for
 * itself. */
void pawl__member_path(
        pawl__buf *out, const pawl__json_tree *tree, pawl__node root, pawl__node node);
