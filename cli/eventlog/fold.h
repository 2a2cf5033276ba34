/**
 * @file cli/eventlog/fold.h
 * @brief A folded log as people read it, or as JSON. Same events, same bytes: no clock, path,
 * locale or terminal.
 */
#pragma once

#include "base/json_tree.h"
#include "state/state.h"
#include <stdio.h>

/** Where a fold is printed, while it is: zero-initialised but for @p out, and @p object.out, which
 * is
 * @p json. */
typedef struct cli_fold {
        FILE *out;
        pawl__json_tree tree; /* of the current element */
        const char *section;  /* the last one that has an element */
        pawl__buf json;
        pawl__replay_object object;
} cli_fold;

/** Two of pawl__element_fn; @p user is the cli_fold. An array is a paragraph, an element a line. */
PAWL_MUST_CHECK pawl_status cli_fold_print(
        const char *array, pawl_text element, void *user, pawl_error *err);
/** One object; without @p array, its end and that of its line. */
PAWL_MUST_CHECK pawl_status cli_fold_print_json(
        const char *array, pawl_text element, void *user, pawl_error *err);
