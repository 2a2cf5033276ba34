/* Contents compressed, with another one as a prefix where they are differences from it. */
#include "base/error.h"
#include "workspace/store/contents_internal.h"
#include <zstd_errors.h>

/* Of sources and texts in parts of 4 MiB (`zstd -b1e3 -B4194304`), level 1 leaves 0.34 at 415 MB/s,
 * level 3 0.25 at 315: what is kept for long is worth the third more of time. */
enum { LEVEL = 3 };

/* What is small, where time counts: of 4 KiB of words, level 1 leaves 0.58 in 12 us, level 3 0.55
 * in 21 us. */
enum { QUICK_LEVEL = 1, QUICK_BELOW = 16 << 10 };

/* Beyond it, so that a prefix is searched whole. */
enum { LARGE = 256 << 10 };

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
