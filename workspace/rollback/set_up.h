/**
 * @file workspace/rollback/set_up.h
 * @brief Making a worker's directory what a run's last checkpoint has.
 */
#pragma once

#include "workspace/workspace.h"

/**
 * Let the root of a run (pawl__workspace_open_run()) hold what the run's newest checkpoint has, and
 * nothing else but its directory .pawl: only what differs is written or removed. What that
 * checkpoint has is captured by those that come after it too, whatever the rules of this machine
 * say. The root is locked until the workspace is closed.
 * @return PAWL_EHELD while somebody else works in it; PAWL_EINVAL for a directory that holds what
 *         no worker put there; as a rollback otherwise. Half done, it can be called again.
 */
PAWL_MUST_CHECK pawl_status pawl__workspace_set_up(pawl__workspace *ws, pawl_error *err);
