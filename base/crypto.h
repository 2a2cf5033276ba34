/**
 * @file base/crypto.h
 * @brief OpenSSL's libcrypto, loaded when it is first needed: for a key, a signature, or when there
 *        is much to hash (base/digest.h).
 *
 * It is the most expensive library to load: 21,000 relocations and 4,000 symbols. Most commands
 * hash a few kilobytes.
 */
#pragma once

#include "base/lazy.h"
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ts.h>

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
        X(EVP_MAC_final)                                                                           \
        X(EVP_PKEY_new_raw_private_key)                                                            \
        X(EVP_PKEY_get_raw_public_key)                                                             \
        X(EVP_PKEY_is_a)                                                                           \
        X(EVP_PKEY_free)                                                                           \
        X(EVP_DigestSignInit)                                                                      \
        X(EVP_DigestSign)                                                                          \
        X(EVP_EncodeBlock)                                                                         \
        X(EVP_DecodeBlock)                                                                         \
        X(BIO_new_mem_buf)                                                                         \
        X(BIO_free)                                                                                \
        X(PEM_read_bio_PrivateKey)                                                                 \
        X(TS_REQ_new)                                                                              \
        X(TS_REQ_free)                                                                             \
        X(TS_REQ_set_version)                                                                      \
        X(TS_REQ_set_msg_imprint)                                                                  \
        X(TS_REQ_set_cert_req)                                                                     \
        X(i2d_TS_REQ)                                                                              \
        X(TS_MSG_IMPRINT_new)                                                                      \
        X(TS_MSG_IMPRINT_free)                                                                     \
        X(TS_MSG_IMPRINT_set_algo)                                                                 \
        X(TS_MSG_IMPRINT_set_msg)                                                                  \
        X(TS_MSG_IMPRINT_get_msg)                                                                  \
        X(d2i_TS_RESP)                                                                             \
        X(TS_RESP_free)                                                                            \
        X(TS_RESP_get_status_info)                                                                 \
        X(TS_RESP_get_tst_info)                                                                    \
        X(TS_STATUS_INFO_get0_status)                                                              \
        X(TS_TST_INFO_get_msg_imprint)                                                             \
        X(X509_ALGOR_new)                                                                          \
        X(X509_ALGOR_free)                                                                         \
        X(X509_ALGOR_set0)                                                                         \
        X(OBJ_nid2obj)                                                                             \
        X(ASN1_INTEGER_get)                                                                        \
        X(ASN1_STRING_length)                                                                      \
        X(ASN1_STRING_get0_data)                                                                   \
        X(CRYPTO_free)

/** Its functions, under their own names. */
typedef struct pawl__crypto {
        PAWL__CRYPTO_FUNCTIONS(PAWL__LAZY_FIELD)
} pawl__crypto;

/** See pawl__digest_start_lean(). */
void pawl__crypto_start_lean(void);
/** Load it, unless it is. Static. PAWL_ENOTFOUND where it is not installed. */
PAWL_MUST_CHECK pawl_status pawl__crypto_load(const pawl__crypto **out, pawl_error *err);
