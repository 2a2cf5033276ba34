/* The ways into the canonical pass: to a buffer, to a hasher, and from outside the library. */
#include "base/json_canon.h"
#include "base/error.h"
#include "base/json_canon_pass.h"
#include <stdlib.h>

/* What was noted must be put in order in a second buffer, which takes the place of the first. */
static pawl_status put_in_order(pawl__canon *c)
{
        pawl__buf *const buf = c->buf;
        const char *const text = buf->data + c->base;
        char *const ordered = malloc(buf->len + 1);

        if (!ordered)
                return pawl__nomem(c->err);
        if (c->base)
                memcpy(ordered, buf->data, c->base);
        pawl__reorder_text(&c->walk, text, buf->len - c->base, ordered + c->base);
        ordered[buf->len] = '\0';
        free(buf->data);
        buf->data = ordered;
        buf->cap = buf->len + 1;
        return PAWL_OK;
}

pawl_status pawl__json_canon(pawl__buf *out, const char *text, size_t len, pawl_error *err)
{
        pawl__canon c;
        char *end = NULL;

        if (len > UINT32_MAX)
                return pawl__canon_too_big(err);
        if (pawl__buf_reserve(out, pawl__canon_room(len)))
                return pawl__nomem(err);
        pawl__canon_init(&c, text, len, out, NULL, err);
        pawl_status status = pawl__canon_write(&c, &end);
        if (!status) {
                out->len = (size_t)(end - out->data);
                if (c.walk.n_objects)
                        status = put_in_order(&c);
        }
        if (status)
                out->len = c.base;
        out->data[out->len] = '\0';
        pawl__canon_free(&c);
        return status;
}

static pawl_status hash_with(
        unsigned char hash[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        pawl__canon c;
        char *end = NULL;

        buf.cap = pawl__canon_room(len); /* not a byte more: the text may be large */
        buf.data = malloc(buf.cap);
        pawl_status status = buf.data ? pawl__hasher_begin(hasher, err) : pawl__nomem(err);
        if (status) {
                free(buf.data);
                return status;
        }
        pawl__canon_init(&c, text, len, &buf, hasher, err);
        status = pawl__canon_write(&c, &end);
        if (!status && (pawl__hasher_add(hasher, buf.data, (size_t)(end - buf.data)) ||
                               pawl__hasher_end(hasher, hash)))
                status = pawl__nomem(err);
        pawl__buf_free(&buf);
        pawl__canon_free(&c);
        return status;
}

pawl_status pawl__json_canon_hash(
        unsigned char hash[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err)
{
        pawl__hasher *own = NULL;

        if (len > UINT32_MAX)
                return pawl__canon_too_big(err);
        if (!hasher) {
                const pawl_status status = pawl__hasher_new(&own, err);
                if (status)
                        return status;
        }
        const pawl_status status = hash_with(hash, hasher ? hasher : own, text, len, err);
        pawl__hasher_free(own);
        return status;
}

pawl_status pawl_json_canonical(
        char **out, size_t *out_len, const char *text, size_t len, pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        const pawl_status status = pawl__json_canon(&buf, text, len, err);

        if (status) {
                pawl__buf_free(&buf);
                return status;
        }
        *out_len = buf.len;
        *out = buf.data;
        return PAWL_OK;
}

pawl_status pawl_json_hash(char out_hex[65], const char *text, size_t len, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        const pawl_status status = pawl__json_canon_hash(hash, NULL, text, len, err);

        if (!status)
                pawl__hex(out_hex, hash, sizeof hash);
        return status;
}
