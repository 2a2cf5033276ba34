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
 * The functions are inline: the tree and the canonical writer are each a loop around them. With
 * @p to, they also copy a string or a name there in canonical form, quotes included, and move *to
 * past it. What is rare, or only says why a text is refused, is in json_read.c.
 */
#ifndef PAWL_BASE_JSON_READ_H
#define PAWL_BASE_JSON_READ_H

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
        size_t offset;   /**< of the token's first byte in the text, quote included */
        const char *raw; /**< number: its literal; string or name: between the quotes, undecoded */
        size_t raw_len;
        pawl__lex_marks marks; /**< number: see there */
} pawl__json_token;

typedef struct pawl__json_reader {
        const char *text;
        size_t len, at;
        unsigned depth;
        unsigned char expect;                              /**< private to the reader */
        unsigned char is_object[PAWL__JSON_DEPTH / 8 + 1]; /**< a bit a level */
} pawl__json_reader;

/** Fail with PAWL_EPARSE at a byte offset of the text: counts its line and column. */
pawl_status pawl__json_fail_at(
        const char *text, size_t len, size_t offset, pawl_error *err, const char *what);

/** Of a refusal about a text that is one line of a file, which said "line 1, column C: WHAT": that
 * it is line @p line of @p name, "NAME: line N, column C: WHAT". Any other failure gets the prefix
 *  "NAME: line N: ". Returns @p status. */
pawl_status pawl__json_fail_on_line(
        pawl_error *err, pawl_status status, const char *name, size_t line);

/** What may come next. Objects and arrays have values of their own, so that only the end of a
 *  container has to look at the bit of its level. */
enum {
        PAWL__EXPECT_VALUE,         /**< the text's one value, or an element after a comma */
        PAWL__EXPECT_FIRST_ELEMENT, /**< an element or ']' */
        PAWL__EXPECT_FIRST_NAME,    /**< a name or '}' */
        PAWL__EXPECT_MEMBER_VALUE,  /**< the value after a name; its colon is read already */
        PAWL__EXPECT_AFTER_ELEMENT, /**< ',' or ']' */
        PAWL__EXPECT_AFTER_MEMBER,  /**< ',' or '}' */
        PAWL__EXPECT_NOTHING        /**< the end of the text */
};

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

/* The same, with a copy, so that the reader itself can live in registers. */
static inline pawl_status pawl__json_stop(const pawl__json_reader *reader,
        pawl__json_refusal refusal, const char *at, pawl_error *err)
{
        const pawl__json_reader copy = *reader;

        return pawl__json_refuse(&copy, refusal, at, err);
}

/** Refuse a name that an object has twice; the opening quote of the second is at @p offset. */
pawl_status pawl__json_refuse_twice(const char *text, size_t len, size_t offset, pawl_error *err);
/** The offset of the object's name number @p index, counted from 0. @p object is the '{'. */
size_t pawl__json_name_offset(const char *text, size_t len, size_t object, size_t index);

/* The bits of the levels are set when the levels are entered. */
static inline void pawl__json_reader_init(pawl__json_reader *r, const char *text, size_t len)
{
        r->text = text ? text : "";
        r->len = text ? len : 0;
        r->at = 0;
        r->depth = 0;
        r->expect = PAWL__EXPECT_VALUE;
        r->is_object[0] = 0;
}

static inline bool pawl__json_in_object(const pawl__json_reader *r)
{
        return r->is_object[r->depth / 8] >> (r->depth % 8) & 1;
}

