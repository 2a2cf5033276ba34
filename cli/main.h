/**
 * @file cli/main.h
 * @brief A program around its table of subcommands: the process and its standard streams.
 */
#pragma once

#include "command/command.h"

/** All that main() does. */
int cli_main(const cli_program *program, int argc, char **argv);
