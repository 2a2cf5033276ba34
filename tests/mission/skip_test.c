/* Going past a step that failed. */
#include "support/mission.h"
#include "support/sweep.h"

static const char text[] = "mission: m\n"
                           "workspace: {checkpoint: off}\n"
                           "steps:\n"
                           "- {id: a, inputs: {n: 1}, run: [sh, -c, exit 3]}\n"
                           "- {id: b, inputs: {of: {$from: 'a#/n'}}, run: [cat]}\n";

static pawl_status skip_step(struct mission_fixture *f, const char *step, const char *output)
{
        return pawl_mission_skip(
                f->log, "run-1", step, output, output ? strlen(output) : 0, "user:ana", &f->err);
}

MISSION_TEST(a_step_is_skipped_for_any_failed_allocation)
{
        mission_write(f, text);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        const size_t before = mission_events(f, NULL);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                if (!sweep_done(&s, skip_step(f, "a", "{\"n\": 7}"), &f->err))
                        assert_int_equal(mission_events(f, NULL), before);
        }
        mission_payload_says(f, "StepCompleted", "\"skipped\":true");
        assert_ok(mission_resume(f, "run-1"));
        mission_payload_says(f, "StepCompleted", "\"exit_code\":0");
}

MISSION_TEST(what_has_not_failed_is_not_skipped)
{
        mission_write(f, text);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        const size_t before = mission_events(f, NULL);
        assert_int_equal(skip_step(f, "b", NULL), PAWL_ESTATE);
        assert_string_equal(f->err.message,
                "step b: is pending in run run-1; only a step that failed can be skipped");
        assert_int_equal(skip_step(f, "c", NULL), PAWL_ENOTFOUND);
        assert_int_equal(skip_step(f, "a", "{"), PAWL_EPARSE);
        assert_int_equal(mission_events(f, NULL), before);
        assert_ok(skip_step(f, "a", NULL));
        assert_int_equal(skip_step(f, "a", NULL), PAWL_ESTATE);
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP); /* null has no n */
        assert_ok(skip_step(f, "b", NULL));
        assert_ok(mission_resume(f, "run-1"));
}
