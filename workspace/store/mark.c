#include "workspace/store/mark.h"
#include "base/error.h"
#include "workspace/store/chunks.h"
#include <stdlib.h>

/* The same bytes may be all of these, each of which names other contents. */
enum met { CHUNK = 1, FILE_CONTENT = 2, DIRECTORY = 4 };

struct pawl__mark {
        pawl__contents *contents;
        pawl__directories directories;
        pawl__arena arena; /* the hashes */
        pawl__map index;   /* of them, in owners */
        bool first;        /* a content is that of the first owner that named it */
        uint32_t *owners;
        unsigned char *as; /* beside the owners: what it was met as */
        size_t n, cap, cap_as;
        unsigned char (*open)[32]; /* directories that are still to be read */
        size_t n_open, cap_open;
        pawl__buf encoded, list;
        bool is_damaged; /* a list of chunks, of the current tree */
        pawl_error damaged;
};

pawl_status pawl__mark_new(pawl__mark **out, pawl__contents *contents, pawl_error *err)
{
        pawl__mark *marks = calloc(1, sizeof *marks);

        if (!marks)
                return pawl__nomem(err);
        marks->contents = contents;
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
        pawl__buf_free(&marks->list);
        free(marks->owners);
        free(marks->as);
        free(marks->open);
        free(marks);
}

static pawl_text as_key(const unsigned char hash[32])
{
        return pawl__text_n((const char *)hash, 32);
}

/* *news: it was not known, or not to be shared, so that what lies in it is to be told the same. */
static pawl_status mark(bool *news, pawl__mark *marks, const unsigned char hash[32], enum met as,
        uint32_t owner, pawl_error *err)
{
        uint32_t at = pawl__map_get(&marks->index, as_key(hash));

        if (at != PAWL__MAP_NONE) {
                const bool other = as & ~marks->as[at];
                marks->as[at] |= (unsigned char)as;
                const bool shared = !marks->first && marks->owners[at] != owner &&
                                    marks->owners[at] != PAWL__MARK_SHARED;
                if (shared)
                        marks->owners[at] = PAWL__MARK_SHARED;
                *news = shared || other;
                return PAWL_OK;
        }
        if (marks->n >= UINT32_MAX - 1)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "checkpoints: they hold more than four thousand million contents; export the "
                        "older ones and prune them");
        if (pawl__grow(&marks->owners, &marks->cap, marks->n + 1, sizeof *marks->owners) ||
                pawl__grow(&marks->as, &marks->cap_as, marks->n + 1, sizeof *marks->as) ||
                pawl__map_put_copy(&marks->index, &marks->arena, as_key(hash), (uint32_t)marks->n))
                return pawl__nomem(err);
        marks->as[marks->n] = (unsigned char)as;
        marks->owners[marks->n++] = owner;
        *news = true;
        return PAWL_OK;
}

static pawl_status fail_with(pawl_error *err, const pawl_error *why, pawl_status status)
{
        if (status && err)
                *err = *why;
        return status;
}

/* A content that is not in the log has none. */
static pawl_status mark_chunks(
        pawl__mark *marks, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;
        bool news;
        const pawl_status status = pawl__contents_list(&marks->list, marks->contents, hash, &why);
        const pawl_text list = pawl__buf_text(&marks->list);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : fail_with(err, &why, status);
        for (size_t i = 0; i < pawl__chunks_count(list); i++) {
                const pawl__chunk chunk = pawl__chunks_at(list, i);
                TRY(mark(&news, marks, chunk.hash, CHUNK, owner, err));
        }
        return PAWL_OK;
}

/* The other files are as good as before where a list is damaged. */
static pawl_status mark_file(
        pawl__mark *marks, const pawl__entry *entry, uint32_t owner, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;
        bool news = false;

        TRY(mark(&news, marks, entry->hash, FILE_CONTENT, owner, err));
        if (!news || entry->size <= PAWL__PART_SIZE)
                return PAWL_OK;
        const pawl_status status = mark_chunks(marks, entry->hash, owner, &why);
        if (status == PAWL_EDAMAGED) {
                marks->damaged = why;
                marks->is_damaged = true;
                return PAWL_OK;
        }
        return fail_with(err, &why, status);
}

pawl_status pawl__mark_content(
        pawl__mark *marks, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        bool news = false;

        TRY(mark(&news, marks, hash, FILE_CONTENT, owner, err));
        return news ? mark_chunks(marks, hash, owner, err) : PAWL_OK;
}

static pawl_status mark_directory(
        pawl__mark *marks, const unsigned char hash[32], uint32_t owner, pawl_error *err)
{
        bool news = false;
        pawl_status status = mark(&news, marks, hash, DIRECTORY, owner, err);

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

        pawl__buf_clear(&marks->encoded);
        pawl_status status =
                marks->directories.get(&marks->encoded, hash, marks->directories.user, err);
        if (!status)
                status = pawl__tree_open(&reader, pawl__buf_text(&marks->encoded), err);
        if (!status && marks->encoded.len > PAWL__PART_SIZE)
                status = mark_chunks(marks, hash, owner, err);
        while (!status && (status = pawl__tree_next(&entry, &reader, err)) == PAWL_OK)
                if (entry.kind == PAWL__ENTRY_FILE)
                        status = mark_file(marks, &entry, owner, err);
                else if (entry.kind == PAWL__ENTRY_DIRECTORY)
                        status = mark_directory(marks, entry.hash, owner, err);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__mark_add(
        pawl__mark *marks, const unsigned char tree[32], uint32_t owner, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT, first = PAWL_ERROR_INIT;
        pawl_status failed = PAWL_OK;

        marks->is_damaged = false;
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
        if (!failed && marks->is_damaged) {
                first = marks->damaged;
                failed = PAWL_EDAMAGED;
        }
        return status ? fail_with(err, &why, status) : fail_with(err, &first, failed);
}

bool pawl__mark_has(uint32_t *owner, const pawl__mark *marks, const unsigned char hash[32])
{
        uint32_t at = pawl__map_get(&marks->index, as_key(hash));

        if (at != PAWL__MAP_NONE && owner)
                *owner = marks->owners[at];
        return at != PAWL__MAP_NONE;
}

bool pawl__mark_is_chunk(const pawl__mark *marks, const unsigned char hash[32])
{
        const uint32_t at = pawl__map_get(&marks->index, as_key(hash));

        return at != PAWL__MAP_NONE && marks->as[at] == CHUNK;
}
