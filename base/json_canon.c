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
        BATCH = 64 * 1024  /* bytes that are given to the hasher at once */
};

/* An open object; of an array only that it is none. */
struct level {
        uint32_t first;  /* its first member's record */
        uint32_t start;  /* its '{' in the canonical text */
        uint32_t source; /* its '{' in the source */
        bool is_object;
        bool unsorted;
};

struct canon {
        const char *source;
        size_t source_len;
        pawl__buf *buf;       /* room for what is left of the source, small and SLACK, always */
        size_t small;         /* SMALL, or the length of a text that is shorter */
        size_t base;          /* where the canonical text begins in the buffer */
        pawl__hasher *hasher; /* NULL: everything stays in the buffer */
        pawl__member *members;
        size_t n_members, cap_members;
        pawl__walk walk;
        size_t n_objects; /* open ones */
        unsigned depth;
        size_t batch; /* from so many bytes on, what is written goes to the hasher */
        pawl_error *err;
        struct level levels[PAWL__JSON_DEPTH + 1]; /* [0]: the text's one value */
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

/* The string whose opening quote stands at *p, and past it; NULL: refused. */
static inline char *write_string(char *out, const char **p, const char *end, bool *escaped)
{
        const char *const start = *p + 1;
        unsigned wide = 0;

        *out++ = '"';
        const char *close = pawl__lex_run(start, end, &wide, out);
        out += close - start;
        *escaped = close < end && *close == '\\';
        if (close == end || *close != '"' || wide) {
                char *to = out;
                close = pawl__lex_string_canon(start, close, end, wide, &to);
                if (!close)
                        return NULL;
                out = to;
        }
        *p = close + 1;
        *out++ = '"';
        return out;
}

static pawl_status too_big(pawl_error *err)
{
        return pawl__fail(err, PAWL_ETOOBIG,
                "a JSON text of 4 GiB or more; keep the text and its canonical form below that");
}

/* Numbers have grown: make the room again that the rest of the source may need. The buffer may
 * move. */
static pawl_status make_room(struct canon *c, size_t used, size_t left)
{
        const size_t need = used + left + c->small + SLACK;

        if (need <= c->buf->cap)
                return PAWL_OK;
        if (need - c->base > UINT32_MAX)
                return too_big(c->err);
        c->buf->len = used;
        return pawl__buf_reserve(c->buf, need - used) ? pawl__nomem(c->err) : PAWL_OK;
}

static pawl_status refuse_twice(const struct canon *c, const struct level *object, uint32_t start)
{
        size_t index = 0;

        /* members were recorded in the order of the source, and stand so in the canonical text */
        for (size_t i = object->first; i < c->n_members; i++)
                index += c->members[i].start < start;
        return pawl__json_refuse_twice(c->source, c->source_len,
                pawl__json_name_offset(c->source, c->source_len, object->source, index), c->err);
}

/* A name was written at @p start of the canonical text @p text: record its member. */
static inline pawl_status add_member(
        struct canon *c, const char *text, size_t start, uint64_t prefix)
{
        struct level *const object = &c->levels[c->depth];

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
        if (end - object->start <= c->small) {
                reorder(members, n, text, object->start, out);
                return PAWL_OK;
        }
        /* the records stay as they are until the walk if the outermost object is given out at once,
         * or nothing follows it */
        const bool lend = c->hasher ? c->n_objects == 1 : c->depth == 1;
        if (pawl__walk_add(&c->walk, object->start, end, members, n, lend))
                return pawl__nomem(c->err);
        return PAWL_OK;
}

/* The innermost object ends; its '}' is written, and out stands after it. */
static inline pawl_status end_object(struct canon *c, char *out)
{
        const struct level *object = &c->levels[c->depth];
        const pawl_status status = object->unsorted ? sort_object(c, object, out) : PAWL_OK;

        c->n_members = object->first;
        if (--c->n_objects == 0 && c->hasher)
                c->batch = c->walk.n_objects ? 0 : BATCH;
        return status;
}

/* No object is open: give what is written to the hasher, up to @p end. */
static pawl_status give_out(struct canon *c, char *end)
{
        char *const text = c->buf->data + c->base;
        const size_t len = (size_t)(end - text);
        pawl_status status;

        if (c->walk.n_objects)
                status = pawl__walk_hash(&c->walk, text, len, c->hasher, end, c->small);
        else
                status = pawl__hasher_add(c->hasher, text, len);
        c->batch = BATCH;
        return status ? pawl__nomem(c->err) : PAWL_OK;
}

/* Something is not as it should be. The reader, which stops at the same place, says what. */
static pawl_status refuse(const struct canon *c)
{
        pawl__json_reader reader;
        pawl__json_token token;
        pawl_status status;

        pawl__json_reader_init(&reader, c->source, c->source_len);
        do
                status = pawl__json_next(&reader, &token, c->err);
        while (!status && token.type != PAWL__JSON_FINISHED);
        return status ? status : pawl__fail(c->err, PAWL_EPARSE, "the text is no JSON; check it");
}

/* Where the loop stands, in the source and in the canonical text. No call gets its address that is
 * not compiled into the loop, so that it can live in registers. */
struct place {
        const char *p, *end;
        char *out, *text;
};

/* A name and its colon. */
static inline pawl_status write_name(struct canon *c, struct place *at)
{
        const size_t start = (size_t)(at->out - at->text);
        const char *const name = at->p;
        bool escaped;

        if (at->p == at->end || *at->p != '"' ||
                !(at->out = write_string(at->out, &at->p, at->end, &escaped)))
                return refuse(c);
        /* from the source if that will do: a load from what was stored just now, in parts, waits */
        const size_t name_len = (size_t)(at->p - name) - 2;
        const uint64_t prefix = !escaped && at->end - name > 8
                                        ? pawl__member_prefix(name + 1, name_len)
                                        : pawl__member_prefix_any(at->text + start + 1);
        at->p = pawl__lex_space(at->p, at->end);
        if (at->p == at->end || *at->p != ':')
                return refuse(c);
        at->p = pawl__lex_space(at->p + 1, at->end);
        *at->out++ = ':';
        return add_member(c, at->text, start, prefix);
}

static inline pawl_status write_number(struct canon *c, struct place *at)
{
        const char *const raw = at->p;
        pawl__lex_form form;

        at->p = pawl__lex_number(raw, at->end, &form);
        if (!at->p)
                return refuse(c);
        const size_t raw_len = (size_t)(at->p - raw);
        if (form == PAWL__LEX_INTEGER) {
                const size_t sign = raw_len == 2 && memcmp(raw, "-0", 2) == 0; /* goes */
                at->out = copy(at->out, raw + sign, raw_len - sign, at->end);
                return PAWL_OK;
        }
        const size_t n = pawl__number_canon(at->out, raw, raw_len, form == PAWL__LEX_EXPONENT);
        if (n == 0)
                return refuse(c);
        at->out += n;
        if (n <= raw_len)
                return PAWL_OK;
        const size_t used = (size_t)(at->out - c->buf->data);
        const pawl_status status = make_room(c, used, (size_t)(at->end - at->p));
        at->text = c->buf->data + c->base;
        at->out = c->buf->data + used;
        return status;
}

static inline pawl_status write_word(
        struct canon *c, struct place *at, const char *word, size_t len)
{
        if ((size_t)(at->end - at->p) < len || memcmp(at->p, word, len) != 0)
                return refuse(c);
        memcpy(at->out, word, len);
        at->p += len;
        at->out += len;
        return PAWL_OK;
}

/* '{' or '['. */
static inline pawl_status open_container(struct canon *c, struct place *at)
{
        const bool is_object = *at->p == '{';

        if (c->depth == PAWL__JSON_DEPTH)
                return refuse(c);
        c->levels[++c->depth] = (struct level){(uint32_t)c->n_members,
                (uint32_t)(at->out - at->text), (uint32_t)(at->p - c->source), is_object, false};
        *at->out++ = *at->p++;
        if (is_object) {
                c->n_objects++;
                c->batch = SIZE_MAX;
        }
        return PAWL_OK;
}

/* A scalar, or the beginning of a container. */
static inline pawl_status write_value(struct canon *c, struct place *at)
{
        bool escaped;

        if (at->p == at->end)
                return refuse(c);
        switch (*at->p) {
        case '"':
                at->out = write_string(at->out, &at->p, at->end, &escaped);
                return at->out ? PAWL_OK : refuse(c);
        case '{':
        case '[':
                return open_container(c, at);
        case '-':
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9':
                return write_number(c, at);
        case 't':
                return write_word(c, at, "true", 4);
        case 'f':
                return write_word(c, at, "false", 5);
        case 'n':
                return write_word(c, at, "null", 4);
        default:
                return refuse(c);
        }
}

/* After a value: end the containers that end here, up to a comma or the end of the text. */
static inline pawl_status write_ends(struct canon *c, struct place *at, bool *more)
{
        for (;;) {
                pawl_status status = PAWL_OK;

                if ((size_t)(at->out - at->text) >= c->batch) {
                        status = give_out(c, at->out);
                        at->out = at->text;
                }
                at->p = pawl__lex_space(at->p, at->end);
                if (c->depth == 0 || status) {
                        *more = false;
                        return status;
                }
                if (at->p == at->end)
                        return refuse(c);
                const char mark = *at->p++;
                *at->out++ = mark;
                if (mark == ',') {
                        at->p = pawl__lex_space(at->p, at->end);
                        return PAWL_OK;
                }
                if (c->levels[c->depth].is_object) {
                        status = mark == '}' ? end_object(c, at->out) : refuse(c);
                } else if (mark != ']') {
                        status = refuse(c);
                }
                c->depth--;
                if (status)
                        return status;
        }
}

static pawl_status write_all(struct canon *c, char **out_end)
{
        char *const text = c->buf->data + c->base;
        const char *const end = c->source + c->source_len;
        struct place at = {pawl__lex_space(c->source, end), end, text, text};
        pawl_status status = PAWL_OK;
        bool more = true;

        while (more && !status) {
                const unsigned depth = c->depth;
                if (c->levels[depth].is_object)
                        status = write_name(c, &at);
                if (!status)
                        status = write_value(c, &at);
                if (!status && c->depth > depth) { /* a container begins: is it empty? */
                        at.p = pawl__lex_space(at.p, end);
                        if (at.p < end && *at.p != (c->levels[c->depth].is_object ? '}' : ']'))
                                continue;
                }
                if (!status)
                        status = write_ends(c, &at, &more);
        }
        if (status)
                return status;
        *out_end = at.out;
        return at.p == end ? PAWL_OK : refuse(c);
}

static void init(struct canon *c, const char *text, size_t len, pawl__buf *buf,
        pawl__hasher *hasher, pawl_error *err)
{
        c->source = text ? text : "";
        c->source_len = len;
        c->buf = buf;
        c->small = len < SMALL ? len : SMALL;
        c->base = buf->len;
        c->hasher = hasher;
        c->batch = hasher ? BATCH : SIZE_MAX;
        c->members = NULL;
        c->n_members = c->cap_members = c->n_objects = 0;
        c->depth = 0;
        c->levels[0].is_object = false;
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
