/* What a scan found, into the log, and the index for the next one. */
#include "base/error.h"
#include "workspace/scan/read.h"
#include "workspace/scan/scan_internal.h"
#include "workspace/store/rootdir.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static pawl_status get_directory(
        pawl__buf *out, const unsigned char hash[32], void *user, pawl_error *err)
{
        const pawl__scan *scan = user;
        const struct pawl__scan_inside *in = scan->inside;
        pawl__buf encoding = PAWL__BUF_INIT;
        size_t directory = PAWL__INDEX_HEAD;

        if (memcmp(hash, scan->tree, 32) != 0) {
                const pawl__index_entry *entry = pawl__new_objects_find(
                        &in->new_objects, &in->index, PAWL__ENTRY_DIRECTORY, hash);
                if (!entry)
                        return PAWL_ENOTFOUND;
                directory = (size_t)entry->size;
        }
        pawl_status status = pawl__index_encode(&encoding, &in->index, directory, err);
        if (!status && pawl__buf_add(out, encoding.data, encoding.len))
                status = pawl__nomem(err);
        pawl__buf_free(&encoding);
        return status;
}

pawl__directories pawl__scan_directories(const pawl__scan *scan)
{
        return (pawl__directories){get_directory, (void *)(uintptr_t)scan};
}

/* ---- Into the log ---------------------------------------------------------------------------- */

/* What goes through the tree once more. */
typedef struct storing {
        pawl__scan *scan;
        struct pawl__scan_inside *in;
        pawl__contents *contents;
        pawl__rootdir root;
        pawl__buf path, encoding;
        pawl__chunk_writer chunks; /* of the current file */
        size_t changed;            /* files that are no longer what was scanned */
        pawl_error first;          /* which was the first */
} storing;

static pawl_status note_head(pawl__scanner *s, pawl_error *err)
{
        pawl_log *log = pawl__contents_log(s->contents);
        unsigned char hash[32];

        return pawl__log_failed(log, pawl_log_head(&s->in->seq, hash, log), err);
}

/* What it resembles takes many reads to find. */
static pawl_status encode(pawl__buf *out, pawl__delta *delta, pawl__contents *contents,
        pawl_text content, const unsigned char *like, pawl_error *err)
{
        pawl_log *log = pawl__contents_log(contents);
        const bool view = like && pawl__log_view_saves(log);
        pawl_status status = view ? pawl__log_view_begin(log, err) : PAWL_OK;

        if (status)
                return status;
        status = pawl__contents_encode(out, delta, contents, content, like, err);
        if (view)
                pawl__log_view_end(log);
        return status;
}

/* Does the log have it, undamaged? */
static pawl_status note_kept(
        bool *kept, pawl__scanner *s, pawl__index_entry *entry, pawl_error *err)
{
        bool damaged = false;

        *kept = false;
        TRY(pawl__contents_intact(kept, &damaged, s->contents, entry->hash, err));
        if (*kept)
                entry->flags |= PAWL__INDEX_KEPT;
        if (damaged)
                s->in->heals = true;
        return PAWL_OK;
}

pawl_status pawl__scan_make_room(bool *room, pawl__scanner *s, size_t len, pawl_error *err)
{
        *room = s->in->spool.len + len <= PAWL__SPOOL_MAX;
        if (*room || !s->options->flush_spool)
                return PAWL_OK;
        *room = true;
        return pawl__scan_flush_spool(s->in, s->contents, err);
}

