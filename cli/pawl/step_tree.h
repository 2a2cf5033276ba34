/**
 * @file cli/pawl/step_tree.h
 * @brief Steps and what they need, for people: each indented below the last of those.
 */
#pragma once

#include "mission/mission.h"

/** A step's line. */
typedef struct cli_step_line {
        size_t at;       /**< which of the steps */
        pawl_text label; /**< its id, indented */
        pawl_text needs; /**< ids with commas between them; absent: none */
} cli_step_line;

/** The lines of @p n steps, which are in no circle; in @p arena. */
PAWL_MUST_CHECK pawl_status cli_step_tree(cli_step_line **out, const pawl_text *ids,
        const pawl__needs *needs, size_t n, pawl__arena *arena, pawl_error *err);
