/* The order in which a run's steps come, and what one of them means for the others. */
#include "support/mission.h"

#define MISSION   "mission: m\nworkspace: {checkpoint: off}\nsteps:\n"
#define NOTES(id) "run: [sh, -c, 'echo " id " >> journal; echo 1']"
#define FAILS(id) "run: [sh, -c, 'echo " id " >> journal; test -e go']"
#define WORKSPACE(x)                                                                               \
        "inputs: {text: 'the \"workspace\" " x                                                     \
        "'}, metadata: {glossary_watch_terms: [workspace]}, strictness: max, "

MISSION_TEST(steps_run_behind_what_they_need)
{
        mission_write(f,
                MISSION "- {id: a, needs: [c], " NOTES(
                        "a") "}\n"
                             "- {id: b, needs: [a, c], inputs: {$from: a}, " NOTES(
                                     "b") "}\n"
                                          "- {id: c, needs: [], " NOTES(
                                                  "c") "}\n"
                                                       "- {id: d, needs: [], " NOTES("d") "}\n");
        assert_ok(mission_run(f));
        mission_journal_is(f, "c\na\nb\nd\n");
        assert_string_equal(f->result->status, "completed");
}

MISSION_TEST(what_does_not_need_a_step_that_failed_still_runs)
{
        mission_write(f,
                MISSION "- {id: a, " FAILS(
                        "a") "}\n"
                             "- {id: b, " NOTES(
                                     "b") "}\n"
                                          "- {id: c, needs: [], " NOTES(
                                                  "c") "}\n"
                                                       "- {id: d, needs: [c], " NOTES(
                                                               "d") "}\n"
                                                                    "- {id: e, needs: [b, d], " NOTES(
                                                                            "e") "}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_journal_is(f, "a\nc\nd\n");
        assert_string_equal(f->result->status, "failed");
        assert_string_equal(mission_status(f, "a"), "failed");
        assert_string_equal(mission_status(f, "b"), "pending");
        assert_string_equal(mission_status(f, "d"), "completed");
        assert_says(f->err.message, "step a: exit code 1");
        mission_payload_says(f, "RunFailed", "step a: exit code 1");
        mission_file(f, "go", "");
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "a\nc\nd\na\nb\ne\n");
}

MISSION_TEST(a_failed_step_can_be_skipped_beside_others)
{
        mission_write(f, MISSION
                "- {id: a, " FAILS("a") "}\n"
                                        "- {id: b, needs: [], " FAILS(
                                                "b") "}\n"
                                                     "- {id: c, needs: [a], " NOTES(
                                                             "c") "}\n"
                                                                  "- {id: d, needs: [b, c], " NOTES(
                                                                          "d") "}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_journal_is(f, "a\nb\n");
        assert_ok(pawl_mission_skip(f->log, "run-1", "a", "7", 1, "user:ana", &f->err));
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        mission_journal_is(f, "a\nb\nb\nc\n");
        assert_says(f->err.message, "step b: exit code 1");
        mission_file(f, "go", "");
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "a\nb\nb\nc\nb\nd\n");
}

MISSION_TEST(a_blocked_step_holds_what_needs_it_alone)
{
        mission_write(f,
                MISSION "- {id: a, " WORKSPACE("a") NOTES(
                        "a") "}\n"
                             "- {id: b, " NOTES("b") "}\n"
                                                     "- {id: c, needs: [], " NOTES("c") "}\n");
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        mission_journal_is(f, "c\n");
        assert_string_equal(f->result->status, "blocked");
        assert_string_equal(mission_status(f, "a"), "blocked");
        assert_string_equal(mission_status(f, "b"), "pending");
        mission_payload_says(f, "SessionEnded", "\"run_status\":\"blocked\"");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_BLOCKED);
        mission_journal_is(f, "c\n");
        mission_resolve(f);
        assert_ok(mission_resume(f, NULL));
        mission_journal_is(f, "c\na\nb\n");
}

MISSION_TEST(a_run_with_both_has_failed)
{
        mission_write(f, MISSION "- {id: a, " WORKSPACE("a")
                                 NOTES("a") "}\n"
                                            "- {id: b, needs: [], " FAILS(
                                                    "b") "}\n"
                                                         "- {id: c, needs: [], " NOTES("c") "}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_journal_is(f, "b\nc\n");
        assert_string_equal(f->result->status, "failed");
        mission_file(f, "go", "");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_BLOCKED);
        assert_string_equal(f->result->status, "blocked");
        mission_resolve(f);
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "b\nc\nb\na\n");
}

/* ---- when: -------------------------------------------------------------------------------- */