pawl_status pawl__scan_spool(pawl__scanner *s, pawl__index_entry *entry, pawl_text content,
        const unsigned char *like, pawl_error *err)
{
        pawl__buf *out = &s->in->spool;
        pawl__spooled head = {.size = content.len};
        pawl_status status = PAWL_OK;
        bool has, room;

        if (content.len > PAWL__PART_SIZE || s->measuring || s->options->looks)
                return PAWL_OK;
        if (!s->in->seq)
                status = note_head(s, err);
        if (status)
                return status;
        TRY(pawl__scan_make_room(&room, s, sizeof head + content.len, err));
        if (!room)
                return PAWL_OK;
        status = note_kept(&has, s, entry, err);
        if (status || has)
                return status;
        const size_t start = out->len;
        memcpy(head.hash, entry->hash, 32);
        if (pawl__buf_add(out, &head, sizeof head))
                return pawl__nomem(err);
        status = encode(out, &head.delta, s->contents, content, like, err);
        if (status)
                return status;
        head.len = out->len - start - sizeof head;
        memcpy(out->data + start, &head, sizeof head);
        entry->flags |= PAWL__INDEX_SPOOLED;
        return PAWL_OK;
}

/* A list replaces what is stored under its hash. Without all of its chunks, some of which may have
 * been pruned since the scan, its file is read again. */
static pawl_status look_at_chunks(bool *put, struct pawl__scan_inside *in, pawl__contents *contents,
        const pawl__spooled *head, pawl_text list, pawl_error *err)
{
        TRY(pawl__contents_has_chunks(put, contents, list, err));
        in->flush_spool = in->flush_spool || !*put;
        return *put ? pawl__contents_drop(contents, head->hash, err) : PAWL_OK;
}

/* May a content be put as it was spooled? Not if the log has it by now, or if it is a difference
 * from one that is no longer where it was: then its file is read again. */
static pawl_status look_again(bool *put, struct pawl__scan_inside *in, pawl__contents *contents,
        const pawl__spooled *head, pawl_error *err)
{
        bool lacks = false, stands = true;
        pawl_status status = pawl__contents_lacks(&lacks, contents, head->hash, err);

        if (!status && lacks)
                status = pawl__contents_base_valid(&stands, contents, &head->delta, err);
        *put = lacks && stands;
        in->flush_spool = in->flush_spool || !stands;
        return status;
}

static pawl_status put_spooled(
        struct pawl__scan_inside *in, pawl__contents *contents, pawl_error *err)
{
        pawl_log *log = pawl__contents_log(contents);
        const pawl__buf *spool = &in->spool;
        unsigned char hash[32];
        pawl__spooled head;
        uint64_t seq = 0;
        pawl_status status = pawl__log_failed(log, pawl_log_head(&seq, hash, log), err);

        /* Nothing goes without an event. */
        for (size_t at = 0; at < spool->len && !status; at += sizeof head + (size_t)head.len) {
                bool put = true;
                memcpy(&head, spool->data + at, sizeof head);
                const pawl_text packed = {spool->data + at + sizeof head, (size_t)head.len};
                if (head.size > PAWL__PART_SIZE)
                        status = look_at_chunks(&put, in, contents, &head, packed, err);
                else if (!seq || seq != in->seq || in->heals || in->chunked)
                        status = look_again(&put, in, contents, &head, err);
                if (!status && put)
                        status = pawl__contents_add(
                                contents, head.hash, head.size, packed, &head.delta, err);
        }
        return status;
}

/* ---- Flushed before the checkpoint ----------------------------------------------------------- */

struct preload {
        struct pawl__scan_inside *in;
        pawl__contents *contents;
};

static pawl_status fill_spool(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const struct preload *preload = user;

        (void)log;
        (void)batch;
        return put_spooled(preload->in, preload->contents, err);
}

pawl_status pawl__scan_flush_spool(
        struct pawl__scan_inside *in, pawl__contents *contents, pawl_error *err)
{
        struct preload preload = {in, contents};
        const pawl_status status = pawl__contents_commit(contents, fill_spool, &preload, err);

        if (status)
                return status;
        in->flush_spool = true;
        pawl__buf_clear(&in->spool);
        in->large_start = 0;
        return PAWL_OK;
}

/* ---- With the checkpoint --------------------------------------------------------------------- */

