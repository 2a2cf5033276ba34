/**
 * @file state/run_way.h
 * @brief How a run is continued, as every message and every list of pawl says it.
 */
#pragma once

#include "base/printable.h"
#include "state/state.h"

typedef enum pawl__run_way {
        PAWL__BY_RESUME,
        PAWL__BY_WORKER, /**< it was submitted, and has not failed: a worker takes it */
        PAWL__BY_PROGRAM /**< the log has no mission of it: the program that began it */
} pawl__run_way;

enum { PAWL__WAY_MAX = 6000 };

pawl__run_way pawl__run_way_of(const pawl__row *run);

/** The command that continues it; "" for PAWL__BY_PROGRAM. @p elsewhere: the top of the work tree
 *  that it is to be given in, absent: this one. */
const char *pawl__run_command(
        char out[PAWL__WAY_MAX], pawl__run_way way, pawl_text run_id, pawl_text elsewhere);

/** For "continue with %s": the command in back quotes, or "the program that began it". The run goes
 *  by @p shown. */
const char *pawl__run_advice(
        char out[PAWL__WAY_MAX], pawl_log *log, const pawl__row *run, pawl_text shown);
#define PAWL__ADVICE(log, run, shown) pawl__run_advice((char[PAWL__WAY_MAX]){""}, log, run, shown)
