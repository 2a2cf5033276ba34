/* For LD_PRELOAD: a machine on which OpenSSL cannot be loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

__attribute__((visibility("default"))) void *dlopen(const char *name, int flags)
{
        void *(*real)(const char *, int);
        void *next = dlsym(RTLD_NEXT, "dlopen");

        memcpy(&real, &next, sizeof real);
        return real(
                name && strncmp(name, "libcrypto.", 10) == 0 ? "libcrypto.missing" : name, flags);
}
