/**
 * @file cli/pawl/begin.h
 * @brief A mission that is to begin, and the log that it goes into.
 */
#pragma once

#include "command/command.h"
#include <pawl/mission.h>

/**
 * Load the mission that the first argument names, with its parameters, and open the log, which is
 * created where there is none: not for a mission that would be refused.
 * @param here  are its commands started by this process?
 * @return 0; otherwise the exit code, the failure is printed, and there is nothing to free.
 */
int cli_begin(pawl_mission **mission, pawl_log **log, cli_call *cli, bool here);
