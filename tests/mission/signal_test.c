/* Signals that the caller of a run hands over through signal_fd. */
#include "support/mission.h"
#include <signal.h>
#include <unistd.h>

struct pipe_ends {
        int read, write;
};

static struct pipe_ends watch(struct mission_fixture *f)
{
        int fd[2];

        assert_int_equal(pipe(fd), 0);
        f->options.signal_fd = fd[0];
        return (struct pipe_ends){fd[0], fd[1]};
}

static void end_watch(struct mission_fixture *f, struct pipe_ends ends)
{
        f->options.signal_fd = -1;
        close(ends.read);
        close(ends.write);
}

static void send(int fd, int signal)
{
        unsigned char byte = (unsigned char)signal;

        assert_int_equal(write(fd, &byte, 1), 1);
}

/* The command begins, and the signal comes: from progress, which is called just before it starts.
 */
static void send_when_running(
        pawl_run_stage stage, const char *step_id, size_t number, size_t of, void *user)
{
        (void)step_id, (void)number, (void)of;
        if (stage == PAWL_STEP_RUNNING)
                send(*(int *)user, SIGINT);
}

static void send_when_completed(
        pawl_run_stage stage, const char *step_id, size_t number, size_t of, void *user)
{
        (void)step_id, (void)number, (void)of;
        if (stage == PAWL_STEP_COMPLETED)
                send(*(int *)user, SIGTERM);
}

MISSION_TEST(a_signal_ends_the_command_and_the_step_can_go_on)
{
        struct pipe_ends ends = watch(f);

        mission_write(f, "mission: m\nsteps:\n  - id: one\n    run: [sh, -c, "
                         "'echo $PAWL_RETRY_TOKEN >> keys; test -e go || exec sleep 60']\n");
        f->options.progress = send_when_running;
        f->options.progress_user = &ends.write;
        assert_int_equal(mission_run(f), PAWL_EINTERRUPTED);
        assert_says(
                f->err.message, "step one: interrupted by SIGINT; go on with `pawl resume run-1`");
        assert_int_equal(f->result->signal, SIGINT);
        assert_string_equal(f->result->status, "interrupted");
        assert_string_equal(mission_status(f, "one"), "pending"); /* not failed, nor running */
        assert_true(mission_unfinished(f, "one"));
        assert_string_equal(mission_cursor(f, "one"), "post_gate");
        assert_int_equal(mission_events(f, "StepFailed"), 0);
        assert_int_equal(mission_events(f, "RunFailed"), 0);
        mission_payload_says(
                f, "SessionEnded", "{\"reason\":\"SIGINT\",\"status\":\"interrupted\"}");
        char *token = test_copy(mission_token(f, "one"));

        end_watch(f, ends);
        f->options.progress = NULL;
        mission_file(f, "go", "");
        assert_ok(mission_resume(f, NULL));
        assert_string_equal(mission_token(f, "one"), token);
}

MISSION_TEST(a_signal_between_two_steps_keeps_what_was_done)
{
        struct pipe_ends ends = watch(f);

        mission_write(f, "mission: m\n"
                         "steps:\n"
                         "  - {id: one, run: [sh, -c, 'echo one >> journal']}\n"
                         "  - {id: two, run: [sh, -c, 'echo two >> journal']}\n");
        f->options.progress = send_when_completed;
        f->options.progress_user = &ends.write;
        assert_int_equal(mission_run(f), PAWL_EINTERRUPTED);
        assert_says(f->err.message, "run run-1: interrupted by SIGTERM");
        assert_int_equal(f->result->signal, SIGTERM);
        assert_string_equal(f->result->status, "interrupted");
        assert_string_equal(mission_status(f, "one"), "completed");
        assert_string_equal(mission_status(f, "two"), "pending");
        mission_journal_is(f, "one\n");

        end_watch(f, ends);
        f->options.progress = NULL;
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "one\ntwo\n");
        assert_int_equal(mission_events(f, "StepCompleted"), 2);
}

MISSION_TEST(a_closed_pipe_is_no_signal)
{
        struct pipe_ends ends = watch(f);

        close(ends.write);
        mission_write(
                f, "mission: m\nsteps: [{id: one, run: ['true']}, {id: two, run: ['true']}]\n");
        assert_ok(mission_run(f));
        close(ends.read);
}

static pawl_status break_off(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        int *fd = user;

        (void)answer, (void)conflict;
        if (*fd >= 0)
                send(*fd, SIGTERM);
        return PAWL_EINTERRUPTED;
}

MISSION_TEST(a_question_can_be_broken_off)
{
        struct pipe_ends ends = watch(f);

        mission_write(f, "mission: m\nsteps:\n  - id: one\n    critical: true\n"
                         "    inputs: {description: the workspace}\n"
                         "    metadata: {glossary_watch_terms: [workspace]}\n"
                         "    run: [sh, -c, 'echo one >> journal']\n");
        f->options.clarify = break_off;
        f->options.clarify_user = &ends.write;
        assert_int_equal(mission_run(f), PAWL_EINTERRUPTED);
        assert_int_equal(f->result->signal, SIGTERM);
        assert_string_equal(f->result->status, "blocked");
        mission_payload_says(f, "SessionEnded", "\"reason\":\"SIGTERM\"");
        mission_journal_is(f, "");

        end_watch(f, ends);
        ends.write = -1; /* no byte says which signal it was */
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINTERRUPTED);
        assert_int_equal(f->result->signal, SIGINT);
}
