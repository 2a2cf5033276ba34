/* Contents of more than a part, into the spool chunk by chunk, the list last. */
#include "base/error.h"
#include "workspace/scan/scan_internal.h"

void pawl__scan_large_drop(pawl__scanner *s)
{
        if (s->large.begun)
                s->in->spool.len = s->in->large_start;
        s->large.begun = false;
}

static pawl_status spool_chunk(const unsigned char hash[32], pawl_text chunk,
        const unsigned char *like, void *user, pawl_error *err)
{
        pawl__scanner *s = user;
        pawl__large *large = &s->large;
        pawl__index_entry entry = {.size = chunk.len};

        if (!large->room)
                return PAWL_OK;
        memcpy(entry.hash, hash, 32);
        TRY(pawl__scan_spool(s, &entry, chunk, like, err));
        large->room = entry.flags & (PAWL__INDEX_SPOOLED | PAWL__INDEX_KEPT);
        large->kept = large->kept && entry.flags & PAWL__INDEX_KEPT;
        s->in->chunked = s->in->chunked || entry.flags & PAWL__INDEX_SPOOLED;
        return PAWL_OK;
}

void pawl__scan_large_begin(pawl__scanner *s, const unsigned char *like)
{
        s->large.begun = false;
        s->large.like = like;
}

pawl_status pawl__scan_large_add(const void *data, size_t len, void *scanner, pawl_error *err)
{
        pawl__scanner *s = scanner;
        pawl__large *large = &s->large;

        if (s->options->looks || s->measuring)
                return PAWL_OK;
        if (!large->begun) {
                TRY(pawl__chunk_writer_begin(
                        &large->writer, s->contents, large->like, spool_chunk, s, err));
                large->begun = large->room = large->kept = true;
                s->in->large_start = s->in->spool.len;
        }
        return large->room ? pawl__chunk_writer_add(data, len, &large->writer, err) : PAWL_OK;
}

/* Does the log have it, undamaged: by this very list, or in parts, as older versions put it? */
static pawl_status is_stored(
        bool *stored, pawl__scanner *s, const unsigned char hash[32], pawl_error *err)
{
        const pawl__buf *ours = &s->large.writer.list;
        pawl_error why = PAWL_ERROR_INIT;
        pawl__buf list = PAWL__BUF_INIT;
        const pawl_status status = pawl__contents_list(&list, s->contents, hash, &why);

        *stored = !status && s->large.kept &&
                  pawl__text_eq(pawl__buf_text(&list), pawl__buf_text(ours));
        const bool in_parts = !status && !list.len;
        pawl__buf_free(&list);
        if (in_parts)
                TRY(pawl__contents_intact(stored, NULL, s->contents, hash, err));
        if (status != PAWL_ENOTFOUND && !*stored)
                s->in->heals = true;
        if (!status || status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return PAWL_OK;
        if (err)
                *err = why;
        return status;
}

static pawl_status spool_list(
        pawl__scanner *s, pawl__index_entry *entry, uint64_t size, pawl_error *err)
{
        const pawl_text list = pawl__buf_text(&s->large.writer.list);
        pawl__spooled head = {.size = size, .len = list.len};

        TRY(pawl__scan_make_room(&s->large.room, s, sizeof head + list.len, err));
        if (!s->large.room)
                return PAWL_OK;
        memcpy(head.hash, entry->hash, 32);
        if (pawl__buf_add(&s->in->spool, &head, sizeof head) ||
                pawl__buf_add_text(&s->in->spool, list))
                return pawl__nomem(err);
        entry->flags |= PAWL__INDEX_SPOOLED;
        return PAWL_OK;
}

pawl_status pawl__scan_large_end(
        bool *kept, pawl__scanner *s, pawl__index_entry *entry, pawl_error *err)
{
        pawl__large *large = &s->large;

        *kept = false;
        if (!large->begun)
                return PAWL_OK;
        if (large->room)
                TRY(pawl__chunk_writer_end(&large->writer, entry->hash, err));
        if (large->room)
                TRY(is_stored(kept, s, entry->hash, err));
        if (large->room && !*kept)
                TRY(spool_list(s, entry, large->writer.at, err));
        if (!large->room || *kept)
                pawl__scan_large_drop(s);
        large->begun = false;
        return PAWL_OK;
}

pawl_status pawl__scan_spool_any(pawl__scanner *s, pawl__index_entry *entry, pawl_text content,
        const unsigned char *like, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        bool kept = false;

        if (content.len <= PAWL__PART_SIZE)
                return pawl__scan_spool(s, entry, content, like, err);
        pawl__scan_large_begin(s, like);
        for (size_t at = 0; at < content.len && !status; at += PAWL__PART_SIZE) {
                const size_t left = content.len - at;
                status = pawl__scan_large_add(
                        content.data + at, left < PAWL__PART_SIZE ? left : PAWL__PART_SIZE, s, err);
        }
        TRY(status);
        TRY(pawl__scan_large_end(&kept, s, entry, err));
        entry->flags |= kept ? PAWL__INDEX_KEPT : 0;
        return PAWL_OK;
}
