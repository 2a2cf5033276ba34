/* Ending a run for good. */
#include "support/mission.h"
#include "support/sweep.h"

static const char text[] = "mission: m\n"
                           "workspace: {checkpoint: off}\n"
                           "steps:\n"
                           "- {id: a, run: [sh, -c, exit 3]}\n";

MISSION_TEST(a_run_is_cancelled_for_any_failed_allocation)
{
        mission_write(f, text);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                sweep_done(&s, pawl_mission_cancel(f->log, "run-1", "user:ana", &f->err), &f->err);
        }
        mission_payload_says(f, "RunCancelled", "\"reason\":\"cancelled by user:ana\"");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTATE);
        assert_string_equal(f->err.message,
                "run run-1: was cancelled by user:ana; start a new one with `pawl run MISSION`");
}

MISSION_TEST(what_has_ended_is_not_cancelled)
{
        mission_write(f, text);
        assert_int_equal(pawl_mission_cancel(f->log, "run-1", NULL, &f->err), PAWL_ENOTFOUND);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        assert_int_equal(pawl_mission_cancel(f->log, "run-1", "a\nb", &f->err), PAWL_EINVAL);
        assert_ok(pawl_mission_cancel(f->log, "run-1", NULL, &f->err));
        const size_t before = mission_events(f, NULL);
        assert_int_equal(pawl_mission_cancel(f->log, "run-1", NULL, &f->err), PAWL_ESTATE);
        assert_int_equal(mission_events(f, NULL), before);
}
