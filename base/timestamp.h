/**
 * @file base/timestamp.h
 * @brief Asking a time-stamping authority (RFC 3161), and what it answered, by OpenSSL.
 */
#pragma once

#include "base/digest.h"
#include "base/memory.h"

/** Add the query, DER, over a SHA-256; it asks for the authority's certificate. */
PAWL_MUST_CHECK pawl_status pawl__timestamp_query(
        pawl__buf *out, const unsigned char hash[PAWL__HASH_LEN], pawl_error *err);
/** Is this an answer that grants a timestamp over that hash? Whose signature it has is `openssl
 * ts`'s matter. PAWL_EPARSE, PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__timestamp_check(
        pawl_text answer, const unsigned char hash[PAWL__HASH_LEN], pawl_error *err);