static pawl_status put_directory(storing *s, size_t directory, const unsigned char hash[32],
        const unsigned char *like, pawl_error *err)
{
        pawl_status status = pawl__index_encode(&s->encoding, &s->in->index, directory, err);

        if (!status)
                status = pawl__contents_put_whole(
                        s->contents, hash, pawl__buf_text(&s->encoding), like, err);
        return status;
}

/* Remember a file that cannot be stored, so that the transaction fails, and a scan that meets it
 * too often leaves it. */
static pawl_status note_changed(storing *s, pawl_error *err)
{
        const pawl_text path = pawl__buf_text(&s->path);
        const pawl_status status = pawl__contents_note_unstable(s->contents, path, err);

        if (status)
                return status;
        if (s->changed++ == 0)
                pawl__fail(&s->first, PAWL_EINPUTS,
                        "%.*s: changed while the workspace was stored; try again when nothing "
                        "writes to it",
                        PAWL__FMT(path));
        return PAWL_OK;
}

/* A file that was read, and has the hash. */
static pawl_status put_read(
        storing *s, const unsigned char hash[32], uint64_t size, pawl_error *err)
{
        if (size <= PAWL__PART_SIZE)
                return pawl__contents_put_whole(s->contents, hash,
                        pawl__text_n(pawl__contents_scratch(s->contents), (size_t)size), NULL, err);
        TRY(pawl__chunk_writer_end(&s->chunks, hash, err));
        return pawl__contents_put(s->contents, hash, 0, size, pawl__buf_text(&s->chunks.list), err);
}

/* Read a file again, into the log. Should it not have the same content, what was put under its hash
 * goes with the transaction, which fails. */
static pawl_status put_file(storing *s, const unsigned char hash[32], pawl_error *err)
{
        pawl__reading what = PAWL__READ_CHANGED;
        unsigned char found[32];
        struct stat st;
        bool lacks = false;
        pawl_status status = pawl__contents_lacks(&lacks, s->contents, hash, err);

        if (status || !lacks)
                return status;
        const int fd = pawl__rootdir_file(&s->root, pawl__buf_text(&s->path), O_RDONLY, 0);
        if (fd < 0 && errno == ENOMEM)
                return pawl__nomem(err);
        if (fd >= 0) {
                status = pawl__chunk_writer_begin(
                        &s->chunks, s->contents, NULL, pawl__chunk_to_log, s->contents, err);
                if (!status)
                        status = pawl__read_file(&what, &st, found, s->contents, fd,
                                s->in->max_file, s->changed ? NULL : pawl__chunk_writer_add,
                                &s->chunks, err);
                close(fd);
        }
        if (status)
                return status;
        if (what == PAWL__READ_WHOLE && memcmp(found, hash, 32) == 0)
                return s->changed ? PAWL_OK : put_read(s, hash, (uint64_t)st.st_size, err);
        return note_changed(s, err);
}

static pawl_status put_entry(storing *s, size_t at, pawl_error *err)
{
        const pawl__index_entry *entry = pawl__index_entry_at(&s->in->index, at);
        bool has = false;

        if (!(entry->flags & PAWL__INDEX_NEW))
                return PAWL_OK;
        /* What was flushed may have been pruned since. */
        if (entry->flags & PAWL__INDEX_SPOOLED && !s->in->flush_spool)
                return PAWL_OK;
        if (entry->flags & (PAWL__INDEX_KEPT | PAWL__INDEX_SPOOLED)) {
                if (entry->kind == PAWL__ENTRY_FILE && entry->size <= PAWL__PART_SIZE)
                        TRY(pawl__contents_has(&has, s->contents, entry->hash, err));
                else
                        TRY(pawl__contents_has_whole(&has, s->contents, entry->hash, err));
                if (has)
                        return PAWL_OK;
        }
        if (entry->kind == PAWL__ENTRY_DIRECTORY)
                return put_directory(s, (size_t)entry->size, entry->hash, NULL, err);
        return put_file(s, entry->hash, err);
}

