/* Old files become files of today: in one transaction, once, and without a touch on the events. */
#include "events/sqlite/sqlite.h"
#include "support/event_log.h"
#include <unistd.h>

enum { TODAY = 6 }; /* the schema version of pawl__schema_current */

static pawl_status count_up(pawl_log *log, pawl_error *err)
{
        return pawl__db_exec(log, "UPDATE steps_run SET n = n + 1", "count", err);
}

static pawl_status refuse(pawl_log *log, pawl_error *err)
{
        (void)log;
        return pawl__fail(err, PAWL_EINVAL, "step: refuses; mend it");
}

static const pawl__migration two_steps[] = {
        {TODAY, "CREATE TABLE steps_run (n INTEGER); INSERT INTO steps_run VALUES (0)", NULL,
                false},
        {TODAY + 1, NULL, count_up, true},
};
static const pawl__migration broken_steps[] = {
        {TODAY, "CREATE TABLE steps_run (n INTEGER); INSERT INTO steps_run VALUES (0)", NULL,
                false},
        {TODAY + 1, NULL, refuse, true},
};
static const pawl__migration wrong_sql[] = {{TODAY, "CREATE TABLE", NULL, false}};

static pawl__schema schema_of(int version, const pawl__migration *steps, size_t n)
{
        return (pawl__schema){version, pawl__schema_current.sql, steps, n};
}

static pawl_status open_as(
        pawl_log **out, event_log *f, unsigned flags, const pawl__schema *schema, pawl_error *err)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl__log_setup setup = {.schema = schema};

        options.flags = flags;
        return pawl__log_open_as(out, f->path, &options, &setup, err);
}

/* A log of today with three events, and a row in a derived table. */
static void make_old(event_log *f)
{
        event_log_open(f);
        event_log_fill(f, 3);
        event_log_close(f);
        event_log_sql(f, "UPDATE projection SET applied_seq = 3;"
                         "INSERT INTO scopes VALUES ('core', 'v1', 1, 3)");
}

static void check_events_stand(event_log *f, pawl_log *log)
{
        pawl_verify_result result;

        assert_ok(pawl_log_verify(&result, log, 0, NULL));
        assert_int_equal(result.events, 3);
        assert_int_equal(event_log_count(f), 3);
}

LOG_TEST(an_old_log_is_brought_up_step_by_step)
{
        const pawl__schema schema = schema_of(TODAY + 2, two_steps, 2);
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        make_old(f);
        for (int again = 0; again < 2; again++) { /* the second time there is nothing to do */
                assert_ok(open_as(&log, f, 0, &schema, &err));
                assert_int_equal(event_log_integer(f, "PRAGMA user_version"), TODAY + 2);
                assert_int_equal(event_log_integer(f, "SELECT n FROM steps_run"), 1);
                /* A step that changes derived tables has them filled again. */
                assert_int_equal(event_log_integer(f, "SELECT applied_seq FROM projection"), 0);
                assert_int_equal(event_log_integer(f, "SELECT count(*) FROM scopes"), 0);
                check_events_stand(f, log);
                pawl_log_close(log);
        }
        /* And now it is newer than what this program knows. */
        f->flags = 0;
        assert_int_equal(event_log_try(&log, f, &err), PAWL_ENEWER);
}

LOG_TEST(a_step_that_fails_leaves_the_old_log)
{
        const struct {
                pawl__schema schema;
                pawl_status status;
                const char *says;
        } cases[] = {
                {schema_of(TODAY + 2, broken_steps, 2), PAWL_EINVAL, "step: refuses"},
                {schema_of(TODAY + 1, wrong_sql, 1), PAWL_EDAMAGED,
                        "cannot migrate it: incomplete input"},
                {schema_of(TODAY + 1, NULL, 0), PAWL_EFORMAT,
                        "no step leads from schema version 6 to 7"},
        };

        make_old(f);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_log *log = NULL;
                assert_int_equal(open_as(&log, f, 0, &cases[i].schema, &err), cases[i].status);
                assert_says(err.message, cases[i].says);
                assert_null(log);
                assert_int_equal(event_log_integer(f, "PRAGMA user_version"), TODAY);
                assert_int_equal(event_log_integer(f, "SELECT count(*) FROM sqlite_schema "
                                                      "WHERE name = 'steps_run'"),
                        0);
                assert_int_equal(event_log_integer(f, "SELECT applied_seq FROM projection"), 3);
        }
        f->flags = 0;
        check_events_stand(f, event_log_open(f));
}

