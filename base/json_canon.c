/* The one pass over a JSON text that writes its canonical form.
 *
 * The canonical text grows in a buffer; of an open object, a record for each member says where it
 * is. When an object ends and its members came out of order, they are put in order: in a small
 * object at once, by way of the free end of the buffer; in a large one when everything is written
 * (pawl__reorder), so that no byte is moved once for each level. */
#include "base/json_canon.h"
#include "base/error.h"
#include "base/json_order.h"
#include "base/json_read.h"
#include "base/number.h"
#include <stdlib.h>

enum {
        SLACK = 64,       /* free behind the text: a copy writes 32 bytes, as a number may */
        PLACES = 8,       /* depths for which an order is remembered */
        SMALL = 32 * 1024 /* an object of so many bytes is put in order at once */
};

/* An open object; of an array only the place. */
struct level {
        uint32_t first;  /* its first member's record */
        uint32_t start;  /* its '{' in the canonical text */
        uint32_t source; /* its '{' in the source */
        bool unsorted;
};

struct pass {
        const char *source;
        size_t source_len;
        pawl__buf *buf;        /* has room for the rest of the source, small and SLACK, always */
        size_t small;          /* SMALL, or the length of a text that is shorter */
        size_t base;           /* where the canonical text begins in the buffer */
        pawl__member *members; /* of all open objects */
        size_t n_members, cap_members;
        pawl__order orders[PLACES]; /* by depth: objects of one array have their members alike */
        pawl__reorder walk;
        pawl_error *err;
        struct level levels[PAWL__JSON_DEPTH + 1];
};

/* Copy a short run, 32 bytes at a time: up to 31 more are read and written. What is written may be
 * what was read too much. */
static inline char *copy(char *out, const char *from, size_t n)
{
        for (size_t i = 0;;) {
                char bytes[32];
                memcpy(bytes, from + i, sizeof bytes);
                memcpy(out + i, bytes, sizeof bytes);
                i += sizeof bytes;
                if (i >= n)
                        return out + n;
        }
}

static pawl_status too_big(pawl_error *err)
{
        return pawl__fail(err, PAWL_ETOOBIG,
                "a JSON text of 4 GiB or more; keep the text and its canonical form below that");
}

/* Numbers have grown: make the room again that the rest of the source may need. The buffer may
 * move. */
static pawl_status make_room(struct pass *c, size_t used, size_t left)
{
        const size_t need = used + left + c->small + SLACK;

        if (need <= c->buf->cap)
                return PAWL_OK;
        if (need - c->base > UINT32_MAX)
                return too_big(c->err);
        c->buf->len = used;
        return pawl__buf_reserve(c->buf, need - used) ? pawl__nomem(c->err) : PAWL_OK;
}

static pawl_status refuse_twice(const struct pass *c, const struct level *object, uint32_t start)
{
        size_t index = 0;

        /* members were recorded, and written, in the order of the source */
        for (size_t i = object->first; i < c->n_members; i++)
                index += c->members[i].start < start;
        return pawl__json_refuse_twice(c->source, c->source_len,
                pawl__json_name_offset(c->source, c->source_len, object->source, index), c->err);
}

/* A name was written at @p start of the canonical text @p text: record its member. */
static inline pawl_status add_member(
        struct pass *c, struct level *object, const char *text, size_t start, uint64_t prefix)
{
        if (c->n_members == c->cap_members &&
                pawl__grow(&c->members, &c->cap_members, c->n_members + 64, sizeof *c->members))
                return pawl__nomem(c->err);
        pawl__member *const member = &c->members[c->n_members++];
        member->start = (uint32_t)start;
        member->prefix = prefix;
        if (c->n_members - object->first < 2)
                return PAWL_OK;
        pawl__member *const last = member - 1;
        last->end = (uint32_t)start - 1; /* the comma */
        if (object->unsorted || last->prefix < member->prefix)
                return PAWL_OK;
        const int order = pawl__member_cmp(text, last, member);
        if (order == 0)
                return refuse_twice(c, object, member->start);
        object->unsorted = order > 0;
        return PAWL_OK;
}

