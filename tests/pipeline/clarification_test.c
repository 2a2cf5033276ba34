/* Layer 4 with a context alone: what held the step is put there as the gate leaves it. */
#include "support/pipeline.h"

enum { MOST = 5 };

static const char *const terms[MOST] = {"alpha", "beta", "gamma", "delta", "epsilon"};

/* The gate over n terms of that type; its events are committed already. */
static void block_as(struct alone *a, size_t n, pawl__conflict_type type)
{
        static pawl__finding findings[MOST];
        pawl__sense *senses = pawl__arena_array(&a->ctx->arena, 2, sizeof *senses);

        senses[0] = (pawl__sense){.surface = pawl__text("Alpha"),
                .definition = pawl__text("The first"),
                .scope = PAWL__TEAM_DOMAIN,
                .confidence = 0.9,
                .status = PAWL__ACTIVE};
        senses[1] = (pawl__sense){.surface = pawl__text("alpha"),
                .definition = pawl__text("A release before beta"),
                .scope = PAWL__TEAM_DOMAIN,
                .confidence = 0.6,
                .status = PAWL__ACTIVE};
        for (size_t i = 0; i < n; i++)
                findings[i] = (pawl__finding){.term = pawl__text(terms[i]),
                        .original = pawl__text(terms[i]),
                        .type = type,
                        .severity = PAWL__SEVERITY_HIGH,
                        .confidence = 0.8,
                        .candidates = senses,
                        .n_candidates = type == PAWL__AMBIGUOUS ? 2 : 0};
        a->ctx->findings = (pawl__findings){findings, n};
        assert_int_equal(pawl__layer_gate.process(&pawl__layer_gate, a->ctx), PAWL_BLOCKED);
        pawl__batch_clear(&a->batch);
}

static void block(struct alone *a, size_t n)
{
        block_as(a, n, PAWL__AMBIGUOUS);
}

static pawl_status clarify(struct alone *a)
{
        return pawl__layer_clarification.process(&pawl__layer_clarification, a->ctx);
}

ALONE_TEST(a_step_that_is_not_held_is_not_asked_about)
{
        a->ctx->clarify = script_answer;
        assert_ok(clarify(a));
        assert_int_equal(a->script.asked, 0);
        assert_int_equal(a->batch.n, 0);
}

ALONE_TEST(without_anybody_to_ask_every_conflict_is_requested_and_deferred)
{
        block(a, 2);
        assert_int_equal(clarify(a), PAWL_BLOCKED);
        assert_string_equal(
                alone_types(a), "GlossaryClarificationRequested GlossaryClarificationRequested");
        pawl_text payload = alone_payload(a, "GlossaryClarificationRequested", 0);
        assert_holds(payload, "\"question\":\"What does \\\"alpha\\\" mean here?\"");
        assert_holds(payload, "\"term\":\"alpha\"");
        assert_holds(payload, "\"options\":[{\"confidence\":0.9,\"definition\":\"The first\","
                              "\"scope\":\"team_domain\",\"surface\":\"Alpha\"},");
        assert_holds(payload, "\"urgency\":\"high\"");
        assert_holds(payload, "\"severity\":\"high\"");
        assert_holds(payload, "\"conflict_type\":\"ambiguous\"");
        assert_holds(payload, "\"context\":\"\"");
        assert_holds(payload, "\"phase\":\"inputs\"");
        assert_holds(payload, pawl_context_retry_token(a->ctx));
        assert_holds(payload, pawl_context_input_hash(a->ctx));
        assert_int_equal(a->waits, 0);
        assert_int_equal(pawl_context_conflicts(a->ctx), 2);
}

ALONE_TEST(all_requests_are_on_disk_before_the_first_question)
{
        block(a, 2);
        a->ctx->clarify = script_answer;
        assert_int_equal(clarify(a), PAWL_BLOCKED);
        assert_int_equal(a->script.asked, 2);
        assert_string_equal(
                a->committed, "GlossaryClarificationRequested GlossaryClarificationRequested");
        assert_int_equal(a->batch.n, 0);
}

