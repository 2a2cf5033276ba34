/* One run, one owner: processes that meet at a run, die in it, or lose it. */
#include "support/claims.h"
#include "support/mission.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Waits for the file "go" for 60 seconds; the file "began" has its pid, which is its group's too.
 */
#define MISSION_WAITS                                                                              \
        "mission: m\n"                                                                             \
        "steps:\n"                                                                                 \
        "  - id: one\n"                                                                            \
        "    run: [sh, -c, 'echo $PAWL_RETRY_TOKEN >> journal; echo $$ > pid; mv pid began;"       \
        " test -e go || exec sleep 60']\n"

/* The process dies at once, and its command with it. */
static void kill_with_command(struct mission_fixture *f, pid_t pid)
{
        char *command = file_read(path_in(f->directory, "began"), NULL);
        int how;

        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &how, 0), pid);
        assert_true(WIFSIGNALED(how));
        for (int i = 0; kill(-atoi(command), 0) == 0; i++) {
                nanosleep(&(struct timespec){0, 1000000}, NULL);
                assert_true(i < 60000);
        }
}

MISSION_TEST(only_one_process_owns_a_run)
{
        char pid_text[32];

        mission_write(f, MISSION_WAITS);
        pid_t pid = mission_fork(f, false, NULL);
        mission_await(f, "began");
        snprintf(pid_text, sizeof pid_text, "pid %d on ", (int)pid);
        size_t before = mission_events(f, NULL);

        assert_int_equal(mission_resume(f, "run-1"), PAWL_EHELD);
        assert_says(f->err.message, "run run-1: is held by ");
        assert_says(f->err.message, pid_text);
        assert_says(f->err.message, "or wait: `pawl resume run-1 --wait`");
        assert_null(f->result);
        assert_int_equal(mission_run(f), PAWL_EHELD);
        assert_says(f->err.message, pid_text);
        assert_int_equal(
                mission_resume(f, NULL), PAWL_ENOTFOUND); /* it is alive, and there is no other */
        f->options.wait_ms = 120;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EHELD);
        assert_int_equal(mission_run(f), PAWL_EHELD);
        assert_int_equal(mission_events(f, NULL), before);

        kill_with_command(f, pid);
}

/* It is asked where the run begins, and not before: that one looked earlier decides nothing. */
MISSION_TEST(a_run_that_is_to_be_alone_begins_beside_no_unfinished_one)
{
        char pid_text[32];

        mission_write(f, MISSION_WAITS);
        pid_t pid = mission_fork(f, false, NULL);
        mission_await(f, "began");
        snprintf(pid_text, sizeof pid_text, "owned by pid %d on ", (int)pid);
        size_t before = mission_events(f, NULL);

        f->options.alone = true;
        f->options.run_id = "run-2";
        assert_int_equal(mission_run(f), PAWL_EHELD);
        assert_says(f->err.message, "mission m: run run-1 is running at 0/1 steps");
        assert_says(f->err.message, pid_text);
        assert_null(f->result);
        assert_int_equal(mission_events(f, NULL), before);

        kill_with_command(f, pid);
        assert_int_equal(mission_run(f), PAWL_ESTATE);
        assert_says(f->err.message, "mission m: run run-1 is interrupted at 0/1 steps");
        assert_says(f->err.message, "--resume");
        assert_int_equal(mission_events(f, "RunStarted"), 1);

        mission_file(f, "go", "");
        f->options.alone = false;
        assert_ok(mission_run(f)); /* beside it, as it was always done */
        assert_ok(mission_resume(f, "run-1"));
        f->options.alone = true;
        f->options.run_id = "run-3";
        assert_ok(mission_run(f));
        assert_int_equal(mission_events(f, "RunStarted"), 3);
}

MISSION_TEST(a_second_process_may_wait_its_turn)
{
        int how;

        mission_write(f, "mission: m\nsteps:\n  - id: one\n"
                         "    run: [sh, -c, 'echo one >> journal; : > began; sleep 0.4']\n");
        pid_t pid = mission_fork(f, false, NULL);
        mission_await(f, "began");
        f->options.wait_ms = 60000;
        assert_ok(mission_resume(f, "run-1"));
        assert_string_equal(f->result->status, "completed");
        assert_int_equal(waitpid(pid, &how, 0), pid);
        assert_ok(WEXITSTATUS(how));
        mission_journal_is(f, "one\n"); /* there was nothing left to do */
        assert_int_equal(mission_events(f, "RunCompleted"), 1);
}

