/* A resume holds the mission against the one that the run began with. */
#include "events/log.h"
#include "mission/baseline.h"
#include "support/mission.h"
#include <unistd.h>

/* Three steps, each of which notes that it ran; the last fails until the file "go" is there. */
#define STEP_A "  - {id: a, inputs: {x: 1}, run: [sh, -c, 'echo a >> journal; echo 1']}\n"
#define STEP_B                                                                                     \
        "  - {id: b, inputs: {from: {$from: a}}, run: [sh, -c, 'echo b >> journal; echo 2']}\n"
#define STEP_C  "  - {id: c, inputs: {text: kept}, run: [sh, -c, 'echo c >> journal; test -e go']}\n"
#define MISSION "mission: m\nsteps:\n"

static void fail_at_c(struct mission_fixture *f, const char *yaml)
{
        mission_write(f, yaml);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_journal_is(f, "a\nb\nc\n");
        mission_file(f, "go", "");
}

/* "a:inputs b:removed", of the last result. */
static char *changes(const struct mission_fixture *f)
{
        static char text[400];
        size_t len = 0;
        const pawl_mission_change *change = f->result->changes;

        text[0] = '\0';
        for (size_t i = 0; i < f->result->n_changes; i++)
                len += (size_t)snprintf(text + len, sizeof text - len, "%s%s:%s", i ? " " : "",
                        change[i].step_id, change[i].change);
        return text;
}

static void refused(struct mission_fixture *f, const char *yaml, const char *what)
{
        size_t before = mission_events(f, NULL);

        mission_write(f, yaml);
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        assert_string_equal(changes(f), what);
        assert_says(f->err.message, "run run-1: its mission changed since: step ");
        assert_says(f->err.message, "`pawl resume run-1 --accept-changed-mission`");
        assert_string_equal(f->result->status, "failed");
        assert_int_equal(mission_events(f, NULL), before);
        mission_journal_is(f, "a\nb\nc\n");
}

MISSION_TEST(every_change_of_a_step_is_seen_and_refused)
{
        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        refused(f, MISSION STEP_A STEP_B "  - {id: d, run: ['true']}\n", "d:added c:removed");
        refused(f,
                MISSION
                "  - {id: a, inputs: {x: 2}, run: [sh, -c, 'echo a >> journal; echo 1']}\n" STEP_B
                        STEP_C,
                "a:inputs");
        refused(f,
                MISSION
                "  - {id: a, inputs: {x: 1}, run: [sh, -c, 'echo a >> journal; echo 3']}\n" STEP_B
                        STEP_C,
                "a:run");
        refused(f,
                MISSION STEP_A
                "  - {id: b, inputs: {from: {$from: 'a#/x'}}, run: [sh, -c, 'echo b >> journal; echo 2']}\n"
                "  - {id: c, inputs: {text: kept}, run: ['true']}\n",
                "b:inputs c:run");
        refused(f, MISSION STEP_C STEP_A STEP_B, "c:moved");
        refused(f, MISSION STEP_A STEP_B STEP_C "  - {id: d, run: ['true']}\n", "d:added");
        refused(f, MISSION STEP_A STEP_C, "b:removed");
}

MISSION_TEST(comments_form_and_settings_are_no_change)
{
        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        mission_write(f, "# what people say\nstore_inputs: true\nmission: m\nsteps:\n"
                         "  - run: [ \"sh\", '-c', \"echo a >> journal; echo 1\" ]\n"
                         "    inputs:\n"
                         "      x: 1.0\n"
                         "    id: a\n" STEP_B "\n" STEP_C);
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "a\nb\nc\nc\n");
        assert_int_equal(mission_events(f, "RunMissionChanged"), 0);
}

/* Nobody is asked about it. What the log says lets the steps be checked so, from their start on. */
MISSION_TEST(another_strictness_is_recorded_and_no_change)
{
        static const char *const plan =
                "{\"changes\":[],\"plan\":[{\"strictness\":\"off\"},{\"strictness\":\"off\"},"
                "{\"strictness\":\"off\"}],\"rerun\":[],\"steps\":[\"a\",\"b\",\"c\"]}";

        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        assert_int_equal(unlink(path_in(f->directory, "go")), 0);
        mission_write(f, "strictness: off\n" MISSION STEP_A STEP_B STEP_C);
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        mission_payload_says(f, "RunMissionChanged", plan);
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        assert_int_equal(mission_events(f, "RunMissionChanged"), 1);
        mission_file(f, "go", "");
        mission_file(f, ".pawl/config.yaml", "strictness: max\n");
        mission_write(f, MISSION STEP_A STEP_B STEP_C);
        assert_ok(mission_resume(f, "run-1"));
        assert_int_equal(mission_events(f, "RunMissionChanged"), 2);
        mission_payload_says(f, "StepCheckpointed", "\"strictness\":\"medium\"");
}

