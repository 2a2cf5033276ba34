/* Needs PAWL_WITH_GIT. */
#include "support/allocator.h"
#include "workspace/git/git_library.h"
#include <dlfcn.h>
#include <git2/sys/alloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own (allocator.c); under a sanitizer, which has an allocator of its own, nothing is left
 * to do. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

static void *take(size_t size, const char *file, int line)
{
        (void)file, (void)line;
        return __libc_malloc(size);
}

static void *take_zeroed(size_t n, size_t size, const char *file, int line)
{
        (void)file, (void)line;
        return __libc_calloc(n, size);
}

static char *copy(const char *text, size_t len)
{
        char *out = __libc_malloc(len + 1);

        if (!out)
                abort();
        memcpy(out, text, len);
        out[len] = '\0';
        return out;
}

static char *copy_all(const char *text, const char *file, int line)
{
        (void)file, (void)line;
        return copy(text, strlen(text));
}

static char *copy_up_to(const char *text, size_t len, const char *file, int line)
{
        (void)file, (void)line;
        return copy(text, strnlen(text, len));
}

static char *copy_just(const char *text, size_t len, const char *file, int line)
{
        (void)file, (void)line;
        return copy(text, len);
}

static void *resize(void *memory, size_t size, const char *file, int line)
{
        (void)file, (void)line;
        return __libc_realloc(memory, size);
}

static void *resize_array(void *memory, size_t n, size_t size, const char *file, int line)
{
        (void)file, (void)line;
        return size && n > SIZE_MAX / size ? NULL : __libc_realloc(memory, n * size);
}

static void *take_array(size_t n, size_t size, const char *file, int line)
{
        return resize_array(NULL, n, size, file, line);
}

void allocator_leave_git_alone(void)
{
        static git_allocator quiet = {take, take_zeroed, copy_all, copy_up_to, copy_just, resize,
                resize_array, take_array, __libc_free};
        const pawl__git_library *git;
        int (*set)(int option, ...);

        if (!allocator_works())
                return;
        if (pawl__git_load(&git, NULL) != 0)
                abort();
        void *library = dlopen(LIBGIT2_SONAME, RTLD_NOW | RTLD_NOLOAD);
        void *symbol = library ? dlsym(library, "git_libgit2_opts") : NULL;
        if (!symbol)
                abort();
        memcpy(&set, &symbol, sizeof set);
        if (set(GIT_OPT_SET_ALLOCATOR, &quiet) != 0)
                abort();
}
