/* Literals of more digits than 64 bits hold, where those are so near to the middle of two doubles
 * that the rest decides: the literal and the middle are compared as whole numbers. */
#include "base/number.h"
#include <assert.h>
#include <string.h>

enum {
        /* The middle of two doubles has at most 767 significant digits, so of what follows these it
         * only matters whether there is anything. */
        DECISIVE = 768,
        /* 769 digits take 2,555 bits. The other side is as large, within a factor of the digits
         * that 19 of them leave open, for the two are all but equal. */
        LIMBS = 88
};

/* The lowest limb first; those from n on are not there. */
struct big {
        size_t n;
        uint32_t limbs[LIMBS];
};

/* big * factor + more */
static void multiply(struct big *big, uint32_t factor, uint32_t more)
{
        uint64_t run_step = more;

        for (size_t i = 0; i < big->n; i++) {
                run_step += (uint64_t)big->limbs[i] * factor;
                big->limbs[i] = (uint32_t)run_step;
                run_step >>= 32;
        }
        if (run_step) {
                assert(big->n < LIMBS);
                big->limbs[big->n++] = (uint32_t)run_step;
        }
}

static void multiply_by_power_of_5(struct big *big, int64_t k)
{
        for (; k >= 13; k -= 13)
                multiply(big, 1220703125, 0); /* 5^13 */
        for (; k > 0; k--)
                multiply(big, 5, 0);
}

static void shift(struct big *big, int64_t bits)
{
        const size_t whole = (size_t)bits / 32;

        assert(big->n + whole <= LIMBS);
        memmove(big->limbs + whole, big->limbs, big->n * sizeof *big->limbs);
        memset(big->limbs, 0, whole * sizeof *big->limbs);
        big->n += whole;
        multiply(big, UINT32_C(1) << bits % 32, 0);
}

static int compare(const struct big *a, const struct big *b)
{
        if (a->n != b->n)
                return a->n < b->n ? -1 : 1;
        for (size_t i = a->n; i-- > 0;)
                if (a->limbs[i] != b->limbs[i])
                        return a->limbs[i] < b->limbs[i] ? -1 : 1;
        return 0;
}

/* The literal's decisive digits, and a 1 for any other than 0 behind them; returns how many. */
static int64_t read_digits(struct big *big, const char *raw, size_t raw_len)
{
        int64_t count = 0;

        big->n = 0;
        for (size_t i = 0; i < raw_len && (raw[i] | 0x20) != 'e'; i++) {
                if (raw[i] < '0' || raw[i] > '9' || (count == 0 && raw[i] == '0'))
                        continue;
                if (count < DECISIVE) {
                        multiply(big, 10, (uint32_t)(raw[i] - '0'));
                        count++;
                } else if (raw[i] != '0') {
                        multiply(big, 10, 1);
                        return count + 1;
                }
        }
        return count;
}

uint64_t pawl__decimal_is_above(
        const pawl__decimal *d, const char *raw, size_t raw_len, uint64_t bits)
{
        const uint64_t hidden = UINT64_C(1) << 52;
        const int biased = (int)(bits >> 52);
        const uint64_t c = biased ? (bits & (hidden - 1)) | hidden : bits;
        const uint64_t middle = 2 * c + 1; /* times 2^q */
        const int64_t q = (biased ? biased : 1) - 1075 - 1;
        struct big literal, other = {2, {(uint32_t)middle, (uint32_t)(middle >> 32)}};

        other.n -= middle >> 32 == 0;
        /* literal * 10^e against other * 2^q: the fives to the one side, the twos to the other */
        const int64_t e = d->exponent + d->count - read_digits(&literal, raw, raw_len);
        multiply_by_power_of_5(e < 0 ? &other : &literal, e < 0 ? -e : e);
        shift(e < q ? &other : &literal, e < q ? q - e : e - q);
        const int order = compare(&literal, &other);
        return order > 0 || (order == 0 && (bits & 1));
}
