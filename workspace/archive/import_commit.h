/**
 * @file workspace/archive/import_commit.h
 * @brief A checkpoint of what a commit of git holds, so that the workspace can be put back to it.
 */
#pragma once

#include "workspace/workspace.h"

/**
 * Take the files of a commit into the log, as an import does: the checkpoint is not current until
 * it is rolled back to, and it is of no run. Contents are as git stores them: no filter is run.
 * Where what is there now has a mode that git can't tell from the commit's, it is kept; what is new
 * gets 0644 or 0755. A submodule is named and not captured, so that a rollback leaves it alone. One
 * that the log has already, with the same tree, is taken again.
 *
 * @param[out] n      its number
 * @param commit      40 hex digits, of a commit or a tag
 * @param repository  the directory of the repository; NULL: the one around the workspace
 * @return PAWL_ENOTFOUND: no such repository, commit or object, or no libgit2; PAWL_EACCESS: the
 *         repository is somebody else's; PAWL_EINVAL for a tree that git does not make;
 *         PAWL_ETOOBIG beyond the bounds of the workspace; PAWL_EREADONLY; as
 *         pawl__workspace_open(). Then nothing was written.
 */
PAWL_MUST_CHECK pawl_status pawl__workspace_import_commit(uint64_t *n, pawl_log *log,
        const char *commit, const char *repository, const pawl_workspace_options *options,
        pawl_error *err);
