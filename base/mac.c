#include "base/mac.h"
#include "base/error.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>

struct pawl__mac {
        EVP_MAC_CTX *ctx; /* which owns the key */
};

pawl_status pawl__mac_new(pawl__mac **out, const void *key, size_t len, pawl_error *err)
{
        char digest[] = "SHA256";
        const OSSL_PARAM params[] = {
                OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                OSSL_PARAM_construct_end(),
        };
        pawl__mac *mac = calloc(1, sizeof *mac);

        if (!mac)
                return pawl__nomem(err);
        ERR_set_mark(); /* OpenSSL's queue of errors is the program's: what we add is taken back */
        EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
        mac->ctx = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
        EVP_MAC_free(hmac);
        int done = mac->ctx ? EVP_MAC_init(mac->ctx, key, len, params) : 0;
        ERR_pop_to_mark();
        if (done != 1) {
                pawl__mac_free(mac);
                return pawl__nomem(err);
        }
        *out = mac;
        return PAWL_OK;
}

void pawl__mac_free(pawl__mac *mac)
{
        if (!mac)
                return;
        EVP_MAC_CTX_free(mac->ctx);
        free(mac);
}

pawl_status pawl__mac_of(pawl__mac *mac, unsigned char out[32], const void *data, size_t len)
{
        size_t n = 0;

        ERR_set_mark();
        /* Without a key it starts again under the one it has. */
        int done = EVP_MAC_init(mac->ctx, NULL, 0, NULL) == 1 &&
                   EVP_MAC_update(mac->ctx, data, len) == 1 &&
                   EVP_MAC_final(mac->ctx, out, &n, PAWL__MAC_LEN) == 1 && n == PAWL__MAC_LEN;
        ERR_pop_to_mark();
        return done ? PAWL_OK : PAWL_ENOMEM;
}

bool pawl__mac_same(const unsigned char a[32], const unsigned char b[32])
{
        return CRYPTO_memcmp(a, b, PAWL__MAC_LEN) == 0;
}

void pawl__cleanse(void *secret, size_t len)
{
        OPENSSL_cleanse(secret, len);
}
