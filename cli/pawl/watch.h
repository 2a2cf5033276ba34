/**
 * @file cli/pawl/watch.h
 * @brief A live view of a run: its steps as they go, until it has ended.
 */
#pragma once

#include "command/command.h"
#include <pawl/mission.h>
#include <sys/types.h>

/** Draw the run, anew as it changes, until nobody is at it: on a terminal in place, elsewhere a
 * line a change. It may not have begun yet: that is waited for, for some seconds. */
PAWL_MUST_CHECK pawl_status cli_watch(
        const cli_call *cli, pawl_log *log, const char *run_id, pawl_error *err);

/** A view by a process of its own, on the terminal of this one, which prints nothing there
 *  meanwhile. Zero-initialise. */
typedef struct cli_watcher {
        pid_t pid; /**< 0: there is none */
        int out, err;
        FILE *kept; /**< what there was to say meanwhile */
        char *text;
        size_t len;
} cli_watcher;

/** Where standard output is a terminal; else nothing is done. */
PAWL_MUST_CHECK pawl_status cli_watcher_begin(
        cli_watcher *watcher, const cli_call *cli, const char *run_id, pawl_error *err);
/** For pawl_run_options.notice, with the watcher as @p user. */
void cli_watcher_notice(const char *line, void *user);
void cli_watcher_end(cli_watcher *watcher);
