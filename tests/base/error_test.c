/* Messages are one line of UTF-8, whatever the texts are that they quote. */
#include "base/error.h"
#include "support/test.h"

UNIT_TEST(what_is_quoted_cannot_break_the_line)
{
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_text id = {"a\nb\tc\x1b[31m\x7f", 11};

        assert_int_equal(
                pawl__fail(&err, PAWL_EINVAL, "run %.*s: is odd; no", PAWL__FMT(id)), PAWL_EINVAL);
        assert_string_equal(err.message, "run a\\x0ab\\x09c\\x1b[31m\\x7f: is odd; no");
        assert_int_equal(pawl__fail_prefix(&err, PAWL_EIO, "two\r\nlines"), PAWL_EIO);
        assert_string_equal(
                err.message, "two\\x0d\\x0alines: run a\\x0ab\\x09c\\x1b[31m\\x7f: is odd; no");
}

UNIT_TEST(bytes_that_are_no_text_are_shown_as_such)
{
        pawl_error err = PAWL_ERROR_INIT;

        pawl__fail(&err, PAWL_EINVAL, "%s", "caf\xc3\xa9 \xff\xc3 \xe2\x82 \xed\xa0\x80 \xc2\x85.");
        assert_string_equal(
                err.message, "caf\xc3\xa9 \\xff\\xc3 \\xe2\\x82 \\xed\\xa0\\x80 \\u0085.");
        pawl__fail(&err, PAWL_EINVAL, "%s", "a\xe2\x80\xa8z\xe2\x80\xa9");
        assert_string_equal(err.message, "a\\u2028z\\u2029");
}

/* A text of which 200 bytes are shown ends with a whole character. */
UNIT_TEST(a_long_text_is_cut_between_characters)
{
        char text[301] = "x";
        pawl_error err = PAWL_ERROR_INIT;

        for (size_t i = 1; i < 300; i += 2)
                memcpy(text + i, "\xc3\xa9", 2);
        const pawl_text id = {text, 300};
        pawl__fail(&err, PAWL_EINVAL, "%.*s!", PAWL__FMT(id));
        assert_int_equal(strlen(err.message), 200);
        assert_memory_equal(err.message, text, 199);
        assert_string_equal(err.message + 199, "!");
}

/* What is left out of a long one is within its longest part, so that the others can be read. */
UNIT_TEST(a_long_message_says_where_what_and_how)
{
        char path[2001] = "/";
        pawl_error err = PAWL_ERROR_INIT;

        for (size_t i = 1; i < 2000; i += 2)
                memcpy(path + i, "\xc3\xa9", 2);
        path[1999] = '\0';
        pawl__fail(&err, PAWL_EIO, "%s: line 3: steps[0].x: is odd; leave it out", path);
        assert_in_range(strlen(err.message), PAWL_ERROR_MAX - 4, PAWL_ERROR_MAX - 1);
        assert_true(pawl__utf8_valid(err.message, strlen(err.message)));
        assert_memory_equal(err.message, "/\xc3\xa9", 3);
        assert_non_null(strstr(err.message, "\xc3\xa9\xe2\x80\xa6\xc3\xa9"));
        assert_non_null(strstr(err.message, "\xc3\xa9: line 3: steps[0].x: is odd; leave it out"));

        pawl__fail(&err, PAWL_EIO, "is odd; leave it out");
        pawl__fail_prefix(&err, PAWL_EIO, "%s: mission %s", path, path);
        assert_in_range(strlen(err.message), PAWL_ERROR_MAX - 8, PAWL_ERROR_MAX - 1);
        assert_non_null(strstr(err.message, ": mission /\xc3\xa9"));
        assert_non_null(strstr(err.message, "\xc3\xa9: is odd; leave it out"));
}

UNIT_TEST(a_name_without_a_character_is_shown_as_one)
{
        pawl_error err = PAWL_ERROR_INIT;

        pawl__fail(&err, PAWL_EIO, "%s: there is no such file; check the path", "");
        assert_string_equal(err.message, "'': there is no such file; check the path");
}

/* Escapes can make it longer than there is room for. */
UNIT_TEST(a_long_message_is_cut_before_an_escape)
{
        char text[PAWL_ERROR_MAX];
        pawl_error err = PAWL_ERROR_INIT;

        memset(text, '\n', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        for (size_t plain = 0; plain < 8; plain++) {
                memset(text, 'x', plain);
                pawl__fail(&err, PAWL_EINVAL, "%s", text);
                const size_t len = strlen(err.message);
                assert_in_range(len, PAWL_ERROR_MAX - 4, PAWL_ERROR_MAX - 1);
                assert_string_equal(err.message + len - 4, "\\x0a");
        }
        memset(text, '\xe9', sizeof text - 1);
        memcpy(text + sizeof text - 4, "\xe2\x82\xac", 3);
        pawl__fail(&err, PAWL_EINVAL, "%s", text);
        assert_true(pawl__utf8_valid(err.message, strlen(err.message)));
}
