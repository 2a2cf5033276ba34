/**
 * @file workspace/scan/new_objects.h
 * @brief Which entries of an index are the first with their hash: a set of a few bytes an entry.
 */
#pragma once

#include "workspace/scan/index.h"

/** Zero-initialised is empty. */
typedef struct pawl__new_objects {
        uint32_t *slots; /* offsets in the index, divided by eight; 0: free */
        size_t cap, count;
} pawl__new_objects;

/** The entry of that kind and hash, or NULL. */
pawl__index_entry *pawl__new_objects_find(const pawl__new_objects *new_objects,
        const pawl__index *index, pawl__entry_kind kind, const unsigned char hash[32]);
/** Add the entry at an offset, which is not in yet. PAWL_ENOMEM; PAWL_ETOOBIG from 32 GiB on. */
PAWL_MUST_CHECK pawl_status pawl__new_objects_add(
        pawl__new_objects *new_objects, const pawl__index *index, size_t at, pawl_error *err);
void pawl__new_objects_free(pawl__new_objects *new_objects);
