/**
 * @file cli/pawl/params.h
 * @brief A mission's parameters on the command line: --set K=V, --params FILE, and the help of
 * them.
 */
#pragma once

#include "command/command.h"
#include <pawl/mission.h>

/** The rows of a table of options. */
#define CLI_PARAM_OPTIONS                                                                          \
        {"set", 0, 0, CLI_TEXTS, "NAME=VALUE", NULL,                                               \
                "a parameter of the mission; may be given again and again"},                       \
        {                                                                                          \
                "params", 0, 0, CLI_FILE, "FILE", NULL,                                            \
                        "parameters from a file, YAML or JSON; --set goes before"                  \
        }

/** Give the mission the parameters that were given here. CLI_DONE, or the exit code after saying
 * what is wrong. */
int cli_take_params(const cli_call *cli, pawl_mission *mission);
/** Whether any was. */
bool cli_params_given(const cli_call *cli);
/** For help: those of the mission that the first argument names, if it can be read. */
void cli_print_params(const cli_call *cli);
