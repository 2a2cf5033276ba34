/**
 * @file base/text.h
 * @brief Texts that carry their length, and UTF-8.
 */
#pragma once

#include "base/memory.h"
#include <string.h>

/** A text from a C string; NULL gives the absent text. Borrowed. */
static inline pawl_text pawl__text(const char *string)
{
        return (pawl_text){string, string ? strlen(string) : 0};
}

static inline pawl_text pawl__text_n(const char *data, size_t len)
{
        return (pawl_text){data, len};
}

static inline uint64_t pawl__load(const char *p)
{
        uint64_t word;

        memcpy(&word, p, sizeof word);
        return word;
}

/** All of 1 to 7 bytes. */
static inline uint64_t pawl__load_short(const char *p, size_t n)
{
        uint32_t first, last;

        if (n < 4)
                return (uint64_t)(unsigned char)p[0] << 16 |
                       (uint64_t)(unsigned char)p[n / 2] << 8 | (unsigned char)p[n - 1];
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        return (uint64_t)first << 32 | last;
}

/** Are so many bytes the same? Most texts that are compared are short, and need no call. */
static inline bool pawl__same_bytes(const char *a, const char *b, size_t n)
{
        if (n - 8 <= 8) /* 8 to 16 */
                return pawl__load(a) == pawl__load(b) &&
                       pawl__load(a + n - 8) == pawl__load(b + n - 8);
        if (n < 8)
                return n == 0 || pawl__load_short(a, n) == pawl__load_short(b, n);
        return memcmp(a, b, n) == 0;
}

/** Equal bytes, or both absent. */
static inline bool pawl__text_eq(pawl_text a, pawl_text b)
{
        if (!a.data || !b.data)
                return !a.data && !b.data;
        return a.len == b.len && pawl__same_bytes(a.data, b.data, a.len);
}

static inline bool pawl__text_is(pawl_text a, const char *string)
{
        return pawl__text_eq(a, pawl__text(string));
}

/** Nothing but white space (space, tab, line breaks)? */
bool pawl__text_blank(pawl_text text);

/** The index of the name that is this text, or n. */
size_t pawl__text_index(pawl_text text, const char *const *names, size_t n);

/** Order by bytes, which for UTF-8 is the order of code points; the absent text comes first. */
int pawl__text_cmp(pawl_text a, pawl_text b);

static inline bool pawl__text_starts(pawl_text text, const char *with)
{
        size_t len = strlen(with);

        return text.len >= len && memcmp(text.data, with, len) == 0;
}

/** Is it valid UTF-8 (RFC 3629: no surrogates, no overlong forms)? */
bool pawl__utf8_valid(const char *data, size_t len);

/** Offset of the first byte that is not valid UTF-8, or len. */
size_t pawl__utf8_span(const char *data, size_t len);

/** The longest prefix of at most max bytes that ends between characters. */
size_t pawl__utf8_cut(const char *data, size_t len, size_t max);