LOG_TEST(an_old_log_opened_read_only_is_not_migrated)
{
        const pawl__schema schema = schema_of(TODAY + 2, two_steps, 2);
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        make_old(f);
        assert_ok(open_as(&log, f, PAWL_LOG_READONLY, &schema, &err));
        check_events_stand(f, log);
        pawl_log_close(log);
        assert_int_equal(event_log_integer(f, "PRAGMA user_version"), TODAY);
}

/* Several processes at once: each opens the log by @p schema, or by today's and appends. */
static void together(event_log *f, const pawl__schema *schema, int n)
{
        pid_t child[8];

        for (int i = 0; i < n; i++) {
                child[i] = fork();
                assert_true(child[i] >= 0);
                if (child[i] == 0) {
                        pawl_error err = PAWL_ERROR_INIT;
                        pawl_log *log = NULL;
                        if (schema ? open_as(&log, f, 0, schema, &err)
                                   : (event_log_try(&log, f, &err) ||
                                             append_one(log, event_scope(NULL), 0))) {
                                fprintf(stderr, "%s\n", log ? pawl_log_errmsg(log) : err.message);
                                _exit(1);
                        }
                        pawl_log_close(log);
                        _exit(0);
                }
        }
        for (int i = 0; i < n; i++) {
                child_exits(child[i], 0);
        }
}

LOG_TEST(processes_that_open_an_old_log_together_migrate_it_once)
{
        const pawl__schema schema = schema_of(TODAY + 2, two_steps, 2);

        make_old(f);
        together(f, &schema, 4);
        assert_int_equal(event_log_integer(f, "SELECT n FROM steps_run"), 1);
}

LOG_TEST(processes_that_make_a_log_together_make_one)
{
        together(f, NULL, 6);
        assert_int_equal(event_log_count(f), 6);
}

LOG_TEST(what_can_be_derived_is_put_back_where_it_is_missing)
{
        static const char *const losses[] = {"DROP TABLE runs", "DROP TABLE projection",
                "DROP TABLE scopes; DROP TABLE steps; DROP TABLE senses"};

        for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
                if (i == 0)
                        make_old(f);
                event_log_sql(f, losses[i]);
                event_log_open(f);
                check_events_stand(f, f->log);
                assert_int_equal(event_log_integer(f, "SELECT applied_seq FROM projection"), 0);
                assert_int_equal(event_log_integer(f, "SELECT count(*) FROM scopes"), 0);
                assert_int_equal(event_log_integer(f, "SELECT count(*) FROM runs"), 0);
                event_log_close(f);
                event_log_sql(f, "UPDATE projection SET applied_seq = 3");
        }
}

LOG_TEST(triggers_indexes_and_leases_are_put_back_without_a_rebuild)
{
        make_old(f);
        int64_t before = event_log_integer(f, "SELECT count(*) FROM sqlite_schema");
        event_log_unguard(f);
        event_log_sql(f, "DROP TABLE leases; DROP TABLE pruned; DROP TABLE blobs;"
                         "DROP TABLE contents; DROP INDEX conflicts_open");
        event_log_open(f);
        check_events_stand(f, f->log);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM sqlite_schema"), before);
        assert_int_equal(event_log_integer(f, "SELECT applied_seq FROM projection"), 3);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM scopes"), 1);
}

LOG_TEST(every_object_of_the_schema_is_looked_for)
{
        sqlite3 *db;
        sqlite3_stmt *stmt;
        char drops[64][128];
        int n = 0;

        event_log_open(f);
        event_log_close(f);
        needs_file();
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_prepare_v2(db,
                                 "SELECT 'DROP ' || type || ' ' || name FROM sqlite_schema "
                                 "WHERE name NOT LIKE 'sqlite%' AND name <> 'events'",
                                 -1, &stmt, NULL),
                SQLITE_OK);
        while (sqlite3_step(stmt) == SQLITE_ROW && n < 64)
                snprintf(drops[n++], sizeof drops[0], "%s", sqlite3_column_text(stmt, 0));
        sqlite3_finalize(stmt);
        sqlite3_close(db);
        assert_true(n > 15);
        int64_t before = event_log_integer(f, "SELECT count(*) FROM sqlite_schema");
        for (int i = 0; i < n; i++) {
                event_log_sql(f, drops[i]);
                event_log_open(f);
                event_log_close(f);
                if (event_log_integer(f, "SELECT count(*) FROM sqlite_schema") != before)
                        fail_msg("not put back after %s", drops[i]);
        }
}
