/* The state tables kept in step with the log: attached, behind, rolled back, rebuilt. */
#include "support/history.h"

static void start(struct history *h)
{
        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
}

static int64_t applied(struct history *h)
{
        return history_count(h, "(SELECT 1 FROM projection, events WHERE seq <= applied_seq)");
}

/* A second handle on the file, with its state attached or not. */
static pawl_log *another(struct history *h, unsigned flags, bool attach)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;
        pawl__state *state;

        options.flags = flags;
        assert_ok(pawl_log_open(&log, h->path, &options, &h->err));
        if (attach)
                assert_ok(pawl__state_of(&state, log, &h->err));
        return log;
}

/* Append one sense through another handle. */
static pawl_status append_sense(pawl_log *log, const char *definition)
{
        char payload[512];
        snprintf(payload, sizeof payload,
                "{\"term_surface\":\"t\",\"scope\":\"core\",\"new_sense\":{\"definition\":\"%s\","
                "\"status\":\"active\",\"confidence\":1},\"actor\":{\"actor_id\":\"a\"},"
                "\"update_type\":\"create\",\"provenance\":{\"source\":\"s\"}}",
                definition);
        pawl_event event = {
                .v = 1, .type = pawl__text("GlossarySenseUpdated"), .payload = pawl__text(payload)};

        return pawl__log_append(NULL, log, &event, 1, 0);
}

HISTORY_TEST(a_log_has_one_state)
{
        pawl__state *again;

        assert_ok(pawl__state_of(&again, h->log, &h->err));
        assert_ptr_equal(again, h->state);
}

HISTORY_TEST(an_append_moves_the_tables_place_with_it)
{
        assert_int_equal(applied(h), 0);
        start(h);
        assert_int_equal(applied(h), 2);
}

