/**
 * @file command/fork_root.h
 * @brief The directory of its own that a fork's files are in, and the log that it is of.
 *
 * Such a directory has the run's id in .pawl/root and the name of the log in .pawl/log. The name is
 * believed where directory and file would be as a log's that is found (command/owner.h), and where
 * that log knows a run whose files are in this directory.
 */
#pragma once

#include "base/text.h"
#include "command/command.h"
#include <pawl/events.h>

/** The log that the directory of @p len bytes names, which is there. PAWL_ENOTFOUND without a
 *  message: it names none. PAWL_EIO: the log is gone; PAWL_EACCESS. */
PAWL_MUST_CHECK pawl_status cli_fork_log(
        pawl__buf *path, const char *directory, size_t len, pawl_error *err);

/** The run whose directory the working directory is in, if a log that was not named was found by
 *  it; else absent. PAWL_EINVAL: the log has no run there. PAWL_ESTATE for a command that works on
 *  the files of the log's workspace, which are elsewhere. */
PAWL_MUST_CHECK pawl_status cli_fork_enter(
        pawl_text *run_id, const cli_call *cli, pawl_log *log, pawl_error *err);
