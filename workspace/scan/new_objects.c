/* Open addressing, three quarters full at most; a hash is as good a number as any. */
#include "workspace/scan/new_objects.h"
#include "base/error.h"
#include <stdlib.h>

static size_t place_of(const pawl__new_objects *new_objects, const unsigned char hash[32])
{
        uint64_t number;

        memcpy(&number, hash, sizeof number);
        return (size_t)number & (new_objects->cap - 1);
}

static void put(pawl__new_objects *new_objects, const pawl__index *index, uint32_t slot)
{
        size_t i = place_of(new_objects, pawl__index_entry_at(index, (size_t)slot * 8)->hash);

        while (new_objects->slots[i])
                i = (i + 1) & (new_objects->cap - 1);
        new_objects->slots[i] = slot;
        new_objects->count++;
}

pawl__index_entry *pawl__new_objects_find(const pawl__new_objects *new_objects,
        const pawl__index *index, pawl__entry_kind kind, const unsigned char hash[32])
{
        if (new_objects->cap == 0)
                return NULL;
        for (size_t i = place_of(new_objects, hash); new_objects->slots[i];
                i = (i + 1) & (new_objects->cap - 1)) {
                pawl__index_entry *entry =
                        pawl__index_entry_at(index, (size_t)new_objects->slots[i] * 8);
                if (entry->kind == kind && memcmp(entry->hash, hash, 32) == 0)
                        return entry;
        }
        return NULL;
}

static pawl_status grow(pawl__new_objects *new_objects, const pawl__index *index, pawl_error *err)
{
        pawl__new_objects grown = {NULL, new_objects->cap ? new_objects->cap * 2 : 64, 0};

        grown.slots = calloc(grown.cap, sizeof *grown.slots);
        if (!grown.slots)
                return pawl__nomem(err);
        for (size_t i = 0; i < new_objects->cap; i++)
                if (new_objects->slots[i])
                        put(&grown, index, new_objects->slots[i]);
        pawl__new_objects_free(new_objects);
        *new_objects = grown;
        return PAWL_OK;
}

pawl_status pawl__new_objects_add(
        pawl__new_objects *new_objects, const pawl__index *index, size_t at, pawl_error *err)
{
        if (at / 8 > UINT32_MAX)
                return pawl__fail(
                        err, PAWL_ETOOBIG, "workspace: has too many files; ignore some of them");
        if (new_objects->count >= new_objects->cap / 4 * 3) {
                const pawl_status status = grow(new_objects, index, err);
                if (status)
                        return status;
        }
        put(new_objects, index, (uint32_t)(at / 8));
        return PAWL_OK;
}

void pawl__new_objects_free(pawl__new_objects *new_objects)
{
        free(new_objects->slots);
        *new_objects = (pawl__new_objects){NULL, 0, 0};
}
