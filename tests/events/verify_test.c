/* Verifying: whatever was changed in the file is found, at the first event that it touches. */
#include "support/event_log.h"
#include "support/left_logs.h"

/* Ten events, the guards gone. */
static void make(event_log *f)
{
        event_log_open(f);
        for (int i = 0; i < 10; i++) {
                char payload[80];
                snprintf(payload, sizeof payload,
                        "{\"scope_id\":\"core\",\"glossary_version_id\":\"v%d\"}", i);
                pawl_event e = event_scope(payload);
                e.actor = pawl__text("user:ana");
                e.mission_id = pawl__text("m");
                assert_ok(append_one(f->log, e, 0));
        }
        event_log_unguard(f);
}

static void check_bad(event_log *f, uint64_t bad_seq, const char *says)
{
        pawl_verify_result result;

        memset(&result, 0, sizeof result);
        assert_int_equal(pawl_log_verify(&result, f->log, 0, NULL), PAWL_EDAMAGED);
        if (result.bad_seq != bad_seq)
                fail_msg("seq %d is blamed: %s", (int)result.bad_seq, result.why.message);
        assert_int_equal(result.events, bad_seq - 1);
        assert_int_equal(result.why.status, PAWL_EDAMAGED);
        assert_says(result.why.message, says);
        assert_string_equal(pawl_log_errmsg(f->log), result.why.message);
}

LOG_TEST(a_change_of_any_column_is_found)
{
        static const struct {
                const char *set, *says;
        } cases[] = {
                {"type = 'RunStarted'", "its hash does not fit"},
                {"v = 2", "its hash does not fit"},
                {"time = time + 1", "its hash does not fit"},
                {"mission_id = 'n'", "its hash does not fit"},
                {"mission_id = NULL", "its hash does not fit"},
                {"run_id = 'r'", "its hash does not fit"},
                {"run_id = ''", "its hash does not fit"},
                {"step_id = 's'", "its hash does not fit"},
                {"session_id = 's'", "its hash does not fit"},
                {"actor = 'user:bob'", "its hash does not fit"},
                {"payload = replace(payload, 'core', 'cora')", "its hash does not fit"},
                {"payload = payload || ' '", "its hash does not fit"},
                {"payload = NULL", "its payload is gone and was not pruned"},
                {"prev = zeroblob(32)", "its prev is not the hash of the event before"},
                {"hash = zeroblob(32)", "its hash does not fit"},
                {"prev = x'00'", "its prev is not 32 bytes"},
                {"hash = zeroblob(33)", "its hash is not 32 bytes"},
                {"time = 9223372036854775807", "its time is not a time"},
                {"v = 0", "its v is not a version number"},
                {"v = 4294967297", "its v is not a version number"},
                {"type = CAST(x'ff' AS TEXT)", "its type is not text"},
                {"payload = CAST(x'7b22c328227d' AS TEXT)", "its payload is not text"},
                {"actor = CAST(x'eda080' AS TEXT)", "its actor is not text"},
        };

        make(f);
        event_log_sql(f, "CREATE TABLE kept AS SELECT * FROM events WHERE seq = 5");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                char sql[200];
                snprintf(sql, sizeof sql, "UPDATE events SET %s WHERE seq = 5", cases[i].set);
                event_log_sql(f, sql);
                check_bad(f, 5, cases[i].says);
                event_log_sql(f, "DELETE FROM events WHERE seq = 5;"
                                 "INSERT INTO events SELECT * FROM kept");
        }
        pawl_verify_result result;
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, 10);
        assert_int_equal(result.bad_seq, 0);
}

/* A file whose table is not strict can hold anything in any column. */
LOG_TEST(rows_of_wrong_types_are_damage_and_never_a_crash)
{
        static const char *const columns[] = {"type", "v", "time", "mission_id", "run_id",
                "step_id", "session_id", "actor", "payload", "prev", "hash"};
        static const char *const values[] = {"NULL", "1.5", "'text'", "x'00ff'", "-1",
                "zeroblob(1000000)", "CAST(zeroblob(100) AS TEXT)", "9e999"};
        pawl_cursor *cursor;
        pawl_event event;
        int damaged = 0;

        make(f);
        event_log_sql(f, "CREATE TABLE loose (seq INTEGER PRIMARY KEY, type, v, time, mission_id, "
                         "run_id, step_id, session_id, actor, payload, prev, hash);"
                         "INSERT INTO loose SELECT * FROM events;"
                         "CREATE TABLE kept AS SELECT * FROM loose WHERE seq = 5;"
                         "DROP TABLE events; ALTER TABLE loose RENAME TO events");
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
                for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
                        bool same = strcmp(values[j], "NULL") == 0 && i > 3 && i < 7;
                        char sql[200];
                        snprintf(sql, sizeof sql, "UPDATE events SET %s = %s WHERE seq = 5",
                                columns[i], values[j]);
                        event_log_sql(f, sql);
                        if (!same)
                                check_bad(f, 5, "seq 5: its ");
                        assert_ok(pawl_cursor_open(&cursor, f->log, 0));
                        for (int n = 0; n < 4; n++)
                                assert_ok(pawl_cursor_next(cursor, &event));
                        pawl_status status = pawl_cursor_next(cursor, &event);
                        if (status) {
                                damaged++;
                                assert_int_equal(status, PAWL_EDAMAGED);
                                assert_says(pawl_log_errmsg(f->log), "seq 5: its ");
                                /* It stays so. */
                                assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_EDAMAGED);
                        }
                        pawl_cursor_close(cursor);
                        event_log_sql(f, "DELETE FROM events WHERE seq = 5;"
                                         "INSERT INTO events SELECT * FROM kept");
                }
        assert_true(damaged > 50);
}