static inline pawl_status pawl__json_open(
        pawl__json_reader *r, pawl__json_token *t, const char *p, pawl_error *err)
{
        if (r->depth == PAWL__JSON_DEPTH)
                return pawl__json_stop(r, PAWL__REFUSE_DEPTH, p, err);
        const unsigned level = ++r->depth, bit = 1U << level % 8;
        unsigned char *bits = &r->is_object[level / 8];
        if (*p == '{') {
                *bits = (unsigned char)(*bits | bit);
                t->type = PAWL__JSON_OBJECT;
                r->expect = PAWL__EXPECT_FIRST_NAME;
        } else {
                *bits = (unsigned char)(*bits & ~bit);
                t->type = PAWL__JSON_ARRAY;
                r->expect = PAWL__EXPECT_FIRST_ELEMENT;
        }
        t->raw = p;
        t->raw_len = 1;
        r->at = (size_t)(p + 1 - r->text);
        return PAWL_OK;
}

static inline pawl_status pawl__json_close(pawl__json_reader *r, pawl__json_token *t, const char *p)
{
        r->depth--;
        r->expect = r->depth == 0             ? PAWL__EXPECT_NOTHING
                    : pawl__json_in_object(r) ? PAWL__EXPECT_AFTER_MEMBER
                                              : PAWL__EXPECT_AFTER_ELEMENT;
        t->type = PAWL__JSON_END;
        t->offset = (size_t)(p - r->text);
        t->raw = p;
        t->raw_len = 1;
        r->at = t->offset + 1;
        return PAWL_OK;
}

/* The string whose opening quote is at p. */
__attribute__((always_inline)) static inline const char *pawl__json_string_step(
        const char *p, const char *end, bool *escaped, char **to)
{
        if (to)
                *(*to)++ = '"';
        const char *const close = pawl__lex_string(p + 1, end, escaped, to);
        if (to)
                *(*to)++ = '"';
        return close;
}

/* A name and the colon after it. */
static inline pawl_status pawl__json_name_step(
        pawl__json_reader *r, pawl__json_token *t, const char *p, char **to, pawl_error *err)
{
        const char *const end = r->text + r->len;

        if (p == end || *p != '"')
                return pawl__json_stop(r, PAWL__REFUSE_NAME, p, err);
        const char *const close = pawl__json_string_step(p, end, &t->escaped, to);
        if (!close)
                return pawl__json_stop(r, PAWL__REFUSE_STRING, p, err);
        t->type = PAWL__JSON_NAME;
        t->offset = (size_t)(p - r->text);
        t->raw = p + 1;
        t->raw_len = (size_t)(close - p - 1);
        r->expect = PAWL__EXPECT_MEMBER_VALUE;
        p = pawl__lex_space(close + 1, end);
        if (p == end || *p != ':')
                return pawl__json_stop(r, PAWL__REFUSE_COLON, p, err);
        r->at = (size_t)(p + 1 - r->text);
        return PAWL_OK;
}

/* "null", "true" or "false", whose first letter is at p. */
static inline pawl_status pawl__json_word(pawl__json_reader *r, pawl__json_token *t, const char *p,
        const char *word, size_t len, pawl__json_type type, pawl_error *err)
{
        if (r->len - (size_t)(p - r->text) < len || memcmp(p, word, len) != 0)
                return pawl__json_stop(r, PAWL__REFUSE_VALUE, p, err);
        t->type = type;
        t->raw = p;
        t->raw_len = len;
        r->at = (size_t)(p - r->text) + len;
        return PAWL_OK;
}

