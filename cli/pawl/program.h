/**
 * @file cli/pawl/program.h
 * @brief The table of `pawl`.
 */
#pragma once

#include "command/command.h"

extern const cli_program pawl_program;
