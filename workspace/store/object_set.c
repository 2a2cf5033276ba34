#include "workspace/store/object_set.h"
#include "base/digest.h"
#include "base/error.h"
#include <stdlib.h>

/* A directory on the way, and how far its entries are read. */
struct frame {
        uint32_t at; /* its place in the list */
        pawl__buf encoded;
        pawl__tree_reader reader;
        pawl__tree_sums sums;
};

struct walk {
        pawl__object_set *objects;
        const pawl__directories *directories;
        struct frame *frames;
        size_t depth, cap;
        pawl_error *err;
};

static pawl_status damaged(pawl_error *err, const unsigned char hash[32], const char *what)
{
        char hex[65];

        pawl__hex(hex, hash, 32);
        return pawl__fail(err, PAWL_EDAMAGED, "content %.16s: %s; take another copy", hex, what);
}

/* The place of a hash, which is new where that is the end of the list. */
static pawl_status find(
        uint32_t *at, pawl__object_set *r, const unsigned char hash[32], pawl_error *err)
{
        const pawl_text key = {(const char *)hash, 32};

        *at = pawl__map_get(&r->map, key);
        if (*at != PAWL__MAP_NONE)
                return PAWL_OK;
        if (r->n >= PAWL__MAP_NONE - 1)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "checkpoints: have more than 4 billion contents; take fewer of them");
        *at = (uint32_t)r->n;
        if (pawl__grow(&r->list, &r->cap, r->n + 1, sizeof *r->list) ||
                pawl__grow(&r->sums, &r->cap_sums, r->n + 1, sizeof *r->sums) ||
                pawl__map_put_copy(&r->map, &r->arena, key, *at))
                return pawl__nomem(err);
        r->list[r->n] = (pawl__object){.size = 0};
        r->sums[r->n] = (pawl__tree_sums){0, 0, 0};
        memcpy(r->list[r->n++].hash, hash, 32);
        return PAWL_OK;
}

/* Met as a file or a document of that size. */
static pawl_status meet(pawl__object **out, pawl__object_set *r, const unsigned char hash[32],
        uint64_t size, pawl_error *err)
{
        const size_t known = r->n;
        uint32_t at;
        pawl_status status = find(&at, r, hash, err);

        if (status)
                return status;
        if (at == known)
                r->list[at].size = size;
        else if (r->list[at].size != size)
                return damaged(err, hash, "two sizes are given for it");
        *out = &r->list[at];
        return PAWL_OK;
}

pawl_status pawl__object_set_document(pawl__object_set *r, const unsigned char hash[32],
        uint64_t size, bool history, pawl_error *err)
{
        pawl__object *met = NULL;
        pawl_status status = meet(&met, r, hash, size, err);

        if (met) {
                met->document = true;
                met->history = met->history || history;
        }
        return status;
}

