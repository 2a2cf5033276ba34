#include "support/test.h"
#include "workspace/diff/members.h"

static pawl_status add_line(const pawl__member_change *change, void *user)
{
        pawl__buf *lines = user;
        pawl_status status = pawl__member_change_line(lines, change);

        return status ? status : pawl__buf_addc(lines, '\n');
}

static void diff_is(const char *before, const char *after, const char *is)
{
        pawl__buf lines = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__members_diff(
                "state", pawl__text(before), pawl__text(after), add_line, &lines, &err));
        assert_text(pawl__buf_text(&lines), is);
        pawl__buf_free(&lines);
}

UNIT_TEST(members_of_two_documents_are_named_by_path)
{
        diff_is("{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,3],\"c\":true}",
                "state.a: 1 → (absent)\n"
                "state.b[1]: 2 → 3\n"
                "state.c: (absent) → true\n");
        diff_is("{}", "{}", "");
}

UNIT_TEST(a_document_that_is_absent_has_no_members)
{
        diff_is(NULL, NULL, "");
        diff_is(NULL, "{\"a\":1,\"b\":{}}", "state.a: (absent) → 1\nstate.b: (absent) → {}\n");
        diff_is("{\"a\":1}", NULL, "state.a: 1 → (absent)\n");
        diff_is(NULL, "{}", "");
}

UNIT_TEST(a_document_that_is_no_object_comes_and_goes_whole)
{
        diff_is(NULL, "[1,2]", "state: (absent) → [1,2]\n");
        diff_is("\"draft\"", NULL, "state: \"draft\" → (absent)\n");
        diff_is("1", "2", "state: 1 → 2\n");
}

UNIT_TEST(a_text_that_is_no_document_is_refused)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf lines = PAWL__BUF_INIT;

        assert_int_equal(pawl__members_diff("state", pawl__text("{"), pawl__text("{}"), add_line,
                                 &lines, &err),
                PAWL_EPARSE);
        assert_int_equal(lines.len, 0);
        pawl__buf_free(&lines);
}
