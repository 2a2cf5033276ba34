/* Classes and folding, over all of Unicode where a rule holds for all of it. */
#include "base/unicode.h"
#include "support/test.h"

static void check_folds(const char *text, const char *folded)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__unicode_fold(&out, pawl__text(text)));
        assert_text(pawl__buf_text(&out), folded);
        pawl__buf_free(&out);
}

UNIT_TEST(folding_makes_two_writings_of_a_word_one)
{
        check_folds("", "");
        check_folds("Plain ASCII_09", "plain ascii_09");
        check_folds("Caf\u00c9", "caf\u00e9");
        check_folds("Cafe\u0301", "caf\u00e9");
        check_folds("CAFE\u0301S", "caf\u00e9s");
        check_folds("Stra\u00dfe", "strasse");
        check_folds("\u1e9e", "ss");
        check_folds("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c3"); /* ΟΔΟΣ */
        check_folds("\u03bf\u03b4\u03cc\u03c2", "\u03bf\u03b4\u03cc\u03c3"); /* οδός, final sigma */
        check_folds("\u0131I", "\u0131i"); /* no Turkish rules: a dotless i stays one */
        check_folds("\u0130", "i\u0307");
        check_folds("\u6f22\u5b57", "\u6f22\u5b57");
        check_folds("\u1112\u1161\u11ab", "\ud55c"); /* conjoining jamo */
        check_folds("\U00010400", "\U00010428");     /* Deseret */
        check_folds("\ufb01n", "fin");               /* the ligature fi */
}

/* The iota subscript folds to a letter: a mark that is after it in the text, but before it in
 * canonical order, must not end up on that letter. */
UNIT_TEST(folding_does_not_depend_on_the_order_of_marks)
{
        check_folds("\u03b1\u0345\u0313", "\u1f00\u03b9");
        check_folds("\u03b1\u0313\u0345", "\u1f00\u03b9");
        check_folds("\u1f80", "\u1f00\u03b9");
        check_folds("\u1fb3\u0313", "\u1f00\u03b9");
        check_folds("q\u0307\u0323", "q\u0323\u0307");
}

static size_t encode(char out[4], uint32_t c)
{
        if (c < 0x80) {
                out[0] = (char)c;
                return 1;
        }
        size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        for (size_t i = n; i-- > 1; c >>= 6)
                out[i] = (char)(0x80 | (c & 0x3f));
        out[0] = (char)((n == 2 ? 0xc0u : n == 3 ? 0xe0u : 0xf0u) | c);
        return n;
}

enum { IN_WORD = PAWL__LETTER | PAWL__DIGIT | PAWL__MARK };

/* A word stays a word, space stays space and a sign a sign, so that a text may be cut into tokens
 * before it is folded; and what is folded is folded. */
UNIT_TEST(folding_any_character_keeps_its_kind_and_folds_no_further)
{
        pawl__buf once = PAWL__BUF_INIT, twice = PAWL__BUF_INIT;

        for (uint32_t c = 0; c < 0x110000; c++) {
                char text[4];
                if (c >= 0xd800 && c < 0xe000)
                        continue;
                size_t len = encode(text, c);
                uint32_t decoded;
                assert_int_equal(pawl__unicode_decode(&decoded, text, len), len);
                assert_int_equal(decoded, c);
                pawl__buf_clear(&once);
                pawl__buf_clear(&twice);
                assert_ok(pawl__unicode_fold(&once, pawl__text_n(text, len)));
                assert_true(once.len > 0);
                assert_true(pawl__utf8_valid(once.data, once.len));
                assert_ok(pawl__unicode_fold(&twice, pawl__buf_text(&once)));
                assert_true(pawl__text_eq(pawl__buf_text(&once), pawl__buf_text(&twice)));
                unsigned class = pawl__unicode_class(c);
                for (size_t at = 0; at < once.len;) {
                        at += pawl__unicode_decode(&decoded, once.data + at, once.len - at);
                        unsigned folded = pawl__unicode_class(decoded);
                        if ((class & IN_WORD) != 0 && (folded & IN_WORD) == 0)
                                fail_msg("U+%04X folds to U+%04X, not of a word", c, decoded);
                        if ((class & PAWL__SPACE) != (folded & PAWL__SPACE))
                                fail_msg("U+%04X folds to U+%04X: space?", c, decoded);
                        if (!class && (folded & (PAWL__LETTER | PAWL__DIGIT)))
                                fail_msg("U+%04X folds to U+%04X, not a sign", c, decoded);
                }
        }
        pawl__buf_free(&once);
        pawl__buf_free(&twice);
}

UNIT_TEST(folding_a_long_text_is_folding_its_parts)
{
        static const char *const parts[] = {"\u00c9t\u00c9 ", "abc", "\u6f22", "A\u0300\u0316", "S",
                "\u03a3 ", "e\u0301", "-", "\u1112\u1161\u11ab"};
        pawl__buf text = PAWL__BUF_INIT, expected = PAWL__BUF_INIT, got = PAWL__BUF_INIT;
        unsigned seed = 7;

        for (int i = 0; i < 5000; i++) {
                seed = seed * 1103515245u + 12345u;
                const char *part = parts[(seed >> 16) % (sizeof parts / sizeof parts[0])];
                assert_ok(pawl__buf_adds(&text, part));
                assert_ok(pawl__unicode_fold(&expected, pawl__text(part)));
        }
        assert_ok(pawl__unicode_fold(&got, pawl__buf_text(&text)));
        assert_true(pawl__text_eq(pawl__buf_text(&got), pawl__buf_text(&expected)));
        pawl__buf_clear(&text);
        pawl__buf_clear(&got);
        for (int i = 0; i < 1000; i++) /* one piece, beyond what the stack holds */
                assert_ok(pawl__buf_adds(&text, "\u00c9"));
        assert_ok(pawl__unicode_fold(&got, pawl__buf_text(&text)));
        assert_int_equal(got.len, 2000);
        assert_memory_equal(got.data + 1998, "\u00e9", 2);
        pawl__buf_free(&text);
        pawl__buf_free(&expected);
        pawl__buf_free(&got);
}

UNIT_TEST(classes_are_those_of_the_standard)
{
        static const struct {
                uint32_t character;
                unsigned class;
        } cases[] = {
                {'a', PAWL__LETTER | PAWL__LOWER},
                {'Z', PAWL__LETTER | PAWL__UPPER},
                {'0', PAWL__DIGIT},
                {'_', 0},
                {'\n', PAWL__SPACE},
                {0x0, 0},
                {0x1c, 0},
                {0x85, PAWL__SPACE},
                {0xa0, PAWL__SPACE},
                {0xb2, 0}, /* superscript two: no decimal digit */
                {0xc9, PAWL__LETTER | PAWL__UPPER},
                {0x1c5, PAWL__LETTER}, /* titlecase */
                {0x301, PAWL__MARK},
                {0x660, PAWL__DIGIT},   /* Arabic-Indic zero */
                {0x2160, PAWL__LETTER}, /* Roman one */
                {0x200b, 0},            /* zero width space is none */
                {0x2028, PAWL__SPACE},
                {0x3000, PAWL__SPACE},
                {0x6f22, PAWL__LETTER},
                {0xfe0f, PAWL__MARK},
                {0x1f600, 0},
                {0x10ffff, 0},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
                assert_int_equal(pawl__unicode_class(cases[i].character), cases[i].class);
}
