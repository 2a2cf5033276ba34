/**
 * @file workspace/git/git_plain.h
 * @brief Where git stands, read from its own two files where that is plain, without libgit2, which
 *        takes 4.7 ms to start: a tenth of a checkpoint of 20,000 files.
 */
#pragma once

#include "workspace/git/git.h"

/**
 * The commit and branch of the repository around @p root (absolute).
 * @return PAWL_DONE: there is none. PAWL_ENOTFOUND, without a message: it is not plain (a work tree
 *         or submodule of another, a branch without a file of its own, another owner); ask libgit2.
 */
PAWL_MUST_CHECK pawl_status pawl__git_head_plain(
        pawl__git_head *out, const char *root, pawl__arena *arena, pawl_error *err);
