#include "base/json_walk.h"
#include "base/json_read.h"
#include "base/text.h"
#include <stdlib.h>

pawl_status pawl__reorder_add(pawl__reorder *walk, uint32_t start, uint32_t end,
        const pawl__member *members, size_t n, bool borrow)
{
        if (pawl__grow(
                    &walk->objects, &walk->cap_objects, walk->n_objects + 1, sizeof *walk->objects))
                return PAWL_ENOMEM;
        if (!borrow) {
                if (pawl__grow(&walk->members, &walk->cap_members, walk->n_members + n,
                            sizeof *walk->members))
                        return PAWL_ENOMEM;
                memcpy(walk->members + walk->n_members, members, n * sizeof *members);
        }
        walk->objects[walk->n_objects++] =
                (pawl__reorder_object){start, end, borrow ? members : NULL, walk->n_members, n};
        if (!borrow)
                walk->n_members += n;
        return PAWL_OK;
}

/* Where the text goes: gathered in the stage, and from there to the hasher, if there is one. */
struct sink {
        char *stage;
        size_t n, cap;
        pawl__hasher *hasher;
        pawl_status status;
};

static void flush(struct sink *sink)
{
        if (!sink->status && sink->hasher)
                sink->status = pawl__hasher_add(sink->hasher, sink->stage, sink->n);
        sink->n = 0;
}

static void put(struct sink *sink, const char *data, size_t n)
{
        if (n > sink->cap - sink->n) {
                flush(sink);
                if (n > sink->cap) {
                        if (!sink->status)
                                sink->status = pawl__hasher_add(sink->hasher, data, n);
                        return;
                }
        }
        memcpy(sink->stage + sink->n, data, n);
        sink->n += n;
}

/* A run of the text, and the object after whose members the walk goes on behind it. */
struct stop {
        uint32_t at, end;
        const pawl__member *next, *last; /* what is left of the object's members */
};

/* The first noted object that begins at or after @p at: of nested ones the outermost. */
static const pawl__reorder_object *object_from(const pawl__reorder *walk, uint32_t at)
{
        size_t low = 0, high = walk->n_objects;

        while (low < high) {
                const size_t middle = low + (high - low) / 2;
                if (walk->objects[middle].start < at)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low < walk->n_objects ? &walk->objects[low] : NULL;
}

static int compare_starts(const void *a, const void *b)
{
        const pawl__reorder_object *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

static void walk_text(pawl__reorder *walk, const char *text, size_t len, struct sink *sink)
{
        struct stop stops[PAWL__JSON_DEPTH + 1], *stop = stops;

        qsort(walk->objects, walk->n_objects, sizeof *walk->objects, compare_starts);
        *stop = (struct stop){0, (uint32_t)len, NULL, NULL};
        for (;;) {
                if (stop->at < stop->end) {
                        const pawl__reorder_object *object = object_from(walk, stop->at);
                        if (!object || object->start >= stop->end) {
                                put(sink, text + stop->at, stop->end - stop->at);
                                stop->at = stop->end;
                                continue;
                        }
                        const pawl__member *members =
                                object->borrowed ? object->borrowed : walk->members + object->first;
                        put(sink, text + stop->at, object->start + 1 - stop->at);
                        stop->at = object->end;
                        *++stop = (struct stop){
                                members->start, members->end, members + 1, members + object->n};
                } else if (stop == stops) {
                        return;
                } else if (stop->next < stop->last) {
                        put(sink, ",", 1);
                        stop->at = stop->next->start;
                        stop->end = stop->next->end;
                        stop->next++;
                } else {
                        put(sink, "}", 1);
                        stop--;
                }
        }
}

pawl_status pawl__reorder_hash(pawl__reorder *walk, const char *text, size_t len,
        pawl__hasher *hasher, char *stage, size_t stage_cap)
{
        struct sink sink = {stage, 0, stage_cap, hasher, PAWL_OK};

        walk_text(walk, text, len, &sink);
        flush(&sink);
        walk->n_objects = walk->n_members = 0;
        return sink.status;
}

void pawl__reorder_text(pawl__reorder *walk, const char *text, size_t len, char *out)
{
        struct sink sink = {out, 0, len, NULL, PAWL_OK};

        walk_text(walk, text, len, &sink);
        walk->n_objects = walk->n_members = 0;
}

void pawl__reorder_free(pawl__reorder *walk)
{
        free(walk->objects);
        free(walk->members);
        *walk = (pawl__reorder){NULL, 0, 0, NULL, 0, 0};
}
