/**
 * @file cli/pawl/status.h
 * @brief What is unfinished in a log, why, and what to type.
 */
#pragma once

#include "command/command.h"
#include "mission/runs.h"
#include <stdio.h>

/** List it for people; *n (may be NULL): how many runs there are, and rollbacks under way. */
PAWL_MUST_CHECK pawl_status cli_status_list(
        uint64_t *n, const cli_call *cli, pawl_log *log, pawl_error *err);

/** Print what to type for a run that nobody holds, as the list does. */
PAWL_MUST_CHECK pawl_status cli_run_next(
        FILE *out, const cli_call *cli, pawl_log *log, const pawl__run_view *run, pawl_error *err);
