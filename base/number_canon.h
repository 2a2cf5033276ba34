/**
 * @file base/number_canon.h
 * @brief The canonical form of a number that is no integer literal.
 */
#ifndef PAWL_BASE_NUMBER_CANON_H
#define PAWL_BASE_NUMBER_CANON_H

#include "base/json_lex.h"

/** To at most 32 bytes; returns the length, or 0 when the literal overflows a double. */
size_t pawl__number_canon(char *out, const char *raw, size_t raw_len, pawl__lex_marks marks);

#endif
