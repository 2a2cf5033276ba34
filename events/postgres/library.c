#include "events/postgres/library.h"

static pawl__postgres_library library;

#define SYMBOL(name) PAWL__LAZY_SYMBOL(pawl__postgres_library, name),
static const pawl__lazy_symbol symbols[] = {PAWL__POSTGRES_FUNCTIONS(SYMBOL)};

PAWL__LAZY_NOTE("postgres", "Logs on a PostgreSQL server", "suggested", LIBPQ_SONAME);

static pawl__lazy lazy = {LIBPQ_SONAME, "libpq", symbols, sizeof symbols / sizeof symbols[0],
        &library, NULL, PTHREAD_MUTEX_INITIALIZER, false};

pawl_status pawl__postgres_load(const pawl__postgres_library **out, pawl_error *err)
{
        pawl_status status = pawl__lazy_load(&lazy, err);

        if (status == PAWL_OK)
                *out = &library;
        return status;
}
