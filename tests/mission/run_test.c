/* Running missions: each test is a mission in a directory of its own, with small commands. */
#include "support/mission.h"

#define STEP_WRITE "    run: [sh, -c, 'echo \"$PAWL_STEP_ID $PAWL_RETRY_TOKEN\" >> journal; cat']\n"

/* A critical step with a term that nobody has defined: the gate holds it. */
#define STEP_HELD                                                                                  \
        "  - id: specify\n"                                                                        \
        "    critical: true\n"                                                                     \
        "    inputs: {description: Refunds land in the workspace.}\n"                              \
        "    metadata: {glossary_watch_terms: [workspace]}\n"                                      \
        "    run: [sh, -c, 'echo specify >> journal; echo done']\n"

MISSION_TEST(a_mission_runs_to_its_end)
{
        mission_write(f, "mission: refunds\n"
                         "steps:\n"
                         "  - id: one\n"
                         "    inputs: {n: 1}\n" STEP_WRITE "  - id: two\n" STEP_WRITE);
        assert_ok(mission_run(f));
        assert_string_equal(f->result->status, "completed");
        assert_string_equal(f->result->run_id, "run-1");
        assert_string_equal(f->result->mission_id, "refunds");
        assert_int_equal(strncmp(f->result->session_id, "session-", 8), 0);
        assert_int_equal(f->result->n_steps, 2);
        assert_int_equal(f->result->n_conflicts, 0);
        assert_int_equal(f->result->signal, 0);
        assert_string_equal(mission_status(f, "one"), "completed");
        assert_string_equal(mission_cursor(f, "two"), "post_gate");

        char journal[128];
        snprintf(journal, sizeof journal, "one %s\ntwo %s\n", mission_token(f, "one"),
                mission_token(f, "two"));
        mission_journal_is(f, journal); /* the command's key is the step's token */
}

MISSION_TEST(the_events_of_a_run_tell_it_in_order)
{
        mission_write(f, "mission: refunds\nsteps:\n  - id: one\n    run: [cat]\n");
        assert_ok(mission_run(f));
        char *types = mission_types(f, 0);
        assert_string_equal(types,
                "RunClaimed RunStarted SessionStarted WorkspaceCheckpointed StepStarted "
                "SemanticCheckEvaluated StepCheckpointed "
                "SemanticCheckEvaluated StepCompleted SessionCheckpointed WorkspaceCheckpointed RunCompleted "
                "SessionEnded");
        mission_payload_says(f, "RunStarted", "\"steps\":[\"one\"]");
        mission_payload_says(f, "RunStarted", "\"strictness\":null");
        mission_payload_says(f, "RunStarted", "mission.yaml\"");
        mission_payload_says(f, "SessionEnded", "\"status\":\"completed\"");
}

MISSION_TEST(a_run_without_an_id_gets_a_fresh_one)
{
        mission_write(f, "mission: m\nsteps: [{id: one, run: ['true']}]\n");
        f->options.run_id = NULL;
        assert_ok(mission_run(f));
        char *first = test_copy(f->result->run_id);
        assert_int_equal(strlen(first), 36);
        assert_ok(mission_run(f));
        assert_string_not_equal(f->result->run_id, first);
}

MISSION_TEST(a_command_knows_its_mission_run_step_and_log)
{
        mission_write(f, "mission: m\nsteps:\n  - id: one\n    run: [sh, -c, 'echo "
                         "\"$PAWL_MISSION_ID $PAWL_RUN_ID $PAWL_STEP_ID $PAWL_DB\" > journal']\n");
        assert_ok(mission_run(f));
        char *journal = mission_journal(f);
        assert_int_equal(strncmp(journal, "m run-1 one ", 12), 0);
        assert_says(journal, f->db);
}

