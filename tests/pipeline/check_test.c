/* Layers 1 and 2 with a context alone. */
#include "support/pipeline.h"

static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace of the tenant\"}";

static void glossary(struct alone *a)
{
        alone_sense(a, "team_domain", "workspace", "A folder", 0.9);
        alone_sense(a, "team_domain", "workspace", "A desktop", 0.7);
        alone_sense(a, "team_domain", "tenant", "A customer", 1);
}

ALONE_TEST(terms_that_resolved_are_not_observed)
{
        glossary(a);
        alone_inputs(a, "{\"description\":\"the workspace of a tenant of ACME\"}");
        assert_ok(pawl__layer_extraction.process(&pawl__layer_extraction, a->ctx));
        assert_string_equal(alone_types(a), "TermCandidateObserved TermCandidateObserved");
        pawl_text first = alone_payload(a, "TermCandidateObserved", 0);
        assert_holds(first, "\"term\":\"workspace\"");
        assert_holds(first, "\"source_step\":\"s\"");
        assert_holds(first, "\"actor_id\":\"user:ana\"");
        assert_holds(first, "\"extraction_method\":\"glossary_match\"");
        assert_holds(first, "the workspace of a tenant");
        assert_holds(
                alone_payload(a, "TermCandidateObserved", 1), "\"extraction_method\":\"acronym\"");
}

ALONE_TEST(a_hint_alone_is_observed_without_a_context)
{
        static const char metadata[] = "{\"glossary_watch_terms\":[\"ledger\"]}";

        assert_ok(pawl_context_set_metadata(a->ctx, metadata, sizeof metadata - 1));
        assert_ok(pawl__layer_extraction.process(&pawl__layer_extraction, a->ctx));
        assert_holds(alone_payload(a, "TermCandidateObserved", 0), "\"context\":\"\"");
}

ALONE_TEST(one_evaluation_holds_all_findings)
{
        glossary(a);
        alone_inputs(a, ambiguous);
        alone_check(a);
        assert_string_equal(alone_types(a), "TermCandidateObserved SemanticCheckEvaluated");
        pawl_text payload = alone_payload(a, "SemanticCheckEvaluated", 0);
        assert_holds(payload, "\"conflict_type\":\"ambiguous\"");
        assert_holds(payload, "\"overall_severity\":\"medium\"");
        assert_holds(payload, "\"effective_strictness\":\"medium\"");
        assert_holds(payload, "\"recommended_action\":\"warn\"");
        assert_holds(payload, "\"blocked\":false");
        assert_holds(payload, "\"phase\":\"inputs\"");
        assert_int_equal(a->ctx->findings.n, 1);
}

ALONE_TEST(what_the_gate_will_hold_is_recorded_as_blocked)
{
        glossary(a);
        a->ctx->critical = true;
        alone_inputs(a, ambiguous);
        alone_check(a);
        pawl_text payload = alone_payload(a, "SemanticCheckEvaluated", 0);
        assert_holds(payload, "\"overall_severity\":\"high\"");
        assert_holds(payload, "\"recommended_action\":\"block\"");
        assert_holds(payload, "\"blocked\":true");
}

ALONE_TEST(without_findings_the_evaluation_is_empty)
{
        glossary(a);
        alone_inputs(a, "{\"description\":\"a tenant\"}");
        alone_check(a);
        assert_string_equal(alone_types(a), "SemanticCheckEvaluated");
        pawl_text payload = alone_payload(a, "SemanticCheckEvaluated", 0);
        assert_holds(payload, "\"findings\":[]");
        assert_holds(payload, "\"overall_severity\":\"none\"");
        assert_holds(payload, "\"confidence\":1,");
        assert_holds(payload, "\"recommended_action\":\"proceed\"");
}

ALONE_TEST(confidence_is_that_of_the_worst_findings)
{
        /* "zeta" in quotes is unknown at 0.8 (low), the ambiguous workspace is at 1 (medium) */
        glossary(a);
        alone_inputs(a, "{\"description\":\"a \\\"zeta\\\" in the workspace\"}");
        alone_check(a);
        pawl_text payload = alone_payload(a, "SemanticCheckEvaluated", 0);
        assert_holds(payload, "\"confidence\":1,\"effective_strictness\":");
        assert_holds(payload, "\"overall_severity\":\"medium\"");
        assert_int_equal(a->ctx->findings.n, 2);
}

ALONE_TEST(both_layers_do_nothing_where_the_check_is_off)
{
        glossary(a);
        alone_inputs(a, ambiguous);
        for (int disabled = 0; disabled < 2; disabled++) {
                pawl__context_reset(a->ctx);
                a->ctx->check_disabled = disabled;
                a->ctx->step_strictness = disabled ? PAWL__STRICTNESS_MAX : PAWL__STRICTNESS_OFF;
                alone_check(a);
                assert_int_equal(a->batch.n, 0);
                assert_int_equal(a->ctx->terms.n, 0);
                assert_int_equal(a->ctx->findings.n, 0);
        }
}

ALONE_TEST(a_step_may_ask_for_the_check_at_strictness_off)
{
        glossary(a);
        alone_inputs(a, ambiguous);
        a->ctx->critical = true;
        a->ctx->step_strictness = PAWL__STRICTNESS_OFF;
        a->ctx->check_forced = true;
        alone_check(a);
        pawl_text payload = alone_payload(a, "SemanticCheckEvaluated", 0);
        assert_holds(payload, "\"overall_severity\":\"high\"");
        assert_holds(payload, "\"blocked\":false");
        assert_holds(payload, "\"recommended_action\":\"warn\"");
}

static void set_output(struct alone *a, const char *json)
{
        a->ctx->phase = PAWL__ON_OUTPUT;
        a->ctx->output = pawl__text(json);
}

ALONE_TEST(the_output_is_held_against_the_definitions)
{
        alone_sense(a, "team_domain", "tenant", "A customer who pays for storage", 1);
        a->ctx->step_strictness = PAWL__STRICTNESS_MAX;
        set_output(a, "{\"output\":[\"Fine.\",\"A tenant is not a customer.\"]}");
        alone_check(a);
        pawl_text payload = alone_payload(a, "SemanticCheckEvaluated", 0);
        assert_holds(payload, "\"conflict_type\":\"inconsistent\"");
        assert_holds(payload, "\"phase\":\"output\"");
        assert_holds(payload, "\"blocked\":true");
}

ALONE_TEST(at_medium_a_conflict_in_the_output_is_only_recorded)
{
        glossary(a);
        a->ctx->critical = true;
        set_output(a, "\"the workspace\"");
        alone_check(a);
        pawl_text payload = alone_payload(a, "SemanticCheckEvaluated", 0);
        assert_holds(payload, "\"overall_severity\":\"high\"");
        assert_holds(payload, "\"recommended_action\":\"warn\"");
        assert_holds(payload, "\"blocked\":false");
}
