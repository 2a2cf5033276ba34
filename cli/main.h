/**
 * @file cli/main.h
 * @brief A program around its table of subcommands: the process and its standard streams.
 */
#pragma once

#include "command/registry.h"

/** All that main() does. @p commands are those that a command of it serves; NULL: none does. */
int cli_main(const cli_program *program, const cli_registry *commands, int argc, char **argv);