MISSION_TEST(outputs_flow_into_later_steps_whole_and_in_part)
{
        mission_write(f, "mission: m\n"
                         "steps:\n"
                         "  - id: research\n"
                         "    run: [printf, '{\"summary\": [\"a\", \"b/c\"], \"n\": 1.50}']\n"
                         "  - id: note\n"
                         "    run: [printf, 'plain text']\n"
                         "  - id: write\n"
                         "    inputs: {all: {$from: research}, last: {$from: research#/summary/1},"
                         " note: {$from: note}}\n"
                         "    run: [sh, -c, 'cat > journal']\n");
        assert_ok(mission_run(f));
        mission_journal_is(f, "{\"all\":{\"n\":1.5,\"summary\":[\"a\",\"b/c\"]},\"last\":\"b/c\","
                              "\"note\":\"plain text\"}");
}

MISSION_TEST(a_pointer_that_leads_nowhere_fails_the_step)
{
        mission_write(f, "mission: m\n"
                         "steps:\n"
                         "  - {id: research, run: [printf, '{\"a\": 1}']}\n"
                         "  - {id: write, inputs: {b: {$from: research#/b}},"
                         " run: [sh, -c, 'echo ran > journal']}\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        assert_says(f->err.message, "write");
        assert_says(f->err.message, "/b");
        assert_says(f->err.message, "pawl resume run-1");
        assert_string_equal(f->result->status, "failed");
        assert_string_equal(mission_status(f, "research"), "completed");
        assert_string_equal(mission_status(f, "write"), "failed");
        mission_payload_says(f, "StepFailed", "\"exit_code\":-1");
        mission_payload_says(f, "SessionEnded", "\"status\":\"error\"");
        mission_journal_is(f, "");
}

MISSION_TEST(an_unresolved_conflict_blocks_before_the_command)
{
        mission_write(f, "mission: m\nsteps:\n" STEP_HELD "  - {id: later, run: ['true']}\n");
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        assert_string_equal(f->result->status, "blocked");
        assert_int_equal(f->result->n_conflicts, 1);
        assert_string_equal(mission_status(f, "specify"), "blocked");
        assert_string_equal(mission_cursor(f, "specify"), "pre_generation_gate");
        assert_string_equal(mission_status(f, "later"), "pending");
        assert_null(mission_token(f, "later"));
        assert_says(
                f->err.message, "step specify: generation is blocked by 1 unresolved conflict;");
        assert_says(f->err.message, "then `pawl resume run-1`");
        mission_payload_says(
                f, "SessionEnded", "{\"reason\":\"blocked\",\"status\":\"interrupted\"}");
        mission_journal_is(f, "");
}

MISSION_TEST(strictness_off_or_a_disabled_check_lets_it_pass)
{
        mission_write(f, "mission: m\nstrictness: 'off'\nsteps:\n" STEP_HELD);
        assert_ok(mission_run(f));
        mission_write(f, "mission: m\nglossary_check: disabled\nsteps:\n" STEP_HELD);
        f->options.run_id = "run-2";
        assert_ok(mission_run(f));
        mission_write(f, "mission: m\nsteps:\n" STEP_HELD);
        f->options.run_id = "run-3";
        f->options.strictness = "off";
        assert_ok(mission_run(f));
        mission_payload_says(f, "RunStarted", "\"strictness\":\"off\"");
        assert_int_equal(mission_events(f, "SemanticCheckEvaluated"), 0);
        assert_int_equal(mission_events(f, "StepCheckpointed"), 3);
        mission_journal_is(f, "specify\nspecify\nspecify\n");
}

MISSION_TEST(the_projects_strictness_stands_behind_the_missions)
{
        mission_write(f, "mission: m\nsteps:\n" STEP_HELD);
        mission_file(f, ".pawl/config.yaml", "strictness: 'off'\n");
        assert_ok(mission_run(f));
        mission_write(f, "mission: m\nstrictness: medium\nsteps:\n" STEP_HELD);
        f->options.run_id = "run-2";
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        size_t before = mission_events(f, NULL);
        mission_file(f, ".pawl/config.yaml", "strictness: loud\n");
        f->options.run_id = "run-3";
        assert_int_equal(mission_run(f), PAWL_EPARSE);
        assert_says(f->err.message, "config.yaml");
        assert_null(f->result);
        assert_int_equal(mission_events(f, NULL), before);
}

MISSION_TEST(a_seed_defines_terms_and_is_written_once)
{
        mission_file(
                f, "team.yaml", "terms: [{surface: workspace, definition: Where refunds land.}]\n");
        mission_write(f, "mission: m\nglossary: {team_domain: team.yaml}\nsteps:\n" STEP_HELD);
        assert_ok(mission_run(f));
        f->options.run_id = "run-2";
        assert_ok(mission_run(f));
        assert_int_equal(mission_events(f, "GlossaryScopeActivated"), 1);
        assert_int_equal(mission_events(f, "GlossarySenseUpdated"), 1);
        mission_payload_says(f, "RunStarted", "\"scope\":\"team_domain\"");
}

MISSION_TEST(a_malformed_seed_stops_the_run_before_anything_is_written)
{
        mission_file(f, "team.yaml", "terms: [{surface: workspace}]\n");
        mission_write(f, "mission: m\nglossary: {team_domain: team.yaml}\nsteps:\n" STEP_HELD);
        assert_int_equal(mission_run(f), PAWL_EPARSE);
        assert_says(f->err.message, "team.yaml: line 1");
        assert_says(f->err.message, "definition");
        assert_null(f->result);
        assert_int_equal(mission_events(f, NULL), 0);
        mission_journal_is(f, "");
}

MISSION_TEST(an_existing_runs_id_is_refused)
{
        mission_write(f, "mission: m\nsteps: [{id: one, run: ['true']}]\n");
        assert_ok(mission_run(f));
        size_t before = mission_events(f, NULL);
        assert_int_equal(mission_run(f), PAWL_EEXISTS);
        assert_says(f->err.message, "run run-1: exists already; go on with `pawl resume run-1`");
        assert_null(f->result);
        assert_int_equal(mission_events(f, NULL), before);
}

MISSION_TEST(options_of_a_wrong_form_are_refused)
{
        static const struct {
                const char *run_id, *strictness, *actor, *says;
                unsigned version;
        } cases[] = {
                {"run-1", "loud", NULL, "strictness: loud is not known", PAWL_RUN_OPTIONS_VERSION},
                {"a/b", NULL, NULL, "run id", PAWL_RUN_OPTIONS_VERSION},
                {"", NULL, NULL, "run id", PAWL_RUN_OPTIONS_VERSION},
                {"a\nb", NULL, NULL, "run id", PAWL_RUN_OPTIONS_VERSION},
                {"run-1", NULL, "a\033b", "actor", PAWL_RUN_OPTIONS_VERSION},
                {"run-1", NULL, NULL, "version 9 is not known", 9},
        };

        mission_write(f, "mission: m\nsteps: [{id: one, run: ['true']}]\n");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                f->options.version = cases[i].version;
                f->options.run_id = cases[i].run_id;
                f->options.strictness = cases[i].strictness;
                f->options.actor = cases[i].actor;
                assert_int_equal(mission_run(f), PAWL_EINVAL);
                assert_says(f->err.message, cases[i].says);
                assert_null(f->result);
                assert_int_equal(mission_events(f, NULL), 0);
        }
}

