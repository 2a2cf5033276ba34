/* A text that is masked while it comes, as a command's standard error. */
#include "base/mask.h"
#include "base/text.h"
#include <string.h>

pawl_status pawl__mask_stream_next(
        pawl_text *final, pawl__mask_stream *stream, const pawl__mask *mask, pawl_text next)
{
        pawl__buf *pending = &stream->pending;

        *final = next;
        if (!mask || !mask->n)
                return PAWL_OK;
        if (stream->final) {
                pending->len -= stream->final;
                memmove(pending->data, pending->data + stream->final, pending->len);
                stream->final = 0;
        }
        if (pawl__buf_add(pending, next.data, next.len))
                return PAWL_ENOMEM;
        stream->final = pawl__mask_begun(mask, pending, next.len == 0);
        *final = pawl__text_n(pending->data, stream->final);
        return PAWL_OK;
}

void pawl__mask_stream_free(pawl__mask_stream *stream)
{
        pawl__buf_free(&stream->pending);
        *stream = (pawl__mask_stream){.final = 0};
}
