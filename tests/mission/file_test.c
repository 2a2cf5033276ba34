/* Reading mission files: what they may say, and every way they can be wrong. */
#include "support/mission_file.h"
#include <unistd.h>

#define MINIMAL "mission: m\nsteps: [{id: a, run: [x]}]\n"

/* ---- What it may say ------------------------------------------------------------------------ */

FILE_TEST(a_minimal_mission_has_the_defaults)
{
        file_load(f, MINIMAL);
        const pawl_mission *m = f->mission;
        assert_text(m->id, "m");
        assert_int_equal(m->settings.strictness, PAWL__STRICTNESS_UNSET);
        assert_false(m->settings.check_disabled);
        assert_true(m->store_inputs);
        assert_int_equal(m->n_seeds, 0);
        assert_int_equal(m->n_steps, 1);
        assert_text(m->steps[0].id, "a");
        assert_false(m->steps[0].critical);
        assert_int_equal(m->steps[0].settings.strictness, PAWL__STRICTNESS_UNSET);
        assert_false(m->steps[0].settings.check_disabled);
        assert_false(m->steps[0].settings.check_enabled);
        assert_true(m->steps[0].inputs == PAWL__NO_NODE);
        assert_null(m->steps[0].metadata.data);
        assert_string_equal(m->steps[0].argv[0], "x");
        assert_null(m->steps[0].argv[1]);
        assert_int_equal(m->steps[0].settings.output_max, PAWL__OUTPUT_MAX_DEFAULT);
        assert_true(m->steps[0].settings.log_max == PAWL__LOG_MAX_UNSET);
        assert_string_equal(pawl_mission_id(m), "m");
        assert_int_equal(pawl_mission_steps(m), 1);
        assert_string_equal(pawl_mission_step_id(m, 0), "a");
        assert_null(pawl_mission_step_id(m, 1));
        assert_true(pawl__mission_find(m, pawl__text("a")) == 0);
        assert_true(pawl__mission_find(m, pawl__text("b")) == SIZE_MAX);
}

static const char full_yaml[] = "steps:\n"
                                "  - id: research\n"
                                "    run: [./r, \"a b\", '']\n"
                                "    glossary_check: disabled\n"
                                "  - id: specify\n"
                                "    critical: true\n"
                                "    strictness: max\n"
                                "    glossary_check: enabled\n"
                                "    inputs:\n"
                                "      description: text\n"
                                "      earlier: {$from: research}\n"
                                "      part: {$from: \"research#/a~1b/0\"}\n"
                                "    metadata: {glossary_watch_terms: [workspace], other: 1}\n"
                                "    run: [./s]\n"
                                "    max_output_bytes: 10\n"
                                "    max_log_bytes: 0\n"
                                "mission: full\n"
                                "strictness: off\n"
                                "glossary_check: disabled\n"
                                "glossary:\n"
                                "  team_domain: glossary/team.yaml\n"
                                "  spec_kitty_core: /etc/core.yaml\n"
                                "store_inputs: false\n"
                                "max_output_bytes: 4096\n"
                                "max_log_bytes: 100\n"
                                "workspace:\n"
                                "  checkpoint: manual\n"
                                "  exclude: [a, \"b c\"]\n"
                                "  tool_checkpoints: off\n"
                                "  edit_tools: [edit, \"write file\"]\n"
                                "  tool_checkpoint_files: calls\n";

