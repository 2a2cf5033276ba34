/**
 * @file tests/support/trees.h
 * @brief Trees of checkpoints in memory, written down as lines.
 */
#pragma once

#include "base/digest.h"
#include "support/test.h"
#include "workspace/store/tree_diff.h"

/** Encodings of directories and contents of files, by hash. Zero-initialised is empty. */
typedef struct trees {
        struct trees_item {
                unsigned char hash[32];
                pawl__buf data;
        } * items;
        size_t n, cap;
        pawl__hasher *hasher;
} trees;

typedef struct tree_hash {
        unsigned char bytes[32];
} tree_hash;

/**
 * A tree of these lines, which NULL ends; directories of which nothing is said have mode 0755:
 *     "f MODE PATH=CONTENT"   "d MODE PATH"   "l PATH=TARGET"   "x WHY PATH" (a pawl__skip)
 */
tree_hash tree_of(trees *t, ...);
/** The same, of an array. */
tree_hash tree_of_lines(trees *t, const char *const *lines, size_t n);
void trees_free(trees *t);

/** The tree of a real directory, without .pawl, read by plain calls: what a restore is compared
 * with.
 */
tree_hash tree_on_disk(trees *t, const char *directory);
/** Make a tree in a real directory, which is empty; for "x" a FIFO. */
void tree_put(const trees *t, const unsigned char hash[32], const char *directory);

/** A pawl__directories over them; PAWL_ENOTFOUND for what is not there. */
pawl__directories trees_directories(trees *t);
/** What has that hash, or NULL. */
const pawl__buf *trees_find(const trees *t, const unsigned char hash[32]);
