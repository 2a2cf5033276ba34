/**
 * @file cli/pawl/agree.h
 * @brief Asking on a terminal before something is changed.
 */
#pragma once

#include "command/command.h"

/** Is there a terminal to ask on? */
bool cli_can_ask(const cli_call *cli);
/** Ask on it: "QUESTION [y/N] ". Only "y" and "yes", in any case of letters, are
 * agreement. */
bool cli_agrees(const char *question);
/** Is the answer "y" or "yes", in any case of letters? */
bool cli_is_yes(const char *answer, size_t len);
