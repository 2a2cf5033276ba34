/**
 * @file state/run_way.h
 * @brief How a run is continued, as every message and every list of pawl says it.
 */
#pragma once

#include "base/printable.h"
#include "state/tables.h"

typedef enum pawl__run_way {
        PAWL__BY_RESUME,
        PAWL__BY_WORKER, /**< it was submitted, and has not failed: a worker takes it */
        PAWL__BY_PROGRAM /**< the log has no mission of it: the program that began it */
} pawl__run_way;

enum { PAWL__WAY_MAX = PAWL__WORD_MAX + 32 };

pawl__run_way pawl__run_way_of(const pawl__row *run);

/** The command that continues it; "" for PAWL__BY_PROGRAM. */
const char *pawl__run_command(char out[PAWL__WAY_MAX], pawl__run_way way, pawl_text run_id);

/** For "continue with %s": the command in back quotes, or "the program that began it". */
const char *pawl__run_advice(char out[PAWL__WAY_MAX], pawl__run_way way, pawl_text run_id);
#define PAWL__ADVICE(way, run_id) pawl__run_advice((char[PAWL__WAY_MAX]){""}, way, run_id)
