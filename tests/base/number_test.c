#include "base/number.h"
#include "support/test.h"
#include <fenv.h>
#include <locale.h>
#include <math.h>

static double from_bits(uint64_t bits)
{
        double value;

        memcpy(&value, &bits, sizeof value);
        return value;
}

static uint64_t to_bits(double value)
{
        uint64_t bits;

        memcpy(&bits, &value, sizeof bits);
        return bits;
}

static void check_printed(double value, const char *wanted)
{
        char out[32];
        const size_t n = pawl__number_format(out, value);

        assert_text(pawl__text_n(out, n), wanted);
}

static double read_literal(const char *literal)
{
        const size_t len = strlen(literal);
        const pawl__decimal decimal = pawl__decimal_read(literal, len);

        return pawl__decimal_double(&decimal, literal, len);
}

/* RFC 8785, appendix B. */
static const struct {
        uint64_t bits;
        const char *text;
} samples[] = {
        {0x0000000000000000, "0"},
        {0x8000000000000000, "0"},
        {0x0000000000000001, "5e-324"},
        {0x8000000000000001, "-5e-324"},
        {0x7fefffffffffffff, "1.7976931348623157e+308"},
        {0xffefffffffffffff, "-1.7976931348623157e+308"},
        {0x4340000000000000, "9007199254740992"},
        {0xc340000000000000, "-9007199254740992"},
        {0x4430000000000000, "295147905179352830000"},
        {0x44b52d02c7e14af5, "9.999999999999997e+22"},
        {0x44b52d02c7e14af6, "1e+23"},
        {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
        {0x444b1ae4d6e2ef4e, "999999999999999700000"},
        {0x444b1ae4d6e2ef4f, "999999999999999900000"},
        {0x444b1ae4d6e2ef50, "1e+21"},
        {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
        {0x3eb0c6f7a0b5ed8d, "0.000001"},
        {0x41b3de4355555553, "333333333.3333332"},
        {0x41b3de4355555554, "333333333.33333325"},
        {0x41b3de4355555555, "333333333.3333333"},
        {0x41b3de4355555556, "333333333.3333334"},
        {0x41b3de4355555557, "333333333.33333343"},
        {0xbecbf647612f3696, "-0.0000033333333333333333"},
        {0x43143ff3c1cb0959, "1424953923781206.2"},
};

UNIT_TEST(doubles_print_as_the_rfc_says_and_read_back)
{
        for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
                check_printed(from_bits(samples[i].bits), samples[i].text);
                if (samples[i].bits != UINT64_C(0x8000000000000000))
                        assert_int_equal(to_bits(read_literal(samples[i].text)), samples[i].bits);
        }
}

UNIT_TEST(powers_of_two_have_a_closer_lower_neighbour)
{
        check_printed(0x1p-44, "5.684341886080802e-14");
        check_printed(0x1p-1022, "2.2250738585072014e-308");
        check_printed(0x1p54, "18014398509481984");
        check_printed(0x1p1023, "8.98846567431158e+307");
}

/* The printed form reads back, and so does no shorter one: "%.*e" of one digit fewer. */
UNIT_TEST(what_is_printed_reads_back_and_nothing_shorter_does)
{
        uint64_t bits = 88172645463325252;

        for (int i = 0; i < 200000; i++) {
                char out[33], shorter[40];
                bits ^= bits << 13, bits ^= bits >> 7,
                        bits ^= bits << 17; /* G. Marsaglia's xorshift */
                const double value = from_bits(i % 16 ? bits : bits & UINT64_C(0xfffffffffffff));
                if (!isfinite(value) || value == 0)
                        continue;
                const size_t n = pawl__number_format(out, value);
                out[n] = '\0';
                assert_true(n < 26);
                assert_int_equal(to_bits(read_literal(out)), to_bits(value));
                assert_int_equal(to_bits(strtod(out, NULL)), to_bits(value));
                const pawl__decimal least = pawl__decimal_shortest(value);
                int digits = least.count;
                for (uint64_t rest = least.digits; rest % 10 == 0; rest /= 10)
                        digits--;
                if (digits > 1) {
                        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
                        assert_true(strtod(shorter, NULL) != value);
                }
        }
}

UNIT_TEST(literals_round_to_the_nearest_double_ties_to_even)
{
        static const struct {
                const char *literal;
                uint64_t bits;
        } cases[] = {
                {"0", 0},
                {"-0.0", UINT64_C(0x8000000000000000)},
                {"0e999999999999999999999", 0},
                {"1e-400", 0},
                {"1e-99999999999999999999999", 0},
                {"1e400", UINT64_C(0x7ff0000000000000)},
                {"-1e309", UINT64_C(0xfff0000000000000)},
                {"9007199254740993", 0x4340000000000000},
                {"9007199254740993.0000000000000000000000000000000000000000001",
                        0x4340000000000001},
                {"9007199254740992.99999999999999999999999999999999999999999", 0x4340000000000000},
                {"9007199254740995", 0x4340000000000002},
                {"2.4703282292062327208299493256E-324", 0},
                {"2.4703282292062328e-324", 1},
                {"2.2250738585072011e-308", 0x000fffffffffffff},
                {"2.2250738585072012e-308", 0x0010000000000000},
                {"1.7976931348623158e308", 0x7fefffffffffffff},
                {"1.7976931348623159e308", UINT64_C(0x7ff0000000000000)},
                {"0.000000000000000000000000000000000000000000000001e48", 0x3ff0000000000000},
                {"1000000000000000000000000000000000000000000000000e-48", 0x3ff0000000000000},
                {"12345678901234567890123", 0x4484ea15b273b38a},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                if (to_bits(strtod(cases[i].literal, NULL)) != cases[i].bits)
                        print_error("the case %s itself is wrong\n", cases[i].literal);
                assert_int_equal(to_bits(read_literal(cases[i].literal)), cases[i].bits);
        }
}

/* Half way between two doubles, with hundreds of digits, and a millionth digit that decides. */
UNIT_TEST(digits_far_behind_can_decide)
{
        enum { ZEROS = 1000000 };
        char *literal = test_alloc(ZEROS + 64);

        memcpy(literal, "9007199254740993.", 17);
        memset(literal + 17, '0', ZEROS);
        memcpy(literal + 17 + ZEROS, "0", 2);
        assert_int_equal(to_bits(read_literal(literal)), 0x4340000000000000);
        literal[17 + ZEROS] = '1';
        assert_int_equal(to_bits(read_literal(literal)), 0x4340000000000001);
}

/* Neither the rounding mode nor the decimal comma of a locale has a say. */
UNIT_TEST(the_state_of_the_process_does_not_matter)
{
        static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
        static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};

        for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
                if (!setlocale(LC_ALL, locales[i]))
                        continue;
                for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++) {
                        assert_int_equal(fesetround(modes[k]), 0);
                        const uint64_t near = to_bits(read_literal("0.1"));
                        const uint64_t far = to_bits(read_literal(
                                "9007199254740993.00000000000000000000000000000000000000001"));
                        char out[32];
                        const size_t n = pawl__number_format(out, 1234.5678);
                        fesetround(FE_TONEAREST);
                        assert_int_equal(near, 0x3fb999999999999a);
                        assert_int_equal(far, 0x4340000000000001);
                        assert_text(pawl__text_n(out, n), "1234.5678");
                }
        }
        setlocale(LC_ALL, "C");
}
