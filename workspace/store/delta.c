/* Contents as differences from others: compressed with the other one as a prefix. */
#include "base/error.h"
#include "workspace/store/contents_internal.h"
#include <zstd_errors.h>

/* Of sources and texts in parts of 4 MiB (`zstd -b1e3 -B4194304`), level 1 leaves 0.34 at 415 MB/s,
 * level 3 0.25 at 315: what is kept for long is worth the third more of time. */
enum { LEVEL = 3 };

/* What is small, where time counts: of 4 KiB of words, level 1 leaves 0.58 in 12 us, level 3 0.55
 * in 21 us. */
enum { QUICK_LEVEL = 1, QUICK_BELOW = 16 << 10 };

/* A content below is not worth the hash of its base. */
enum { LEAST = 128 };

/* Beyond it, so that a prefix is searched whole. */
enum { LARGE = 256 << 10 };

/* ---- Compression ----------------------------------------------------------------------------- */

static bool set(ZSTD_CCtx *packer, ZSTD_cParameter parameter, int value)
{
        return !ZSTD_isError(ZSTD_CCtx_setParameter(packer, parameter, value));
}

/* So large that both fit into the window. */
static int window_log(size_t bytes)
{
        int log = 10;

        while (log < 24 && (size_t)1 << log < bytes)
                log++;
        return log;
}

pawl_status pawl__contents_compress(
        pawl__buf *out, pawl__contents *c, pawl_text content, pawl_text prefix, pawl_error *err)
{
        const size_t bound = ZSTD_compressBound(content.len);
        const bool large = prefix.len > LARGE,
                   quick = c->quick && !prefix.len && content.len < QUICK_BELOW;

        if ((!c->packer && !(c->packer = ZSTD_createCCtx())) || pawl__buf_reserve(out, bound))
                return pawl__nomem(err);
        if (ZSTD_isError(ZSTD_CCtx_reset(c->packer, ZSTD_reset_session_and_parameters)) ||
                !set(c->packer, ZSTD_c_compressionLevel, quick ? QUICK_LEVEL : LEVEL) ||
                (large &&
                        !set(c->packer, ZSTD_c_windowLog, window_log(content.len + prefix.len))) ||
                (large && !set(c->packer, ZSTD_c_enableLongDistanceMatching, 1)) ||
                (prefix.len &&
                        ZSTD_isError(ZSTD_CCtx_refPrefix(c->packer, prefix.data, prefix.len))))
                return pawl__nomem(err);
        const size_t n =
                ZSTD_compress2(c->packer, out->data + out->len, bound, content.data, content.len);
        if (ZSTD_isError(n)) /* with room enough it can only lack memory */
                return pawl__nomem(err);
        out->len += n;
        out->data[out->len] = '\0';
        return PAWL_OK;
}

