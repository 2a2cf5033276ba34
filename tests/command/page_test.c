/* Cutting a long output into pages: each has its bound, and together they are the whole. */
#include "base/error.h"
#include "base/json_tree.h"
#include "mcp/pages.h"
#include "support/test.h"

enum { ROOM = 2000 };

static size_t sent_len(const mcp_page *page)
{
        pawl__buf quoted = PAWL__BUF_INIT;

        pawl__json_quote(&quoted, pawl__buf_text(&page->text));
        const size_t len = quoted.len + (page->json ? page->text.len : 0);
        pawl__buf_free(&quoted);
        return len;
}

/* The elements, or the text, at a pointer of a page, added to what the pages before it had. */
static void add_part(pawl__buf *all, const mcp_page *page, const char *pointer)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        if (!page->json) {
                pawl__buf_add_text(all, pawl__buf_text(&page->text));
                return;
        }
        assert_int_equal(
                pawl__json_tree_read(&tree, page->text.data, page->text.len, &err), PAWL_OK);
        const pawl__node node = pawl__json_pointer(&tree, pawl__text(pointer));
        assert_int_not_equal(node, PAWL__NO_NODE);
        if (pawl__json_at(&tree, node)->type == PAWL__JSON_STRING) {
                pawl__buf_add_text(all, pawl__json_at(&tree, node)->value);
        } else {
                for (pawl__node at = pawl__json_first(&tree, node); at != PAWL__NO_NODE;
                        at = pawl__json_after(&tree, node, at)) {
                        pawl__json_node_text(all, pawl__json_at(&tree, at));
                        pawl__buf_addc(all, ';');
                }
        }
        pawl__json_tree_free(&tree);
}

/* All pages of an output; how many. */
static size_t read_pages(pawl_text output, const char *pointer)
{
        pawl__buf parts = PAWL__BUF_INIT, whole = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        size_t from = 0, n = 0;
        bool json = false;

        do {
                mcp_page page = MCP_PAGE_INIT;
                assert_int_equal(mcp_page_cut(&page, output, from, ROOM, true, &err), PAWL_OK);
                assert_true(sent_len(&page) <= ROOM);
                assert_true(pawl__utf8_valid(page.text.data, page.text.len));
                assert_true(page.next == 0 || page.next > from);
                add_part(&parts, &page, pointer);
                json = page.json;
                from = page.next;
                n++;
                mcp_page_free(&page);
        } while (from);
        const mcp_page all = {
                .text = {.data = (char *)(uintptr_t)output.data, .len = output.len}, .json = json};
        add_part(&whole, &all, pointer);
        assert_int_equal(parts.len, whole.len);
        assert_memory_equal(parts.data, whole.data, whole.len);
        pawl__buf_free(&parts);
        pawl__buf_free(&whole);
        return n;
}

/* BEFORE, PART COUNT times with commas or without, AFTER. */
static pawl__buf repeat(
        const char *before, const char *part, int count, char comma, const char *after)
{
        pawl__buf out = PAWL__BUF_INIT;

        pawl__buf_adds(&out, before);
        for (int i = 0; i < count; i++) {
                if (i && comma)
                        pawl__buf_addc(&out, comma);
                pawl__buf_adds(&out, part);
        }
        pawl__buf_adds(&out, after);
        assert_false(out.failed);
        return out;
}

UNIT_TEST(pages_are_the_whole)
{
        static const struct {
                const char *before, *part, *after, *pointer;
                int count;
                char comma;
        } outputs[] = {
                {"[", "{\"a\":1}", "]", "", 1000, ','},
                {"[", "\"\\\"\\\\\"", "]", "", 1000, ','},
                {"{\"n\":[1,2],\"runs\":[", "{\"id\": \"x\"}", "],\"z\":{}}", "/runs", 1000, ','},
                {"{\"runs\":[", "7", "],\"next\":12}", "/runs", 2000, ','},
                {"{\"next\":null,\"a\":{\"b\":[0,[", "true , ", "false]]}}", "/a/b/1", 2000, 0},
                {"{\"output\":\"", "x", "\"}", "/output", 5000, 0},
                {"{\"output\":\"", "\\u00e9\\n", "\"}", "/output", 1000, 0},
                {"{\"output\":\"", "\\ud83d\\ude00", "\"}", "/output", 1000, 0},
                {"\"", "\xf0\x9f\x98\x80\\\\", "\"", "", 1000, 0},
                {"", "a line\n", "", "", 1000, 0},
                {"", "\xc3\xa9\"\\\x01", "", "", 1000, 0},
                /* an element that is too large is cut itself */
                {"[{\"t\":\"", "long ", "\"},1]", "/0/t", 1000, 0},
        };

        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
                pawl__buf out = repeat(outputs[i].before, outputs[i].part, outputs[i].count,
                        outputs[i].comma, outputs[i].after);
                if (read_pages(pawl__buf_text(&out), outputs[i].pointer) < 3)
                        fail_msg("output %zu has too few pages", i);
                pawl__buf_free(&out);
        }
}

UNIT_TEST(what_fits_is_one_page_as_it_is)
{
        static const char *const outputs[] = {
                "", "{}", "[]", "text", "{\"next\":5,\"a\":[1, 2]}", "\"x\"", "12"};
        pawl_error err = PAWL_ERROR_INIT;

        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
                mcp_page page = MCP_PAGE_INIT;
                assert_int_equal(
                        mcp_page_cut(&page, pawl__text(outputs[i]), 0, ROOM, true, &err), PAWL_OK);
                assert_int_equal(page.next, 0);
                assert_true(pawl__text_is(pawl__buf_text(&page.text), outputs[i]));
                mcp_page_free(&page);
        }
}

/* Two large elements, which no page could hold beside each other: the output is cut as text. */
UNIT_TEST(what_cannot_be_cut_as_json_is_cut_as_text)
{
        pawl__buf half = repeat("\"", "x", 3000, 0, "\""), out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        mcp_page page = MCP_PAGE_INIT;

        pawl__buf_addf(&out, "[%s,%s]", half.data, half.data);
        assert_int_equal(mcp_page_cut(&page, pawl__buf_text(&out), 0, ROOM, true, &err), PAWL_OK);
        assert_false(page.json);
        assert_true(read_pages(pawl__buf_text(&out), "") >= 3);
        mcp_page_free(&page);
        pawl__buf_free(&half);
        pawl__buf_free(&out);
}

UNIT_TEST(a_place_that_no_page_begins_at_is_refused)
{
        pawl__buf list = repeat("[", "1", 5000, ',', "]"),
                  text = repeat("\"", "\\u00e9", 2000, 0, "\"");
        pawl_error err = PAWL_ERROR_INIT;
        mcp_page page = MCP_PAGE_INIT;

        assert_int_equal(
                mcp_page_cut(&page, pawl__buf_text(&list), 5000, ROOM, true, &err), PAWL_EINVAL);
        assert_int_equal(
                mcp_page_cut(&page, pawl__buf_text(&text), 7, ROOM, true, &err), PAWL_EINVAL);
        assert_int_equal(mcp_page_cut(&page, pawl__text("[1]"), 1, ROOM, true, &err), PAWL_EINVAL);
        mcp_page_free(&page);
        pawl__buf_free(&list);
        pawl__buf_free(&text);
}
