/**
 * @file cli/pawl/git.h
 * @brief A commit of what is staged, by the git that the user has, with the user's hooks.
 */
#pragma once

#include <pawl/base.h>
#include <stdio.h>

/** Commit what is staged, in the working directory's repository; if nothing is, say so and do
 * nothing.
 *  @param out      where that is said; flushed before git prints.
 *  @param message  NULL or "": made of @p task. */
PAWL_MUST_CHECK pawl_status cli_git_commit(
        FILE *out, const char *task, const char *message, pawl_error *err);
