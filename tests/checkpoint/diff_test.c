#include "checkpoint/checkpoint.h"
#include "support/sweep.h"
#include "support/test.h"

struct lines {
        pawl__buf text;
        int stop_after; /* 0: never */
};

static pawl_status add_line(const pawl__member_change *change, void *user)
{
        static const char kinds[] = "+-*!";
        struct lines *lines = user;

        if (pawl__buf_addf(&lines->text, "%c ", kinds[change->kind]) ||
                pawl__member_change_line(&lines->text, change) ||
                pawl__buf_addc(&lines->text, '\n'))
                return PAWL_ENOMEM;
        assert_true((change->before.data == NULL) == (change->kind == PAWL__ADDED));
        assert_true((change->after.data == NULL) == (change->kind == PAWL__REMOVED));
        return --lines->stop_after == 0 ? PAWL_DONE : PAWL_OK;
}

/* The differences as lines, malloc'd. */
static char *diff(const char *before, const char *after)
{
        struct lines lines = {PAWL__BUF_INIT, 0};
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__inputs_diff(
                "inputs", pawl__text(before), pawl__text(after), add_line, &lines, &err));
        return test_take(&lines.text);
}

static void diff_is(const char *before, const char *after, const char *is)
{
        assert_string_equal(diff(before, after), is);
}

UNIT_TEST(equal_documents_have_no_differences)
{
        static const char *const texts[] = {
                "null", "1", "\"a\"", "[]", "{}", "[1,{\"a\":[true]}]", "{\"a\":{\"b\":\"c\"}}"};

        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                diff_is(texts[i], texts[i], "");
}

UNIT_TEST(members_are_added_removed_changed_and_change_their_type)
{
        diff_is("{\"b\":1,\"c\":2,\"d\":3,\"e\":4}", "{\"a\":0,\"b\":1,\"d\":[],\"e\":5}",
                "+ inputs.a: (absent) → 0\n"
                "- inputs.c: 2 → (absent)\n"
                "! inputs.d: 3 → []\n"
                "* inputs.e: 4 → 5\n");
        diff_is("{}", "{\"x\":1}", "+ inputs.x: (absent) → 1\n");
        diff_is("{\"x\":{\"y\":1}}", "{}", "- inputs.x: {\"y\":1} → (absent)\n");
}

UNIT_TEST(elements_are_compared_by_their_index)
{
        diff_is("{\"requirements\":[\"0\",\"A\"]}", "{\"requirements\":[\"0\",\"B\"]}",
                "* inputs.requirements[1]: \"A\" → \"B\"\n");
        diff_is("[1,2,3]", "[1]", "- inputs[1]: 2 → (absent)\n- inputs[2]: 3 → (absent)\n");
        diff_is("[]", "[[],{}]", "+ inputs[0]: (absent) → []\n+ inputs[1]: (absent) → {}\n");
        diff_is("[[1,[2,{\"a\":3}]]]", "[[1,[2,{\"a\":4}]]]", "* inputs[0][1][1].a: 3 → 4\n");
}

UNIT_TEST(every_pair_of_types_is_told_apart)
{
        static const char *const values[] = {"null", "true", "1", "\"1\"", "[1]", "{\"a\":1}"};
        enum { N = sizeof values / sizeof values[0] };

        for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++) {
                        char line[64] = "";
                        if (i != j)
                                snprintf(line, sizeof line, "! inputs: %s → %s\n", values[i],
                                        values[j]);
                        diff_is(values[i], values[j], line);
                }
        diff_is("true", "false", "* inputs: true → false\n");
        diff_is("false", "null", "! inputs: false → null\n");
}

UNIT_TEST(names_that_are_no_identifiers_are_quoted)
{
        diff_is("{\"\":1,\"1a\":1,\"_1\":1,\"a b\":1,\"a-b\":1,\"q\\\"\":1,\"é\":1}",
                "{\"\":2,\"1a\":2,\"_1\":2,\"a b\":2,\"a-b\":2,\"q\\\"\":2,\"é\":2}",
                "* inputs[\"\"]: 1 → 2\n"
                "* inputs[\"1a\"]: 1 → 2\n"
                "* inputs._1: 1 → 2\n"
                "* inputs[\"a b\"]: 1 → 2\n"
                "* inputs[\"a-b\"]: 1 → 2\n"
                "* inputs[\"q\\\"\"]: 1 → 2\n"
                "* inputs[\"é\"]: 1 → 2\n");
}

/* U+1F600 is before U+E000 by UTF-16 code units, after it by code points. */
UNIT_TEST(members_are_walked_in_the_order_of_utf16)
{
        diff_is("{\"\xf0\x9f\x98\x80\":1}", "{\"\xee\x80\x80\":1}",
                "- inputs[\"\xf0\x9f\x98\x80\"]: 1 → (absent)\n"
                "+ inputs[\"\xee\x80\x80\"]: (absent) → 1\n");
        diff_is("{\"\xf0\x9f\x98\x80\":1,\"\xee\x80\x80\":1}",
                "{\"\xf0\x9f\x98\x80\":1,\"\xee\x80\x80\":2}",
                "* inputs[\"\xee\x80\x80\"]: 1 → 2\n");
}

