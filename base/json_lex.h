/**
 * @file base/json_lex.h
 * @brief The lexis and grammar of JSON as inline functions: the one place that knows them.
 *
 * The reader and the tree are each a loop around pawl__json_step(), compiled into it. The canonical
 * writer has a loop of its own over the same lexis, and no words for refusals: it leaves these to
 * the reader. What is rare, or only says why a text is refused, stands in json_read.c.
 */
#ifndef PAWL_BASE_JSON_LEX_H
#define PAWL_BASE_JSON_LEX_H

#include "base/json_read.h"
#include "base/text.h"
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

#if defined(__SSE2__)
/* The last bytes of a text, 1 to 15, and zeros, at which a run stops. */
static inline __m128i pawl__lex_tail(const char *p, size_t n)
{
        uint64_t low = 0, high = 0;

        if (n >= 8) {
                memcpy(&low, p, 8);
                memcpy(&high, p + n - 8, 8);
                high = n > 8 ? high >> (16 - n) * 8 : 0;
        } else if (n >= 4) {
                uint32_t first, last;
                memcpy(&first, p, 4);
                memcpy(&last, p + n - 4, 4);
                low = first | (uint64_t)last << (n - 4) * 8;
        } else {
                low = (unsigned char)p[0] | (uint64_t)(unsigned char)p[n / 2] << n / 2 * 8 |
                      (uint64_t)(unsigned char)p[n - 1] << (n - 1) * 8;
        }
        return _mm_set_epi64x((long long)high, (long long)low);
}
#endif

/**
 * The end of a run inside a string: the first '"', '\\' or byte below 0x20, or end. @p wide is set
 * to other than 0 when the run holds bytes beyond ASCII. With @p to, the run is copied there in the
 * same go, and up to 16 bytes more may be written than it has.
 */
static inline const char *pawl__lex_run(const char *p, const char *end, unsigned *wide, char *to)
{
#if defined(__SSE2__)
        for (;; p += 16) {
                __m128i bytes;
                if (end - p >= 16)
                        bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
                else if (p < end)
                        bytes = pawl__lex_tail(p, (size_t)(end - p));
                else
                        return p;
                const __m128i control = _mm_min_epu8(bytes, _mm_set1_epi8(0x1f));
                const __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(bytes, control),
                        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
                const unsigned stops = (unsigned)_mm_movemask_epi8(stop);
                const unsigned tops = (unsigned)_mm_movemask_epi8(bytes);
                if (to) {
                        _mm_storeu_si128((__m128i *)(void *)to, bytes);
                        to += 16;
                }
                if (stops) {
                        *wide |= tops & (stops ^ (stops - 1)); /* those before the first stop */
                        return p + __builtin_ctz(stops);
                }
                *wide |= tops;
        }
#else
        const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
        for (; end - p >= 8; p += 8) {
                uint64_t word;
                memcpy(&word, p, sizeof word);
                const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
                /* a top bit is left where a byte was zero after the xor, below 0x20, or had it */
                if (((quote - ones) | (slash - ones) | (word - ones * 0x20) | word) & tops)
                        break;
                if (to) {
                        memcpy(to, &word, sizeof word);
                        to += sizeof word;
                }
        }
        for (; p < end && (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\'; p++) {
                *wide |= (unsigned char)*p & 0x80U;
                if (to)
                        *to++ = *p;
        }
        return p;
#endif
}

/** Length of the escape "\u" at p, two of them for a surrogate pair; 0: there is no such escape. */
size_t pawl__lex_unicode_escape(const char *p, const char *end);

/** Length of the escape at p; 0: there is no such escape. */
static inline size_t pawl__lex_escape(const char *p, const char *end)
{
        if (end - p < 2)
                return 0;
        switch (p[1]) {
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't':
                return 2;
        case 'u':
                return pawl__lex_unicode_escape(p, end);
        default:
                return 0;
        }
}

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

/** pawl__lex_string() for what is not plain ASCII: go on at @p p. */
const char *pawl__lex_string_rest(
        const char *start, const char *p, const char *end, unsigned wide, bool *escaped);

/**
 * The same for a string of which all before @p p was copied to before *out: copy the rest in
 * canonical form, to at most 16 bytes more than it has, and move *out past it. It never grows: an
 * escape's canonical form is the character, or the shorter of the escapes for it.
 */
const char *pawl__lex_string_canon(
        const char *start, const char *p, const char *end, unsigned wide, char **out);

/** From after the opening quote to the closing one; NULL: refused. */
static inline const char *pawl__lex_string(const char *start, const char *end, bool *escaped)
{
        unsigned wide = 0;
        const char *const p = pawl__lex_run(start, end, &wide, NULL);

        *escaped = false;
        if (p < end && *p == '"' && !wide)
                return p;
        return pawl__lex_string_rest(start, p, end, wide, escaped);
}

/* Bytes of a literal that no exponent helps to overflow. */
enum { PAWL__LEX_LONG = 300 };

/** The marks in a number's literal, as offsets. */
typedef struct pawl__lex_marks {
        size_t point;    /**< where the whole digits end: at the point, the 'e' or the end */
        size_t exponent; /**< the 'e', or the end */
} pawl__lex_marks;

/** Past the digits at p. */
static inline const char *pawl__lex_digits(const char *p, const char *end)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0xf0;
        for (; end - p >= 8; p += 8) {
                uint64_t word;
                memcpy(&word, p, sizeof word);
                /* a byte is a digit if its upper half is 3 and stays so when 6 is added; a carry
                 * can only spoil bytes behind one that is no digit */
                const uint64_t other =
                        ((word & high) ^ ones * 0x30) | (((word + ones * 6) & high) ^ ones * 0x30);
                if (other)
                        return p + __builtin_ctzll(other) / 8;
        }
#endif
        while (p < end && (unsigned)(*p - '0') <= 9)
                p++;
        return p;
}

