/**
 * @file base/system.h
 * @brief What the errno of a system call means: the one table of it.
 *
 * A caller that knows more about a failure (SQLite's connection, a workspace that changes
 * meanwhile) asks its own table first and leaves the rest to this one.
 */
#pragma once

#include "base/text.h"

/** The status of an errno; PAWL_EIO for one that says nothing of its own. @p error is not 0. */
pawl_status pawl__errno_status(int error);

/**
 * Fail with "PATH: cannot DOING: REASON; HOW TO FIX" and the status of @p error; at most 350 bytes
 * of the path are shown, so that there is always room for how to fix it. Any thread may call it.
 */
pawl_status pawl__fail_errno(pawl_error *err, int error, const char *path, const char *doing);
/** The same for a path that is no C string. */
pawl_status pawl__fail_errno_at(pawl_error *err, int error, pawl_text path, const char *doing);
