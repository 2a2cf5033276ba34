/**
 * @file cli/pawl/plan.h
 * @brief Showing what going back would do, or did.
 */
#pragma once

#include "base/json_write.h"
#include "command/command.h"
#include <pawl/rollback.h>
#include <stdio.h>

/** The plan for people: each path, the steps, git, and last its hash. */
void cli_plan_print(FILE *stream, const pawl_rollback_plan *plan);
/** The object, into a document; null where @p plan is NULL. */
void cli_plan_object(pawl__json_writer *w, const pawl_rollback_plan *plan, bool applied);
/** One object; @p applied: it was done. */
PAWL_MUST_CHECK pawl_status cli_plan_json(
        const cli_call *cli, const pawl_rollback_plan *plan, bool applied, pawl_error *err);
/** After what was done was told: PAWL_ESTATE where the checkpoint has something that could not be
 *  put back. */
PAWL_MUST_CHECK pawl_status cli_plan_missed(const pawl_rollback_plan *plan, pawl_error *err);
/** What was done, in a few lines, or as the object under --json. */
PAWL_MUST_CHECK pawl_status cli_plan_done(
        const cli_call *cli, pawl_log *log, const pawl_rollback_plan *of, pawl_error *err);