/** Past the number that begins at p ('-' or a digit); NULL: refused. */
static inline const char *pawl__lex_number(const char *raw, const char *end, pawl__lex_marks *marks)
{
        const char *digits = raw + (*raw == '-'), *p = pawl__lex_digits(digits, end);

        if (p == digits || (*digits == '0' && p - digits > 1))
                return NULL;
        marks->point = (size_t)(p - raw);
        if (p < end && *p == '.') {
                digits = ++p;
                p = pawl__lex_digits(p, end);
                if (p == digits)
                        return NULL;
        }
        marks->exponent = (size_t)(p - raw);
        if (p < end && (*p | 0x20) == 'e') {
                p++;
                if (p < end && (*p == '+' || *p == '-'))
                        p++;
                digits = p;
                p = pawl__lex_digits(p, end);
                if (p == digits)
                        return NULL;
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

/** Find out what is wrong with what begins at @p at, and say it. */
pawl_status pawl__json_refuse(const pawl__json_reader *reader, pawl__json_refusal refusal,
        const char *at, pawl_error *err);

/* The same, with a copy: a reader whose address went nowhere can live in registers. */
static inline pawl_status pawl__json_stop(const pawl__json_reader *reader,
        pawl__json_refusal refusal, const char *at, pawl_error *err)
{
        const pawl__json_reader copy = *reader;

        return pawl__json_refuse(&copy, refusal, at, err);
}

/** A name that an object has twice: refuse its second, whose opening quote stands at @p offset. */
pawl_status pawl__json_refuse_twice(const char *text, size_t len, size_t offset, pawl_error *err);
/** The offset of the object's name number @p index, counted from 0. @p object is the '{'. */
size_t pawl__json_name_offset(const char *text, size_t len, size_t object, size_t index);

/* pawl__json_reader_init(), inline. The levels' bits are set when the levels are entered. */
static inline void pawl__json_reader_begin(pawl__json_reader *r, const char *text, size_t len)
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

/* A name and the colon after it. */
static inline pawl_status pawl__json_name_step(
        pawl__json_reader *r, pawl__json_token *t, const char *p, pawl_error *err)
{
        const char *const end = r->text + r->len;

        if (p == end || *p != '"')
                return pawl__json_stop(r, PAWL__REFUSE_NAME, p, err);
        const char *const close = pawl__lex_string(p + 1, end, &t->escaped);
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

/* "null", "true" or "false", of which p stands at the first letter. */
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
        pawl__json_reader *r, pawl__json_token *t, const char *p, pawl_error *err)
{
        const char *const end = r->text + r->len, *stop;
        pawl__lex_marks marks;

        if (p == end)
                return pawl__json_stop(r, PAWL__REFUSE_VALUE, p, err);
        r->expect = r->expect == PAWL__EXPECT_VALUE          ? PAWL__EXPECT_NOTHING
                    : r->expect == PAWL__EXPECT_MEMBER_VALUE ? PAWL__EXPECT_AFTER_MEMBER
                                                             : PAWL__EXPECT_AFTER_ELEMENT;
        t->offset = (size_t)(p - r->text);
        switch (*p) {
        case '"':
                stop = pawl__lex_string(p + 1, end, &t->escaped);
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
                stop = pawl__lex_number(p, end, &marks);
                if (!stop)
                        return pawl__json_stop(r, PAWL__REFUSE_NUMBER, p, err);
                /* without an exponent it takes 309 digits to overflow; integers never do */
                if ((marks.exponent < (size_t)(stop - p) ||
                            (marks.point < marks.exponent && stop - p > PAWL__LEX_LONG)) &&
                        pawl__lex_overflows(p, (size_t)(stop - p)))
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

/** pawl__json_next(), to be compiled into the loop that calls it. */
static inline pawl_status pawl__json_step(
        pawl__json_reader *r, pawl__json_token *t, pawl_error *err)
{
        const char *const end = r->text + r->len;
        const char *p = pawl__lex_space(r->text + r->at, end);
        bool name = false;

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
        return name ? pawl__json_name_step(r, t, p, err) : pawl__json_value_step(r, t, p, err);
}

#endif
