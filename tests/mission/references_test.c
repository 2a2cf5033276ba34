/* What a mission's {"$from"} objects may name. */
#include "support/mission_file.h"

/* Three steps, of which b has these inputs, on line 4. */
static void check_from(struct file_fixture *f, const char *inputs, const char *message)
{
        char text[500];

        snprintf(text, sizeof text,
                "mission: m\nsteps:\n- {id: a, run: [x]}\n- {id: b, run: [x], inputs: %s}\n"
                "- {id: c, run: [x]}\n",
                inputs);
        if (message)
                file_refused(f, text, 4, message);
        else
                file_load(f, text);
}

FILE_TEST(references_to_earlier_steps_are_taken)
{
        check_from(f, "{$from: a}", NULL);
        check_from(f, "{x: [{$from: a}, {y: {$from: 'a#/b/~01/c d/'}}]}", NULL);
        check_from(f, "{x: $from, y: {from: z}, z: ['$from']}", NULL);
        check_from(f, "{$from: 'a#/'}", NULL);
        file_load(f, "mission: m\nsteps:\n- {id: 'a#1', run: [x]}\n"
                     "- {id: b, run: [x], inputs: [{$from: 'a#1'}, {$from: 'a#1#/x'}]}\n");
}

FILE_TEST(references_of_the_wrong_form_are_refused)
{
        check_from(f, "{x: {$from: 1}}",
                "steps[1].inputs.x.$from: must be a string; write \"STEP\" or \"STEP#/POINTER\"");
        check_from(f, "{x: [0, {$from: {y: 1}}]}",
                "steps[1].inputs.x[1].$from: must be a string; write \"STEP\" or "
                "\"STEP#/POINTER\"");
        check_from(f, "{\"x y\": {$from: a, z: 1}}",
                "steps[1].inputs[\"x y\"]: $from stands beside other members; give it an object of "
                "its own");
        check_from(f, "{$from: 'a#summary'}",
                "steps[1].inputs.$from: pointer \"summary\" does not start with \"/\"; write "
                "\"a#/MEMBER\", or \"a\" for the whole output");
        check_from(f, "{$from: 'a#'}",
                "steps[1].inputs.$from: pointer \"\" does not start with \"/\"; write "
                "\"a#/MEMBER\", or \"a\" for the whole output");
        check_from(f, "{$from: 'a#/x~2'}",
                "steps[1].inputs.$from: pointer \"/x~2\" is not a JSON pointer; write ~ as ~0 and "
                "/ in a name as ~1");
        check_from(f, "{$from: 'a#/~'}",
                "steps[1].inputs.$from: pointer \"/~\" is not a JSON pointer; write ~ as ~0 and / "
                "in a name as ~1");
}

FILE_TEST(an_answer_is_a_string_that_has_no_members)
{
        file_refused(f,
                "mission: m\nsteps:\n  - {id: a, ask: {question: Why?}}\n"
                "  - {id: b, inputs: {x: {$from: 'a#/x'}}, run: [cat]}\n",
                4,
                "steps[1].inputs.x.$from: the answer to \"a\" is a string, which has no /x; write "
                "\"a\"");
        file_refused(f,
                "mission: m\nsteps:\n  - {id: a, ask: {question: Why?}}\n"
                "  - {id: b, when: {$from: 'a#/x'}, run: [cat]}\n",
                4,
                "steps[1].when.$from: the answer to \"a\" is a string, which has no /x; write \"a\"");
}

FILE_TEST(references_must_name_an_earlier_step)
{
        check_from(f, "{$from: z}",
                "steps[1].inputs.$from: no step is called \"z\"; name a step that comes earlier");
        check_from(f, "{$from: ''}",
                "steps[1].inputs.$from: no step is called \"\"; name a step that comes earlier");
        check_from(f, "{$from: 'z#/a'}",
                "steps[1].inputs.$from: no step is called \"z\"; name a step that comes earlier");
        check_from(f, "{$from: b}",
                "steps[1].inputs.$from: takes from its own step \"b\"; name an earlier one");
        check_from(f, "{x: {$from: c}}",
                "steps[1].inputs.x.$from: step \"c\" comes later; put it before \"b\"");
}

FILE_TEST(cycles_are_refused)
{
        file_refused(f,
                "mission: m\nsteps:\n"
                "- {id: a, run: [x], inputs: {i: {$from: b}}}\n"
                "- {id: b, run: [x], inputs: {i: {$from: 'a#/x'}}}\n",
                3,
                "steps[0].inputs.i.$from: step \"b\" takes from \"a\" in turn, itself or by way of "
                "others; take one of these references out");
        file_refused(f,
                "mission: m\nsteps:\n"
                "- {id: z, run: [x]}\n"
                "- {id: a, run: [x], inputs: [{$from: z}, {$from: d}]}\n"
                "- {id: b, run: [x], inputs: [{$from: a}, {$from: z}]}\n"
                "- {id: c, run: [x], inputs: [{$from: z}, {$from: b}]}\n"
                "- {id: d, run: [x], inputs: [{$from: z}, {$from: c}]}\n",
                4,
                "steps[1].inputs[1].$from: step \"d\" takes from \"a\" in turn, itself or by way of "
                "others; take one of these references out");
}

FILE_TEST(many_steps_with_references_are_quick)
{
        pawl__buf text = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&text, "mission: m\nsteps:\n"));
        for (int i = 0; i < 5000; i++)
                assert_ok(pawl__buf_addf(&text, "- {id: s%d, run: [x], inputs: %s%d}}\n", i,
                        i ? "{$from: s" : "{first: ", i ? i - 1 : 0));
        file_load(f, text.data);
        assert_int_equal(f->mission->n_steps, 5000);
        pawl__buf_free(&text);
}
