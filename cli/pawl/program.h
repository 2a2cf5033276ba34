/**
 * @file cli/pawl/program.h
 * @brief The table of `pawl`.
 */
#ifndef CLI_PAWL_PROGRAM_H
#define CLI_PAWL_PROGRAM_H

#include "command/command.h"

extern const cli_program pawl_program;

#endif
