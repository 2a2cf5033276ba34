/* Ending a run for good. */
#include "support/mission.h"
#include "support/sweep.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Its process was killed while the command was at work, and left the file of what that wrote. */
MISSION_TEST(what_was_written_is_kept_for_any_failed_allocation)
{
        mission_write(f, "mission: m\nworkspace: {checkpoint: off}\nsteps:\n"
                         "- {id: a, run: [sh, -c, 'echo words >&2; exec sleep 30']}\n");
        const pid_t pid = mission_fork(f, false, NULL);
        mission_await(f, ".pawl/events.db-logs/run-1/a.1");
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                sweep_done(&s, pawl_mission_cancel(f->log, "run-1", "user:ana", &f->err), &f->err);
        }
        assert_int_equal(mission_events(f, "StepAttemptFailed"), 1);
        mission_payload_says(f, "StepAttemptFailed", "\"last_line\":\"words\"");
        mission_payload_says(f, "StepAttemptFailed", "\"reason\":\"cancelled by user:ana\"");
        assert_int_equal(access(path_in(f->directory, ".pawl/events.db-logs"), F_OK), -1);
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
