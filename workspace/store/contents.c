/* Contents: put by packed.c and delta.c, or in chunks; read whole. */
#include "base/error.h"
#include "workspace/store/contents_internal.h"
#include <stdlib.h>

pawl_status pawl__contents_open(pawl__contents **out, pawl_log *log, pawl_error *err)
{
        pawl__contents *c = calloc(1, sizeof *c);

        if (!c)
                return pawl__nomem(err);
        c->log = log;
        pawl_status status = pawl__hasher_new(&c->hasher, err);
        if (status)
                free(c);
        else
                *out = c;
        return status;
}

void pawl__contents_close(pawl__contents *c)
{
        if (!c)
                return;
        ZSTD_freeCCtx(c->packer);
        ZSTD_freeDCtx(c->unpacker);
        pawl__hasher_free(c->hasher);
        pawl__buf_free(&c->packed);
        pawl__buf_free(&c->part);
        for (size_t i = 0; i < PAWL__PACKS_CACHED; i++) {
                pawl__buf_free(&c->cache[i].heads);
                pawl__buf_free(&c->cache[i].data);
        }
        for (size_t i = 0; i < PAWL__DIRECTORIES_CACHED; i++)
                pawl__buf_free(&c->directories[i].encoded);
        pawl__buf *const own[] = {
                &c->heads, &c->frames, &c->hashes, &c->base, &c->whole, &c->other};
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
                pawl__buf_free(own[i]);
        pawl__map_free(&c->unstable);
        pawl__arena_free(&c->paths);
        free(c->verified);
        free(c);
}

void pawl__contents_quick(pawl__contents *c)
{
        c->quick = true;
}

pawl_status pawl__contents_parts(uint32_t *n, uint64_t size, pawl_error *err)
{
        uint64_t parts = size / PAWL__PART_SIZE + (size % PAWL__PART_SIZE != 0);

        if (parts > UINT32_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "content: is larger than %u parts; leave the file out", UINT32_MAX);
        *n = parts ? (uint32_t)parts : 1;
        return PAWL_OK;
}

/* ---- Verified contents ------------------------------------------------------------------------
 *
 * A restore verifies what it is about to write, and the checkpoint after it meets the same contents
 * again: the handle remembers 64 bits of each hash that it verified, a later one in the place of an
 * earlier one. */

static uint64_t *verified_slot(pawl__contents *c, const unsigned char hash[32], uint64_t *bits)
{
        uint32_t slot;

        memcpy(&slot, hash, sizeof slot);
        memcpy(bits, hash + sizeof slot, sizeof *bits);
        return c->verified ? c->verified + slot % PAWL__CONTENTS_VERIFIED : NULL;
}

/* Without memory for it nothing is remembered, and the content is read again. */
static void note_verified(pawl__contents *c, const unsigned char hash[32])
{
        uint64_t bits;

        if (!c->verified)
                c->verified = calloc(PAWL__CONTENTS_VERIFIED, sizeof *c->verified);
        uint64_t *slot = verified_slot(c, hash, &bits);
        if (slot)
                *slot = bits;
}

static bool is_verified(pawl__contents *c, const unsigned char hash[32])
{
        uint64_t bits;
        const uint64_t *slot = verified_slot(c, hash, &bits);

        return slot && *slot == bits;
}

static void forget_verified(pawl__contents *c, const unsigned char hash[32])
{
        uint64_t bits;
        uint64_t *slot = verified_slot(c, hash, &bits);

        if (slot && *slot == bits)
                *slot = 0;
}

/* ---- Putting --------------------------------------------------------------------------------- */

struct committing {
        pawl__contents *contents;
        pawl__batch_prepare_fn prepare;
        void *user;
};

static pawl_status prepare_and_flush(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const struct committing *it = user;

        pawl__contents_reset(it->contents);
        const pawl_status status = it->prepare(log, batch, it->user, err);
        return status ? status : pawl__contents_flush(it->contents, err);
}

pawl_status pawl__contents_commit(
        pawl__contents *c, pawl__batch_prepare_fn prepare, void *user, pawl_error *err)
{
        struct committing it = {c, prepare, user};
        pawl__batch batch = {.prepare = prepare_and_flush, .prepare_user = &it};
        const pawl_status status = pawl__log_commit(c->log, &batch, 0, NULL);

        pawl__batch_free(&batch);
        return pawl__log_failed(c->log, status, err);
}

pawl_status pawl__contents_put_one(pawl__contents *c, const unsigned char hash[32],
        pawl_text content, const unsigned char *like, pawl_error *err)
{
        pawl__delta delta;
        bool lacks = false;
        pawl_status status = pawl__contents_lacks(&lacks, c, hash, err);

        if (status || !lacks)
                return status;
        pawl__buf_clear(&c->whole);
        status = pawl__contents_encode(&c->whole, &delta, c, content, like, err);
        return status ? status
                      : pawl__contents_add(
                                c, hash, content.len, pawl__buf_text(&c->whole), &delta, err);
}

