/**
 * @file base/json_read.h
 * @brief A strict reader of JSON (RFC 8259), one token at a time; the one place that knows the
 *        grammar.
 *
 * Nothing recurses: nesting is a bit per level, at most PAWL__JSON_DEPTH. A token borrows from the
 * text. Every refusal is PAWL_EPARSE, "line L, column C: WHAT; HOW TO FIX" (columns count
 * characters from 1). Refused: what RFC 8259 refuses, invalid UTF-8, lone surrogates, numbers that
 * overflow a double, depth beyond the limit, a second value after the first. Duplicate member names
 * are for the caller, who has the members together (json_canon, json_tree).
 *
 * The grammar is one loop, pawl__json_walk(), that calls a function with each token. Both are
 * inline: the tree and the canonical writer are loops of their own, in which the place in the code
 * says what may come next. What is rare, or only says why a text is refused, is in json_read.c.
 */
#pragma once

#include "base/json_lex.h"

#define PAWL__JSON_DEPTH 512

typedef enum pawl__json_type {
        PAWL__JSON_NULL,
        PAWL__JSON_FALSE,
        PAWL__JSON_TRUE,
        PAWL__JSON_NUMBER,
        PAWL__JSON_STRING,
        PAWL__JSON_ARRAY,   /**< '[': its elements follow, then PAWL__JSON_END */
        PAWL__JSON_OBJECT,  /**< '{': name, value, name, value ..., then PAWL__JSON_END */
        PAWL__JSON_NAME,    /**< a member's name, a string */
        PAWL__JSON_END,     /**< ']' or '}' of the innermost open container */
        PAWL__JSON_FINISHED /**< the whole text was one value */
} pawl__json_type;

typedef struct pawl__json_token {
        pawl__json_type type;
        bool escaped;    /**< a string or name holds at least one backslash escape */
        const char *raw; /**< where it is; string or name: between the quotes, undecoded */
        size_t raw_len;
        pawl__lex_marks marks; /**< number: see there */
} pawl__json_token;

/** The offset of the token's first byte in @p text, quote included. */
static inline size_t pawl__json_offset(const pawl__json_token *t, const char *text)
{
        const bool quoted = t->type == PAWL__JSON_STRING || t->type == PAWL__JSON_NAME;

        return (size_t)(t->raw - text) - quoted;
}

/** What may come next. */
typedef enum pawl__json_expect {
        PAWL__EXPECT_VALUE, /**< the text's one value, a member's, or an element after a comma */
        PAWL__EXPECT_FIRST, /**< the first name or element, or the end of the container */
        PAWL__EXPECT_NEXT   /**< a comma, or the end of the container or of the text */
} pawl__json_expect;

typedef struct pawl__json_reader {
        const char *text;
        size_t len, at;
        size_t valid; /**< so many bytes are known to be UTF-8 */
        unsigned depth;
        pawl__json_expect expect;           /**< private to the reader */
        char closing[PAWL__JSON_DEPTH + 1]; /**< by depth, what ends the container that is open */
} pawl__json_reader;

/** Fail with PAWL_EPARSE at a byte offset of the text: counts its line and column. */
pawl_status pawl__json_fail_at(
        const char *text, size_t len, size_t offset, pawl_error *err, const char *what);

/** Of a refusal about a text that is one line of a file, which said "line 1, column C: WHAT": that
 * it is line @p line of @p name, "NAME: line N, column C: WHAT". Any other failure gets the prefix
 *  "NAME: line N: ". Returns @p status. */
pawl_status pawl__json_fail_on_line(
        pawl_error *err, pawl_status status, const char *name, size_t line);

/** Does the literal, which has a point or an exponent, overflow a double? */
bool pawl__json_overflows(const char *raw, size_t raw_len);

/** What was being read when the text was refused. */
typedef enum pawl__json_refusal {
        PAWL__REFUSE_VALUE,
        PAWL__REFUSE_STRING,
        PAWL__REFUSE_NUMBER,
        PAWL__REFUSE_OVERFLOW,
        PAWL__REFUSE_NAME,
        PAWL__REFUSE_COLON,
        PAWL__REFUSE_COMMA, /**< or the closing bracket */
        PAWL__REFUSE_REST,  /**< something after the text's one value */
        PAWL__REFUSE_DEPTH
} pawl__json_refusal;

