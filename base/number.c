/* Reading: D. Lemire, "Number parsing at a gigabyte per second" (2021), after M. Eisel; with the
 * proof of N. Mushtak and D. Lemire, "Fast number parsing without fallback" (2023), that up to 19
 * digits never need more than the 128 bits of the table. Printing stands in number_print.c. */
#include "base/number.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
        HELD = 19,      /* digits that fit 64 bits */
        DECISIVE = 780, /* a midpoint of two doubles has at most 767 significant digits */
        MANTISSA_BITS = 52,
        EXPONENT_MAX = 2047,
        BIAS = 1023
};

/* Eight digits at once: neighbours are joined to pairs, fours, and all eight, by three multiplies
 * in one word. False when not all eight are digits. Little-endian machines only. */
static bool eight_digits(const char *p, uint64_t *value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        const uint64_t ones = UINT64_C(0x0101010101010101);
        uint64_t word;

        memcpy(&word, p, sizeof word);
        if (((word & ones * 0xf0) | (((word + ones * 6) & ones * 0xf0) >> 4)) != ones * 0x33)
                return false;
        word -= ones * '0';
        word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
        word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
        *value = (word * 10000 + (word >> 32)) & UINT64_C(0xffffffff);
        return true;
#else
        (void)p, (void)value;
        return false;
#endif
}

static bool is_digit(const char *p, const char *end)
{
        return p < end && (unsigned)(*p - '0') <= 9;
}

/* A run of digits after the first significant one; those that are not held are counted. */
static const char *read_digits(pawl__decimal *d, const char *p, const char *end, int64_t *left_out)
{
        uint64_t eight;

        while (d->count > 0 && d->count <= HELD - 8 && end - p >= 8 && eight_digits(p, &eight)) {
                d->digits = d->digits * 100000000 + eight;
                d->count += 8;
                p += 8;
        }
        for (; is_digit(p, end); p++) {
                if (d->count == HELD) {
                        d->more = d->more || *p != '0';
                        ++*left_out;
                } else if (d->count > 0 || *p != '0') {
                        d->digits = d->digits * 10 + (uint64_t)(*p - '0');
                        d->count++;
                }
        }
        return p;
}

pawl__decimal pawl__decimal_read(const char *raw, size_t raw_len)
{
        pawl__decimal d = {0, 0, false, false, 0};
        const char *p = raw, *const end = raw + raw_len;
        int64_t left_out = 0, fraction = 0, exponent = 0;

        if (p < end && *p == '-') {
                d.negative = true;
                p++;
        }
        p = read_digits(&d, p, end, &left_out);
        if (p < end && *p == '.') {
                const char *const point = p;
                p = read_digits(&d, p + 1, end, &left_out);
                fraction = p - point - 1;
        }
        if (p < end) { /* 'e' or 'E'; at the bound, no text is long enough to make up for it */
                const int64_t bound = INT64_C(10000000000000000);
                const bool negative = *++p == '-';
                if (*p == '-' || *p == '+')
                        p++;
                for (; p < end; p++)
                        if (exponent < bound)
                                exponent = exponent * 10 + (*p - '0');
                if (negative)
                        exponent = -exponent;
        }
        d.exponent = exponent - fraction + left_out;
        return d;
}

static double from_bits(uint64_t bits)
{
        double value;

        memcpy(&value, &bits, sizeof value);
        return value;
}

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
        __extension__ const unsigned __int128 product = (unsigned __int128)a * b;

        *low = (uint64_t)product;
        return (uint64_t)(product >> 64);
}

/* The bits of the double nearest to w * 10^q, w not 0; those of infinity when it overflows. */
static uint64_t nearest(uint64_t w, int64_t q)
{
        const uint64_t infinity = (uint64_t)EXPONENT_MAX << MANTISSA_BITS;
        uint64_t low, second_low;

        if (q < PAWL__POWER_MIN)
                return 0;
        if (q > 308)
                return infinity;
        const int zeros = __builtin_clzll(w);
        const uint64_t *power = pawl__powers_of_ten[q - PAWL__POWER_MIN];
        w <<= zeros;
        uint64_t high = multiply(w, power[0], &low);
        if ((high & 0x1ff) == 0x1ff) { /* the low half of the power may carry into what is kept */
                /* the method wants the powers cut off, except where -27 <= q <= 55; ours are
                 * ceilings */
                const uint64_t power_low = power[1] - (q < -27 || q > 55);
                const uint64_t second = multiply(w, power_low, &second_low);
                low += second;
                high += second > low;
        }
        const int upper = (int)(high >> 63);
        uint64_t mantissa = high >> (upper + 64 - MANTISSA_BITS - 3); /* with one bit to round by */
        /* floor(log2(10^q)) = floor(q * 217706 / 2^16) in this range */
        int exponent = (int)((q * 217706) >> 16) + 63 + upper - zeros + BIAS;
        if (exponent <= 0) { /* subnormal */
                if (1 - exponent >= 64)
                        return 0;
                mantissa >>= 1 - exponent;
                mantissa = (mantissa + (mantissa & 1)) >> 1;
                /* rounding up to the smallest normal number sets the exponent by itself */
                return mantissa;
        }
        /* half way between two doubles: only here, where w * 10^q is a short product, and exactly
         */
        if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 &&
                mantissa << (upper + 64 - MANTISSA_BITS - 3) == high)
                mantissa &= ~UINT64_C(1);
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        if (mantissa >> (MANTISSA_BITS + 1)) {
                mantissa >>= 1;
                exponent++;
        }
        if (exponent >= EXPONENT_MAX)
                return infinity;
        return (uint64_t)exponent << MANTISSA_BITS | (mantissa & ~(UINT64_C(1) << MANTISSA_BITS));
}

/* More digits than 64 bits hold, and they decide: the C library reads the literal, put together
 * anew in a form of bounded length. A 1 at the end stands for all digits beyond the decisive ones.
 */
static double read_exactly(const pawl__decimal *d, const char *raw, size_t raw_len)
{
        char text[DECISIVE + 64];
        size_t n = 0;
        int64_t exponent = d->exponent;

        for (size_t i = 0; i < raw_len && (raw[i] | 0x20) != 'e'; i++) {
                if (raw[i] < '0' || raw[i] > '9' || (n == 0 && raw[i] == '0'))
                        continue;
                if (n < DECISIVE)
                        text[n++] = raw[i];
                else if (raw[i] != '0') {
                        text[n++] = '1';
                        break;
                }
        }
        exponent -= (int64_t)n - d->count;
        snprintf(text + n, sizeof text - n, "e%lld", (long long)exponent);
        /* glibc and musl give their own C locale here, without allocating */
        const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        const double value = strtod_l(text, NULL, c_locale);
        freelocale(c_locale);
        return value;
}

double pawl__decimal_double(const pawl__decimal *d, const char *raw, size_t raw_len)
{
        const uint64_t sign = (uint64_t)d->negative << 63;

        if (d->count == 0)
                return from_bits(sign);
        const uint64_t bits = nearest(d->digits, d->exponent);
        if (!d->more || bits == nearest(d->digits + 1, d->exponent))
                return from_bits(bits | sign);
        const double value = read_exactly(d, raw, raw_len);
        return d->negative ? -value : value;
}
