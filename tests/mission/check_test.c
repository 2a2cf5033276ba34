/* Checking a mission without running it. */
#include "base/json_tree.h"
#include "support/mission.h"

static const char mission[] = "mission: m\n"
                              "glossary: {team_domain: team.yaml}\n"
                              "steps:\n"
                              "  - id: easy\n"
                              "    inputs: {description: A desk.}\n"
                              "    run: [sh, -c, 'echo ran > journal']\n"
                              "  - id: hard\n"
                              "    critical: true\n"
                              "    inputs: {description: The workspace and the desk.,"
                              " earlier: {$from: easy#/a}}\n"
                              "    metadata: {glossary_watch_terms: [workspace]}\n"
                              "    run: [cat]\n";

struct answer {
        char *json;
        size_t len;
        pawl__json_tree tree;
};

static pawl_status check(
        struct answer *answer, struct mission_fixture *f, bool with_log, const char *step_id)
{
        *answer = (struct answer){NULL, 0, PAWL__JSON_TREE_INIT};
        f->err = (pawl_error)PAWL_ERROR_INIT;
        pawl_status status = pawl_mission_check(&answer->json, &answer->len, f->mission,
                with_log ? f->log : NULL, step_id, &f->err);
        if (answer->json)
                assert_ok(pawl__json_tree_read(&answer->tree, answer->json, answer->len, &f->err));
        return status;
}

static void forget(struct answer *answer)
{
        pawl__json_tree_free(&answer->tree);
        pawl_free(answer->json);
}

static pawl_text at(const struct answer *answer, const char *pointer)
{
        pawl__node node = pawl__json_pointer(&answer->tree, pawl__text(pointer));

        if (node == PAWL__NO_NODE)
                fail_msg("no %s in %s", pointer, answer->json);
        return pawl__json_at(&answer->tree, node)->value;
}

static uint8_t type_at(const struct answer *answer, const char *pointer)
{
        pawl__node node = pawl__json_pointer(&answer->tree, pawl__text(pointer));

        if (node == PAWL__NO_NODE)
                fail_msg("no %s in %s", pointer, answer->json);
        return pawl__json_at(&answer->tree, node)->type;
}

static void write_files(struct mission_fixture *f)
{
        mission_file(f, "team.yaml", "terms: [{surface: desk, definition: A table.}]\n");
        mission_write(f, mission);
}

MISSION_TEST(each_step_is_judged_and_nothing_is_written)
{
        struct answer answer;

        write_files(f);
        for (int with_log = 0; with_log < 2; with_log++) {
                assert_int_equal(check(&answer, f, with_log, NULL), PAWL_BLOCKED);
                assert_text(at(&answer, "/0/step_id"), "easy");
                assert_text(at(&answer, "/0/effective_strictness"), "medium");
                assert_text(at(&answer, "/0/terms/0/surface"), "desk");
                assert_text(at(&answer, "/0/terms/0/source"), "glossary_match");
                assert_text(at(&answer, "/0/terms/0/original"), "desk");
                assert_text(at(&answer, "/0/overall_severity"), "none");
                assert_text(at(&answer, "/0/recommended_action"), "proceed");
                assert_int_equal(type_at(&answer, "/0/blocked"), PAWL__JSON_FALSE);
                assert_int_equal(at(&answer, "/0/input_hash").len, 64);
                assert_text(at(&answer, "/1/step_id"), "hard");
                assert_text(at(&answer, "/1/findings/0/term"), "workspace");
                assert_text(at(&answer, "/1/overall_severity"), "high");
                assert_text(at(&answer, "/1/recommended_action"), "block");
                assert_int_equal(type_at(&answer, "/1/blocked"), PAWL__JSON_TRUE);
                forget(&answer);
        }
        assert_int_equal(mission_events(f, NULL), 0);
        mission_journal_is(f, "");
}

MISSION_TEST(one_step_can_be_checked_alone)
{
        struct answer answer;

        write_files(f);
        assert_ok(check(&answer, f, true, "easy"));
        assert_int_equal(pawl__json_at(&answer.tree, 0)->count, 1);
        forget(&answer);
        assert_int_equal(check(&answer, f, true, "absent"), PAWL_ENOTFOUND);
        assert_null(answer.json);
        assert_says(f->err.message, "step absent: mission m has none of that id; look for it in ");
        assert_int_equal(check(&answer, f, true, "a\033b"), PAWL_EINVAL);
}

MISSION_TEST(inputs_from_earlier_steps_stay_as_they_are_written)
{
        struct answer answer;
        char hash[65];
        static const char inputs[] = "{\"description\":\"The workspace and the desk.\","
                                     "\"earlier\":{\"$from\":\"easy#/a\"}}";

        write_files(f);
        assert_int_equal(check(&answer, f, false, "hard"), PAWL_BLOCKED);
        assert_ok(pawl_json_hash(hash, inputs, strlen(inputs), NULL));
        assert_text(at(&answer, "/0/input_hash"), hash);
        forget(&answer);
}

MISSION_TEST(what_the_log_knows_counts)
{
        struct answer answer;

        write_files(f);
        mission_write(f, "mission: m\nsteps:\n  - id: hard\n    critical: true\n"
                         "    inputs: {description: The workspace.}\n"
                         "    metadata: {glossary_watch_terms: [workspace]}\n    run: [cat]\n");
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        mission_resolve(f);
        size_t before = mission_events(f, NULL);
        assert_ok(check(&answer, f, true, NULL));
        forget(&answer);
        assert_int_equal(check(&answer, f, false, NULL), PAWL_BLOCKED);
        forget(&answer);
        assert_int_equal(mission_events(f, NULL), before);
}

MISSION_TEST(strictness_decides_as_in_a_run)
{
        struct answer answer;

        write_files(f);
        mission_file(f, ".pawl/config.yaml", "strictness: 'off'\n");
        assert_ok(check(&answer, f, true, NULL));
        assert_text(at(&answer, "/1/effective_strictness"), "off");
        assert_int_equal(pawl__json_at(&answer.tree,
                                 pawl__json_pointer(&answer.tree, pawl__text("/1/terms")))
                                 ->count,
                0);
        forget(&answer);
        assert_int_equal(check(&answer, f, false, NULL), PAWL_BLOCKED); /* no log, no project */
        forget(&answer);
}

MISSION_TEST(a_seed_that_is_not_one_is_refused)
{
        struct answer answer;

        write_files(f);
        mission_file(f, "team.yaml", "terms: 3\n");
        assert_int_equal(check(&answer, f, true, NULL), PAWL_EPARSE);
        assert_says(f->err.message, "team.yaml");
        assert_null(answer.json);
}
