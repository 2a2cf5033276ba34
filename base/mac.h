/**
 * @file base/mac.h
 * @brief HMAC-SHA-256 (RFC 2104) by OpenSSL's EVP, keyed once; comparing and erasing secrets.
 */
#pragma once

#include <pawl/base.h>
#include <stdbool.h>

#define PAWL__MAC_LEN 32

/** A key, made ready to be used again and again. One thread at a time. */
typedef struct pawl__mac pawl__mac;

/** The key is copied into memory that is cleansed when it is freed. PAWL_ENOTFOUND where OpenSSL is
 *  not installed. */
PAWL_MUST_CHECK pawl_status pawl__mac_new(
        pawl__mac **out, const void *key, size_t len, pawl_error *err);
void pawl__mac_free(pawl__mac *mac);
/** HMAC-SHA-256(key, data). OpenSSL's failures are PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__mac_of(
        pawl__mac *mac, unsigned char out[32], const void *data, size_t len);

/** Are both the same? Takes the same time wherever they differ. */
bool pawl__mac_same(const unsigned char a[32], const unsigned char b[32]);
/** Overwrite a secret; no compiler leaves this out. */
void pawl__cleanse(void *secret, size_t len);
