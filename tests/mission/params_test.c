/* Parameters of a mission file: what may be declared, given and taken. */
#include "mission/inputs.h"
#include "support/mission_file.h"
#include "support/sweep.h"

#define STEP "steps: [{id: a, run: [x]}]\n"

static const char full[] =
        "mission: m\n"
        "params:\n"
        "  version: {type: string, default: 1.4, description: what goes out}\n"
        "  count: {type: number, default: 1.50}\n"
        "  dry: {type: boolean}\n"
        "  targets: {type: json, default: [a, {b: 1}]}\n"
        "  name: {}\n"
        "steps:\n"
        "- id: a\n"
        "  inputs: {v: {$param: version}, n: [{$param: count}], d: {$param: dry}}\n"
        "  run: [./b, {$param: version}, {$param: count}, {$param: targets}, {$param: name}]\n";

static void check_inputs(const struct file_fixture *f, const char *expected)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__inputs_resolve(&out, f->mission, &f->mission->steps[0], NULL, NULL, &err));
        assert_text(pawl__buf_text(&out), expected);
        pawl__buf_free(&out);
}

static void set_param(struct file_fixture *f, const char *name, const char *text)
{
        assert_ok(pawl_mission_set_param(f->mission, name, text, &f->err));
}

FILE_TEST(parameters_stand_in_inputs_and_words)
{
        const pawl_mission_param *params;

        file_load(f, full);
        assert_int_equal(pawl_mission_params(f->mission, &params), 5);
        assert_string_equal(params[0].type, "string");
        assert_string_equal(params[0].value, "\"1.4\"");
        assert_string_equal(params[0].description, "what goes out");
        assert_string_equal(params[1].value, "1.5");
        assert_null(params[2].value);
        assert_string_equal(params[3].value, "[\"a\",{\"b\":1}]");
        assert_string_equal(params[4].type, "string");
        check_inputs(f, "{\"d\":{\"$param\":\"dry\"},\"n\":[1.5],\"v\":\"1.4\"}");
        char **words = f->mission->steps[0].argv;
        assert_string_equal(words[1], "1.4");
        assert_string_equal(words[2], "1.5");
        assert_string_equal(words[3], "[\"a\",{\"b\":1}]");
        assert_string_equal(words[4], "");
        set_param(f, "dry", "true");
        set_param(f, "version", "a \"b\"");
        set_param(f, "count", "12");
        set_param(f, "targets", " null");
        set_param(f, "name", "");
        check_inputs(f, "{\"d\":true,\"n\":[12],\"v\":\"a \\\"b\\\"\"}");
        assert_string_equal(words[1], "a \"b\"");
        assert_string_equal(words[2], "12");
        assert_string_equal(words[3], "null");
        assert_string_equal(words[4], "");
        assert_null(words[5]);
}

static void refuse(struct file_fixture *f, const char *name, const char *text, const char *message)
{
        const pawl_mission_param *params;
        char before[64];

        pawl_mission_params(f->mission, &params);
        snprintf(before, sizeof before, "%s", params[1].value);
        assert_int_equal(pawl_mission_set_param(f->mission, name, text, &f->err), PAWL_EINVAL);
        assert_string_equal(f->err.message, message);
        assert_string_equal(params[1].value, before);
}

FILE_TEST(values_of_another_type_are_refused)
{
        file_load(f, full);
        refuse(f, "count", "many",
                "parameter count: \"many\" is no number; write one, such as 1.5");
        refuse(f, "count", "", "parameter count: \"\" is no number; write one, such as 1.5");
        refuse(f, "count", "1 2", "parameter count: \"1 2\" is no number; write one, such as 1.5");
        refuse(f, "count", "true",
                "parameter count: \"true\" is no number; write one, such as 1.5");
        refuse(f, "dry", "yes", "parameter dry: \"yes\" is no boolean; write true or false");
        refuse(f, "versoin", "1",
                "parameter versoin: mission m has none of that name; did you mean version?");
        refuse(f, "x", "1",
                "parameter x: mission m has none of that name; there are version, count, dry, "
                "targets, name");
        refuse(f, "name", "\xff", "parameter name: its value is not UTF-8; give text that is");
        assert_int_equal(
                pawl_mission_set_param(f->mission, "targets", "{a: 1}", &f->err), PAWL_EINVAL);
        assert_non_null(strstr(f->err.message, "parameter targets: "));
        file_load(f, "mission: m\n" STEP);
        assert_int_equal(pawl_mission_set_param(f->mission, "a", "b", &f->err), PAWL_EINVAL);
        assert_string_equal(f->err.message,
                "parameter a: mission m has none of that name; declare it in params");
}