LOG_TEST(a_missing_event_is_a_gap)
{
        pawl_cursor *cursor;
        pawl_event event;

        make(f);
        event_log_sql(f, "DELETE FROM events WHERE seq = 4");
        check_bad(f, 4, "seq 4: the event is missing");
        assert_ok(pawl_cursor_open(&cursor, f->log, 0));
        for (int i = 0; i < 3; i++)
                assert_ok(pawl_cursor_next(cursor, &event));
        assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "seq 4: the event is missing");
        pawl_cursor_close(cursor);
        event_log_sql(f, "DELETE FROM events WHERE seq = 1");
        check_bad(f, 1, "seq 1: the event is missing");
        event_log_sql(f, "UPDATE events SET seq = -5 WHERE seq = 2");
        check_bad(f, 1, "seq 1: the event is missing");
}

static void check_changed(event_log *f, const char *sql, uint64_t seq, const char *says)
{
        make(f);
        event_log_sql(f, sql);
        check_bad(f, seq, says);
}

LOG_TEST(an_event_before_the_first_is_found)
{
        check_changed(f,
                "CREATE TEMP TABLE extra AS SELECT * FROM events WHERE seq = 2; "
                "UPDATE extra SET seq = 0; INSERT INTO events SELECT * FROM extra",
                1, "seq 0: an event was put before the first one");
}

LOG_TEST(exchanged_payloads_are_found_at_the_first)
{
        check_changed(f,
                "UPDATE events SET payload = "
                "(SELECT e.payload FROM events e WHERE e.seq = 11 - events.seq) "
                "WHERE seq IN (3, 8)",
                3, "its payload or its envelope was changed");
}

LOG_TEST(exchanged_events_are_found_at_the_first)
{
        check_changed(f,
                "UPDATE events SET seq = 100 WHERE seq = 3;"
                "UPDATE events SET seq = 3 WHERE seq = 8;"
                "UPDATE events SET seq = 8 WHERE seq = 100",
                3, "its prev is not the hash of the event before");
}

LOG_TEST(a_cut_tail_is_seen_with_an_anchor_only)
{
        unsigned char hash[32];
        uint64_t seq;
        pawl_verify_result result;

        make(f);
        assert_ok(pawl_log_head(&seq, hash, f->log));
        assert_int_equal(seq, 10);
        assert_ok(pawl_log_verify(&result, f->log, seq, hash));
        event_log_sql(f, "DELETE FROM events WHERE seq > 7");
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(pawl_log_verify(&result, f->log, seq, hash), PAWL_EDAMAGED);
        assert_int_equal(result.events, 7);
        assert_int_equal(result.bad_seq, 8);
        assert_says(
                result.why.message, "the log ends at 7 and the anchor is 10, so its tail was cut");
        /* Who knows what it ended with builds nothing upon it; who comes anew cannot tell. */
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log),
                "is not the log that was opened any more: event 10, which was recorded, is gone from it");
        assert_int_equal(event_log_count(f), 7);
        event_log_close(f);
        event_log_open(f);
        event_log_fill(f, 5);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(pawl_log_verify(&result, f->log, seq, hash), PAWL_EDAMAGED);
        assert_int_equal(result.bad_seq, 10);
        assert_says(result.why.message, "seq 10: its hash is not the anchor's");
}

LOG_TEST(a_pruned_payload_verifies_by_the_hash_that_was_kept)
{
        pawl_verify_result result;
        unsigned char hash[32];
        char sql[200], hex[65];
        static const char payload[] = "{\"glossary_version_id\":\"v4\",\"scope_id\":\"core\"}";
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        make(f);
        assert_ok(pawl__sha256(f->log->hasher, hash, payload, sizeof payload - 1, NULL));
        pawl__hex(hex, hash, 32);
        snprintf(sql, sizeof sql,
                "UPDATE events SET payload = NULL WHERE seq = 5;"
                "INSERT INTO pruned VALUES (5, x'%s')",
                hex);
        event_log_sql(f, sql);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, 10);
        assert_ok(pawl__log_event(&event, &arena, f->log, 5));
        assert_null(event.payload.data);
        event_log_sql(f, "UPDATE pruned SET payload_hash = zeroblob(32)");
        check_bad(f, 5, "its hash does not fit");
        event_log_sql(f, "UPDATE pruned SET payload_hash = x'00'");
        check_bad(f, 5, "the hash of its pruned payload is not 32 bytes");
        pawl__arena_free(&arena);
}

OPEN_LOG_TEST(an_empty_log_verifies)
{
        pawl_verify_result result;

        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, 0);
        assert_int_equal(result.bad_seq, 0);
        unsigned char hash[32] = {0};
        assert_int_equal(pawl_log_verify(&result, f->log, 1, hash), PAWL_EDAMAGED);
        assert_int_equal(result.bad_seq, 1);
}

OPEN_LOG_TEST(pages_that_were_overwritten_are_damage)
{
        pawl_verify_result result;
        char says[32];
        size_t len;

        needs_file();
        event_log_fill(f, 200);
        event_log_close(f);
        char *file = file_read(f->path, &len);
        assert_true(len > 40960);
        memset(file + len - 16384, 0xa5, 16384);
        log_damaged(f->path);
        file_write(f->path, file, len);
        event_log_open(f);
        assert_int_equal(pawl_log_verify(&result, f->log, 0, NULL), PAWL_EDAMAGED);
        assert_true(result.bad_seq > 1);
        assert_int_equal(result.events, result.bad_seq - 1);
        snprintf(says, sizeof says, "seq %d: ", (int)result.bad_seq);
        assert_says(pawl_log_errmsg(f->log), says);
        assert_says(pawl_log_errmsg(f->log), "malformed");
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
}
