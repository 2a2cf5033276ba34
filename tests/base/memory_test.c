/* Running out of memory sticks to the buffer or arena, and is told where the result leaves. */
#include "base/error.h"
#include "support/allocator.h"
#include "support/test.h"

UNIT_TEST(a_buffer_that_ran_out_of_memory_gives_no_result)
{
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char large[1000] = {0};
        size_t len = 99;

        if (!allocator_works())
                skip();
        pawl__buf_adds(&buf, "before");
        assert_ok(pawl__buf_check(&buf, &err));
        allocator_fail_at(1);
        assert_int_equal(pawl__buf_add(&buf, large, sizeof large), PAWL_ENOMEM);
        allocator_fail_at(0);
        pawl__buf_adds(&buf, "; what fits does not make it whole");
        assert_int_equal(pawl__buf_check(&buf, &err), PAWL_ENOMEM);
        assert_says(err.message, "out of memory");
        assert_null(pawl__buf_take(&buf, &len));
        assert_int_equal(len, 99);
        pawl__buf_clear(&buf);
        pawl__buf_adds(&buf, "again");
        assert_ok(pawl__buf_check(&buf, &err));
        assert_text(pawl__buf_text(&buf), "again");
        assert_int_equal(pawl__buf_reserve(&buf, SIZE_MAX), PAWL_ENOMEM);
        assert_int_equal(pawl__buf_check(&buf, NULL), PAWL_ENOMEM);
        pawl__buf_free(&buf);
        assert_ok(pawl__buf_check(&buf, NULL));
}

UNIT_TEST(an_arena_that_ran_out_of_memory_says_so_once)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        bool ok = true;

        if (!allocator_works())
                skip();
        assert_null(pawl__arena_copy(&arena, (pawl_text){NULL, 0}).data);
        assert_ok(pawl__arena_check(&arena, &err));
        allocator_fail_at(1);
        assert_null(pawl__arena_copy(&arena, pawl__text("text")).data);
        allocator_fail_at(0);
        assert_text(pawl__arena_copy(&arena, pawl__text("more")), "more");
        assert_int_equal(pawl__arena_check(&arena, &err), PAWL_ENOMEM);
        assert_says(err.message, "out of memory");
        assert_ok(pawl__arena_check(&arena, &err));
        assert_null(pawl__arena_array(&arena, SIZE_MAX / 2, 4));
        assert_int_equal(pawl__arena_check(&arena, NULL), PAWL_ENOMEM);
        assert_text(pawl__arena_text(&arena, pawl__text("text"), &ok), "text");
        assert_true(ok);
        pawl__arena_free(&arena);
}
