/**
 * @file workspace/store/object_set.h
 * @brief Everything that trees hold: each directory and file content once, with its size, and the
 * sums.
 *
 * Trees that share directories share the walk, so that a tree made to name 2^60 files by 60
 * directories costs no more than those 60, and is refused by its sum.
 */
#pragma once

#include "base/map.h"
#include "workspace/store/tree_diff.h"

enum {
        PAWL__OBJECT_SET_DEPTH = 4096,       /**< directories within directories */
        PAWL__OBJECT_SET_ENTRIES = 100000000 /**< of one tree */
};

typedef struct pawl__object {
        unsigned char hash[32];
        uint64_t size;                  /**< bytes: of a directory, of its encoding */
        bool directory, file, document; /**< what it was met as; it may be several */
        bool chunk;                     /**< of a larger one (workspace/store/chunks.h) */
        bool history;                   /**< of a document: of a run (workspace/store/history.h) */
} pawl__object;

/** What is in a tree. */
typedef struct pawl__tree_sums {
        uint64_t files, bytes; /**< regular files, and their sizes */
        uint64_t entries; /**< all there is: directories, links and what was not captured, too */
} pawl__tree_sums;

typedef struct pawl__object_set {
        pawl__object *list; /**< in the order of meeting, until sorted */
        size_t n, cap;
        pawl__tree_sums *sums; /**< beside the list: of directories */
        size_t cap_sums;
        pawl__map map; /**< of hashes in the arena */
        pawl__arena arena;
} pawl__object_set;

/** Zero-initialised is empty. */
#define PAWL__OBJECT_SET_INIT                                                                      \
        {                                                                                          \
                NULL, 0, 0, NULL, 0, PAWL__MAP_INIT, PAWL__ARENA_INIT                              \
        }

/**
 * Add a tree: its topmost directory and all below.
 * @return what @p directories failed with; PAWL_EDAMAGED for an encoding that is none, or a content
 * of two sizes; PAWL_ETOOBIG for trees that are deeper or have more entries than the limits.
 */
PAWL_MUST_CHECK pawl_status pawl__object_set_tree(pawl__object_set *objects, pawl__tree_sums *sums,
        const unsigned char tree[32], const pawl__directories *directories, pawl_error *err);
/** Add a document: a checkpoint's state, outputs or, @p history, its run's history. */
PAWL_MUST_CHECK pawl_status pawl__object_set_document(pawl__object_set *objects,
        const unsigned char hash[32], uint64_t size, bool history, pawl_error *err);
/** Add a chunk of a content that was added. */
PAWL_MUST_CHECK pawl_status pawl__object_set_chunk(
        pawl__object_set *objects, const unsigned char hash[32], uint64_t size, pawl_error *err);
/** Directories first, each kind in the order of the hashes; nothing can be added after. */
void pawl__object_set_sort(pawl__object_set *objects);
void pawl__object_set_free(pawl__object_set *objects);
