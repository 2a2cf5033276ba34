#include "base/json_canon.h"
#include "base/json_write.h"
#include "support/test.h"
#include <stdlib.h>

UNIT_TEST(commas_and_colons_stand_where_they_belong)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "s", "x");
        pawl__json_member_text(&w, "t", pawl__text_n("abc", 2));
        pawl__json_member_text(&w, "absent", (pawl_text){NULL, 0});
        pawl__json_member_integer(&w, "i", INT64_MIN);
        pawl__json_member_number(&w, "d", 0.1);
        pawl__json_member_bool(&w, "yes", true);
        pawl__json_member_bool(&w, "no", false);
        pawl__json_member_raw(&w, "raw", pawl__text("[1, 2]"));
        pawl__json_name(&w, "list");
        pawl__json_open_array(&w);
        pawl__json_open_array(&w);
        pawl__json_close_array(&w);
        pawl__json_open_object(&w);
        pawl__json_close_object(&w);
        pawl__json_null(&w);
        pawl__json_integer(&w, 7);
        pawl__json_string(&w, NULL);
        pawl__json_close_array(&w);
        pawl__json_name(&w, "last");
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "a", 1);
        pawl__json_member_integer(&w, "b", 2);
        pawl__json_close_object(&w);
        pawl__json_close_object(&w);
        assert_ok(pawl__json_end_writer(&w));
        assert_text(pawl__buf_text(&w.buf),
                "{\"s\":\"x\",\"t\":\"ab\",\"absent\":null,\"i\":-9223372036854775808,\"d\":0.1,"
                "\"yes\":true,\"no\":false,\"raw\":[1, 2],\"list\":[[],{},null,7,null],"
                "\"last\":{\"a\":1,\"b\":2}}");
        pawl__json_writer_free(&w);
        assert_null(w.buf.data);
}

UNIT_TEST(strings_are_quoted_as_canonical_text_has_them)
{
        static const char all[] = "\0\1\b\t\n\v\f\r\x1f !\"\\/\x7f\xc3\xa9\xf0\x9f\x98\x80"
                                  "and a run that is longer than sixteen bytes\n";
        pawl__buf out = PAWL__BUF_INIT, canonical = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&out, "x"));
        assert_ok(pawl__json_quote(&out, pawl__text_n(all, sizeof all - 1)));
        assert_text(pawl__buf_text(&out), "x\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f "
                                          "!\\\"\\\\/\x7f\xc3\xa9\xf0\x9f\x98\x80"
                                          "and a run that is longer than sixteen bytes\\n\"");
        assert_ok(pawl__json_canon(&canonical, out.data + 1, out.len - 1, NULL));
        assert_memory_equal(canonical.data, out.data + 1, out.len);
        pawl__buf_clear(&out);
        assert_ok(pawl__json_quote(&out, pawl__text_n("", 0)));
        assert_ok(pawl__json_quote(&out, (pawl_text){NULL, 0}));
        assert_text(pawl__buf_text(&out), "\"\"\"\"");
        pawl__buf_free(&out);
        pawl__buf_free(&canonical);
}

/* Texts of each length, a quotation mark at each place of them and at none: whatever is looked
 * through at once, and whatever is left at the end. Each stands alone in memory of its size, for
 * AddressSanitizer to see what is read beside it. */
UNIT_TEST(strings_of_each_length_are_quoted)
{
        enum { LONGEST = 50 };
        pawl__buf out = PAWL__BUF_INIT;

        for (size_t len = 1; len <= LONGEST; len++)
                for (size_t mark = 0; mark <= len; mark++) {
                        char expected[LONGEST + 4] = "\"";
                        char *text = malloc(len);
                        size_t n = 1;
                        assert_non_null(text);
                        for (size_t i = 0; i < len; i++) {
                                text[i] = (char)(i == mark ? '"' : '0' + i);
                                if (text[i] == '"' || text[i] == '\\')
                                        expected[n++] = '\\';
                                expected[n++] = text[i];
                        }
                        expected[n++] = '"';
                        pawl__buf_free(&out);
                        assert_ok(pawl__json_quote(&out, pawl__text_n(text, len)));
                        assert_int_equal(out.len, n);
                        assert_memory_equal(out.data, expected, n);
                        free(text);
                }
        pawl__buf_free(&out);
}
