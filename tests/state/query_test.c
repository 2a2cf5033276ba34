#include "events/sqlite/sqlite.h"
#include "support/history.h"
#include "support/left_logs.h"

static void start(struct history *h, const char *run)
{
        h->run = run;
        history_start(h, "[\"one\",\"two\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
}

static void ask(struct history *h, const char *conflict)
{
        history_blocked_by(h, conflict);
        history_requested(h, conflict, TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

HISTORY_TEST(a_row_that_is_not_there_is_not_found_and_says_nothing)
{
        pawl__row row = {0};

        row.v[PAWL__RUN_ID].text = pawl__text("none");
        assert_int_equal(
                pawl__state_get(h->state, PAWL__RUNS, &row, &h->arena, &h->err), PAWL_ENOTFOUND);
        assert_string_equal(h->err.message, "");
        assert_text(row.v[PAWL__RUN_ID].text, "none");
}

/* The first column of a row, and a space. */
static pawl_status join(const pawl__row *row, void *user, pawl_error *err)
{
        pawl__buf *out = user;

        (void)err;
        return pawl__buf_addf(out, "%.*s ", (int)row->v[0].text.len, row->v[0].text.data);
}

/* ---- Conflicts ------------------------------------------------------------------------------- */

static void conflicts_are(
        struct history *h, const char *run, const char *step, bool open, const char *ids)
{
        pawl__row *rows;
        size_t n;
        pawl__buf found = PAWL__BUF_INIT;

        assert_ok(pawl__state_conflicts(
                &rows, &n, h->state, pawl__text(run), pawl__text(step), open, &h->arena, &h->err));
        for (size_t i = 0; i < n; i++)
                assert_ok(join(&rows[i], &found, &h->err));
        assert_text(pawl__buf_text(&found), ids);
        pawl__buf_free(&found);
}

HISTORY_TEST(conflicts_are_listed_by_run_step_and_state_in_the_order_of_their_requests)
{
        conflicts_are(h, NULL, NULL, false, "");
        start(h, "run-1");
        ask(h, "c9");
        ask(h, "c1");
        h->step = "two";
        ask(h, "c5");
        start(h, "run-2");
        ask(h, "c3");
        history_resolved(h, "c9", "D");
        check_ok(h, history_commit(h), __FILE__, __LINE__);

        conflicts_are(h, NULL, NULL, false, "c9 c1 c5 c3 ");
        conflicts_are(h, NULL, NULL, true, "c1 c5 c3 ");
        conflicts_are(h, "run-1", NULL, false, "c9 c1 c5 ");
        conflicts_are(h, "run-1", NULL, true, "c1 c5 ");
        conflicts_are(h, "run-1", "one", false, "c9 c1 ");
        conflicts_are(h, "run-1", "one", true, "c1 ");
        conflicts_are(h, NULL, "two", false, "c5 c3 ");
        conflicts_are(h, NULL, "two", true, "c5 c3 ");
        conflicts_are(h, "run-3", NULL, false, "");
}

HISTORY_TEST(a_prefix_finds_a_conflict_or_shows_that_there_are_more)
{
        static const struct {
                const char *prefix;
                size_t n;
                const char *first;
        } cases[] = {{"ab12", 1, "ab12"}, {"ab1", 1, "ab12"}, {"ab", 2, "ab12"}, {"b", 0, NULL},
                {"ab123", 0, NULL}, {"a_", 0, NULL}, {"", 4, "aa00"}, {"cd", 1, "cd34"},
                {"ce", 0, NULL}};

        start(h, "run-1");
        ask(h, "cd34");
        ask(h, "ab56");
        ask(h, "aa00");
        ask(h, "ab12");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__row rows[PAWL__CANDIDATES];
                size_t n = 9;
                assert_ok(pawl__state_by_prefix(rows, &n, h->state, PAWL__CONFLICTS,
                        pawl__text(cases[i].prefix), &h->arena, &h->err));
                assert_int_equal(n, cases[i].n);
                if (n)
                        assert_text(rows[0].v[PAWL__CON_ID].text, cases[i].first);
        }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void unfinished_is(struct history *h, const char *run)
{
        pawl__row row = {0};
        pawl_status status =
                pawl__state_unfinished(&row, h->state, pawl__text("mission-1"), &h->arena, &h->err);

        assert_int_equal(status, run ? PAWL_OK : PAWL_ENOTFOUND);
        if (run)
                assert_text(row.v[PAWL__RUN_ID].text, run);
}

HISTORY_TEST(the_newest_run_that_did_not_complete_is_unfinished)
{
        unfinished_is(h, NULL);
        start(h, "run-1");
        start(h, "run-2");
        start(h, "run-3");
        unfinished_is(h, "run-3");
        history_append(h, "RunCompleted", "{}");
        unfinished_is(h, "run-2");
        h->run = "run-1";
        history_append(h, "RunFailed", "{\"reason\":\"x\"}");
        unfinished_is(h, "run-2");
        assert_string_equal(h->err.message, "");
}

/* The index gives the order: what is in the log before costs nothing. */
HISTORY_TEST(a_page_of_unfinished_runs_sorts_nothing)
{
        sqlite3_stmt *stmt;

        needs_file();
        assert_int_equal(
                sqlite3_prepare_v2(pawl__log_db(h->log),
                        "EXPLAIN QUERY PLAN SELECT * FROM runs WHERE status <> 'completed'"
                        " AND started_seq < ?1 AND started_seq >= ?2 ORDER BY started_seq DESC LIMIT ?3",
                        -1, &stmt, NULL),
                SQLITE_OK);
        while (sqlite3_step(stmt) == SQLITE_ROW) {
                const char *detail = (const char *)sqlite3_column_text(stmt, 3);
                assert_non_null(strstr(detail, "USING INDEX runs_unfinished"));
        }
        sqlite3_finalize(stmt);
}

/* ---- Lists of runs --------------------------------------------------------------------------- */

static void runs_are(
        struct history *h, pawl__runs_which which, uint64_t before, size_t limit, const char *ids)
{
        pawl__row *rows;
        size_t n;
        pawl__buf found = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&found, ""));
        assert_ok(pawl__state_runs(&rows, &n, h->state, which, before, limit, &h->arena, &h->err));
        for (size_t i = 0; i < n; i++)
                assert_ok(join(&rows[i], &found, &h->err));
        assert_string_equal(found.data, ids);
        pawl__buf_free(&found);
}

static uint64_t started(struct history *h, const char *run)
{
        return (uint64_t)history_row(h, PAWL__RUNS, run, NULL).v[PAWL__RUN_STARTED_SEQ].integer;
}

static void four_runs(struct history *h)
{
        start(h, "b"); /* the order of names is not that of starts */
        start(h, "d");
        history_append(h, "RunCompleted", "{}");
        start(h, "a");
        history_append(h, "RunFailed", "{\"reason\":\"x\"}");
        start(h, "c");
        history_append(h, "RunCompleted", "{}");
        h->run = "b"; /* the oldest, and at work last */
        h->step = "one";
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

static void check_lists(struct history *h)
{
        runs_are(h, PAWL__RUNS_ALL, 0, 0, "c a d b ");
        runs_are(h, PAWL__RUNS_ALL, 0, 2, "c a ");
        runs_are(h, PAWL__RUNS_ALL, started(h, "a"), 2, "d b ");
        runs_are(h, PAWL__RUNS_ALL, started(h, "b"), 2, "");
        runs_are(h, PAWL__RUNS_ALL, started(h, "c") + 1, 9, "c a d b ");
        runs_are(h, PAWL__RUNS_COMPLETED, 0, 9, "c d ");
        runs_are(h, PAWL__RUNS_COMPLETED, 0, 1, "c ");
        runs_are(h, PAWL__RUNS_COMPLETED, started(h, "c"), 0, "d ");
        runs_are(h, PAWL__RUNS_UNFINISHED, 0, 9, "a b ");
        runs_are(h, PAWL__RUNS_UNFINISHED, started(h, "a"), 1, "b ");
}

HISTORY_TEST(runs_are_listed_by_their_start_newest_first_in_pages)
{
        runs_are(h, PAWL__RUNS_ALL, 0, 9, "");
        four_runs(h);
        check_lists(h);
}

/* A run that was claimed and never started has no RunStarted to be found by. */
HISTORY_TEST(a_run_that_was_only_claimed_is_listed)
{
        start(h, "first");
        h->run = "claimed";
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        runs_are(h, PAWL__RUNS_ALL, 0, 9, "claimed first ");
}

static void add_20000_events(struct history *h)
{
        log_damaged(h->path); /* they have no hashes */
        history_sql(h,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)"
                " INSERT INTO events (seq, type, v, time, prev, hash)"
                " SELECT (SELECT max(seq) FROM events) + i, 'StepStarted', 1, 0, zeroblob(32), zeroblob(32)"
                " FROM n");
}

/* Where runs are few the log is not walked, and the table gives the same. */
HISTORY_TEST(runs_that_started_long_ago_are_listed_too)
{
        four_runs(h);
        add_20000_events(h);
        check_lists(h);
}

/* Where they are many it is, and a walk that finds nothing for too long ends in the table. */
HISTORY_TEST(a_walk_in_vain_ends_in_the_table)
{
        four_runs(h);
        history_sql(h,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)"
                " INSERT INTO runs (run_id, mission_id, status, started_seq, updated_seq,"
                " updated_us, fence, steps, done, untold, rules, first_seq, last_seq, in_mission)"
                " SELECT 'many-' || i, 'mission-1', 'completed', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n");
        runs_are(h, PAWL__RUNS_ALL, 0, 4, "c a d b ");
        add_20000_events(h);
        runs_are(h, PAWL__RUNS_ALL, 0, 4, "c a d b ");
        runs_are(h, PAWL__RUNS_ALL, started(h, "a"), 2, "d b ");
        runs_are(h, PAWL__RUNS_COMPLETED, 0, 2, "c d ");
}

