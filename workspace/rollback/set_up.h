/**
 * @file workspace/rollback/set_up.h
 * @brief Making a worker's directory what a run's last checkpoint has.
 */
#pragma once

#include "workspace/workspace.h"
#include <limits.h>

/**
 * Let the root of a run (pawl__workspace_open_run()) hold what the run's newest checkpoint has, and
 * nothing else but its directory .pawl: only what differs is written or removed. What that
 * checkpoint has is captured by those that come after it too, whatever the rules of this machine
 * say. The root is locked until the workspace is closed.
 * @return PAWL_EHELD while somebody else works in it; PAWL_EINVAL for a directory that holds what
 *         no worker put there; as a rollback otherwise. Half done, it can be called again.
 */
PAWL_MUST_CHECK pawl_status pawl__workspace_set_up(pawl__workspace *ws, pawl_error *err);

/** The same in an empty directory, once, for a run that goes on there: durable when it returns.
 * From then on no worker takes the directory over, and who reads a root above it passes it by. */
PAWL_MUST_CHECK pawl_status pawl__workspace_set_up_once(pawl__workspace *ws, pawl_error *err);

/** Make the directory @p given, absolute, with those above it, where it is not there; @p real is
 *  where it is. */
PAWL_MUST_CHECK pawl_status pawl__directory_make(
        char real[PATH_MAX], const char *given, pawl_error *err);
