/**
 * @file cli/eventlog/fold.h
 * @brief A folded log as people read it. Same events, same bytes: no clock, path, locale or
 * terminal.
 */
#pragma once

#include "base/text.h"
#include <stdio.h>

/** Print the object that `replay --json` prints: an array a paragraph, an element a line. */
PAWL_MUST_CHECK pawl_status cli_fold_print(FILE *out, pawl_text json, pawl_error *err);