MISSION_TEST(a_run_whose_process_was_killed_goes_on_under_the_same_key)
{
        char journal[128];

        mission_write(f, MISSION_WAITS);
        pid_t pid = mission_fork(f, false, NULL);
        mission_await(f, "began");
        kill_with_command(f, pid);

        mission_file(f, "go", "");
        assert_ok(mission_resume(f, NULL));
        snprintf(journal, sizeof journal, "%s\n%s\n", mission_token(f, "one"),
                mission_token(f, "one"));
        mission_journal_is(f, journal);
        assert_int_equal(mission_events(f, "StepStarted"), 1);
        assert_int_equal(mission_events(f, "StepCompleted"), 1);
        assert_int_equal(mission_events(f, "RunCompleted"), 1);
}

MISSION_TEST(killed_anywhere_a_run_ends_with_each_step_completed_once)
{
        pawl_status status = PAWL_EHELD;

        mission_write(f, "mission: m\nsteps:\n"
                         "  - {id: a, run: [sh, -c, 'sleep 0.01; echo 1']}\n"
                         "  - {id: b, inputs: {$from: a}, run: [cat]}\n"
                         "  - {id: c, inputs: {$from: b}, run: [sh, -c, 'sleep 0.01; cat']}\n");
        for (unsigned i = 0; i < 25; i++) {
                int how;
                pid_t pid = mission_fork(f, i > 0, "run-1");
                usleep(1000 + i * 1500);
                kill(-pid, SIGKILL);
                kill(pid, SIGKILL);
                assert_int_equal(waitpid(pid, &how, 0), pid);
                assert_ok(pawl__replay_check(f->log, &f->err));
        }
        if (mission_events(f, NULL) == 0)
                status = mission_run(f);
        else
                status = mission_resume(f, "run-1");
        assert_ok(status);
        assert_string_equal(f->result->status, "completed");
        assert_int_equal(mission_events(f, "StepCompleted"), 3);
        assert_int_equal(mission_events(f, "RunCompleted"), 1);
        assert_ok(pawl__replay_check(f->log, &f->err));
}

static int64_t ahead_ms;

static int64_t ahead(void *user)
{
        struct timespec now;

        (void)user;
        clock_gettime(CLOCK_BOOTTIME, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + ahead_ms;
}

/* In the child: when the command has begun, take the run over from another machine, by a clock that
 * leaves the lease behind between two renewals. */
static void take_over(struct mission_fixture *f)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log = NULL;
        uint64_t fence;
        pawl_status status = PAWL_EHELD;

        options.sources.boot_ms = ahead;
        mission_await(f, "began");
        if (pawl_log_open(&log, f->db, &options, NULL))
                _exit(1);
        while (status == PAWL_EHELD) {
                claims_elsewhere(log);
                status = pawl_log_claim(&fence, log, "m", "run-1", "user:other", NULL);
                ahead_ms += 3600000;
        }
        if (status)
                _exit(1);
        mission_file(f, "taken", "");
        pause(); /* a dead holder would lose the run again */
        _exit(0);
}

MISSION_TEST(a_run_that_was_taken_over_stops_and_records_nothing)
{
        int how;

        pawl_log_close(f->log);
        pid_t pid = fork();
        if (pid == 0)
                take_over(f);
        f->log_options.lease_ms = 300;
        assert_ok(pawl_log_open(&f->log, f->db, &f->log_options, &f->err));
        mission_write(f, MISSION_WAITS);
        assert_int_equal(mission_run(f), PAWL_EFENCED); /* long before the command's 60 seconds */
        assert_says(f->err.message, "run-1");
        assert_non_null(f->result);
        assert_string_equal(mission_status(f, "one"), "running");
        assert_int_equal(mission_events(f, "StepCompleted"), 0);
        assert_int_equal(mission_events(f, "StepFailed"), 0);
        assert_int_equal(mission_events(f, "SessionEnded"), 0);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &how, 0), pid);
}
