/* The form in which Python writes JSON, beside what Python itself writes. */
#include "base/json_python.h"
#include "support/sweep.h"
#include "support/test.h"

static bool is_form(const pawl__json_tree *tree, bool ascii, const char *form, size_t len)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__json_python(&out, tree, 0, NULL, ascii, &err));
        const bool same = out.len == len && memcmp(out.data, form, len) == 0;
        if (!same)
                print_error("%.*s\n%s\n", (int)len, form, out.data);
        pawl__buf_free(&out);
        return same;
}

/* A line of the vectors: the text, a tab, its form in ASCII, a tab, its form in UTF-8. */
static bool check_line(const char *line, size_t len)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        const char *const ascii = (const char *)memchr(line, '\t', len) + 1;
        const char *const utf8 =
                (const char *)memchr(ascii, '\t', len - (size_t)(ascii - line)) + 1;

        assert_ok(pawl__json_tree_read(&tree, line, (size_t)(ascii - line) - 1, &err));
        const bool same = is_form(&tree, true, ascii, (size_t)(utf8 - ascii) - 1) &&
                          is_form(&tree, false, utf8, (size_t)(line + len - utf8));
        pawl__json_tree_free(&tree);
        return same;
}

UNIT_TEST(python_writes_the_same)
{
        size_t len, lines = 0;
        char *all = file_read(GOLDEN_DIR "/python_vectors.txt", &len);

        for (char *p = all; p < all + len; lines++) {
                char *end = memchr(p, '\n', (size_t)(all + len - p));
                assert_non_null(end);
                assert_true(check_line(p, (size_t)(end - p)));
                p = end + 1;
        }
        assert_true(lines > 600);
}

UNIT_TEST(python_writes_the_same_for_55_thousand_more)
{
        FILE *python;
        char *line = NULL;
        size_t cap = 0, lines = 0, bad = 0;
        ssize_t n;

        if (system("python3 --version >/dev/null 2>&1") != 0) {
                print_message("no Python here: only the committed vectors were compared\n");
                skip();
        }
        python = popen("python3 " GOLDEN_DIR "/python_json.py full", "r");
        assert_non_null(python);
        while ((n = getline(&line, &cap, python)) > 0 && bad < 10) {
                bad += !check_line(line, (size_t)n - 1);
                lines++;
        }
        free(line);
        assert_int_equal(bad, 0);
        assert_int_equal(pclose(python), 0);
        assert_true(lines > 55000);
}

static const char TEXT[] = "{\"b\":{\"hash\":1,\"a\":[]},\"hash\":\"x\",\"a\":1e2}";

UNIT_TEST(one_member_is_left_out_of_the_outermost_object_alone)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__json_tree_read(&tree, TEXT, strlen(TEXT), NULL));
        assert_ok(pawl__json_python(&out, &tree, 0, "hash", true, NULL));
        assert_string_equal(out.data, "{\"a\": 100.0, \"b\": {\"a\": [], \"hash\": 1}}");
        pawl__buf_free(&out);
        pawl__json_tree_free(&tree);
}

UNIT_TEST(every_failing_allocation_is_said)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        assert_ok(pawl__json_tree_read(&tree, TEXT, strlen(TEXT), NULL));
        for (sweep s = {.least = 2}; sweep_next(&s);) {
                pawl__buf out = PAWL__BUF_INIT;
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                (void)sweep_done(&s, pawl__json_python(&out, &tree, 0, NULL, true, &err), &err);
                pawl__buf_free(&out);
        }
        pawl__json_tree_free(&tree);
}
