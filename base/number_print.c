/* Printing: R. Giulietti, "The Schubfach way to render doubles" (2020), with the table's powers
 * of 128 bits in place of the paper's 126. */
#include "base/number.h"
#include <math.h>
#include <string.h>

/* floor(log10(2^e)), or of 3/4 * 2^e; floor(log2(10^e)): section 9.1 has the proofs of the ranges.
 */
static int log10_of_power_of_2(int e, bool three_quarters)
{
        return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

static int log2_of_power_of_10(int e)
{
        return (e * 1741647) >> 19;
}

/* The upper 64 bits of g * cp / 2^64, its lowest bit set if anything below is (rounded to odd). */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t cp)
{
        __extension__ typedef unsigned __int128 wide;
        const wide low = (wide)g[1] * cp, high = (wide)g[0] * cp + (uint64_t)(low >> 64);

        return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The decimal of the double c * 2^q. @p closer: the lower neighbour is half as far as the upper.
 * Everything is in quarters of the unit 10^k, so that the bounds of what rounds to it are integers.
 */
static uint64_t shortest(uint64_t c, int q, bool closer, int *exponent)
{
        const uint64_t odd = c & 1; /* an odd one does not own the bounds of its interval */
        const int k = log10_of_power_of_2(q, closer);
        const int h = q + log2_of_power_of_10(-k) + 1;
        const uint64_t *const g = pawl__powers_of_ten[-k - PAWL__POWER_MIN];
        const uint64_t lower = round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
        const uint64_t value = round_to_odd(g, (4 * c) << h);
        const uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - odd;
        const uint64_t s = value / 4;

        if (s >= 10) { /* one digit fewer, if exactly one of the two neighbours lies inside */
                const uint64_t tens = s / 10;
                const bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
                if (below != above) {
                        *exponent = k + 1;
                        return tens + above;
                }
        }
        *exponent = k;
        const bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
        if (below != above)
                return s + above;
        const uint64_t middle = 4 * s + 2;
        return s + (value > middle || (value == middle && (s & 1)));
}

pawl__decimal pawl__decimal_shortest(double value)
{
        const uint64_t hidden = UINT64_C(1) << 52;
        uint64_t bits;
        int exponent = 0;

        memcpy(&bits, &value, sizeof bits);
        const uint64_t fraction = bits & (hidden - 1);
        const int biased = (int)(bits >> 52 & 0x7ff);
        const uint64_t c = biased ? fraction | hidden : fraction;
        const int q = (biased ? biased : 1) - 1075;
        pawl__decimal d = {c, 0, bits >> 63, false, 0};
        if (c == 0)
                return d;
        if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
                d.digits = c >> -q; /* an integer below 2^53 */
        else
                d.digits = shortest(c, q, fraction == 0 && biased > 1, &exponent);
        d.exponent = exponent;
        d.count = pawl__count_digits(d.digits);
        return d;
}

/* The last eight digits, zeros at their front included: halves of them are parted side by side in
 * one word, as number.c joins them. Dividing is multiplying by the reciprocal, rounded up. */
static void print_eight(char *out, uint32_t eight)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        uint64_t word = eight / 10000 | (uint64_t)(eight % 10000) << 32;
        const uint64_t hundreds = (word * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
        word = hundreds | (word - hundreds * 100) << 16;
        const uint64_t tens = (word * 103 >> 10) & UINT64_C(0x000f000f000f000f);
        word = (tens | (word - tens * 10) << 8) + UINT64_C(0x3030303030303030);
        memcpy(out, &word, sizeof word);
#else
        for (int i = 8; i-- > 0; eight /= 10)
                out[i] = (char)('0' + eight % 10);
#endif
}

/* So many digits; zeros at the front where there are fewer. */
static void print_digits(char *out, uint64_t digits, size_t count)
{
        for (; count >= 8; digits /= 100000000)
                print_eight(out + (count -= 8), (uint32_t)(digits % 100000000));
        for (; count > 0; digits /= 10)
                out[--count] = (char)('0' + digits % 10);
}

static size_t print_exponent(char *out, int64_t exponent)
{
        char *p = out;

        *p++ = 'e';
        *p++ = exponent < 0 ? '-' : '+';
        if (exponent < 0)
                exponent = -exponent;
        const size_t count = (size_t)pawl__count_digits((uint64_t)exponent);
        print_digits(p, (uint64_t)exponent, count);
        return (size_t)(p - out) + count;
}

size_t pawl__decimal_format(char *out, const pawl__decimal *d)
{
        char digits[20] = {0}, *p = out;
        uint64_t rest = d->digits;

        if (rest == 0) {
                *p = '0';
                return 1;
        }
        int64_t exponent = d->exponent;
        while (rest % 10 == 0) {
                rest /= 10;
                exponent++;
        }
        const size_t count = (size_t)pawl__count_digits(rest);
        print_digits(digits, rest, count);
        const int64_t n = (int64_t)count + exponent; /* the point comes after that many digits */
        if (d->negative)
                *p++ = '-';
        if (n > 21 || n <= -6) {
                *p++ = digits[0];
                if (count > 1) {
                        *p++ = '.';
                        memcpy(p, digits + 1, count - 1);
                        p += count - 1;
                }
                return (size_t)(p - out) + print_exponent(p, n - 1);
        }
        if (n <= 0) {
                *p++ = '0';
                *p++ = '.';
                memset(p, '0', (size_t)-n);
                p += -n;
                memcpy(p, digits, count);
                return (size_t)(p - out) + count;
        }
        const size_t whole = (size_t)n;
        if (count <= whole) {
                memcpy(p, digits, count);
                memset(p + count, '0', whole - count);
                return (size_t)(p - out) + whole;
        }
        memcpy(p, digits, whole);
        p[whole] = '.';
        memcpy(p + whole + 1, digits + whole, count - whole);
        return (size_t)(p - out) + count + 1;
}

size_t pawl__number_format(char out[32], double value)
{
        const pawl__decimal d = pawl__decimal_shortest(value);

        return pawl__decimal_format(out, &d);
}

/* ---- The canonical form of a literal -------------------------------------------------------- */

enum {
        SHORT = 15,   /* digits that are the shortest form of what they are read as (DBL_DIG) ... */
        MIDDLE = 300, /* ... where doubles are normal */
        HELD = 19     /* digits that 64 bits hold */
};

/* Is the literal, without an exponent, laid out as ECMAScript does it, so that it is canonical if
 * its digits are? It then ends in a digit of the fraction other than 0, and is not so small as to
 * want an exponent. (One so large has more digits than are ever canonical.) */
static bool laid_out(const char *raw, size_t raw_len)
{
        const char *const first = raw + (raw[0] == '-');

        return raw[raw_len - 1] != '0' && (first[0] != '0' || first[2] != '0');
}

size_t pawl__number_canon(char *out, const char *raw, size_t raw_len, size_t point, size_t exponent)
{
        const bool plain = exponent == raw_len && raw_len <= HELD + 1; /* the point is no digit */
        const bool in_form = plain && laid_out(raw, raw_len);

        if (in_form && raw_len <= SHORT + 1) {
                memcpy(out, raw, raw_len);
                return raw_len;
        }
        const pawl__decimal d = plain ? pawl__decimal_read_plain(raw, raw_len, point)
                                      : pawl__decimal_read(raw, raw_len);
        const int64_t magnitude = d.exponent + d.count;
        if (d.count <= SHORT && magnitude > -MIDDLE && magnitude < MIDDLE)
                return pawl__decimal_format(out, &d);
        const double value = pawl__decimal_double(&d, raw, raw_len);
        if (isinf(value))
                return 0;
        const pawl__decimal least = pawl__decimal_shortest(value);
        if (in_form && least.digits == d.digits && least.exponent == d.exponent) {
                memcpy(out, raw, raw_len);
                return raw_len;
        }
        return pawl__decimal_format(out, &least);
}
