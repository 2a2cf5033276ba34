/* One run, one owner: claims, fences, and how a holder that is gone loses its lease. */
#include "support/claims.h"
#include <sys/stat.h>
#include <unistd.h>

OPEN_LOG_TEST(a_claim_is_an_event_and_a_lease)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        assert_int_equal(claims_take(f->log), 1);
        assert_ok(pawl__log_event(&event, &arena, f->log, 1));
        assert_text(event.type, "RunClaimed");
        assert_text(event.mission_id, "m");
        assert_text(event.run_id, "run-1");
        assert_text(event.actor, "user:ana");
        assert_text(event.payload, "{\"fence\":1,\"owner\":{\"boot_id\":\"boot-1\",\"host\":"
                                   "\"host-a\",\"pid\":100,\"pid_start\":7}}");
        pawl__arena_free(&arena);
}

LOG_TEST(a_batch_goes_into_the_claims_transaction)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event good = claims_event("RunFailed"), bad = claims_event("StepFailed");
        const pawl_text run = pawl__text("run-1"), none = {NULL, 0};
        uint64_t fence = 99;

        event_log_open(f);
        assert_ok(pawl__batch_event(&batch, &bad, NULL));
        assert_int_equal(
                pawl__log_claim(&fence, f->log, none, run, none, none, &batch, NULL), PAWL_EINVAL);
        assert_int_equal(fence, 99);
        assert_int_equal(event_log_count(f), 0);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM leases"), 0);
        assert_int_equal(batch.n, 1);
        pawl__batch_clear(&batch);
        assert_ok(pawl__batch_event(&batch, &good, NULL));
        assert_ok(pawl__log_claim(
                &fence, f->log, pawl__text("m"), run, pawl__text("s"), none, &batch, NULL));
        assert_int_equal(fence, 1);
        assert_int_equal(batch.n, 0);
        assert_int_equal(event_log_count(f), 2);
        assert_int_equal(
                event_log_integer(f, "SELECT session_id = 's' FROM events WHERE seq = 1"), 1);
        pawl__batch_free(&batch);
}

OPEN_LOG_TEST(a_claim_may_ask_that_nobody_claimed_since_it_looked)
{
        const pawl_text none = {NULL, 0}, run = pawl__text("run-1");
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_owner owner = {0};
        uint64_t fence = 99;

        assert_int_equal(claims_take(f->log), 1);
        batch.after_fence = 7; /* a live holder is named first */
        pawl_log *other = claims_another(f);
        assert_int_equal(
                pawl__log_claim(&fence, other, none, run, none, none, &batch, &owner), PAWL_EHELD);
        assert_int_equal(owner.fence, 1);
        assert_ok(pawl_log_release(f->log, "run-1", 1));
        int64_t before = event_log_count(f);
        assert_int_equal(
                pawl__log_claim(&fence, other, none, run, none, none, &batch, NULL), PAWL_EEXISTS);
        assert_says(pawl_log_errmsg(other), "run run-1: was claimed by another process since");
        assert_int_equal(fence, 99);
        assert_int_equal(event_log_count(f), before);
        batch.after_fence = 1;
        assert_ok(pawl__log_claim(&fence, other, pawl__text("m"), run, none, none, &batch, NULL));
        assert_int_equal(fence, 2);
        assert_int_equal(batch.after_fence, 0);
        pawl_log_close(other);
        pawl__batch_free(&batch);
}

OPEN_LOG_TEST(a_run_id_that_is_not_of_its_form_is_refused)
{
        uint64_t fence = 99;

        assert_int_equal(pawl_log_claim(&fence, f->log, "m", "a/b", NULL, NULL), PAWL_EINVAL);
        assert_says(pawl_log_errmsg(f->log), "run id \"a/b\": holds a slash");
        assert_int_equal(pawl_log_claim(&fence, f->log, "m", NULL, NULL, NULL), PAWL_EINVAL);
        assert_int_equal(pawl_log_claim(&fence, f->log, "a\n", "r", NULL, NULL), PAWL_EINVAL);
        assert_int_equal(fence, 99);
        assert_int_equal(event_log_count(f), 0);
}

