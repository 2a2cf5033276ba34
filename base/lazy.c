#include "base/lazy.h"
#include "base/error.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static pawl_status missing(const pawl__lazy *library, const char *why, pawl_error *err)
{
        return pawl__fail(err, PAWL_ENOTFOUND, "%s: cannot be loaded (%s); install %s",
                library->soname, why ? why : "no reason given", library->name);
}

/* dlerror() says "SONAME: REASON" */
static const char *reason(const pawl__lazy *library)
{
        const char *why = dlerror();
        const size_t len = strlen(library->soname);

        if (why && strncmp(why, library->soname, len) == 0 && strncmp(why + len, ": ", 2) == 0)
                why += len + 2;
        return why;
}

static pawl_status load(pawl__lazy *library, pawl_error *err)
{
        errno = 0;
        void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);
        if (!handle && errno == ENOMEM)
                return pawl__nomem(err);
        if (!handle)
                return missing(library, reason(library), err);
        for (size_t i = 0; i < library->n; i++) {
                void *symbol = dlsym(handle, library->symbols[i].name);
                if (!symbol) {
                        pawl_status status = pawl__fail(err, PAWL_ENOTFOUND,
                                "%s: has no function %s; install the %s that this was built with",
                                library->soname, library->symbols[i].name, library->name);
                        dlclose(handle);
                        return status;
                }
                /* POSIX lets a function's address pass through void *; ISO C has no cast for it */
                memcpy((char *)library->table + library->symbols[i].at, &symbol, sizeof symbol);
        }
        if (library->start && !library->start())
                return pawl__fail(err, PAWL_ESTATE,
                        "%s: does not start; is there memory, and is %s installed whole?",
                        library->soname, library->name);
        library->ready = true;
        return PAWL_OK;
}

pawl_status pawl__lazy_load(pawl__lazy *library, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        pthread_mutex_lock(&library->lock);
        if (!library->ready)
                status = load(library, err);
        pthread_mutex_unlock(&library->lock);
        return status;
}
