#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_tree.h"
#include "support/test.h"

static void read_tree(pawl__json_tree *tree, const char *text)
{
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl__json_tree_read(tree, text, strlen(text), &err))
                fail_msg("%s", err.message);
}

static pawl_text value_at(const pawl__json_tree *tree, const char *pointer)
{
        const pawl__node node = pawl__json_pointer(tree, pawl__text(pointer));

        return node == PAWL__NO_NODE ? (pawl_text){NULL, 0} : pawl__json_at(tree, node)->value;
}

/* RFC 6901, section 5: the document, its pointers and their values. */
UNIT_TEST(the_pointers_of_rfc_6901_lead_where_it_says)
{
        static const char text[] =
                "{\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"c%d\": 2, \"e^f\": 3, "
                "\"g|h\": 4, \"i\\\\j\": 5, \"k\\\"l\": 6, \" \": 7, \"m~n\": 8}";
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        read_tree(&tree, text);
        assert_text(value_at(&tree, ""), text);
        assert_text(value_at(&tree, "/foo"), "[\"bar\", \"baz\"]");
        assert_text(value_at(&tree, "/foo/0"), "bar");
        assert_text(value_at(&tree, "/"), "0");
        assert_text(value_at(&tree, "/a~1b"), "1");
        assert_text(value_at(&tree, "/c%d"), "2");
        assert_text(value_at(&tree, "/e^f"), "3");
        assert_text(value_at(&tree, "/g|h"), "4");
        assert_text(value_at(&tree, "/i\\j"), "5");
        assert_text(value_at(&tree, "/k\"l"), "6");
        assert_text(value_at(&tree, "/ "), "7");
        assert_text(value_at(&tree, "/m~0n"), "8");
        pawl__json_tree_free(&tree);
}

UNIT_TEST(a_pointer_that_leads_nowhere_or_is_malformed_gives_no_node)
{
        static const char *const pointers[] = {"foo", "/x", "/foo/2", "/foo/00", "/foo/01",
                "/foo/-", "/foo/", "/foo/+1", "/foo/1e0", "/foo/4294967296",
                "/foo/99999999999999999999", "/foo/0/x", "/foo/0/", "/n/0", "/a~", "/a~2b",
                "/a~1b~", "//", "/foo/0~"};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        assert_int_equal(pawl__json_pointer(&tree, pawl__text("")), PAWL__NO_NODE);
        read_tree(&tree, "{\"foo\":[\"bar\",\"baz\"],\"n\":1,\"a/b\":2,\"a~\":3,\"a\":4}");
        for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++)
                if (pawl__json_pointer(&tree, pawl__text(pointers[i])) != PAWL__NO_NODE)
                        fail_msg("%s leads somewhere", pointers[i]);
        pawl__json_tree_free(&tree);
}

UNIT_TEST(children_come_in_the_order_of_the_text)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf names = PAWL__BUF_INIT;

        read_tree(&tree, "{\"z\":[1,[2,3],{}],\"a\":{\"b\":{\"c\":null}},\"m\":[]}");
        for (pawl__node n = pawl__json_first(&tree, 0); n != PAWL__NO_NODE;
                n = pawl__json_after(&tree, 0, n)) {
                const pawl__json_node *node = pawl__json_at(&tree, n);
                assert_ok(pawl__buf_addf(
                        &names, "%.*s:%u ", (int)node->name.len, node->name.data, node->count));
        }
        assert_text(pawl__buf_text(&names), "z:3 a:1 m:0 ");
        const pawl__node z = pawl__json_get(&tree, 0, "z");
        const pawl__node first = pawl__json_first(&tree, z);
        const pawl__node second = pawl__json_after(&tree, z, first);
        assert_null(pawl__json_at(&tree, first)->name.data);
        assert_text(pawl__json_at(&tree, second)->value, "[2,3]");
        assert_int_equal(pawl__json_at(&tree, second)->offset, 8);
        assert_int_equal(pawl__json_first(&tree, pawl__json_get(&tree, 0, "m")), PAWL__NO_NODE);
        assert_int_equal(pawl__json_first(&tree, first), PAWL__NO_NODE);
        pawl__buf_free(&names);
        pawl__json_tree_free(&tree);
}

