/* Layer 3 with a context alone. */
#include "support/pipeline.h"

#define VERSION "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

static pawl__sense candidates[] = {
        {.scope = PAWL__TEAM_DOMAIN, .confidence = 0.9},
        {.scope = PAWL__CORE, .confidence = 0.5},
};

static pawl__finding found(const char *term, pawl__severity severity)
{
        return (pawl__finding){.term = pawl__text(term),
                .original = pawl__text(term),
                .context = pawl__text("around it"),
                .type = PAWL__AMBIGUOUS,
                .severity = severity,
                .confidence = 0.8,
                .candidates = candidates,
                .n_candidates = 2};
}

static int setup(void **state)
{
        candidates[0].surface = pawl__text("Workspace");
        candidates[0].definition = pawl__text("A folder");
        candidates[1].surface = pawl__text("workspace");
        candidates[1].definition = pawl__text("A desktop");
        return alone_setup(state);
}

#define TEST(name) UNIT_TEST_WITH(name, struct alone *a, setup, alone_teardown)

static pawl_status judge(struct alone *a, pawl__finding *findings, size_t n)
{
        a->ctx->findings = (pawl__findings){findings, n};
        return pawl__layer_gate.process(&pawl__layer_gate, a->ctx);
}

TEST(what_passes_gets_a_post_gate_checkpoint_with_a_fresh_token)
{
        pawl__scope_ref ref = {pawl__text("team_domain"), pawl__text(VERSION)};

        a->ctx->scope_refs = &ref;
        a->ctx->n_scope_refs = 1;
        assert_ok(judge(a, NULL, 0));
        assert_string_equal(alone_types(a), "StepCheckpointed");
        pawl_text payload = alone_payload(a, "StepCheckpointed", 0);
        assert_holds(payload, "\"cursor\":\"post_gate\"");
        assert_holds(payload, "\"retry_token\":\"00000000-0000-4000-8000-000000000001\"");
        assert_holds(payload, "\"strictness\":\"medium\"");
        assert_holds(payload, "{\"scope\":\"team_domain\",\"version_id\":\"" VERSION "\"}");
        assert_holds(payload, pawl_context_input_hash(a->ctx));
        assert_string_equal(
                pawl_context_retry_token(a->ctx), "00000000-0000-4000-8000-000000000001");
        assert_false(a->ctx->blocked);

        assert_ok(judge(a, NULL, 0));
        assert_string_equal(
                pawl_context_retry_token(a->ctx), "00000000-0000-4000-8000-000000000001");
}

TEST(with_the_check_off_there_is_a_post_gate_checkpoint_all_the_same)
{
        a->ctx->step_strictness = PAWL__STRICTNESS_OFF;
        assert_ok(judge(a, NULL, 0));
        assert_holds(alone_payload(a, "StepCheckpointed", 0), "\"strictness\":\"off\"");
}

TEST(what_blocks_is_checkpointed_before_it_is_said)
{
        pawl__finding findings[] = {found("alpha", PAWL__SEVERITY_LOW),
                found("beta", PAWL__SEVERITY_HIGH), found("gamma", PAWL__SEVERITY_MEDIUM)};

        assert_int_equal(judge(a, findings, 3), PAWL_BLOCKED);
        assert_string_equal(alone_types(a), "StepCheckpointed GenerationBlockedBySemanticConflict");
        assert_holds(alone_payload(a, "StepCheckpointed", 0), "\"cursor\":\"pre_generation_gate\"");
        assert_true(a->ctx->blocked);
        assert_int_equal(pawl_context_conflicts(a->ctx), 1);
        const pawl_conflict *conflict = pawl_context_conflict(a->ctx, 0);
        assert_text(conflict->term, "beta");
        assert_text(conflict->conflict_type, "ambiguous");
        assert_text(conflict->severity, "high");
        assert_text(conflict->context, "around it");
        assert_int_equal(conflict->n_candidates, 2);
        assert_text(conflict->candidates[0].scope, "team_domain");
        assert_text(conflict->candidates[1].definition, "A desktop");

        pawl_text payload = alone_payload(a, "GenerationBlockedBySemanticConflict", 0);
        assert_holds(payload, "\"effective_strictness\":\"medium\",\"strictness_mode\":\"medium\"");
        assert_holds(payload, "\"term\":\"beta\"");
        assert_holds(payload, conflict->conflict_id.data);
        assert_null(memmem(payload.data, payload.len, "gamma", 5));
}

