#include "workspace/store/mark.h"
#include "base/error.h"
#include <stdlib.h>

struct pawl__mark {
        pawl__directories directories;
        pawl__arena arena; /* the hashes */
        pawl__map index;   /* of them, in owners */
        uint32_t *owners;
        size_t n, cap;
        unsigned char (*open)[32]; /* directories that are still to be read */
        size_t n_open, cap_open;
        pawl__buf encoded;
};

pawl_status pawl__mark_new(pawl__mark **out, pawl__contents *contents, pawl_error *err)
{
        pawl__mark *reach = calloc(1, sizeof *reach);

        if (!reach)
                return pawl__nomem(err);
        reach->directories = pawl__contents_directories(contents);
        *out = reach;
        return PAWL_OK;
}

void pawl__mark_free(pawl__mark *reach)
{
        if (!reach)
                return;
        pawl__map_free(&reach->index);
        pawl__arena_free(&reach->arena);
        pawl__buf_free(&reach->encoded);
        free(reach->owners);
        free(reach->open);
        free(reach);
}

static pawl_text as_key(const unsigned char hash[32])
{
        return pawl__text_n((const char *)hash, 32);
}

/* *news: it was not known, or not to be shared, so that what lies in it is to be told the same. */
static pawl_status mark(bool *news, pawl__mark *reach, const unsigned char hash[32], uint32_t owner,
        pawl_error *err)
{
        uint32_t at = pawl__map_get(&reach->index, as_key(hash));
        bool ok = true;

        if (at != PAWL__MAP_NONE) {
                *news = reach->owners[at] != owner && reach->owners[at] != PAWL__REACH_SHARED;
                if (*news)
                        reach->owners[at] = PAWL__REACH_SHARED;
                return PAWL_OK;
        }
        if (reach->n >= UINT32_MAX - 1)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "checkpoints: they hold more than four thousand million contents; export the "
                        "older ones and prune them");
        pawl_text kept = pawl__arena_text(&reach->arena, as_key(hash), &ok);
        if (!ok || pawl__grow(&reach->owners, &reach->cap, reach->n + 1, sizeof *reach->owners) ||
                pawl__map_put(&reach->index, kept, (uint32_t)reach->n))
                return pawl__nomem(err);
        reach->owners[reach->n++] = owner;
        *news = true;
        return PAWL_OK;
}

static pawl_status mark_directory(
        pawl__mark *reach, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        bool news = false;
        pawl_status status = mark(&news, reach, hash, owner, err);

        if (status || !news)
                return status;
        if (pawl__grow(&reach->open, &reach->cap_open, reach->n_open + 1, sizeof *reach->open))
                return pawl__nomem(err);
        memcpy(reach->open[reach->n_open++], hash, 32);
        return PAWL_OK;
}

static pawl_status read_directory(
        pawl__mark *reach, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        pawl__tree_reader reader;
        pawl__entry entry;
        bool news;

        pawl__buf_clear(&reach->encoded);
        pawl_status status =
                reach->directories.get(&reach->encoded, hash, reach->directories.user, err);
        if (!status)
                status = pawl__tree_open(&reader, pawl__buf_text(&reach->encoded), err);
        while (!status && (status = pawl__tree_next(&entry, &reader, err)) == PAWL_OK)
                if (entry.kind == PAWL__ENTRY_FILE)
                        status = mark(&news, reach, entry.hash, owner, err);
                else if (entry.kind == PAWL__ENTRY_DIRECTORY)
                        status = mark_directory(reach, entry.hash, owner, err);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status fail_with(pawl_error *err, const pawl_error *why, pawl_status status)
{
        if (status && err)
                *err = *why;
        return status;
}

pawl_status pawl__mark_add(
        pawl__mark *reach, const unsigned char tree[32], uint32_t owner, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT, first = PAWL_ERROR_INIT;
        pawl_status failed = PAWL_OK;
        pawl_status status = mark_directory(reach, tree, owner, &why);

        while (!status && reach->n_open > 0) {
                unsigned char hash[32];
                memcpy(hash, reach->open[--reach->n_open], 32);
                status = read_directory(reach, hash, owner, &why);
                if (status != PAWL_ENOTFOUND && status != PAWL_EDAMAGED)
                        continue;
                if (!failed) {
                        first = why;
                        failed = status;
                }
                status = PAWL_OK; /* the other directories are as good as before */
        }
        reach->n_open = 0;
        return status ? fail_with(err, &why, status) : fail_with(err, &first, failed);
}

bool pawl__mark_has(uint32_t *owner, const pawl__mark *reach, const unsigned char hash[32])
{
        uint32_t at = pawl__map_get(&reach->index, as_key(hash));

        if (at != PAWL__MAP_NONE && owner)
                *owner = reach->owners[at];
        return at != PAWL__MAP_NONE;
}
