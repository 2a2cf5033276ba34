/* Reading events in order, and an event as JSON. */
#include "support/event_log.h"

OPEN_LOG_TEST(a_cursor_reads_what_there_was_when_it_was_opened)
{
        pawl_cursor *cursor;
        pawl_event event;
        uint64_t seq = 5;

        event_log_fill(f, 600); /* more than two batches */
        assert_ok(pawl_cursor_open(&cursor, f->log, 5));
        event_log_fill(f, 10);
        while (pawl_cursor_next(cursor, &event) == PAWL_OK) {
                assert_int_equal(event.seq, ++seq);
                assert_text(event.type, "GlossaryScopeActivated");
                assert_text(
                        event.payload, "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\"}");
        }
        assert_int_equal(seq, 600);
        assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_DONE);
        pawl_cursor_close(cursor);
}

OPEN_LOG_TEST(a_cursor_past_the_end_is_done_at_once)
{
        static const uint64_t since[] = {3, 4, UINT64_MAX};
        pawl_cursor *cursor;
        pawl_event event = {.seq = 99};

        event_log_fill(f, 3);
        for (size_t i = 0; i < 3; i++) {
                assert_ok(pawl_cursor_open(&cursor, f->log, since[i]));
                assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_DONE);
                assert_int_equal(event.seq, 99);
                pawl_cursor_close(cursor);
        }
        pawl_cursor_close(NULL);
}

OPEN_LOG_TEST(a_cursor_reads_no_more_than_was_asked_for)
{
        static const uint64_t most[] = {0, 1, 300, 595, 596, UINT64_MAX};
        pawl_cursor *cursor;
        pawl_event event;

        event_log_fill(f, 600);
        for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
                uint64_t seq = 5;
                assert_ok(pawl__cursor_open(&cursor, f->log, seq, most[i]));
                while (pawl_cursor_next(cursor, &event) == PAWL_OK)
                        assert_int_equal(event.seq, ++seq);
                assert_int_equal(seq, most[i] < 595 ? 5 + most[i] : 600);
                assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_DONE);
                pawl_cursor_close(cursor);
        }
}

/* Every third event is of a run, and every third of these of its step "b". */
static void fill_runs(event_log *f, size_t n)
{
        pawl_event events[100];

        for (size_t i = 1; i <= n; i++) {
                pawl_event *event = &events[(i - 1) % 100];
                *event = event_scope(NULL);
                event->run_id = pawl__text(i % 3 ? NULL : i % 2 ? "odd" : "even");
                event->step_id = pawl__text(i % 9 ? NULL : "b");
                if (i % 100 == 0)
                        assert_ok(pawl__log_append(NULL, f->log, events, 100, 0));
        }
}

static bool passes(const pawl__event_filter *f, uint64_t seq)
{
        const char *run = seq % 3 ? "" : seq % 2 ? "odd" : "even";

        return seq > f->since && (!f->before || seq < f->before) &&
               (!f->run_id.data || pawl__text_is(f->run_id, run)) &&
               (!f->step_id.data || seq % 9 == 0);
}

LOG_TEST(a_cursor_finds_what_passes_a_filter_from_either_end)
{
        enum { EVENTS = 1700 }; /* more than two batches of each filter */
        const pawl_text even = pawl__text("even"), b = pawl__text("b"),
                        type = pawl__text("GlossaryScopeActivated");
        const pawl__event_filter filters[] = {{.since = 0}, {.since = 5, .before = 600},
                {.since = 5, .before = 6}, {.since = 6, .before = 6}, {.since = 9, .before = 3},
                {.since = EVENTS}, {.before = UINT64_MAX, .type = type}, {.run_id = even},
                {.since = 7, .before = 1500, .run_id = even}, {.step_id = b},
                {.type = type, .run_id = even, .step_id = b}, {.run_id = pawl__text("nobody")}};
        pawl_cursor *cursor;
        pawl_event event;

        event_log_open(f);
        fill_runs(f, EVENTS);
        for (size_t i = 0; i < 2 * (sizeof filters / sizeof filters[0]); i++) {
                pawl__event_filter filter = filters[i / 2];
                filter.back = i % 2 == 1;
                assert_ok(pawl__cursor_find(&cursor, f->log, &filter));
                for (uint64_t n = 1; n <= EVENTS; n++) {
                        const uint64_t seq = filter.back ? EVENTS + 1 - n : n;
                        if (!passes(&filters[i / 2], seq))
                                continue;
                        assert_ok(pawl_cursor_next(cursor, &event));
                        assert_int_equal(event.seq, seq);
                        assert_text(event.type, "GlossaryScopeActivated");
                }
                assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_DONE);
                pawl_cursor_close(cursor);
        }
}