ALONE_TEST(a_burst_asks_three_questions_and_defers_the_rest)
{
        const pawl_answer answers[] = {{.pick = 1}, {.pick = 2}, {.pick = 1}};

        block(a, 5);
        a->ctx->clarify = script_answer;
        a->script.answers = answers;
        a->script.n = 3;
        assert_int_equal(clarify(a), PAWL_BLOCKED);
        assert_int_equal(a->script.asked, 3);
        assert_text(a->script.terms[0], "alpha");
        assert_text(a->script.terms[1], "beta");
        assert_text(a->script.terms[2], "gamma");
        assert_int_equal(pawl_context_conflicts(a->ctx), 2);
        assert_text(pawl_context_conflict(a->ctx, 0)->term, "delta");
        assert_text(pawl_context_conflict(a->ctx, 1)->term, "epsilon");
        /* each answer is on disk before the next question; the last waits for the pass's commit */
        assert_int_equal(a->waits, 3);
        assert_string_equal(alone_types(a), "GlossaryClarificationResolved");
}

ALONE_TEST(a_pick_is_recorded_in_its_scope_and_holds_for_the_mission)
{
        const pawl_answer answers[] = {{.pick = 2}};

        block(a, 1);
        a->ctx->clarify = script_answer;
        a->script.answers = answers;
        a->script.n = 1;
        assert_ok(clarify(a));
        assert_string_equal(alone_types(a), "GlossaryClarificationResolved StepCheckpointed");
        pawl_text payload = alone_payload(a, "GlossaryClarificationResolved", 0);
        assert_holds(payload,
                "\"definition\":\"A release before beta\",\"scope\":\"team_domain\",\"surface\":\"alpha\"");
        assert_holds(payload, "\"resolution_mode\":\"interactive\"");
        assert_holds(alone_payload(a, "StepCheckpointed", 0), "\"cursor\":\"post_clarification\"");
        assert_true(a->ctx->answered);
        pawl__resolution now = pawl__glossary_resolve(a->glossary, pawl__text("alpha"));
        assert_int_equal(now.n, 1);
        assert_int_equal(now.senses[0]->scope, PAWL__MISSION_LOCAL);
        assert_text(now.senses[0]->definition, "A release before beta");
}

ALONE_TEST(answers_about_the_output_are_checkpointed_at_post_generation)
{
        const pawl_answer answers[] = {{.pick = 1}};

        a->ctx->phase = PAWL__ON_OUTPUT;
        a->ctx->step_strictness = PAWL__STRICTNESS_MAX;
        memset(a->ctx->output_hash, 'b', 64);
        block(a, 1);
        a->ctx->clarify = script_answer;
        a->script.answers = answers;
        a->script.n = 1;
        assert_ok(clarify(a));
        pawl_text payload = alone_payload(a, "StepCheckpointed", 0);
        assert_holds(payload, "\"cursor\":\"post_generation\"");
        assert_holds(payload, "\"output_hash\":\"bbbb");
        assert_holds(pawl__text(a->committed), "GlossaryClarificationRequested");
}