LOG_TEST(append_refuses_a_stale_fence_and_leaves_no_trace)
{
        pawl_event events[2] = {event_scope(NULL), claims_event("RunFailed")};
        uint64_t seq = 99;

        event_log_open(f);
        assert_int_equal(pawl__log_append(&seq, f->log, events, 2, 1), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "run run-1: fence 1, but nobody claimed the run");
        assert_int_equal(claims_take(f->log), 1);
        assert_int_equal(claims_take(f->log), 2); /* the handle that holds it may claim it again */
        assert_int_equal(pawl__log_append(&seq, f->log, events, 2, 1), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "fence 1, but 2 holds run-1");
        assert_int_equal(pawl__log_append(&seq, f->log, events, 2, 0), PAWL_EFENCED);
        assert_int_equal(seq, 99);
        assert_int_equal(event_log_count(f), 2);
        /* An event of no owner needs no fence, but a stale one is refused with it too. */
        assert_ok(append_one(f->log, claims_event("GlossaryScopeActivated"), 0));
        assert_int_equal(
                append_one(f->log, claims_event("GlossaryScopeActivated"), 1), PAWL_EFENCED);
        assert_ok(pawl__log_append(&seq, f->log, events, 2, 2));
        assert_int_equal(event_log_count(f), 5);
}

OPEN_LOG_TEST(who_gave_a_run_back_does_not_append_for_it)
{
        assert_int_equal(claims_take(f->log), 1);
        assert_ok(pawl_log_release(f->log, "run-1", 1));
        assert_int_equal(append_one(f->log, claims_event("RunFailed"), 1), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "fence 1 was given back");
        assert_ok(append_one(f->log, claims_event("GlossaryScopeActivated"), 1));
        assert_int_equal(pawl_log_release(f->log, "run-1", 1), PAWL_EFENCED);
        assert_int_equal(pawl_log_renew(f->log, "run-1", 1), PAWL_EFENCED);
        assert_says(pawl_log_errmsg(f->log), "fence 1 does not hold it any more");
        assert_int_equal(pawl_log_release(f->log, "run-2", 1), PAWL_EFENCED);
        assert_int_equal(claims_take(f->log), 2); /* the fence outlives the claim */
}

OPEN_LOG_TEST(a_live_holder_keeps_the_run_whatever_the_clock_says)
{
        bool held = false;
        pawl_owner owner;

        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_check_held(f, other);
        assert_ok(pawl__log_holder(&held, &owner, other, pawl__text("run-1")));
        assert_true(held);
        assert_int_equal(owner.fence, 1);
        f->wall_us += INT64_C(86400000000);
        for (int i = 0; i < 3; i++) {
                f->boot_ms += 86400000; /* it is stopped, and renews nothing */
                claims_check_held(f, other);
        }
        f->alive[0].pid = 0; /* nor does it matter what there is to be seen of it from elsewhere */
        strcpy(other->self.boot_id, "boot-2");
        claims_check_held(f, other);
        other->self.pid_ns = 2;
        f->boot_ms -= 5 * 86400000;
        claims_check_held(f, other);
        event_log_close(f);
        assert_int_equal(claims_take(other), 2);
        pawl_log_close(other);
}

OPEN_LOG_TEST(another_handle_of_the_same_process_does_not_get_the_run)
{
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *second = event_log_another(f);
        claims_check_held(f, second);
        event_log_close(f); /* which gives the run back */
        assert_int_equal(claims_take(second), 2);
        pawl_log_close(second);
}

/* The holder's process ends: what the kernel does then. */
static void die(pawl_log *log)
{
        assert_int_equal(log->n_leases, 1);
        assert_true(log->leases[0].lock_fd > 2);
        close(log->leases[0].lock_fd);
        log->leases[0].lock_fd = -1;
}

