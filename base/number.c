/* Reading: D. Lemire, "Number parsing at a gigabyte per second" (2021), after M. Eisel; with the
 * proof of N. Mushtak and D. Lemire, "Fast number parsing without fallback" (2023), that up to 19
 * digits never need more than the 128 bits of the table. More digits: number_exact.c.
 * Printing: number_print.c. */
#include "base/number.h"
#include "base/json_lex.h"
#include <string.h>

enum {
        HELD = 19, /* digits that fit 64 bits */
        MANTISSA_BITS = 52,
        EXPONENT_MAX = 2047,
        BIAS = 1023
};

static const uint64_t powers[HELD + 1] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
        100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
        100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
        1000000000000000000, UINT64_C(10000000000000000000)};

int pawl__count_digits(uint64_t number)
{
        /* 1233 / 2^12 is log10(2), near enough: it may be one too few, never too many */
        const int least = (64 - __builtin_clzll(number)) * 1233 >> 12;

        return least + (number >= powers[least]);
}

/* Up to eight digits, right-justified in a word with zero bytes (not '0') at their front:
 * neighbours are joined to pairs, fours, and all eight, by three multiplies (after D. Lemire's
 * article). */
static uint64_t join_digits(uint64_t word)
{
        word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
        word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
        return (word * 10000 + (word >> 32)) & UINT64_C(0xffffffff);
}

/* The value of n <= 19 digits. @p readable: so many bytes before p + n may be read. */
static uint64_t digits_value(const char *p, size_t n, size_t readable)
{
        uint64_t value = 0;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        const uint64_t zeros = UINT64_C(0x3030303030303030);
        uint64_t word;
        for (; n >= 8; p += 8, n -= 8) {
                memcpy(&word, p, sizeof word);
                value = value * 100000000 + join_digits(word - zeros);
        }
        if (n > 0 && readable >= 8) { /* the last ones, with what is before them shifted out */
                memcpy(&word, p + n - 8, sizeof word);
                const size_t shift = (8 - n) * 8;
                return value * powers[n] +
                       join_digits(((word >> shift) - (zeros >> shift)) << shift);
        }
#else
        (void)readable;
#endif
        for (; n > 0; p++, n--)
                value = value * 10 + (uint64_t)(*p - '0');
        return value;
}

/* Take in a run of digits; those that 64 bits do not hold are counted. */
static void read_digits(
        pawl__decimal *d, const char *raw, const char *p, const char *end, int64_t *left_out)
{
        while (d->count == 0 && p < end && *p == '0')
                p++;
        const size_t n = (size_t)(end - p), free = (size_t)(HELD - d->count),
                     held = n < free ? n : free;
        d->digits = d->digits * powers[held] + digits_value(p, held, (size_t)(p + held - raw));
        d->count += (int)held;
        *left_out += (int64_t)(n - held);
        for (p += held; p < end && !d->more; p++)
                d->more = *p != '0';
}

pawl__decimal pawl__decimal_read(const char *raw, size_t raw_len)
{
        pawl__decimal d = {0, 0, raw_len > 0 && raw[0] == '-', false, 0};
        const char *p = raw + d.negative, *const end = raw + raw_len;
        const char *stop = pawl__lex_digits(p, end);
        int64_t left_out = 0, fraction = 0, exponent = 0;

        read_digits(&d, raw, p, stop, &left_out);
        p = stop;
        if (p < end && *p == '.') {
                stop = pawl__lex_digits(p + 1, end);
                read_digits(&d, raw, p + 1, stop, &left_out);
                fraction = stop - p - 1;
                p = stop;
        }
        if (p < end) { /* 'e' or 'E'; beyond the bound, no text is long enough to make up for it */
                const int64_t bound = INT64_C(10000000000000000);
                const bool negative = *++p == '-';
                p += *p == '-' || *p == '+';
                for (; p < end; p++)
                        if (exponent < bound)
                                exponent = exponent * 10 + (*p - '0');
                if (negative)
                        exponent = -exponent;
        }
        d.exponent = exponent - fraction + left_out;
        return d;
}

pawl__decimal pawl__decimal_read_plain(const char *raw, size_t raw_len, size_t point)
{
        const bool negative = raw[0] == '-';
        const size_t whole = point - negative, fraction = raw_len - point - 1;
        const uint64_t digits = digits_value(raw + negative, whole, point) * powers[fraction] +
                                digits_value(raw + point + 1, fraction, raw_len);

        return (pawl__decimal){digits, digits ? pawl__count_digits(digits) : 0, negative, false,
                -(int64_t)fraction};
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
                /* rounding up to the smallest normal number sets the exponent, too */
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

double pawl__decimal_double(const pawl__decimal *d, const char *raw, size_t raw_len)
{
        const uint64_t sign = (uint64_t)d->negative << 63;

        if (d->count == 0)
                return from_bits(sign);
        uint64_t bits = nearest(d->digits, d->exponent);
        if (d->more && bits != nearest(d->digits + 1, d->exponent))
                bits += pawl__decimal_is_above(d, raw, raw_len, bits);
        return from_bits(bits | sign);
}
