/**
 * @file cli/pawl/archive.h
 * @brief What `pawl export` and `pawl import` print.
 */
#pragma once

#include "command/command.h"
#include <pawl/workspace.h>

/** What was written to, or read from, the archive at @p path. */
PAWL_MUST_CHECK pawl_status cli_print_archive(const cli_call *cli, const char *path,
        const pawl_archive_result *result, bool imported, pawl_error *err);
