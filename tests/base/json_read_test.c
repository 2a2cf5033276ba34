#include "base/json_canon.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "support/test.h"

/* One token's kind as a letter: what is between the brackets of a list of kinds. */
static char kind(const pawl__json_token *token)
{
        static const char letters[] = {[PAWL__JSON_NULL] = '0',
                [PAWL__JSON_FALSE] = 'f',
                [PAWL__JSON_TRUE] = 't',
                [PAWL__JSON_NUMBER] = '1',
                [PAWL__JSON_STRING] = 's',
                [PAWL__JSON_ARRAY] = '[',
                [PAWL__JSON_OBJECT] = '{',
                [PAWL__JSON_NAME] = 'n',
                [PAWL__JSON_END] = '.',
                [PAWL__JSON_FINISHED] = '!'};

        return letters[token->type];
}

UNIT_TEST(tokens_come_in_the_order_of_the_text)
{
        static const char text[] =
                " {\"a\" : [1, -2.5e+3 ,\"x\\n\",true,false,null,{ },[ ]],\"b\":0}\r\n\t ";
        pawl__json_reader reader;
        pawl__json_token token = {.type = PAWL__JSON_NULL};
        pawl_error err;
        char kinds[64];
        size_t n = 0;

        pawl__json_reader_init(&reader, text, sizeof text - 1);
        while (token.type != PAWL__JSON_FINISHED) {
                assert_ok(pawl__json_next(&reader, &token, &err));
                kinds[n++] = kind(&token);
                if (n == 2) {
                        assert_int_equal(pawl__json_offset(&token, text), 2);
                        assert_text(pawl__text_n(token.raw, token.raw_len), "a");
                }
                if (n == 5)
                        assert_text(pawl__text_n(token.raw, token.raw_len), "-2.5e+3");
                if (n == 6) {
                        assert_true(token.escaped);
                        assert_text(pawl__text_n(token.raw, token.raw_len), "x\\n");
                }
        }
        kinds[n] = '\0';
        assert_string_equal(kinds, "{n[11stf0{.[..n1.!");
        /* and stays at the end */
        assert_ok(pawl__json_next(&reader, &token, &err));
        assert_int_equal(token.type, PAWL__JSON_FINISHED);
}

static pawl_status read_through(const char *text, size_t len, pawl_error *err)
{
        pawl__json_reader reader;
        pawl__json_token token;
        pawl_status status;

        pawl__json_reader_init(&reader, text, len);
        do
                status = pawl__json_next(&reader, &token, err);
        while (!status && token.type != PAWL__JSON_FINISHED);
        return status;
}

/* The text in memory of its own, so that a sanitizer sees a byte read beyond it. */
static char *exact(const char *text, size_t len)
{
        char *copy = malloc(len ? len : 1);

        assert_non_null(copy);
        memcpy(copy, text, len);
        return copy;
}

/* Refused with this message by whatever reads JSON, and nothing was written. @p names: it is a
 * duplicate name, which the reader itself lets through. */
static void check_refused(const char *literal, size_t len, const char *message, bool names)
{
        char *text = exact(literal, len);
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32] = "untouched";
        char hex[65] = "untouched", *out = NULL;
        size_t out_len = 99;

        assert_int_equal(read_through(text, len, &err), names ? PAWL_OK : PAWL_EPARSE);
        assert_string_equal(err.message, names ? "" : message);
        err = (pawl_error)PAWL_ERROR_INIT;
        assert_int_equal(pawl__json_tree_read(&tree, text, len, &err), PAWL_EPARSE);
        assert_string_equal(err.message, message);
        assert_int_equal(err.status, PAWL_EPARSE);
        assert_int_equal(tree.n, 0);
        err = (pawl_error)PAWL_ERROR_INIT;
        assert_ok(pawl__buf_adds(&buf, "before"));
        assert_int_equal(pawl__json_canon(&buf, text, len, &err), PAWL_EPARSE);
        assert_string_equal(err.message, message);
        assert_text(pawl__buf_text(&buf), "before");
        err = (pawl_error)PAWL_ERROR_INIT;
        assert_int_equal(pawl__json_canon_hash(hash, NULL, text, len, &err), PAWL_EPARSE);
        assert_string_equal(err.message, message);
        assert_string_equal((char *)hash, "untouched");
        err = (pawl_error)PAWL_ERROR_INIT;
        assert_int_equal(pawl_json_hash(hex, text, len, &err), PAWL_EPARSE);
        assert_string_equal(err.message, message);
        assert_string_equal(hex, "untouched");
        assert_int_equal(pawl_json_canonical(&out, &out_len, text, len, NULL), PAWL_EPARSE);
        assert_null(out);
        assert_int_equal(out_len, 99);
        pawl__buf_free(&buf);
        pawl__json_tree_free(&tree);
        free(text);
}

