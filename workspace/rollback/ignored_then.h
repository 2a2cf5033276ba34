/**
 * @file workspace/rollback/ignored_then.h
 * @brief What the rules of a checkpoint leave out: a path that they ignore may have been there when
 *        it was taken, so that no rollback to it removes what is there now.
 *
 * The rules are those of its own .gitignore and .pawlignore files, and the lists that it was taken
 * with. Others, such as info/exclude, are not recorded: those of now are in force.
 */
#pragma once

#include "workspace/rollback/plan.h"
#include "workspace/scan/ignore.h"
#include "workspace/workspace.h"

typedef struct pawl__ignored_then {
        pawl__workspace *ws;
        const pawl__directories *directories;
        const unsigned char *tree;
        const pawl__row *checkpoint; /**< whose tree it is */
        pawl__buf directory; /**< its path with the '/' after it, which the rules are read for */
        pawl__ignore rules;  /**< in force there */
        pawl__ignore included, excluded; /**< what its lists capture all the same, and leave out */
        bool listed, read, all;          /**< all: the directory itself is ignored */
} pawl__ignored_then;

/** @p yes: the tree's rules leave out the path, or a directory above it. Fast for one directory's
 *  paths after another. */
PAWL_MUST_CHECK pawl_status pawl__ignored_then_has(
        bool *yes, pawl__ignored_then *then, pawl_text path, bool directory, pawl_error *err);
void pawl__ignored_then_free(pawl__ignored_then *then);
