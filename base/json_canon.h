/**
 * @file base/json_canon.h
 * @brief The canonical form of a JSON document (RFC 8785), and its hash.
 */
#pragma once

#include "base/digest.h"
#include "base/text.h"

/**
 * Append the canonical form of @p text to @p out. On failure @p out is as it was.
 * Duplicate member names are refused here, with the line and column of the second.
 */
PAWL_MUST_CHECK pawl_status pawl__json_canon(
        pawl__buf *out, const char *text, size_t len, pawl_error *err);

/** SHA-256 of the canonical form, which is in memory for that. @p hasher may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__json_canon_hash(
        unsigned char out[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err);
