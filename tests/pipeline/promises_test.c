/* What the library promises to a program that embeds it: a step goes on where it was under one
 * token, its inputs stay what passed the gate, it completes once, and its run ends once. */
#include "support/pipeline.h"
#include <pawl/query.h>

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char other[] = "{\"description\":\"the owner pays\"}";

static pawl_status again(struct piped *p, const char *inputs)
{
        piped_context(p, "s", inputs);
        return piped_run(p);
}

PIPED_TEST(an_interrupted_step_keeps_its_token)
{
        char first[37];

        assert_ok(again(p, plain));
        memcpy(first, p->token, sizeof first);
        for (int i = 0; i < 3; i++) {
                if (i < 2)
                        piped_reopen(p);
                else
                        assert_ok(pawl_pipeline_failed(p->pipeline, p->ctx, 1, "no"));
                const uint64_t head = piped_head(p);
                assert_ok(again(p, plain));
                assert_string_equal(pawl_context_retry_token(p->ctx), first);
                assert_string_equal(pawl_context_cursor(p->ctx), "post_gate");
                assert_holds(pawl__text(piped_types(p, head)), "StepResumed");
        }
        assert_ok(piped_complete(p, "1"));
}

PIPED_TEST(a_blocked_step_is_resumed_without_its_token)
{
        char first[37];

        assert_int_equal(piped_at_max(p, "{\"description\":\"the workspace\"}"), PAWL_BLOCKED);
        memcpy(first, p->token, sizeof first);
        piped_reopen(p);
        assert_int_equal(piped_at_max(p, "{\"description\":\"the workspace\"}"), PAWL_BLOCKED);
        assert_string_equal(p->token, first);
        assert_ok(piped_define(p, piped_conflict(p, 0), "where files are"));
        assert_ok(piped_at_max(p, "{\"description\":\"the workspace\"}"));
        assert_string_equal(pawl_context_cursor(p->ctx), "pre_generation_gate");
        assert_string_equal(p->token, first); /* of what it generates, too */
        assert_ok(pawl_pipeline_failed(p->pipeline, p->ctx, 1, "no"));
        piped_reopen(p);
        assert_ok(piped_at_max(p, "{\"description\":\"the workspace\"}"));
        assert_string_equal(p->token, first);
}

PIPED_TEST(changed_inputs_are_found_without_a_token)
{
        pawl_steps *steps;
        char token[37];

        assert_ok(again(p, plain));
        memcpy(token, p->token, sizeof token);
        piped_reopen(p);
        assert_int_equal(again(p, other), PAWL_EINPUTS);
        assert_holds(pawl__text(pawl_context_input_diff(p->ctx)->diff), "the owner pays");
        assert_ok(pawl_step_list(&steps, p->log, "r", false, &p->err));
        assert_text(steps->items[0].status, "unfinished"); /* nobody runs it */
        pawl_steps_free(steps);
        assert_ok(again(p, plain)); /* the refusal changed nothing */
        assert_string_equal(pawl_context_retry_token(p->ctx), token);

        piped_reopen(p);
        p->options.accept_inputs = true;
        piped_pipeline(p);
        assert_ok(again(p, other));
        assert_string_not_equal(pawl_context_retry_token(p->ctx), token);
}

PIPED_TEST(changed_inputs_of_a_completed_step_are_refused_or_run_it_again)
{
        char token[37];

        assert_ok(again(p, plain));
        memcpy(token, p->token, sizeof token);
        assert_ok(piped_complete(p, "\"first\""));
        for (int ended = 0; ended < 2; ended++) {
                piped_reopen(p);
                if (ended)
                        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
                const uint64_t head = piped_head(p);
                assert_int_equal(again(p, other), PAWL_EINPUTS);
                assert_holds(pawl__text(pawl_context_input_diff(p->ctx)->diff), "the owner pays");
                assert_null(pawl_context_output(p->ctx).data);
                assert_int_equal(again(p, plain), PAWL_DONE);
                assert_text(pawl_context_output(p->ctx), "\"first\"");
                assert_int_equal(piped_head(p), head);
        }
}

PIPED_TEST(accepted_inputs_run_a_completed_step_again)
{
        char token[37];

        assert_ok(again(p, plain));
        memcpy(token, p->token, sizeof token);
        assert_ok(piped_complete(p, "\"first\""));
        p->options.accept_inputs = true;
        piped_pipeline(p);
        const uint64_t head = piped_head(p);
        assert_ok(again(p, other));
        assert_string_not_equal(pawl_context_retry_token(p->ctx), token);
        assert_holds(pawl__text(piped_payload(p, "RunMissionChanged", head, 0)), "\"rerun\":[\"");
        assert_ok(piped_complete(p, "\"second\""));
        assert_int_equal(again(p, other), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "\"second\"");
        piped_replays(p);
}