pawl_status pawl__object_set_chunk(
        pawl__object_set *r, const unsigned char hash[32], uint64_t size, pawl_error *err)
{
        pawl__object *met = NULL;
        const pawl_status status = meet(&met, r, hash, size, err);

        if (met)
                met->chunk = true;
        return status;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* Go into a directory that was not met as one before. */
static pawl_status enter(struct walk *w, uint32_t at, bool fresh)
{
        pawl__object_set *r = w->objects;
        unsigned char hash[32];

        if (w->depth >= PAWL__OBJECT_SET_DEPTH)
                return pawl__fail(w->err, PAWL_ETOOBIG,
                        "checkpoint: has more than %d directories within each other; move them up",
                        PAWL__OBJECT_SET_DEPTH);
        if (pawl__grow(&w->frames, &w->cap, w->depth + 1, sizeof *w->frames))
                return pawl__nomem(w->err);
        struct frame *frame = &w->frames[w->depth++];
        *frame = (struct frame){.at = at};
        memcpy(hash, r->list[at].hash, 32);
        pawl_status status =
                w->directories->get(&frame->encoded, hash, w->directories->user, w->err);
        if (status)
                return status;
        if (fresh)
                r->list[at].size = frame->encoded.len;
        else if (r->list[at].size != frame->encoded.len)
                return damaged(w->err, hash, "two sizes are given for it");
        r->list[at].directory = true;
        return pawl__tree_open(&frame->reader, pawl__buf_text(&frame->encoded), w->err);
}

static pawl_status add_sums(struct walk *w, pawl__tree_sums *to, const pawl__tree_sums *more)
{
        to->files += more->files;
        to->entries += more->entries;
        if (to->entries > PAWL__OBJECT_SET_ENTRIES || UINT64_MAX - to->bytes < more->bytes)
                return pawl__fail(w->err, PAWL_ETOOBIG,
                        "checkpoint: has more than %d entries, or more bytes than can be counted; "
                        "leave directories out with .pawlignore",
                        PAWL__OBJECT_SET_ENTRIES);
        to->bytes += more->bytes;
        return PAWL_OK;
}

static pawl_status take_directory(struct walk *w, const pawl__entry *entry)
{
        pawl__object_set *r = w->objects;
        const pawl__tree_sums one = {0, 0, 1};
        const size_t known = r->n;
        uint32_t at;
        pawl_status status = find(&at, r, entry->hash, w->err);

        if (!status)
                status = add_sums(w, &w->frames[w->depth - 1].sums, &one);
        if (status)
                return status;
        if (r->list[at].directory) /* hashes have no circles: it is done, and not on the way */
                return add_sums(w, &w->frames[w->depth - 1].sums, &r->sums[at]);
        return enter(w, at, at == known);
}

static pawl_status take_entry(struct walk *w, const pawl__entry *entry)
{
        pawl__tree_sums one = {0, 0, 1};
        pawl__object *met = NULL;

        if (entry->kind == PAWL__ENTRY_DIRECTORY)
                return take_directory(w, entry);
        if (entry->kind == PAWL__ENTRY_FILE) {
                pawl_status status = meet(&met, w->objects, entry->hash, entry->size, w->err);
                if (!met)
                        return status;
                met->file = true;
                one = (pawl__tree_sums){1, entry->size, 1};
        }
        return add_sums(w, &w->frames[w->depth - 1].sums, &one);
}

static pawl_status step(struct walk *w)
{
        struct frame *frame = &w->frames[w->depth - 1];
        pawl__entry entry;
        pawl_status status = pawl__tree_next(&entry, &frame->reader, w->err);

        if (status == PAWL_OK)
                return take_entry(w, &entry);
        if (status != PAWL_DONE)
                return status;
        const pawl__tree_sums sums = frame->sums;
        w->objects->sums[frame->at] = sums;
        pawl__buf_free(&frame->encoded);
        w->depth--;
        return w->depth ? add_sums(w, &w->frames[w->depth - 1].sums, &sums) : PAWL_OK;
}

pawl_status pawl__object_set_tree(pawl__object_set *r, pawl__tree_sums *sums,
        const unsigned char tree[32], const pawl__directories *directories, pawl_error *err)
{
        struct walk w = {.objects = r, .directories = directories, .err = err};
        const size_t known = r->n;
        uint32_t at;
        pawl_status status = find(&at, r, tree, err);

        if (!status && !r->list[at].directory)
                status = enter(&w, at, at == known);
        while (!status && w.depth > 0)
                status = step(&w);
        while (w.depth > 0)
                pawl__buf_free(&w.frames[--w.depth].encoded);
        free(w.frames);
        if (!status)
                *sums = r->sums[at];
        return status;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
        const pawl__object *first = a, *second = b;

        if (first->directory != second->directory)
                return first->directory ? -1 : 1;
        return memcmp(first->hash, second->hash, 32);
}

void pawl__object_set_sort(pawl__object_set *r)
{
        if (r->n > 0)
                qsort(r->list, r->n, sizeof *r->list, compare);
}

void pawl__object_set_free(pawl__object_set *r)
{
        free(r->list);
        free(r->sums);
        pawl__map_free(&r->map);
        pawl__arena_free(&r->arena);
        *r = (pawl__object_set)PAWL__OBJECT_SET_INIT;
}
