/* The events of a run are found in the range that its row has, and all of them are in it. */
#include "events/handle.h"
#include "state/run_range.h"
#include "support/history.h"
#include "support/left_logs.h"

struct seen {
        uint64_t seqs[64];
        size_t n;
};

static pawl_status note(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        struct seen *seen = user;

        (void)type, (void)err;
        assert_true(seen->n < 64);
        seen->seqs[seen->n++] = event->seq;
        return PAWL_OK;
}

static pawl_status note_run(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        return pawl__text_is(event->run_id, "run-1") ? note(event, type, user, err) : PAWL_OK;
}

/* By the range, and by all events: the same. */
static pawl__event_filter range_holds_all(struct history *h)
{
        struct seen by_range = {.n = 0}, by_all = {.n = 0};
        pawl__event_filter range;

        assert_ok(pawl__run_each(
                h->log, pawl__text("run-1"), 0, UINT64_MAX, note, &by_range, &h->err));
        assert_ok(pawl__log_each(h->log, 0, note_run, &by_all, &h->err));
        assert_int_equal(by_range.n, by_all.n);
        assert_memory_equal(by_range.seqs, by_all.seqs, by_all.n * sizeof by_all.seqs[0]);
        assert_ok(pawl__run_range(&range, h->log, pawl__text("run-1"), &h->err));
        return range;
}

static void start(struct history *h, const char *run)
{
        h->run = run;
        h->log->event_v = 2;
        assert_ok(history_claim(h));
        history_start(h, "[\"one\"]");
        assert_ok(history_commit(h));
        h->run = "run-1";
}

/* Claims, types that change no table, senses and sessions: each event counts. */
HISTORY_TEST(the_range_has_every_event_of_the_run)
{
        start(h, "run-2");
        const uint64_t before = history_head(h);
        start(h, "run-1");
        history_step_started(h);
        history_append(h, "TermCandidateObserved",
                "{\"actor_id\":\"user:ana\",\"confidence\":0.8,\"context\":\"in the workspace\","
                "\"extraction_method\":\"glossary_match\",\"source_step\":\"one\",\"term\":\"workspace\"}");
        assert_int_equal(range_holds_all(h).since, before);
        assert_int_equal(range_holds_all(h).before, history_head(h) + 1);
        const uint64_t last = history_head(h);
        start(h, "run-3");
        assert_int_equal(range_holds_all(h).before, last + 1);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

/* Events that the tables do not have yet may be the run's. */
HISTORY_TEST(a_run_reaches_to_the_end_while_the_tables_are_behind)
{
        start(h, "run-1");
        history_sql(h, "UPDATE projection SET applied_seq = applied_seq - 1");
        assert_int_equal(range_holds_all(h).before, 0);
        history_sql(h, "UPDATE projection SET applied_seq = applied_seq + 1");
}

/* What another program wrote against the rules is the run's, too, and what came behind it. */
HISTORY_TEST(events_that_broke_the_rules_are_in_the_range)
{
        needs_file();
        log_damaged(h->path);
        start(h, "run-1");
        history_sql(h,
                "INSERT INTO events SELECT seq + 2, type, v, time, mission_id, run_id, step_id, session_id, "
                "actor, payload, prev, hash FROM events WHERE seq <= 2 ORDER BY seq");
        range_holds_all(h);
        assert_ok(pawl__state_rebuild(h->log, &h->err));
        const pawl__row run = history_row(h, PAWL__RUNS, "run-1", NULL);
        assert_int_equal(pawl__run_illegal(&run), 3);
        assert_int_equal(run.v[PAWL__RUN_LAST_SEQ].integer, 4);
        range_holds_all(h);
}

/* A run of before the rules may have events from before its row. */
HISTORY_TEST(a_run_without_rules_is_read_from_the_beginning)
{
        pawl__event_filter range = {.since = 9};

        assert_ok(pawl__run_range(&range, h->log, pawl__text("nobody"), &h->err));
        assert_int_equal(range.since, 0);
        assert_int_equal(range.before, 0);
        start(h, "run-1");
        history_sql(h, "UPDATE runs SET rules = 0, first_seq = 2");
        range = range_holds_all(h);
        assert_int_equal(range.since, 0);
        assert_int_equal(range.before, 3);
        history_sql(h, "UPDATE runs SET rules = 3, first_seq = 1");
}