static pawl_status set_all(pawl_context *ctx, size_t which)
{
        switch (which) {
        case 0:
                return pawl_context_set_inputs(ctx, other, strlen(other));
        case 1:
                return pawl_context_set_metadata(ctx, "{}", 2);
        case 2:
                return pawl_context_set_critical(ctx, true);
        case 3:
                return pawl_context_set_strictness(ctx, "off");
        default:
                return pawl_context_set_retry_token(ctx, "00000000-0000-4000-8000-000000000001");
        }
}

static pawl_status setting_layer(const pawl_layer *layer, pawl_context *ctx)
{
        size_t *refused = layer->user;

        for (size_t i = 0; i < 5; i++)
                *refused += set_all(ctx, i) == PAWL_ESTATE;
        return PAWL_OK;
}

PIPED_TEST(a_context_is_frozen_from_the_gate_to_the_end)
{
        size_t refused = 0;
        const pawl_layer layer = {"setting", setting_layer, &refused};

        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &layer));
        assert_ok(again(p, plain));
        assert_int_equal(refused, 5);
        for (size_t i = 0; i < 5; i++)
                assert_int_equal(set_all(p->ctx, i), PAWL_ESTATE);
        assert_says(pawl_context_errmsg(p->ctx), "step s: passed the gate and has not ended");
        assert_holds(pawl_context_inputs(p->ctx), "the tenant pays");
        assert_ok(piped_complete(p, "1"));
        assert_int_equal(refused, 10); /* the output's pass, too */
        for (size_t i = 0; i < 5; i++)
                assert_ok(set_all(p->ctx, i));
}

static pawl_context *second(struct piped *p)
{
        pawl_context *b;

        assert_ok(pawl_context_new(&b, "m", "r", "s", NULL));
        assert_ok(pawl_context_set_inputs(b, plain, strlen(plain)));
        assert_ok(pawl_pipeline_run(p->pipeline, b));
        return b;
}

static void complete_twice(struct piped *p, bool deferred)
{
        p->options.defer_completion = deferred;
        piped_pipeline(p);
        assert_ok(again(p, plain));
        pawl_context *b = second(p);
        assert_ok(piped_complete(p, "\"first\""));
        assert_int_equal(pawl_pipeline_complete(p->pipeline, b, "2", 1), PAWL_ESTATE);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, b, "2", 1), PAWL_ESTATE);
        assert_int_equal(pawl_pipeline_failed(p->pipeline, b, 1, "no"), PAWL_ESTATE);
        pawl_context_free(b);
        assert_int_equal(again(p, plain), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "\"first\"");
}

PIPED_TEST(a_step_completes_once)
{
        complete_twice(p, false);
}

PIPED_TEST(a_step_whose_completion_waits_completes_once)
{
        complete_twice(p, true);
}

PIPED_TEST(a_step_fails_once_and_then_cannot_complete)
{
        assert_ok(again(p, plain));
        pawl_context *b = second(p);
        assert_ok(pawl_pipeline_failed(p->pipeline, p->ctx, 1, "no"));
        assert_int_equal(pawl_pipeline_complete(p->pipeline, b, "2", 1), PAWL_ESTATE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "has ended since");
        assert_string_equal(piped_status(p, "s"), "failed");
        assert_ok(pawl_pipeline_run(p->pipeline, b)); /* passed again, it may */
        assert_ok(pawl_pipeline_complete(p->pipeline, b, "2", 1));
        pawl_context_free(b);
}

PIPED_TEST(a_run_ends_after_a_crash)
{
        assert_ok(again(p, plain));
        assert_ok(piped_complete(p, "1"));
        piped_reopen(p);
        assert_int_equal(again(p, plain), PAWL_DONE);
        uint64_t head = piped_head(p);
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
        assert_string_equal(piped_types(p, head), "RunClaimed RunCompleted");
        head = piped_head(p);
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
        piped_reopen(p);
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", "no"), PAWL_ESTATE);
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "other", NULL), PAWL_ENOTFOUND);
        assert_int_equal(piped_head(p), head);
}

PIPED_TEST(a_run_with_open_steps_does_not_complete)
{
        assert_ok(again(p, plain));
        assert_ok(pawl_pipeline_failed(p->pipeline, p->ctx, 1, "no"));
        piped_context(p, "t", plain);
        assert_ok(piped_run(p));
        for (int reopened = 0; reopened < 2; reopened++) {
                const uint64_t head = piped_head(p);
                assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", NULL), PAWL_ESTATE);
                assert_says(pawl_pipeline_errmsg(p->pipeline), "s (failed), t (running)");
                assert_true(piped_head(p) <= head + 1); /* a claim, which was given back */
                piped_reopen(p);
        }
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", "no"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", "no"));
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", NULL), PAWL_ESTATE);
        assert_ok(again(p, plain));
        assert_ok(piped_complete(p, "1"));
        piped_context(p, "t", plain);
        assert_ok(piped_run(p));
        assert_ok(piped_complete(p, "1"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
}