UNIT_TEST(members_are_found_by_their_decoded_names)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        read_tree(&tree, "{\"\\u0061\":\"x\\ty\",\"b\":\"\\u0000\",\"c\":7,\"d\":null,\"e\":\"\"}");
        assert_text(pawl__json_get_text(&tree, 0, "a"), "x\ty");
        const pawl_text zero = pawl__json_get_text(&tree, 0, "b");
        assert_int_equal(zero.len, 1);
        assert_int_equal(zero.data[0], 0);
        assert_null(pawl__json_get_text(&tree, 0, "c").data);
        assert_null(pawl__json_get_text(&tree, 0, "d").data);
        assert_null(pawl__json_get_text(&tree, 0, "none").data);
        assert_text(pawl__json_get_text(&tree, 0, "e"), "");
        assert_int_equal(pawl__json_get(&tree, PAWL__NO_NODE, "a"), PAWL__NO_NODE);
        assert_int_equal(pawl__json_get(&tree, 1, "a"), PAWL__NO_NODE);
        assert_int_equal(pawl__json_get_n(&tree, 0, pawl__text_n("axx", 1)), 1);
        pawl__json_tree_free(&tree);
}

UNIT_TEST(numbers_are_integers_where_they_fit)
{
        static const struct {
                const char *literal;
                bool fits;
                int64_t value;
        } cases[] = {{"0", true, 0}, {"-0", true, 0}, {"-17", true, -17},
                {"9223372036854775807", true, INT64_MAX}, {"-9223372036854775808", true, INT64_MIN},
                {"9223372036854775808", false, 0}, {"-9223372036854775809", false, 0},
                {"18446744073709551616", false, 0}, {"99999999999999999999", false, 0},
                {"1.0", false, 0}, {"1e2", false, 0}, {"123456789012345678901234567890", false, 0}};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                int64_t value = 42;
                read_tree(&tree, cases[i].literal);
                assert_int_equal(pawl__json_int(pawl__json_at(&tree, 0), &value), cases[i].fits);
                assert_int_equal(value, cases[i].fits ? cases[i].value : 42);
        }
        read_tree(&tree, "\"7\"");
        int64_t value = 42;
        assert_false(pawl__json_int(pawl__json_at(&tree, 0), &value));
        read_tree(&tree, "-2.5e-3");
        assert_true(pawl__json_double(pawl__json_at(&tree, 0)) == -2.5e-3);
        pawl__json_tree_free(&tree);
}

UNIT_TEST(a_tree_is_read_into_again_with_the_memory_it_has)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        read_tree(&tree, "[1,2,3,4,5,\"\\n\",{\"a\":{\"b\":[]}}]");
        const pawl__json_node *nodes = tree.nodes;
        const struct pawl__arena_block *block = tree.arena.head;
        for (int i = 0; i < 1000; i++)
                read_tree(&tree, "{\"k\\u0061\":\"\\t\",\"b\":[true]}");
        assert_ptr_equal(tree.nodes, nodes);
        assert_ptr_equal(tree.arena.head, block);
        assert_int_equal(tree.n, 4);
        /* a refused text leaves the tree empty, and ready for the next */
        assert_int_equal(pawl__json_tree_read(&tree, "[1,", 3, &err), PAWL_EPARSE);
        assert_int_equal(tree.n, 0);
        assert_int_equal(pawl__json_pointer(&tree, pawl__text("")), PAWL__NO_NODE);
        assert_int_equal(pawl__json_get(&tree, 0, "a"), PAWL__NO_NODE);
        read_tree(&tree, "1");
        assert_int_equal(
                pawl__json_tree_read(&tree, "1", (size_t)UINT32_MAX + 1, &err), PAWL_ETOOBIG);
        assert_says(err.message, "4 GiB");
        pawl__json_tree_free(&tree);
}

