/**
 * @file base/text.h
 * @brief Texts that carry their length, the buffer they grow in and the arena they live in.
 */
#ifndef PAWL_BASE_TEXT_H
#define PAWL_BASE_TEXT_H

#include <pawl/base.h>
#include <stdbool.h>
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

/** Order by bytes, which for UTF-8 is the order of code points; the absent text comes first. */
int pawl__text_cmp(pawl_text a, pawl_text b);

/** Is it valid UTF-8 (RFC 3629: no surrogates, no overlong forms)? */
bool pawl__utf8_valid(const char *data, size_t len);

/** Offset of the first byte that is not valid UTF-8, or len. */
size_t pawl__utf8_span(const char *data, size_t len);

/** The longest prefix of at most max bytes that ends between characters. */
size_t pawl__utf8_cut(const char *data, size_t len, size_t max);

/**
 * A growing run of bytes. Zero-initialised is empty. The data is kept NUL-ended (the NUL not
 * counted) once anything was added. Freed with pawl__buf_free(), or taken over with
 * pawl__buf_take().
 */
typedef struct pawl__buf {
        char *data;
        size_t len, cap;
} pawl__buf;

#define PAWL__BUF_INIT                                                                             \
        {                                                                                          \
                NULL, 0, 0                                                                         \
        }

/** pawl__buf_reserve() where there is no room yet. */
PAWL_MUST_CHECK pawl_status pawl__buf_grow(pawl__buf *buf, size_t more);
/** Make room for @p more bytes and the NUL. PAWL_ENOMEM leaves the buffer as it was. */
PAWL_MUST_CHECK static inline pawl_status pawl__buf_reserve(pawl__buf *buf, size_t more)
{
        return more < buf->cap - buf->len ? PAWL_OK : pawl__buf_grow(buf, more);
}
PAWL_MUST_CHECK pawl_status pawl__buf_add(pawl__buf *buf, const void *data, size_t len);
PAWL_MUST_CHECK static inline pawl_status pawl__buf_addc(pawl__buf *buf, char c)
{
        if (pawl__buf_reserve(buf, 1))
                return PAWL_ENOMEM;
        buf->data[buf->len++] = c;
        buf->data[buf->len] = '\0';
        return PAWL_OK;
}
PAWL_MUST_CHECK pawl_status pawl__buf_adds(pawl__buf *buf, const char *string);
PAWL_MUST_CHECK pawl_status pawl__buf_addf(pawl__buf *buf, const char *format, ...)
        PAWL_PRINTF(2, 3);
/** The bytes, now the caller's (free()), NUL-ended; the buffer is empty again. NULL: no memory. */
char *pawl__buf_take(pawl__buf *buf, size_t *len);
void pawl__buf_clear(pawl__buf *buf); /**< len = 0, memory kept */
void pawl__buf_free(pawl__buf *buf);
static inline pawl_text pawl__buf_text(const pawl__buf *buf)
{
        return (pawl_text){buf->data ? buf->data : "", buf->len};
}

/**
 * Memory that is freed all at once. Zero-initialised is empty. Pointers hold until the arena is
 * cleared or freed.
 */
typedef struct pawl__arena {
        struct pawl__arena_block *head;
} pawl__arena;

#define PAWL__ARENA_INIT                                                                           \
        {                                                                                          \
                NULL                                                                               \
        }

/** @p size zeroed bytes, aligned for any type; NULL when there is no memory. */
void *pawl__arena_alloc(pawl__arena *arena, size_t size);
/** count * size zeroed bytes; NULL when there is no memory or the product overflows. */
void *pawl__arena_array(pawl__arena *arena, size_t count, size_t size);
/** A copy, NUL-ended; the absent text stays absent. On no memory: data NULL and *ok false. */
pawl_text pawl__arena_text(pawl__arena *arena, pawl_text text, bool *ok);
/** Forget everything but keep the largest block for what comes next. */
void pawl__arena_clear(pawl__arena *arena);
void pawl__arena_free(pawl__arena *arena);

/**
 * Make room in a growing array: *items holds *cap elements of @p size and must hold @p need.
 * Doubles. PAWL_ENOMEM leaves it as it was.
 */
PAWL_MUST_CHECK pawl_status pawl__grow(void *items, size_t *cap, size_t need, size_t size);

#endif
