/**
 * @file bench/source_tree.h
 * @brief A tree of files such as a project has: many small texts in folders of some twenty, a few
 *        large ones, and some files that cannot be compressed. The same at each run.
 */
#pragma once

#include "bench/measure.h"

enum { SOURCE_TREE_FILES = 20000 };

/** Make the folder @p path with @p files files, about 20 kB each. Returns their bytes. */
uint64_t source_tree_make(const char *path, size_t files);
/** Change @p n files of it: a line in the middle of each is another. @p round makes each change one
 *  of its own. */
void source_tree_change(const char *path, size_t files, size_t n, size_t round);
