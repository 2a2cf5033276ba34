/**
 * @file base/crypto.h
 * @brief OpenSSL's libcrypto, loaded at the first hash.
 *
 * It is the most expensive library to load: 21,000 relocations, 0.6 of the 2.7 ms that
 * `pawl conflicts` took. Most commands that only read a log hash nothing.
 */
#pragma once

#include "base/lazy.h"
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#define PAWL__CRYPTO_FUNCTIONS(X)                                                                  \
        X(OPENSSL_init_crypto)                                                                     \
        X(ERR_set_mark)                                                                            \
        X(ERR_pop_to_mark)                                                                         \
        X(EVP_MD_fetch)                                                                            \
        X(EVP_MD_free)                                                                             \
        X(EVP_MD_CTX_new)                                                                          \
        X(EVP_MD_CTX_free)                                                                         \
        X(EVP_DigestInit_ex2)                                                                      \
        X(EVP_DigestUpdate)                                                                        \
        X(EVP_DigestFinal_ex)                                                                      \
        X(EVP_MAC_fetch)                                                                           \
        X(EVP_MAC_free)                                                                            \
        X(EVP_MAC_CTX_new)                                                                         \
        X(EVP_MAC_CTX_free)                                                                        \
        X(EVP_MAC_init)                                                                            \
        X(EVP_MAC_update)                                                                          \
        X(EVP_MAC_final)

/** Its functions, under their own names. */
typedef struct pawl__crypto {
        PAWL__CRYPTO_FUNCTIONS(PAWL__LAZY_FIELD)
} pawl__crypto;

/** See pawl__digest_start_lean(). */
void pawl__crypto_start_lean(void);
/** Load it, unless it is. Static. PAWL_ENOTFOUND where it is not installed. */
PAWL_MUST_CHECK pawl_status pawl__crypto_load(const pawl__crypto **out, pawl_error *err);