#define LITERAL(text) text, sizeof text - 1

static const struct {
        const char *text;
        size_t len;
        const char *message;
} refused[] = {
        {LITERAL(""), "line 1, column 1: there is no value; give one JSON value"},
        {LITERAL(" \n "), "line 2, column 2: there is no value; give one JSON value"},
        {LITERAL("\xef\xbb\xbf{}"),
                "line 1, column 1: the text begins with a byte order mark; save it "
                "as UTF-8 without one"},
        {LITERAL("nul"), "line 1, column 1: 'n' cannot begin a value; write a string in quotes, a "
                         "number, true, false, null, [ or {"},
        {LITERAL("[True]"),
                "line 1, column 2: 'T' cannot begin a value; write a string in quotes, a "
                "number, true, false, null, [ or {"},
        {LITERAL("[\xc3\xa9]"),
                "line 1, column 2: '\xc3\xa9' cannot begin a value; write a string in "
                "quotes, a number, true, false, null, [ or {"},
        {LITERAL("\xff"),
                "line 1, column 1: byte 0xff cannot begin a value; write a string in quotes, a "
                "number, true, false, null, [ or {"},
        {LITERAL("[\0]"),
                "line 1, column 2: U+0000 cannot begin a value; write a string in quotes, a "
                "number, true, false, null, [ or {"},
        {LITERAL("{'a':1}"), "line 1, column 2: ''' where a member's name should be; write it in "
                             "double quotes"},
        {LITERAL("['a']"), "line 1, column 2: a single quote; write strings in double quotes"},
        {LITERAL("[NaN]"), "line 1, column 2: JSON has no NaN; write null or leave the member out"},
        {LITERAL("[Infinity]"),
                "line 1, column 2: JSON has no infinity; write null or leave the member out"},
        {LITERAL("[-Infinity]"), "line 1, column 3: a digit is missing in the number; write it"},
        {LITERAL("[1 // one\n]"), "line 1, column 4: '/' where ',' or ']' should be; write it"},
        {LITERAL("// one\n1"), "line 1, column 1: JSON has no comments; take it out"},
        {LITERAL("01"), "line 1, column 1: a number with a leading zero; remove the zero"},
        {LITERAL("-01"), "line 1, column 1: a number with a leading zero; remove the zero"},
        {LITERAL("[00]"), "line 1, column 2: a number with a leading zero; remove the zero"},
        {LITERAL("+1"), "line 1, column 1: a number cannot begin with '+'; leave it out"},
        {LITERAL(".5"),
                "line 1, column 1: a number cannot begin with '.'; write a digit before it"},
        {LITERAL("1."), "line 1, column 3: a digit is missing in the number; write it"},
        {LITERAL("[1.e5]"), "line 1, column 4: a digit is missing in the number; write it"},
        {LITERAL("1e"), "line 1, column 3: a digit is missing in the number; write it"},
        {LITERAL("1.5e+"), "line 1, column 6: a digit is missing in the number; write it"},
        {LITERAL("[1E-]"), "line 1, column 5: a digit is missing in the number; write it"},
        {LITERAL("-"), "line 1, column 2: a digit is missing in the number; write it"},
        {LITERAL("0x10"),
                "line 1, column 2: there is more after the value; give one JSON value alone"},
        {LITERAL("1e400"), "line 1, column 1: the number is too large for a double; write it as a "
                           "string"},
        {LITERAL("[0,\n  -1e400]"),
                "line 2, column 3: the number is too large for a double; write it "
                "as a string"},
        {LITERAL("1.7976931348623159e308"),
                "line 1, column 1: the number is too large for a double; "
                "write it as a string"},
        {LITERAL("1e99999999999999999999"),
                "line 1, column 1: the number is too large for a double; "
                "write it as a string"},
        {LITERAL("\"a\nb\""), "line 1, column 3: a raw control character in a string; write it as "
                              "\\u000a"},
        {LITERAL("\"a\0b\""), "line 1, column 3: a raw control character in a string; write it as "
                              "\\u0000"},
        {LITERAL("\"abc"),
                "line 1, column 1: the string that begins here has no end; close it with "
                "'\"'"},
        {LITERAL("[\"abc\\\"]"),
                "line 1, column 2: the string that begins here has no end; close it "
                "with '\"'"},
        {LITERAL("\"abc\\"),
                "line 1, column 1: the string that begins here has no end; close it with "
                "'\"'"},
        {LITERAL("\"\\x41\""), "line 1, column 2: there is no such escape; a backslash itself is "
                               "written \\\\"},
        {LITERAL("\"\\u12g4\""), "line 1, column 2: \\u needs four hex digits; write them"},
        {LITERAL("\"\\u12"), "line 1, column 2: \\u needs four hex digits; write them"},
        {LITERAL("\"\\ud800\""),
                "line 1, column 2: lone surrogate \\ud800; write both halves of the "
                "pair, high then low"},
        {LITERAL("\"\\uDC00\\uD800\""),
                "line 1, column 2: lone surrogate \\uDC00; write both halves "
                "of the pair, high then low"},
        {LITERAL("\"\\ud800\\u0041\""),
                "line 1, column 2: lone surrogate \\ud800; write both halves "
                "of the pair, high then low"},
        {LITERAL("{\"\\udbff\":1}"),
                "line 1, column 3: lone surrogate \\udbff; write both halves of "
                "the pair, high then low"},
        {LITERAL("\"\xff\""),
                "line 1, column 2: byte 0xff is not valid UTF-8 here; save the text as "
                "UTF-8"},
        {LITERAL("\"caf\xe9 au lait\""),
                "line 1, column 5: byte 0xe9 is not valid UTF-8 here; save "
                "the text as UTF-8"},
        {LITERAL("\"\xc0\x80\""),
                "line 1, column 2: byte 0xc0 is not valid UTF-8 here; save the text "
                "as UTF-8"},
        {LITERAL("\"\xed\xa0\x80\""),
                "line 1, column 2: byte 0xed is not valid UTF-8 here; save the "
                "text as UTF-8"},
        {LITERAL("\"\xf4\x90\x80\x80\""),
                "line 1, column 2: byte 0xf4 is not valid UTF-8 here; save "
                "the text as UTF-8"},
        {LITERAL("\"\xe2\x82\""),
                "line 1, column 2: byte 0xe2 is not valid UTF-8 here; save the text "
                "as UTF-8"},
        {LITERAL("{\"\xc3\xa9\xc3\xa9\": \"\xff\n\"}"), "line 1, column 9: byte 0xff is not valid "
                                                        "UTF-8 here; save the text as UTF-8"},
        {LITERAL("["), "line 1, column 2: the text ends where a value should be; complete it"},
        {LITERAL("[1"), "line 1, column 3: the text ends inside an array; close it with ']'"},
        {LITERAL("{\"a\":1"),
                "line 1, column 7: the text ends inside an object; close it with '}'"},
        {LITERAL("{"), "line 1, column 2: the text ends inside an object; close it with '}'"},
        {LITERAL("{\"a\""), "line 1, column 5: the text ends inside an object; close it with '}'"},
        {LITERAL("{\"a\":"),
                "line 1, column 6: the text ends where a value should be; complete it"},
        {LITERAL("[1,]"), "line 1, column 4: a value is missing before ']'; write it or remove the "
                          "comma before"},
        {LITERAL("[,1]"),
                "line 1, column 2: a value is missing before the comma; write it or remove "
                "the comma"},
        {LITERAL("{\"a\":1,}"), "line 1, column 8: a comma before '}'; remove the comma"},
        {LITERAL("{\"a\":}"),
                "line 1, column 6: a value is missing before '}'; write it or remove the "
                "member"},
        {LITERAL("{\"a\" 1}"), "line 1, column 6: '1' where a colon should be; write ':' after the "
                               "name"},
        {LITERAL("{1:2}"), "line 1, column 2: '1' where a member's name should be; write it in "
                           "double quotes"},
        {LITERAL("[1 2]"), "line 1, column 4: '2' where ',' or ']' should be; write it"},
        {LITERAL("[1}"), "line 1, column 3: '}' where ',' or ']' should be; write it"},
        {LITERAL("{\"a\":1]"), "line 1, column 7: ']' where ',' or '}' should be; write it"},
        {LITERAL("1 2"),
                "line 1, column 3: there is more after the value; give one JSON value alone"},
        {LITERAL("{}\n]"),
                "line 2, column 1: there is more after the value; give one JSON value alone"},
        {LITERAL("1\0"),
                "line 1, column 2: there is more after the value; give one JSON value alone"},
        {LITERAL("\x0b[]"),
                "line 1, column 1: U+000B cannot begin a value; write a string in quotes, a "
                "number, true, false, null, [ or {"},
};