HISTORY_TEST(the_steps_of_a_run_come_in_mission_order)
{
        pawl__row *rows = NULL;
        size_t n = 9;

        start(h, "run-1");
        start(h, "run-2");
        h->step = "a"; /* not declared, and first by name */
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_ok(pawl__state_steps(&rows, &n, h->state, pawl__text("run-2"), &h->arena, &h->err));
        assert_int_equal(n, 3);
        assert_text(rows[0].v[PAWL__STEP_ID].text, "one");
        assert_text(rows[1].v[PAWL__STEP_ID].text, "two");
        assert_text(rows[2].v[PAWL__STEP_ID].text, "a");
        assert_ok(pawl__state_steps(&rows, &n, h->state, pawl__text("none"), &h->arena, &h->err));
        assert_int_equal(n, 0);
}

static pawl_status refuse_row(const pawl__row *row, void *user, pawl_error *err)
{
        (void)row, (void)user;
        snprintf(err->message, sizeof err->message, "not this one");
        return PAWL_EIO;
}

HISTORY_TEST(every_row_of_a_table_is_listed)
{
        pawl__buf runs = PAWL__BUF_INIT;

        start(h, "z");
        start(h, "a");
        assert_ok(pawl__state_each(h->state, PAWL__RUNS, join, &runs, &h->err));
        assert_string_equal(runs.data, "z a ");
        pawl__buf_free(&runs);
        assert_int_equal(
                pawl__state_each(h->state, PAWL__RUNS, refuse_row, NULL, &h->err), PAWL_EIO);
        assert_string_equal(h->err.message, "not this one");
}

