#include "service/library.h"

static service_mhd library;

#define SYMBOL(name) PAWL__LAZY_SYMBOL(service_mhd, name),
static const pawl__lazy_symbol symbols[] = {SERVICE_MHD_FUNCTIONS(SYMBOL)};

PAWL__LAZY_NOTE("service", "pawl serve", "recommended", MICROHTTPD_SONAME);

static pawl__lazy lazy = {MICROHTTPD_SONAME, "libmicrohttpd", symbols,
        sizeof symbols / sizeof symbols[0], &library, NULL, PTHREAD_MUTEX_INITIALIZER, false};

pawl_status service_mhd_load(const service_mhd **out, pawl_error *err)
{
        const pawl_status status = pawl__lazy_load(&lazy, err);

        if (status == PAWL_OK)
                *out = &library;
        return status;
}
