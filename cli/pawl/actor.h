/**
 * @file cli/pawl/actor.h
 * @brief Who does it: --actor, or the user at the keyboard.
 */
#ifndef CLI_PAWL_ACTOR_H
#define CLI_PAWL_ACTOR_H

#include "base/text.h"
#include "command/command.h"

/** Append the actor: the value of --actor, else who the context says, else "user:NAME" of who runs
 * the process. The buffer is NUL-ended. */
PAWL_MUST_CHECK pawl_status cli_actor(pawl__buf *out, const cli_call *cli, pawl_error *err);

#endif