/* All new entries; the directories lie one behind the other as they were gone through, so that a
 * stack of the directories above is enough to know each path. */
static pawl_status put_entries(storing *s, pawl_error *err)
{
        struct above {
                pawl__index_cursor cursor;
                size_t path_len;
        } *stack = NULL;
        size_t depth = 0, cap = 0;
        pawl_status status = PAWL_OK;

        if (pawl__grow(&stack, &cap, 1, sizeof *stack))
                return pawl__nomem(err);
        stack[depth++] = (struct above){pawl__index_open(&s->in->index, PAWL__INDEX_HEAD), 0};
        while (!status && depth > 0) {
                struct above *top = &stack[depth - 1];
                const size_t at = top->cursor.at;
                const pawl__index_entry *entry = pawl__index_next(&s->in->index, &top->cursor);
                if (!entry) {
                        depth--;
                        continue;
                }
                const pawl_text name = pawl__index_name(entry);
                s->path.len = top->path_len;
                if (pawl__buf_add(&s->path, name.data, name.len))
                        status = pawl__nomem(err);
                if (!status)
                        status = put_entry(s, at, err);
                if (status || entry->kind != PAWL__ENTRY_DIRECTORY)
                        continue;
                if (pawl__buf_addc(&s->path, '/') ||
                        pawl__grow(&stack, &cap, depth + 1, sizeof *stack))
                        status = pawl__nomem(err);
                else
                        stack[depth++] = (struct above){
                                pawl__index_open(&s->in->index, (size_t)entry->size), s->path.len};
        }
        free(stack);
        return status;
}

pawl_status pawl__scan_store(pawl__scan *scan, pawl__contents *contents, pawl_error *err)
{
        storing s = {.scan = scan,
                .in = scan->inside,
                .contents = contents,
                .root = PAWL__ROOTDIR_INIT,
                .first = PAWL_ERROR_INIT};
        bool has = true;
        pawl_status status = PAWL_OK;

        if (s.in->based)
                status = pawl__contents_has(&has, contents, s.in->base_tree, err);
        if (!status && !has)
                return pawl__fail(err, PAWL_EINPUTS,
                        "workspace: the checkpoint that it was compared with was pruned meanwhile; "
                        "try again");
        if (!status && s.in->based && !s.in->heals && memcmp(scan->tree, s.in->base_tree, 32) == 0)
                return PAWL_OK;
        if (status)
                return status;
        const int error = pawl__rootdir_open(&s.root, s.in->root);
        if (error)
                return pawl__fail(err, PAWL_EIO, "%s: cannot be read again: %s; try again",
                        s.in->root, strerrordesc_np(error));
        pawl__contents_reset(contents);
        status = put_spooled(s.in, contents, err);
        if (!status && (!s.in->root_spooled || s.in->flush_spool))
                status = put_directory(&s, PAWL__INDEX_HEAD, scan->tree,
                        s.in->based ? s.in->base_tree : NULL, err);
        if (!status)
                status = put_entries(&s, err);
        if (!status && !s.changed)
                status = pawl__contents_flush(contents, err);
        pawl__rootdir_close(&s.root);
        pawl__buf_free(&s.path);
        pawl__buf_free(&s.encoding);
        pawl__chunk_writer_free(&s.chunks);
        if (!status && s.changed) {
                status = PAWL_EINPUTS;
                if (err)
                        *err = s.first;
        }
        return status;
}

pawl_status pawl__scan_keep_index(
        const pawl__scan *scan, const unsigned char event_hash[32], pawl_error *err)
{
        struct pawl__scan_inside *in = scan->inside;
        pawl__hasher *hasher;
        pawl_status status = pawl__hasher_new(&hasher, err);

        if (status)
                return status;
        memcpy(in->index.of.event, event_hash, 32);
        if (!in->index.summed)
                pawl__index_settle(&in->index);
        status = pawl__index_save(&in->index, in->index_path, hasher, err);
        pawl__hasher_free(hasher);
        return status;
}
