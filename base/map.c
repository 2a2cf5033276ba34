/* Open addressing with linear steps; a slot keeps its key's hash, so that growing rehashes nothing.
 */
#include "base/map.h"
#include "base/text.h"
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct pawl__map_slot {
        const char *key;
        size_t len;
        uint32_t hash;
        uint32_t mark; /* the value + 1; 0: the slot is free */
};

enum { FIRST_SLOTS = 16, MANY_SLOTS = 4096 };

static inline uint64_t fold(uint64_t a, uint64_t b)
{
        __extension__ unsigned __int128 product = (unsigned __int128)a * b;

        return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Multiply and fold, eight bytes a round. The odd constants are the fractions of the square roots
 * of 2, 3 and 5. The low half of the result picks the slot. */
static inline uint32_t hash_key(uint64_t seed, pawl_text key)
{
        const uint64_t a = UINT64_C(0x6a09e667f3bcc909), b = UINT64_C(0xbb67ae8584caa73b);
        const uint64_t c = UINT64_C(0x3c6ef372fe94f82b);
        uint64_t hash = seed ^ a;
        size_t at = 0;

        for (; key.len - at > 8; at += 8)
                hash = fold(hash ^ pawl__load(key.data + at), b);
        if (key.len >= 8)
                hash = fold(hash ^ pawl__load(key.data + key.len - 8), b);
        else if (key.len)
                hash = fold(hash ^ pawl__load_short(key.data, key.len), b);
        hash = fold(hash ^ key.len, c);
        return (uint32_t)(hash ^ hash >> 32);
}

/* One for the process, so that who chooses keys cannot choose where they collide. */
static uint64_t hash_seed(void)
{
        static _Atomic uint64_t seed;
        uint64_t fresh = seed;
        struct timespec now;

        while (!fresh) {
                if (getrandom(&fresh, sizeof fresh, GRND_NONBLOCK) != (ssize_t)sizeof fresh) {
                        clock_gettime(CLOCK_MONOTONIC, &now);
                        fresh = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
                }
                seed = fresh;
        }
        return fresh;
}

/* The slot of the key, or the free one where it belongs. The map has a free slot. */
static inline pawl__map_slot *find(pawl__map_slot *slots, size_t cap, uint32_t hash, pawl_text key)
{
        for (size_t i = hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
                pawl__map_slot *slot = &slots[i];
                if (!slot->mark || (slot->hash == hash && slot->len == key.len &&
                                           pawl__same_bytes(slot->key, key.data, key.len)))
                        return slot;
        }
}

uint32_t pawl__map_get(const pawl__map *map, pawl_text key)
{
        if (!map->count)
                return PAWL__MAP_NONE;
        return find(map->slots, map->cap, hash_key(map->seed, key), key)->mark - 1;
}

static pawl_status grow(pawl__map *map)
{
        size_t cap = map->cap ? map->cap * (map->cap < MANY_SLOTS ? 4 : 2) : FIRST_SLOTS;
        pawl__map_slot *slots = cap > map->cap ? calloc(cap, sizeof *slots) : NULL;

        if (!slots)
                return PAWL_ENOMEM;
        for (size_t i = 0; i < map->cap; i++) {
                const pawl__map_slot *old = &map->slots[i];
                if (old->mark)
                        *find(slots, cap, old->hash, pawl__text_n(old->key, old->len)) = *old;
        }
        if (!map->cap)
                map->seed = hash_seed();
        free(map->slots);
        map->slots = slots;
        map->cap = cap;
        return PAWL_OK;
}

/* The slot of the key, or a free one that has its hash. There is room for it. */
static inline pawl_status take_slot(pawl__map_slot **out, pawl__map *map, pawl_text key)
{
        if (map->count >= map->cap / 10 * 7 && grow(map))
                return PAWL_ENOMEM;
        uint32_t hash = hash_key(map->seed, key);
        *out = find(map->slots, map->cap, hash, key);
        (*out)->hash = hash;
        return PAWL_OK;
}

static void fill_slot(pawl__map *map, pawl__map_slot *slot, pawl_text key, uint32_t value)
{
        if (!slot->mark)
                map->count++;
        *slot = (pawl__map_slot){key.data, key.len, slot->hash, value + 1};
}

pawl_status pawl__map_put(pawl__map *map, pawl_text key, uint32_t value)
{
        pawl__map_slot *slot;

        if (take_slot(&slot, map, key))
                return PAWL_ENOMEM;
        fill_slot(map, slot, key, value);
        return PAWL_OK;
}

pawl_status pawl__map_number(uint32_t *out, pawl__map *map, pawl_text key, uint32_t value)
{
        pawl__map_slot *slot;

        if (take_slot(&slot, map, key))
                return PAWL_ENOMEM;
        if (!slot->mark)
                fill_slot(map, slot, key, value);
        *out = slot->mark - 1;
        return PAWL_OK;
}

void pawl__map_free(pawl__map *map)
{
        free(map->slots);
        *map = (pawl__map)PAWL__MAP_INIT;
}
