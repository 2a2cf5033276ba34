/* Several steps at work at once. */
#include "support/mission.h"
#include <pawl/query.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MISSION "mission: m\nparallel: 4\nworkspace: {checkpoint: off}\nsteps:\n"
/* Begins, and ends when all of those are at work, too. */
#define MEETS(id, others)                                                                          \
        "- {id: " id ", needs: [], run: [sh, -c, 'touch at-" id "; for o in " others               \
        "; do until test -e at-$o; do sleep 0.01; done; done; echo " id "']}\n"

MISSION_TEST(as_many_are_at_work_as_the_mission_says)
{
        mission_write(f,
                MISSION MEETS("a", "b c d") MEETS("b", "a c d") MEETS("c", "a b d")
                        MEETS("d", "a b c") "- {id: e, needs: [a, b, c, d], inputs: [{$from: a}, "
                                            "{$from: b}, {$from: c}, {$from: d}], run: [cat]}\n");
        assert_ok(mission_run(f));
        assert_string_equal(mission_status(f, "e"), "completed");
        assert_int_equal(mission_events(f, "StepCompleted"), 5);
}

MISSION_TEST(no_more_are_at_work_than_the_mission_says)
{
        mission_write(f, "mission: m\nparallel: 2\nworkspace: {checkpoint: off}\nsteps:\n"
                         "- {id: a, needs: [], run: &one [sh, -c, 'mkdir one || mkdir two; sleep "
                         "0.1; rmdir two || rmdir one']}\n"
                         "- {id: b, needs: [], run: [sh, -c, 'mkdir one || mkdir two; sleep 0.1; "
                         "rmdir two || rmdir one']}\n"
                         "- {id: c, needs: [], run: [sh, -c, 'mkdir one || mkdir two; sleep 0.1; "
                         "rmdir two || rmdir one']}\n"
                         "- {id: d, needs: [], run: [sh, -c, 'mkdir one || mkdir two; sleep 0.1; "
                         "rmdir two || rmdir one']}\n");
        assert_ok(mission_run(f));
}

