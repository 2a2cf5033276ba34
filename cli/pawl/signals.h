/**
 * @file cli/pawl/signals.h
 * @brief INT, TERM and HUP as bytes to read: what pawl_run_options.signal_fd wants.
 */
#pragma once

#include <pawl/base.h>

/**
 * From now on each signal writes its number into a pipe, whose read end is *fd; both ends close on
 * exec, and a child gets the default dispositions. INT and TERM are caught also where a shell
 * started the program with them ignored, as it does in the background; HUP stays ignored under
 * nohup. A closed standard output is an error to the one who writes, and no death in the middle of
 * a step.
 */
PAWL_MUST_CHECK pawl_status cli_signals_catch(int *fd, pawl_error *err);

/** The last signal that came, or 0. */
int cli_signals_last(void);
