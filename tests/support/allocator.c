#include "support/allocator.h"
#include "base/crypto.h"
#include "support/test.h"
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

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
        countdown = allocator_works() ? n : 0;
        failed = false;
}

long allocator_live(void)
{
        return allocator_works() ? live : 0;
}

#ifdef SANITIZED

bool allocator_works(void)
{
        return false;
}

void allocator_leave_archive_alone(void)
{
}

#else

/* glibc's own, under names that a program may put others over. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

/* On a server what fails is mostly libpq's, which then is a connection that is made anew. */
bool allocator_works(void)
{
        return !on_server();
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

/* The code of libarchive and, as it does not look whether that has failed, of libzstd, once they
 * are to be left alone. */
static struct range {
        uintptr_t from, size;
} alone[2];

static int find_archive(struct dl_phdr_info *info, size_t size, void *user)
{
        (void)size, (void)user;
        struct range *range = &alone[strstr(info->dlpi_name, "libzstd.so") != NULL];

        if (range == alone && !strstr(info->dlpi_name, "libarchive.so"))
                return 0;
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
                        range->from = info->dlpi_addr + part->p_vaddr;
                        range->size = part->p_memsz;
                }
        }
        return 0;
}

void allocator_leave_archive_alone(void)
{
        dl_iterate_phdr(find_archive, NULL);
        if (!alone[0].size || !alone[1].size)
                abort();
}

static bool fails(const void *caller)
{
        for (int i = 0; i < 2; i++) {
                if ((uintptr_t)caller - alone[i].from < alone[i].size)
                        return false;
        }
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
        if (fails(__builtin_return_address(0)))
                return NULL;
        live++;
        return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
        if (fails(__builtin_return_address(0)))
                return NULL;
        live++;
        return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
        if (fails(__builtin_return_address(0)))
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
