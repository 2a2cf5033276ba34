#include "support/pipeline.h"

ALONE_TEST(ids_are_checked)
{
        static const struct {
                const char *mission, *run, *step, *says;
        } cases[] = {
                {"", "r", "s", "mission id"},
                {"m", "a/b", "s", "run id"},
                {"m", "r", "a\nb", "step id"},
                {"m", "r", NULL, "step id"},
        };
        pawl_error err = PAWL_ERROR_INIT;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl_context *ctx = NULL;
                assert_int_equal(
                        pawl_context_new(&ctx, cases[i].mission, cases[i].run, cases[i].step, &err),
                        PAWL_EINVAL);
                assert_says(err.message, cases[i].says);
                assert_null(ctx);
        }
}

ALONE_TEST(inputs_that_are_not_set_are_an_empty_object)
{
        assert_text(pawl_context_inputs(a->ctx), "{}");
        assert_string_equal(pawl_context_input_hash(a->ctx),
                "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
}

ALONE_TEST(inputs_are_kept_in_canonical_form)
{
        alone_inputs(a, " {\"b\": 1.0, \"a\":[ ]} ");
        assert_text(pawl_context_inputs(a->ctx), "{\"a\":[],\"b\":1}");
}

ALONE_TEST(inputs_that_are_refused_leave_the_former_ones)
{
        char hash[65];

        alone_inputs(a, "[1]");
        memcpy(hash, pawl_context_input_hash(a->ctx), sizeof hash);
        assert_int_equal(pawl_context_set_inputs(a->ctx, "{\"a\":1,\"a\":2}", 13), PAWL_EPARSE);
        assert_says(pawl_context_errmsg(a->ctx), "step s: inputs: line 1, column");
        assert_text(pawl_context_inputs(a->ctx), "[1]");
        assert_string_equal(pawl_context_input_hash(a->ctx), hash);
}

ALONE_TEST(strictness_and_token_are_checked)
{
        assert_ok(pawl_context_set_strictness(a->ctx, "max"));
        assert_int_equal(pawl_context_set_strictness(a->ctx, "strict"), PAWL_EINVAL);
        assert_says(
                pawl_context_errmsg(a->ctx), "\"strict\": is not known; use off, medium or max");
        assert_int_equal(a->ctx->runtime_strictness, PAWL__STRICTNESS_MAX);
        assert_int_equal(pawl_context_set_retry_token(a->ctx, "no-token"), PAWL_EINVAL);
        assert_says(pawl_context_errmsg(a->ctx), "not of a token's form");
        assert_int_equal(pawl_context_set_retry_token(a->ctx, NULL), PAWL_EINVAL);
        assert_string_equal(a->ctx->token, "");
        assert_ok(pawl_context_set_retry_token(a->ctx, "00000000-0000-4000-8000-000000000001"));
        assert_string_equal(a->ctx->token, "00000000-0000-4000-8000-000000000001");
}

ALONE_TEST(metadata_that_is_refused_leaves_the_former)
{
        static const char good[] = "{\"glossary_watch_terms\":[\"tenant\"]}";
        static const char bad[] = "{\"glossary_watch_terms\":\"tenant\"}";

        assert_ok(pawl_context_set_metadata(a->ctx, good, sizeof good - 1));
        assert_int_equal(pawl_context_set_metadata(a->ctx, bad, sizeof bad - 1), PAWL_EINVAL);
        assert_says(pawl_context_errmsg(a->ctx), "step s: metadata.glossary_watch_terms");
        assert_int_equal(a->ctx->metadata.n_watch_terms, 1);
}

ALONE_TEST(before_a_pass_there_is_nothing_to_show)
{
        assert_null(pawl_context_retry_token(a->ctx));
        assert_int_equal(pawl_context_conflicts(a->ctx), 0);
        assert_null(pawl_context_conflict(a->ctx, 0));
        assert_null(pawl_context_input_diff(a->ctx));
        assert_null(pawl_context_output(a->ctx).data);
        assert_string_equal(pawl_context_cursor(a->ctx), "");
}

ALONE_TEST(a_layers_event_gets_the_contexts_ids)
{
        static const char payload[] = "{\"status\":\"completed\"}";

        assert_ok(pawl_context_emit(a->ctx, "SessionEnded", payload, sizeof payload - 1));
        const pawl_event *event = &a->batch.events[0];
        assert_text(event->type, "SessionEnded");
        assert_text(event->mission_id, "m");
        assert_text(event->run_id, "r");
        assert_text(event->step_id, "s");
        assert_text(event->actor, "user:ana");
        assert_int_equal(event->v, 2);
}

ALONE_TEST(a_layers_event_must_be_of_its_types_form)
{
        static const struct {
                const char *type, *payload;
                pawl_status status;
                const char *says;
        } cases[] = {
                {"SessionEnded", "{}", PAWL_EINVAL, "payload.status: is missing"},
                {"SessionEnded", "[]", PAWL_EINVAL, "is no JSON object"},
                {"SessionEnded", "{", PAWL_EPARSE, "event SessionEnded: line 1"},
                {"Weather", "{}", PAWL_EINVAL, "event type \"Weather\": is not known"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                assert_int_equal(pawl_context_emit(a->ctx, cases[i].type, cases[i].payload,
                                         strlen(cases[i].payload)),
                        cases[i].status);
                assert_says(pawl_context_errmsg(a->ctx), cases[i].says);
        }
        a->ctx->batch = NULL;
        assert_int_equal(pawl_context_emit(a->ctx, "SessionStarted", "{}", 2), PAWL_ESTATE);
        assert_says(pawl_context_errmsg(a->ctx), "no pass is under way");
        assert_int_equal(a->batch.n, 0);
}

ALONE_TEST(a_conflicts_id_depends_on_run_step_phase_and_term_alone)
{
        pawl_context *other;
        char first[17], second[17];

        assert_ok(pawl__conflict_id(first, a->ctx, pawl__text("term")));
        assert_int_equal(strlen(first), 16);
        alone_inputs(a, "[\"changed\"]");
        assert_ok(pawl__conflict_id(second, a->ctx, pawl__text("term")));
        assert_string_equal(first, second);

        assert_ok(pawl__conflict_id(second, a->ctx, pawl__text("terms")));
        assert_string_not_equal(first, second);
        a->ctx->phase = PAWL__ON_OUTPUT;
        assert_ok(pawl__conflict_id(second, a->ctx, pawl__text("term")));
        assert_string_not_equal(first, second);
        /* run "r" and step "s" are not run "rs" and no step */
        assert_ok(pawl_context_new(&other, "m", "rs", "s", NULL));
        assert_ok(pawl__conflict_id(second, other, pawl__text("term")));
        assert_string_not_equal(first, second);
        pawl_context_free(other);
}

ALONE_TEST(a_layer_says_why_it_failed)
{
        assert_int_equal(pawl_context_fail(a->ctx, PAWL_EIO, "100 % gone"), PAWL_EIO);
        assert_string_equal(pawl_context_errmsg(a->ctx), "100 % gone");
}