/** Find out what is wrong with what begins at @p at, and say it. */
__attribute__((cold)) pawl_status pawl__json_refuse(const pawl__json_reader *reader,
        pawl__json_refusal refusal, const char *at, pawl_error *err);

/** Refuse a name that an object has twice; the opening quote of the second is at @p offset. */
pawl_status pawl__json_refuse_twice(const char *text, size_t len, size_t offset, pawl_error *err);
/** The offset of the object's name number @p index, counted from 0. @p object is the '{'. */
size_t pawl__json_name_offset(const char *text, size_t len, size_t object, size_t index);

/* What ends a container is set when it is entered. */
static inline void pawl__json_reader_init(pawl__json_reader *r, const char *text, size_t len)
{
        r->text = text ? text : "";
        r->len = text ? len : 0;
        r->at = 0;
        r->valid = 0;
        r->depth = 0;
        r->expect = PAWL__EXPECT_VALUE;
        r->closing[0] = '\0';
}

/** Is the text UTF-8 up to an ASCII character at @p end, if it is up to @p valid? Returns how far
 * it is: some of what comes next is looked at, too, for the strings there. */
size_t pawl__json_valid(const char *text, size_t len, size_t valid, size_t end);

static inline bool pawl__json_is_valid(pawl__json_reader *r, size_t end)
{
        if (end > r->valid)
                r->valid = pawl__json_valid(r->text, r->len, r->valid, end);
        return end <= r->valid;
}

/* Each of these reads a token at p, of which something is there, and returns its end; or NULL. What
 * they keep for calls is their own, so that the token need not be in memory. */

PAWL__LEX_INLINE const char *pawl__json_read_string(
        pawl__json_token *t, pawl__json_reader *r, const char *p, char **to)
{
        bool escaped;

        if (*p != '"')
                return NULL;
        if (to)
                *(*to)++ = '"';
        const pawl__lex_place close =
                pawl__lex_string(p + 1, r->text + r->len, &escaped, to ? *to : NULL);
        if (!close.p || !pawl__json_is_valid(r, (size_t)(close.p - r->text)))
                return NULL;
        if (to) {
                *close.to = '"';
                *to = close.to + 1;
        }
        t->escaped = escaped;
        t->raw = p + 1;
        t->raw_len = (size_t)(close.p - p - 1);
        return close.p + 1;
}

PAWL__LEX_INLINE const char *pawl__json_read_number(
        pawl__json_token *t, const char *p, const char *end, pawl__json_refusal *refusal)
{
        pawl__lex_marks marks;
        const char *const stop = pawl__lex_number(p, end, &marks);

        *refusal = PAWL__REFUSE_NUMBER;
        if (!stop)
                return NULL;
        t->type = PAWL__JSON_NUMBER;
        t->marks = marks;
        t->raw_len = (size_t)(stop - p);
        /* without an exponent it takes 309 digits to overflow; integers never do */
        if ((marks.exponent == t->raw_len &&
                    (marks.point == t->raw_len || t->raw_len <= PAWL__LEX_LONG)) ||
                !pawl__json_overflows(p, t->raw_len))
                return stop;
        *refusal = PAWL__REFUSE_OVERFLOW;
        return NULL;
}

/* "null", "true" or "false". */
PAWL__LEX_INLINE const char *pawl__json_read_word(
        pawl__json_token *t, const char *p, const char *end)
{
        const char *const word = *p == 'n' ? "null" : *p == 't' ? "true" : "false";

        t->type = *p == 'n' ? PAWL__JSON_NULL : *p == 't' ? PAWL__JSON_TRUE : PAWL__JSON_FALSE;
        t->raw_len = *p == 'n' || *p == 't' ? 4 : 5;
        return (size_t)(end - p) >= t->raw_len && memcmp(p, word, t->raw_len) == 0 ? p + t->raw_len
                                                                                   : NULL;
}

/** Takes a token. PAWL_OK: go on; PAWL_DONE: stop behind it, for now; a failure ends the walk. */
typedef pawl_status pawl__json_take(void *user, const pawl__json_token *token, pawl_error *err);

