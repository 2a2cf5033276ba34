/**
 * @file base/sign.h
 * @brief Signatures by Ed25519 (RFC 8032), and base64 (RFC 4648), by OpenSSL.
 */
#pragma once

#include "base/memory.h"

#define PAWL__SIGNATURE_LEN 64

/** A private key. One thread at a time. */
typedef struct pawl__signer {
        void *key; /* OpenSSL's; NULL: none */
        unsigned char public_key[32];
} pawl__signer;

/** From PEM, PKCS #8 as `openssl genpkey -algorithm ed25519` writes it, not encrypted. PAWL_EPARSE,
 * PAWL_ENOTFOUND where there is no OpenSSL. */
PAWL_MUST_CHECK pawl_status pawl__signer_pem(pawl__signer *out, pawl_text pem, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__signer_seed(
        pawl__signer *out, const unsigned char seed[32], pawl_error *err);
void pawl__signer_free(pawl__signer *signer);

PAWL_MUST_CHECK pawl_status pawl__sign(unsigned char out[PAWL__SIGNATURE_LEN],
        const pawl__signer *signer, pawl_text text, pawl_error *err);

/** Add bytes as base64, with its padding, on one line. */
PAWL_MUST_CHECK pawl_status pawl__base64_add(
        pawl__buf *out, const unsigned char *bytes, size_t len, pawl_error *err);
/** Exactly @p len bytes from base64 as pawl__base64_add() writes it; *good is false for anything
 * else. At most PAWL__BASE64_MAX. */
#define PAWL__BASE64_MAX 128
PAWL_MUST_CHECK pawl_status pawl__base64_read(
        bool *good, unsigned char *out, size_t len, pawl_text text, pawl_error *err);
