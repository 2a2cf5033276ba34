/*
 * One pass over the text. The canonical text grows in a buffer; of an open object, a record a
 * member says where it stands there. When an object ends and its members came out of order, their
 * slices are put in order: a small object's at once, by way of the free end of the buffer; a large
 * one's only when everything is given out (json_walk.c), so that no byte is moved once a level.
 *
 * Where no object is open, what is written is final, and a hasher takes it out of the buffer.
 */
#include "base/json_canon.h"
#include "base/error.h"
#include "base/json_lex.h"
#include "base/json_order.h"
#include "base/json_walk.h"
#include "base/number.h"
#include <stdlib.h>

enum {
        SLACK = 64,        /* a copy writes 16 bytes at a time; a number takes 32 at most */
        SMALL = 32 * 1024, /* bytes of an object that is put in order at once */
        BATCH = 64 * 1024, /* bytes that are given to the hasher at once */
        SHORT = 15         /* digits that are their own shortest form (DBL_DIG) */
};

/* An open object. */
struct level {
        uint32_t first;  /* its first member's record */
        uint32_t start;  /* its '{' in the canonical text */
        uint32_t source; /* its '{' in the source */
        bool unsorted;
};

struct canon {
        pawl__json_reader reader;
        pawl__buf *buf;       /* room for what is left of the source, small and SLACK, always */
        size_t small;         /* SMALL, or the length of a text that is shorter */
        size_t base;          /* where the canonical text begins in the buffer */
        pawl__hasher *hasher; /* NULL: everything stays in the buffer */
        pawl__member *members;
        size_t n_members, cap_members;
        pawl__walk walk;
        size_t n_objects; /* open ones */
        pawl_error *err;
        struct level objects[PAWL__JSON_DEPTH];
};

/* Copy a short run, sixteen bytes at a time where the source has them. The buffer has the slack. */
static inline char *copy(char *out, const char *from, size_t n, const char *end)
{
        if ((size_t)(end - from) < n + 15) {
                memcpy(out, from, n);
                return out + n;
        }
        for (size_t i = 0; i < n; i += 16)
                memcpy(out + i, from + i, 16);
        return out + n;
}

/* The content of a string that has escapes. It never grows: an escape's canonical form is the
 * character, or the shorter of the escapes for it. */
static char *copy_escaped(char *out, const char *p, const char *end)
{
        while (p < end) {
                const char *slash = memchr(p, '\\', (size_t)(end - p));
                const size_t plain = (size_t)((slash ? slash : end) - p);
                memcpy(out, p, plain);
                out += plain;
                p += plain;
                if (p == end)
                        break;
                char character[4];
                const size_t n = pawl__lex_escaped_character(character, &p);
                if (n == 1 && pawl__lex_needs_escape(character[0])) {
                        out += pawl__lex_write_escape(out, character[0]);
                } else {
                        memcpy(out, character, n);
                        out += n;
                }
        }
        return out;
}

/* The token's string, in quotes. */
static inline char *copy_string(char *out, const pawl__json_token *t, const char *end)
{
        if (!t->escaped)
                return copy(out, t->raw - 1, t->raw_len + 2, end);
        *out++ = '"';
        out = copy_escaped(out, t->raw, t->raw + t->raw_len);
        *out++ = '"';
        return out;
}

/* Is this literal, which has a point or an exponent, laid out as ECMAScript lays it out, so that it
 * is canonical if its digits are? Then it ends in a digit of its fraction that is not 0, and is not
 * so small as to need an exponent. */
static bool laid_out(const char *raw, size_t raw_len)
{
        const size_t sign = raw[0] == '-';

        if (raw[raw_len - 1] == '0' || memchr(raw, 'e', raw_len) || memchr(raw, 'E', raw_len))
                return false;
        return raw[sign] != '0' || (raw_len > sign + 2 && raw[sign + 2] != '0');
}