pawl_status pawl__contents_drop(pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        pawl_status status = pawl__log_packed_drop(c->log, hash);

        forget_verified(c, hash);
        if (!status)
                status = pawl__log_content_drop(c->log, hash);
        return pawl__log_failed(c->log, status, err);
}

/* ---- Borrowed parts -------------------------------------------------------------------------- */

char *pawl__contents_scratch(pawl__contents *c)
{
        return pawl__buf_reserve(&c->part, PAWL__PART_SIZE) ? NULL : c->part.data;
}

pawl_log *pawl__contents_log(pawl__contents *contents)
{
        return contents->log;
}

pawl__hasher *pawl__contents_hasher(pawl__contents *c)
{
        return c->hasher;
}

pawl__map *pawl__contents_unstable(pawl__contents *c)
{
        return &c->unstable;
}

pawl_status pawl__contents_note_unstable(pawl__contents *c, pawl_text path, pawl_error *err)
{
        const uint32_t times = pawl__map_get(&c->unstable, path);

        if (pawl__map_put_copy(
                    &c->unstable, &c->paths, path, times == PAWL__MAP_NONE ? 1 : times + 1))
                return pawl__nomem(err);
        return PAWL_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

pawl_status pawl__content_to_buf(const void *data, size_t len, void *buf, pawl_error *err)
{
        return pawl__buf_add(buf, data, len) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__content_to_nothing(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)data, (void)len, (void)user, (void)err;
        return PAWL_OK;
}

static const char other_size[] = "it is of another size than its entry says";

/* Part @p index into c->part, where it must be exactly @p len bytes long. PAWL_DONE: there is a
 * list of chunks instead. */
static pawl_status unpack(pawl__contents *c, const unsigned char hash[32], uint32_t index,
        uint64_t size, size_t len, pawl_error *err)
{
        uint64_t whole;

        pawl__buf_clear(&c->packed);
        pawl_status status = pawl__log_content_get(&c->packed, &whole, c->log, hash, index);
        if (status)
                return pawl__log_failed(c->log, status, err);
        if (whole != size)
                return pawl__contents_damaged(hash, other_size, err);
        if (index == 0 && pawl__chunks_is_list(pawl__buf_text(&c->packed)))
                return PAWL_DONE;
        status = pawl__contents_decompress(
                &c->part, c, pawl__buf_text(&c->packed), (pawl_text){NULL, 0}, len, err);
        return status == PAWL_EDAMAGED
                       ? pawl__contents_damaged(hash, "a part of it cannot be unpacked", err)
                       : status;
}

/* A content that is in a pack. */
static pawl_status read_packed(pawl__contents *c, const unsigned char hash[32], uint64_t size,
        pawl__content_sink sink, void *user, pawl_error *err)
{
        pawl_status status = pawl__contents_load(&c->part, c, hash, err);

        if (status)
                return status;
        if (c->part.len != size)
                return pawl__contents_damaged(hash, other_size, err);
        return sink(c->part.data, c->part.len, user, err);
}

static pawl_status read_content(pawl__contents *c, const unsigned char hash[32], uint64_t size,
        pawl__content_sink sink, void *user, pawl_error *err)
{
        pawl__pack_place place;
        unsigned char found[32];
        uint32_t parts = 0;
        pawl_status status =
                pawl__log_failed(c->log, pawl__log_packed_get(&place, c->log, hash), err);

        if (!status && place.pack)
                return read_packed(c, hash, size, sink, user, err);
        if (!status)
                status = pawl__contents_parts(&parts, size, err);
        if (!status)
                status = pawl__hasher_begin(c->hasher, err);
        for (uint32_t i = 0; i < parts && !status; i++) {
                uint64_t left = size - (uint64_t)i * PAWL__PART_SIZE;
                size_t len = left < PAWL__PART_SIZE ? (size_t)left : PAWL__PART_SIZE;
                status = unpack(c, hash, i, size, len, err);
                if (!status && pawl__hasher_add(c->hasher, c->part.data, len))
                        status = pawl__nomem(err);
                if (!status)
                        status = sink(c->part.data, len, user, err);
        }
        if (status == PAWL_DONE)
                return pawl__contents_read_chunks(c, hash, sink, user, err);
        if (!status && pawl__hasher_end(c->hasher, found))
                status = pawl__nomem(err);
        if (!status && memcmp(found, hash, 32) != 0)
                status = pawl__contents_damaged(hash, "it is not what its hash says", err);
        return status;
}

pawl_status pawl__contents_read(pawl__contents *c, const unsigned char hash[32], uint64_t size,
        pawl__content_sink sink, void *user, pawl_error *err)
{
        TRY(read_content(c, hash, size, sink, user, err));
        note_verified(c, hash);
        return PAWL_OK;
}

/* The size is what the log says: a wrong one shows in the parts, or in the hash. */
static pawl_status read_stored(pawl__contents *c, const unsigned char hash[32])
{
        pawl_error ignored = PAWL_ERROR_INIT;
        pawl__pack_place place;
        uint64_t size = 0;
        pawl_status status = pawl__log_packed_get(&place, c->log, hash);

        if (status)
                return status;
        if (place.pack)
                return pawl__contents_load(&c->part, c, hash, &ignored);
        pawl__buf_clear(&c->packed);
        TRY(pawl__log_content_get(&c->packed, &size, c->log, hash, 0));
        return pawl__contents_read(c, hash, size, pawl__content_to_nothing, NULL, &ignored);
}

pawl_status pawl__contents_intact(bool *intact, bool *damaged, pawl__contents *c,
        const unsigned char hash[32], pawl_error *err)
{
        pawl__buf scratch = c->part;

        if (damaged)
                *damaged = false;
        TRY(pawl__contents_has(intact, c, hash, err));
        if (!*intact || pawl__contents_waits(c, hash) || is_verified(c, hash))
                return PAWL_OK;
        c->part = (pawl__buf)PAWL__BUF_INIT;
        const pawl_status status = read_stored(c, hash);
        pawl__buf_free(&c->part);
        c->part = scratch;
        *intact = !status;
        if (damaged)
                *damaged = status != PAWL_OK;
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED || status == PAWL_ETOOBIG ||
                status == PAWL_ENEWER)
                return PAWL_OK;
        return status == PAWL_ENOMEM ? pawl__nomem(err) : pawl__log_failed(c->log, status, err);
}

