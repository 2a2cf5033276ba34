/**
 * @file base/sha256.h
 * @brief SHA-256 (FIPS 180-4) without OpenSSL, for the few kilobytes that most commands hash
 *        (base/digest.h). Nothing here fails.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** A hash that is under way. Plain memory: it may be copied, and needs no clean-up. */
typedef struct pawl__sha256_state {
        uint32_t h[8];
        uint64_t len; /**< bytes added so far; len % 64 of them wait in the block */
        unsigned char block[64];
} pawl__sha256_state;

void pawl__sha256_begin(pawl__sha256_state *s);
void pawl__sha256_add(pawl__sha256_state *s, const void *data, size_t len);
/** Begin again before the next. */
void pawl__sha256_end(pawl__sha256_state *s, unsigned char out[32]);
