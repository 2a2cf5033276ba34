/**
 * @file base/json_lex.h
 * @brief The lexis and grammar of JSON as inline functions: the one place that knows them.
 *
 * The reader, the tree and the canonical writer are each a loop around pawl__json_step(), compiled
 * into it. What is rare, or only says why a text is refused, stands in json_read.c.
 */
#ifndef PAWL_BASE_JSON_LEX_H
#define PAWL_BASE_JSON_LEX_H

#include "base/json_read.h"
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/** What may come next. Only END needs to know in what kind of container it stands, so the rest is
 *  told apart here and not by looking at the bit of the level. */
enum {
        PAWL__EXPECT_VALUE,         /**< the text's one value, or an element after a comma */
        PAWL__EXPECT_FIRST_ELEMENT, /**< an element or ']' */
        PAWL__EXPECT_FIRST_NAME,    /**< a name or '}' */
        PAWL__EXPECT_MEMBER_VALUE,  /**< the value after a name; its colon is read already */
        PAWL__EXPECT_AFTER_ELEMENT, /**< ',' or ']' */
        PAWL__EXPECT_AFTER_MEMBER,  /**< ',' or '}' */
        PAWL__EXPECT_NOTHING        /**< the end of the text */
};

/** Past the white space. */
static inline const char *pawl__lex_space(const char *p, const char *end)
{
        /* mostly there is none, or one space after a colon */
        if (p == end || (unsigned char)*p > ' ')
                return p;
        if (*p == ' ' && end - p > 1 && (unsigned char)p[1] > ' ')
                return p + 1;
#if defined(__SSE2__)
        for (; end - p >= 16; p += 16) { /* the indentation of a pretty-printed text */
                const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
                const __m128i space =
                        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                             _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
                                _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')),
                                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r'))));
                const unsigned other = ~(unsigned)_mm_movemask_epi8(space) & 0xffff;
                if (other)
                        return p + __builtin_ctz(other);
        }
#endif
        while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
                p++;
        return p;
}

/** The first byte of a string that is not plain: '"', '\', below 0x20 or from 0x80 on; or end. */
static inline const char *pawl__lex_plain(const char *p, const char *end)
{
#if defined(__SSE2__)
        for (; end - p >= 16; p += 16) {
                const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
                /* signed: bytes from 0x80 on are below 0x20 too */
                const __m128i special = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)),
                        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
                const unsigned mask = (unsigned)_mm_movemask_epi8(special);
                if (mask)
                        return p + __builtin_ctz(mask);
        }
#else
        const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
        for (; end - p >= 8; p += 8) {
                uint64_t word;
                memcpy(&word, p, sizeof word);
                const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
                /* a top bit is left where a byte is zero after the xor, or was below 0x20 */
                if (((quote - ones) | (slash - ones) | (word - ones * 0x20) | word) & tops)
                        break;
        }
#endif
        while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
                *p != '\\')
                p++;
        return p;
}

/** Length of the character beyond ASCII at p (RFC 3629, section 4); 0: not valid UTF-8. */
static inline size_t pawl__lex_character(const char *p, const char *end)
{
        const unsigned char *u = (const unsigned char *)p;
        const size_t left = (size_t)(end - p);

        if (u[0] < 0xe0)
                return left >= 2 && u[0] >= 0xc2 && (u[1] & 0xc0) == 0x80 ? 2 : 0;
        if (left < 3 || (u[1] & 0xc0) != 0x80 || (u[2] & 0xc0) != 0x80)
                return 0;
        if (u[0] < 0xf0) { /* neither overlong nor a surrogate */
                const unsigned top = (unsigned)(u[0] & 15) << 1 | (u[1] >> 5 & 1);
                return top != 0 && top != 0x1b ? 3 : 0;
        }
        const unsigned top = (unsigned)(u[0] & 15) << 2 | (u[1] >> 4 & 3);
        return left >= 4 && (u[3] & 0xc0) == 0x80 && top >= 1 && top <= 16 ? 4 : 0;
}

/** Length of the escape at p, two of them for a surrogate pair; 0: there is no such escape. */
size_t pawl__lex_escape(const char *p, const char *end);
/** The character of an escape that pawl__lex_escape() took, as UTF-8; returns its length and moves
 *  *at past the escape. */
size_t pawl__lex_escaped_character(char out[4], const char **at);
/** What stands in canonical text for a character of one byte that needs an escape: below 0x20, '"'
 *  or '\' (RFC 8785, section 3.2.2.2); returns its length. */
size_t pawl__lex_write_escape(char out[6], char c);

