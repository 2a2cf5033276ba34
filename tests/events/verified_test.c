/* Events that are verified in order, and are held against that when they are read again. */
#include "events/log.h"
#include "support/event_log.h"
#include "support/sweep.h"

static pawl_status count(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        uint64_t *last = user;

        (void)type, (void)err;
        assert_int_equal(event->seq, *last + 1);
        *last = event->seq;
        return PAWL_OK;
}

static void walk(event_log *f, pawl_status wanted, const char *says)
{
        uint64_t last = f->log->verified.n;
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__log_verified_walk(f->log, count, &last, &err), wanted);
        assert_int_equal(last, f->log->verified.n);
        if (says)
                assert_says(err.message, says);
}

OPEN_LOG_TEST(each_event_is_taken_once_and_keeps_its_hash)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        walk(f, PAWL_OK, NULL);
        assert_null(pawl__log_verified_hash(f->log, 1));
        event_log_fill(f, 3);
        walk(f, PAWL_OK, NULL);
        event_log_fill(f, 600);
        walk(f, PAWL_OK, NULL);
        assert_int_equal(f->log->verified.n, 603);
        assert_ok(pawl__log_event(&event, &arena, f->log, 603));
        assert_memory_equal(pawl__log_verified_hash(f->log, 603), event.hash, 32);
        assert_null(pawl__log_verified_hash(f->log, 604));
        assert_null(pawl__log_verified_hash(f->log, 0));
        assert_ok(pawl__log_event_sound(f->log, &event, &f->log->err));
        pawl__arena_free(&arena);
}

OPEN_LOG_TEST(what_does_not_verify_is_not_taken)
{
        event_log_fill(f, 5);
        event_log_unguard(f);
        event_log_sql(f, "UPDATE events SET actor = 'user:eve' WHERE seq = 3");
        walk(f, PAWL_EDAMAGED, "seq 3: its hash does not fit");
        assert_int_equal(f->log->verified.n, 2);
        event_log_sql(f, "UPDATE events SET actor = NULL WHERE seq = 3");
        event_log_sql(f, "UPDATE events SET prev = zeroblob(32) WHERE seq = 4");
        walk(f, PAWL_EDAMAGED, "seq 4: its prev is not the hash of the event before");
        assert_int_equal(f->log->verified.n, 3);
}

OPEN_LOG_TEST(an_event_that_is_changed_later_is_seen_when_it_is_read_under_guard)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        event_log_fill(f, 5);
        walk(f, PAWL_OK, NULL);
        event_log_unguard(f);
        event_log_sql(f, "UPDATE events SET mission_id = 'other' WHERE seq = 2");
        assert_ok(pawl__log_event(&event, &arena, f->log, 2));
        assert_int_equal(pawl__log_event_sound(f->log, &event, &f->log->err), PAWL_EDAMAGED);
        pawl__log_verified_guard(f->log, true);
        assert_int_equal(pawl__log_event(&event, &arena, f->log, 2), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "seq 2: its hash does not fit");
        assert_ok(pawl__log_event(&event, &arena, f->log, 3));
        event_log_sql(f, "UPDATE events SET hash = zeroblob(32) WHERE seq = 3");
        assert_int_equal(pawl__log_event(&event, &arena, f->log, 3), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "seq 3: it was exchanged since it was verified");
        pawl__log_verified_guard(f->log, false);
        assert_ok(pawl__log_event(&event, &arena, f->log, 3));
        pawl__arena_free(&arena);
}

OPEN_LOG_TEST(an_end_that_was_cut_off_is_missed)
{
        event_log_fill(f, 5);
        walk(f, PAWL_OK, NULL);
        event_log_unguard(f);
        event_log_sql(f, "DELETE FROM events WHERE seq = 5");
        walk(f, PAWL_EDAMAGED, "seq 5: the event is missing");
}

LOG_TEST(with_the_key_an_event_without_its_mac_is_not_taken)
{
        f->key = "0123456789abcdef0123456789abcdef";
        event_log_open(f);
        event_log_fill(f, 3);
        walk(f, PAWL_OK, NULL);
        event_log_fill(f, 2);
        event_log_sql(f, "DELETE FROM macs WHERE seq = 5");
        walk(f, PAWL_EDAMAGED, "seq 5: its MAC is missing");
        assert_int_equal(f->log->verified.n, 4);
}

OPEN_LOG_TEST(without_memory_nothing_is_taken_half)
{
        event_log_fill(f, 40);
        for (sweep s = {.warm = 1, .least = 2}; sweep_next(&s);) {
                uint64_t last = f->log->verified.n = 0;
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                const pawl_status status = pawl__log_verified_walk(f->log, count, &last, &err);
                (void)sweep_done(&s, status, &err);
                assert_int_equal(f->log->verified.n, last);
        }
}