/* 1.10 and 1.1 are one number and two words. */
MISSION_TEST(words_of_a_command_are_compared_as_they_stand)
{
        mission_write(f, "mission: m\nsteps:\n  - {id: a, run: ['false', 1.10]}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_write(f, "mission: m\nsteps:\n  - {id: a, run: ['false', 1.1]}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        assert_string_equal(changes(f), "a:run");
        mission_write(f, "mission: m\nsteps:\n  - {id: a, run: ['false', '1.10']}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
}

MISSION_TEST(accepted_changes_keep_what_is_completed)
{
        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        mission_write(f, MISSION "  - {id: a, inputs: {x: 2}, run: ['false']}\n"
                                 "  - {id: d, run: [sh, -c, 'echo d >> journal']}\n" STEP_C);
        f->options.accept_changed_mission = true;
        assert_ok(mission_resume(f, "run-1"));
        assert_string_equal(changes(f), "a:inputs a:run d:added b:removed");
        mission_journal_is(f, "a\nb\nc\nd\nc\n");
        assert_string_equal(mission_status(f, "b"), "completed");
        mission_payload_says(f, "RunMissionChanged", "\"rerun\":[],\"steps\":[\"a\",\"d\",\"c\"]");
        mission_payload_says(f, "RunMissionChanged", "{\"change\":\"removed\",\"step_id\":\"b\"}");
        assert_int_equal(mission_events(f, "RunMissionChanged"), 1);
}

MISSION_TEST(what_was_accepted_is_asked_about_once)
{
        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        assert_int_equal(unlink(path_in(f->directory, "go")), 0);
        mission_write(f, MISSION STEP_A STEP_C);
        f->options.accept_changed_mission = true;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        f->options.accept_changed_mission = false;
        mission_file(f, "go", "");
        assert_ok(mission_resume(f, "run-1"));
        assert_string_equal(changes(f), "");
        assert_int_equal(mission_events(f, "RunMissionChanged"), 1);
}

MISSION_TEST(changed_steps_and_what_takes_from_them_run_again_when_asked)
{
        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        mission_write(f, MISSION
                "  - {id: a, inputs: {x: 2}, run: [sh, -c, 'echo A >> journal; echo 1']}\n" STEP_B
                        STEP_C);
        f->options.rerun_changed = true;
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "a\nb\nc\nA\nb\nc\n");
        mission_payload_says(f, "RunMissionChanged", "\"rerun\":[\"a\",\"b\"]");
        assert_string_equal(f->result->status, "completed");
}

static pawl_status say(bool *yes, const pawl_mission_change *change, size_t n, void *user)
{
        assert_false(*yes);
        assert_int_equal(n, 1);
        assert_string_equal(change->step_id, "c");
        assert_string_equal(change->change, "run");
        *yes = *(bool *)user;
        return PAWL_OK;
}

MISSION_TEST(who_is_asked_decides)
{
        bool answer = false;

        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        mission_write(
                f, MISSION STEP_A STEP_B "  - {id: c, inputs: {text: kept}, run: ['true']}\n");
        f->options.confirm_mission = say;
        f->options.confirm_mission_user = &answer;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        answer = true;
        assert_ok(mission_resume(f, "run-1"));
        assert_int_equal(mission_events(f, "RunMissionChanged"), 1);
}

/* Inputs of a step that is at a checkpoint are layer 5's to ask about; yes there is enough. */
MISSION_TEST(inputs_that_were_accepted_are_part_of_the_mission)
{
        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        mission_write(f, MISSION STEP_A STEP_B
                "  - {id: c, inputs: {text: other}, run: [sh, -c, 'echo c >> journal; test -e go']}\n"
                "  - {id: d, inputs: {n: 1}, run: ['true']}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        assert_string_equal(changes(f), "c:inputs d:added");
        mission_write(f, MISSION STEP_A STEP_B
                "  - {id: c, inputs: {text: other}, run: [sh, -c, 'echo c >> journal; test -e go']}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        assert_says(f->err.message, "step c: its inputs changed since the checkpoint");
        assert_string_equal(changes(f), "c:inputs");
        assert_int_equal(mission_events(f, "RunMissionChanged"), 0);
        f->options.accept_changed_inputs = true;
        assert_ok(mission_resume(f, "run-1"));
        assert_int_equal(mission_events(f, "RunMissionChanged"), 1);
}

/* The file says it otherwise, and the step gets what it got: nobody is asked, now or later. */
MISSION_TEST(inputs_that_come_to_the_same_are_taken)
{
        mission_write(f, "mission: m\nsteps:\n"
                         "  - {id: a, run: [sh, -c, 'echo 1']}\n"
                         "  - {id: b, inputs: {x: {$from: a}}, run: [test, -e, go]}\n"
                         "  - {id: c, run: [test, -e, gone]}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_file(f, "go", "");
        mission_write(f, "mission: m\nsteps:\n"
                         "  - {id: a, run: [sh, -c, 'echo 1']}\n"
                         "  - {id: b, inputs: {x: 1}, run: [test, -e, go]}\n"
                         "  - {id: c, run: [test, -e, gone]}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        assert_string_equal(changes(f), "b:inputs");
        assert_int_equal(mission_events(f, "RunMissionChanged"), 1);
        mission_file(f, "gone", "");
        assert_ok(mission_resume(f, "run-1"));
        assert_string_equal(changes(f), "");
}

MISSION_TEST(a_completed_run_tells_its_result_whatever_the_file_says)
{
        mission_write(f, "mission: m\nsteps: [{id: a, run: ['true']}]\n");
        assert_ok(mission_run(f));
        size_t before = mission_events(f, NULL);
        mission_write(f, "mission: m\nsteps: [{id: b, run: ['false']}]\n");
        assert_ok(mission_resume(f, "run-1"));
        assert_string_equal(f->result->status, "completed");
        assert_int_equal(mission_events(f, NULL), before);
}

MISSION_TEST(inputs_that_are_not_to_be_kept_are_kept_by_hash_alone)
{
        pawl__buf document = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        char hex[65];

        mission_write(f, "mission: m\nstore_inputs: false\nsteps:\n"
                         "  - {id: a, inputs: {word: sesame}, run: ['false']}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        char *started = mission_payload(f, "RunStarted");
        const char *at = strstr(started, "\"mission_document\":\"");
        assert_non_null(at);
        snprintf(hex, sizeof hex, "%s", at + strlen("\"mission_document\":\""));
        assert_true(pawl__unhex32(hash, pawl__text(hex)));
        assert_ok(pawl__log_blob(&document, f->log, hash));
        assert_null(strstr(document.data, "sesame"));
        pawl__buf_free(&document);

        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        mission_write(f, "mission: m\nstore_inputs: false\nsteps:\n"
                         "  - {id: a, inputs: {word: other}, run: ['false']}\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        assert_string_equal(changes(f), "a:inputs");
}

/* A run begun before its mission was kept: what is known of it is compared, and nothing made up. */
MISSION_TEST(without_the_mission_what_the_steps_tell_is_compared)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__mission_changes found;
        pawl__row *rows;
        pawl__state *tables;
        size_t n;

        fail_at_c(f, MISSION STEP_A STEP_B STEP_C);
        mission_write(f,
                MISSION "  - {id: a, inputs: {x: 2}, run: ['true']}\n"
                        "  - {id: d, run: ['true']}\n"
                        "  - {id: b, inputs: {from: {$from: a}, more: 1}, run: ['true']}\n");
        assert_ok(pawl__state_of(&tables, f->log, &f->err));
        assert_ok(pawl__state_steps(&rows, &n, tables, pawl__text("run-1"), &arena, &f->err));
        assert_ok(pawl__mission_compare(&found, &arena, f->mission, (pawl_text){NULL, 0}, NULL,
                rows, n, pawl__log_hasher(f->log), &f->err));
        assert_int_equal(found.n, 3);
        assert_string_equal(found.items[0].step_id, "a");
        assert_string_equal(found.items[0].change, "inputs");
        assert_string_equal(found.items[1].step_id, "d");
        assert_string_equal(found.items[1].change, "added");
        assert_string_equal(found.items[2].step_id, "c");
        assert_string_equal(found.items[2].change, "removed");
        assert_true(found.rerun[0] && found.rerun[1] && found.rerun[2]);
        assert_int_equal(pawl__mission_compare(&found, &arena, f->mission, pawl__text("[1]"), NULL,
                                 rows, n, pawl__log_hasher(f->log), &f->err),
                PAWL_EDAMAGED);
        pawl__arena_free(&arena);
}