static void when_is(struct mission_fixture *f, const char *output, bool runs)
{
        char text[600];
        static int n;

        snprintf(text, sizeof text,
                MISSION "- {id: a, run: [echo, '{\"v\": %s}']}\n"
                        "- {id: b, when: {$from: 'a#/v'}, run: [sh, -c, 'echo b >> journal']}\n"
                        "- {id: c, inputs: {$from: b}, run: [cat]}\n",
                output);
        snprintf(f->run_id, sizeof f->run_id, "run-%d", ++n);
        mission_file(f, "journal", "");
        mission_write(f, text);
        assert_ok(mission_run(f));
        mission_journal_is(f, runs ? "b\n" : "");
        assert_string_equal(mission_status(f, "b"), runs ? "completed" : "skipped");
}

MISSION_TEST(when_says_whether_a_step_runs)
{
        static const char *const no[] = {"false", "null", "0", "-0", "0.0", "\"\"", "[]"};
        static const char *const yes[] = {"true", "1", "\"no\"", "[0]", "{}", "0.1"};

        for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
                when_is(f, no[i], false);
                assert_int_equal(mission_events(f, "StepStarted"), 2 * (i + 1));
        }
        for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
                when_is(f, yes[i], true);
}

MISSION_TEST(a_step_that_is_left_out_is_recorded_as_skipped)
{
        mission_write(f, MISSION "- {id: a, run: [echo, 'false']}\n"
                                 "- {id: b, when: {$from: a}, run: ['true']}\n");
        assert_ok(mission_run(f));
        mission_payload_says(f, "StepCompleted", "\"reason\":\"when\",\"skipped\":true");
        mission_payload_says(f, "StepCompleted", "\"exit_code\":-1");
}

MISSION_TEST(a_pointer_of_when_that_leads_nowhere_fails_the_step)
{
        mission_write(f, MISSION "- {id: a, run: [echo, '{}']}\n"
                                 "- {id: b, when: {$from: 'a#/v'}, run: ['true']}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        assert_says(f->err.message, "step b: when: output of \"a\" has no /v");
        assert_string_equal(mission_status(f, "b"), "failed");
}

/* ---- A mission that changes --------------------------------------------------------------- */

static void changes_are(const struct mission_fixture *f, const char *expected)
{
        char text[200] = "";

        for (size_t i = 0; i < f->result->n_changes; i++) {
                const size_t len = strlen(text);
                snprintf(text + len, sizeof text - len, "%s%s:%s", i ? " " : "",
                        f->result->changes[i].step_id, f->result->changes[i].change);
        }
        assert_string_equal(text, expected);
}

MISSION_TEST(a_step_is_moved_when_others_come_before_it)
{
        mission_write(f, MISSION
                "- {id: a, " NOTES("a") "}\n"
                                        "- {id: b, needs: [a], " NOTES(
                                                "b") "}\n"
                                                     "- {id: c, needs: [a], " FAILS("c") "}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        /* another order in the file, and a need that was there already, are no change */
        mission_write(f, MISSION "- {id: c, needs: [a], " FAILS(
                                 "c") "}\n"
                                      "- {id: a, needs: [], " NOTES(
                                              "a") "}\n"
                                                   "- {id: b, needs: [a], " NOTES("b") "}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        mission_write(f, MISSION
                "- {id: a, " NOTES("a") "}\n"
                                        "- {id: b, needs: [a], " NOTES(
                                                "b") "}\n"
                                                     "- {id: c, needs: [b], " FAILS("c") "}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        changes_are(f, "c:moved");
        mission_write(f, MISSION
                "- {id: a, " NOTES("a") "}\n"
                                        "- {id: b, needs: [a], when: {$from: a}, " NOTES(
                                                "b") "}\n"
                                                     "- {id: c, needs: [a], " FAILS("c") "}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        changes_are(f, "b:run");
}

MISSION_TEST(what_needs_a_changed_step_runs_again)
{
        mission_write(f, MISSION
                "- {id: a, " NOTES("a") "}\n"
                                        "- {id: b, needs: [a], " NOTES(
                                                "b") "}\n"
                                                     "- {id: c, needs: [], " NOTES(
                                                             "c") "}\n"
                                                                  "- {id: d, needs: [b, c], " FAILS(
                                                                          "d") "}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_journal_is(f, "a\nb\nc\nd\n");
        mission_file(f, "go", "");
        mission_write(f,
                MISSION "- {id: a, run: [sh, -c, 'echo A >> journal']}\n"
                        "- {id: b, needs: [a], " NOTES(
                                "b") "}\n"
                                     "- {id: c, needs: [], " NOTES(
                                             "c") "}\n"
                                                  "- {id: d, needs: [b, c], " FAILS("d") "}\n");
        f->options.rerun_changed = true;
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "a\nb\nc\nd\nA\nb\nd\n");
}
