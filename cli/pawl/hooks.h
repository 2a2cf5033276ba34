/**
 * @file cli/pawl/hooks.h
 * @brief What the commands `hooks install`, `uninstall` and `status` share.
 */
#pragma once

#include "command/command.h"

#define CLI_AGENT_NAMES "claude|codex|gemini|vscode|cursor"

#define CLI_AGENT_OPTIONS                                                                          \
        {"agent", 0, 0, CLI_CHOICE, "NAME", CLI_AGENT_NAMES,                                       \
                "the agent: claude, codex, gemini, vscode or cursor"},                             \
        {                                                                                          \
                "user", 0, 0, CLI_LOCAL, NULL, NULL,                                               \
                        "the user's settings, for all projects, not those of this directory"       \
        }

/** `hooks install --agent NAME`: into its settings. Returns the exit code. */
int cli_hooks_install_agent(cli_call *cli);
