/**
 * @file workspace/worktree.h
 * @brief Which work tree of git a log's commands are about.
 */
#pragma once

#include "base/json_write.h"
#include "state/state.h"

/** Let the log be about the work tree around @p directory, absolute, in all that does not name a
 * root: a linked one of git, if the log does not lie in it; else the workspace that the log lies
 * in. Git's files are read; the id of a work tree that has none yet is kept when its first
 * checkpoint is taken or its first session begins. */
PAWL_MUST_CHECK pawl_status pawl__workspace_enter(
        pawl_log *log, const char *directory, pawl_error *err);

/** From now on places are told by where the work trees are now, as the repository around the log
 * has them: one that was moved keeps its id. */
void pawl__worktrees_follow(pawl__state *state);

/** The members of SessionStarted that say in which linked work tree it is, whose id is kept from
 * now on; none for the workspace that the log lies in. */
PAWL_MUST_CHECK pawl_status pawl__worktree_write(
        pawl__json_writer *w, const pawl__state *state, pawl_error *err);