static void check_full(const struct file_fixture *f)
{
        const pawl_mission *m = f->mission;
        char *real = realpath(f->directory, NULL), *team = path_in(real, "glossary/team.yaml");

        assert_int_equal(m->snapshots, PAWL__SNAPSHOT_MANUAL);
        assert_int_equal(m->n_exclude, 2);
        assert_string_equal(m->exclude[1], "b c");
        assert_string_equal(m->tool_checkpoints, "off");
        assert_string_equal(m->edit_tools, "edit,write file");
        assert_string_equal(m->tool_files, path_in(real, "calls"));
        assert_text(m->id, "full");
        assert_int_equal(m->settings.strictness, PAWL__STRICTNESS_OFF);
        assert_true(m->settings.check_disabled);
        assert_false(m->store_inputs);
        assert_string_equal(m->directory, real);
        assert_int_equal(m->n_seeds, 2);
        assert_int_equal(m->seeds[0].scope, PAWL__TEAM_DOMAIN);
        assert_string_equal(m->seeds[0].path, team);
        assert_int_equal(m->seeds[1].scope, PAWL__CORE);
        assert_string_equal(m->seeds[1].path, "/etc/core.yaml");
        assert_int_equal(m->n_steps, 2);
        assert_string_equal(m->steps[0].argv[1], "a b");
        assert_string_equal(m->steps[0].argv[2], "");
        assert_null(m->steps[0].argv[3]);
        assert_true(m->steps[0].settings.check_disabled);
        assert_int_equal(m->steps[0].settings.output_max, 4096);
        assert_int_equal(m->steps[0].settings.log_max, 100);
        assert_true(m->steps[1].critical);
        assert_int_equal(m->steps[1].settings.strictness, PAWL__STRICTNESS_MAX);
        assert_true(m->steps[1].settings.check_enabled);
        assert_false(m->steps[1].settings.check_disabled);
        assert_int_equal(m->steps[1].settings.output_max, 10);
        assert_int_equal(m->steps[1].settings.log_max, 0);
        assert_says(m->steps[1].metadata.data, "\"workspace\"");
        const pawl__json_node *inputs = pawl__json_at(&m->document.tree, m->steps[1].inputs);
        assert_int_equal(inputs->count, 3);
        assert_int_equal(pawl__document_line(&m->document, m->steps[1].inputs), 10);
        free(real);
}

FILE_TEST(every_key_is_read_whatever_the_order)
{
        file_load(f, full_yaml);
        check_full(f);
}

FILE_TEST(the_paths_are_absolute_from_wherever_it_is_read)
{
        char *before = getcwd(NULL, 0), *link = path_in(f->directory, "link.yaml");
        char *real = realpath(f->directory, NULL), *real_path = path_in(real, "m.yaml");

        file_write(f->path, full_yaml, strlen(full_yaml));
        assert_int_equal(symlink("m.yaml", link), 0);
        assert_int_equal(chdir(f->directory), 0);
        file_load_from(f, "m.yaml");
        check_full(f);
        assert_string_equal(f->mission->path, real_path);
        file_load_from(f, "./link.yaml");
        check_full(f);
        assert_string_equal(f->mission->path, real_path);
        assert_int_equal(chdir(before), 0);
        free(before);
        free(real);
}

FILE_TEST(json_has_the_same_schema)
{
        char *path = path_in(f->directory, "m.json");
        static const char text[] =
                "{\"mission\":\"m\",\"strictness\":\"off\",\n"
                "\"steps\":[{\"id\":\"a\",\"run\":[\"x\"],\"inputs\":9007199254740993}]}";

        file_write(path, text, sizeof text - 1);
        file_load_from(f, path);
        assert_int_equal(f->mission->settings.strictness, PAWL__STRICTNESS_OFF);
        assert_text(pawl__json_at(&f->mission->document.tree, f->mission->steps[0].inputs)->value,
                "9007199254740993");
}

FILE_TEST(the_hash_is_that_of_the_files_bytes)
{
        char first[65];

        file_load(f, MINIMAL);
        memcpy(first, f->mission->hash, sizeof first);
        assert_int_equal(strlen(first), 64);
        file_load(f, MINIMAL "# a comment\n");
        assert_string_not_equal(f->mission->hash, first);
        file_load(f, MINIMAL);
        assert_string_equal(f->mission->hash, first);
}

/* ---- What it may not ------------------------------------------------------------------------ */

