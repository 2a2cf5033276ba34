/* Needs PAWL_WITH_GIT. */
#include "support/sweep.h"
#include "support/test.h"
#include "workspace/diff/lines.h"

static void compare(
        const char *before, const char *after, uint64_t added, uint64_t removed, const char *hunks)
{
        pawl__line_counts counts = {99, 99}, only = {99, 99};
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__lines_compare(&counts, &out, pawl__text(before), pawl__text(after), &err));
        assert_int_equal(counts.added, added);
        assert_int_equal(counts.removed, removed);
        assert_text(pawl__buf_text(&out), hunks);
        pawl__buf_free(&out);
        assert_ok(pawl__lines_compare(&only, NULL, pawl__text(before), pawl__text(after), &err));
        assert_memory_equal(&only, &counts, sizeof only);
}

UNIT_TEST(equal_texts_have_no_hunks)
{
        compare(NULL, NULL, 0, 0, "");
        compare("", NULL, 0, 0, "");
        compare("a\nb\n", "a\nb\n", 0, 0, "");
        compare("a", "a", 0, 0, "");
}

UNIT_TEST(whole_texts_come_and_go)
{
        compare(NULL, "a\nb\n", 2, 0, "@@ -0,0 +1,2 @@\n+a\n+b\n");
        compare(NULL, "\n", 1, 0, "@@ -0,0 +1 @@\n+\n");
        compare("a\nb", NULL, 0, 2, "@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n");
}

UNIT_TEST(lines_that_differ_stand_in_their_context)
{
        compare("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", 1, 1,
                "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
        compare("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n4a\n4b\n5\n6\n", 2, 0,
                "@@ -2,5 +2,7 @@\n 2\n 3\n 4\n+4a\n+4b\n 5\n 6\n");
        compare("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n",
                "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n", 2, 2,
                "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n"
                "@@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12\n+twelve\n");
}

UNIT_TEST(a_newline_that_is_missing_is_said)
{
        compare("a\nb\n", "a\nb", 1, 1,
                "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n");
        compare("a\nb", "a\nb\n", 1, 1,
                "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
        compare("x\nb", "y\nb", 1, 1,
                "@@ -1,2 +1,2 @@\n-x\n+y\n b\n\\ No newline at end of file\n");
        compare("b", "b\nc", 2, 1,
                "@@ -1 +1,2 @@\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of "
                "file\n");
}

UNIT_TEST(lines_are_bytes)
{
        const pawl_text before = {"\xff\xfe\n\r\n\0\n", 7}, after = {"\xff\n\r\n\0\n", 6};
        pawl__line_counts counts;
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__lines_compare(&counts, &out, before, after, NULL));
        assert_int_equal(counts.added, 1);
        assert_int_equal(counts.removed, 1);
        assert_int_equal(out.len, 16 + 4 + 3 + 3 + 3);
        pawl__buf_free(&out);
}

UNIT_TEST(binary_is_what_has_a_nul_early)
{
        char *text = test_alloc(8001);

        memset(text, 'a', 8001);
        text[8000] = 0;
        assert_false(pawl__is_binary(pawl__text_n(text, 8001)));
        assert_false(pawl__is_binary(pawl__text_n(NULL, 0)));
        text[7999] = 0;
        assert_true(pawl__is_binary(pawl__text_n(text, 8001)));
}

/* Lines of numbers, each one of @p kinds. */
static void add_random(pawl__buf *out, size_t lines, unsigned kinds, unsigned *seed)
{
        for (size_t i = 0; i < lines; i++) {
                *seed = *seed * 1103515245u + 12345u;
                assert_ok(pawl__buf_addf(out, "%u\n", *seed / 65536u % kinds));
        }
}

/* More lines than are compared: all that lies between the equal ends is replaced. */
UNIT_TEST(too_many_lines_are_replaced_whole)
{
        pawl__buf before = PAWL__BUF_INIT, after = PAWL__BUF_INIT, out = PAWL__BUF_INIT;
        pawl__line_counts counts;
        unsigned seed = 7;
        const size_t lines = PAWL__LINES_MAX / 2 + 1;

        assert_ok(pawl__buf_adds(&before, "head\nfirst\n"));
        assert_ok(pawl__buf_adds(&after, "head\nother\n"));
        add_random(&before, lines - 2, 10, &seed);
        add_random(&after, lines - 2, 10, &seed);
        assert_ok(pawl__buf_adds(&before, "last\ntail"));
        assert_ok(pawl__buf_adds(&after, "end\ntail"));
        assert_ok(pawl__lines_compare(
                &counts, &out, pawl__buf_text(&before), pawl__buf_text(&after), NULL));
        assert_int_equal(counts.added, lines);
        assert_int_equal(counts.removed, lines);
        assert_says(out.data, "@@ -1,524291 +1,524291 @@\n head\n-first\n");
        assert_says(out.data + out.len - 40, "+end\n tail\n\\ No newline at end of file\n");

        /* one line among as many: what is compared is that line */
        pawl__buf_clear(&out);
        before.data[5] = 'F';
        char *changed = test_alloc(before.len);
        memcpy(changed, before.data, before.len);
        changed[5] = 'f';
        assert_ok(pawl__lines_compare(
                &counts, &out, pawl__buf_text(&before), pawl__text_n(changed, before.len), NULL));
        assert_int_equal(counts.added, 1);
        assert_int_equal(counts.removed, 1);
        pawl__buf_free(&before);
        pawl__buf_free(&after);
        pawl__buf_free(&out);
}

/* Each allocation of ours fails in its turn: nothing leaks, what was in the buffer stays. */
UNIT_TEST(running_out_of_memory_changes_nothing)
{
        allocator_leave_git_alone();
        compare("x\n1\ny\n", "z\n1\nq\n", 2, 2, "@@ -1,3 +1,3 @@\n-x\n+z\n 1\n-y\n+q\n");
        for (sweep s = {0}; sweep_next(&s);) {
                pawl__line_counts counts = {77, 77};
                pawl_error err = PAWL_ERROR_INIT;
                pawl__buf out = PAWL__BUF_INIT;
                sweep_arm(&s);
                const pawl_status status = pawl__lines_compare(
                        &counts, &out, pawl__text("x\n1\ny\n"), pawl__text("z\n1\nq\n"), &err);
                if (!sweep_done(&s, status, &err)) {
                        assert_int_equal(counts.added, 77);
                        assert_int_equal(out.len, 0);
                }
                pawl__buf_free(&out);
        }
}
