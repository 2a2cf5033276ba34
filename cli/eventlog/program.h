/**
 * @file cli/eventlog/program.h
 * @brief The table of `eventlog`.
 */
#pragma once

#include "command/command.h"

extern const cli_program eventlog_program;
