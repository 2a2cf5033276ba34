/**
 * @file workspace/scan/git_config.h
 * @brief What a scan must know of git's configuration, read from its files without libgit2.
 *
 * The files are those of the system, the user and the repository, the later before the earlier,
 * with include.path and, of includeIf, "gitdir:" and "gitdir/i:". The environment does not count.
 */
#pragma once

#include "base/text.h"

/** Whose configuration. */
typedef struct pawl__git_user {
        const char *home;        /**< NULL: not known */
        const char *config_home; /**< $XDG_CONFIG_HOME; NULL: ~/.config */
} pawl__git_user;

typedef struct pawl__git_config {
        pawl__buf excludes; /**< the path of core.excludesFile, or of its default; "": none */
        pawl__buf worktree; /**< core.worktree, as it is written; "": not set */
        bool sha256;        /**< extensions.objectFormat */
        bool bare;          /**< core.bare */
        bool fold;          /**< core.ignoreCase: in patterns the case of letters does not count */
} pawl__git_config;

/**
 * @param git     the repository's directory, and @p common the one that it shares with its other
 * work trees; NULL: there is none
 * @param top     of its work tree: what a relative core.excludesFile is below
 * @return PAWL_EPARSE naming file and line; PAWL_EACCESS, PAWL_EIO of the repository's own file.
 *         Free *out whatever is returned.
 */
PAWL_MUST_CHECK pawl_status pawl__git_config_read(pawl__git_config *out, const pawl__git_user *user,
        const char *git, const char *common, const char *top, pawl_error *err);
void pawl__git_config_free(pawl__git_config *found);