OPEN_LOG_TEST(cursors_and_appends_of_one_log_do_not_disturb_each_other)
{
        pawl_cursor *a, *b;
        pawl_event event;

        event_log_fill(f, 700);
        assert_ok(pawl_cursor_open(&a, f->log, 0));
        assert_ok(pawl_cursor_open(&b, f->log, 100));
        for (uint64_t i = 1; i <= 600; i++) {
                assert_ok(pawl_cursor_next(a, &event));
                assert_int_equal(event.seq, i);
                assert_ok(pawl_cursor_next(b, &event));
                assert_int_equal(event.seq, i + 100);
                if (i % 100 == 0)
                        event_log_fill(f, 1);
        }
        pawl_cursor_close(a);
        pawl_cursor_close(b);
}

/* Checkpointing all of the -wal into the database succeeds only when nobody reads. */
OPEN_LOG_TEST(a_cursor_holds_no_transaction_between_its_batches)
{
        pawl_cursor *cursor;
        pawl_event event;
        sqlite3 *db;
        int in_wal = -1, moved = -1;

        event_log_fill(f, 300);
        assert_ok(pawl_cursor_open(&cursor, f->log, 0));
        assert_ok(pawl_cursor_next(cursor, &event));
        needs_file();
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "SELECT count(*) FROM events", NULL, NULL, NULL), 0);
        assert_int_equal(
                sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &in_wal, &moved),
                SQLITE_OK);
        assert_int_equal(in_wal, 0);
        sqlite3_close(db);
        assert_text(event.type, "GlossaryScopeActivated"); /* still valid */
        pawl_cursor_close(cursor);
}

LOG_TEST(large_payloads_are_read_in_smaller_batches)
{
        enum { LARGE = 700000 };
        pawl__buf payload = PAWL__BUF_INIT;
        pawl_cursor *cursor;
        pawl_event event;
        int n = 0;

        event_log_open(f);
        assert_ok(pawl__buf_adds(&payload, "{\"glossary_version_id\":\"v1\",\"pad\":\""));
        for (int i = 0; i < LARGE; i++)
                assert_ok(pawl__buf_addc(&payload, 'x'));
        assert_ok(pawl__buf_adds(&payload, "\",\"scope_id\":\"core\"}"));
        for (int i = 0; i < 5; i++)
                assert_ok(append_one(f->log, event_scope(payload.data), 0));
        assert_ok(pawl_cursor_open(&cursor, f->log, 0));
        while (pawl_cursor_next(cursor, &event) == PAWL_OK) {
                assert_true(pawl__text_eq(event.payload, pawl__buf_text(&payload)));
                n++;
        }
        assert_int_equal(n, 5);
        pawl_cursor_close(cursor);
        pawl__buf_free(&payload);
}

OPEN_LOG_TEST(one_event_is_found_by_its_seq)
{
        static const uint64_t nowhere[] = {0, 4, INT64_MAX, UINT64_MAX};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event = {.seq = 99};

        event_log_fill(f, 3);
        for (size_t i = 0; i < 4; i++) {
                assert_int_equal(
                        pawl__log_event(&event, &arena, f->log, nowhere[i]), PAWL_ENOTFOUND);
                assert_says(pawl_log_errmsg(f->log), "there is no such event");
                assert_int_equal(event.seq, 99);
        }
        assert_ok(pawl__log_event(&event, &arena, f->log, 2));
        assert_int_equal(event.seq, 2);
        pawl__arena_free(&arena);
}

UNIT_TEST(an_event_is_one_line_of_json)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_event event = {.seq = 7, .v = 1, .time_us = 1};

        event.type = pawl__text("SessionStarted");
        event.run_id = pawl__text("a \"b\"\n");
        event.payload = pawl__text("{\"a\":[1,null]}");
        memset(event.hash, 0xab, 32);
        assert_ok(pawl__buf_adds(&out, "> "));
        assert_ok(pawl__event_json(&out, &event, NULL, NULL));
        assert_string_equal(out.data,
                "> {\"seq\":7,\"type\":\"SessionStarted\",\"v\":1,"
                "\"time\":\"1970-01-01T00:00:00.000001Z\",\"mission_id\":null,"
                "\"run_id\":\"a \\\"b\\\"\\n\",\"step_id\":null,\"session_id\":null,"
                "\"actor\":null,\"payload\":{\"a\":[1,null]},"
                "\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\","
                "\"hash\":\"abababababababababababababababababababababababababababababababab\"}");
        pawl__buf_clear(&out);
        event.payload = (pawl_text){NULL, 0};
        assert_ok(pawl__event_json(&out, &event, NULL, NULL));
        assert_says(out.data, "\"actor\":null,\"payload\":null,\"prev\"");
        pawl__buf_free(&out);
}