UNIT_TEST(what_is_no_json_is_refused_with_line_column_and_advice)
{
        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
                check_refused(refused[i].text, refused[i].len, refused[i].message, false);
}

static const struct {
        const char *text;
        const char *message;
} twice[] = {
        {"{\"a\":1,\"a\":2}",
                "line 1, column 8: the name \"a\" appears twice in its object; keep one"},
        {"{\"a\":1,\n \"\\u0061\":2}",
                "line 2, column 2: the name \"a\" appears twice in its object; keep one"},
        {"{\"b\":{},\"a\":{\"b\":[{\"x\":1,\"y\":2,\"x\":3}]}}",
                "line 1, column 32: the name \"x\" appears twice in its object; keep one"},
        {"{\"b\":1,\"a\":2,\"c\":3,\"b\":4,\"a\":5}",
                "line 1, column 20: the name \"b\" appears twice in its object; keep one"},
        {"{\"\":1,\"\":2}",
                "line 1, column 7: the name \"\" appears twice in its object; keep one"},
        {"{\"\\n\":1,\"\\u000a\":2}",
                "line 1, column 9: the name \"\\u000a\" appears twice in its object; keep one"},
        {"{\"\\\"x\":1,\"a\":0,\"\\u0022x\":2}",
                "line 1, column 16: the name \"\\u0022x\" appears twice in its object; keep one"},
        {"{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\uDE00\":2}",
                "line 1, column 8: the name \"\xf0\x9f\x98\x80\" appears twice in its object; keep "
                "one"},
        {"{\"long_name_1\":1,\"long_name_2\":1,\"long_name_1\":1}",
                "line 1, column 34: the name \"long_name_1\" appears twice in its object; keep one"},
};