/* A number with a point or an exponent, to at most 32 bytes. */
static size_t write_number(char *out, const char *raw, size_t raw_len)
{
        const bool in_form = raw_len <= 24 && laid_out(raw, raw_len);

        /* with so few digits, in the middle of the range, no other literal of as few is the same
         * double; a point is no digit */
        if (in_form && raw_len <= SHORT + 1) {
                memcpy(out, raw, raw_len);
                return raw_len;
        }
        const pawl__decimal d = pawl__decimal_read(raw, raw_len);
        const int64_t magnitude = d.exponent + d.count;
        if (d.count <= SHORT && magnitude > -300 && magnitude < 300)
                return pawl__decimal_format(out, &d);
        const pawl__decimal least = pawl__decimal_shortest(pawl__decimal_double(&d, raw, raw_len));
        if (in_form && least.digits == d.digits && least.exponent == d.exponent) {
                memcpy(out, raw, raw_len);
                return raw_len;
        }
        return pawl__decimal_format(out, &least);
}

static bool is_integer(const char *raw, size_t raw_len)
{
        for (size_t i = raw[0] == '-'; i < raw_len; i++)
                if (raw[i] < '0' || raw[i] > '9')
                        return false;
        return true;
}

pawl_status pawl__json_canon_number(pawl__buf *out, const char *raw, size_t raw_len)
{
        if (is_integer(raw, raw_len)) {
                const bool minus_zero = raw_len == 2 && raw[0] == '-' && raw[1] == '0';
                return pawl__buf_add(out, raw + minus_zero, raw_len - minus_zero);
        }
        const pawl_status status = pawl__buf_reserve(out, SLACK);
        if (!status) {
                out->len += write_number(out->data + out->len, raw, raw_len);
                out->data[out->len] = '\0';
        }
        return status;
}

static pawl_status too_big(pawl_error *err)
{
        return pawl__fail(err, PAWL_ETOOBIG,
                "a JSON text of 4 GiB or more; keep the text and its canonical form below that");
}

/* Numbers have grown: make the room again that the rest of the source may need. */
static pawl_status make_room(struct canon *c, char **out)
{
        const size_t used = (size_t)(*out - c->buf->data);
        const size_t need = used + (c->reader.len - c->reader.at) + c->small + SLACK;

        if (need <= c->buf->cap)
                return PAWL_OK;
        if (need - c->base > UINT32_MAX)
                return too_big(c->err);
        c->buf->len = used;
        if (pawl__buf_reserve(c->buf, need - used))
                return pawl__nomem(c->err);
        *out = c->buf->data + used;
        return PAWL_OK;
}

static pawl_status refuse_twice(const struct canon *c, const struct level *object, uint32_t start)
{
        size_t index = 0;

        /* members were recorded in the order of the source, and stand so in the canonical text */
        for (size_t i = object->first; i < c->n_members; i++)
                index += c->members[i].start < start;
        return pawl__json_refuse_twice(c->reader.text, c->reader.len,
                pawl__json_name_offset(c->reader.text, c->reader.len, object->source, index),
                c->err);
}

/* A name was written at @p start of the canonical text @p text: record its member. */
static pawl_status add_member(
        struct canon *c, const char *text, size_t start, const pawl__json_token *t, size_t name_len)
{
        struct level *object = &c->objects[c->n_objects - 1];

        if (c->n_members == c->cap_members &&
                pawl__grow(&c->members, &c->cap_members, c->n_members + 64, sizeof *c->members))
                return pawl__nomem(c->err);
        pawl__member *const member = &c->members[c->n_members++];
        member->start = (uint32_t)start;
        member->prefix = pawl__member_prefix(text + start + 1, name_len, t->escaped);
        if (c->n_members - object->first < 2)
                return PAWL_OK;
        pawl__member *const last = member - 1;
        last->end = (uint32_t)start - 1; /* the comma */
        if (!object->unsorted) {
                const int order = pawl__member_cmp(text, last, member);
                if (order == 0)
                        return refuse_twice(c, object, member->start);
                object->unsorted = order > 0;
        }
        return PAWL_OK;
}

