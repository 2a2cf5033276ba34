/* The feed of event streams, without a connection: what a stream sends. */
#include "service/feed_reader.h"
#include "service/worker.h"
#include "support/history.h"
#include "support/left_logs.h"
#include <unistd.h>

enum { MANY = 4096, LARGE = 2 * 1024 * 1024 };

/* ---- The log ----------------------------------------------------------------------------- */

/* So many events more, in one transaction; each of @p size bytes or more. */
static void append(struct history *h, size_t n, size_t size)
{
        pawl__buf payload = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&payload,
                "{\"term\":\"t\",\"source_step\":\"one\",\"actor_id\":\"a\","
                "\"confidence\":1,\"extraction_method\":\"m\",\"context\":\""));
        assert_ok(pawl__buf_reserve(&payload, size + 2));
        memset(payload.data + payload.len, 'x', size);
        payload.len += size;
        assert_ok(pawl__buf_adds(&payload, "\"}"));
        const pawl_event event = {.type = pawl__text("TermCandidateObserved"),
                .mission_id = pawl__text(h->mission),
                .run_id = pawl__text(h->run),
                .step_id = pawl__text(h->step),
                .payload = pawl__buf_text(&payload)};
        for (size_t i = 0; i < n; i++)
                assert_ok(pawl__batch_event(&h->batch, &event, &h->err));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        pawl__buf_free(&payload);
}

static service_options options;
static service_site site;

/* Of a service that only reads: it puts no log back. */
static service_feed *feed_of(struct history *h)
{
        pawl_error err = PAWL_ERROR_INIT;
        service_feed *feed = NULL;

        options = (service_options){.log_path = h->path, .read_only = true};
        site = (service_site){.options = &options};
        pthread_mutex_init(&site.health.lock, NULL);
        assert_ok(service_feed_open(&feed, &site, &err));
        return feed;
}

static void begin(struct history *h)
{
        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
}

/* A log, its feed, and a stream of what comes from now on. */
static service_feed *begin_live(struct history *h, struct reader *r)
{
        begin(h);
        service_feed *feed = feed_of(h);
        const uint64_t head = history_head(h);
        open_reader(r, feed, NULL, NULL, head);
        return feed;
}

/* ---- What is sent ------------------------------------------------------------------------ */

HISTORY_TEST(a_stream_begins_after_the_head_and_shows_what_comes)
{
        struct reader r;

        service_feed *feed = begin_live(h, &r);
        const uint64_t head = history_head(h);
        assert_true(read_once(&r, 4096));
        assert_string_equal(r.text.data, "retry: 2000\n\n");
        assert_false(read_once(&r, 4096));
        append(h, 3, 10);
        service_feed_poke(feed);
        read_events(&r, 3, 4096);
        ids_are(&r, head + 1, head + 3);
        assert_int_equal(how_often(&r, "\nevent: TermCandidateObserved\ndata: {\"seq\":"), 3);
        close_reader(&r);
        service_feed_stop(feed);
}

HISTORY_TEST(a_stream_that_resumes_gets_all_that_it_lacks)
{
        struct reader r;

        begin(h);
        append(h, 700, 100);
        service_feed *feed = feed_of(h);
        const uint64_t head = history_head(h);
        open_reader(&r, feed, NULL, NULL, 0);
        read_events(&r, (size_t)head, 4096);
        ids_are(&r, 1, head);
        append(h, 5, 100);
        service_feed_poke(feed);
        read_events(&r, (size_t)head + 5, 4096);
        ids_are(&r, 1, head + 5);
        close_reader(&r);
        service_feed_stop(feed);
}

/* It stands still in the middle of an event while others read on. */
HISTORY_TEST(a_slow_reader_goes_on_in_the_middle_of_an_event)
{
        static const size_t at_once[] = {1, 7, 333};

        begin(h);
        service_feed *feed = feed_of(h);
        for (size_t i = 0; i < sizeof at_once / sizeof *at_once; i++) {
                struct reader slow, quick;
                const uint64_t head = history_head(h);
                open_reader(&slow, feed, NULL, NULL, head);
                open_reader(&quick, feed, NULL, NULL, head);
                append(h, 2, 50);
                service_feed_poke(feed);
                read_events(&quick, 2, 4096);
                while (how_often(&slow, "\n\nid: ") < 1) /* its beginning */
                        if (!read_once(&slow, 5))
                                sleep_until_woken(&slow);
                append(h, MANY + 10, 10);
                service_feed_poke(feed);
                read_events(&quick, MANY + 12, 65536);
                read_events(&slow, 60, at_once[i]);
                read_events(&slow, MANY + 12, 65536);
                ids_are(&quick, head + 1, head + MANY + 12);
                ids_are(&slow, head + 1, head + MANY + 12);
                assert_string_equal(slow.text.data, quick.text.data);
                close_reader(&slow);
                close_reader(&quick);
        }
        service_feed_stop(feed);
}

