/**
 * @file base/memory.h
 * @brief Growing buffers, arenas and arrays.
 */
#pragma once

#include <pawl/base.h>
#include <stdbool.h>
#include <string.h>

/**
 * A growing run of bytes. Zero-initialised is empty. Once anything was added, a NUL that is not
 * counted follows the data. Freed with pawl__buf_free(), or taken over with pawl__buf_take().
 *
 * A failed allocation is kept: failed stays set until the buffer is cleared, taken or freed, and
 * what is added then, or later, may be missing. So a caller adds without checks, and checks once,
 * with pawl__buf_check() (base/error.h), before it uses the result.
 */
typedef struct pawl__buf {
        char *data;
        size_t len, cap;
        bool failed;
} pawl__buf;

#define PAWL__BUF_INIT                                                                             \
        {                                                                                          \
                NULL, 0, 0, false                                                                  \
        }

/** pawl__buf_reserve() where there is no room yet. */
PAWL_MUST_CHECK pawl_status pawl__buf_grow(pawl__buf *buf, size_t more);
/** Make room for @p more bytes and the NUL. PAWL_ENOMEM leaves the buffer as it was. */
PAWL_MUST_CHECK static inline pawl_status pawl__buf_reserve(pawl__buf *buf, size_t more)
{
        return more < buf->cap - buf->len ? PAWL_OK : pawl__buf_grow(buf, more);
}
/** Append. PAWL_ENOMEM leaves the bytes as they were. */
pawl_status pawl__buf_add(pawl__buf *buf, const void *data, size_t len);
static inline pawl_status pawl__buf_addc(pawl__buf *buf, char c)
{
        if (pawl__buf_reserve(buf, 1))
                return PAWL_ENOMEM;
        buf->data[buf->len++] = c;
        buf->data[buf->len] = '\0';
        return PAWL_OK;
}
pawl_status pawl__buf_adds(pawl__buf *buf, const char *string);
static inline pawl_status pawl__buf_add_text(pawl__buf *buf, pawl_text text)
{
        return pawl__buf_add(buf, text.data, text.len);
}
pawl_status pawl__buf_addf(pawl__buf *buf, const char *format, ...) PAWL_PRINTF(2, 3);
/** The bytes, now the caller's (free()), NUL-ended; the buffer is empty again. NULL: some call ran
 *  out of memory. */
char *pawl__buf_take(pawl__buf *buf, size_t *len);
void pawl__buf_clear(pawl__buf *buf); /**< len = 0, not failed, memory kept */
void pawl__buf_free(pawl__buf *buf);
static inline pawl_text pawl__buf_text(const pawl__buf *buf)
{
        return (pawl_text){buf->data ? buf->data : "", buf->len};
}

/**
 * Memory that is freed all at once. Zero-initialised is empty. Pointers hold until the arena is
 * cleared or freed. A failed allocation is kept, as in a buffer, until pawl__arena_check() reports
 * it, or the arena is cleared or freed.
 */
typedef struct pawl__arena {
        struct pawl__arena_block *head;
        bool failed;
} pawl__arena;

#define PAWL__ARENA_INIT                                                                           \
        {                                                                                          \
                NULL, false                                                                        \
        }

/** @p size bytes, aligned for any type; NULL when there is no memory. */
void *pawl__arena_take(pawl__arena *arena, size_t size);
/** @p size zeroed bytes, aligned for any type; NULL when there is no memory. */
void *pawl__arena_alloc(pawl__arena *arena, size_t size);
/** count * size zeroed bytes; NULL when there is no memory or the product overflows. */
void *pawl__arena_array(pawl__arena *arena, size_t count, size_t size);
/** A copy, NUL-ended; the absent text stays absent. Absent also when there is no memory: call
 *  pawl__arena_check() after the last copy. */
pawl_text pawl__arena_copy(pawl__arena *arena, pawl_text text);
/** The same, which sets *ok to false when there is no memory. */
pawl_text pawl__arena_text(pawl__arena *arena, pawl_text text, bool *ok);
/** Forget everything but keep the largest block, of up to 256 KiB, for what comes next. */
void pawl__arena_clear(pawl__arena *arena);
void pawl__arena_free(pawl__arena *arena);

/**
 * Make room in a growing array: *items holds *cap elements of @p size and must hold @p need.
 * Doubles. PAWL_ENOMEM leaves it as it was.
 */
PAWL_MUST_CHECK pawl_status pawl__grow(void *items, size_t *cap, size_t need, size_t size);
