/* Claims of a run in a log on a server: of another machine, the lease alone says who lives, by the
 * server's clock. */
#include "events/postgres/server.h"
#include "support/claims.h"

enum { LEASE_MS = 60000 };

/* Of another machine, which no clock but the server's has in common with ours. */
static pawl_log *elsewhere(event_log *f)
{
        pawl_log *log = claims_another(f);

        strcpy(log->self.host, "host-b");
        strcpy(log->self.boot_id, "boot-b");
        return log;
}

/* So much of each lease's time goes by, for the server. */
static void pass(pawl_log *log, const char *ms)
{
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_text text = pawl__text(ms);

        if (pawl__server_execute(NULL, log,
                    "UPDATE pawl.leases SET until_ms = until_ms - CAST($1 AS bigint) "
                    "WHERE {log AND} true",
                    &text, 1, "test", &err))
                fail_msg("%s", err.message);
}

static void see_holder(pawl_log *log)
{
        bool held = false;

        assert_ok(pawl__log_holder(&held, NULL, log, pawl__text("run-1")));
        assert_true(held);
        assert_true(pawl__log_holder_seen(log, pawl__text("run-1")));
}

/* Whatever the machines' own clocks say. */
LOG_TEST(a_lease_is_over_by_the_servers_clock)
{
        uint64_t fence = 0;

        f->lease_ms = LEASE_MS;
        event_log_open(f);
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = elsewhere(f);
        assert_false(pawl__log_holder_seen(other, pawl__text("run-1")));
        claims_check_held(f, other);
        see_holder(other);
        f->boot_ms += 1000000;
        f->wall_us += INT64_C(1000000000000);
        assert_false(pawl__log_holder_seen(other, pawl__text("run-1")));
        claims_check_held(f, other);
        pass(other, "61000");
        assert_ok(pawl_log_claim(&fence, other, "m", "run-1", NULL, NULL));
        assert_int_equal(fence, 2);
        assert_int_equal(append_one(f->log, claims_event("RunFailed"), 1), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "run run-1: fence 1, but 2 holds run-1");
        pawl_log_close(other);
}

LOG_TEST(who_renews_keeps_the_run_and_who_lost_it_is_told)
{
        uint64_t fence = 99;

        f->lease_ms = LEASE_MS;
        event_log_open(f);
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = elsewhere(f);
        for (int i = 0; i < 4; i++) {
                pass(other, "30000");
                assert_int_equal(
                        pawl_log_claim(&fence, other, "m", "run-1", NULL, NULL), PAWL_EHELD);
                assert_ok(pawl_log_renew_all(f->log));
        }
        pass(other, "61000");
        assert_ok(pawl_log_claim(&fence, other, "m", "run-1", NULL, NULL));
        assert_int_equal(fence, 2);
        assert_int_equal(pawl_log_renew_all(f->log), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "run run-1: fence 1 does not hold it any more");
        pawl_log_close(other);
}

/* On one machine the holder's death is seen at once, without waiting for its lease. */
OPEN_LOG_TEST(a_dead_holder_of_this_machine_loses_the_run_at_once)
{
        uint64_t fence = 0;

        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_check_held(f, other);
        see_holder(other);
        f->alive[0].pid = 0;
        assert_false(pawl__log_holder_seen(other, pawl__text("run-1")));
        assert_ok(pawl_log_claim(&fence, other, "m", "run-1", NULL, NULL));
        assert_int_equal(fence, 2);
        pawl_log_close(other);
}
