/* Needs PAWL_WITH_POSTGRES. */
/* What an append is sure to read goes with the lock of the log, and is what is behind it. */
#include "events/postgres/server.h"
#include "state/state.h"
#include "support/event_log.h"
#include "support/left_logs.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

static const pawl__postgres_library *real;
static pawl__postgres_library counting;
static int exchanges;

static int count_sync(PGconn *conn)
{
        exchanges++;
        return real->PQpipelineSync(conn);
}

static pawl_event checkpoint(const char *id)
{
        return (pawl_event){.type = pawl__text("ThreadCheckpointed"),
                .mission_id = pawl__text("m"),
                .run_id = pawl__text("t"),
                .step_id = pawl__text(id),
                .payload =
                        pawl__text("{\"channels\":[],\"checkpoint\":\"{}\",\"metadata\":\"{}\"}")};
}

static void put(pawl_log *log, const char *id)
{
        assert_ok(append_one(log, checkpoint(id), 0));
}

static pawl__state *with_state(pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;

        assert_ok(pawl__state_of(&state, log, &err));
        return state;
}

static void check(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl__replay_check(f->log, &err))
                fail_msg("%s", err.message);
}

OPEN_LOG_TEST(an_append_to_a_run_is_two_exchanges)
{
        with_state(f->log);
        put(f->log, "1"); /* statements are prepared, and the run is cached */
        put(f->log, "2");
        real = f->log->server->pq;
        counting = *real;
        counting.PQpipelineSync = count_sync;
        f->log->server->pq = &counting;
        f->log->server->calm =
                0; /* a head that is assumed is not asked for, nor anything with it */
        exchanges = 0;
        put(f->log, "3"); /* a new step */
        assert_int_equal(exchanges, 2);
        put(f->log, "3"); /* one that is cached */
        assert_int_equal(exchanges, 4);
        pawl_log *other = event_log_another(f);
        with_state(other);
        put(other, "4");
        pawl_log_close(other);
        exchanges = 0;
        put(f->log, "4"); /* another's: the last event is verified, and the run read anew */
        assert_int_equal(exchanges, 2);
        f->log->server->pq = real;
        check(f);
}

static void server_does(event_log *f, const char *before)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *other = event_log_another(f);
        char sql[500];

        snprintf(sql, sizeof sql, "%s%s", before, other->server->id_literal);
        if (pawl__server_execute(NULL, other, sql, NULL, 0, "test", &err))
                fail_msg("%s: %s", sql, err.message);
        pawl_log_close(other);
}

/* Two events of ours, three of another, and that is done to them. */
static void is_refused_after(event_log *f, const char *does, const char *says)
{
        event_log_open(f);
        with_state(f->log);
        put(f->log, "1");
        put(f->log, "2");
        pawl_log *other = event_log_another(f);
        with_state(other);
        for (int i = 0; i < 3; i++)
                put(other, "3");
        pawl_log_close(other);
        log_damaged(f->path);
        server_does(f, does);
        const int64_t events = event_log_count(f);
        assert_int_equal(append_one(f->log, checkpoint("4"), 0), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), says);
        assert_int_equal(event_log_count(f), events);
}

LOG_TEST(a_last_event_that_was_changed_is_found_out)
{
        is_refused_after(f, "UPDATE pawl.events SET payload = '{}' WHERE seq = 5 AND log_id = ",
                "seq 5: its hash does not fit");
}

LOG_TEST(an_event_before_the_last_that_was_changed_is_found_out)
{
        is_refused_after(f, "UPDATE pawl.events SET hash = prev WHERE seq = 4 AND log_id = ",
                "seq 5: its prev is not the hash of the event before");
}

LOG_TEST(an_event_before_the_last_that_is_gone_is_found_out)
{
        is_refused_after(f, "DELETE FROM pawl.events WHERE seq = 4 AND log_id = ",
                "seq 4: the event is missing");
}

LOG_TEST(an_event_of_ours_that_was_changed_is_found_out)
{
        is_refused_after(f, "UPDATE pawl.events SET hash = prev WHERE seq = 2 AND log_id = ",
                "is not the log that was opened any more");
}

LOG_TEST(a_head_that_is_not_the_last_event_s_is_found_out)
{
        is_refused_after(f, "UPDATE pawl.logs SET head_hash = '\\x" ZEROS "' WHERE log_id = ",
                "seq 5: its hash is not the one that the log's head has");
}

OPEN_LOG_TEST(a_thread_that_the_handle_began_is_one_exchange_a_put)
{
        char id[16];

        with_state(f->log);
        for (int i = 0; i < 8; i++) {
                snprintf(id, sizeof id, "%d", i);
                put(f->log, id);
        }
        real = f->log->server->pq;
        counting = *real;
        counting.PQpipelineSync = count_sync;
        f->log->server->pq = &counting;
        for (int i = 8; i < 12; i++) {
                exchanges = 0;
                snprintf(id, sizeof id, "%d", i);
                put(f->log, id);
                assert_int_equal(exchanges, 1);
        }
        f->log->server->pq = real;
        check(f);
}

OPEN_LOG_TEST(what_others_wrote_is_what_is_read)
{
        pawl_log *other, *bare;

        with_state(f->log);
        other = event_log_another(f);
        with_state(other);
        bare = event_log_another(f); /* writes past the state tables: the next one catches up */
        put(f->log, "1");
        put(other, "1");
        put(f->log, "2");
        put(f->log, "1");
        put(bare, "2");
        put(bare, "3");
        put(f->log, "3");
        put(bare, "3");
        put(other, "3");
        put(f->log, "3");
        pawl_log_close(other);
        pawl_log_close(bare);
        check(f);
}

LOG_TEST(an_append_that_is_refused_leaves_nothing_behind)
{
        pawl_event events[12], unknown = checkpoint("x");
        char ids[12][8];

        event_log_open(f);
        with_state(f->log);
        for (size_t i = 0; i < 12; i++) { /* more than is asked for at once */
                snprintf(ids[i], sizeof ids[i], "s%zu", i / 2);
                events[i] = checkpoint(ids[i]);
        }
        assert_ok(pawl_log_append(NULL, f->log, events, 12, 0));
        unknown.payload = pawl__text("{}");
        events[1] = unknown;
        assert_int_equal(pawl_log_append(NULL, f->log, events, 2, 0), PAWL_EINVAL);
        assert_int_equal(event_log_count(f), 12);
        put(f->log, "x");
        put(f->log, "s0");
        check(f);
}