/* Put the members of a small object in order, by way of the free end of the buffer. */
static void reorder(const pawl__member *members, size_t n, char *text, uint32_t start, char *end)
{
        char *to = end;

        for (size_t i = 0; i < n; i++) {
                to = copy(to, text + members[i].start, members[i].end - members[i].start, end);
                *to++ = ',';
        }
        memcpy(text + start + 1, end, (size_t)(to - end) - 1);
}

/* An object ends whose members came out of order; out stands after its '}'. */
static pawl_status sort_object(struct canon *c, const struct level *object, char *out)
{
        const size_t n = c->n_members - object->first;
        pawl__member *const members = c->members + object->first;
        char *const text = c->buf->data + c->base;
        const uint32_t end = (uint32_t)(out - text);

        members[n - 1].end = end - 1;
        if (!pawl__members_sort(text, members, n)) {
                uint32_t second = UINT32_MAX; /* the first in the text to repeat a name */
                for (size_t i = 1; i < n; i++)
                        if (pawl__member_cmp(text, &members[i - 1], &members[i]) == 0 &&
                                members[i].start < second)
                                second = members[i].start;
                return refuse_twice(c, object, second);
        }
        if (end - object->start <= c->small)
                reorder(members, n, text, object->start, out);
        else if (pawl__walk_add(&c->walk, object->start, end, members, n, c->n_objects == 0))
                return pawl__nomem(c->err);
        return PAWL_OK;
}

/* The innermost object ends; its '}' is written, and out stands after it. */
static inline pawl_status end_object(struct canon *c, char *out)
{
        const struct level *object = &c->objects[--c->n_objects];
        const pawl_status status = object->unsorted ? sort_object(c, object, out) : PAWL_OK;

        c->n_members = object->first;
        return status;
}

/* No object is open: give what is written to the hasher. */
static pawl_status give_out(struct canon *c, char **out)
{
        char *const text = c->buf->data + c->base;
        pawl_status status;

        if (c->walk.n_objects)
                status = pawl__walk_hash(
                        &c->walk, text, (size_t)(*out - text), c->hasher, *out, c->small);
        else
                status = pawl__hasher_add(c->hasher, text, (size_t)(*out - text));
        *out = text;
        return status ? pawl__nomem(c->err) : PAWL_OK;
}

static pawl_status write_all(struct canon *c, char **out_end)
{
        const char *const end = c->reader.text + c->reader.len;
        pawl__json_token t;
        pawl_status status;
        char *out = c->buf->data + c->base;
        bool comma = false; /* a value stands before, in the same container */

        while (!(status = pawl__json_step(&c->reader, &t, c->err))) {
                if (t.type != PAWL__JSON_END) {
                        *out = ',';
                        out += comma;
                }
                comma = true;
                switch (t.type) {
                case PAWL__JSON_NAME: {
                        char *const text = c->buf->data + c->base;
                        const size_t start = (size_t)(out - text);
                        out = copy_string(out, &t, end);
                        const size_t name_len = (size_t)(out - text) - start - 2;
                        *out++ = ':';
                        comma = false;
                        status = add_member(c, text, start, &t, name_len);
                        break;
                }
                case PAWL__JSON_STRING:
                        out = copy_string(out, &t, end);
                        break;
                case PAWL__JSON_NUMBER:
                        if (t.integer) {
                                const bool minus_zero =
                                        t.raw_len == 2 && t.raw[0] == '-' && t.raw[1] == '0';
                                out = copy(out, t.raw + minus_zero, t.raw_len - minus_zero, end);
                        } else {
                                out += write_number(out, t.raw, t.raw_len);
                                status = make_room(c, &out);
                        }
                        break;
                case PAWL__JSON_OBJECT:
                        c->objects[c->n_objects++] = (struct level){(uint32_t)c->n_members,
                                (uint32_t)(size_t)(out - c->buf->data) - (uint32_t)c->base,
                                (uint32_t)t.offset, false};
                        *out++ = '{';
                        comma = false;
                        break;
                case PAWL__JSON_ARRAY:
                        *out++ = '[';
                        comma = false;
                        break;
                case PAWL__JSON_END:
                        *out++ = *t.raw;
                        if (*t.raw == '}')
                                status = end_object(c, out);
                        break;
                case PAWL__JSON_FINISHED:
                        *out_end = out - 1; /* without the comma */
                        return PAWL_OK;
                default:
                        out = copy(out, t.raw, t.raw_len, end);
                }
                if (!status && c->hasher && c->n_objects == 0 &&
                        (c->walk.n_objects || out - c->buf->data >= BATCH))
                        status = give_out(c, &out);
                if (status)
                        break;
        }
        return status;
}

