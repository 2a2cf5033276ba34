/**
 * @file base/map.h
 * @brief A hash table from byte keys to 32-bit numbers, for the tables that are built in memory.
 *
 * Keys are borrowed: they must outlive the map (keep them in an arena). Each map has a hash seed of
 * its own, so that nobody can choose keys that collide. Zero-initialised is empty.
 */
#pragma once

#include "base/memory.h"

#define PAWL__MAP_NONE UINT32_MAX

typedef struct pawl__map_slot pawl__map_slot;
typedef struct pawl__map {
        pawl__map_slot *slots;
        size_t cap, count; /**< cap is a power of two, or 0 */
        uint64_t seed;
} pawl__map;

#define PAWL__MAP_INIT                                                                             \
        {                                                                                          \
                NULL, 0, 0, 0                                                                      \
        }

/** The number kept for @p key, or PAWL__MAP_NONE. */
uint32_t pawl__map_get(const pawl__map *map, pawl_text key);
/** Keep @p value (not PAWL__MAP_NONE) for @p key, over a former one. PAWL_ENOMEM leaves it as it
 * was. */
PAWL_MUST_CHECK pawl_status pawl__map_put(pawl__map *map, pawl_text key, uint32_t value);
/** The same, with a copy of the key, in the arena. */
PAWL_MUST_CHECK static inline pawl_status pawl__map_put_copy(
        pawl__map *map, pawl__arena *arena, pawl_text key, uint32_t value)
{
        const pawl_text copy = pawl__arena_copy(arena, key);

        return copy.data ? pawl__map_put(map, copy, value) : PAWL_ENOMEM;
}
/** The number kept for @p key; if there is none, @p value is kept for it, and is *out. One look-up
 *  in place of two. */
PAWL_MUST_CHECK pawl_status pawl__map_number(
        uint32_t *out, pawl__map *map, pawl_text key, uint32_t value);
void pawl__map_free(pawl__map *map);
