/**
 * @file command/repository.h
 * @brief Which repository of git a directory lies in, and where a log of it belongs.
 */
#pragma once

#include "command/command.h"
#include "workspace/git/git_place.h"

typedef struct cli_repository {
        pawl__git_place place;
        bool linked;    /**< a linked work tree: not the main one */
        pawl__buf main; /**< the directory that its log's .pawl belongs in: the top of the main work
                             tree, or a bare repository; without '/' at its end. Empty: it cannot be
                             reached */
} cli_repository;

/**
 * Find the repository around the absolute path @p directory, by reading git's files.
 *
 * A repository does not count if its top is / or the home directory, if it belongs to somebody
 * else, or if it ignores the directory. A submodule is a repository of its own.
 * @return PAWL_ENOTFOUND without a message: there is none that counts. Free *out whatever is
 * returned.
 */
PAWL_MUST_CHECK pawl_status cli_repository_find(
        cli_repository *out, const cli_call *cli, const char *directory, pawl_error *err);
void cli_repository_free(cli_repository *repository);
