#include "base/sign.h"
#include "base/crypto.h"
#include "base/error.h"
#include "base/text.h"
#include <string.h>

static int no_passphrase(char *buf, int size, int writing, void *user)
{
        (void)buf, (void)size, (void)writing, (void)user;
        return -1;
}

/* Take over @p key, which may be NULL. */
static pawl_status take_key(
        pawl__signer *out, const pawl__crypto *crypto, EVP_PKEY *key, pawl_error *err)
{
        size_t len = sizeof out->public_key;

        if (key && crypto->EVP_PKEY_is_a(key, "ED25519") == 1 &&
                crypto->EVP_PKEY_get_raw_public_key(key, out->public_key, &len) == 1 && len == 32) {
                out->key = key;
                return PAWL_OK;
        }
        crypto->EVP_PKEY_free(key);
        return pawl__fail(err, PAWL_EPARSE,
                "not a private key for Ed25519 that can be read without a passphrase; make one with "
                "`openssl genpkey -algorithm ed25519 -out FILE`");
}

pawl_status pawl__signer_pem(pawl__signer *out, pawl_text pem, pawl_error *err)
{
        const pawl__crypto *crypto;
        EVP_PKEY *key = NULL;
        BIO *bio;
        pawl_status status = pawl__crypto_load(&crypto, err);

        if (status)
                return status;
        if (pem.len > INT32_MAX)
                return pawl__fail(err, PAWL_ETOOBIG, "too long for a key; name the key's file");
        crypto->ERR_set_mark();
        bio = crypto->BIO_new_mem_buf(pem.data, (int)pem.len);
        if (bio)
                key = crypto->PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
        status = bio ? take_key(out, crypto, key, err) : pawl__nomem(err);
        crypto->BIO_free(bio);
        crypto->ERR_pop_to_mark();
        return status;
}

pawl_status pawl__signer_seed(pawl__signer *out, const unsigned char seed[32], pawl_error *err)
{
        const pawl__crypto *crypto;
        pawl_status status = pawl__crypto_load(&crypto, err);

        if (status)
                return status;
        crypto->ERR_set_mark();
        status = take_key(out, crypto,
                crypto->EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32), err);
        crypto->ERR_pop_to_mark();
        return status;
}

void pawl__signer_free(pawl__signer *signer)
{
        const pawl__crypto *crypto;

        if (signer->key && !pawl__crypto_load(&crypto, NULL))
                crypto->EVP_PKEY_free(signer->key);
        signer->key = NULL;
}

pawl_status pawl__sign(unsigned char out[PAWL__SIGNATURE_LEN], const pawl__signer *signer,
        pawl_text text, pawl_error *err)
{
        const pawl__crypto *crypto;
        size_t len = PAWL__SIGNATURE_LEN;

        TRY(pawl__crypto_load(&crypto, err));
        crypto->ERR_set_mark();
        EVP_MD_CTX *ctx = crypto->EVP_MD_CTX_new();
        const bool made = ctx &&
                          crypto->EVP_DigestSignInit(ctx, NULL, NULL, NULL, signer->key) == 1 &&
                          crypto->EVP_DigestSign(
                                  ctx, out, &len, (const unsigned char *)text.data, text.len) == 1;
        crypto->EVP_MD_CTX_free(ctx);
        crypto->ERR_pop_to_mark();
        return made ? PAWL_OK : pawl__nomem(err);
}

pawl_status pawl__base64_add(
        pawl__buf *out, const unsigned char *bytes, size_t len, pawl_error *err)
{
        const pawl__crypto *crypto;
        unsigned char text[4 * PAWL__BASE64_MAX / 3 + 8];

        TRY(pawl__crypto_load(&crypto, err));
        if (len > PAWL__BASE64_MAX)
                return pawl__fail(err, PAWL_ETOOBIG, "too long for base64; shorten it");
        const int written = crypto->EVP_EncodeBlock(text, bytes, (int)len);
        return pawl__buf_add(out, (const char *)text, (size_t)written) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__base64_read(
        bool *good, unsigned char *out, size_t len, pawl_text text, pawl_error *err)
{
        const pawl__crypto *crypto;
        unsigned char bytes[PAWL__BASE64_MAX + 3];
        pawl__buf again = PAWL__BUF_INIT;
        pawl_status status = pawl__crypto_load(&crypto, err);

        *good = false;
        if (status || len > PAWL__BASE64_MAX || text.len != (len + 2) / 3 * 4)
                return status;
        if (crypto->EVP_DecodeBlock(bytes, (const unsigned char *)text.data, (int)text.len) < 0)
                return PAWL_OK;
        /* the only spelling of these bytes: OpenSSL takes others, too */
        status = pawl__base64_add(&again, bytes, len, err);
        *good = !status && pawl__text_eq(pawl__buf_text(&again), text);
        if (*good)
                memcpy(out, bytes, len);
        pawl__buf_free(&again);
        return status;
}