FILE_TEST(a_file_that_is_no_mapping_is_refused)
{
        const char *message = "mission: is missing; start the file with mission: NAME and steps:";

        file_refused(f, "", 1, message);
        file_refused(f, "# nothing\n", 1, message);
        file_refused(f, "\n- a\n", 2, message);
        file_refused(f, "just text", 1, message);
}

FILE_TEST(unknown_keys_are_refused_with_the_nearest_one)
{
        file_refused(f, "mission: m\nstep: []\n", 2, "step: unknown key; did you mean steps?");
        file_refused(f, MINIMAL "surroundings: x\n", 3,
                "surroundings: unknown key; the keys here are mission, strictness, glossary_check, "
                "glossary, store_inputs, max_output_bytes, max_log_bytes, handoff, workspace, params, "
                "secrets, env, notify, require_signed, parallel, steps");
        file_refused(f, "mission: m\nsteps:\n- id: a\n  run: [x]\n  crtical: true\n", 5,
                "steps[0].crtical: unknown key; did you mean critical?");
        file_refused(f, "mission: m\nsteps:\n- id: a\n  cmd: [x]\n", 4,
                "steps[0].cmd: unknown key; did you mean run?");
        file_refused(f, "mission: m\nsteps:\n- id: a\n  rnu: [x]\n", 4,
                "steps[0].rnu: unknown key; did you mean run?");
        file_refused(f, MINIMAL "glossary:\n  team: x\n", 4,
                "glossary.team: unknown key; did you mean team_domain?");
        file_refused(f, MINIMAL "glossary:\n  ours: x\n", 4,
                "glossary.ours: unknown key; the keys here are mission_local, team_domain, "
                "audience_domain, core, spec_kitty_core");
        file_refused(
                f, MINIMAL "handof:\n\n  - x\n", 3, "handof: unknown key; did you mean handoff?");
        file_refused(f, MINIMAL "\"\": x\n", 3,
                ": unknown key; the keys here are mission, strictness, glossary_check, glossary, "
                "store_inputs, max_output_bytes, max_log_bytes, handoff, workspace, params, "
                "secrets, env, notify, require_signed, parallel, steps");
}

FILE_TEST(missing_keys_are_named)
{
        file_refused(f, "steps: [{id: a, run: [x]}]\n", 1,
                "mission: is missing; give the mission a name: mission: NAME");
        file_refused(
                f, "mission: m\n", 1, "steps: is missing; list the mission's steps: steps: [...]");
        file_refused(f, "mission: m\nsteps: []\n", 2, "steps: is empty; give the mission a step");
        file_refused(f, "mission: m\nsteps:\n  - id: a\n    run: [x]\n  - id: b\n", 5,
                "steps[1].run: is missing; give its command: run: [COMMAND, ARGUMENT, ...]");
        file_refused(f, "mission: m\nsteps:\n  - run: [x]\n", 3,
                "steps[0].id: is missing; give the step a name of its own: id: NAME");
        file_refused(f, "mission: m\nsteps: [{}]\n", 2,
                "steps[0].id: is missing; give the step a name of its own: id: NAME");
}

