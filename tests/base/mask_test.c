/* Values that are masked, however they were written. */
#include "base/json_canon.h"
#include "base/mask.h"
#include "base/sources.h"
#include "support/test.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static pawl__mask mask_of(const char *value)
{
        pawl__mask mask = {.n = 0};

        assert_ok(pawl__mask_add(&mask, pawl__text(value)));
        return mask;
}

static void masks_to(const char *value, const char *text, const char *expected)
{
        pawl__mask mask = mask_of(value);
        pawl__buf buf = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&buf, text));
        pawl__mask_buf(&mask, &buf);
        assert_text(pawl__buf_text(&buf), expected);
        pawl__buf_free(&buf);
        pawl__mask_free(&mask);
}

UNIT_TEST(a_value_is_masked_without_its_white_space)
{
        masks_to("secret-1", "a secret-1, secret-1", "a ***, ***");
        masks_to("secret-1\n", "[secret-1]", "[***]");
        masks_to(" \t secret-1 \r\n", "a  secret-1  b", "a  ***  b");
        masks_to("secret-1", "secret- 1 secret-", "secret- 1 secret-");
        masks_to("secret-1", "", "");
}

UNIT_TEST(a_value_that_is_too_short_is_refused)
{
        static const char *const values[] = {
                "", "abc", " abc ", "\n\n\n\n\n", "ab\n\n\n", "\\\\\\\\\\"};
        pawl__mask mask = {.n = 0};

        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
                assert_int_equal(pawl__mask_add(&mask, pawl__text(values[i])), PAWL_EINVAL);
        assert_int_equal(mask.n, 0);
        masks_to("abcd", "abcd abc", "*** abc");
}

UNIT_TEST(each_line_of_eight_characters_is_masked)
{
        static const char key[] = "-----BEGIN KEY-----\nMIIEabcd\nshort\nMIIEfghijk\n";

        masks_to(key, "x MIIEabcd y", "x *** y");
        masks_to(key, "short MIIEfghijk", "short ***");
        masks_to(key, "-----BEGIN KEY-----\r\nMIIEabcd\r\nshort\r\nMIIEfghijk\r\n", "***\r\n");
        masks_to(key, "{\"k\":\"-----BEGIN KEY-----\\nMIIEabcd\\nshort\\nMIIEfghijk\\n\"}",
                "{\"k\":\"***\\n\"}");
        masks_to("first line\r\nsecond line", "first line\nsecond line", "***");
        masks_to("eins-zwei\n\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n",
                "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4",
                "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"); /* eight bytes, four characters */
}

UNIT_TEST(escapes_of_json_are_read)
{
        static const char value[] = "pa\"ss/w\\rd\xc3\xa9\xf0\x9f\x98\x80<&>";

        masks_to(value, "pa\"ss/w\\rd\xc3\xa9\xf0\x9f\x98\x80<&>", "***");
        masks_to(value, "{\"a\":\"pa\\\"ss/w\\\\rd\xc3\xa9\xf0\x9f\x98\x80<&>\"}",
                "{\"a\":\"***\"}");
        masks_to(value, "{\"a\":\"pa\\\"ss\\/w\\\\rd\\u00e9\\ud83d\\ude00\\u003c\\u0026\\u003E\"}",
                "{\"a\":\"***\"}");
        masks_to(value, "\\u0070\\u0061\\u0022ss\\u002fw\\u005crd\\u00E9\\uD83D\\uDE00<&>", "***");
        /* a JSON text within a string of JSON */
        masks_to(value,
                "{\"a\":\"{\\\"b\\\":\\\"pa\\\\\\\"ss\\\\/w\\\\\\\\rd\\\\u00e9\\\\ud83d\\\\ude00<&>\\\"}\"}",
                "{\"a\":\"{\\\"b\\\":\\\"***\\\"}\"}");
        masks_to("tab\tand more", "{\"a\":\"\\ttab\\tand more\"}", "{\"a\":\"\\t***\"}");
}

UNIT_TEST(what_precedes_a_value_hides_nothing_and_stays_json)
{
        masks_to("nested-1", "{\"a\":\"\\nested-1\"}", "{\"a\":\"***\"}");
        masks_to("nested-1", "{\"a\":\"\\\\nested-1\"}", "{\"a\":\"\\\\***\"}");
        masks_to("abcdefgh", "{\"a\":\"line\\nabcdefgh\\n\"}", "{\"a\":\"line\\n***\\n\"}");
        masks_to("abcdefgh", "C:\\abcdefgh\\x", "C:\\***\\x");
        masks_to("u0041bcd", "\\u0041bcd", "***");
        masks_to("\"abcdef", "\\\\\\\"abcdef", "***");
}

UNIT_TEST(overlapping_values_are_masked_as_one)
{
        pawl__mask mask = mask_of("abcdefgh");
        pawl__buf buf = PAWL__BUF_INIT;

        assert_ok(pawl__mask_add(&mask, pawl__text("efghijkl")));
        assert_ok(pawl__mask_add(&mask, pawl__text("abcdefghij-mnop")));
        assert_ok(pawl__buf_adds(&buf, "abcdefghijkl abcdefghij-mnop abcdefghij"));
        pawl__mask_buf(&mask, &buf);
        assert_text(pawl__buf_text(&buf), "*** *** ***ij");
        pawl__buf_free(&buf);
        pawl__mask_free(&mask);
}