TEST(at_max_every_conflict_holds_the_worst_first_and_in_order)
{
        static const char *const order[] = {"b", "e", "c", "a", "d"};
        pawl__finding findings[] = {found("a", PAWL__SEVERITY_LOW), found("b", PAWL__SEVERITY_HIGH),
                found("c", PAWL__SEVERITY_MEDIUM), found("d", PAWL__SEVERITY_LOW),
                found("e", (pawl__severity)9)};

        a->ctx->mission_strictness = PAWL__STRICTNESS_OFF;
        a->ctx->step_strictness = PAWL__STRICTNESS_MAX;
        assert_int_equal(judge(a, findings, 5), PAWL_BLOCKED);
        assert_int_equal(pawl_context_conflicts(a->ctx), 5);
        for (size_t i = 0; i < 5; i++)
                assert_text(pawl_context_conflict(a->ctx, i)->term, order[i]);
        assert_null(pawl_context_conflict(a->ctx, 5));
        assert_holds(alone_payload(a, "GenerationBlockedBySemanticConflict", 0),
                "\"effective_strictness\":\"max\",\"strictness_mode\":\"off\"");
}

TEST(the_projects_strictness_is_the_mode_where_the_mission_has_none)
{
        pawl__finding findings[] = {found("a", PAWL__SEVERITY_HIGH)};

        a->ctx->project_strictness = PAWL__STRICTNESS_MAX;
        assert_int_equal(judge(a, findings, 1), PAWL_BLOCKED);
        assert_holds(alone_payload(a, "GenerationBlockedBySemanticConflict", 0),
                "\"strictness_mode\":\"max\"");
}

TEST(a_passing_output_needs_no_checkpoint)
{
        pawl__finding findings[] = {found("a", PAWL__SEVERITY_HIGH)};

        a->ctx->phase = PAWL__ON_OUTPUT;
        assert_ok(judge(a, findings, 1));
        assert_int_equal(a->batch.n, 0);
}

TEST(an_output_that_is_held_is_named_in_its_checkpoint)
{
        pawl__finding findings[] = {found("a", PAWL__SEVERITY_LOW)};

        a->ctx->phase = PAWL__ON_OUTPUT;
        memset(a->ctx->output_hash, 'a', 64);
        a->ctx->step_strictness = PAWL__STRICTNESS_MAX;
        assert_int_equal(judge(a, findings, 1), PAWL_BLOCKED);
        pawl_text payload = alone_payload(a, "StepCheckpointed", 0);
        assert_holds(payload, "\"cursor\":\"post_generation\"");
        assert_holds(payload, "\"output_hash\":\"aaaaaaaa");
}

TEST(judging_again_forgets_what_was_held)
{
        pawl__finding findings[] = {found("a", PAWL__SEVERITY_HIGH)};

        assert_int_equal(judge(a, findings, 1), PAWL_BLOCKED);
        assert_ok(judge(a, NULL, 0));
        assert_false(a->ctx->blocked);
        assert_int_equal(pawl_context_conflicts(a->ctx), 0);
}

TEST(a_checkpoint_that_is_too_long_blocks_with_an_error)
{
        char version[1200];
        pawl__scope_ref ref = {pawl__text("team_domain"), pawl__text_n(version, sizeof version)};

        memset(version, 'v', sizeof version);
        a->ctx->scope_refs = &ref;
        a->ctx->n_scope_refs = 1;
        assert_true(judge(a, NULL, 0) < 0);
        assert_int_equal(a->batch.n, 0);
        assert_null(pawl_context_retry_token(a->ctx));
}