HISTORY_TEST(an_event_of_any_size_comes_whole)
{
        struct reader live, late;

        service_feed *feed = begin_live(h, &live);
        const uint64_t head = history_head(h);
        for (int i = 0; i < 3; i++)
                append(h, 1, LARGE);
        service_feed_poke(feed);
        read_events(&live, 3, 65536);
        ids_are(&live, head + 1, head + 3);
        open_reader(&late, feed, NULL, NULL, head);
        read_events(&late, 3, 65536);
        assert_string_equal(live.text.data, late.text.data);
        close_reader(&live);
        close_reader(&late);
        service_feed_stop(feed);
}

HISTORY_TEST(a_filter_lets_its_events_pass_and_no_others)
{
        struct reader by_type, by_run, live;

        begin(h);
        append(h, 9000, 1); /* more than one turn looks at */
        h->run = "run-2";
        begin(h);
        service_feed *feed = feed_of(h);
        const uint64_t head = history_head(h);
        open_reader(&by_type, feed, "RunStarted", NULL, 0);
        open_reader(&by_run, feed, NULL, "run-2", 0);
        open_reader(&live, feed, "RunCompleted", "run-2", head);
        read_events(&by_type, 2, 4096);
        assert_int_equal(how_often(&by_type, "\nevent: RunStarted\n"), 2);
        read_events(&by_run, 2, 4096);
        assert_int_equal(how_often(&by_run, "\"run_id\":\"run-2\""), 2);
        append(h, 5000, 1);
        history_append(h, "RunCompleted", "{}");
        service_feed_poke(feed);
        read_events(&live, 1, 4096);
        assert_int_equal(how_often(&live, "\n\nid: "), 1);
        assert_int_equal(how_often(&live, "\nevent: RunCompleted\n"), 1);
        close_reader(&by_type);
        close_reader(&by_run);
        close_reader(&live);
        service_feed_stop(feed);
}

HISTORY_TEST(a_sign_of_life_goes_out_when_nothing_else_does)
{
        struct reader r;

        service_feed *feed = begin_live(h, &r);
        while (read_once(&r, 4096))
                ;
        const int64_t now_ms = service_now_ms();
        service_feed_beat(feed, now_ms + 14000);
        assert_false(read_once(&r, 4096));
        service_feed_beat(feed, now_ms + 15000);
        sleep_until_woken(&r);
        assert_true(read_once(&r, 4096));
        assert_string_equal(r.text.data, "retry: 2000\n\n: keep-alive\n\n");
        close_reader(&r);
        service_feed_stop(feed);
}

/* ---- Its end ----------------------------------------------------------------------------- */

HISTORY_TEST(streams_end_when_the_feed_stops_and_are_closed_after_it)
{
        struct reader asleep, behind, unread;

        begin(h);
        append(h, 100, 1000);
        service_feed *feed = feed_of(h);
        const uint64_t head = history_head(h);
        open_reader(&asleep, feed, NULL, NULL, head);
        open_reader(&behind, feed, NULL, NULL, 0);
        open_reader(&unread, feed, NULL, NULL, 0);
        while (read_once(&asleep, 4096))
                ;
        read_events(&behind, 1, 100);
        service_feed_stop(feed);
        read_to_the_end(&asleep);
        read_to_the_end(&behind);
        assert_int_equal(how_often(&asleep, "event: error"), 0);
        close_reader(&asleep);
        close_reader(&behind);
        close_reader(&unread);
}