/* ---- In random ways -------------------------------------------------------------------------- */

enum { VALUES = 400, VALUE_MOST = 24 };

static unsigned below(unsigned n)
{
        return (unsigned)random() % n;
}

/* Of characters that JSON escapes, and others. */
static void random_value(pawl__buf *out)
{
        static const char *const pieces[] = {"a", "b", "n", "f", "0", "\"", "\\", "/", "<", "\t",
                "\n", "\xc3\xa9", "\xf0\x9f\x98\x80", "x-", "Q", " "};
        const unsigned n = 8 + below(VALUE_MOST - 8);

        assert_ok(pawl__buf_adds(out, "v1W2"));
        for (unsigned i = 0; i < n; i++)
                assert_ok(pawl__buf_adds(out, pieces[below(sizeof pieces / sizeof pieces[0])]));
        assert_ok(pawl__buf_adds(out, "Y8z9"));
}

/* As a string of JSON has it, each character in one of its ways; letters and digits as they are,
 * once escapes have some. */
static void escape(pawl__buf *out, pawl_text text, bool again)
{
        for (size_t i = 0; i < text.len; i++) {
                const unsigned char c = (unsigned char)text.data[i];
                if (c == '\n' && below(2))
                        assert_ok(pawl__buf_adds(out, "\\n"));
                else if (c == '\t' && below(2))
                        assert_ok(pawl__buf_adds(out, "\\t"));
                else if (c < ' ' ||
                         (c < 0x80 && below(6) == 0 &&
                                 !(isalnum(c) && (again || (i && text.data[i - 1] == '\\')))))
                        assert_ok(pawl__buf_addf(out, below(2) ? "\\u%04x" : "\\u%04X", c));
                else if (c == '"' || c == '\\' || (c == '/' && below(2)))
                        assert_ok(pawl__buf_addf(out, "\\%c", c));
                else if (c == 0xc3)
                        i++, assert_ok(pawl__buf_adds(out, below(2) ? "\\u00e9" : "\xc3\xa9"));
                else if (c == 0xf0)
                        i += 3, assert_ok(pawl__buf_adds(
                                        out, below(2) ? "\\ud83d\\uDE00" : "\xf0\x9f\x98\x80"));
                else
                        assert_ok(pawl__buf_addc(out, (char)c));
        }
}

/* Masked in pieces of random lengths. */
static void mask_in_pieces(pawl__buf *out, const pawl__mask *mask, pawl_text text)
{
        pawl__buf pending = PAWL__BUF_INIT;

        for (size_t at = 0; at < text.len;) {
                const size_t left = text.len - at, n = 1 + below((unsigned)(left < 9 ? left : 9));
                assert_ok(pawl__buf_add(&pending, text.data + at, n));
                at += n;
                const size_t final = pawl__mask_begun(mask, &pending, at == text.len);
                assert_ok(pawl__buf_add(out, pending.data, final));
                pending.len -= final;
                memmove(pending.data, pending.data + final, pending.len);
        }
        pawl__buf_free(&pending);
}

UNIT_TEST(whatever_the_escapes_and_the_pieces_nothing_is_left)
{
        srandom(27);
        for (int i = 0; i < VALUES; i++) {
                pawl__buf value = PAWL__BUF_INIT, text = PAWL__BUF_INIT, once = PAWL__BUF_INIT;
                pawl__buf whole = PAWL__BUF_INIT, parts = PAWL__BUF_INIT;
                random_value(&value);
                pawl__mask mask = mask_of(value.data);
                escape(&once, pawl__buf_text(&value), false);
                assert_ok(pawl__buf_adds(&text, "{\"a\":\"b "));
                for (unsigned depth = below(3); depth > 0; depth--) {
                        pawl__buf more = PAWL__BUF_INIT;
                        escape(&more, pawl__buf_text(&once), true);
                        pawl__buf_free(&once);
                        once = more;
                }
                assert_ok(pawl__buf_add_text(&text, pawl__buf_text(&once)));
                assert_ok(pawl__buf_adds(&text, "\\n.\"}\n"));
                mask_in_pieces(&parts, &mask, pawl__buf_text(&text));
                assert_ok(pawl__buf_add_text(&whole, pawl__buf_text(&text)));
                pawl__mask_buf(&mask, &whole);
                assert_text(pawl__buf_text(&whole), "{\"a\":\"b ***\\n.\"}\n");
                assert_text(pawl__buf_text(&parts), whole.data);
                pawl__buf_free(&value), pawl__buf_free(&text), pawl__buf_free(&once);
                pawl__buf_free(&whole), pawl__buf_free(&parts);
                pawl__mask_free(&mask);
        }
}

/* A text that begins a value at each byte, and runs of what is left out, take linear time. */
UNIT_TEST(long_texts_take_linear_time)
{
        static const char *const pieces[] = {"a", "\\", "\n", "a\n", "\\\\a", "\\u0061"};
        enum { LONG = 1 << 20 };
        pawl__mask mask = mask_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");

        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
                pawl__buf text = PAWL__BUF_INIT;
                while (text.len < LONG)
                        assert_ok(pawl__buf_adds(&text, pieces[i]));
                const int64_t began = pawl__monotonic_us();
                pawl__mask_buf(&mask, &text);
                assert_true(pawl__monotonic_us() - began < 10 * 1000000);
                assert_true(text.len >= LONG);
                pawl__buf_free(&text);
        }
        pawl__mask_free(&mask);
}
