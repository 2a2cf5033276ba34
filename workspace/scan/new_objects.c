/* Open addressing, three quarters full at most; a hash is as good a number as any. */
#include "workspace/scan/new_objects.h"
#include "base/error.h"
#include <stdlib.h>

static size_t place_of(const pawl__firsts *firsts, const unsigned char hash[32])
{
        uint64_t number;

        memcpy(&number, hash, sizeof number);
        return (size_t)number & (firsts->cap - 1);
}

static void put(pawl__firsts *firsts, const pawl__index *index, uint32_t slot)
{
        size_t i = place_of(firsts, pawl__index_entry_at(index, (size_t)slot * 8)->hash);

        while (firsts->slots[i])
                i = (i + 1) & (firsts->cap - 1);
        firsts->slots[i] = slot;
        firsts->count++;
}

pawl__index_entry *pawl__firsts_find(const pawl__firsts *firsts, const pawl__index *index,
        pawl__entry_kind kind, const unsigned char hash[32])
{
        if (firsts->cap == 0)
                return NULL;
        for (size_t i = place_of(firsts, hash); firsts->slots[i]; i = (i + 1) & (firsts->cap - 1)) {
                pawl__index_entry *entry =
                        pawl__index_entry_at(index, (size_t)firsts->slots[i] * 8);
                if (entry->kind == kind && memcmp(entry->hash, hash, 32) == 0)
                        return entry;
        }
        return NULL;
}

static pawl_status grow(pawl__firsts *firsts, const pawl__index *index, pawl_error *err)
{
        pawl__firsts grown = {NULL, firsts->cap ? firsts->cap * 2 : 64, 0};

        grown.slots = calloc(grown.cap, sizeof *grown.slots);
        if (!grown.slots)
                return pawl__nomem(err);
        for (size_t i = 0; i < firsts->cap; i++)
                if (firsts->slots[i])
                        put(&grown, index, firsts->slots[i]);
        pawl__firsts_free(firsts);
        *firsts = grown;
        return PAWL_OK;
}

pawl_status pawl__firsts_add(
        pawl__firsts *firsts, const pawl__index *index, size_t at, pawl_error *err)
{
        if (at / 8 > UINT32_MAX)
                return pawl__fail(
                        err, PAWL_ETOOBIG, "workspace: has too many files; ignore some of them");
        if (firsts->count >= firsts->cap / 4 * 3) {
                const pawl_status status = grow(firsts, index, err);
                if (status)
                        return status;
        }
        put(firsts, index, (uint32_t)(at / 8));
        return PAWL_OK;
}

void pawl__firsts_free(pawl__firsts *firsts)
{
        free(firsts->slots);
        *firsts = (pawl__firsts){NULL, 0, 0};
}
