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

#include "base/json_step.h"

void pawl__json_reader_init(pawl__json_reader *reader, const char *text, size_t len);
PAWL_MUST_CHECK pawl_status pawl__json_next(
        pawl__json_reader *reader, pawl__json_token *token, pawl_error *err);

#endif