UNIT_TEST(a_name_that_stands_twice_is_refused_where_it_stands_again)
{
        for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++)
                check_refused(twice[i].text, strlen(twice[i].text), twice[i].message, true);
}

/* Both ways of finding duplicates: by comparing, and by sorting a large object. */
UNIT_TEST(a_name_that_stands_twice_is_found_among_thousands)
{
        for (unsigned members = 20; members <= 5000; members += 830) {
                pawl__buf text = PAWL__BUF_INIT;
                char message[200];

                assert_ok(pawl__buf_adds(&text, "{"));
                for (unsigned i = 0; i < members; i++)
                        assert_ok(
                                pawl__buf_addf(&text, "\"key_%u\":%u,\n", (i * 7919) % members, i));
                assert_ok(pawl__buf_adds(&text, "\"key_17\":0, \"key_3\":1}"));
                snprintf(message, sizeof message,
                        "line %u, column 1: the name \"key_17\" appears twice in its object; keep "
                        "one",
                        members + 1);
                check_refused(text.data, text.len, message, true);
                pawl__buf_free(&text);
        }
}

UNIT_TEST(a_long_name_is_cut_in_the_message)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_error err;

        for (int i = 0; i < 2; i++) {
                assert_ok(pawl__buf_adds(&text, i ? "\":1,\"" : "{\""));
                for (int k = 0; k < 150; k++)
                        assert_ok(pawl__buf_adds(&text, "\xc3\xa9"));
        }
        assert_ok(pawl__buf_adds(&text, "\":2}"));
        assert_int_equal(pawl__json_canon_hash(NULL, NULL, text.data, text.len, &err), PAWL_EPARSE);
        assert_says(err.message, "line 1, column 157: the name \"\xc3\xa9\xc3\xa9");
        assert_says(err.message, "\xc3\xa9...\" appears twice");
        assert_true(pawl__utf8_valid(err.message, strlen(err.message)));
        pawl__buf_free(&text);
}