static void init(struct canon *c, const char *text, size_t len, pawl__buf *buf,
        pawl__hasher *hasher, pawl_error *err)
{
        pawl__json_reader_init(&c->reader, text, len);
        c->buf = buf;
        c->small = len < SMALL ? len : SMALL;
        c->base = buf->len;
        c->hasher = hasher;
        c->members = NULL;
        c->n_members = c->cap_members = c->n_objects = 0;
        c->walk = (pawl__walk){NULL, 0, 0, NULL, 0, 0};
        c->err = err;
}

/* What was noted must be put in order in a second buffer, which takes the place of the first. */
static pawl_status put_in_order(struct canon *c)
{
        pawl__buf *const buf = c->buf;
        const char *const text = buf->data + c->base;
        char *const ordered = malloc(buf->len + 1);

        if (!ordered)
                return pawl__nomem(c->err);
        if (c->base)
                memcpy(ordered, buf->data, c->base);
        pawl__walk_text(&c->walk, text, buf->len - c->base, ordered + c->base);
        ordered[buf->len] = '\0';
        free(buf->data);
        buf->data = ordered;
        buf->cap = buf->len + 1;
        return PAWL_OK;
}

pawl_status pawl__json_canon(pawl__buf *out, const char *text, size_t len, pawl_error *err)
{
        struct canon c;
        char *end = NULL;

        if (len > UINT32_MAX)
                return too_big(err);
        init(&c, text, len, out, NULL, err);
        if (pawl__buf_reserve(out, len + c.small + SLACK))
                return pawl__nomem(err);
        pawl_status status = write_all(&c, &end);
        if (!status) {
                out->len = (size_t)(end - out->data);
                if (c.walk.n_objects)
                        status = put_in_order(&c);
        }
        if (status)
                out->len = c.base;
        out->data[out->len] = '\0';
        free(c.members);
        pawl__walk_free(&c.walk);
        return status;
}

static pawl_status hash_with(
        unsigned char hash[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        struct canon c;
        char *end = NULL;

        init(&c, text, len, &buf, hasher, err);
        buf.cap = len + c.small + SLACK; /* not a byte more: the text may be large */
        buf.data = malloc(buf.cap);
        if (!buf.data || pawl__hasher_begin(hasher)) {
                free(buf.data);
                return pawl__nomem(err);
        }
        pawl_status status = write_all(&c, &end);
        if (!status && (pawl__hasher_add(hasher, buf.data, (size_t)(end - buf.data)) ||
                               pawl__hasher_end(hasher, hash)))
                status = pawl__nomem(err);
        pawl__buf_free(&buf);
        free(c.members);
        pawl__walk_free(&c.walk);
        return status;
}

pawl_status pawl__json_canon_hash(
        unsigned char hash[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err)
{
        pawl__hasher *own = NULL;

        if (len > UINT32_MAX)
                return too_big(err);
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
