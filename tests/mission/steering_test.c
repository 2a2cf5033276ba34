/* What resuming, cancelling and skipping would do, before they are done. */
#include "mission/steering.h"
#include "support/mission.h"
#include "support/sweep.h"

static const char text[] = "mission: m\n"
                           "workspace: {checkpoint: off}\n"
                           "parallel: 2\n"
                           "steps:\n"
                           "- {id: a, run: [echo, '{\"go\": true}']}\n"
                           "- {id: b, needs: [a], run: [sh, -c, exit 3]}\n"
                           "- {id: c, needs: [a, b], when: {$from: 'a#/go'}, run: [cat]}\n";

static pawl_status once(pawl__steering *found, struct mission_fixture *f,
        pawl__steering_action action, const char *step_id, pawl__arena *arena)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;

        options.rerun_changed = true;
        return pawl__steering_preview(found, f->log, action, pawl__text("run-1"),
                pawl__text(step_id), &options, arena, &f->err);
}

/* Look for any failed allocation; what was found in the end is the caller's. */
static void look(pawl__steering *found, struct mission_fixture *f, pawl__steering_action action,
        const char *step_id, pawl__arena *arena)
{
        const size_t before = mission_events(f, NULL);

        pawl__arena_free(arena);
        for (sweep s = {.warm = 1}; sweep_next(&s);) {
                sweep_arm(&s);
                if (sweep_done(&s, once(found, f, action, step_id, arena), &f->err))
                        assert_int_not_equal(found->refused.status, PAWL_ENOMEM);
                pawl__arena_free(arena);
        }
        assert_ok(once(found, f, action, step_id, arena));
        assert_int_equal(mission_events(f, NULL), before);
        assert_ok(found->refused.status);
        assert_true(found->n_steps >= 3);
}

static void then_are(const pawl__steering *found, const char *a, const char *b, const char *c)
{
        assert_string_equal(found->steps[0].then, a);
        assert_string_equal(found->steps[1].then, b);
        assert_string_equal(found->steps[2].then, c);
}

MISSION_TEST(what_an_action_means_is_told_for_any_failed_allocation)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__steering found;

        mission_write(f, text);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        look(&found, f, PAWL__STEER_RESUME, NULL, &arena);
        then_are(&found, "stays", "runs", "runs");
        assert_string_equal(found.steps[1].why, "it failed");
        assert_string_equal(found.steps[2].why, "if a#/go says so");
        look(&found, f, PAWL__STEER_CANCEL, NULL, &arena);
        then_are(&found, "stays", "never", "never");
        look(&found, f, PAWL__STEER_SKIP, "b", &arena);
        then_are(&found, "stays", "skipped", "runs");
        mission_write(f, "mission: m\n"
                         "workspace: {checkpoint: off}\n"
                         "parallel: 2\n"
                         "steps:\n"
                         "- {id: a, run: [echo, '{\"go\": false}']}\n"
                         "- {id: b, needs: [a], run: [sh, -c, exit 3]}\n"
                         "- {id: d, needs: [b], run: [cat]}\n");
        look(&found, f, PAWL__STEER_RESUME, NULL, &arena);
        then_are(&found, "again", "runs", "left");
        assert_string_equal(found.steps[0].why, "its command changed");
        assert_int_equal(found.n_steps, 4);
        assert_string_equal(found.steps[3].then, "runs");
        pawl__arena_free(&arena);
}
