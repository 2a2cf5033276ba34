/* Which runs a worker takes again, and when. */
#include "cli/pawl/backoff.h"
#include "support/test.h"
#include <stdlib.h>

static const pawl_text R1 = {"r1", 2};

/* It was at work for no time at all. */
static bool put_off(cli_backoffs *list, const char *run_id, int64_t at, cli_backoff_why why)
{
        bool given_up;

        assert_int_equal(cli_backoff_put_off(&given_up, list, run_id, at, at, why), PAWL_OK);
        return given_up;
}

/* The wait is doubled with each time, up to a minute, unless a time took longer than it. */
UNIT_TEST(what_fails_waits_longer_each_time)
{
        static const int64_t waits[] = {1000, 2000, 4000, 8000, 16000, 32000, 64000, 64000};
        cli_backoffs list = {.once = false};
        bool given_up;
        int64_t now = 5;

        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
                assert_false(put_off(&list, "r1", now, CLI_BACKOFF_FAILED));
                assert_false(cli_backoff_passed(&list, R1, now + waits[i] - 1));
                assert_true(cli_backoff_any(&list, now, true));
                now += waits[i];
                assert_true(cli_backoff_passed(&list, R1, now));
                assert_true(cli_backoff_any(&list, now, false));
                assert_false(cli_backoff_any(&list, now, true));
        }
        assert_int_equal(list.n, 1);
        assert_int_equal(
                cli_backoff_put_off(&given_up, &list, "r1", now, now + 64001, CLI_BACKOFF_FAILED),
                PAWL_OK);
        assert_true(cli_backoff_passed(&list, R1, now + 64001 + 1000));
        free(list.items);
}

/* A worker that ends when nothing is in line tries no run again that failed, and one that is
 * killed each time six times; that another worker had it meanwhile changes nothing. */
UNIT_TEST(a_worker_that_ends_gives_up)
{
        cli_backoffs list = {.once = true};
        int64_t now = 0;

        assert_true(put_off(&list, "other", now, CLI_BACKOFF_FAILED));
        assert_false(cli_backoff_any(&list, now, true));
        for (int kills = 1; kills < 6; kills++, now += 64000) {
                assert_false(put_off(&list, "r1", now, CLI_BACKOFF_KILLED));
                assert_false(put_off(&list, "r1", now, CLI_BACKOFF_BUSY));
                assert_false(cli_backoff_passed(&list, R1, now + 199));
                assert_true(cli_backoff_passed(&list, R1, now + 200));
        }
        assert_true(put_off(&list, "r1", now, CLI_BACKOFF_KILLED));
        assert_false(cli_backoff_passed(&list, R1, INT64_MAX));
        assert_false(cli_backoff_any(&list, INT64_MAX, false));
        cli_backoff_forget(&list, "r1");
        cli_backoff_forget(&list, "none");
        assert_true(cli_backoff_passed(&list, R1, now));
        assert_int_equal(list.n, 1);
        free(list.items);
}