/* ---- Senses ---------------------------------------------------------------------------------- */

static pawl_status join_definition(const pawl__row *row, void *user, pawl_error *err)
{
        pawl__buf *out = user;
        pawl_text text = row->v[PAWL__SENSE_DEFINITION].text;

        (void)err;
        return pawl__buf_addf(out, "%.*s ", (int)text.len, text.data);
}

static void senses_are(struct history *h, const char *mission, const pawl__scope_ref *refs,
        size_t n_refs, const char *definitions)
{
        pawl__buf found = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&found, ""));
        assert_ok(pawl__state_senses(NULL, h->state, pawl__text(mission), refs, n_refs,
                join_definition, &found, &h->err));
        assert_string_equal(found.data, definitions);
        pawl__buf_free(&found);
}

HISTORY_TEST(the_senses_that_hold_for_a_mission)
{
        const pawl__scope_ref refs[] = {{pawl__text("team_domain"), pawl__text(HASH_A)},
                {pawl__text("core"), pawl__text(HASH_B)}};

        history_sense(h, "w", "team_domain", "team-A", "active", HASH_A);
        history_sense(h, "w", "team_domain", "team-B", "active", HASH_B);
        history_sense(h, "w", "core", "core-B", "active", HASH_B);
        history_sense(h, "w", "team_domain", "said", "active", NULL);
        history_sense(h, "w", "mission_local", "own", "active", NULL);
        h->mission = "mission-2";
        history_sense(h, "w", "mission_local", "other", "active", NULL);
        h->mission = NULL;
        history_sense(h, "v", "team_domain", "old", "deprecated", NULL);
        h->run = NULL;
        check_ok(h, history_commit(h), __FILE__, __LINE__);

        senses_are(h, "mission-1", refs, 2, "team-A core-B said own old ");
        senses_are(h, "mission-2", refs, 1, "team-A said other old ");
        senses_are(h, "mission-3", NULL, 0, "said old ");
        senses_are(h, NULL, refs + 1, 1, "core-B said old ");
        senses_are(h, "", refs + 1, 1, "core-B said old ");
        assert_int_equal(pawl__state_senses(NULL, h->state, pawl__text("mission-1"), refs, 2,
                                 refuse_row, NULL, &h->err),
                PAWL_EIO);
        assert_string_equal(h->err.message, "not this one");
}

