/**
 * @file cli/pawl/outcome.h
 * @brief Telling how a run goes and what it came to, to people and as JSON.
 */
#pragma once

#include "base/json_write.h"
#include "command/command.h"
#include <pawl/mission.h>

typedef struct cli_progress {
        const cli_call *cli;
        bool steps;              /**< a line on stdout for each step that ends */
        bool live;               /**< a line on stderr for each step that begins */
        bool colours[2];         /**< on stdout, on stderr */
        pawl__json_writer taken; /**< the run's own checkpoints of the workspace, an array */
} cli_progress;

cli_progress cli_progress_of(const cli_call *cli);

/** pawl_progress_fn; @p user is a cli_progress. */
void cli_progress_show(
        pawl_run_stage stage, const char *step_id, size_t number, size_t of, void *user);

/** pawl_run_checkpoint_fn; @p user is a cli_progress. */
void cli_progress_checkpoint(const pawl_workspace_checkpoint_info *info, void *user);

/** The closing line or the JSON object, and the line on stderr for what is not well. Returns the
 * exit code. @p result is NULL where there is no run; @p progress is freed. */
int cli_print_outcome(const cli_call *cli, pawl_status status, const pawl_run_result *result,
        cli_progress *progress, const pawl_error *err);