FILE_TEST(values_of_the_wrong_type_are_refused)
{
        file_refused(f, "mission: 1\nsteps: []", 1, "mission: must be a string; quote it");
        file_refused(f, MINIMAL "strictness: high\n", 3,
                "strictness: \"high\" is not known; write off, medium or max");
        file_refused(f, MINIMAL "strictness: false\n", 3, "strictness: must be a string; quote it");
        file_refused(f, MINIMAL "glossary_check: yes\n", 3,
                "glossary_check: \"yes\" is not known; write enabled or disabled");
        file_refused(f, MINIMAL "glossary: team.yaml\n", 3,
                "glossary: must be a mapping; write its members as KEY: VALUE");
        file_refused(f, MINIMAL "glossary: {core: [x]}\n", 3,
                "glossary.core: must be a string; quote it");
        file_refused(
                f, MINIMAL "glossary: {core: ''}\n", 3, "glossary.core: is empty; name a file");
        file_refused(f, MINIMAL "glossary:\n  core: x\n  spec_kitty_core: y\n", 5,
                "glossary.spec_kitty_core: names the scope core again; keep one of the two");
        file_refused(f, MINIMAL "store_inputs: no\n", 3,
                "store_inputs: must be a boolean; write true or false");
        file_refused(f, MINIMAL "max_output_bytes: '1'\n", 3,
                "max_output_bytes: must be a number; write it without quotes or unit");
        file_refused(f, MINIMAL "max_log_bytes: 67108865\n", 3,
                "max_log_bytes: 67108865 is out of range; write a whole number of bytes from 0 to "
                "67108864");
        file_refused(f, "mission: m\nsteps: {a: 1}\n", 2,
                "steps: must be a list; list the mission's steps: steps: [...]");
        file_refused(f, "mission: m\nsteps:\n- x\n", 3,
                "steps[0]: must be a mapping; write its members as KEY: VALUE");
        file_refused(f, "mission: m\nsteps: [{id: a, run: [x], critical: 1}]\n", 2,
                "steps[0].critical: must be a boolean; write true or false");
        file_refused(f, "mission: m\nsteps:\n- id: a\n  run: [x]\n- id: b\n  run: ./b\n", 6,
                "steps[1].run: must be a list; give its command: run: [COMMAND, ARGUMENT, ...]");
        file_refused(f, "mission: m\nsteps: [{id: a, run: [x], strictness: low}]\n", 2,
                "steps[0].strictness: \"low\" is not known; write off, medium or max");
        file_refused(f, "mission: m\nsteps: [{id: a, run: [x], metadata: [1]}]\n", 2,
                "steps[0].metadata: must be a mapping; write its members as KEY: VALUE");
}

FILE_TEST(limits_must_be_whole_numbers_of_bytes)
{
        static const char *const wrong[] = {
                "0", "-1", "1.5", "1e3", "4294967296", "99999999999999999999999999"};

        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
                char text[200], message[200];
                sprintf(text, MINIMAL "max_output_bytes: %s\n", wrong[i]);
                sprintf(message,
                        "max_output_bytes: %s is out of range; write a whole number of bytes from "
                        "1 to 4294967295",
                        wrong[i]);
                file_refused(f, text, 3, message);
        }
        file_refused(f, "mission: m\nsteps: [{id: a, run: [x], max_output_bytes: 0}]\n", 2,
                "steps[0].max_output_bytes: 0 is out of range; write a whole number of bytes from "
                "1 to 4294967295");
        file_load(f, MINIMAL "max_output_bytes: 4294967295\n");
        assert_true(f->mission->steps[0].settings.output_max == 4294967295u);
}

FILE_TEST(commands_must_be_lists_of_strings)
{
        file_refused(f, "mission: m\nsteps: [{id: a, run: []}]\n", 2,
                "steps[0].run: names no command; write [COMMAND, ARGUMENT, ...]");
        file_refused(f, "mission: m\nsteps: [{id: a, run: ['', x]}]\n", 2,
                "steps[0].run: names no command; write [COMMAND, ARGUMENT, ...]");
        file_refused(f, "mission: m\nsteps:\n- id: a\n  run:\n    - chmod\n    - 0644\n", 6,
                "steps[0].run[1]: must be a word; quote it");
        file_refused(f, "mission: m\nsteps: [{id: a, run: [x, null]}]\n", 2,
                "steps[0].run[1]: must be a word; quote it");
        file_refused(f, "mission: m\nsteps: [{id: a, run: [x, [y]]}]\n", 2,
                "steps[0].run[1]: must be a word; quote it");
        file_refused(f, "mission: m\nsteps: [{id: a, run: [\"x\\0y\"]}]\n", 2,
                "steps[0].run[0]: holds a NUL character; take it out");
        file_refused(f, MINIMAL "glossary: {core: \"x\\0y\"}\n", 3,
                "glossary.core: holds a NUL character; take it out");
}

