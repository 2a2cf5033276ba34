/*
 * The union of many trees, unfolded along one path at a time: a level is a directory's path, with
 * the names that any tree has there and, of those that are directories, the hashes they have had.
 */
#include "workspace/rollback/tracked_paths.h"
#include "base/error.h"
#include "base/map.h"
#include <stdlib.h>

#define NONE UINT32_MAX

typedef struct version { /* a directory's encoding in one or more of the trees */
        unsigned char hash[32];
        uint32_t next; /* of the same name; NONE */
} version;

typedef struct level {
        pawl_text path; /* in the arena */
        pawl__arena arena;
        pawl__map names; /* to an index of first */
        pawl__map known; /* the first of a name, and a hash: its versions */
        uint32_t *first; /* the first version of the name; NONE: no tree has a directory there */
        version *versions;
        size_t n_names, cap_names, n_versions, cap_versions;
} level;

struct pawl__tracked_paths {
        const pawl__directories *directories;
        pawl__buf encoded;
        level *levels; /* [0]: the root */
        size_t n, cap;
};

static void level_free(level *l)
{
        pawl__arena_free(&l->arena);
        pawl__map_free(&l->names);
        pawl__map_free(&l->known);
        free(l->first);
        free(l->versions);
}

void pawl__tracked_paths_free(pawl__tracked_paths *recorded)
{
        if (!recorded)
                return;
        while (recorded->n)
                level_free(&recorded->levels[--recorded->n]);
        free(recorded->levels);
        pawl__buf_free(&recorded->encoded);
        free(recorded);
}

/* ---- Building a level ----------------------------------------------------------------------- */

static pawl_status add_version(
        level *l, uint32_t name, uint32_t *first, const unsigned char hash[32], pawl_error *err)
{
        char key[sizeof name + 32];

        if (*first != NONE && memcmp(l->versions[*first].hash, hash, 32) == 0)
                return PAWL_OK; /* as in the tree before */
        memcpy(key, &name, sizeof name);
        memcpy(key + sizeof name, hash, 32);
        if (pawl__map_get(&l->known, pawl__text_n(key, sizeof key)) != PAWL__MAP_NONE)
                return PAWL_OK;
        if (pawl__map_put_copy(&l->known, &l->arena, pawl__text_n(key, sizeof key), 0))
                return pawl__nomem(err);
        if (pawl__grow(&l->versions, &l->cap_versions, l->n_versions + 1, sizeof *l->versions))
                return pawl__nomem(err);
        version *v = &l->versions[l->n_versions];
        memcpy(v->hash, hash, 32);
        v->next = *first;
        *first = (uint32_t)l->n_versions++;
        return PAWL_OK;
}

static pawl_status add_entry(level *l, const pawl__entry *entry, pawl_error *err)
{
        uint32_t index = pawl__map_get(&l->names, entry->name);

        if (entry->kind == PAWL__ENTRY_SKIPPED)
                return PAWL_OK;
        if (index == PAWL__MAP_NONE) {
                index = (uint32_t)l->n_names;
                if (pawl__grow(&l->first, &l->cap_names, l->n_names + 1, sizeof *l->first) ||
                        pawl__map_put_copy(&l->names, &l->arena, entry->name, index))
                        return pawl__nomem(err);
                l->first[l->n_names++] = NONE;
        }
        return entry->kind == PAWL__ENTRY_DIRECTORY
                       ? add_version(l, index, &l->first[index], entry->hash, err)
                       : PAWL_OK;
}

static pawl_status add_directory(
        pawl__tracked_paths *r, level *l, const unsigned char hash[32], pawl_error *err)
{
        pawl__tree_reader reader;
        pawl__entry entry;

        pawl__buf_clear(&r->encoded);
        pawl_status status = r->directories->get(&r->encoded, hash, r->directories->user, err);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return PAWL_OK; /* a damaged checkpoint: what it recorded is not known */
        if (!status)
                status = pawl__tree_open(&reader, pawl__buf_text(&r->encoded), err);
        while (!status && (status = pawl__tree_next(&entry, &reader, err)) == PAWL_OK)
                status = add_entry(l, &entry, err);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* The level of @p path, which is the directory that begins with the version @p first of @p above.
 */
static pawl_status push(pawl__tracked_paths *r, const version *versions, uint32_t first,
        pawl_text path, pawl_error *err)
{
        bool ok = true;
        pawl_status status = PAWL_OK;

        if (pawl__grow(&r->levels, &r->cap, r->n + 1, sizeof *r->levels))
                return pawl__nomem(err);
        level *l = &r->levels[r->n++];
        *l = (level){.names = PAWL__MAP_INIT};
        l->path = pawl__arena_text(&l->arena, path, &ok);
        if (!ok)
                return pawl__nomem(err);
        for (uint32_t at = first; at != NONE && !status; at = versions[at].next)
                status = add_directory(r, l, versions[at].hash, err);
        if (status)
                level_free(&r->levels[--r->n]);
        return status;
}

pawl_status pawl__tracked_paths_new(pawl__tracked_paths **out, const pawl__directories *directories,
        const unsigned char *trees, size_t n, pawl_error *err)
{
        level roots = {.names = PAWL__MAP_INIT};
        uint32_t first = NONE;
        pawl_status status = PAWL_OK;
        pawl__tracked_paths *r = calloc(1, sizeof *r);

        if (!r)
                return pawl__nomem(err);
        r->directories = directories;
        for (size_t i = 0; i < n && !status; i++)
                status = add_version(&roots, 0, &first, trees + i * 32, err);
        if (!status)
                status = push(r, roots.versions, first, pawl__text(""), err);
        level_free(&roots);
        if (status)
                pawl__tracked_paths_free(r);
        else
                *out = r;
        return status;
}

/* ---- Asking --------------------------------------------------------------------------------- */

/* Is the directory @p path the one of @p below, or one that holds it? */
static bool holds(pawl_text path, pawl_text below)
{
        return path.len == 0 ||
               (below.len >= path.len && memcmp(path.data, below.data, path.len) == 0 &&
                       (below.len == path.len || below.data[path.len] == '/'));
}

static pawl_text first_name(pawl_text path)
{
        const char *slash = memchr(path.data, '/', path.len);

        return (pawl_text){path.data, slash ? (size_t)(slash - path.data) : path.len};
}

pawl_status pawl__tracked_paths_has(
        bool *has, pawl__tracked_paths *recorded, pawl_text path, pawl_error *err)
{
        const char *slash = memrchr(path.data, '/', path.len);
        const pawl_text directory = {path.data, slash ? (size_t)(slash - path.data) : 0};

        while (!holds(recorded->levels[recorded->n - 1].path, directory))
                level_free(&recorded->levels[--recorded->n]);
        for (;;) {
                const level *top = &recorded->levels[recorded->n - 1];
                size_t from = top->path.len ? top->path.len + 1 : 0;
                pawl_text name = first_name((pawl_text){path.data + from, path.len - from});
                uint32_t index = pawl__map_get(&top->names, name);
                if (index == PAWL__MAP_NONE || top->path.len == directory.len) {
                        *has = index != PAWL__MAP_NONE;
                        return PAWL_OK;
                }
                pawl_status status = push(recorded, top->versions, top->first[index],
                        (pawl_text){path.data, from + name.len}, err);
                if (status)
                        return status;
        }
}
