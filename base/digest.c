#include "base/digest.h"
#include "base/crypto.h"
#include "base/error.h"
#include "base/sha256.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A process that hashes less than this does without OpenSSL: to load it takes as long. */
enum { FEW_BYTES = 128 << 10 };

struct pawl__hasher {
        const pawl__crypto *crypto; /* NULL until it pays, or where there is none */
        EVP_MD_CTX *ctx;
        bool chosen;
        bool without; /* the hash that is under way is in own, not in ctx */
        pawl__sha256_state own;
};

static atomic_size_t hashed; /* bytes, without OpenSSL */

/* Fetched once, and kept as the library is: a fetch costs as much as hashing a kilobyte. */
static _Atomic(EVP_MD *) sha256;

void pawl__digest_start_lean(void)
{
        pawl__crypto_start_lean();
}

static bool fetch(pawl__hasher *h)
{
        EVP_MD *none = NULL, *md = atomic_load(&sha256);

        if (!md && (md = h->crypto->EVP_MD_fetch(NULL, "SHA256", NULL)) &&
                !atomic_compare_exchange_strong(&sha256, &none, md))
                h->crypto->EVP_MD_free(md); /* another thread was first */
        if (md)
                h->ctx = h->crypto->EVP_MD_CTX_new();
        return h->ctx;
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
        if (h->crypto)
                h->crypto->EVP_MD_CTX_free(h->ctx);
        free(h);
}

/* Does OpenSSL hash what begins, of @p len bytes at least? */
static bool begin_openssl(pawl__hasher *h, size_t len)
{
        if (!h->crypto &&
                (atomic_load(&hashed) + len < FEW_BYTES || pawl__crypto_load(&h->crypto, NULL)))
                return false;
        /* OpenSSL's error queue belongs to the program: remove what we add */
        h->crypto->ERR_set_mark();
        const bool begun = (h->ctx || fetch(h)) &&
                           h->crypto->EVP_DigestInit_ex2(h->ctx, atomic_load(&sha256), NULL) == 1;
        h->crypto->ERR_pop_to_mark();
        return begun;
}

/* By its first piece: what is long comes in large ones. */
static void choose(pawl__hasher *h, size_t len)
{
        h->chosen = true;
        h->without = !begin_openssl(h, len);
        if (h->without)
                pawl__sha256_begin(&h->own);
}

pawl_status pawl__hasher_begin(pawl__hasher *h, pawl_error *err)
{
        (void)err;
        h->chosen = false;
        return PAWL_OK;
}

pawl_status pawl__hasher_add(pawl__hasher *h, const void *data, size_t len)
{
        if (!h->chosen)
                choose(h, len);
        if (!h->without)
                return h->crypto->EVP_DigestUpdate(h->ctx, data, len) == 1 ? PAWL_OK : PAWL_ENOMEM;
        atomic_fetch_add(&hashed, len);
        pawl__sha256_add(&h->own, data, len);
        return PAWL_OK;
}

pawl_status pawl__hasher_end(pawl__hasher *h, unsigned char out[32])
{
        if (!h->chosen)
                choose(h, 0);
        if (!h->without)
                return h->crypto->EVP_DigestFinal_ex(h->ctx, out, NULL) == 1 ? PAWL_OK
                                                                             : PAWL_ENOMEM;
        pawl__sha256_end(&h->own, out);
        return PAWL_OK;
}

pawl_status pawl__sha256(
        pawl__hasher *h, unsigned char out[32], const void *data, size_t len, pawl_error *err)
{
        pawl__hasher *own = NULL;
        pawl_status status = h ? PAWL_OK : pawl__hasher_new(&own, err);

        if (own)
                h = own;
        if (!status)
                h->chosen = false;
        if (!status && (pawl__hasher_add(h, data, len) || pawl__hasher_end(h, out)))
                status = pawl__nomem(err);
        pawl__hasher_free(own);
        return status;
}

void pawl__hex(char *out, const unsigned char *bytes, size_t len)
{
        for (size_t i = 0; i < len; i++) {
                *out++ = "0123456789abcdef"[bytes[i] >> 4];
                *out++ = "0123456789abcdef"[bytes[i] & 15];
        }
        *out = '\0';
}

/* No branch depends on a digit: a compiler may take all of them at once. */
bool pawl__unhex32(unsigned char out[32], pawl_text hex)
{
        unsigned char digit[64];
        unsigned char wrong = 0;

        if (!hex.data || hex.len != 64)
                return false;
        for (size_t i = 0; i < 64; i++) {
                const unsigned char c = (unsigned char)hex.data[i];
                wrong |= ((unsigned char)(c - '0') > 9) & ((unsigned char)(c - 'a') > 5);
                digit[i] = (unsigned char)((c & 15) + (c >> 6) * 9);
        }
        for (size_t i = 0; i < 32 && !wrong; i++)
                out[i] = (unsigned char)(digit[2 * i] << 4 | digit[2 * i + 1]);
        return !wrong;
}
