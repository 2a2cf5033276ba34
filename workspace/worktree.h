/**
 * @file workspace/worktree.h
 * @brief Which work tree of git a log's commands are about.
 */
#pragma once

#include <pawl/events.h>

/** Let the log be about the work tree around @p directory, absolute, in all that does not name a
 * root: a linked one of git, if the log does not lie in it; else the workspace that the log lies
 * in. Git's files are read; the id of a work tree that has none yet is kept when its first
 * checkpoint is taken. */
PAWL_MUST_CHECK pawl_status pawl__workspace_enter(
        pawl_log *log, const char *directory, pawl_error *err);
