/* Where an agent's call ends, in pieces of any size, each byte looked at once. */
#include "agents/hook_call.h"
#include "support/test.h"
#include <stdlib.h>

static const char call[] =
        " {\"a\": \"}\\\"]\\\\\", \"b\": [1, {\"c\": \"\\u007d{[\"}], \"d\": {}} {\"next\": 1}";

UNIT_TEST(the_end_is_found_in_pieces_of_any_size)
{
        const size_t end = strlen(call) - strlen(" {\"next\": 1}");

        for (size_t piece = 1; piece < sizeof call; piece++) {
                pawl__hook_scan scan = {.at = 0};
                size_t len = 0;
                bool whole = false;
                while (!whole && len < sizeof call - 1) {
                        const size_t before = scan.at;
                        len = len + piece < sizeof call - 1 ? len + piece : sizeof call - 1;
                        whole = pawl__hook_call_whole(pawl__text_n(call, len), &scan);
                        assert_true(scan.at >= before);
                        assert_true(whole == (len >= end));
                }
                assert_true(whole);
                assert_int_equal(scan.at, end - 1);
        }
}

UNIT_TEST(no_byte_is_looked_at_again)
{
        enum { SIZE = 1 << 20 };
        char *text = malloc(SIZE);
        pawl__hook_scan scan = {.at = 0};

        assert_non_null(text);
        memset(text, 'x', SIZE);
        memcpy(text, "{\"a\":\"", 6);
        for (size_t len = 4096; len <= SIZE; len += 4096) {
                const size_t before = scan.at;
                assert_false(pawl__hook_call_whole(pawl__text_n(text, len), &scan));
                assert_int_equal(before, len - 4096);
                assert_int_equal(scan.at, len);
        }
        free(text);
}
