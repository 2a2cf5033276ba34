/**
 * @file cli/pawl/status.h
 * @brief What is unfinished in a log, why, and what to type.
 */
#pragma once

#include "base/json_write.h"
#include "command/command.h"
#include "mission/runs.h"
#include <pawl/rollback.h>
#include <stdio.h>

/** List it for people; *n (may be NULL): how many runs there are, and rollbacks under way. */
PAWL_MUST_CHECK pawl_status cli_status_list(
        uint64_t *n, const cli_call *cli, pawl_log *log, pawl_error *err);

/** Print what to type for a run that nobody holds, as the list does. */
PAWL_MUST_CHECK pawl_status cli_run_next(
        FILE *out, const cli_call *cli, pawl_log *log, const pawl__run_view *run, pawl_error *err);

/** A rollback that is half done. */
typedef struct cli_half_done {
        pawl_pending_rollback it;
        pawl_text status;       /**< absent: there is none */
        pawl_text finish, undo; /**< what ends one that was interrupted: cli_half_done_json() */
} cli_half_done;

PAWL_MUST_CHECK pawl_status cli_half_done_find(
        cli_half_done *out, const cli_call *cli, pawl_log *log, pawl_error *err);
void cli_half_done_print(const cli_half_done *rollback, const cli_call *cli);
/** As the member `rollback` of an object that is open, if there is one. */
PAWL_MUST_CHECK pawl_status cli_half_done_json(
        pawl__json_writer *w, cli_half_done *rollback, const cli_call *cli, pawl_error *err);