static inline bool pawl__lex_needs_escape(char c)
{
        return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/** From after the opening quote to the closing one. On a refusal NULL, and *bad is where. */
static inline const char *pawl__lex_string(
        const char *p, const char *end, bool *escaped, const char **bad)
{
        *escaped = false;
        for (;;) {
                size_t n;

                p = pawl__lex_plain(p, end);
                if (p < end && *p == '"')
                        return p;
                if (p < end && *p == '\\') {
                        *escaped = true;
                        n = pawl__lex_escape(p, end);
                } else {
                        n = p < end && (unsigned char)*p >= 0x80 ? pawl__lex_character(p, end) : 0;
                }
                if (n == 0)
                        break;
                p += n;
                while (p < end && (unsigned char)*p >= 0x80 &&
                        (n = pawl__lex_character(p, end)) > 0)
                        p += n;
        }
        *bad = p;
        return NULL;
}

enum { PAWL__LEX_LONG = 300 }; /* bytes of a literal */

static inline bool pawl__lex_is_digit(const char *p, const char *end)
{
        return p < end && (unsigned)(*p - '0') <= 9;
}

/** The form of a number's literal; the later ones may have the traits of the earlier. */
typedef enum pawl__lex_form {
        PAWL__LEX_INTEGER,
        PAWL__LEX_FRACTION,
        PAWL__LEX_EXPONENT
} pawl__lex_form;

/** Past the number that begins at p ('-' or a digit). On a refusal NULL, and *bad is where. */
static inline const char *pawl__lex_number(
        const char *p, const char *end, pawl__lex_form *form, const char **bad)
{
        *form = PAWL__LEX_INTEGER;
        if (*p == '-')
                p++;
        *bad = p;
        if (!pawl__lex_is_digit(p, end))
                return NULL;
        if (*p++ != '0')
                while (pawl__lex_is_digit(p, end))
                        p++;
        else if (pawl__lex_is_digit(p, end))
                return *bad = p, NULL; /* a leading zero */
        if (p < end && *p == '.') {
                *form = PAWL__LEX_FRACTION;
                *bad = ++p;
                if (!pawl__lex_is_digit(p, end))
                        return NULL;
                while (pawl__lex_is_digit(p, end))
                        p++;
        }
        if (p < end && (*p | 0x20) == 'e') {
                *form = PAWL__LEX_EXPONENT;
                p++;
                if (p < end && (*p == '+' || *p == '-'))
                        p++;
                *bad = p;
                if (!pawl__lex_is_digit(p, end))
                        return NULL;
                while (pawl__lex_is_digit(p, end))
                        p++;
        }
        return p;
}

/** Does the literal, which has a point or an exponent, overflow a double? */
bool pawl__lex_overflows(const char *raw, size_t raw_len);

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

/** Find out what is wrong and say it. @p start: of the token; @p at: where the lexer stopped. */
pawl_status pawl__json_refuse(const pawl__json_reader *reader, pawl__json_refusal refusal,
        const char *start, const char *at, pawl_error *err);

/** A name that an object has twice: refuse its second, whose opening quote stands at @p offset. */
pawl_status pawl__json_refuse_twice(const char *text, size_t len, size_t offset, pawl_error *err);
/** The offset of the object's name number @p index, counted from 0. @p object is the '{'. */
size_t pawl__json_name_offset(const char *text, size_t len, size_t object, size_t index);

static inline bool pawl__json_in_object(const pawl__json_reader *r)
{
        return r->is_object[r->depth / 8] >> (r->depth % 8) & 1;
}

/* What stands after a value, by the container that it stands in. */
static inline unsigned char pawl__json_expect_after(const pawl__json_reader *r)
{
        if (r->depth == 0)
                return PAWL__EXPECT_NOTHING;
        return pawl__json_in_object(r) ? PAWL__EXPECT_AFTER_MEMBER : PAWL__EXPECT_AFTER_ELEMENT;
}

static inline pawl_status pawl__json_open(
        pawl__json_reader *r, pawl__json_token *t, const char *p, pawl_error *err)
{
        if (r->depth == PAWL__JSON_DEPTH)
                return pawl__json_refuse(r, PAWL__REFUSE_DEPTH, p, p, err);
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
        r->expect = pawl__json_expect_after(r);
        t->type = PAWL__JSON_END;
        t->offset = (size_t)(p - r->text);
        t->raw = p;
        t->raw_len = 1;
        r->at = t->offset + 1;
        return PAWL_OK;
}

/* A name and the colon after it. */
static inline pawl_status pawl__json_name_step(
        pawl__json_reader *r, pawl__json_token *t, const char *p, pawl_error *err)
{
        const char *const end = r->text + r->len, *bad;

        if (p == end || *p != '"')
                return pawl__json_refuse(r, PAWL__REFUSE_NAME, p, p, err);
        const char *close = pawl__lex_string(p + 1, end, &t->escaped, &bad);
        if (!close)
                return pawl__json_refuse(r, PAWL__REFUSE_STRING, p, bad, err);
        t->type = PAWL__JSON_NAME;
        t->offset = (size_t)(p - r->text);
        t->raw = p + 1;
        t->raw_len = (size_t)(close - p - 1);
        r->expect = PAWL__EXPECT_MEMBER_VALUE;
        p = pawl__lex_space(close + 1, end);
        if (p == end || *p != ':')
                return pawl__json_refuse(r, PAWL__REFUSE_COLON, p, p, err);
        r->at = (size_t)(p + 1 - r->text);
        return PAWL_OK;
}

/* "null", "true" or "false", of which p stands at the first letter. */
static inline pawl_status pawl__json_word(pawl__json_reader *r, pawl__json_token *t, const char *p,
        const char *word, size_t len, pawl__json_type type, pawl_error *err)
{
        if (r->len - (size_t)(p - r->text) < len || memcmp(p, word, len) != 0)
                return pawl__json_refuse(r, PAWL__REFUSE_VALUE, p, p, err);
        t->type = type;
        t->raw = p;
        t->raw_len = len;
        r->at = (size_t)(p - r->text) + len;
        return PAWL_OK;
}

static inline pawl_status pawl__json_value_step(pawl__json_reader *r, pawl__json_token *t,
        const char *p, unsigned char after, pawl_error *err)
{
        const char *const end = r->text + r->len, *stop, *bad;
        pawl__lex_form form;

        if (p == end)
                return pawl__json_refuse(r, PAWL__REFUSE_VALUE, p, p, err);
        t->offset = (size_t)(p - r->text);
        switch (*p) {
        case '"':
                stop = pawl__lex_string(p + 1, end, &t->escaped, &bad);
                if (!stop)
                        return pawl__json_refuse(r, PAWL__REFUSE_STRING, p, bad, err);
                t->type = PAWL__JSON_STRING;
                t->raw = p + 1;
                t->raw_len = (size_t)(stop - p - 1);
                r->at = (size_t)(stop + 1 - r->text);
                break;
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
                stop = pawl__lex_number(p, end, &form, &bad);
                if (!stop)
                        return pawl__json_refuse(r, PAWL__REFUSE_NUMBER, p, bad, err);
                /* without an exponent it takes 309 digits to overflow */
                if ((form == PAWL__LEX_EXPONENT ||
                            (form == PAWL__LEX_FRACTION && stop - p > PAWL__LEX_LONG)) &&
                        pawl__lex_overflows(p, (size_t)(stop - p)))
                        return pawl__json_refuse(r, PAWL__REFUSE_OVERFLOW, p, p, err);
                t->type = PAWL__JSON_NUMBER;
                t->integer = form == PAWL__LEX_INTEGER;
                t->raw = p;
                t->raw_len = (size_t)(stop - p);
                r->at = (size_t)(stop - r->text);
                break;
        case 't':
                r->expect = after;
                return pawl__json_word(r, t, p, "true", 4, PAWL__JSON_TRUE, err);
        case 'f':
                r->expect = after;
                return pawl__json_word(r, t, p, "false", 5, PAWL__JSON_FALSE, err);
        case 'n':
                r->expect = after;
                return pawl__json_word(r, t, p, "null", 4, PAWL__JSON_NULL, err);
        default:
                return pawl__json_refuse(r, PAWL__REFUSE_VALUE, p, p, err);
        }
        r->expect = after;
        return PAWL_OK;
}

/** pawl__json_next(), to be compiled into the loop that calls it. */
static inline pawl_status pawl__json_step(
        pawl__json_reader *r, pawl__json_token *t, pawl_error *err)
{
        const char *const end = r->text + r->len;
        const char *p = pawl__lex_space(r->text + r->at, end);

        switch (r->expect) {
        case PAWL__EXPECT_AFTER_MEMBER:
                if (p < end && *p == '}')
                        return pawl__json_close(r, t, p);
                if (p == end || *p != ',')
                        return pawl__json_refuse(r, PAWL__REFUSE_COMMA, p, p, err);
                return pawl__json_name_step(r, t, pawl__lex_space(p + 1, end), err);
        case PAWL__EXPECT_MEMBER_VALUE:
                return pawl__json_value_step(r, t, p, PAWL__EXPECT_AFTER_MEMBER, err);
        case PAWL__EXPECT_AFTER_ELEMENT:
                if (p < end && *p == ']')
                        return pawl__json_close(r, t, p);
                if (p == end || *p != ',')
                        return pawl__json_refuse(r, PAWL__REFUSE_COMMA, p, p, err);
                return pawl__json_value_step(
                        r, t, pawl__lex_space(p + 1, end), PAWL__EXPECT_AFTER_ELEMENT, err);
        case PAWL__EXPECT_FIRST_NAME:
                if (p < end && *p == '}')
                        return pawl__json_close(r, t, p);
                return pawl__json_name_step(r, t, p, err);
        case PAWL__EXPECT_FIRST_ELEMENT:
                if (p < end && *p == ']')
                        return pawl__json_close(r, t, p);
                return pawl__json_value_step(r, t, p, PAWL__EXPECT_AFTER_ELEMENT, err);
        case PAWL__EXPECT_VALUE:
                return pawl__json_value_step(r, t, p, PAWL__EXPECT_NOTHING, err);
        default:
                if (p < end)
                        return pawl__json_refuse(r, PAWL__REFUSE_REST, p, p, err);
                t->type = PAWL__JSON_FINISHED;
                t->escaped = false;
                t->offset = r->at = r->len;
                t->raw = end;
                t->raw_len = 0;
                return PAWL_OK;
        }
}

#endif
