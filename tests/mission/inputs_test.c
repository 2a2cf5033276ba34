/* A step's inputs with the outputs of earlier steps put in. */
#include "mission/inputs.h"
#include "support/test.h"

struct fixture {
        char *directory, *path;
        pawl_mission *mission;
        pawl_error err;
        const char *a, *b; /* the outputs of steps a and b */
        int asked;
        pawl_status fail;
};

static int setup(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);

        f->directory = directory_make();
        f->path = path_in(f->directory, "m.yaml");
        f->a = "{\"list\":[1,{\"x\":\"deep\"}],\"s\":\"a \\\"text\\\"\",\"~/\":null,\"t\":true,"
               "\"n\":9007199254740993}";
        f->b = "\"only a string\\n\"";
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        pawl_mission_free(f->mission);
        return 0;
}

#define T(name) UNIT_TEST_WITH(name, struct fixture *f, setup, teardown)

static pawl_status output(pawl_text *out, pawl_text step_id, void *user, pawl_error *err)
{
        struct fixture *f = user;

        f->asked++;
        if (f->fail) {
                err->status = f->fail;
                strcpy(err->message, "the log: is damaged");
                return f->fail;
        }
        *out = pawl__text(pawl__text_is(step_id, "a") ? f->a : f->b);
        return PAWL_OK;
}

/* Steps a, b, and c with these inputs. */
static pawl_status resolve(struct fixture *f, pawl__buf *out, const char *inputs, bool run)
{
        char text[2000];

        snprintf(text, sizeof text,
                "mission: m\nsteps:\n- {id: a, run: [x]}\n- {id: b, run: [x]}\n"
                "- id: c\n  run: [x]\n%s%s\n",
                inputs ? "  inputs: " : "", inputs ? inputs : "");
        file_write(f->path, text, strlen(text));
        pawl_mission_free(f->mission);
        f->mission = NULL;
        f->asked = 0;
        f->err = (pawl_error)PAWL_ERROR_INIT;
        assert_ok(pawl_mission_load(&f->mission, f->path, &f->err));
        return pawl__inputs_resolve(
                out, f->mission, &f->mission->steps[2], run ? output : NULL, f, &f->err);
}

/* The same once more as while steps run: from the text alone. */
static pawl_status resolve_from_text(struct fixture *f, pawl__buf *out, bool run)
{
        const int asked = f->asked;

        pawl__document_drop_tree(&f->mission->document);
        f->err = (pawl_error)PAWL_ERROR_INIT;
        const pawl_status status = pawl__inputs_resolve(
                out, f->mission, &f->mission->steps[2], run ? output : NULL, f, &f->err);
        assert_int_equal(f->asked, 2 * asked);
        f->asked = asked;
        return status;
}

static void check(struct fixture *f, const char *inputs, const char *json)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&out, "before "));
        assert_ok(resolve(f, &out, inputs, true));
        assert_memory_equal(out.data, "before ", 7);
        assert_text(pawl__text_n(out.data + 7, out.len - 7), json);
        pawl__buf_clear(&out);
        assert_ok(resolve_from_text(f, &out, true));
        assert_text(pawl__buf_text(&out), json);
        pawl__buf_free(&out);
}

static void check_fails(
        struct fixture *f, const char *inputs, pawl_status status, const char *message)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&out, "before"));
        assert_int_equal(resolve(f, &out, inputs, true), status);
        assert_int_equal(f->err.status, status);
        assert_string_equal(f->err.message, message);
        assert_text(pawl__buf_text(&out), "before");
        assert_int_equal(resolve_from_text(f, &out, true), status);
        assert_string_equal(f->err.message, message);
        assert_text(pawl__buf_text(&out), "before");
        pawl__buf_free(&out);
}

T(inputs_without_references_are_made_canonical)
{
        check(f, NULL, "{}");
        check(f, "{b: 1.0, a: [true, ~, x]}", "{\"a\":[true,null,\"x\"],\"b\":1}");
        check(f, "text", "\"text\"");
        check(f, "\"a\\0\\n\\u00e9\"", "\"a\\u0000\\n\xc3\xa9\"");
        check(f, "9007199254740993", "9007199254740993");
        check(f, "~", "null");
        check(f, "false", "false");
        check(f, "[]", "[]");
        assert_int_equal(f->asked, 0);
}

T(whole_outputs_take_the_place_of_their_object)
{
        f->a = "{\"k\":1}";
        check(f, "{$from: a}", "{\"k\":1}");
        check(f, "{$from: b}", "\"only a string\\n\"");
        check(f, "{z: {$from: a}, y: [0, {$from: b}, 2], x: {$from: a}}",
                "{\"x\":{\"k\":1},\"y\":[0,\"only a string\\n\",2],\"z\":{\"k\":1}}");
        check(f, "[[[{$from: a}]], {$from: a}]", "[[[{\"k\":1}]],{\"k\":1}]");
        assert_int_equal(f->asked, 1);
}