/**
 * Read on, and give each token to @p take, PAWL__JSON_FINISHED as well. With @p to, a string or a
 * name is copied there before, in canonical form, quotes included, and *to is moved past it.
 * @return what @p take returned, if not PAWL_OK, and at the end; or PAWL_EPARSE.
 */
PAWL__LEX_INLINE pawl_status pawl__json_walk(
        pawl__json_reader *r, pawl__json_take *take, void *user, char **to, pawl_error *err)
{
        const char *const end = r->text + r->len, *p = r->text + r->at, *stop;
        pawl__json_expect expect = r->expect;
        pawl__json_refusal refusal = PAWL__REFUSE_VALUE;
        pawl_status status = PAWL_OK;
        unsigned depth = r->depth;
        char closing = r->closing[depth];
        pawl__json_token t;

        for (;;) {
                p = pawl__lex_space(p, end);
                t.raw = p;
                if (expect != PAWL__EXPECT_VALUE) {
                        if (!closing) {
                                refusal = PAWL__REFUSE_REST;
                                if (p < end)
                                        goto refused;
                                t.type = PAWL__JSON_FINISHED;
                                t.raw_len = 0;
                                status = take(user, &t, err);
                                break;
                        }
                        if (p < end && *p == closing) {
                                t.type = PAWL__JSON_END;
                                t.raw_len = 1;
                                closing = r->closing[--depth];
                                expect = PAWL__EXPECT_NEXT;
                                p++;
                                status = take(user, &t, err);
                                if (status)
                                        break;
                                continue;
                        }
                        if (expect == PAWL__EXPECT_NEXT) {
                                refusal = PAWL__REFUSE_COMMA;
                                if (p == end || *p != ',')
                                        goto refused;
                                p = pawl__lex_space(p + 1, end);
                                t.raw = p;
                        }
                        if (closing == '}') {
                                refusal = p < end && *p == '"' ? PAWL__REFUSE_STRING
                                                               : PAWL__REFUSE_NAME;
                                stop = p < end ? pawl__json_read_string(&t, r, p, to) : NULL;
                                if (!stop)
                                        goto refused;
                                t.type = PAWL__JSON_NAME;
                                refusal = PAWL__REFUSE_COLON;
                                p = pawl__lex_space(stop, end);
                                if (p == end || *p != ':')
                                        goto refused;
                                p++;
                                expect = PAWL__EXPECT_VALUE;
                                status = take(user, &t, err);
                                if (status)
                                        break;
                                p = pawl__lex_space(p, end);
                                t.raw = p;
                        }
                }
                expect = PAWL__EXPECT_NEXT;
                refusal = PAWL__REFUSE_VALUE;
                if (p == end)
                        goto refused;
                switch (*p) {
                case '"':
                        refusal = PAWL__REFUSE_STRING;
                        t.type = PAWL__JSON_STRING;
                        stop = pawl__json_read_string(&t, r, p, to);
                        if (!stop)
                                goto refused;
                        p = stop;
                        status = take(user, &t, err);
                        break;
                case '{':
                case '[':
                        refusal = PAWL__REFUSE_DEPTH;
                        if (depth == PAWL__JSON_DEPTH)
                                goto refused;
                        t.type = *p == '{' ? PAWL__JSON_OBJECT : PAWL__JSON_ARRAY;
                        t.raw_len = 1;
                        closing = *p == '{' ? '}' : ']';
                        r->closing[++depth] = closing;
                        expect = PAWL__EXPECT_FIRST;
                        p++;
                        status = take(user, &t, err);
                        break;
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
                        stop = pawl__json_read_number(&t, p, end, &refusal);
                        if (!stop)
                                goto refused;
                        p = stop;
                        status = take(user, &t, err);
                        break;
                case 't':
                case 'f':
                case 'n':
                        stop = pawl__json_read_word(&t, p, end);
                        if (!stop)
                                goto refused;
                        p = stop;
                        status = take(user, &t, err);
                        break;
                default:
                        goto refused;
                }
                if (status)
                        break;
        }
        r->at = (size_t)(p - r->text);
        r->depth = depth;
        r->expect = expect;
        return status;
refused:
        r->depth = depth;
        return pawl__json_refuse(r, refusal, p, err);
}

PAWL_MUST_CHECK pawl_status pawl__json_next(
        pawl__json_reader *reader, pawl__json_token *token, pawl_error *err);