MISSION_TEST(one_that_fails_lets_the_others_end)
{
        mission_write(f,
                MISSION "- {id: a, needs: [], run: [sh, -c, 'until test -e at-b; do sleep 0.01; "
                        "done; exit 3']}\n"
                        "- {id: b, needs: [], run: [sh, -c, 'touch at-b; sleep 0.3; echo b >> "
                        "journal']}\n"
                        "- {id: c, needs: [b], run: [sh, -c, 'echo c >> journal']}\n"
                        "- {id: d, needs: [a], run: [sh, -c, 'echo d >> journal']}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_journal_is(f, "b\nc\n");
        assert_string_equal(mission_status(f, "a"), "failed");
        assert_string_equal(mission_status(f, "c"), "completed");
        assert_string_equal(mission_status(f, "d"), "pending");
        assert_string_equal(f->result->status, "failed");
}

MISSION_TEST(each_has_its_own_time_limit_and_attempts)
{
        mission_write(f,
                MISSION "- {id: a, needs: [], timeout: 200ms, run: [sleep, 30]}\n"
                        "- {id: b, needs: [], retry: {attempts: 3, delay: 50ms}, run: [sh, -c, "
                        "'echo b >> journal; test $(wc -l < journal) -ge 3']}\n"
                        "- {id: c, needs: [], run: [sh, -c, 'sleep 0.4; echo >&2 word']}\n"
                        "- {id: d, needs: [b, c], run: ['true']}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_journal_is(f, "b\nb\nb\n");
        assert_string_equal(mission_status(f, "a"), "failed");
        assert_string_equal(mission_status(f, "d"), "completed");
        mission_payload_says(f, "StepFailed", "timed out after 200ms");
        assert_int_equal(mission_events(f, "StepAttemptFailed"), 2);
}

MISSION_TEST(what_is_written_is_kept_apart)
{
        char text[4000] = MISSION;

        for (int i = 0; i < 4; i++) {
                const size_t len = strlen(text);
                snprintf(text + len, sizeof text - len,
                        "- {id: s%d, needs: [], run: [sh, -c, 'for i in $(seq 200); do echo >&2 "
                        "word-%d; done; seq %d000']}\n",
                        i, i, i + 1);
        }
        mission_write(f, text);
        assert_ok(mission_run(f));
        assert_int_equal(mission_events(f, "StepCompleted"), 4);
        mission_payload_says(f, "StepCompleted", "\"log_bytes\":1400");
}

MISSION_TEST(a_signal_ends_all_of_them)
{
        int ends[2];
        const unsigned char term = SIGTERM;

        assert_int_equal(pipe(ends), 0);
        f->options.signal_fd = ends[0];
        mission_write(f,
                MISSION "- {id: a, needs: [], run: [sh, -c, 'touch at-a; exec sleep 30']}\n"
                        "- {id: b, needs: [], run: [sh, -c, 'touch at-b; exec sleep 30']}\n"
                        "- {id: c, needs: [], run: ['true']}\n"
                        "- {id: d, needs: [c], retry: {attempts: 2, delay: 1h}, run: ['false']}\n"
                        "- {id: e, needs: [c], run: [sh, -c, 'echo e >> journal']}\n");
        const pid_t pid = fork();
        if (pid == 0) {
                mission_await(f, "at-a");
                mission_await(f, "at-b");
                if (pawl_log_open(&f->log, f->db, &f->log_options, &f->err))
                        _exit(1);
                while (mission_events(f, "StepCompleted") < 2 ||
                        mission_events(f, "StepAttemptFailed") < 1)
                        usleep(10000);
                _exit(write(ends[1], &term, 1) == 1 ? 0 : 1);
        }
        assert_int_equal(mission_run(f), PAWL_EINTERRUPTED);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_string_equal(f->result->status, "interrupted");
        assert_int_equal(f->result->signal, SIGTERM);
        assert_says(f->err.message, "interrupted by SIGTERM; go on with `pawl resume run-1`");
        /* d's first attempt, and those that were cut off */
        assert_int_equal(mission_events(f, "StepAttemptFailed"), 3);
        mission_payload_says(f, "SessionEnded", "\"run_status\":\"interrupted\"");
        mission_journal_is(f, "e\n");
        close(ends[0]);
        close(ends[1]);
}

/* The step that was at work beside the blocked one has ended when somebody is asked. */
static pawl_status define(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        struct mission_fixture *f = user;

        (void)conflict;
        mission_journal_is(f, "slow\n");
        answer->define = pawl__text("what a step works in");
        return PAWL_OK;
}

MISSION_TEST(nobody_is_asked_while_others_are_at_work)
{
        f->options.clarify = define;
        f->options.clarify_user = f;
        mission_write(f,
                MISSION "- {id: slow, needs: [], run: [sh, -c, 'sleep 0.3; echo slow >> "
                        "journal']}\n"
                        "- {id: a, needs: [], inputs: {text: 'the \"workspace\"'}, metadata: "
                        "{glossary_watch_terms: [workspace]}, strictness: max, run: [sh, -c, 'echo "
                        "a >> journal']}\n"
                        "- {id: b, needs: [a], run: [sh, -c, 'echo b >> journal']}\n");
        assert_ok(mission_run(f));
        mission_journal_is(f, "slow\na\nb\n");
}

MISSION_TEST(a_blocked_step_is_left_until_the_others_have_ended)
{
        mission_write(f,
                MISSION "- {id: slow, needs: [], run: [sh, -c, 'sleep 0.2; echo slow >> "
                        "journal']}\n"
                        "- {id: a, needs: [], inputs: {text: 'the \"workspace\"'}, metadata: "
                        "{glossary_watch_terms: [workspace]}, strictness: max, run: [sh, -c, 'echo "
                        "a >> journal']}\n"
                        "- {id: c, needs: [slow], run: [sh, -c, 'echo c >> journal']}\n");
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        mission_journal_is(f, "slow\nc\n");
        assert_string_equal(f->result->status, "blocked");
        mission_resolve(f);
        assert_ok(mission_resume(f, NULL));
        mission_journal_is(f, "slow\nc\na\n");
}

/* Another process answers the first n open conflicts once the step that is called slow is at work,
 * which then may end. */
static void answer_meanwhile(struct mission_fixture *f, size_t n)
{
        const pawl_answer answer = {.define = pawl__text("what a step works in")};
        pawl_conflicts *open = NULL;

        mission_await(f, "at-slow");
        if (pawl_log_open(&f->log, f->db, &f->log_options, &f->err))
                _exit(1);
        while (!pawl_conflict_list(&open, f->log, NULL, false, &f->err) && open->n < 2) {
                pawl_conflicts_free(open);
                usleep(10000);
        }
        for (size_t i = 0; i < n; i++)
                if (pawl_conflict_resolve(f->log, open->items[i].conflict.conflict_id.data, &answer,
                            "user:ana", &f->err))
                        _exit(2);
        mission_file(f, "go", "");
        _exit(0);
}

#define BLOCKS(id, term)                                                                           \
        "- {id: " id ", needs: [], inputs: {text: 'the \"" term                                    \
        "\"'}, metadata: {glossary_watch_terms: [" term "]}, strictness: max, run: [sh, -c, "      \
        "'echo " id " >> journal']}\n"

static void run_while_answered(struct mission_fixture *f, size_t n, pawl_status wanted)
{
        mission_write(f,
                MISSION BLOCKS("a", "workspace") BLOCKS("b",
                        "account") "- {id: slow, needs: [], run: [sh, -c, 'touch at-slow; until test -e go; do "
                                   "sleep 0.01; done; echo slow >> journal']}\n"
                                   "- {id: c, needs: [a], run: [sh, -c, 'echo c >> journal']}\n");
        const pid_t pid = fork();
        if (pid == 0)
                answer_meanwhile(f, n);
        assert_int_equal(mission_run(f), wanted);
        child_exits(pid, 0);
}

MISSION_TEST(a_step_that_is_answered_while_others_are_at_work_goes_on)
{
        run_while_answered(f, 2, PAWL_OK);
        assert_string_equal(f->result->status, "completed");
        assert_int_equal(mission_events(f, "StepCompleted"), 4);
        assert_int_equal(mission_events(f, "SessionStarted"), 1);
}

MISSION_TEST(one_that_is_not_answered_is_named_in_the_end)
{
        run_while_answered(f, 1, PAWL_BLOCKED);
        mission_journal_is(f, "slow\na\nc\n");
        assert_string_equal(mission_status(f, "a"), "completed");
        assert_string_equal(mission_status(f, "b"), "blocked");
        assert_says(f->err.message, "step b: generation is blocked by 1 unresolved conflict;");
        assert_int_equal(f->result->n_conflicts, 1);
        mission_resolve(f);
        assert_ok(mission_resume(f, NULL));
        mission_journal_is(f, "slow\na\nc\nb\n");
}

/* As define(). */
static pawl_status confirm(bool *yes, const pawl_input_change *change, void *user)
{
        struct mission_fixture *f = user;

        assert_text(change->step_id, "a");
        mission_journal_is(f, "slow\nb\n");
        *yes = true;
        return PAWL_OK;
}

#define UNTIL_GO(x)                                                                                \
        MISSION "- {id: slow, needs: [], run: [sh, -c, 'test -e go && sleep 0.3 && echo slow >> "  \
                "journal']}\n"                                                                     \
                "- {id: a, needs: [], inputs: {x: " x "}, run: [sh, -c, 'test -e go && echo a >> " \
                "journal']}\n"                                                                     \
                "- {id: b, needs: [slow], run: [sh, -c, 'echo b >> journal']}\n"

MISSION_TEST(nobody_is_asked_about_changed_inputs_while_others_are_at_work)
{
        mission_write(f, UNTIL_GO("1"));
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_file(f, "go", "");
        f->options.confirm = confirm;
        f->options.confirm_user = f;
        mission_write(f, UNTIL_GO("2"));
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "slow\nb\na\n");
        assert_int_equal(mission_events(f, "StepResumeAborted"), 0);
}

MISSION_TEST(changed_inputs_that_nobody_accepts_hold_what_needs_them_alone)
{
        mission_write(f, UNTIL_GO("1"));
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_file(f, "go", "");
        mission_write(f, UNTIL_GO("2"));
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        assert_says(f->err.message, "step a: its inputs changed since the checkpoint: inputs.x");
        mission_journal_is(f, "slow\nb\n");
        assert_int_equal(mission_events(f, "StepResumeAborted"), 1);
}