T(members_are_found_by_pointer)
{
        check(f,
                "{a: {$from: 'a#/list/1/x'}, b: {$from: 'a#/s'}, c: {$from: 'a#/~0~1'}, d: {$from: "
                "'a#/t'}, e: {$from: 'a#/list'}, f: {$from: 'a#/n'}}",
                "{\"a\":\"deep\",\"b\":\"a \\\"text\\\"\",\"c\":null,\"d\":true,\"e\":[1,{\"x\":"
                "\"deep\"}],\"f\":9007199254740993}");
        assert_int_equal(f->asked, 1);
        check(f, "[{$from: 'a#/t'}, {$from: b}, {$from: 'a#/t'}]",
                "[true,\"only a string\\n\",true]");
        assert_int_equal(f->asked, 3);
}

/* What an output holds is data: a $from in it is no reference. */
T(references_in_outputs_are_not_followed)
{
        f->a = "{\"$from\":\"b\"}";
        check(f, "{x: {$from: a}}", "{\"x\":{\"$from\":\"b\"}}");
}

T(a_pointer_that_leads_nowhere_is_named)
{
        check_fails(f, "{part: {$from: 'a#/summary'}}", PAWL_ENOTFOUND,
                "inputs.part: output of \"a\" has no /summary; fix the pointer in the "
                "mission file, or what \"a\" prints");
        check_fails(f, "{x: [1, {\"y z\": {$from: 'a#/list/2'}}]}", PAWL_ENOTFOUND,
                "inputs.x[1][\"y z\"]: output of \"a\" has no /list/2; fix the "
                "pointer in the mission file, or what \"a\" prints");
        check_fails(f, "{$from: 'b#/x'}", PAWL_ENOTFOUND,
                "inputs: output of \"b\" has no /x; fix the pointer in the mission "
                "file, or what \"b\" prints");
}

T(a_failure_to_get_an_output_is_passed_on)
{
        f->fail = PAWL_EDAMAGED;
        check_fails(f, "[{$from: a}]", PAWL_EDAMAGED, "the log: is damaged");
}

T(a_pointer_into_what_is_nearly_json_says_why_it_is_text)
{
        f->b = "\" {\\\"x\\\":1,\\\"x\\\":2}\\n\"";
        check_fails(f, "{$from: \"b#/x\"}", PAWL_ENOTFOUND,
                "inputs: output of \"b\" is kept as text, which has no /x: it is no JSON (line 1, "
                "column 9: the name \"x\" appears twice in its object; keep one); correct what \"b\" "
                "prints");
        check(f, "{$from: b}", f->b);
        f->b = "\"[1\"";
        check_fails(f, "{$from: \"b#/0\"}", PAWL_ENOTFOUND,
                "inputs: output of \"b\" is kept as text, which has no /0: it is no JSON (line 1, "
                "column 3: the text ends inside an array; close it with ']'); correct what \"b\" prints");
}

T(an_output_that_makes_the_nesting_too_deep_is_refused)
{
        char deep[1025];

        memset(deep, '[', 512);
        memset(deep + 512, ']', 512);
        deep[1024] = '\0';
        f->a = deep;
        check(f, "{$from: a}", deep);
        pawl__buf out = PAWL__BUF_INIT;
        assert_int_equal(resolve(f, &out, "[{$from: a}]", true), PAWL_EPARSE);
        assert_says(f->err.message, "inputs: line 1, column 513: ");
        assert_int_equal(out.len, 0);
        pawl__buf_free(&out);
}

T(without_a_run_references_stay)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(resolve(f, &out, "{x: {$from: 'a#/s'}, w: 1}", false));
        assert_text(pawl__buf_text(&out), "{\"w\":1,\"x\":{\"$from\":\"a#/s\"}}");
        pawl__buf_free(&out);
}

T(a_reference_is_split_at_its_pointer)
{
        static const char *const cases[][3] = {
                {"a", "a", ""},
                {"a#/x", "a", "/x"},
                {"a#/", "a", "/"},
                {"a#1", "a#1", ""},
                {"a#1#/x", "a#1", "/x"},
                {"a#/x#/y", "a", "/x#/y"},
                {"a#", "a#", ""},
                {"", "", ""},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl_text id, pointer;
                pawl__from_split(&id, &pointer, pawl__text(cases[i][0]));
                assert_text(id, cases[i][1]);
                assert_text(pointer, cases[i][2]);
        }
}
