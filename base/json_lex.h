/**
 * @file base/json_lex.h
 * @brief The lexis of JSON as inline functions: white space, strings and their escapes, numbers.
 */
#pragma once

#include "base/text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define PAWL__LEX_INLINE __attribute__((always_inline)) static inline

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
 * The end of a run inside a string: the first '"', '\\' or byte below 0x20, or end. With @p to,
 * the run is copied there at the same time; up to 16 bytes more than its length may be written.
 */
static inline const char *pawl__lex_run(const char *p, const char *end, char *to)
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
                if (to) {
                        _mm_storeu_si128((__m128i *)(void *)to, bytes);
                        to += 16;
                }
                if (stops)
                        return p + __builtin_ctz(stops);
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
/** The escape in canonical text of a character of one byte that needs one: below 0x20, '"' or '\'
 *  (RFC 8785, section 3.2.2.2); returns its length. */
size_t pawl__lex_write_escape(char out[6], char c);

/** Are the escapes of a string that the reader took those of canonical text? */
bool pawl__lex_canonical(const char *raw, size_t raw_len);

/** A place in a string, and in its copy. */
typedef struct pawl__lex_place {
        const char *p; /**< NULL: refused */
        char *to;      /**< NULL: nothing is copied */
} pawl__lex_place;

/** From the string's first escape on, up to which all was copied, to the closing quote. */
pawl__lex_place pawl__lex_string_rest(pawl__lex_place at, const char *end);

/**
 * From after the opening quote to the closing one. With @p to, the string is copied there in
 * canonical form; up to 16 bytes more may be written. It never grows: the canonical form of an
 * escape is the character, or the shortest escape for it.
 *
 * Most of the reading time is spent here; out of line it would take a tenth more.
 */
PAWL__LEX_INLINE pawl__lex_place pawl__lex_string(
        const char *start, const char *end, bool *escaped, char *to)
{
        const char *const p = pawl__lex_run(start, end, to);
        const pawl__lex_place at = {p, to ? to + (p - start) : NULL};

        *escaped = p < end && *p == '\\';
        if (*escaped)
                return pawl__lex_string_rest(at, end);
        return p < end && *p == '"' ? at : (pawl__lex_place){NULL, NULL};
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
        const uint64_t ones = UINT64_C(0x0101010101010101);
        for (; end - p >= 8; p += 8) {
                uint64_t word;
                memcpy(&word, p, sizeof word);
                /* a digit is below 10 after the xor, and gets no top bit; a carry can only spoil
                 * bytes behind one that is no digit */
                const uint64_t value = word ^ ones * '0';
                const uint64_t other = ((value + ones * 0x76) | value) & ones << 7;
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
        marks->point = marks->exponent = (size_t)(p - raw);
        if (p == end || (*p != '.' && (*p | 0x20) != 'e'))
                return p;
        if (*p == '.') {
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

/* A run is copied 16 bytes at a time. */
enum { PAWL__LEX_SLACK = 16 };

/** Decode a string's raw text (already accepted by the reader) into @p out, which must hold
 *  raw_len + PAWL__LEX_SLACK bytes. Returns the length, at most raw_len. The result may hold NULs.
 */
size_t pawl__json_unescape(char *out, const char *raw, size_t raw_len);