pawl_status pawl__contents_decompress(pawl__buf *out, pawl__contents *c, pawl_text frame,
        pawl_text prefix, size_t size, pawl_error *err)
{
        pawl__buf_clear(out);
        if ((!c->unpacker && !(c->unpacker = ZSTD_createDCtx())) || pawl__buf_reserve(out, size))
                return pawl__nomem(err);
        if (ZSTD_isError(ZSTD_DCtx_refPrefix(c->unpacker, prefix.data, prefix.len)))
                return pawl__nomem(err);
        const size_t n = ZSTD_decompressDCtx(c->unpacker, out->data, size, frame.data, frame.len);
        if (ZSTD_isError(n) && ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
                return pawl__nomem(err);
        if (ZSTD_isError(n) || n != size)
                return PAWL_EDAMAGED;
        out->len = n;
        out->data[n] = '\0';
        return PAWL_OK;
}

/* ---- What a content is a difference from ----------------------------------------------------- */

/* A content's step, and where it is. PAWL_DONE: it is not there. */
static pawl_status look_up(pawl__pack_member *out, pawl__delta *found, pawl__contents *c,
        const unsigned char hash[32], pawl_error *err)
{
        const pawl__cached_pack *pack;
        bool has;
        pawl_status status =
                pawl__log_failed(c->log, pawl__log_packed_get(&found->place, c->log, hash), err);

        if (status)
                return status;
        memcpy(found->base, hash, PAWL__PACK_BASE);
        if (found->place.pack) {
                status = pawl__contents_cached(&pack, c, found->place.pack, err);
                return status ? status
                              : pawl__pack_at(out, pawl__buf_text(&pack->heads), found->place.at);
        }
        *out = (pawl__pack_member){.step = 0};
        status = pawl__contents_has(&has, c, hash, err);
        return status || has ? status : PAWL_DONE;
}

/* To the whole one that the current content is a difference from, by way of others. */
static pawl_status go_to_whole(pawl__pack_member *member, pawl__delta *found,
        unsigned char hash[32], pawl__contents *c, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (int i = 0; member->step && !status; i++) {
                pawl__pack_place place;
                if (i == PAWL__PACK_WAY)
                        return PAWL_DONE;
                status = pawl__log_failed(
                        c->log, pawl__log_content_find(hash, &place, c->log, member->base), err);
                if (!status)
                        status = look_up(member, found, c, hash, err);
        }
        return status;
}

/* Let c->base be the content that one which resembles @p like is to be a difference from. */
static pawl_status find_base(
        pawl__delta *out, pawl__contents *c, const unsigned char like[32], pawl_error *err)
{
        pawl__delta found = {.step = 0};
        pawl__pack_member member;
        unsigned char hash[32];

        memcpy(hash, like, 32);
        pawl_status status = look_up(&member, &found, c, hash, err);
        if (status)
                return status;
        const unsigned step = member.step + 1;
        if (step > PAWL__PACK_STEPS)
                return PAWL_DONE;
        if (step % PAWL__PACK_RUN == 1)
                status = go_to_whole(&member, &found, hash, c, err);
        if (!status)
                status = pawl__contents_load(&c->base, c, hash, err);
        if (status)
                return status;
        found.step = step;
        *out = found;
        return PAWL_OK;
}

/* A difference is kept where it is less than half of the whole one; how much that would
 * be is found out unless the difference is an eighth of the content itself. */
static pawl_status compare(bool *worth, pawl__buf *out, size_t start, pawl__contents *c,
        pawl_text content, pawl_error *err)
{
        const size_t delta = out->len - start + PAWL__PACK_BASE;

        *worth = delta < content.len / 8;
        if (*worth)
                return PAWL_OK;
        pawl__buf_clear(&c->other);
        pawl_status status =
                pawl__contents_compress(&c->other, c, content, (pawl_text){NULL, 0}, err);
        if (status)
                return status;
        *worth = delta < c->other.len / 2;
        if (*worth)
                return PAWL_OK;
        out->len = start;
        return pawl__buf_add(out, c->other.data, c->other.len) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__contents_encode(pawl__buf *out, pawl__delta *delta, pawl__contents *c,
        pawl_text content, const unsigned char *like, pawl_error *err)
{
        const size_t start = out->len;
        pawl__delta found = {.step = 0};
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = PAWL_DONE;
        bool worth = false;

        *delta = found;
        if (like && content.len >= LEAST && content.len <= PAWL__PART_SIZE)
                status = find_base(&found, c, like, &why);
        if (status == PAWL_DONE || status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return pawl__contents_compress(out, c, content, (pawl_text){NULL, 0}, err);
        if (status) {
                if (err)
                        *err = why;
                return status;
        }
        status = pawl__contents_compress(out, c, content, pawl__buf_text(&c->base), err);
        if (!status)
                status = compare(&worth, out, start, c, content, err);
        if (!status && worth)
                *delta = found;
        return status;
}

pawl_status pawl__contents_base_valid(
        bool *stands, pawl__contents *c, const pawl__delta *delta, pawl_error *err)
{
        unsigned char hash[32];
        pawl__pack_place place;

        *stands = true;
        if (!delta->step)
                return PAWL_OK;
        const pawl_status status = pawl__log_content_find(hash, &place, c->log, delta->base);
        *stands = !status && place.pack == delta->place.pack && place.at == delta->place.at;
        return status == PAWL_ENOTFOUND ? PAWL_OK : pawl__log_failed(c->log, status, err);
}
