#include "workspace/store/contents.h"
#include "base/error.h"
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Of sources and texts in parts of 4 MiB (`zstd -b1e3 -B4194304`), level 1 leaves 0.34 at 415 MB/s,
 * level 3 0.25 at 315: what is kept for long is worth the third more of time. */
enum { LEVEL = 3 };

struct pawl__contents {
        pawl_log *log;
        pawl__hasher *hasher;
        ZSTD_CCtx *packer;   /* made when first used */
        ZSTD_DCtx *unpacker; /* the same */
        pawl__directories overlay;
        pawl__buf packed, part; /* kept from part to part */
        pawl__map unstable;
        pawl__arena paths; /* its keys */
};

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
        pawl__map_free(&c->unstable);
        pawl__arena_free(&c->paths);
        free(c);
}

static pawl_status damaged(const unsigned char hash[32], const char *what, pawl_error *err)
{
        char hex[65];

        pawl__hex(hex, hash, 32);
        return pawl__fail(err, PAWL_EDAMAGED,
                "content %.16s: %s; see `pawl validate`, or put back a copy of the log", hex, what);
}

pawl_status pawl__contents_chunks(uint32_t *n, uint64_t size, pawl_error *err)
{
        uint64_t parts = size / PAWL__PART_SIZE + (size % PAWL__PART_SIZE != 0);

        if (parts > UINT32_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "content: is larger than %u parts; leave the file out", UINT32_MAX);
        *n = parts ? (uint32_t)parts : 1;
        return PAWL_OK;
}

pawl_status pawl__contents_has(
        bool *has, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        return pawl__log_failed(c->log, pawl__log_content_has(has, c->log, hash), err);
}

pawl_status pawl__contents_commit(
        pawl__contents *c, pawl__batch_prepare_fn prepare, void *user, pawl_error *err)
{
        pawl__batch batch = {.prepare = prepare, .prepare_user = user};
        const pawl_status status = pawl__log_commit(c->log, &batch, 0, NULL);

        pawl__batch_free(&batch);
        return pawl__log_failed(c->log, status, err);
}

/* ---- Putting ------------------------------------------------------------------------------------
 */

pawl_status pawl__contents_pack(
        pawl__buf *out, pawl__contents *c, const void *data, size_t len, pawl_error *err)
{
        size_t bound = ZSTD_compressBound(len);

        if (!c->packer && !(c->packer = ZSTD_createCCtx()))
                return pawl__nomem(err);
        if (pawl__buf_reserve(out, bound))
                return pawl__nomem(err);
        size_t n = ZSTD_compressCCtx(c->packer, out->data + out->len, bound, data, len, LEVEL);
        if (ZSTD_isError(n)) /* with room enough it can only lack memory */
                return pawl__nomem(err);
        out->len += n;
        out->data[out->len] = '\0';
        return PAWL_OK;
}

pawl_status pawl__contents_put(pawl__contents *c, const unsigned char hash[32], uint32_t part,
        uint64_t size, pawl_text packed, pawl_error *err)
{
        return pawl__log_failed(c->log,
                pawl__log_content_put(c->log, hash, part, size, packed.data, packed.len), err);
}

pawl_status pawl__contents_put_whole(
        pawl__contents *c, const unsigned char hash[32], pawl_text content, pawl_error *err)
{
        uint32_t parts = 0;
        bool has = false;
        pawl_status status = pawl__contents_chunks(&parts, content.len, err);

        if (!status)
                status = pawl__contents_has(&has, c, hash, err);
        if (status || has)
                return status;
        for (uint32_t i = 0; i < parts && !status; i++) {
                const size_t at = i * PAWL__PART_SIZE, left = content.len - at;
                pawl__buf_clear(&c->packed);
                status = pawl__contents_pack(&c->packed, c, content.data + at,
                        left < PAWL__PART_SIZE ? left : PAWL__PART_SIZE, err);
                if (!status)
                        status = pawl__contents_put(
                                c, hash, i, content.len, pawl__buf_text(&c->packed), err);
        }
        return status;
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

/* ---- Reading ------------------------------------------------------------------------------------
 */

pawl_status pawl__content_to_buf(const void *data, size_t len, void *buf, pawl_error *err)
{
        return pawl__buf_add(buf, data, len) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__content_to_nothing(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)data, (void)len, (void)user, (void)err;
        return PAWL_OK;
}

/* Part @p index into c->part, where it must be exactly @p len bytes long. */
static pawl_status unpack(pawl__contents *c, const unsigned char hash[32], uint32_t index,
        uint64_t size, size_t len, pawl_error *err)
{
        uint64_t whole;

        pawl__buf_clear(&c->packed);
        pawl__buf_clear(&c->part);
        pawl_status status = pawl__log_content_get(&c->packed, &whole, c->log, hash, index);
        if (status)
                return pawl__log_failed(c->log, status, err);
        if (whole != size)
                return damaged(hash, "it is of another size than its entry says", err);
        if ((!c->unpacker && !(c->unpacker = ZSTD_createDCtx())) ||
                pawl__buf_reserve(&c->part, len))
                return pawl__nomem(err);
        size_t n =
                ZSTD_decompressDCtx(c->unpacker, c->part.data, len, c->packed.data, c->packed.len);
        if (ZSTD_isError(n) && ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
                return pawl__nomem(err);
        if (ZSTD_isError(n) || n != len)
                return damaged(hash, "a part of it cannot be unpacked", err);
        c->part.len = n;
        return PAWL_OK;
}

pawl_status pawl__contents_read(pawl__contents *c, const unsigned char hash[32], uint64_t size,
        pawl__content_sink sink, void *user, pawl_error *err)
{
        unsigned char found[32];
        uint32_t parts = 0;
        pawl_status status = pawl__contents_chunks(&parts, size, err);

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
        if (!status && pawl__hasher_end(c->hasher, found))
                status = pawl__nomem(err);
        if (!status && memcmp(found, hash, 32) != 0)
                status = damaged(hash, "it is not what its hash says", err);
        return status;
}

/* ---- Directories
 * ------------------------------------------------------------------------------------
 */

/* Its entry gives no size: the log's word is taken, within what a directory can have. */
static pawl_status directory_in_log(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        uint64_t size;

        pawl__buf_clear(&c->packed);
        pawl_status status = pawl__log_content_get(&c->packed, &size, c->log, hash, 0);
        if (status)
                return pawl__log_failed(c->log, status, err);
        if (size > PAWL__TREE_MAX)
                return damaged(hash, "it is larger than a directory can be", err);
        return pawl__contents_read(c, hash, size, pawl__content_to_buf, out, err);
}

pawl_status pawl__contents_directory(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        size_t before = out->len;
        pawl_status status = PAWL_ENOTFOUND;

        if (c->overlay.get)
                status = c->overlay.get(out, hash, c->overlay.user, err);
        if (status == PAWL_ENOTFOUND)
                status = directory_in_log(out, c, hash, err);
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
