/**
 * @file cli/registry.h
 * @brief All that `pawl` and `eventlog` can do, as one registry.
 */
#pragma once

#include "command/registry.h"

extern const cli_registry cli_commands;
