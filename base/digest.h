/**
 * @file base/digest.h
 * @brief SHA-256 (FIPS 180-4): of the first 128 KiB that a process hashes by base/sha256.h, since
 *        OpenSSL takes as long to load; of more by OpenSSL's EVP, where it is installed.
 */
#pragma once

#include <pawl/base.h>
#include <stdbool.h>

#define PAWL__HASH_LEN 32

/**
 * For our own programs, before OpenSSL is loaded: start it without its configuration file and
 * without registering every algorithm, which takes 0.56 of the 0.75 ms of its start. A library
 * leaves that choice to the program that loads it, so nothing here calls this.
 */
void pawl__digest_start_lean(void);

/** A hasher that is used again and again. One thread at a time. */
typedef struct pawl__hasher pawl__hasher;

PAWL_MUST_CHECK pawl_status pawl__hasher_new(pawl__hasher **out, pawl_error *err);
void pawl__hasher_free(pawl__hasher *hasher);
/** begin, add any number of times, end. OpenSSL's failures are PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__hasher_begin(pawl__hasher *hasher, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__hasher_add(pawl__hasher *hasher, const void *data, size_t len);
PAWL_MUST_CHECK pawl_status pawl__hasher_end(pawl__hasher *hasher, unsigned char out[32]);

/** The three calls in one; every failure has a message. @p hasher NULL: a temporary one. */
PAWL_MUST_CHECK pawl_status pawl__sha256(
        pawl__hasher *hasher, unsigned char out[32], const void *data, size_t len, pawl_error *err);

/** 2 * len lower-case digits and a NUL. */
void pawl__hex(char *out, const unsigned char *bytes, size_t len);
/** 64 lower-case digits to 32 bytes; false for anything else. */
bool pawl__unhex32(unsigned char out[32], pawl_text hex);
