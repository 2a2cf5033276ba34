/**
 * @file workspace/scan/preload.h
 * @brief Threads that go ahead of a scan and look at the files of the former index: each that still
 *        has the status that it had is marked PAWL__INDEX_SEEN there.
 *
 * They begin some way behind the scan's beginning and go to the end, each through a part of its
 * own, while the scan goes through all of it: where it finds the mark, it need not look. They
 * change nothing but marks; whether they run or not, the scan comes to the same.
 */
#pragma once

#include "workspace/scan/index.h"
#include <sys/stat.h>

typedef struct pawl__preload pawl__preload;

/** Start them for the root whose handle is @p root. NULL: there is too little to be looked at, or
 * one processor, or no thread to be had. The index must live until the end. */
pawl__preload *pawl__preload_start(const pawl__index *index, int root);
/** The scan has come to this directory of the index. @p preload may be NULL. */
void pawl__preload_advance(pawl__preload *preload, size_t directory);
/** Let them end, and wait for it. NULL is allowed. */
void pawl__preload_end(pawl__preload *preload);

/** Was this entry marked? */
static inline bool pawl__preload_seen(const pawl__index_entry *entry)
{
        return __atomic_load_n(&entry->flags, __ATOMIC_ACQUIRE) & PAWL__INDEX_SEEN;
}

/** Is it the file, unchanged, that the entry of a former index tells of? */
bool pawl__index_untouched(const pawl__index_entry *entry, const struct stat *st);
