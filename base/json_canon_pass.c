#include "base/json_canon_pass.h"
#include "base/error.h"
#include "base/json_lex.h"
#include "base/number_canon.h"
#include <stdlib.h>

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

/* The string whose opening quote stands at *p, and past it; NULL: refused. Most of what is read is
 * read here, and out of line it would cost a tenth more. */
__attribute__((always_inline)) static inline char *write_string(
        char *out, const char **p, const char *end, bool *escaped)
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

pawl_status pawl__canon_too_big(pawl_error *err)
{
        return pawl__fail(err, PAWL_ETOOBIG,
                "a JSON text of 4 GiB or more; keep the text and its canonical form below that");
}

/* Numbers have grown: make the room again that the rest of the source may need. The buffer may
 * move. */
static pawl_status make_room(pawl__canon *c, size_t used, size_t left)
{
        const size_t need = used + left + c->small + PAWL__CANON_SLACK;

        if (need <= c->buf->cap)
                return PAWL_OK;
        if (need - c->base > UINT32_MAX)
                return pawl__canon_too_big(c->err);
        c->buf->len = used;
        return pawl__buf_reserve(c->buf, need - used) ? pawl__nomem(c->err) : PAWL_OK;
}

static pawl_status refuse_twice(
        const pawl__canon *c, const pawl__canon_level *object, uint32_t start)
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
        pawl__canon *c, const char *text, size_t start, uint64_t prefix)
{
        pawl__canon_level *const object = &c->levels[c->depth];

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
static pawl_status sort_object(pawl__canon *c, const pawl__canon_level *object, char *out)
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
        const bool borrow = c->hasher ? c->n_objects == 1 : c->depth == 1;
        if (pawl__reorder_add(&c->walk, object->start, end, members, n, borrow))
                return pawl__nomem(c->err);
        return PAWL_OK;
}

/* The innermost object ends; its '}' is written, and out stands after it. */
static inline pawl_status end_object(pawl__canon *c, char *out)
{
        const pawl__canon_level *object = &c->levels[c->depth];
        const pawl_status status = object->unsorted ? sort_object(c, object, out) : PAWL_OK;

        c->n_members = object->first;
        if (--c->n_objects == 0 && c->hasher)
                c->batch = c->walk.n_objects ? 0 : PAWL__CANON_BATCH;
        return status;
}

/* No object is open: give what is written to the hasher, up to @p end. */
static pawl_status give_out(pawl__canon *c, char *end)
{
        char *const text = c->buf->data + c->base;
        const size_t len = (size_t)(end - text);
        pawl_status status;

        if (c->walk.n_objects)
                status = pawl__reorder_hash(&c->walk, text, len, c->hasher, end, c->small);
        else
                status = pawl__hasher_add(c->hasher, text, len);
        c->batch = PAWL__CANON_BATCH;
        return status ? pawl__nomem(c->err) : PAWL_OK;
}

/* Something is not as it should be. The reader, which stops at the same place, says what. */
static pawl_status refuse(const pawl__canon *c)
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
static inline pawl_status write_name(pawl__canon *c, struct place *at)
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

static inline pawl_status write_number(pawl__canon *c, struct place *at)
{
        const char *const raw = at->p;
        pawl__lex_marks marks;

        at->p = pawl__lex_number(raw, at->end, &marks);
        if (!at->p)
                return refuse(c);
        const size_t raw_len = (size_t)(at->p - raw);
        if (marks.point == raw_len) {
                const size_t sign = raw_len == 2 && memcmp(raw, "-0", 2) == 0; /* goes */
                at->out = copy(at->out, raw + sign, raw_len - sign, at->end);
                return PAWL_OK;
        }
        const size_t n = pawl__number_canon(at->out, raw, raw_len, marks);
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

static inline pawl_status write_word(pawl__canon *c, struct place *at, const char *word, size_t len)
{
        if ((size_t)(at->end - at->p) < len || memcmp(at->p, word, len) != 0)
                return refuse(c);
        memcpy(at->out, word, len);
        at->p += len;
        at->out += len;
        return PAWL_OK;
}

/* '{' or '['. */
static inline pawl_status open_container(pawl__canon *c, struct place *at)
{
        const bool is_object = *at->p == '{';

        if (c->depth == PAWL__JSON_DEPTH)
                return refuse(c);
        c->levels[++c->depth] = (pawl__canon_level){(uint32_t)c->n_members,
                (uint32_t)(at->out - at->text), (uint32_t)(at->p - c->source), is_object, false};
        *at->out++ = *at->p++;
        if (is_object) {
                c->n_objects++;
                c->batch = SIZE_MAX;
        }
        return PAWL_OK;
}

/* A scalar, or the beginning of a container. */
static inline pawl_status write_value(pawl__canon *c, struct place *at)
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
static inline pawl_status write_ends(pawl__canon *c, struct place *at, bool *more)
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

pawl_status pawl__canon_write(pawl__canon *c, char **out_end)
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

void pawl__canon_init(pawl__canon *c, const char *text, size_t len, pawl__buf *buf,
        pawl__hasher *hasher, pawl_error *err)
{
        c->source = text ? text : "";
        c->source_len = len;
        c->buf = buf;
        c->small = len < PAWL__CANON_SMALL ? len : PAWL__CANON_SMALL;
        c->base = buf->len;
        c->hasher = hasher;
        c->batch = hasher ? PAWL__CANON_BATCH : SIZE_MAX;
        c->members = NULL;
        c->n_members = c->cap_members = c->n_objects = 0;
        c->walk = (pawl__reorder){NULL, 0, 0, NULL, 0, 0};
        c->depth = 0;
        c->levels[0].is_object = false;
        c->err = err;
}

void pawl__canon_free(pawl__canon *c)
{
        free(c->members);
        pawl__reorder_free(&c->walk);
}