UNIT_TEST(nesting_ends_at_512_levels)
{
        char text[2 * 513 + 1];
        pawl__buf out = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err;

        memset(text, '[', 512);
        memset(text + 512, ']', 512);
        assert_ok(read_through(text, 1024, &err));
        assert_ok(pawl__json_tree_read(&tree, text, 1024, &err));
        assert_int_equal(tree.n, 512);
        assert_ok(pawl__json_canon(&out, text, 1024, &err));
        assert_int_equal(out.len, 1024);
        memset(text, '[', 513);
        memset(text + 513, ']', 513);
        check_refused(text, 1026,
                "line 1, column 513: nesting deeper than 512 levels; flatten the document", false);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&out);
}

UNIT_TEST(columns_count_characters_and_lines_end_at_line_feeds)
{
        static const char text[] =
                "[\"\xe5\xb7\xa5\xe4\xbd\x9c\xf0\x9f\x98\x80\",\r\n\t\"\xc3\xa9\", x]";
        pawl_error err;

        assert_int_equal(read_through(text, sizeof text - 1, &err), PAWL_EPARSE);
        assert_says(err.message, "line 2, column 7: 'x' ");
        pawl__json_fail_at(text, sizeof text - 1, 12, &err, "here");
        assert_string_equal(err.message, "line 1, column 6: here");
}

UNIT_TEST(escapes_are_decoded_to_what_they_stand_for)
{
        static const struct {
                const char *raw, *decoded;
                size_t len;
        } cases[] = {
                {"plain", "plain", 5},
                {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8},
                {"a\\u0000b", "a\0b", 3},
                {"\\u00e9\\u00E9", "\xc3\xa9\xc3\xa9", 4},
                {"\\u20ac", "\xe2\x82\xac", 3},
                {"\\ud7ff\\ue000\\uffff", "\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", 9},
                {"\\ud800\\udc00\\uDBFF\\uDFFF", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8},
                {"\\\\u0041", "\\u0041", 6},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                const size_t raw_len = strlen(cases[i].raw);
                char *out = malloc(raw_len + PAWL__LEX_SLACK);
                assert_non_null(out);
                assert_int_equal(pawl__json_unescape(out, cases[i].raw, raw_len), cases[i].len);
                assert_memory_equal(out, cases[i].decoded, cases[i].len);
                free(out);
        }
}
