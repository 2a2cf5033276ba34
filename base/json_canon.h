/**
 * @file base/json_canon.h
 * @brief RFC 8785 text of a JSON document, written straight into a buffer or a hasher.
 */
#ifndef PAWL_BASE_JSON_CANON_H
#define PAWL_BASE_JSON_CANON_H

#include "base/digest.h"
#include "base/text.h"

/**
 * Append the canonical form of @p text to @p out. On failure @p out is as it was.
 * Duplicate member names are refused here, with the line and column of the second.
 */
PAWL_MUST_CHECK pawl_status pawl__json_canon(
        pawl__buf *out, const char *text, size_t len, pawl_error *err);

/** SHA-256 of the canonical form. Memory stays below twice the text. @p hasher may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__json_canon_hash(
        unsigned char out[32], pawl__hasher *hasher, const char *text, size_t len, pawl_error *err);

/** The canonical form of one number literal accepted by the reader; at most raw_len + 32 bytes. */
PAWL_MUST_CHECK pawl_status pawl__json_canon_number(
        pawl__buf *out, const char *raw, size_t raw_len);

/** A double as ECMAScript's Number::toString prints it; out holds at least 32 bytes; returns the
 *  length. NaN and infinities have no JSON form and must not be passed. */
size_t pawl__number_format(char out[32], double value);

/** Order of two UTF-8 texts by their UTF-16 code units (RFC 8785, section 3.2.3). */
int pawl__utf16_cmp(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
