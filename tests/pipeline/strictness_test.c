#include "pipeline/gate.h"
#include "support/pipeline.h"

enum {
        UNSET = PAWL__STRICTNESS_UNSET,
        OFF = PAWL__STRICTNESS_OFF,
        MEDIUM = PAWL__STRICTNESS_MEDIUM,
        MAX = PAWL__STRICTNESS_MAX
};

ALONE_TEST(the_first_source_that_says_a_strictness_decides)
{
        static const struct {
                int runtime, step, mission, project, effective;
        } cases[] = {
                {UNSET, UNSET, UNSET, UNSET, MEDIUM},
                {UNSET, UNSET, UNSET, MAX, MAX},
                {UNSET, UNSET, OFF, MAX, OFF},
                {UNSET, MAX, OFF, MEDIUM, MAX},
                {OFF, MAX, MAX, MAX, OFF},
                {MEDIUM, OFF, UNSET, UNSET, MEDIUM},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__context_reset(a->ctx);
                a->ctx->runtime_strictness = (pawl__strictness)cases[i].runtime;
                a->ctx->step_strictness = (pawl__strictness)cases[i].step;
                a->ctx->mission_strictness = (pawl__strictness)cases[i].mission;
                a->ctx->project_strictness = (pawl__strictness)cases[i].project;
                pawl__context_decide(a->ctx);
                assert_int_equal(a->ctx->effective, cases[i].effective);
        }
}

ALONE_TEST(what_a_checkpoint_decided_stands)
{
        a->ctx->effective = PAWL__STRICTNESS_MAX;
        a->ctx->runtime_strictness = PAWL__STRICTNESS_OFF;
        pawl__context_decide(a->ctx);
        assert_int_equal(a->ctx->effective, MAX);
}

ALONE_TEST(the_check_runs_by_strictness_and_by_the_steps_own_word)
{
        static const struct {
                int strictness;
                bool disabled, forced, runs;
        } cases[] = {
                {OFF, false, false, false},
                {OFF, false, true, true},
                {OFF, true, true, false},
                {MEDIUM, false, false, true},
                {MEDIUM, true, false, false},
                {MAX, false, false, true},
                {MAX, true, false, false},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__context_reset(a->ctx);
                a->ctx->step_strictness = (pawl__strictness)cases[i].strictness;
                a->ctx->check_disabled = cases[i].disabled;
                a->ctx->check_forced = cases[i].forced;
                assert_int_equal(pawl__context_checks(a->ctx), cases[i].runs);
        }
}

ALONE_TEST(the_gate_blocks_by_strictness_and_severity)
{
        /* by severity: none, low, medium, high */
        static const struct {
                int phase, effective;
                bool blocks[4];
        } cases[] = {
                {PAWL__ON_INPUTS, OFF, {false, false, false, false}},
                {PAWL__ON_INPUTS, MEDIUM, {false, false, false, true}},
                {PAWL__ON_INPUTS, MAX, {false, true, true, true}},
                {PAWL__ON_INPUTS, UNSET, {false, false, false, true}},
                {PAWL__ON_OUTPUT, OFF, {false, false, false, false}},
                {PAWL__ON_OUTPUT, MEDIUM, {false, false, false, false}},
                {PAWL__ON_OUTPUT, MAX, {false, true, true, true}},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
                for (int severity = 0; severity < 4; severity++)
                        assert_int_equal(pawl__gate_blocks((pawl__phase)cases[i].phase,
                                                 (pawl__strictness)cases[i].effective,
                                                 (pawl__severity)severity),
                                cases[i].blocks[severity]);
}

ALONE_TEST(a_severity_that_is_not_known_blocks_like_high)
{
        assert_true(pawl__gate_blocks(
                PAWL__ON_INPUTS, PAWL__STRICTNESS_MEDIUM, pawl__severity_of(pawl__text("dire"))));
        assert_true(
                pawl__gate_blocks(PAWL__ON_INPUTS, PAWL__STRICTNESS_MEDIUM, (pawl__severity)77));
        assert_false(pawl__gate_blocks(PAWL__ON_INPUTS, PAWL__STRICTNESS_OFF, (pawl__severity)77));
}
