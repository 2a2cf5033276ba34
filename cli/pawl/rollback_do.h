/**
 * @file cli/pawl/rollback_do.h
 * @brief What rollback, restore, undo and redo share: the plan is shown, agreed to, and done.
 */
#pragma once

#include "command/command.h"
#include <pawl/rollback.h>

typedef struct cli_rollback {
        const cli_call *cli;
        pawl_log *log;
        pawl_workspace_options workspace;
        pawl_rollback_options options;
        const char *name, *question; /**< "undo", "undo it?" */
        bool without_asking;         /**< where there is nobody to ask, it is done */
        char hash[65];               /**< of the plan that was agreed to */
        pawl_error *err;
} cli_rollback;

/** Which workspace, and why, from the options. */
PAWL_MUST_CHECK pawl_status cli_rollback_begin(
        cli_rollback *g, const cli_call *cli, pawl_log *log, pawl_error *err);
/** Ask, and go to @p which (NULL: undo, or redo, as g->options say); with --plan only plan it. */
PAWL_MUST_CHECK pawl_status cli_rollback_do(
        pawl_rollback_plan **out, cli_rollback *g, const char *which);

/** Rows for the tables of their options: the first ones, and the last. */
#define CLI_ROLLBACK_OPTIONS                                                                       \
        {"plan", 0, 0, CLI_DRY_RUN, NULL, NULL, "only show what would be done, and its hash"},     \
                {"yes", 'y', 0, CLI_FLAG, NULL, NULL, "do it without asking"},                     \
        {                                                                                          \
                "apply", 0, 0, CLI_TEXT, "HASH", NULL, "do the plan of that hash, or nothing"      \
        }
#define CLI_ROLLBACK_OPTIONS_END                                                                   \
        {"reason", 0, 0, CLI_TEXT, "REASON", NULL, "why, for the log"}, CLI_WORKSPACE_OPTIONS,     \
                {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},                          \
        {                                                                                          \
                NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL                                             \
        }
