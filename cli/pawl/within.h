/**
 * @file cli/pawl/within.h
 * @brief --within: files that are named must be in a directory.
 */
#pragma once

#include "command/command.h"

/** The real path of --within, for the command's time; NULL: it was not given. */
PAWL_MUST_CHECK pawl_status cli_within_root(
        const char **root, const cli_call *cli, pawl_error *err);
/** With --within, the file's real path in place of the one that was given. PAWL_EACCESS: it is not
 *  in that directory; as pawl__file_within(). */
PAWL_MUST_CHECK pawl_status cli_within(const char **path, const cli_call *cli, pawl_error *err);
