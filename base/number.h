/**
 * @file base/number.h
 * @brief Between decimal literals and doubles, both ways exact, in integers only: independent
 *        of the process's locale and rounding mode.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** ceil(10^k / 2^r), r such that it has 128 bits: high half, low half; at [k - PAWL__POWER_MIN].
 *  Exact for k from 0 to 55. */
#define PAWL__POWER_MIN (-342)
#define PAWL__POWER_MAX 324
extern const uint64_t pawl__powers_of_ten[PAWL__POWER_MAX - PAWL__POWER_MIN + 1][2];

/** digits * 10^exponent, negated if so. */
typedef struct pawl__decimal {
        uint64_t digits; /**< the first 19 significant digits; 0 for zero */
        int count;       /**< how many of them there are: 0 to 19 */
        bool negative;
        bool more;        /**< digits other than 0 followed, and were left out */
        int64_t exponent; /**< of ten; may be far outside of what a double holds */
} pawl__decimal;

/** Parse a literal that the reader's grammar accepts. */
pawl__decimal pawl__decimal_read(const char *raw, size_t raw_len);
/** The same, faster, for one of at most 19 digits, of them one at least before its point at
 *  raw[point] and one at least behind it, without an exponent. */
pawl__decimal pawl__decimal_read_plain(const char *raw, size_t raw_len, size_t point);

/** The double nearest to the literal (ties to even), which @p decimal was read from; infinity when
 *  it overflows. */
double pawl__decimal_double(const pawl__decimal *decimal, const char *raw, size_t raw_len);

/** Is the literal nearer to the double above the one with these bits? 1: yes, or as near and that
 * one is even; 0: no. The literal lies between the two. */
uint64_t pawl__decimal_is_above(
        const pawl__decimal *decimal, const char *raw, size_t raw_len, uint64_t bits);

/** The fewest digits that are read as this double again, and of those the nearest (ECMA-262,
 *  Number::toString). Finite values only. */
pawl__decimal pawl__decimal_shortest(double value);

/** As ECMA-262's Number::toString lays digits out; out holds at least 32 bytes. Zero has no sign.
 *  @p decimal has at most 17 digits but for zeros at its end. Returns the length. */
size_t pawl__decimal_format(char *out, const pawl__decimal *decimal);

/** A double as ECMAScript's Number::toString prints it; returns the length. NaN and infinities have
 *  no such form and must not be passed. */
size_t pawl__number_format(char out[32], double value);

/** The canonical form (RFC 8785, section 3.2.2.3) of a literal that is no integer, with the marks
 *  of pawl__lex_number(), to at most 32 bytes; returns the length, or 0 if it overflows a double.
 */
size_t pawl__number_canon(
        char *out, const char *raw, size_t raw_len, size_t point, size_t exponent);

/** How many digits there are in a number other than 0. */
int pawl__count_digits(uint64_t number);