/* Each way in which a command can end badly: what the log says of it. */
MISSION_TEST(a_command_that_ends_badly_fails_the_step)
{
        static const struct {
                const char *run, *reason, *exit_code;
        } cases[] = {
                {"[sh, -c, 'exit 7']", "exit code 7", "\"exit_code\":7"},
                {"[sh, -c, 'kill -TERM $$']", "killed by SIGTERM", "\"exit_code\":143"},
                {"[./absent]", "absent", "\"exit_code\":-1"},
                {"[./plain]", "plain", "\"exit_code\":-1"},
                {"[printf, 'a\\377b']", "not UTF-8 from byte 1 on", "\"exit_code\":0"},
                {"[sh, -c, 'yes | head -c 100000']", "10000", "\"exit_code\":"},
        };
        char yaml[256];

        mission_file(f, "plain", "not a program\n");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                snprintf(yaml, sizeof yaml,
                        "mission: m\nmax_output_bytes: 10000\nsteps: [{id: one, run: %s}]\n",
                        cases[i].run);
                snprintf(f->run_id, sizeof f->run_id, "run-%zu", i);
                mission_write(f, yaml);
                assert_int_equal(mission_run(f), PAWL_ESTEP);
                assert_says(f->err.message, "step one: ");
                assert_says(f->err.message, cases[i].reason);
                assert_says(f->err.message, f->run_id);
                assert_string_equal(f->result->status, "failed");
                assert_string_equal(mission_status(f, "one"), "failed");
                mission_payload_says(f, "StepFailed", cases[i].reason);
                mission_payload_says(f, "StepFailed", cases[i].exit_code);
                mission_payload_says(f, "RunFailed", cases[i].reason);
                mission_payload_says(f, "SessionEnded", "\"status\":\"error\"");
                assert_int_equal(mission_events(f, "StepFailed"), i + 1);
        }
        assert_int_equal(mission_events(f, "StepCompleted"), 0);
}