/* The error is the last that comes, and there can be new streams once the log is there again. */
HISTORY_TEST(a_log_that_is_replaced_ends_its_streams_with_an_error)
{
        struct reader live;
        char *away = path_in(h->directory, "away.db");
        pawl_error err = PAWL_ERROR_INIT;
        const service_feed_filter any = {{NULL, 0}, {NULL, 0}};
        service_stream *stream;
        pawl_status status;

        service_feed *feed = begin_live(h, &live);
        const uint64_t head = history_head(h);
        append(h, 1, 1);
        read_events(&live, 1, 4096);
        assert_int_equal(rename(h->path, away), 0);
        service_feed_poke(feed);
        read_to_the_end(&live);
        assert_int_equal(how_often(&live, "\n\nevent: error\ndata: {\"error\":{\"status\":"
                                          "\"PAWL_ENOTFOUND\",\"code\":404,\"message\":"),
                1);
        close_reader(&live);
        assert_int_equal(service_feed_stream(&stream, feed, &any, head, &err), PAWL_ENOTFOUND);
        assert_null(stream);
        assert_says(err.message, "put the log back");

        assert_int_equal(rename(away, h->path), 0);
        for (int tries = 0; tries < 2000; tries++) {
                status = service_feed_stream(&stream, feed, &any, head + 1, &err);
                if (!status)
                        break;
                usleep(10000);
        }
        assert_ok(status);
        service_stream_close(stream);
        service_feed_stop(feed);
}

HISTORY_TEST(a_log_that_was_cut_ends_its_streams_with_an_error)
{
        struct reader live;

        service_feed *feed = begin_live(h, &live);
        append(h, 3, 1);
        read_events(&live, 3, 4096);
        history_sql(h, "DROP TRIGGER events_refuse_delete;"
                       "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)");
        service_feed_poke(feed);
        read_to_the_end(&live);
        assert_int_equal(how_often(&live, "event: error"), 1);
        assert_int_equal(how_often(&live, "\"PAWL_ESTATE\""), 1);
        close_reader(&live);
        service_feed_stop(feed);
}

/* What was read of the log that had the name before is not shown as the new one's. */
HISTORY_TEST(a_log_that_was_replaced_while_nobody_read_shows_nothing_of_the_old_one)
{
        struct reader first, second;
        char *shorter = path_in(h->directory, "shorter.db"), sql[4096];

        begin(h);
        service_feed *feed = feed_of(h);
        const uint64_t head = history_head(h);
        snprintf(sql, sizeof sql, "VACUUM INTO '%s'", shorter);
        history_sql(h, sql);
        open_reader(&first, feed, NULL, NULL, head);
        append(h, 3, 1);
        read_events(&first, 3, 4096);
        close_reader(&first);
        assert_int_equal(rename(shorter, h->path), 0);
        log_damaged(h->path); /* the write-ahead log beside it is that of the other file */
        open_reader(&second, feed, NULL, NULL, head);
        read_to_the_end(&second);
        assert_int_equal(how_often(&second, "\nid: "), 0);
        assert_int_equal(how_often(&second, "event: error\ndata: "), 1);
        close_reader(&second);
        service_feed_stop(feed);
}

/* A note and an event that were begun are sent whole before the error. */
HISTORY_TEST(an_error_begins_its_own_line)
{
        struct reader note, event;

        service_feed *feed = begin_live(h, &note);
        open_reader(&event, feed, NULL, NULL, 0);
        assert_true(read_once(&note, 5));
        while (how_often(&event, "\n\nid: ") < 1)
                if (!read_once(&event, 5))
                        sleep_until_woken(&event);
        assert_int_equal(rename(h->path, path_in(h->directory, "away.db")), 0);
        service_feed_poke(feed);
        read_to_the_end(&note);
        assert_says(note.text.data, "retry: 2000\n\nevent: error\ndata: {\"error\":{\"status\":");
        read_to_the_end(&event);
        assert_int_equal(how_often(&event, "}\n\nevent: error\ndata: {\"error\":"), 1);
        close_reader(&note);
        close_reader(&event);
        service_feed_stop(feed);
}

HISTORY_TEST(a_type_that_is_no_word_is_left_to_the_envelope)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf out = PAWL__BUF_INIT;
        pawl_event event = {
                .seq = 9, .type = pawl__text("A\ndata: {}"), .v = 1, .payload = pawl__text("{}")};

        assert_ok(service_feed_write(&out, h->log, &event, &err));
        assert_null(strstr(out.data, "event:"));
        assert_null(strstr(out.data, "\ndata: {}"));
        assert_non_null(strstr(out.data, "id: 9\ndata: {\"seq\":9,\"type\":\"A\\ndata: {}\""));
        pawl__buf_free(&out);
}
