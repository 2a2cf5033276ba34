/**
 * @file mission/within.h
 * @brief A file that is named from outside must be in a directory.
 */
#pragma once

#include <limits.h>
#include <pawl/base.h>

/**
 * The real path of a file that is in @p root. Neither the name nor a link leads out of it.
 * @param path  absolute, or from the working directory, which is then @p root or below it.
 * @param root  an absolute path without links.
 * @return PAWL_EACCESS: it leads out; the message does not tell whether it exists. PAWL_EINVAL: it
 * is not a regular file. PAWL_ENOTFOUND, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status pawl__file_within(
        char real[PATH_MAX], const char *path, const char *root, pawl_error *err);