/* Read, and ask whether the text is canonical: that is what the canonical writer says. */
static void assert_canonical_as_written(const char *text, size_t len, bool expected)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf canon = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        bool canonical;

        assert_ok(pawl__json_canon(&canon, text, len, &err));
        assert_ok(pawl__json_tree_read_canonical(&canonical, &tree, text, len, &err));
        if (canonical != expected ||
                canonical != pawl__text_eq(pawl__buf_text(&canon), pawl__text_n(text, len)))
                fail_msg("%.*s: %d", (int)len, text, canonical);
        pawl__buf_free(&canon);
        pawl__json_tree_free(&tree);
}

UNIT_TEST(a_tree_knows_whether_its_text_is_canonical)
{
        static const char *const canonical[] = {"{}", "[]", "0", "-1", "1.5", "1e+21", "5e-324",
                "12345678901234567890", "null", "true", "\"\"",
                "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\"", "\"\xc3\xa4\x7f/\"",
                "[1,[],{},\"x\",[[2]]]", "{\"\":1,\"a\":{\"b\":[],\"c\":0},\"aa\":2}",
                "{\"\\n\":0,\"a\":1}", "{\"\xf0\x90\x80\x80\":1,\"\xee\x80\x80\":2}"};
        static const char *const others[] = {" 0", "0 ", "-0", "0.0", "1.50", "1E2", "1e2", "1e21",
                "[ ]", "{ }", "[1, 2]", "[1 ,2]", "[ 1]", "[1 ]", "{ \"a\":1}", "{\"a\" :1}",
                "{\"a\": 1}", "{\"a\":1 }", "{\"a\":1, \"b\":2}", "{\"a\":1 ,\"b\":2}",
                "{\"b\":1,\"a\":2}", "{\"a\":1,\"\":2}", "{\"aa\":1,\"a\":2}",
                "[{\"b\":1,\"a\":2}]", "{\"a\":1,\"\\u000a\":0}", "\"\\/\"", "\"\\u0041\"",
                "\"\\u001F\"", "\"\\u000a\"", "\"\\u0022\"", "\"\\u00e4\"", "\"\\ud800\\udc00\"",
                "{\"\\u0041\":1}", "{\"\xee\x80\x80\":1,\"\xf0\x90\x80\x80\":2}"};

        for (size_t i = 0; i < sizeof canonical / sizeof canonical[0]; i++)
                assert_canonical_as_written(canonical[i], strlen(canonical[i]), true);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
                assert_canonical_as_written(others[i], strlen(others[i]), false);
}

/* With and without the limit up to which each name is compared with all before it. */
UNIT_TEST(names_of_a_large_object_are_canonical_in_order_and_refused_twice)
{
        static const char *const last[] = {"zz", "b", "a005"};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        for (int n = 10; n <= 100; n += 90)
                for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
                        pawl__buf text = PAWL__BUF_INIT;
                        pawl_error err = PAWL_ERROR_INIT;
                        bool canonical = true;
                        pawl__buf_addc(&text, '{');
                        for (int m = 0; m < n; m++)
                                pawl__buf_addf(&text, "\"%s%03d\":1,", i == 1 ? "c" : "a", m);
                        pawl__buf_addf(&text, "\"%s\":1}", last[i]);
                        assert_ok(pawl__buf_check(&text, &err));
                        if (i < 2) {
                                assert_canonical_as_written(text.data, text.len, i == 0);
                        } else {
                                assert_int_equal(pawl__json_tree_read_canonical(&canonical, &tree,
                                                         text.data, text.len, &err),
                                        PAWL_EPARSE);
                                assert_says(err.message, "\"a005\" appears twice");
                                assert_false(canonical);
                        }
                        pawl__buf_free(&text);
                }
        pawl__json_tree_free(&tree);
}

UNIT_TEST(a_tree_knows_how_deep_it_is)
{
        static const struct {
                const char *text;
                unsigned depth;
        } cases[] = {{"1", 0}, {"[]", 1}, {"{\"a\":[[]],\"b\":[1]}", 3}, {"[[],{\"a\":1}]", 2}};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                read_tree(&tree, cases[i].text);
                assert_int_equal(tree.depth, cases[i].depth);
        }
        pawl__json_tree_free(&tree);
}