static inline pawl_status pawl__json_value_step(
        pawl__json_reader *r, pawl__json_token *t, const char *p, char **to, pawl_error *err)
{
        const char *const end = r->text + r->len, *stop;

        if (p == end)
                return pawl__json_stop(r, PAWL__REFUSE_VALUE, p, err);
        r->expect = r->expect == PAWL__EXPECT_VALUE          ? PAWL__EXPECT_NOTHING
                    : r->expect == PAWL__EXPECT_MEMBER_VALUE ? PAWL__EXPECT_AFTER_MEMBER
                                                             : PAWL__EXPECT_AFTER_ELEMENT;
        t->offset = (size_t)(p - r->text);
        switch (*p) {
        case '"':
                stop = pawl__json_string_step(p, end, &t->escaped, to);
                if (!stop)
                        return pawl__json_stop(r, PAWL__REFUSE_STRING, p, err);
                t->type = PAWL__JSON_STRING;
                t->raw = p + 1;
                t->raw_len = (size_t)(stop - p - 1);
                r->at = (size_t)(stop + 1 - r->text);
                return PAWL_OK;
        case '{':
        case '[':
                return pawl__json_open(r, t, p, err);
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
                stop = pawl__lex_number(p, end, &t->marks);
                if (!stop)
                        return pawl__json_stop(r, PAWL__REFUSE_NUMBER, p, err);
                /* without an exponent it takes 309 digits to overflow; integers never do */
                if ((t->marks.exponent < (size_t)(stop - p) ||
                            (t->marks.point < t->marks.exponent && stop - p > PAWL__LEX_LONG)) &&
                        pawl__json_overflows(p, (size_t)(stop - p)))
                        return pawl__json_stop(r, PAWL__REFUSE_OVERFLOW, p, err);
                t->type = PAWL__JSON_NUMBER;
                t->raw = p;
                t->raw_len = (size_t)(stop - p);
                r->at = (size_t)(stop - r->text);
                return PAWL_OK;
        case 't':
                return pawl__json_word(r, t, p, "true", 4, PAWL__JSON_TRUE, err);
        case 'f':
                return pawl__json_word(r, t, p, "false", 5, PAWL__JSON_FALSE, err);
        case 'n':
                return pawl__json_word(r, t, p, "null", 4, PAWL__JSON_NULL, err);
        default:
                return pawl__json_stop(r, PAWL__REFUSE_VALUE, p, err);
        }
}

/* What comes before a value, up to where it begins: *value. Or something else is the token: a name,
 * the end of a container, or of the text. */
static inline pawl_status pawl__json_before_value(
        pawl__json_reader *r, pawl__json_token *t, const char **value, char **to, pawl_error *err)
{
        const char *const end = r->text + r->len;
        const char *p = pawl__lex_space(r->text + r->at, end);
        bool name = false;

        *value = NULL;
        switch (r->expect) {
        case PAWL__EXPECT_AFTER_MEMBER:
        case PAWL__EXPECT_AFTER_ELEMENT:
                name = r->expect == PAWL__EXPECT_AFTER_MEMBER;
                if (p < end && *p == (name ? '}' : ']'))
                        return pawl__json_close(r, t, p);
                if (p == end || *p != ',')
                        return pawl__json_stop(r, PAWL__REFUSE_COMMA, p, err);
                p = pawl__lex_space(p + 1, end);
                break;
        case PAWL__EXPECT_FIRST_NAME:
        case PAWL__EXPECT_FIRST_ELEMENT:
                name = r->expect == PAWL__EXPECT_FIRST_NAME;
                if (p < end && *p == (name ? '}' : ']'))
                        return pawl__json_close(r, t, p);
                break;
        case PAWL__EXPECT_NOTHING:
                if (p < end)
                        return pawl__json_stop(r, PAWL__REFUSE_REST, p, err);
                t->type = PAWL__JSON_FINISHED;
                t->offset = r->at = r->len;
                t->raw = end;
                t->raw_len = 0;
                return PAWL_OK;
        default:
                break;
        }
        if (name)
                return pawl__json_name_step(r, t, p, to, err);
        *value = p;
        return PAWL_OK;
}

PAWL_MUST_CHECK pawl_status pawl__json_next(
        pawl__json_reader *reader, pawl__json_token *token, pawl_error *err);
/** The same, compiled into the loop that calls it. */
static inline pawl_status pawl__json_step(
        pawl__json_reader *r, pawl__json_token *t, pawl_error *err)
{
        const char *p;
        const pawl_status status = pawl__json_before_value(r, t, &p, NULL, err);

        return status || !p ? status : pawl__json_value_step(r, t, p, NULL, err);
}

#endif