FILE_TEST(numbers_are_words_as_they_are_written)
{
        file_load(f, "mission: m\nsteps: [{id: a, run: [sleep, 1.50, true, -7]}]\n");
        assert_string_equal(f->mission->steps[0].argv[1], "1.50");
        assert_string_equal(f->mission->steps[0].argv[2], "true");
        assert_string_equal(f->mission->steps[0].argv[3], "-7");
        assert_null(f->mission->steps[0].argv[4]);
}

FILE_TEST(ids_must_be_of_their_form)
{
        static const char *const wrong[][2] = {
                {"''", "is empty"},
                {"\"a\\nb\"", "holds a control character"},
                {"\"a\\0b\"", "holds a control character"},
                {"\"\\e[31m\"", "holds a control character"},
                {"../a", "holds a slash"},
                {"\" a\"", "has white space at an end"},
                {"..", "is the name of a directory"},
                {"-a", "begins as an option does, with -"},
        };

        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
                for (int step = 0; step < 2; step++) {
                        char text[200];
                        pawl_mission *mission = NULL;
                        sprintf(text,
                                step ? "mission: m\nsteps:\n- {id: %s, run: [x]}\n"
                                     : "steps: [{id: a, run: [x]}]\n\nmission: %s\n",
                                wrong[i][0]);
                        file_write(f->path, text, strlen(text));
                        assert_int_equal(
                                pawl_mission_load(&mission, f->path, &f->err), PAWL_EPARSE);
                        assert_says(f->err.message, wrong[i][1]);
                        assert_says(f->err.message, step ? ": line 3: steps[0].id: step id \""
                                                         : ": line 3: mission: mission id \"");
                        assert_null(mission);
                }
        char text[500];
        sprintf(text, "mission: m\nsteps: [{id: %0300d, run: [x]}]\n", 0);
        file_write(f->path, text, strlen(text));
        assert_int_equal(pawl_mission_load(&f->mission, f->path, &f->err), PAWL_EPARSE);
        assert_says(f->err.message, "steps[0].id: must be a string");
        sprintf(text, "mission: m\nsteps: [{id: x%0300d, run: [x]}]\n", 0);
        file_write(f->path, text, strlen(text));
        assert_int_equal(pawl_mission_load(&f->mission, f->path, &f->err), PAWL_EPARSE);
        assert_says(f->err.message, "is too long");
}

FILE_TEST(a_step_id_twice_names_both_lines)
{
        file_refused(f,
                "mission: m\nsteps:\n- {id: a, run: [x]}\n- {id: b, run: [x]}\n"
                "- run: [x]\n  id: \"\\u0061\"\n",
                6, "steps[2].id: \"a\" is the id of the step on line 3 too; rename one");
}

FILE_TEST(metadata_of_the_wrong_form_is_refused)
{
        pawl_mission *mission = NULL;
        static const char text[] = "mission: m\nsteps:\n- id: a\n  run: [x]\n"
                                   "  metadata: {glossary_watch_terms: workspace}\n";

        file_write(f->path, text, sizeof text - 1);
        assert_int_equal(pawl_mission_load(&mission, f->path, &f->err), PAWL_EPARSE);
        assert_says(f->err.message, ": line 5: steps[0].metadata.glossary_watch_terms: ");
        assert_null(mission);
}

FILE_TEST(a_file_that_cannot_be_read_keeps_its_own_status)
{
        pawl_mission *mission = NULL;

        assert_int_equal(pawl_mission_load(&mission, f->path, &f->err), PAWL_ENOTFOUND);
        assert_says(f->err.message, "m.yaml: there is no such file");
        assert_int_equal(pawl_mission_load(&mission, f->directory, &f->err), PAWL_EIO);
        assert_says(f->err.message, "is a directory");
        file_write(f->path, "a: [", 4);
        assert_int_equal(pawl_mission_load(&mission, f->path, &f->err), PAWL_EPARSE);
        assert_says(f->err.message, "m.yaml: line 2, column 1: ");
        assert_null(mission);
        pawl_mission_free(NULL);
}
