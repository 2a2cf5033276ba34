/**
 * @file cli/pawl/agree.h
 * @brief Asking on a terminal before something is changed.
 */
#ifndef CLI_PAWL_AGREE_H
#define CLI_PAWL_AGREE_H

#include "command/command.h"

/** Is there a terminal to ask on? */
bool cli_can_ask(const cli_call *cli);
/** Ask on it: "QUESTION [y/N] ". Only "y" and "yes" are agreement. */
bool cli_agrees(const char *question);

#endif
