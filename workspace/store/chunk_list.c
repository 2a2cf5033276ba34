/* Contents in chunks: their lists in the log, and reading by them. */
#include "base/error.h"
#include "workspace/store/contents_internal.h"

pawl_status pawl__contents_list_sum(unsigned char sum[32], pawl__contents *c,
        const unsigned char hash[32], pawl_text list, pawl_error *err)
{
        TRY(pawl__hasher_begin(c->hasher, err));
        if (pawl__hasher_add(c->hasher, hash, 32) ||
                pawl__hasher_add(c->hasher, list.data, list.len) ||
                pawl__hasher_end(c->hasher, sum))
                return pawl__nomem(err);
        return PAWL_OK;
}

pawl_status pawl__contents_list(
        pawl__buf *list, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        static const char what[] = "the list of its chunks is damaged";
        pawl__pack_place place;
        unsigned char sum[32];
        uint64_t size = 0;

        pawl__buf_clear(list);
        TRY(pawl__log_failed(c->log, pawl__log_packed_get(&place, c->log, hash), err));
        if (place.pack)
                return PAWL_OK;
        TRY(pawl__log_failed(c->log, pawl__log_content_get(list, &size, c->log, hash, 0), err));
        if (!pawl__chunks_is_list(pawl__buf_text(list))) {
                pawl__buf_clear(list);
                return PAWL_OK;
        }
        if (size <= PAWL__PART_SIZE || !pawl__chunks_valid(pawl__buf_text(list), size))
                return pawl__contents_damaged(hash, what, err);
        const pawl_text summed = {list->data, list->len - PAWL__CHUNKS_SUM};
        TRY(pawl__contents_list_sum(sum, c, hash, summed, err));
        if (memcmp(sum, list->data + summed.len, sizeof sum) != 0)
                return pawl__contents_damaged(hash, what, err);
        return PAWL_OK;
}

pawl_status pawl__contents_has_chunks(bool *all, pawl__contents *c, pawl_text list, pawl_error *err)
{
        const size_t n = pawl__chunks_count(list);

        *all = true;
        for (size_t i = 0; i < n && *all; i++) {
                const pawl__chunk chunk = pawl__chunks_at(list, i);
                TRY(pawl__contents_has(all, c, chunk.hash, err));
        }
        return PAWL_OK;
}

pawl_status pawl__contents_has_whole(
        bool *whole, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        pawl__buf list = PAWL__BUF_INIT;
        pawl_error why = PAWL_ERROR_INIT;

        *whole = pawl__contents_waits(c, hash);
        if (*whole)
                return PAWL_OK;
        pawl_status status = pawl__contents_list(&list, c, hash, &why);
        if (!status)
                status = pawl__contents_has_chunks(whole, c, pawl__buf_text(&list), &why);
        pawl__buf_free(&list);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return PAWL_OK;
        if (status && err)
                *err = why;
        return status;
}

/* The hasher of the contents is for the chunks. */
static pawl_status read_chunks(pawl__contents *c, const unsigned char hash[32], pawl_text list,
        pawl__hasher *hasher, pawl__content_sink sink, void *user, pawl_error *err)
{
        const size_t n = pawl__chunks_count(list);
        unsigned char found[32];

        TRY(pawl__hasher_begin(hasher, err));
        for (size_t i = 0; i < n; i++) {
                const pawl__chunk chunk = pawl__chunks_at(list, i);
                TRY(pawl__contents_load(&c->part, c, chunk.hash, err));
                if (c->part.len != chunk.len)
                        return pawl__contents_damaged(
                                hash, "a chunk of it is of another size than its list says", err);
                if (pawl__hasher_add(hasher, c->part.data, chunk.len))
                        return pawl__nomem(err);
                TRY(sink(c->part.data, chunk.len, user, err));
        }
        if (pawl__hasher_end(hasher, found))
                return pawl__nomem(err);
        return memcmp(found, hash, 32) == 0
                       ? PAWL_OK
                       : pawl__contents_damaged(hash, "it is not what its hash says", err);
}

pawl_status pawl__contents_read_chunks(pawl__contents *c, const unsigned char hash[32],
        pawl__content_sink sink, void *user, pawl_error *err)
{
        pawl__buf list = PAWL__BUF_INIT;
        pawl__hasher *hasher = NULL;
        pawl_status status = pawl__contents_list(&list, c, hash, err);

        if (!status)
                status = pawl__hasher_new(&hasher, err);
        if (!status)
                status = read_chunks(c, hash, pawl__buf_text(&list), hasher, sink, user, err);
        pawl__hasher_free(hasher);
        pawl__buf_free(&list);
        return status;
}
