/* What becomes of a claim that is held: renewed, lost, or given back. */
#include "support/claims.h"

LOG_TEST(all_claims_of_a_handle_are_renewed_but_those_that_others_took)
{
        static const char *const runs[] = {"run-a", "run-b", "run-c"};
        uint64_t fence = 0;

        needs_file();
        event_log_open(f);
        assert_ok(pawl_log_renew_all(f->log)); /* there is nothing to renew */
        for (size_t i = 0; i < 3; i++)
                assert_ok(pawl_log_claim(&fence, f->log, "m", runs[i], NULL, NULL));
        pawl_log *other = claims_another(f);
        f->boot_ms += f->lease_ms / 2 + 1;
        assert_ok(pawl_log_renew_all(f->log));
        f->boot_ms += f->lease_ms / 2 + 1; /* longer since the claims than a lease lasts */
        for (size_t i = 0; i < 3; i++)
                assert_int_equal(
                        pawl_log_claim(&fence, other, "m", runs[i], NULL, NULL), PAWL_EHELD);
        claims_elsewhere(other);
        assert_int_equal(pawl_log_claim(&fence, other, "m", "run-b", NULL, NULL), PAWL_EHELD);
        f->boot_ms += f->lease_ms + 1;
        assert_ok(pawl_log_claim(&fence, other, "m", "run-b", NULL, NULL));
        assert_int_equal(pawl_log_renew_all(f->log), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "run run-b: fence 1 does not hold it any more");
        assert_int_equal(pawl_log_claim(&fence, other, "m", "run-a", NULL, NULL), PAWL_EHELD);
        assert_int_equal(pawl_log_claim(&fence, other, "m", "run-c", NULL, NULL), PAWL_EHELD);
        assert_ok(pawl_log_renew_all(f->log)); /* what was lost is forgotten */
        pawl_log_close(other);
}

/* Long work that appends nothing: its claims are renewed when a third of the lease is over. */
OPEN_LOG_TEST(claims_are_kept_by_who_asks_often)
{
        uint64_t fence = 0;

        assert_ok(pawl__log_keep_claims(f->log));
        assert_int_equal(claims_take(f->log), 1);
        const int64_t until = event_log_integer(f, "SELECT until_ms FROM leases");
        assert_ok(pawl__log_keep_claims(f->log));
        assert_int_equal(event_log_integer(f, "SELECT until_ms FROM leases"), until);
        for (int i = 1; i <= 5; i++) {
                f->boot_ms += f->lease_ms / 3;
                assert_ok(pawl__log_keep_claims(f->log));
                assert_int_equal(event_log_integer(f, "SELECT until_ms FROM leases"),
                        until + i * (int64_t)(f->lease_ms / 3));
        }
        /* One that cannot be written just now is no reason to stop, nor to wait each time. */
        event_log_sql(f, "ALTER TABLE leases RENAME TO away");
        f->boot_ms += f->lease_ms / 3;
        assert_ok(pawl__log_keep_claims(f->log));
        event_log_sql(f, "ALTER TABLE away RENAME TO leases");
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        assert_int_equal(pawl_log_claim(&fence, other, "m", "run-1", NULL, NULL), PAWL_EHELD);
        f->boot_ms += f->lease_ms + 1;
        assert_ok(pawl_log_claim(&fence, other, "m", "run-1", NULL, NULL));
        assert_int_equal(pawl__log_keep_claims(f->log), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "run run-1: fence 1 does not hold it any more");
        assert_ok(pawl__log_keep_claims(f->log));
        pawl_log_close(other);
}

/* A fence of long ago is refused, and the claim that came after it is held on. */
OPEN_LOG_TEST(an_old_fence_gives_up_no_newer_claim)
{
        assert_int_equal(claims_take(f->log), 1);
        assert_int_equal(claims_take(f->log), 2);
        assert_int_equal(pawl_log_renew(f->log, "run-1", 1), PAWL_EFENCED);
        assert_int_equal(claims_take(f->log), 3);
        assert_int_equal(pawl_log_release(f->log, "run-1", 2), PAWL_EFENCED);
        event_log_close(f);
        assert_int_equal(event_log_integer(f, "SELECT held FROM leases"), 0);
}

LOG_TEST(a_run_is_given_back_with_its_last_events_or_not_at_all)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event last = claims_event("RunFailed"), bad = claims_event("StepFailed");
        const pawl_text run = pawl__text("run-1");

        event_log_open(f);
        pawl_log *other = claims_another(f);
        assert_int_equal(claims_take(f->log), 1);
        assert_ok(pawl__batch_event(&batch, &last, NULL));
        assert_ok(pawl__batch_event(&batch, &bad, NULL));
        assert_ok(pawl__batch_release(&batch, run, NULL));
        assert_int_equal(pawl__log_commit(f->log, &batch, 1, NULL), PAWL_EINVAL);
        assert_says(pawl_log_errmsg(f->log), "StepFailed");
        assert_int_equal(event_log_count(f), 1);
        claims_check_held(f, other);

        pawl__batch_clear(&batch);
        assert_ok(pawl__batch_event(&batch, &last, NULL));
        assert_ok(pawl__batch_release(&batch, run, NULL));
        assert_ok(pawl__log_commit(f->log, &batch, 1, NULL));
        assert_int_equal(event_log_count(f), 2);
        assert_int_equal(claims_take(other), 2); /* while the former holder lives */
        assert_null(batch.releases.data);
        pawl__batch_free(&batch);
        pawl_log_close(other);
}
