/**
 * @file cli/pawl/unfinished.h
 * @brief What `pawl run` does about a run of the same mission that was left unfinished.
 */
#pragma once

#include "command/command.h"
#include <pawl/mission.h>

typedef enum cli_choice {
        CLI_START,  /**< a new run, as none is unfinished: if that still holds when it begins */
        CLI_BESIDE, /**< a new run, whatever is unfinished */
        CLI_GO_ON,  /**< with the run in *run */
        CLI_NEITHER /**< it was said why; the exit code is in *code */
} cli_choice;

/** By the options --resume, --fresh and --run; else by asking on a terminal, and nowhere else. */
cli_choice cli_choose_run(pawl_unfinished *run, int *code, const cli_call *cli, pawl_log *log,
        const pawl_mission *mission);
