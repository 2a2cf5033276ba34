#include "workspace/store/mark.h"
#include "base/error.h"
#include <stdlib.h>

struct pawl__mark {
        pawl__directories directories;
        pawl__arena arena; /* the hashes */
        pawl__map index;   /* of them, in owners */
        bool first;        /* a content is that of the first owner that named it */
        uint32_t *owners;
        size_t n, cap;
        unsigned char (*open)[32]; /* directories that are still to be read */
        size_t n_open, cap_open;
        pawl__buf encoded;
};

pawl_status pawl__mark_new(pawl__mark **out, pawl__contents *contents, pawl_error *err)
{
        pawl__mark *marks = calloc(1, sizeof *marks);

        if (!marks)
                return pawl__nomem(err);
        marks->directories = pawl__contents_directories(contents);
        *out = marks;
        return PAWL_OK;
}

void pawl__mark_first(pawl__mark *marks)
{
        marks->first = true;
}

void pawl__mark_free(pawl__mark *marks)
{
        if (!marks)
                return;
        pawl__map_free(&marks->index);
        pawl__arena_free(&marks->arena);
        pawl__buf_free(&marks->encoded);
        free(marks->owners);
        free(marks->open);
        free(marks);
}

static pawl_text as_key(const unsigned char hash[32])
{
        return pawl__text_n((const char *)hash, 32);
}

/* *news: it was not known, or not to be shared, so that what lies in it is to be told the same. */
static pawl_status mark(bool *news, pawl__mark *marks, const unsigned char hash[32], uint32_t owner,
        pawl_error *err)
{
        uint32_t at = pawl__map_get(&marks->index, as_key(hash));

        if (at != PAWL__MAP_NONE) {
                *news = !marks->first && marks->owners[at] != owner &&
                        marks->owners[at] != PAWL__MARK_SHARED;
                if (*news)
                        marks->owners[at] = PAWL__MARK_SHARED;
                return PAWL_OK;
        }
        if (marks->n >= UINT32_MAX - 1)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "checkpoints: they hold more than four thousand million contents; export the "
                        "older ones and prune them");
        if (pawl__grow(&marks->owners, &marks->cap, marks->n + 1, sizeof *marks->owners) ||
                pawl__map_put_copy(&marks->index, &marks->arena, as_key(hash), (uint32_t)marks->n))
                return pawl__nomem(err);
        marks->owners[marks->n++] = owner;
        *news = true;
        return PAWL_OK;
}

pawl_status pawl__mark_content(
        pawl__mark *marks, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        bool news;

        return mark(&news, marks, hash, owner, err);
}

static pawl_status mark_directory(
        pawl__mark *marks, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        bool news = false;
        pawl_status status = mark(&news, marks, hash, owner, err);

        if (status || !news)
                return status;
        if (pawl__grow(&marks->open, &marks->cap_open, marks->n_open + 1, sizeof *marks->open))
                return pawl__nomem(err);
        memcpy(marks->open[marks->n_open++], hash, 32);
        return PAWL_OK;
}

static pawl_status read_directory(
        pawl__mark *marks, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        pawl__tree_reader reader;
        pawl__entry entry;
        bool news;

        pawl__buf_clear(&marks->encoded);
        pawl_status status =
                marks->directories.get(&marks->encoded, hash, marks->directories.user, err);
        if (!status)
                status = pawl__tree_open(&reader, pawl__buf_text(&marks->encoded), err);
        while (!status && (status = pawl__tree_next(&entry, &reader, err)) == PAWL_OK)
                if (entry.kind == PAWL__ENTRY_FILE)
                        status = mark(&news, marks, entry.hash, owner, err);
                else if (entry.kind == PAWL__ENTRY_DIRECTORY)
                        status = mark_directory(marks, entry.hash, owner, err);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status fail_with(pawl_error *err, const pawl_error *why, pawl_status status)
{
        if (status && err)
                *err = *why;
        return status;
}

pawl_status pawl__mark_add(
        pawl__mark *marks, const unsigned char tree[32], uint32_t owner, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT, first = PAWL_ERROR_INIT;
        pawl_status failed = PAWL_OK;
        pawl_status status = mark_directory(marks, tree, owner, &why);

        while (!status && marks->n_open > 0) {
                unsigned char hash[32];
                memcpy(hash, marks->open[--marks->n_open], 32);
                status = read_directory(marks, hash, owner, &why);
                if (status != PAWL_ENOTFOUND && status != PAWL_EDAMAGED)
                        continue;
                if (!failed) {
                        first = why;
                        failed = status;
                }
                status = PAWL_OK; /* the other directories are as good as before */
        }
        marks->n_open = 0;
        return status ? fail_with(err, &why, status) : fail_with(err, &first, failed);
}

bool pawl__mark_has(uint32_t *owner, const pawl__mark *marks, const unsigned char hash[32])
{
        uint32_t at = pawl__map_get(&marks->index, as_key(hash));

        if (at != PAWL__MAP_NONE && owner)
                *owner = marks->owners[at];
        return at != PAWL__MAP_NONE;
}
