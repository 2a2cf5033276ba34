/**
 * @file workspace/ignored_then.h
 * @brief What the rules of a checkpoint leave out: a path that they ignore may have been there when
 *        it was taken. So no rollback to it removes what is there now, and no comparison says that
 *        it came or went.
 *
 * The rules are those of its own .gitignore and .pawlignore files, git's other lists
 * (workspace/scan/git_rules.h) and the lists of the settings that it was taken with. What git
 * tracked is not known: such a file was captured, if it was there.
 */
#pragma once

#include "workspace/scan/ignore.h"
#include "workspace/workspace.h"

typedef struct pawl__ignored_then {
        pawl__contents *contents;
        const pawl__directories *directories;
        const unsigned char *tree; /**< NULL: nothing is known to be ignored */
        uint64_t seq;              /**< of the event of the checkpoint whose tree it is */
        pawl__arena arena;
        pawl__buf path;     /**< of the innermost directory, below that of the root's in git's
                                 work tree */
        size_t root_len;    /**< of the latter */
        pawl__ignore rules; /**< in force there */
        pawl__ignore included, excluded; /**< what its lists capture all the same, and leave out */
        struct pawl__then_level *levels; /**< directories of the tree, the root first */
        size_t n_levels, cap_levels;
} pawl__ignored_then;

/** @p yes: the checkpoint's rules leave out the path, or a directory above it. Each directory is
 *  read once if paths are asked for in the order of a walk. */
PAWL_MUST_CHECK pawl_status pawl__ignored_then_has(
        bool *yes, pawl__ignored_then *then, pawl_text path, bool directory, pawl_error *err);
/** Is what comes or goes by the change ignored by the side that does not have it? Of two sides,
 *  from and to. */
PAWL_MUST_CHECK pawl_status pawl__ignored_then_change(
        bool *yes, pawl__ignored_then sides[2], const pawl__change *change, pawl_error *err);
void pawl__ignored_then_free(pawl__ignored_then *then);
