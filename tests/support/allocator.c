#include "support/allocator.h"
#include "base/crypto.h"
#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static size_t countdown; /* 0: nothing fails */
static bool failed;
static long live;

bool allocator_failed(void)
{
        return failed;
}

void allocator_fail_at(size_t n)
{
        countdown = n;
        failed = false;
}

long allocator_live(void)
{
        return live;
}

#ifdef SANITIZED

bool allocator_works(void)
{
        return false;
}

#else

/* glibc's own, under names that a program may put others over. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

bool allocator_works(void)
{
        return true;
}

/* OpenSSL's calls never fail and are not counted: it keeps caches for the life of the process, and
 * does not come out of a failed fetch in one piece, which is not ours to mend. Everything else,
 * SQLite included, is swept. */
static void *crypto_malloc(size_t size, const char *file, int line)
{
        (void)file, (void)line;
        return __libc_malloc(size);
}

static void *crypto_realloc(void *memory, size_t size, const char *file, int line)
{
        (void)file, (void)line;
        return __libc_realloc(memory, size);
}

static void crypto_free(void *memory, const char *file, int line)
{
        (void)file, (void)line;
        __libc_free(memory);
}

/* Before its first allocation, which OpenSSL asks for. Loading it is not swept either: the C
 * library keeps what it allocates for that. */
__attribute__((constructor)) static void leave_crypto_alone(void)
{
        const pawl__crypto *crypto;

        if (!CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) ||
                pawl__crypto_load(&crypto, NULL))
                abort();
}

static bool fails(void)
{
        if (!countdown || --countdown)
                return false;
        failed = true;
        errno = ENOMEM;
        return true;
}

/* The shared libraries must find them too, whatever is hidden otherwise. */
#pragma GCC visibility push(default)

void *malloc(size_t size)
{
        if (fails())
                return NULL;
        live++;
        return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
        if (fails())
                return NULL;
        live++;
        return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
        if (fails())
                return NULL;
        live += !memory;
        return __libc_realloc(memory, size);
}

void free(void *memory)
{
        live -= memory != NULL;
        __libc_free(memory);
}

#pragma GCC visibility pop

#endif
