#include "workspace/archive/archive_library.h"

static pawl__archive_library library;

#define SYMBOL(name) PAWL__LAZY_SYMBOL(pawl__archive_library, name),
static const pawl__lazy_symbol symbols[] = {PAWL__ARCHIVE_FUNCTIONS(SYMBOL)};

PAWL__LAZY_NOTE("archive", "Exporting and importing checkpoints", "recommended", LIBARCHIVE_SONAME);

static pawl__lazy lazy = {LIBARCHIVE_SONAME, "libarchive", symbols,
        sizeof symbols / sizeof symbols[0], &library, NULL, PTHREAD_MUTEX_INITIALIZER, false};

pawl_status pawl__archive_load(const pawl__archive_library **out, pawl_error *err)
{
        pawl_status status = pawl__lazy_load(&lazy, err);

        if (status == PAWL_OK)
                *out = &library;
        return status;
}
