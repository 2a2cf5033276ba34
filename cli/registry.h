/**
 * @file cli/registry.h
 * @brief All that `pawl` and `eventlog` can do, as one registry.
 */
#ifndef CLI_REGISTRY_H
#define CLI_REGISTRY_H

#include "command/registry.h"

extern const cli_registry cli_commands;

#endif
