#include "support/allocator.h"
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
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

/* Where libcrypto's code lies. Its calls never fail and are not counted: OpenSSL keeps caches for
 * the life of the process, and does not come out of a failed fetch in one piece, which is not ours
 * to mend. Everything else, SQLite included, is swept. */
static struct {
        uintptr_t start, end;
} crypto;

static int note(struct dl_phdr_info *library, size_t size, void *user)
{
        (void)size, (void)user;
        if (!strstr(library->dlpi_name, "libcrypto"))
                return 0;
        for (size_t i = 0; i < library->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &library->dlpi_phdr[i];
                if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
                        continue;
                crypto.start = library->dlpi_addr + part->p_vaddr;
                crypto.end = crypto.start + part->p_memsz;
        }
        return 1;
}

__attribute__((constructor)) static void find_crypto(void)
{
        dl_iterate_phdr(note, NULL);
}

static bool is_crypto(const void *caller)
{
        return (uintptr_t)caller - crypto.start < crypto.end - crypto.start;
}

static bool fails(const void *caller)
{
        if (is_crypto(caller) || !countdown || --countdown)
                return false;
        failed = true;
        errno = ENOMEM;
        return true;
}

/* The shared libraries must find them too, whatever is hidden otherwise. */
#pragma GCC visibility push(default)

void *malloc(size_t size)
{
        if (fails(__builtin_return_address(0)))
                return NULL;
        live += !is_crypto(__builtin_return_address(0));
        return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
        if (fails(__builtin_return_address(0)))
                return NULL;
        live += !is_crypto(__builtin_return_address(0));
        return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
        if (fails(__builtin_return_address(0)))
                return NULL;
        live += !memory && !is_crypto(__builtin_return_address(0));
        return __libc_realloc(memory, size);
}

void free(void *memory)
{
        live -= memory && !is_crypto(__builtin_return_address(0));
        __libc_free(memory);
}

#pragma GCC visibility pop

#endif