ALONE_TEST(a_bad_answer_ends_the_pass)
{
        static const struct {
                pawl_answer answer;
                const char *says;
        } cases[] = {
                {{.pick = 3}, "3 is no candidate; pick 1 to 2"},
                {{.define = {" \n", 2}}, "the definition is empty"},
                {{.pick = 1, .define = {"x", 1}}, "is answered in two ways"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                block(a, 1);
                a->ctx->questions = 0;
                a->ctx->clarify = script_answer;
                a->script = (struct script){.answers = &cases[i].answer, .n = 1};
                assert_int_equal(clarify(a), PAWL_EINVAL);
                assert_says(pawl_context_errmsg(a->ctx), cases[i].says);
                assert_int_equal(a->batch.n, 0);
        }
}

ALONE_TEST(a_question_that_fails_ends_the_pass)
{
        block(a, 1);
        a->ctx->clarify = script_answer;
        a->script.fail_at = 1;
        a->script.status = PAWL_EINTERRUPTED;
        assert_int_equal(clarify(a), PAWL_EINTERRUPTED);
        assert_says(
                pawl_context_errmsg(a->ctx), "asking about \"alpha\" failed (PAWL_EINTERRUPTED)");
        assert_int_equal(a->batch.n, 0);

        block(a, 1);
        a->script.status = PAWL_DONE;
        assert_int_equal(clarify(a), PAWL_EINVAL);
}

ALONE_TEST(nobody_is_asked_when_the_log_cannot_be_written)
{
        block(a, 1);
        a->ctx->clarify = script_answer;
        a->wait_status = PAWL_EFULL;
        assert_int_equal(clarify(a), PAWL_EFULL);
        assert_int_equal(a->script.asked, 0);
}

static void fail_next_wait(void *user)
{
        struct alone *a = user;

        if (a->script.asked == 1)
                a->wait_status = PAWL_EEXISTS;
        else
                a->wait_status = PAWL_OK;
}

/* The first answer cannot be written because another session's is there: ours is dropped, and
 * the conflict counts as answered. */
ALONE_TEST(an_answer_that_came_first_stands)
{
        const pawl_answer answers[] = {{.pick = 1}, {.pick = 1}};

        block(a, 2);
        a->ctx->clarify = script_answer;
        a->script = (struct script){
                .answers = answers, .n = 2, .before = fail_next_wait, .before_user = a};
        assert_ok(clarify(a));
        assert_int_equal(a->script.asked, 2);
        assert_int_equal(a->reloads, 1);
        assert_string_equal(alone_types(a), "GlossaryClarificationResolved StepCheckpointed");
        assert_holds(
                alone_payload(a, "GlossaryClarificationResolved", 0), "\"term_surface\":\"beta\"");
}

/* The second is defined, the others but the last are none. */
static pawl_status answer_terms(
        pawl_answer *answers, const pawl_conflict *conflicts, size_t n, void *user)
{
        struct script *script = user;

        script->asked++;
        assert_int_equal(n, 4);
        for (size_t i = 0; i < n; i++)
                script->terms[i] = conflicts[i].term;
        answers[0].dismiss = answers[2].dismiss = true;
        answers[1].define = pawl__text("The third letter.");
        return script->status;
}

ALONE_TEST(unknown_terms_are_one_question_and_its_answers_one_batch)
{
        static const char inputs[] =
                "{\"description\":\"Gamma, delta and deltas; gammas? Gamma.\"}";

        assert_ok(pawl_context_set_inputs(a->ctx, inputs, sizeof inputs - 1));
        block_as(a, 4, PAWL__UNKNOWN);
        a->ctx->clarify = script_answer;
        a->ctx->clarify_terms = answer_terms;
        assert_int_equal(clarify(a), PAWL_BLOCKED);
        assert_int_equal(a->script.asked, 1);
        assert_int_equal(a->waits, 1);
        assert_text(a->script.terms[0], "gamma");
        assert_text(a->script.terms[1], "delta");
        assert_text(a->script.terms[2], "alpha");
        assert_text(a->script.terms[3], "beta");
        assert_string_equal(alone_types(a),
                "GlossarySenseUpdated GlossaryClarificationResolved GlossarySenseUpdated "
                "GlossaryClarificationResolved GlossarySenseUpdated GlossaryClarificationResolved");
        assert_holds(alone_payload(a, "GlossarySenseUpdated", 0), "\"status\":\"ignored\"");
        assert_holds(alone_payload(a, "GlossarySenseUpdated", 1),
                "\"definition\":\"The third letter.\"");
        assert_holds(
                alone_payload(a, "GlossaryClarificationResolved", 2), "\"status\":\"ignored\"");
        assert_int_equal(pawl_context_conflicts(a->ctx), 1);
        assert_text(pawl_context_conflict(a->ctx, 0)->term, "beta");
}

ALONE_TEST(a_question_about_terms_that_fails_ends_the_pass)
{
        block_as(a, 4, PAWL__UNKNOWN);
        a->ctx->clarify = script_answer;
        a->ctx->clarify_terms = answer_terms;
        a->script.status = PAWL_EINTERRUPTED;
        assert_int_equal(clarify(a), PAWL_EINTERRUPTED);
        assert_says(a->ctx->error.message, "asking about \"alpha\" failed");
        assert_int_equal(a->batch.n, 0);
}
