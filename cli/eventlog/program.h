/**
 * @file cli/eventlog/program.h
 * @brief The table of `eventlog`.
 */
#ifndef CLI_EVENTLOG_PROGRAM_H
#define CLI_EVENTLOG_PROGRAM_H

#include "command/command.h"

extern const cli_program eventlog_program;

#endif
