/* A resume whose inputs are not those of the checkpoint. */
#include "support/pipeline.h"

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

PIPED_TEST(changed_inputs_are_refused)
{
        char token[37];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(token, p->token, sizeof token);
        uint64_t head = piped_head(p);
        assert_int_equal(
                piped_critical_resume(p, "s", "{\"description\":\"Refunds are paid out\"}"),
                PAWL_EINPUTS);
        assert_string_equal(piped_types(p, head), "StepResumeAborted");
        pawl_text payload = pawl__text(piped_payload(p, "StepResumeAborted", head, 0));
        assert_holds(payload, token);
        assert_holds(payload, "\"cursor\":\"pre_generation_gate\"");
        assert_holds(payload, "\"inputs_changed\":true");
        assert_holds(payload, "\"confirmed_by\":null");
        assert_says(pawl_pipeline_errmsg(p->pipeline), "step s: its inputs changed");
        const pawl_input_change *change = pawl_context_input_diff(p->ctx);
        assert_non_null(change);
        assert_string_equal(change->diff, "inputs.description: \"Refunds land in the workspace\" → "
                                          "\"Refunds are paid out\"\n");
        assert_string_equal(change->current_hash, pawl_context_input_hash(p->ctx));
        assert_string_not_equal(change->checkpoint_hash, change->current_hash);
        assert_int_equal(piped_complete(p, "1"), PAWL_ESTATE);
        assert_string_equal(piped_status(p, "s"), "blocked");

        /* put back, they are what they were */
        memcpy(p->token, token, sizeof p->token);
        assert_int_equal(piped_critical_resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_null(pawl_context_input_diff(p->ctx));
}

PIPED_TEST(inputs_that_were_not_kept_change_without_a_diff)
{
        p->options.store_inputs = false;
        piped_pipeline(p);
        assert_ok(piped_critical(p, "s", plain));
        assert_int_equal(piped_critical_resume(p, "s", ambiguous), PAWL_EINPUTS);
        assert_string_equal(pawl_context_input_diff(p->ctx)->diff, "");
}

static pawl_status confirm(bool *yes, const pawl_input_change *change, void *user)
{
        const pawl_status *verdict = user;

        assert_false(*yes);
        assert_true(change->diff[0]);
        *yes = *verdict == PAWL_OK;
        return *verdict < 0 ? *verdict : PAWL_OK;
}

PIPED_TEST(changed_inputs_that_are_confirmed_start_again_at_layer_1)
{
        pawl_status verdict = PAWL_OK;

        p->options.confirm = confirm;
        p->options.confirm_user = &verdict;
        piped_pipeline(p);
        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        uint64_t head = piped_head(p);
        assert_ok(piped_critical_resume(p, "s", plain));
        assert_string_equal(
                piped_types(p, head), "StepResumed SemanticCheckEvaluated StepCheckpointed");
        pawl_text payload = pawl__text(piped_payload(p, "StepResumed", head, 0));
        assert_holds(payload, "\"inputs_changed\":true");
        assert_holds(payload, "\"confirmed_by\":\"user:ana\"");
        assert_string_equal(pawl_context_cursor(p->ctx), "");
        assert_ok(piped_complete(p, "1"));

        /* and the new inputs are kept: a later change is shown against them */
        assert_int_equal(piped_critical(p, "t", ambiguous), PAWL_BLOCKED);
        assert_int_equal(
                piped_critical_resume(p, "t", "{\"description\":\"a workspace of its own\"}"),
                PAWL_BLOCKED);
        verdict = PAWL_DONE; /* no */
        assert_int_equal(piped_critical_resume(p, "t", plain), PAWL_EINPUTS);
        assert_says(pawl_context_input_diff(p->ctx)->diff, "a workspace of its own");
}

PIPED_TEST(a_confirmation_that_fails_changes_nothing)
{
        pawl_status verdict = PAWL_EINTERRUPTED;

        p->options.confirm = confirm;
        p->options.confirm_user = &verdict;
        piped_pipeline(p);
        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        uint64_t head = piped_head(p);
        assert_int_equal(piped_critical_resume(p, "s", plain), PAWL_EINTERRUPTED);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "asking about the changed inputs failed");
        assert_int_equal(piped_head(p), head);
}

PIPED_TEST(an_answer_outlives_changed_inputs)
{
        pawl_status verdict = PAWL_OK;

        p->options.confirm = confirm;
        p->options.confirm_user = &verdict;
        piped_pipeline(p);
        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(piped_define(p, piped_conflict(p, 0), "Where refunds land"));
        assert_ok(piped_critical_resume(p, "s", "{\"prompt\":\"the workspace\"}"));
}
