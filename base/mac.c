#include "base/mac.h"
#include "base/crypto.h"
#include "base/error.h"
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

struct pawl__mac {
        const pawl__crypto *crypto;
        EVP_MAC_CTX *ctx; /* which owns the key */
};

pawl_status pawl__mac_new(pawl__mac **out, const void *key, size_t len, pawl_error *err)
{
        char digest[] = "SHA256";
        const OSSL_PARAM params[] = {
                {OSSL_MAC_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, digest, sizeof digest - 1,
                        OSSL_PARAM_UNMODIFIED},
                OSSL_PARAM_END,
        };
        const pawl__crypto *crypto;

        TRY(pawl__crypto_load(&crypto, err));
        pawl__mac *mac = calloc(1, sizeof *mac);
        if (!mac)
                return pawl__nomem(err);
        mac->crypto = crypto;
        /* OpenSSL's error queue belongs to the program: remove what we add */
        crypto->ERR_set_mark();
        EVP_MAC *hmac = crypto->EVP_MAC_fetch(NULL, "HMAC", NULL);
        mac->ctx = hmac ? crypto->EVP_MAC_CTX_new(hmac) : NULL;
        crypto->EVP_MAC_free(hmac);
        int done = mac->ctx ? crypto->EVP_MAC_init(mac->ctx, key, len, params) : 0;
        crypto->ERR_pop_to_mark();
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
        mac->crypto->EVP_MAC_CTX_free(mac->ctx);
        free(mac);
}

pawl_status pawl__mac_of(pawl__mac *mac, unsigned char out[32], const void *data, size_t len)
{
        const pawl__crypto *crypto = mac->crypto;
        size_t n = 0;

        crypto->ERR_set_mark();
        /* Without a key it starts again under the one it has. */
        int done = crypto->EVP_MAC_init(mac->ctx, NULL, 0, NULL) == 1 &&
                   crypto->EVP_MAC_update(mac->ctx, data, len) == 1 &&
                   crypto->EVP_MAC_final(mac->ctx, out, &n, PAWL__MAC_LEN) == 1 &&
                   n == PAWL__MAC_LEN;
        crypto->ERR_pop_to_mark();
        return done ? PAWL_OK : PAWL_ENOMEM;
}

bool pawl__mac_same(const unsigned char a[32], const unsigned char b[32])
{
        volatile unsigned char differ = 0; /* so that no compiler stops at the first */

        for (size_t i = 0; i < PAWL__MAC_LEN; i++)
                differ = (unsigned char)(differ | (a[i] ^ b[i]));
        return differ == 0;
}

void pawl__cleanse(void *secret, size_t len)
{
        explicit_bzero(secret, len);
}
