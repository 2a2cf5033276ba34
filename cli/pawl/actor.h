/**
 * @file cli/pawl/actor.h
 * @brief Who does it: --actor, or the user at the keyboard.
 */
#pragma once

#include "command/command.h"

/** The value of --actor, else who the context says, else "user:NAME" of who runs the process. Lives
 * as long as the command runs. */
PAWL_MUST_CHECK pawl_status cli_actor(const char **out, const cli_call *cli, pawl_error *err);
/** "user:NAME" of who runs the process. */
void cli_user(char out[300]);
