/* See workspace/store/chunk_writer.h. */
#include "workspace/store/chunk_writer.h"
#include "base/error.h"
#include "workspace/store/contents_internal.h"

pawl_status pawl__chunk_to_log(const unsigned char hash[32], pawl_text chunk,
        const unsigned char *like, void *contents, pawl_error *err)
{
        return pawl__contents_put_one(contents, hash, chunk, like, err);
}

/* A former content of up to a part is as if it were one chunk. */
static pawl_status read_former(pawl__chunk_writer *w, const unsigned char like[32], pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;
        pawl__chunk whole = {.len = PAWL__PART_SIZE};
        const pawl_status status = pawl__contents_list(&w->former, w->contents, like, &why);

        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED) {
                pawl__buf_clear(&w->former);
                return PAWL_OK;
        }
        if (status) {
                if (err)
                        *err = why;
                return status;
        }
        if (w->former.len)
                return PAWL_OK;
        pawl__chunks_begin(&w->former);
        memcpy(whole.hash, like, 32);
        pawl__chunks_add(&w->former, &whole);
        return pawl__buf_check(&w->former, err);
}

pawl_status pawl__chunk_writer_begin(pawl__chunk_writer *w, pawl__contents *contents,
        const unsigned char *like, pawl__chunk_put put, void *user, pawl_error *err)
{
        if (!w->contents)
                pawl__chunk_cutter_init(&w->cutter);
        w->contents = contents;
        w->put = put;
        w->user = user;
        w->at = w->next = w->next_at = w->distance = 0;
        pawl__buf_clear(&w->held);
        pawl__buf_clear(&w->former);
        pawl__chunks_begin(&w->list);
        TRY(pawl__buf_check(&w->list, err));
        return like ? read_former(w, like, err) : PAWL_OK;
}

/* Does the list name it already? Repetitions mostly follow each other. */
static bool has_chunk(pawl_text list, const unsigned char hash[32])
{
        for (const char *at = list.data + list.len; at > list.data + PAWL__CHUNKS_MAGIC;)
                if (memcmp(at -= PAWL__CHUNKS_ENTRY, hash, 32) == 0)
                        return true;
        return false;
}

/* Let the former content be aligned by a chunk that both have. */
static bool align(pawl__chunk_writer *w, const pawl__chunk *chunk)
{
        const pawl_text former = pawl__buf_text(&w->former);
        uint64_t at = w->next_at;

        for (size_t i = w->next; i < pawl__chunks_count(former); i++) {
                const pawl__chunk other = pawl__chunks_at(former, i);
                at += other.len;
                if (memcmp(other.hash, chunk->hash, 32) != 0)
                        continue;
                w->next = i + 1;
                w->next_at = at;
                w->distance = at - w->at - chunk->len;
                return true;
        }
        return false;
}

/* The former chunk in whose place the middle of a new one is; past the end, the last one. */
static bool find_like(pawl__chunk *out, const pawl__chunk_writer *w, size_t len)
{
        const pawl_text former = pawl__buf_text(&w->former);
        const size_t n = pawl__chunks_count(former);
        const uint64_t middle = w->at + len / 2 + w->distance;
        uint64_t at = w->next_at;

        if (n == 0)
                return false;
        *out = pawl__chunks_at(former, n - 1);
        for (size_t i = w->next; i < n; i++) {
                *out = pawl__chunks_at(former, i);
                at += out->len;
                if (middle < at)
                        break;
        }
        return true;
}

static pawl_status cut(
        size_t *len, pawl__chunk_writer *w, const char *data, size_t left, pawl_error *err)
{
        const pawl_text text = pawl__text_n(data, pawl__chunk_cut(&w->cutter, data, left));
        pawl__chunk chunk = {.len = (uint32_t)text.len}, like;

        *len = text.len;
        TRY(pawl__sha256(w->contents->hasher, chunk.hash, text.data, text.len, err));
        const bool is_former = align(w, &chunk);
        if (!has_chunk(pawl__buf_text(&w->list), chunk.hash)) {
                const bool resembles = !is_former && find_like(&like, w, text.len);
                TRY(w->put(chunk.hash, text, resembles ? like.hash : NULL, w->user, err));
        }
        w->at += text.len;
        pawl__chunks_add(&w->list, &chunk);
        return pawl__buf_check(&w->list, err);
}

/* Cut until fewer bytes than these are held. */
static pawl_status cut_until(pawl__chunk_writer *w, size_t fewer, pawl_error *err)
{
        size_t at = 0, len = 0;

        for (; w->held.len - at >= fewer && w->held.len > at; at += len)
                TRY(cut(&len, w, w->held.data + at, w->held.len - at, err));
        if (at > 0)
                memmove(w->held.data, w->held.data + at, w->held.len - at);
        w->held.len -= at;
        return PAWL_OK;
}

pawl_status pawl__chunk_writer_add(const void *data, size_t len, void *writer, pawl_error *err)
{
        pawl__chunk_writer *w = writer;

        if (pawl__buf_add(&w->held, data, len))
                return pawl__nomem(err);
        return cut_until(w, PAWL__CHUNK_MAX, err);
}

pawl_status pawl__chunk_writer_end(
        pawl__chunk_writer *w, const unsigned char hash[32], pawl_error *err)
{
        unsigned char sum[PAWL__CHUNKS_SUM];

        TRY(cut_until(w, 0, err));
        TRY(pawl__contents_list_sum(sum, w->contents, hash, pawl__buf_text(&w->list), err));
        return pawl__buf_add(&w->list, sum, sizeof sum) ? pawl__nomem(err) : PAWL_OK;
}

void pawl__chunk_writer_free(pawl__chunk_writer *w)
{
        pawl__buf_free(&w->held);
        pawl__buf_free(&w->list);
        pawl__buf_free(&w->former);
}

static pawl_status put_chunks(pawl__contents *c, const unsigned char hash[32], pawl_text content,
        const unsigned char *like, pawl_error *err)
{
        pawl__chunk_writer w = {.contents = NULL};
        pawl_status status = pawl__chunk_writer_begin(&w, c, like, pawl__chunk_to_log, c, err);

        for (size_t at = 0; at < content.len && !status; at += PAWL__PART_SIZE) {
                const size_t left = content.len - at;
                status = pawl__chunk_writer_add(content.data + at,
                        left < PAWL__PART_SIZE ? left : PAWL__PART_SIZE, &w, err);
        }
        if (!status)
                status = pawl__chunk_writer_end(&w, hash, err);
        if (!status)
                status = pawl__contents_put(c, hash, 0, content.len, pawl__buf_text(&w.list), err);
        pawl__chunk_writer_free(&w);
        return status;
}

pawl_status pawl__contents_put_whole(pawl__contents *c, const unsigned char hash[32],
        pawl_text content, const unsigned char *like, pawl_error *err)
{
        bool lacks = false;

        if (content.len <= PAWL__PART_SIZE)
                return pawl__contents_put_one(c, hash, content, like, err);
        TRY(pawl__contents_lacks(&lacks, c, hash, err));
        return lacks ? put_chunks(c, hash, content, like, err) : PAWL_OK;
}
