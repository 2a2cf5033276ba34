#include "events/types.h"
#include "session/session.h"
#include "support/pipeline.h"

enum { LATE_NOVEMBER = 1795178100 }; /* 2026-11-20T12:35:00Z */

static pawl__state *state_of(struct piped *p)
{
        pawl__state *state;

        assert_int_equal(pawl__state_of(&state, p->log, &p->err), PAWL_OK);
        return state;
}

static pawl_event like(const char *session_id)
{
        return (pawl_event){.mission_id = pawl__text("m"),
                .run_id = pawl__text("r"),
                .step_id = pawl__text("s"),
                .session_id = pawl__text(session_id),
                .actor = pawl__text("user:ana")};
}

static void begin(struct piped *p, const char *id)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event envelope = like(id);

        assert_int_equal(pawl__session_started(&batch, &envelope, &p->err), PAWL_OK);
        assert_text(batch.events[0].type, "SessionStarted");
        assert_null(batch.events[0].step_id.data);
        assert_int_equal(pawl__log_commit(p->log, &batch, 0, NULL), PAWL_OK);
        pawl__batch_free(&batch);
}

static void a_session_is_called_by_its_second_in_utc(void **state)
{
        struct piped *p = *state;
        char id[40];

        assert_int_equal(pawl__session_id(id, state_of(p),
                                 (int64_t)LATE_NOVEMBER * 1000000 + 999999, &p->err),
                PAWL_OK);
        assert_string_equal(id, "session-20261120-123500");
        assert_int_equal(pawl__session_id(id, state_of(p), -1, &p->err), PAWL_OK);
        assert_string_equal(id, "session-19691231-235959");
}

static void sessions_of_one_second_are_counted(void **state)
{
        struct piped *p = *state;
        char id[40];

        for (int n = 1; n <= 11; n++) {
                char expected[40];
                assert_int_equal(pawl__session_id(id, state_of(p), (int64_t)LATE_NOVEMBER * 1000000,
                                         &p->err),
                        PAWL_OK);
                if (n == 1)
                        snprintf(expected, sizeof expected, "session-20261120-123500");
                else
                        snprintf(expected, sizeof expected, "session-20261120-123500-%d", n);
                assert_string_equal(id, expected);
                begin(p, id);
        }
        piped_replays(p);
}

static void an_end_says_how_and_why(void **state)
{
        struct piped *p = *state;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event envelope = like("session-1");

        begin(p, "session-1");
        assert_int_equal(
                pawl__session_ended(&batch, &envelope, "interrupted", "SIGTERM", &p->err), PAWL_OK);
        assert_int_equal(
                pawl__session_ended(&batch, &envelope, "completed", NULL, &p->err), PAWL_OK);
        assert_text(batch.events[0].type, "SessionEnded");
        assert_text(batch.events[0].session_id, "session-1");
        assert_text(batch.events[0].payload, "{\"status\":\"interrupted\",\"reason\":\"SIGTERM\"}");
        assert_text(batch.events[1].payload, "{\"status\":\"completed\"}");
        batch.n = 1;
        assert_int_equal(pawl__log_commit(p->log, &batch, 0, NULL), PAWL_OK);
        pawl__batch_free(&batch);
        assert_string_equal(piped_types(p, 0), "SessionStarted SessionEnded");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, piped_setup, piped_teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_session_is_called_by_its_second_in_utc),
                TEST(sessions_of_one_second_are_counted),
                TEST(an_end_says_how_and_why),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