HISTORY_TEST(a_table_that_is_missing_is_reported_by_every_query)
{
        pawl__row *rows = (pawl__row *)h, row[PAWL__CANDIDATES];
        size_t n = 77;

        history_sql(
                h, "DROP TABLE runs; DROP TABLE steps; DROP TABLE conflicts; DROP TABLE senses");
        assert_int_equal(
                pawl__state_steps(&rows, &n, h->state, pawl__text("r"), &h->arena, &h->err),
                PAWL_EDAMAGED);
        assert_says(h->err.message, "no such table: steps");
        assert_int_equal(pawl__state_conflicts(&rows, &n, h->state, pawl__text("r"),
                                 pawl__text("s"), true, &h->arena, &h->err),
                PAWL_EDAMAGED);
        assert_int_equal(pawl__state_by_prefix(row, &n, h->state, PAWL__CONFLICTS, pawl__text("c"),
                                 &h->arena, &h->err),
                PAWL_EDAMAGED);
        assert_int_equal(pawl__state_unfinished(row, h->state, pawl__text("m"), &h->arena, &h->err),
                PAWL_EDAMAGED);
        assert_int_equal(
                pawl__state_senses(NULL, h->state, pawl__text("m"), NULL, 0, join, NULL, &h->err),
                PAWL_EDAMAGED);
        assert_int_equal(
                pawl__state_runs(&rows, &n, h->state, PAWL__RUNS_ALL, 0, 9, &h->arena, &h->err),
                PAWL_EDAMAGED);
        assert_ptr_equal(rows, h);
        assert_int_equal(n, 77);
}
