/* What the steps of a mission need, and the order that comes of it. */
#include "mission/graph.h"
#include "support/mission_file.h"

#define MISSION "mission: m\nsteps:\n"

/* "c a b" */
static void order_is(const struct file_fixture *f, const char *expected)
{
        const pawl_mission *m = f->mission;
        char text[200] = "";

        assert_int_equal(m->n_ordered, m->n_steps);
        for (size_t i = 0; i < m->n_steps; i++) {
                const size_t len = strlen(text);
                snprintf(text + len, sizeof text - len, "%s%s", i ? " " : "",
                        pawl_mission_step_id(m, m->order[i]));
        }
        assert_string_equal(text, expected);
}

FILE_TEST(a_step_that_says_nothing_needs_the_one_before)
{
        bool needs;

        file_load(f, MISSION "- {id: a, run: [x]}\n- {id: b, run: [x]}\n- {id: c, run: [x]}\n");
        order_is(f, "a b c");
        assert_false(f->mission->graph);
        assert_int_equal(f->mission->parallel, 1);
        assert_ok(pawl__graph_needs(&needs, f->mission, 2, 0, &f->err));
        assert_true(needs);
        assert_ok(pawl__graph_needs(&needs, f->mission, 0, 0, &f->err));
        assert_false(needs);
}

FILE_TEST(steps_come_behind_what_they_need)
{
        bool needs;

        file_load(f, "parallel: 4\n" MISSION "- {id: a, needs: [d], run: [x]}\n"
                     "- {id: b, needs: [], run: [x]}\n"
                     "- {id: c, run: [x]}\n"
                     "- {id: d, needs: [b], run: [x]}\n"
                     "- {id: e, needs: [a, c], run: [x]}\n");
        order_is(f, "b d a c e");
        assert_true(f->mission->graph);
        assert_int_equal(f->mission->parallel, 4);
        assert_ok(pawl__graph_needs(&needs, f->mission, 4, 1, &f->err));
        assert_true(needs);
        assert_ok(pawl__graph_needs(&needs, f->mission, 2, 3, &f->err));
        assert_false(needs);
}

FILE_TEST(needs_of_the_wrong_form_are_refused)
{
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, needs: [z], run: [x]}\n", 4,
                "steps[1].needs[0]: no step is called \"z\"; name one of the mission");
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, needs: [a, b], run: [x]}\n", 4,
                "steps[1].needs[1]: is the step \"b\" itself; name others");
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, needs: [a, a], run: [x]}\n", 4,
                "steps[1].needs[1]: names \"a\" again; keep one of the two");
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, needs: [1], run: [x]}\n", 4,
                "steps[1].needs: holds what is no step's id; write [STEP, STEP, ...]");
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, needs: a, run: [x]}\n", 4,
                "steps[1].needs: must be a list; write [A, B], or a dash before each element");
        file_refused(f, "parallel: 0\n" MISSION "- {id: a, run: [x]}\n", 1,
                "parallel: 0 is out of range; write a whole number from 1 to 128");
        file_refused(f, "parallel: 129\n" MISSION "- {id: a, run: [x]}\n", 1,
                "parallel: 129 is out of range; write a whole number from 1 to 128");
}

FILE_TEST(circles_of_needs_are_refused)
{
        file_refused(f, MISSION "- {id: a, needs: [b], run: [x]}\n- {id: b, run: [x]}\n", 3,
                "steps[0].needs[0]: step \"b\" needs \"a\" in turn, itself or by way of others "
                "(where needs is left out, the step before); take one of them out");
        file_refused(f,
                MISSION "- {id: a, needs: [], run: [x]}\n- {id: b, needs: [a, d], run: [x]}\n"
                        "- {id: c, run: [x]}\n- {id: d, needs: [c], run: [x]}\n",
                4,
                "steps[1].needs[1]: step \"d\" needs \"b\" in turn, itself or by way of others "
                "(where needs is left out, the step before); take one of them out");
}

FILE_TEST(outputs_are_taken_from_what_is_needed_alone)
{
        file_load(f, MISSION "- {id: a, run: [x]}\n- {id: b, run: [x]}\n"
                             "- {id: c, needs: [b], inputs: {$from: a}, when: {$from: 'b#/x'}, "
                             "run: [x]}\n");
        file_load(f, MISSION "- {id: a, needs: [b], inputs: {$from: b}, run: [x]}\n"
                             "- {id: b, needs: [], run: [x]}\n");
        file_refused(f,
                MISSION "- {id: a, run: [x]}\n- {id: b, needs: [], run: [x]}\n"
                        "- {id: c, needs: [b], inputs: {v: {$from: a}}, run: [x]}\n",
                5,
                "steps[2].inputs.v.$from: step \"a\" is none that \"c\" needs; add it to needs of "
                "\"c\"");
        file_refused(f,
                MISSION "- {id: a, run: [x]}\n- {id: b, needs: [], run: [x]}\n"
                        "- {id: c, needs: [b], when: {$from: 'a#/v'}, run: [x]}\n",
                5,
                "steps[2].when.$from: step \"a\" is none that \"c\" needs; add it to needs of "
                "\"c\"");
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, when: {$from: z}, run: [x]}\n", 4,
                "steps[1].when.$from: no step is called \"z\"; name a step that comes earlier");
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, when: {is: a}, run: [x]}\n", 4,
                "steps[1].when: must be the output of a step or a member of it; write {$from: STEP} "
                "or {$from: \"STEP#/POINTER\"}");
        file_refused(f, MISSION "- {id: a, run: [x]}\n- {id: b, when: true, run: [x]}\n", 4,
                "steps[1].when: must be a mapping; write its members as KEY: VALUE");
}
