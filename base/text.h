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

/** Equal bytes, or both absent. */
static inline bool pawl__text_eq(pawl_text a, pawl_text b)
{
        if (!a.data || !b.data)
                return !a.data && !b.data;
        return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
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
