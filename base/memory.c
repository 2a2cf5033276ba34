#include "base/memory.h"
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

pawl_status pawl__buf_grow(pawl__buf *buf, size_t more)
{
        const bool possible = more < SIZE_MAX / 2 && buf->len < SIZE_MAX / 2 - more;
        size_t cap = buf->cap ? buf->cap : 64;
        while (possible && cap < buf->len + more + 1)
                cap += cap < ((size_t)1 << 20) ? cap : cap / 4;
        char *data = possible ? realloc(buf->data, cap) : NULL;
        if (!data) {
                buf->failed = true;
                return PAWL_ENOMEM;
        }
        buf->data = data;
        buf->cap = cap;
        return PAWL_OK;
}

pawl_status pawl__buf_add(pawl__buf *buf, const void *data, size_t len)
{
        TRY(pawl__buf_reserve(buf, len));
        if (len)
                memcpy(buf->data + buf->len, data, len);
        buf->len += len;
        buf->data[buf->len] = '\0';
        return PAWL_OK;
}

pawl_status pawl__buf_adds(pawl__buf *buf, const char *string)
{
        return pawl__buf_add(buf, string, strlen(string));
}

pawl_status pawl__buf_addf(pawl__buf *buf, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        int n = vsnprintf(NULL, 0, format, args);
        va_end(args);
        if (n < 0) {
                buf->failed = true;
                return PAWL_EINVAL;
        }

        TRY(pawl__buf_reserve(buf, (size_t)n));
        va_start(args, format);
        vsnprintf(buf->data + buf->len, (size_t)n + 1, format, args);
        va_end(args);
        buf->len += (size_t)n;
        return PAWL_OK;
}

char *pawl__buf_take(pawl__buf *buf, size_t *len)
{
        pawl__buf_add(buf, "", 0);
        if (buf->failed)
                return NULL;
        char *data = buf->data;
        if (len)
                *len = buf->len;
        *buf = (pawl__buf)PAWL__BUF_INIT;
        return data;
}

void pawl__buf_clear(pawl__buf *buf)
{
        buf->len = 0;
        buf->failed = false;
        if (buf->data)
                buf->data[0] = '\0';
}

void pawl__buf_free(pawl__buf *buf)
{
        free(buf->data);
        *buf = (pawl__buf)PAWL__BUF_INIT;
}

/* The newest block comes first. Its bytes follow the header, which keeps them aligned. */
struct pawl__arena_block {
        struct pawl__arena_block *next;
        size_t used, cap;
        max_align_t bytes[];
};

enum { FIRST_BLOCK = 4096, LARGEST_KEPT = 1 << 18, LARGEST_STEP = 1 << 20 };

void *pawl__arena_take(pawl__arena *arena, size_t size)
{
        struct pawl__arena_block *block = arena->head;
        const size_t align = _Alignof(max_align_t);

        if (size > SIZE_MAX / 2) {
                arena->failed = true;
                return NULL;
        }
        size = size ? (size + align - 1) / align * align : align;
        if (!block || block->cap - block->used < size) {
                size_t cap = block ? block->cap * 2 : FIRST_BLOCK;
                if (cap > LARGEST_STEP)
                        cap = LARGEST_STEP;
                if (cap < size)
                        cap = size;
                block = malloc(sizeof *block + cap);
                if (!block) {
                        arena->failed = true;
                        return NULL;
                }
                block->next = arena->head;
                block->used = 0;
                block->cap = cap;
                arena->head = block;
        }
        char *memory = (char *)block->bytes + block->used;
        block->used += size;
        return memory;
}

void *pawl__arena_alloc(pawl__arena *arena, size_t size)
{
        void *memory = pawl__arena_take(arena, size);

        return memory ? memset(memory, 0, size) : NULL;
}

void *pawl__arena_array(pawl__arena *arena, size_t count, size_t size)
{
        return pawl__arena_alloc(
                arena, size && count > SIZE_MAX / 2 / size ? SIZE_MAX : count * size);
}

pawl_text pawl__arena_copy(pawl__arena *arena, pawl_text text)
{
        char *copy = text.data ? pawl__arena_take(arena, text.len + 1) : NULL;

        if (!copy)
                return (pawl_text){NULL, 0};
        if (text.len)
                memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
        return (pawl_text){copy, text.len};
}

pawl_text pawl__arena_text(pawl__arena *arena, pawl_text text, bool *ok)
{
        const pawl_text copy = pawl__arena_copy(arena, text);

        *ok = *ok && (copy.data || !text.data);
        return copy;
}

void pawl__arena_clear(pawl__arena *arena)
{
        struct pawl__arena_block *keep = NULL;

        arena->failed = false;
        for (struct pawl__arena_block *b = arena->head; b; b = b->next)
                if (b->cap <= LARGEST_KEPT && (!keep || b->cap > keep->cap))
                        keep = b;
        while (arena->head) {
                struct pawl__arena_block *next = arena->head->next;
                if (arena->head != keep)
                        free(arena->head);
                arena->head = next;
        }
        if (keep) {
                keep->next = NULL;
                keep->used = 0;
        }
        arena->head = keep;
}

void pawl__arena_free(pawl__arena *arena)
{
        arena->failed = false;
        while (arena->head) {
                struct pawl__arena_block *next = arena->head->next;
                free(arena->head);
                arena->head = next;
        }
}

pawl_status pawl__grow(void *items, size_t *cap, size_t need, size_t size)
{
        void *old;

        if (need <= *cap)
                return PAWL_OK;
        size_t grown = *cap ? *cap : 8;
        while (grown < need) {
                if (grown > SIZE_MAX / 2 / size)
                        return PAWL_ENOMEM;
                grown *= 2;
        }
        if (grown > SIZE_MAX / size)
                return PAWL_ENOMEM;
        memcpy(&old, items, sizeof old);
        void *moved = realloc(old, grown * size);
        if (!moved)
                return PAWL_ENOMEM;
        memcpy(items, &moved, sizeof moved);
        *cap = grown;
        return PAWL_OK;
}

void pawl_free(void *memory)
{
        free(memory);
}