/* Put the members of a small object in order, by way of the free end of the buffer. */
static void reorder(const pawl__member *members, size_t n, char *text, uint32_t start, char *end)
{
        char *to = end;

        for (size_t i = 0; i < n; i++) {
                to = copy(to, text + members[i].start, members[i].end - members[i].start);
                *to++ = ',';
        }
        memcpy(text + start + 1, end, (size_t)(to - end) - 1);
}

/* An object ends whose members came out of order; out is behind its '}'. */
static pawl_status sort_object(struct pass *c, const struct level *object, char *out)
{
        const size_t n = c->n_members - object->first;
        pawl__member *const members = c->members + object->first;
        char *const text = c->buf->data + c->base;
        const uint32_t end = (uint32_t)(out - text);

        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it has members */
        members[n - 1].end = end - 1;
        pawl__members_sort(text, members, n, &c->orders[(size_t)(object - c->levels) % PLACES]);
        uint32_t second = UINT32_MAX; /* the first in the text to repeat a name */
        for (size_t i = 1; i < n; i++)
                if (members[i - 1].prefix == members[i].prefix && members[i].start < second &&
                        pawl__member_cmp(text, &members[i - 1], &members[i]) == 0)
                        second = members[i].start;
        if (second != UINT32_MAX)
                return refuse_twice(c, object, second);
        if (end - object->start <= c->small) {
                reorder(members, n, text, object->start, out);
                return PAWL_OK;
        }
        return pawl__reorder_add(&c->walk, object->start, end, members, n) ? pawl__nomem(c->err)
                                                                           : PAWL_OK;
}

/* The pass as its loop has it: out of memory's way, if the compiler can. */
struct writing {
        struct pass *c;
        struct level *level;      /* that is open */
        char *text, *start, *out; /* all; from where the present token stands; its end */
        const char *source_end;
};

PAWL__LEX_INLINE pawl_status write_name(struct writing *w, const pawl__json_token *t)
{
        /* from the source if that will do: a load from what was stored just now, in parts, waits */
        const uint64_t prefix = !t->escaped && w->source_end - t->raw >= 8
                                        ? pawl__member_prefix(t->raw, t->raw_len)
                                        : pawl__member_prefix_any(w->start + 1);

        *w->out++ = ':';
        return add_member(w->c, w->level, w->text, (size_t)(w->start - w->text), prefix);
}

PAWL__LEX_INLINE pawl_status write_number(struct writing *w, const pawl__json_token *t)
{
        struct pass *const c = w->c;

        if (t->marks.point == t->raw_len) {
                const size_t sign = t->raw_len == 2 && memcmp(t->raw, "-0", 2) == 0;
                const size_t len = t->raw_len - sign;
                if ((size_t)(w->source_end - t->raw) >= t->raw_len + 31)
                        copy(w->out, t->raw + sign, len);
                else
                        memcpy(w->out, t->raw + sign, len);
                w->out += len;
                return PAWL_OK;
        }
        const size_t n =
                pawl__number_canon(w->out, t->raw, t->raw_len, t->marks.point, t->marks.exponent);
        w->out += n;
        if (n <= t->raw_len)
                return PAWL_OK;
        const size_t used = (size_t)(w->out - c->buf->data);
        const pawl_status status =
                make_room(c, used, (size_t)(w->source_end - t->raw) - t->raw_len);
        w->text = c->buf->data + c->base;
        w->out = c->buf->data + used;
        return status;
}

PAWL__LEX_INLINE pawl_status write_end(struct writing *w, const pawl__json_token *t)
{
        struct level *const level = w->level--;

        w->out -= w->out[-1] == ','; /* that after the last element or member */
        *w->out++ = *t->raw;
        if (*t->raw == ']')
                return PAWL_OK;
        const pawl_status status = level->unsorted ? sort_object(w->c, level, w->out) : PAWL_OK;
        w->c->n_members = level->first;
        return status;
}

