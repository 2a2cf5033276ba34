#include "base/crypto.h"
#include <stdatomic.h>
#include <stddef.h>

static pawl__crypto library;
static atomic_bool lean; /* set by a program of our own, before its first hash */

#define SYMBOL(name) PAWL__LAZY_SYMBOL(pawl__crypto, name),
static const pawl__lazy_symbol symbols[] = {PAWL__CRYPTO_FUNCTIONS(SYMBOL)};

static bool start(void)
{
        /* should it fail, the first fetch starts OpenSSL in the ordinary way, or says why not */
        if (lean)
                (void)library.OPENSSL_init_crypto(
                        OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
                                OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS,
                        NULL);
        return true;
}

PAWL__LAZY_NOTE("hash", "SHA-256 of the log, of inputs and files", "required", LIBCRYPTO_SONAME);

static pawl__lazy lazy = {LIBCRYPTO_SONAME, "OpenSSL's libcrypto", symbols,
        sizeof symbols / sizeof symbols[0], &library, start, PTHREAD_MUTEX_INITIALIZER, false};

void pawl__crypto_start_lean(void)
{
        lean = true;
}

pawl_status pawl__crypto_load(const pawl__crypto **out, pawl_error *err)
{
        pawl_status status = pawl__lazy_load(&lazy, err);

        if (!status)
                *out = &library;
        return status;
}
