/* What is still to be waited before another attempt, whatever the wall clock says. */
#include "session/retry.h"
#include "support/test.h"

#define SECOND INT64_C(1000000)

static const pawl__retry retry = {
        .tries = 1, .of = 3, .due_us = 140 * SECOND, .delay_us = 40 * SECOND};

UNIT_TEST(the_wait_is_never_longer_than_the_delay)
{
        assert_int_equal(pawl__retry_left_us(&retry, 100 * SECOND), 40 * SECOND);
        assert_int_equal(pawl__retry_left_us(&retry, 130 * SECOND), 10 * SECOND);
        assert_int_equal(pawl__retry_left_us(&retry, 140 * SECOND), 0);
        assert_int_equal(pawl__retry_left_us(&retry, 1000000 * SECOND), 0); /* set forward */
        assert_int_equal(pawl__retry_left_us(&retry, 0), 40 * SECOND);      /* set back */
        assert_int_equal(pawl__retry_left_us(&retry, -90 * SECOND), 40 * SECOND);
        assert_int_equal(pawl__retry_left_us(&(pawl__retry){0}, 0), 0);
}

UNIT_TEST(it_is_said_which_attempt_is_next_and_when)
{
        char text[64];
        pawl__retry_say(text, &retry, 100 * SECOND);
        assert_string_equal(text, "attempt 2 of 3, next in 40 s");
        pawl__retry_say(text, &retry, 139 * SECOND + 1);
        assert_string_equal(text, "attempt 2 of 3, next in 1 s");
        pawl__retry_say(text, &retry, 140 * SECOND);
        assert_string_equal(text, "attempt 2 of 3");
        pawl__retry_say(text, &(pawl__retry){0}, 0);
        assert_string_equal(text, "");
        const pawl__retry most = {INT64_MAX - 1, INT64_MAX, INT64_MAX, INT64_MAX};
        pawl__retry_say(text, &most, 0);
        assert_true(strlen(text) < sizeof text);
}