PAWL__LEX_INLINE pawl_status write_token(void *user, const pawl__json_token *t, pawl_error *err)
{
        struct writing *const w = user;
        pawl_status status = PAWL_OK;

        (void)err;
        switch (t->type) {
        case PAWL__JSON_NAME:
                status = write_name(w, t);
                w->start = w->out;
                return status;
        case PAWL__JSON_OBJECT:
        case PAWL__JSON_ARRAY:
                *++w->level = (struct level){(uint32_t)w->c->n_members,
                        (uint32_t)(w->out - w->text), (uint32_t)(t->raw - w->c->source), false};
                *w->out++ = *t->raw;
                w->start = w->out;
                return PAWL_OK;
        case PAWL__JSON_STRING:
                break;
        case PAWL__JSON_NUMBER:
                status = write_number(w, t);
                break;
        case PAWL__JSON_END:
                status = write_end(w, t);
                break;
        case PAWL__JSON_FINISHED:
                w->out--; /* the comma after it */
                return PAWL_OK;
        default: /* null, true, false */
                memcpy(w->out, t->raw, t->raw_len);
                w->out += t->raw_len;
        }
        *w->out++ = ',';
        w->start = w->out;
        return status;
}

/* Write everything, up to *end. */
static pawl_status write_all(struct pass *c, char **end)
{
        char *const text = c->buf->data + c->base;
        struct writing w = {c, c->levels, text, text, text, c->source + c->source_len};
        pawl__json_reader reader;

        pawl__json_reader_init(&reader, c->source, c->source_len);
        const pawl_status status = pawl__json_walk(&reader, write_token, &w, &w.out, c->err);
        *end = w.out;
        return status;
}

/* Make the canonical text at the end of the buffer, whose len is set behind it. On failure the
 * buffer is as it was. */
static pawl_status run(
        struct pass *c, pawl__buf *buf, const char *text, size_t len, pawl_error *err)
{
        const size_t small = len < SMALL ? len : SMALL, before = buf->len;
        char *end = NULL;

        c->members = NULL;
        c->walk = (pawl__reorder){NULL, 0, 0, NULL, 0, 0};
        if (len > UINT32_MAX)
                return too_big(err);
        if (pawl__buf_reserve(buf, len + small + SLACK))
                return pawl__nomem(err);
        c->source = text ? text : "";
        c->source_len = len;
        c->buf = buf;
        c->small = small;
        c->base = before;
        c->n_members = c->cap_members = 0;
        memset(c->orders, 0, sizeof c->orders);
        c->err = err;
        const pawl_status status = write_all(c, &end);
        buf->len = status ? before : (size_t)(end - buf->data);
        buf->data[buf->len] = '\0';
        return status;
}

static void end_pass(struct pass *c)
{
        free(c->members);
        pawl__reorder_free(&c->walk);
}

/* What was noted must be put in order in a second buffer, which takes the place of the first. */
static pawl_status put_in_order(struct pass *c)
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
        const size_t before = out->len;
        struct pass c;
        pawl_status status = run(&c, out, text, len, err);

        if (!status && c.walk.n_objects) {
                status = put_in_order(&c);
                if (status) {
                        out->len = before;
                        out->data[before] = '\0';
                }
        }
        end_pass(&c);
        return status;
}

static pawl_status hash_with(
        unsigned char hash[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        struct pass c;
        pawl_status status = run(&c, &buf, text, len, err);

        if (!status && !c.walk.n_objects) {
                status = pawl__sha256(hasher, hash, buf.data, buf.len, err);
        } else if (!status) { /* without a copy: the text may be large */
                status = pawl__hasher_begin(hasher, err);
                if (!status && (pawl__reorder_hash(&c.walk, buf.data, buf.len, hasher,
                                        buf.data + buf.len, c.small) ||
                                       pawl__hasher_end(hasher, hash)))
                        status = pawl__nomem(err);
        }
        end_pass(&c);
        pawl__buf_free(&buf);
        return status;
}

pawl_status pawl__json_canon_hash(
        unsigned char hash[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err)
{
        pawl__hasher *own = NULL;
        pawl_status status = hasher ? PAWL_OK : pawl__hasher_new(&own, err);

        if (!status)
                status = hash_with(hash, hasher ? hasher : own, text, len, err);
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
