/**
 * @file cli/pawl/session_run.h
 * @brief What run and resume share: signals, prompts, progress, and how the outcome is told.
 */
#pragma once

#include "command/command.h"
#include <pawl/mission.h>

/** Run @p mission; or, if it is NULL, resume @p what (a token, a run, or NULL for the newest run).
 *  @p given has the options that the one or the other alone takes; @p watch: a live view, where
 *  this is a terminal, of a run that is known by its id. Returns the exit code. */
int cli_sit(const cli_call *cli, pawl_log *log, pawl_mission *mission, const char *what,
        const pawl_run_options *given, bool watch);
