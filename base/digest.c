#include "base/digest.h"
#include "base/error.h"
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

struct pawl__hasher {
        EVP_MD *md; /* fetched once: a fetch costs as much as hashing a kilobyte */
        EVP_MD_CTX *ctx;
};

/* At the first hash: the first fetch of a process starts OpenSSL, a tenth of what `eventlog show`
 * takes, which hashes nothing. */
static bool fetch(pawl__hasher *h)
{
        if (!h->md)
                h->md = EVP_MD_fetch(NULL, "SHA256", NULL);
        if (!h->ctx)
                h->ctx = EVP_MD_CTX_new();
        return h->md && h->ctx;
}

void pawl__digest_start_lean(void)
{
        /* should it fail, the first fetch starts OpenSSL in the ordinary way, or says why not */
        (void)OPENSSL_init_crypto(
                OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
                        OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS,
                NULL);
}

pawl_status pawl__hasher_new(pawl__hasher **out, pawl_error *err)
{
        pawl__hasher *h = calloc(1, sizeof *h);

        if (!h)
                return pawl__nomem(err);
        *out = h;
        return PAWL_OK;
}

void pawl__hasher_free(pawl__hasher *h)
{
        if (!h)
                return;
        EVP_MD_CTX_free(h->ctx);
        EVP_MD_free(h->md);
        free(h);
}

pawl_status pawl__hasher_begin(pawl__hasher *h)
{
        ERR_set_mark(); /* OpenSSL's queue of errors is the program's: what we add is taken back */
        bool done = fetch(h) && EVP_DigestInit_ex2(h->ctx, h->md, NULL) == 1;
        ERR_pop_to_mark();
        return done ? PAWL_OK : PAWL_ENOMEM;
}

pawl_status pawl__hasher_add(pawl__hasher *h, const void *data, size_t len)
{
        return EVP_DigestUpdate(h->ctx, data, len) == 1 ? PAWL_OK : PAWL_ENOMEM;
}

pawl_status pawl__hasher_end(pawl__hasher *h, unsigned char out[32])
{
        return EVP_DigestFinal_ex(h->ctx, out, NULL) == 1 ? PAWL_OK : PAWL_ENOMEM;
}

pawl_status pawl__sha256(pawl__hasher *h, unsigned char out[32], const void *data, size_t len)
{
        pawl_status status = pawl__hasher_begin(h);

        if (!status)
                status = pawl__hasher_add(h, data, len);
        return status ? status : pawl__hasher_end(h, out);
}

void pawl__hex(char *out, const unsigned char *bytes, size_t len)
{
        for (size_t i = 0; i < len; i++) {
                *out++ = "0123456789abcdef"[bytes[i] >> 4];
                *out++ = "0123456789abcdef"[bytes[i] & 15];
        }
        *out = '\0';
}

static int digit(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool pawl__unhex32(unsigned char out[32], pawl_text hex)
{
        if (!hex.data || hex.len != 64)
                return false;
        for (size_t i = 0; i < 32; i++) {
                int high = digit(hex.data[2 * i]), low = digit(hex.data[2 * i + 1]);
                if (high < 0 || low < 0)
                        return false;
                out[i] = (unsigned char)(high << 4 | low);
        }
        return true;
}