pawl_status pawl__contents_lacks(
        bool *lacks, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        bool intact, damaged;

        TRY(pawl__contents_intact(&intact, &damaged, c, hash, err));
        *lacks = !intact;
        return damaged ? pawl__contents_drop(c, hash, err) : PAWL_OK;
}

/* ---- Directories ----------------------------------------------------------------------------- */

/* Its entry gives no size: the log's word is taken, within what a directory can have. */
static pawl_status directory_in_log(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        pawl__pack_place place;
        uint64_t size;
        pawl_status status = pawl__log_packed_get(&place, c->log, hash);

        if (!status && place.pack) {
                status = pawl__contents_load(&c->part, c, hash, err);
                return status ? status : pawl__content_to_buf(c->part.data, c->part.len, out, err);
        }
        pawl__buf_clear(&c->packed);
        if (!status)
                status = pawl__log_content_get(&c->packed, &size, c->log, hash, 0);
        if (status)
                return pawl__log_failed(c->log, status, err);
        if (size > PAWL__TREE_MAX)
                return pawl__contents_damaged(hash, "it is larger than a directory can be", err);
        return pawl__contents_read(c, hash, size, pawl__content_to_buf, out, err);
}

/* The one that was read lately, or the place for it, in place of the one that is not used longest.
 */
static pawl__cached_directory *cached(pawl__contents *c, const unsigned char hash[32])
{
        pawl__cached_directory *slot = &c->directories[0];

        for (size_t i = 0; i < PAWL__DIRECTORIES_CACHED; i++) {
                pawl__cached_directory *it = &c->directories[i];
                if (it->used && memcmp(it->hash, hash, sizeof it->hash) == 0)
                        return it;
                if (it->used < slot->used)
                        slot = it;
        }
        slot->used = 0;
        return slot;
}

/* The log's, which is remembered unless it is large. */
static pawl_status read_directory(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        enum { LARGE = 64 << 10 };
        const size_t before = out->len;
        pawl__cached_directory *slot = cached(c, hash);

        if (slot->used) {
                slot->used = ++c->uses;
                return pawl__content_to_buf(slot->encoded.data, slot->encoded.len, out, err);
        }
        TRY(directory_in_log(out, c, hash, err));
        pawl__buf_clear(&slot->encoded);
        if (out->len - before > LARGE ||
                pawl__buf_add(&slot->encoded, out->data + before, out->len - before))
                return PAWL_OK; /* it is read again */
        memcpy(slot->hash, hash, sizeof slot->hash);
        slot->used = ++c->uses;
        return PAWL_OK;
}

pawl_status pawl__contents_directory(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        size_t before = out->len;
        pawl_status status = PAWL_ENOTFOUND;

        if (c->overlay.get)
                status = c->overlay.get(out, hash, c->overlay.user, err);
        if (status == PAWL_ENOTFOUND)
                status = read_directory(out, c, hash, err);
        if (status)
                out->len = before;
        return status;
}

void pawl__contents_overlay(pawl__contents *c, const pawl__directories *directories)
{
        if (c)
                c->overlay = directories ? *directories : (pawl__directories){NULL, NULL};
}

static pawl_status get_directory(
        pawl__buf *out, const unsigned char hash[32], void *user, pawl_error *err)
{
        return pawl__contents_directory(out, user, hash, err);
}

pawl__directories pawl__contents_directories(pawl__contents *c)
{
        return (pawl__directories){get_directory, c};
}