MISSION_TEST(a_command_may_close_its_input_early)
{
        size_t len = (size_t)2 << 20;
        char *yaml = test_alloc(len + 256);

        int at = snprintf(yaml, 128,
                "mission: m\nstrictness: 'off'\nsteps:\n  - id: one\n"
                "    run: [sh, -c, 'exec <&-; echo fine']\n    inputs: '");
        memset(yaml + at, 'x', len);
        memcpy(yaml + at + len, "'\n", 3);
        mission_write(f, yaml);
        assert_ok(mission_run(f));
        assert_string_equal(mission_status(f, "one"), "completed");
}

static void note_stage(
        pawl_run_stage stage, const char *step_id, size_t number, size_t of, void *user)
{
        static const char letters[] = "crdsbf";
        pawl__buf *notes = user;

        assert_ok(pawl__buf_addf(notes, "%c%s%zu/%zu ", letters[stage], step_id, number, of));
}

MISSION_TEST(progress_tells_each_stage)
{
        pawl__buf notes = PAWL__BUF_INIT;

        mission_write(f, "mission: m\nsteps: [{id: a, run: ['true']}, {id: b, run: ['false']}]\n");
        f->options.progress = note_stage;
        f->options.progress_user = &notes;
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        assert_string_equal(notes.data, "ca1/2 ra1/2 cb2/2 da1/2 rb2/2 fb2/2 ");
        pawl__buf_free(&notes);
}

static pawl_status pick_first(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        size_t *asked = user;

        assert_text(conflict->term, "workspace");
        answer->pick = conflict->n_candidates ? 1 : 0;
        ++*asked;
        return PAWL_OK;
}

MISSION_TEST(an_answer_given_during_the_run_lets_it_go_on)
{
        size_t asked = 0;

        mission_file(f, "team.yaml",
                "terms: [{surface: workspace, definition: A folder.},"
                " {surface: workspace, definition: A desk.}]\n");
        mission_write(f, "mission: m\nglossary: {team_domain: team.yaml}\nsteps:\n" STEP_HELD);
        f->options.clarify = pick_first;
        f->options.clarify_user = &asked;
        assert_ok(mission_run(f));
        assert_int_equal(asked, 1);
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 1);
        mission_journal_is(f, "specify\n");
}

static pawl_status refuse_to_ask(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        (void)answer, (void)conflict, (void)user;
        return PAWL_EIO;
}

MISSION_TEST(a_failing_question_ends_the_run_without_the_command)
{
        mission_write(f, "mission: m\nsteps:\n  - {id: first, run: ['true']}\n" STEP_HELD);
        f->options.clarify = refuse_to_ask;
        assert_int_equal(mission_run(f), PAWL_EIO);
        assert_int_equal(mission_events(f, "StepCompleted"), 1); /* the first one's */
        assert_string_equal(mission_status(f, "specify"), "blocked");
        mission_journal_is(f, "");
}