FILE_TEST(a_file_gives_values)
{
        char *path = path_in(f->directory, "p.yaml"), *json = path_in(f->directory, "p.json");
        char expected[600];

        file_load(f, full);
        file_write(path, "version: 2.1\ndry: false\ntargets: {x: y}\n", 40);
        assert_ok(pawl_mission_load_params(f->mission, path, &f->err));
        check_inputs(f, "{\"d\":false,\"n\":[1.5],\"v\":\"2.1\"}");
        assert_string_equal(f->mission->steps[0].argv[3], "{\"x\":\"y\"}");
        file_write(json, "{\"count\": 7}", 12);
        assert_ok(pawl_mission_load_params(f->mission, json, &f->err));
        assert_string_equal(f->mission->steps[0].argv[2], "7");
        file_write(path, "\ncount: many\n", 13);
        assert_int_equal(pawl_mission_load_params(f->mission, path, &f->err), PAWL_EPARSE);
        snprintf(expected, sizeof expected,
                "%s: line 2: count: is no number; write one, such as 1.5", path);
        assert_string_equal(f->err.message, expected);
        file_write(path, "verson: 1\n", 10);
        assert_int_equal(pawl_mission_load_params(f->mission, path, &f->err), PAWL_EPARSE);
        snprintf(expected, sizeof expected,
                "%s: line 1: parameter verson: mission m has none of that name; did you mean "
                "version?",
                path);
        assert_string_equal(f->err.message, expected);
        file_write(path, "[1]\n", 4);
        assert_int_equal(pawl_mission_load_params(f->mission, path, &f->err), PAWL_EPARSE);
        assert_int_equal(
                pawl_mission_load_params(f->mission, "/nonexistent/p", &f->err), PAWL_ENOTFOUND);
}

FILE_TEST(declarations_of_the_wrong_form_are_refused)
{
        file_refused(f, "mission: m\nparams: {a: {type: text}}\n" STEP, 2,
                "params.a.type: \"text\" is not known; write string, number, boolean or json");
        file_refused(f, "mission: m\nparams: {a: {type: number, default: x}}\n" STEP, 2,
                "params.a.default: is no number; write one, such as 1.5");
        file_refused(f, "mission: m\nparams: {a: {default: 010}}\n" STEP, 2,
                "params.a.default: is no string; quote it");
        file_refused(f, "mission: m\nparams: {a: 1}\n" STEP, 2,
                "params.a: must be a mapping; write {type: string, default: VALUE}");
        file_refused(f, "mission: m\nparams: {a=b: {}}\n" STEP, 2,
                "params: \"a=b\" is no name; write 1 to 64 letters, digits, - and _, beginning with "
                "a letter or _");
        file_refused(f, "mission: m\nparams: {a: {typ: json}}\n" STEP, 2,
                "params.a.typ: unknown key; did you mean type?");
}

FILE_TEST(parameters_that_are_not_declared_are_refused)
{
        file_refused(f, "mission: m\nsteps:\n- {id: a, run: [x, {$param: v}]}\n", 3,
                "steps[0].run[1].$param: no parameter is called \"v\"; declare it in params");
        file_refused(f,
                "mission: m\nparams: {version: {}}\nsteps:\n"
                "- {id: a, run: [x], inputs: {p: [{$param: versio}]}}\n",
                4,
                "steps[0].inputs.p[0].$param: no parameter is called \"versio\"; did you mean "
                "version?");
        file_refused(f,
                "mission: m\nparams: {v: {}}\nsteps:\n"
                "- {id: a, run: [x], inputs: {p: {$param: v, w: 1}}}\n",
                4,
                "steps[0].inputs.p: $param stands beside other members; give it an object of its "
                "own");
        file_refused(f,
                "mission: m\nparams: {v: {}}\nsteps:\n"
                "- {id: a, run: [x], inputs: {$param: 1}}\n",
                4, "steps[0].inputs.$param: must be a string; write the name of a parameter");
        file_load(f,
                "mission: m\nparams: {v: {type: json}}\nsteps:\n- {id: a, run: [x, {$param: v}]}\n");
        assert_int_equal(
                pawl_mission_set_param(f->mission, "v", "\"a\\u0000b\"", &f->err), PAWL_EINVAL);
        assert_string_equal(f->err.message,
                "parameter v: holds a NUL, which no word of a command and no variable can; leave it out");
}

FILE_TEST(parameters_survive_any_failed_allocation)
{
        char *path = path_in(f->directory, "p.yaml");

        file_write(path, "version: v\ntargets: [1]\n", 24);
        file_write(f->path, full, sizeof full - 1);
        for (sweep s = {.wanted = PAWL_OK}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_mission *mission = NULL;
                sweep_arm(&s);
                pawl_status status = pawl_mission_load(&mission, f->path, &err);
                if (!status)
                        status = pawl_mission_set_param(mission, "name", "n", &err);
                if (!status)
                        status = pawl_mission_load_params(mission, path, &err);
                (void)sweep_done(&s, status, &err);
                pawl_mission_free(mission);
        }
}
