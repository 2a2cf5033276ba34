/**
 * @file command/describe.h
 * @brief What a service offers, told to programs: the served commands of a registry as JSON.
 */
#pragma once

#include "base/json_write.h"
#include "command/registry.h"

/**
 * Write {"commands": [command, ...]}, a command being
 * {"name", "description", "arguments": [{"name", "description", "required", "repeated"}],
 * "options": [{"name", "letter", "kind", "value", "choices", "group", "description"}],
 * "sub_commands": [command, ...], "runs", "requires_workspace", "changes"}.
 *
 * Commands of two words, and those of a second program, are sub-commands of their first words,
 * under their whole name. A first word that is no command itself has "runs" false, no arguments and
 * no options. Options of one "group" (else null) are alternatives: exactly one is given. Not told
 * are options that a service refuses, and --json, which it always gives.
 */
void cli_describe(pawl__json_writer *w, const cli_registry *registry);