/* The payload goes into the line as it is, so what is not JSON on one line is refused. */
UNIT_TEST(an_event_whose_payload_is_no_line_of_json_is_not_printed)
{
        static const char *const payloads[] = {"{\n}", "{\"a\":1", "{} {}", "", "nul"};
        pawl__buf out = PAWL__BUF_INIT;
        pawl_event event = {.seq = 7, .v = 1, .time_us = 1};
        pawl_error err = PAWL_ERROR_INIT;

        event.type = pawl__text("SessionStarted");
        assert_ok(pawl__buf_adds(&out, "> "));
        for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
                event.payload = pawl__text(payloads[i]);
                assert_int_equal(pawl__event_json(&out, &event, NULL, &err), PAWL_EDAMAGED);
                assert_says(err.message, "seq 7: payload: ");
                assert_string_equal(out.data, "> ");
        }
        pawl__buf_free(&out);
}

static pawl_cursor *filtered(struct event_log *f, const char *type, const char *run)
{
        pawl_event_filter filter = PAWL_EVENT_FILTER_INIT;
        pawl_cursor *cursor;

        filter.type = type;
        filter.run_id = run;
        assert_ok(pawl_cursor_find(&cursor, f->log, &filter));
        return cursor;
}

OPEN_LOG_TEST(a_filter_lets_pass_what_it_names)
{
        pawl_event_filter filter = PAWL_EVENT_FILTER_INIT;
        pawl_cursor *cursor = NULL;
        pawl_event event;
        uint64_t fence;

        event_log_fill(f, 300);
        assert_ok(pawl_log_claim(&fence, f->log, "m", "r", "user:ana", NULL));
        event_log_fill(f, 300);
        cursor = filtered(f, NULL, "r");
        assert_ok(pawl_cursor_next(cursor, &event));
        assert_text(event.type, "RunClaimed");
        assert_int_equal(event.seq, 301);
        assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_DONE);
        pawl_cursor_close(cursor);
        cursor = filtered(f, "RunClaimed", "other");
        assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_DONE);
        pawl_cursor_close(cursor);
        cursor = NULL;
        filter.type = "NoSuchType";
        assert_int_equal(pawl_cursor_find(&cursor, f->log, &filter), PAWL_EINVAL);
        assert_says(pawl_log_errmsg(f->log), "event type \"NoSuchType\": is not known");
        filter.version = 7;
        assert_int_equal(pawl_cursor_find(&cursor, f->log, &filter), PAWL_EINVAL);
        assert_null(cursor);
}

OPEN_LOG_TEST(a_cursor_waits_for_what_its_filter_lets_pass)
{
        pawl_cursor *cursor = filtered(f, "RunClaimed", NULL), *all;
        pawl_event event;
        uint64_t fence;

        assert_int_equal(pawl_cursor_wait(cursor, 0), PAWL_DONE);
        event_log_fill(f, 300);
        assert_int_equal(pawl_cursor_wait(cursor, 0), PAWL_DONE);
        assert_ok(pawl_cursor_open(&all, f->log, 0));
        for (unsigned i = 1; i <= 300; i++)
                assert_ok(pawl_cursor_next(all, &event));
        assert_int_equal(pawl_cursor_next(all, &event), PAWL_DONE);

        assert_ok(pawl_log_claim(&fence, f->log, "m", "r", "user:ana", NULL));
        for (int i = 0; i < 2; i++) { /* waited for twice, it is returned once */
                assert_ok(pawl_cursor_wait(cursor, 10000));
                assert_ok(pawl_cursor_wait(all, 10000));
        }
        assert_ok(pawl_cursor_next(cursor, &event));
        assert_int_equal(event.seq, 301);
        assert_ok(pawl_cursor_next(all, &event));
        assert_int_equal(event.seq, 301);
        assert_int_equal(pawl_cursor_next(cursor, &event), PAWL_DONE);
        assert_int_equal(pawl_cursor_wait(all, 0), PAWL_DONE);
        pawl_log_interrupt(f->log, true);
        assert_int_equal(pawl_cursor_wait(cursor, 10000), PAWL_EINTERRUPTED);
        pawl_log_interrupt(f->log, false);
        pawl_cursor_close(all);
        pawl_cursor_close(cursor);
}