OPEN_LOG_TEST(a_dead_holder_loses_the_run_at_once_whatever_is_seen_of_it)
{
        uint64_t fence = 1;

        needs_file();
        assert_int_equal(claims_take(f->log), fence);
        pawl_log *other = claims_another(f);
        die(f->log); /* its pid is another process's now, started in the same tick */
        assert_int_equal(claims_take(other), ++fence);
        assert_int_equal(append_one(f->log, claims_event("RunFailed"), 1), PAWL_EFENCED);
        assert_int_equal(pawl_log_renew(f->log, "run-1", 1), PAWL_EFENCED);
        assert_ok(append_one(other, claims_event("RunFailed"), 2));
        assert_ok(pawl_log_release(other, "run-1", fence));

        assert_int_equal(claims_take(f->log), ++fence);
        strcpy(other->self.boot_id, "boot-2"); /* the host was started anew, or it looks so */
        other->self.pid_ns = 2;
        claims_check_held(f, other);
        die(f->log);
        assert_int_equal(claims_take(other), ++fence);
        pawl_log_close(other);
}

/* Two runs, many times: each claim has a lock of its own, and places are used again. */
/* Who died once its mark was written, and before its claim was committed, left the mark that the
 * next claim has: it is not the dead one's place that says who lives. */
OPEN_LOG_TEST(a_mark_that_became_no_claim_takes_no_run_from_the_next)
{
        char mark[32];
        uint64_t fence;

        needs_file();
        assert_ok(pawl_log_claim(&fence, f->log, "m", "run-2", NULL, NULL));
        assert_int_equal(claims_take(f->log), 1);
        assert_ok(pawl_log_release(f->log, "run-2", fence));
        FILE *file = fopen(path_in(f->directory, ".pawl/events.db-lock"), "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, 32, SEEK_SET), 0);
        assert_int_equal(fread(mark, sizeof mark, 1, file), 1);
        rewind(file);
        assert_int_equal(fwrite(mark, sizeof mark, 1, file), 1);
        assert_int_equal(fclose(file), 0);
        pawl_log *other = claims_another(f);
        claims_check_held(f, other);
        f->alive[0].pid = 0;
        claims_check_held(f, other);
        pawl_log_close(other);
}

OPEN_LOG_TEST(a_lock_says_nothing_of_other_runs_and_takes_no_room)
{
        struct stat st;
        uint64_t fence;

        needs_file();
        pawl_log *other = claims_another(f);
        for (int i = 0; i < 10; i++) {
                assert_int_equal(claims_take(f->log), i + 1);
                assert_ok(pawl_log_claim(&fence, other, "m", "run-2", NULL, NULL));
                claims_check_held(f, other);
                assert_int_equal(
                        pawl_log_claim(&fence, f->log, "m", "run-2", NULL, NULL), PAWL_EHELD);
                if (i % 2)
                        assert_ok(pawl_log_release(f->log, "run-1", (uint64_t)i + 1));
                assert_ok(pawl_log_release(other, "run-2", fence));
        }
        assert_int_equal(stat(path_in(f->directory, ".pawl/events.db-lock"), &st), 0);
        assert_int_equal(st.st_mode, S_IFREG | 0600);
        assert_true(st.st_size <= 3 * 32);
        pawl_log_close(other);
}

static int lock_is_held(void *other)
{
        return pawl__run_lock_state(other, pawl__text("run-1"), 1) != PAWL__LIFE_LIVES;
}

/* Who finds a claim after a power cut finds its mark too, free: the lock file is written first. */
OPEN_LOG_TEST(the_lock_is_had_before_the_claim_is_committed)
{
        uint64_t fence = 9;

        needs_file();
        pawl_log *other = claims_another(f);
        sqlite3_commit_hook(pawl__log_db(f->log), lock_is_held, other); /* else the commit fails */
        assert_int_equal(claims_take(f->log), 1);
        sqlite3_commit_hook(pawl__log_db(f->log), lock_is_held, f->log);
        assert_ok(pawl_log_release(f->log, "run-1", 1));
        assert_int_not_equal(pawl_log_claim(&fence, f->log, "m", "run-1", NULL, NULL), PAWL_OK);
        assert_int_equal(fence, 9);
        assert_int_equal(pawl__run_lock_state(other, pawl__text("run-1"), 2), PAWL__LIFE_UNKNOWN);
        sqlite3_commit_hook(pawl__log_db(f->log), NULL, NULL);
        assert_int_equal(claims_take(other), 2);
        pawl_log_close(other);
}

/* A lock file that is removed is made anew with the next renewal. */
OPEN_LOG_TEST(who_lost_the_lock_file_has_a_lock_again_after_renewing)
{
        needs_file();
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        claims_check_held(f, other);
        assert_ok(pawl_log_renew(f->log, "run-1", 1));
        f->boot_ms += 86400000;
        claims_check_held(f, other);
        die(f->log);
        assert_int_equal(claims_take(other), 2);
        pawl_log_close(other);
}

/* ---- Where the kernel does not say: another machine, or no locks ----------------------------- */

OPEN_LOG_TEST(without_a_lock_the_process_is_looked_at)
{
        uint64_t fence = 1;

        assert_int_equal(claims_take(f->log), fence);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        strcpy(other->self.boot_id, "boot-1");
        f->boot_ms += 86400000;
        claims_check_held(f, other);
        f->alive[0].start = 9; /* its pid is another process's now */
        assert_int_equal(claims_take(other), ++fence);
        assert_ok(pawl_log_release(other, "run-1", fence));
        f->alive[0].start = 7;
        assert_int_equal(claims_take(f->log), ++fence);
        claims_elsewhere(other);
        strcpy(other->self.boot_id, "boot-1");
        claims_check_held(f, other);
        f->alive[0].pid = 0; /* no such process */
        assert_int_equal(claims_take(other), ++fence);
        pawl_log_close(other);
}

static void check_watched_out(event_log *f, pawl_log *other)
{
        f->boot_ms += 30000;
        claims_check_held(f, other);
        f->boot_ms += 1;
        assert_int_equal(claims_take(other), 2);
        pawl_log_close(other);
}

OPEN_LOG_TEST(a_holder_in_another_pid_namespace_is_watched)
{
        needs_file();
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        strcpy(other->self.boot_id, "boot-1");
        other->self.pid_ns = 2;
        f->alive[0].pid = 0;  /* says nothing there */
        f->boot_ms += 999999; /* nor does the clock, which may have another origin there */
        claims_check_held(f, other);
        check_watched_out(f, other);
}

OPEN_LOG_TEST(a_start_time_that_cannot_be_read_is_not_death)
{
        needs_file();
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        strcpy(other->self.boot_id, "boot-1");
        f->alive[0].start = PAWL__START_UNKNOWN;
        claims_check_held(f, other);
        check_watched_out(f, other);
}

OPEN_LOG_TEST(another_hosts_lease_is_over_when_it_was_watched_unchanged_for_its_length)
{
        needs_file();
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        f->alive[0].pid = 0;  /* says nothing there either */
        f->boot_ms -= 999999; /* nor does the clock */
        claims_check_held(f, other);
        f->boot_ms += 30000;
        claims_check_held(f, other);
        f->boot_ms += 5;
        assert_ok(pawl_log_renew(f->log, "run-1", 1));
        claims_elsewhere(other);
        claims_check_held(f, other);
        check_watched_out(f, other);
}

static void take_of(pawl_log *log, const char *run_id, pawl_status wanted)
{
        pawl_owner owner;
        uint64_t fence;

        assert_int_equal(pawl_log_claim(&fence, log, "m", run_id, "user:ana", &owner), wanted);
}

/* Who looks after several runs by turns sees each of them expire. */
OPEN_LOG_TEST(leases_of_another_host_are_watched_side_by_side)
{
        needs_file();
        take_of(f->log, "run-1", PAWL_OK);
        take_of(f->log, "run-2", PAWL_OK);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        f->alive[0].pid = 0;
        take_of(other, "run-1", PAWL_EHELD);
        f->boot_ms += 10000;
        take_of(other, "run-2", PAWL_EHELD);
        f->boot_ms += 20001;
        take_of(other, "run-1", PAWL_OK);
        take_of(other, "run-2", PAWL_EHELD);
        f->boot_ms += 10000;
        take_of(other, "run-2", PAWL_OK);
        pawl_log_close(other);
}

/* A host that was started anew and one that says so of itself in a container look alike. */
OPEN_LOG_TEST(another_boot_of_the_same_host_is_watched)
{
        needs_file();
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        strcpy(other->self.host, "host-a");
        claims_check_held(f, other);
        check_watched_out(f, other);
}

LOG_TEST(without_a_boot_id_nothing_is_concluded_from_it)
{
        needs_file();
        f->self.boot_id[0] = '\0';
        event_log_open(f);
        assert_int_equal(claims_take(f->log), 1);
        pawl_log *other = claims_another(f);
        claims_elsewhere(other);
        other->self.boot_id[0] = '\0';
        f->alive[0].pid = 0;
        claims_check_held(f, other);
        check_watched_out(f, other);
}

OPEN_LOG_TEST(fences_grow_even_when_the_leases_are_lost)
{
        assert_int_equal(claims_take(f->log), 1);
        assert_int_equal(claims_take(f->log), 2);
        event_log_close(f);
        event_log_sql(f, "DROP TABLE leases");
        event_log_open(f);
        assert_int_equal(claims_take(f->log), 3);
        /* What the runs table says counts as well, for events before applied_seq. */
        event_log_sql(f, "DELETE FROM leases; UPDATE projection SET applied_seq = 3;"
                         "INSERT INTO runs VALUES ('run-1', NULL, NULL, 0, 0, 0, NULL, NULL, NULL, "
                         "NULL, 40, NULL, NULL, 0, 0, NULL, 0, 0, 1, 3, 0)");
        assert_int_equal(claims_take(f->log), 41);
}

/* A fence that is not of this library's giving: the largest, and one below 0. */
LOG_TEST(no_claim_follows_the_last_fence_there_can_be)
{
        static const char *const fences[] = {"9223372036854775807", "-1"};
        char sql[80];

        event_log_open(f);
        assert_int_equal(claims_take(f->log), 1);
        assert_ok(pawl_log_release(f->log, "run-1", 1));
        for (size_t i = 0; i < 2; i++) {
                uint64_t fence = 99;
                snprintf(sql, sizeof sql, "UPDATE leases SET fence = %s", fences[i]);
                event_log_sql(f, sql);
                assert_int_equal(pawl_log_claim(&fence, f->log, "m", "run-1", "user:ana", NULL),
                        PAWL_EDAMAGED);
                assert_says(pawl_log_errmsg(f->log), "and there is none after it");
                assert_int_equal(fence, 99);
                assert_int_equal(event_log_count(f), 1);
        }
}

OPEN_LOG_TEST(a_read_only_log_claims_nothing)
{
        uint64_t fence = 99;

        assert_int_equal(claims_take(f->log), 1);
        f->flags = PAWL_LOG_READONLY;
        pawl_log *reader = event_log_another(f);
        assert_int_equal(pawl_log_claim(&fence, reader, "m", "run-2", NULL, NULL), PAWL_EREADONLY);
        assert_int_equal(pawl_log_renew(reader, "run-1", 1), PAWL_EREADONLY);
        assert_int_equal(pawl_log_release(reader, "run-1", 1), PAWL_EREADONLY);
        assert_int_equal(fence, 99);
        pawl_log_close(reader);
}

OPEN_LOG_TEST(nobody_holds_a_run_that_nobody_claimed)
{
        bool held = true;
        pawl_owner owner = {7, 7, {NULL, 0}};

        assert_ok(pawl__log_holder(&held, &owner, f->log, pawl__text("run-1")));
        assert_false(held);
        assert_int_equal(owner.fence, 0);
}

UNIT_TEST(this_process_is_known_by_the_kernel)
{
        pawl__identity self;

        pawl__identity_system(&self);
        assert_int_equal(self.pid, getpid());
        assert_true(self.host[0]);
        assert_int_equal(strlen(self.boot_id), 36);
        assert_true(self.pid_start > 0);
        assert_true(self.pid_ns > 0);
        assert_int_equal(self.start_of(self.pid, self.user), self.pid_start);
        assert_int_equal(self.start_of(INT32_MAX, self.user), PAWL__START_GONE);
}
