/**
 * @file tests/support/rollback_model.h
 * @brief What going back must come to, by a model that shares nothing with the code that does it
 * but the form of a tree.
 */
#pragma once

#include "support/trees.h"

enum { MODEL_CHECKPOINTS = 4096 };

typedef struct model_checkpoint {
        tree_hash tree;
        bool safety, pruned;
} model_checkpoint;

/** Zero-initialised is empty; the test puts checkpoints in. */
typedef struct model {
        trees t;
        model_checkpoint checkpoints[MODEL_CHECKPOINTS]; /* [n] */
        uint64_t n;
        long left_alone; /* paths that were nobody's to take away, so far */
} model;

/**
 * What going back must come to: the target; and beside it what no checkpoint recorded, with the
 * directories that hold it. Where the target has a file and such a directory stands, that directory
 * stays.
 */
tree_hash model_expected(model *m, tree_hash now, tree_hash target);
/** What it must come to where @p name at the root alone is put as the target has it. */
tree_hash model_in_part(model *m, tree_hash now, tree_hash target, const char *name);
/** Is the path one of something in the directory? */
bool model_is_within(const char *path, const char *directory);
