// Prints base/number_powers.c: the powers of ten from 10^-342 to 10^324 in 128 bits, which reading
// and printing doubles needs. BigInt is exact, so nothing here rounds but where it is said.
//
//   node tests/golden/powers_of_ten.mjs > base/number_powers.c

const MIN = -342, MAX = 324;

/** ceil(10^k / 2^r) with r such that the result has 128 bits. */
function power(k) {
        const BITS = 128;
        const numerator = k >= 0 ? 10n ** BigInt(k) : 1n;
        const denominator = k >= 0 ? 1n : 10n ** BigInt(-k);
        let shift = BITS - numerator.toString(2).length + denominator.toString(2).length;
        for (;; shift--) {
                const n = shift >= 0 ? numerator << BigInt(shift) : numerator;
                const d = shift >= 0 ? denominator : denominator << BigInt(-shift);
                const ceiling = (n + d - 1n) / d;
                if (ceiling.toString(2).length > BITS)
                        continue;
                const exact = ceiling * d === n;
                if (exact !== (k >= 0 && k <= 55))
                        throw new Error(`10^${k}: exactness is not where number.c expects it`);
                if (!exact && (ceiling & ((1n << 64n) - 1n)) === 0n)
                        throw new Error(`10^${k}: taking one off would borrow`);
                return ceiling;
        }
}

const hex = (n) => '0x' + n.toString(16).padStart(16, '0');
const entries = [];
for (let k = MIN; k <= MAX; k++) {
        const p = power(k);
        entries.push(`{${hex(p >> 64n)}, ${hex(p & ((1n << 64n) - 1n))}}`);
}
const lines = [];
for (let i = 0; i < entries.length; i += 2)
        lines.push('        ' + entries.slice(i, i + 2).join(', ') + ',');
console.log(`/* Made by tests/golden/powers_of_ten.mjs; change that, not this. */
#include "base/number.h"

/* clang-format off */
const uint64_t pawl__powers_of_ten[PAWL__POWER_MAX - PAWL__POWER_MIN + 1][2] = {
${lines.join('\n')}
};
/* clang-format on */`);
