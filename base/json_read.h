/**
 * @file base/json_read.h
 * @brief A strict RFC 8259 reader: one token at a time, over a text with a length.
 *
 * Nothing recurses: nesting is a bit per level, at most PAWL__JSON_DEPTH. A token borrows from the
 * text. Every refusal is PAWL_EPARSE, "line L, column C: WHAT; HOW TO FIX" (columns count
 * characters from 1). Refused: what RFC 8259 refuses, invalid UTF-8, lone surrogates, numbers that
 * overflow a double, depth beyond the limit, a second value after the first. Duplicate member names
 * are for the caller, who has the members together (json_canon, json_tree).
 */
#ifndef PAWL_BASE_JSON_READ_H
#define PAWL_BASE_JSON_READ_H

#include "base/json_lex.h"

#define PAWL__JSON_DEPTH 512

typedef enum pawl__json_type {
        PAWL__JSON_NULL,
        PAWL__JSON_FALSE,
        PAWL__JSON_TRUE,
        PAWL__JSON_NUMBER,
        PAWL__JSON_STRING,
        PAWL__JSON_ARRAY,   /**< '[': its elements follow, then PAWL__JSON_END */
        PAWL__JSON_OBJECT,  /**< '{': name, value, name, value ..., then PAWL__JSON_END */
        PAWL__JSON_NAME,    /**< a member's name, a string */
        PAWL__JSON_END,     /**< ']' or '}' of the innermost open container */
        PAWL__JSON_FINISHED /**< the whole text was one value */
} pawl__json_type;

typedef struct pawl__json_token {
        pawl__json_type type;
        bool escaped;    /**< a string or name holds at least one backslash escape */
        size_t offset;   /**< of the token's first byte in the text, quote included */
        const char *raw; /**< number: its literal; string or name: between the quotes, undecoded */
        size_t raw_len;
        pawl__lex_marks marks; /**< number: see there */
} pawl__json_token;

typedef struct pawl__json_reader {
        const char *text;
        size_t len, at;
        unsigned depth;
        unsigned char expect;                              /**< private to the reader */
        unsigned char is_object[PAWL__JSON_DEPTH / 8 + 1]; /**< a bit a level */
} pawl__json_reader;

void pawl__json_reader_init(pawl__json_reader *reader, const char *text, size_t len);
PAWL_MUST_CHECK pawl_status pawl__json_next(
        pawl__json_reader *reader, pawl__json_token *token, pawl_error *err);

/** Fail with PAWL_EPARSE at a byte offset of the text: counts its line and column. */
pawl_status pawl__json_fail_at(
        const char *text, size_t len, size_t offset, pawl_error *err, const char *what);

/** Decode a string's raw text (already accepted by the reader) into @p out, which must hold
 *  raw_len bytes. Returns the length, which is never more. The result may hold NULs. */
size_t pawl__json_unescape(char *out, const char *raw, size_t raw_len);

#endif