HISTORY_TEST(what_was_appended_without_a_state_is_caught_up_when_it_is_attached)
{
        start(h);
        history_reopen(h, 0);
        assert_ok(append_sense(h->log, "D1"));
        assert_ok(append_sense(h->log, "D2"));
        assert_int_equal(applied(h), 2);
        assert_int_equal(history_count(h, "senses"), 0);
        history_attach(h);
        assert_int_equal(applied(h), 4);
        assert_int_equal(history_count(h, "senses"), 2);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

HISTORY_TEST(what_others_appended_without_a_state_is_caught_up_by_the_next_append)
{
        pawl_log *log = another(h, 0, false);

        start(h);
        assert_ok(append_sense(log, "D1"));
        assert_int_equal(applied(h), 2);
        assert_ok(append_sense(h->log, "D2"));
        assert_int_equal(applied(h), 4);
        assert_int_equal(history_count(h, "senses"), 2);
        assert_ok(pawl__replay_check(h->log, &h->err));
        pawl_log_close(log);
}

HISTORY_TEST(an_answer_through_another_handle_is_seen)
{
        struct history other = *h;

        start(h);
        history_requested(h, "c1", TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        other.log = another(h, 0, true);
        other.batch = (pawl__batch)PAWL__BATCH_INIT;
        other.run = other.step = NULL;
        history_resolved(&other, "c1", "A folder.");
        check_ok(&other, history_commit(&other), __FILE__, __LINE__);
        history_resolved(h, "c1", "A room.");
        history_refuses(h, PAWL_EEXISTS, "conflict c1: was answered already at seq 4");
        pawl__batch_free(&other.batch);
        pawl_log_close(other.log);
}

/* A second answer that was appended past the state tables is in the log and means nothing. */
HISTORY_TEST(what_contradicts_but_stands_in_the_log_changes_nothing)
{
        start(h);
        history_requested(h, "c1", TOKEN(1));
        history_resolved(h, "c1", "A folder.");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_reopen(h, 0);
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_resolved(h, "c1", "A room.");
        history_resolved(h, "c2", "A room.");
        history_append(h, "RunCompleted", "{}");
        history_attach(h);
        assert_int_equal(applied(h), 8);
        assert_int_equal(history_count(h, "senses WHERE definition = 'A folder.'"), 1);
        assert_int_equal(history_count(h, "senses"), 1);
        assert_text(
                history_row(h, PAWL__RUNS, "run-1", NULL).v[PAWL__RUN_STATUS].text, "completed");
        assert_ok(pawl__replay_check(h->log, &h->err));
}

HISTORY_TEST(an_append_that_is_rolled_back_leaves_nothing_behind)
{
        start(h);
        history_step_started(h);
        history_requested(h, "c1", TOKEN(1));
        history_resolved(h, "c9", "A folder."); /* refused, and the two before with it */
        history_refuses(h, PAWL_ESTATE, "conflict c9");
        assert_int_equal(history_count(h, "conflicts"), 0);
        assert_int_equal(applied(h), 2);
        history_requested(h, "c1", TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(
                history_row(h, PAWL__STEPS, "run-1", "one").v[PAWL__STEP_STATUS].text, "pending");
        assert_int_equal(history_count(h, "conflicts WHERE seq = 3"), 1);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

/* Tables that cannot be written: the append fails whole, with SQLite's reason. */
HISTORY_TEST(an_append_whose_state_cannot_be_written_is_rolled_back)
{
        start(h);
        history_sql(h, "CREATE UNIQUE INDEX broken ON steps (run_id) "
                       "WHERE step_id IN ('one', 'new')");
        h->step = "new";
        history_step_started(h);
        assert_int_equal(history_commit(h), PAWL_EDAMAGED);
        assert_says(
                pawl_log_errmsg(h->log), "cannot write the state tables: UNIQUE constraint failed");
        assert_int_equal(history_head(h), 2);
        assert_int_equal(applied(h), 2);
        history_sql(h, "DROP INDEX broken");
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

HISTORY_TEST(a_read_only_log_whose_tables_are_current_is_read)
{
        start(h);
        history_reopen(h, PAWL_LOG_READONLY);
        history_attach(h);
        assert_true(history_has(h, PAWL__RUNS, "run-1", NULL));
        assert_ok(pawl__replay_check(h->log, &h->err));
}

HISTORY_TEST(a_read_only_log_whose_tables_are_behind_is_refused)
{
        pawl__state *kept = (pawl__state *)h;

        start(h);
        history_reopen(h, 0);
        assert_ok(append_sense(h->log, "D"));
        history_reopen(h, PAWL_LOG_READONLY);
        assert_int_equal(pawl__state_of(&kept, h->log, &h->err), PAWL_ESTATE);
        assert_says(h->err.message, h->path);
        assert_says(h->err.message, "its state tables stand at seq 2 of 3; open it once with pawl "
                                    "to bring its tables up to date");
        assert_ptr_equal(kept, h);
        assert_int_equal(applied(h), 2);
        /* the fold and the check need no tables that are current */
        assert_ok(pawl__replay_check(h->log, &h->err));
        (void)history_replay(h, NULL);
}

HISTORY_TEST(a_log_whose_tail_was_cut_is_refused_until_it_is_rebuilt)
{
        pawl__state *kept = NULL;

        start(h);
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_sql(h, "DROP TRIGGER events_refuse_delete; DELETE FROM events WHERE seq = 3");
        history_step_started(h);
        assert_int_equal(history_commit(h), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(h->log),
                "event 3, which was recorded, is gone from it; put back a copy that has it");
        assert_int_equal(history_head(h), 2);
        history_reopen(h, 0);
        assert_int_equal(pawl__state_of(&kept, h->log, &h->err), PAWL_EDAMAGED);
        assert_null(kept);
        assert_int_equal(pawl__replay_check(h->log, &h->err), PAWL_EDAMAGED);
        assert_says(h->err.message, "its tail was cut");

        assert_ok(pawl__state_rebuild(h->log, &h->err));
        history_attach(h);
        assert_text(
                history_row(h, PAWL__STEPS, "run-1", "one").v[PAWL__STEP_STATUS].text, "pending");
        assert_ok(pawl__replay_check(h->log, &h->err));
}

HISTORY_TEST(a_rebuild_makes_rows_that_were_changed_what_the_events_say)
{
        start(h);
        history_requested(h, "c1", TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_sql(h,
                "UPDATE runs SET status = 'completed'; DELETE FROM steps; "
                "INSERT INTO sessions (session_id, seq, started_us, updated_us, ended_us, done, "
                "total, checkpoints, checkpoint_seq, notes_seq, pinned) "
                "VALUES ('ghost', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0)");
        assert_int_equal(pawl__replay_check(h->log, &h->err), PAWL_EDAMAGED);
        assert_ok(pawl__state_rebuild(h->log, &h->err));
        assert_ok(pawl__replay_check(h->log, &h->err));
        assert_int_equal(history_count(h, "sessions"), 0);
        assert_int_equal(history_count(h, "steps"), 1);
        assert_text(history_row(h, PAWL__RUNS, "run-1", NULL).v[PAWL__RUN_STATUS].text, "running");
}

/* A handle that knows a row as it was before does not put that back. */
HISTORY_TEST(a_rebuild_holds_that_came_between_two_appends_of_another_handle)
{
        start(h);
        history_sql(h, "UPDATE runs SET mission_hash = 'changed'");
        history_reopen(h, 0);
        history_attach(h);
        history_step_started(h);
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        pawl_log *other = another(h, 0, false);
        assert_ok(pawl__state_rebuild(other, &h->err));
        pawl_log_close(other);
        assert_ok(pawl__replay_check(h->log, &h->err));
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

/* The tables themselves are derived, not their rows alone. */
HISTORY_TEST(a_rebuild_makes_tables_that_lost_a_column_anew)
{
        start(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_sql(h, "ALTER TABLE runs RENAME COLUMN fence TO fence_2");
        history_reopen(h, 0);
        assert_int_equal(pawl__replay_check(h->log, &h->err), PAWL_EDAMAGED);
        assert_says(h->err.message, "no such column: fence");
        assert_ok(pawl__state_rebuild(h->log, &h->err));
        assert_ok(pawl__replay_check(h->log, &h->err));
        history_attach(h);
        assert_int_equal(history_row(h, PAWL__RUNS, "run-1", NULL).v[PAWL__RUN_FENCE].integer, 1);
}

HISTORY_TEST(a_rebuild_of_a_read_only_log_is_refused)
{
        history_reopen(h, PAWL_LOG_READONLY);
        assert_int_equal(pawl__state_rebuild(h->log, &h->err), PAWL_EREADONLY);
        assert_says(h->err.message, "is open read-only; open it for writing to rebuild");
}

/* A rebuild that fails half way leaves the tables as they were. */
HISTORY_TEST(a_rebuild_that_meets_a_malformed_event_changes_nothing)
{
        start(h);
        history_append(h, "RunFailed", "{\"reason\":\"x\"}");
        history_sql(h, "DROP TRIGGER events_refuse_update;"
                       "UPDATE events SET payload = '{}' WHERE seq = 3");
        assert_int_equal(pawl__state_rebuild(h->log, &h->err), PAWL_EDAMAGED);
        assert_says(h->err.message, "seq 3 (RunFailed): payload.reason: is missing");
        assert_int_equal(applied(h), 3);
        assert_int_equal(history_count(h, "runs WHERE status = 'failed'"), 1);
        assert_int_equal(history_count(h, "steps"), 1);
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

/* schema.sql says that derived tables may be dropped. */
HISTORY_TEST(tables_that_were_dropped_are_made_and_filled_again)
{
        char *before;

        start(h);
        history_requested(h, "c1", TOKEN(1));
        history_resolved(h, "c1", "A folder.");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        before = history_replay(h, NULL);
        history_sql(h,
                "DROP TABLE runs; DROP TABLE steps; DROP TABLE conflicts; DROP TABLE senses; "
                "DROP TABLE projection");
        history_reopen(h, 0);
        history_attach(h);
        assert_ok(pawl__replay_check(h->log, &h->err));
        assert_true(history_has(h, PAWL__CONFLICTS, "c1", NULL));
        char *after = history_replay(h, NULL);
        assert_string_equal(after, before);
}

HISTORY_TEST(much_is_caught_up_in_pieces_that_fit_together)
{
        enum { SENSES = 10000 };

        history_reopen(h, 0);
        h->mission = h->run = h->step = NULL;
        for (int i = 0; i < SENSES; i++) {
                char definition[32];
                snprintf(definition, sizeof definition, "D%d", i % 6000); /* some twice */
                history_sense(h, "t", "core", definition, "active", NULL);
        }
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_attach(h);
        assert_int_equal(history_count(h, "senses"), 6000);
        assert_int_equal(applied(h), SENSES);
        assert_ok(pawl__replay_check(h->log, &h->err));
}
