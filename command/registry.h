/**
 * @file command/registry.h
 * @brief The commands of several programs by one name each: what a service offers.
 *
 * The commands of the first program have their own names ("resolve", "session start"), those of the
 * others the program's name before it ("eventlog show").
 */
#pragma once

#include "command/command.h"

typedef struct cli_registry {
        const cli_program *const *programs; /**< ended by NULL; lives as long as the registry */
} cli_registry;

/** A command, and the program in whose name it speaks: for cli_parse_cmd(). */
typedef struct cli_entry {
        const cli_program *program;
        const cli_cmd *cmd;
} cli_entry;

/** The command of exactly this name, whether it is served or not. False: there is none. */
bool cli_registry_find(cli_entry *out, const cli_registry *registry, const char *name);