UNIT_TEST(strings_are_shown_as_they_are_written)
{
        diff_is("{\"s\":\"a\\\\\"}", "{\"s\":\"a\\\"\\\\\"}",
                "* inputs.s: \"a\\\\\" → \"a\\\"\\\\\"\n");
        diff_is("[\"\"]", "[\"\\u001b[2J\"]", "* inputs[0]: \"\" → \"\\u001b[2J\"\n");
}

/* DEL and the C1 controls are plain in JSON, and orders to a terminal. */
UNIT_TEST(controls_that_json_leaves_are_never_printed)
{
        diff_is("[\"\x7f\"]",
                "[\"\xc2\x9b"
                "2J\xc2\xa0\"]",
                "* inputs[0]: \"\\u007f\" → \"\\u009b2J\xc2\xa0\"\n");
        diff_is("{}", "{\"\xc2\x9b\":1}", "+ inputs[\"\\u009b\"]: (absent) → 1\n");
}

/* A string of so many characters of two bytes. */
static void quoted(char out[300], size_t characters)
{
        size_t len = 0;

        out[len++] = '"';
        for (size_t i = 0; i < characters; i++) {
                out[len++] = '\xc3';
                out[len++] = '\xa9';
        }
        out[len++] = '"';
        out[len] = '\0';
}

UNIT_TEST(values_are_cut_at_sixty_characters)
{
        char before[300], after[300], line[700];

        quoted(before, 58); /* with its quotes: 60 */
        quoted(after, 59);
        after[2] = '\xa8'; /* they part at once */
        snprintf(
                line, sizeof line, "* inputs: %s → %.*s…\n", before, (int)strlen(after) - 1, after);
        diff_is(before, after, line);
}

UNIT_TEST(long_values_are_shown_from_where_they_part)
{
        static const char lead[] = "a text that is long enough to be cut before it comes to ";

        for (int i = 0; i < 2; i++) {
                char before[200], after[200];
                const char *escape = i ? "\\\\\\\"" : "";
                snprintf(before, sizeof before, "\"%s%s%s\"", lead, escape, "the blue end of it");
                snprintf(after, sizeof after, "\"%s%s%s\"", lead, escape, "the red end of it");
                diff_is(before, after,
                        i ? "* inputs: …it comes to \\\\\\\"the blue end of it\" → …it comes to "
                            "\\\\\\\"the red end of it\"\n"
                          : "* inputs: …ore it comes to the blue end of it\" → …ore it comes to the red "
                            "end of it\"\n");
        }
        diff_is("\"0123456789012345678901234567890123456789\\\\\\n12345678901234567A and the rest\"",
                "\"0123456789012345678901234567890123456789\\\\\\n12345678901234567B and the rest\"",
                "* inputs: …\\\\\\n12345678901234567A and the rest\" → …\\\\\\n12345678901234567B and the "
                "rest\"\n");
}

UNIT_TEST(long_numbers_keep_every_digit)
{
        diff_is("{\"n\":9007199254740993}", "{\"n\":9007199254740992}",
                "* inputs.n: 9007199254740993 → 9007199254740992\n");
}

UNIT_TEST(deep_documents_need_no_deep_stack)
{
        enum { DEPTH = 511 };
        char before[2 * DEPTH + 2], after[2 * DEPTH + 2];

        memset(before, '[', DEPTH);
        before[DEPTH] = '1';
        memset(before + DEPTH + 1, ']', DEPTH);
        before[2 * DEPTH + 1] = '\0';
        memcpy(after, before, sizeof before);
        after[DEPTH] = '2';
        char *lines = diff(before, after);
        assert_non_null(strstr(lines, "[0][0]: 1 → 2\n"));
        assert_int_equal(strlen(lines), strlen("* inputs: 1 → 2\n") + (size_t)3 * DEPTH);
}

UNIT_TEST(a_status_of_the_callback_ends_it_and_is_passed_on)
{
        struct lines lines = {PAWL__BUF_INIT, 2};
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__inputs_diff("x", pawl__text("[1,2,3]"), pawl__text("[4,5,6]"),
                                 add_line, &lines, &err),
                PAWL_DONE);
        assert_string_equal(lines.text.data, "* x[0]: 1 → 4\n* x[1]: 2 → 5\n");
        pawl__buf_free(&lines.text);
}

UNIT_TEST(what_is_no_json_is_refused)
{
        struct lines lines = {PAWL__BUF_INIT, 0};
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__inputs_diff(
                                 "x", pawl__text("[1,2"), pawl__text("[]"), add_line, &lines, &err),
                PAWL_EPARSE);
        assert_says(err.message, "line 1, column 5");
        assert_int_equal(pawl__inputs_diff("x", pawl__text("[]"), pawl__text("{\"a\":1,\"a\":2}"),
                                 add_line, &lines, &err),
                PAWL_EPARSE);
        assert_null(lines.text.data);
}

UNIT_TEST(running_out_of_memory_leaks_nothing)
{
        for (sweep s = {0}; sweep_next(&s);) {
                struct lines lines = {PAWL__BUF_INIT, 0};
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                const pawl_status status = pawl__inputs_diff("inputs",
                        pawl__text("{\"a\":[1,{\"b c\":\"\\n\"}]}"),
                        pawl__text("{\"a\":[2,{\"b c\":\"\\t\"},3]}"), add_line, &lines, &err);
                (void)sweep_done(&s, status, NULL);
                pawl__buf_free(&lines.text);
        }
}
