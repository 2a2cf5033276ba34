/* The output: its form, the check over it, and the gate at strictness max. */
#include "support/pipeline.h"
#include <sqlite3.h>

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

PIPED_TEST(at_max_an_output_with_a_conflict_is_kept_and_held)
{
        char conflict[17], gate_token[37];

        assert_ok(piped_at_max(p, plain));
        memcpy(gate_token, p->token, sizeof gate_token);
        uint64_t head = piped_head(p);
        assert_int_equal(piped_complete(p, "\"the workspace is ready\""), PAWL_BLOCKED);
        assert_string_equal(piped_types(p, head),
                "TermCandidateObserved SemanticCheckEvaluated StepCheckpointed "
                "GenerationBlockedBySemanticConflict GlossaryClarificationRequested");
        assert_holds(pawl__text(piped_payload(p, "StepCheckpointed", head, 0)),
                "\"cursor\":\"post_generation\"");
        assert_holds(pawl__text(piped_payload(p, "GlossaryClarificationRequested", head, 0)),
                "\"phase\":\"output\"");
        assert_string_equal(piped_status(p, "s"), "blocked");
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        memcpy(p->token, pawl_context_retry_token(p->ctx), sizeof p->token);
        assert_string_equal(p->token, gate_token);
        assert_int_equal(piped_complete(p, "\"again\""), PAWL_ESTATE);

        piped_reopen(p);
        head = piped_head(p);
        assert_int_equal(piped_critical_resume(p, "s", plain), PAWL_BLOCKED);
        assert_string_equal(piped_types(p, head),
                "RunClaimed StepResumed StepCheckpointed GenerationBlockedBySemanticConflict");
        assert_string_equal(piped_conflict(p, 0), conflict);
        assert_ok(piped_define(p, conflict, "Where refunds land"));

        piped_reopen(p);
        head = piped_head(p);
        /* the token of the command that has run leads to its output, not to the command */
        memcpy(p->token, gate_token, sizeof p->token);
        assert_int_equal(piped_critical_resume(p, "s", plain), PAWL_DONE);
        assert_string_equal(piped_types(p, head), "RunClaimed StepResumed StepCompleted");
        assert_text(pawl_context_output(p->ctx), "\"the workspace is ready\"");
        assert_string_equal(piped_status(p, "s"), "completed");
}

/* One that contradicts a definition goes on only by an answer: the glossary cannot mend the text.
 */
PIPED_TEST(a_contradicting_output_passes_once_its_conflict_is_answered)
{
        pawl_answer pick = {.pick = 1};

        assert_ok(piped_at_max(p, plain));
        assert_int_equal(piped_complete(p, "\"A tenant is not a customer.\""), PAWL_BLOCKED);
        assert_text(pawl_context_conflict(p->ctx, 0)->conflict_type, "inconsistent");
        memcpy(p->token, pawl_context_retry_token(p->ctx), sizeof p->token);
        assert_ok(pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, NULL, &p->err));
        assert_int_equal(piped_critical_resume(p, "s", plain), PAWL_DONE);
}

/* The token of the command stays the one to resume with. */
PIPED_TEST(an_output_that_could_not_be_kept_is_not_checkpointed)
{
        sqlite3 *lock;
        char token[37];

        p->log_options.busy_ms = 20;
        piped_reopen(p);
        assert_ok(piped_at_max(p, plain));
        memcpy(token, p->token, sizeof token);
        needs_file();
        assert_int_equal(sqlite3_open(p->db, &lock), SQLITE_OK);
        assert_int_equal(sqlite3_exec(lock, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(piped_complete(p, "\"the workspace is ready\""), PAWL_EBUSY);
        sqlite3_close(lock);
        assert_string_equal(pawl_context_retry_token(p->ctx), token);
        assert_int_equal(piped_complete(p, "\"the workspace is ready\""), PAWL_BLOCKED);
        assert_string_equal(pawl_context_retry_token(p->ctx), token);
}

PIPED_TEST(at_medium_an_output_with_a_conflict_completes)
{
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_ok(piped_complete(p, "\"the workspace is ready\""));
        assert_string_equal(
                piped_types(p, head), "TermCandidateObserved SemanticCheckEvaluated StepCompleted");
}

PIPED_TEST(an_output_is_asked_about_in_the_same_session)
{
        const pawl_answer answers[] = {{.pick = 1}};

        p->options.clarify = script_answer;
        p->script.answers = answers;
        p->script.n = 1;
        piped_pipeline(p);
        assert_ok(piped_at_max(p, plain));
        uint64_t head = piped_head(p);
        assert_ok(piped_complete(p, "\"the workspace is ready\""));
        assert_string_equal(piped_types(p, head),
                "TermCandidateObserved SemanticCheckEvaluated StepCheckpointed "
                "GenerationBlockedBySemanticConflict GlossaryClarificationRequested "
                "GlossaryClarificationResolved StepCheckpointed StepResumed StepCompleted");
        assert_holds(pawl__text(piped_payload(p, "StepResumed", head, 0)),
                "\"cursor\":\"post_generation\"");
        assert_string_equal(piped_status(p, "s"), "completed");
}

PIPED_TEST(an_output_is_json_or_else_a_string)
{
        static const struct {
                const char *output, *canonical;
        } cases[] = {
                {"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"},
                {" 12.50\n", "12.5"},
                {"", "\"\""},
                {"two words\n", "\"two words\\n\""},
                {"{\"a\":1,\"a\":2}", "\"{\\\"a\\\":1,\\\"a\\\":2}\""},
                {"1 2", "\"1 2\""},
        };
        char step[8];

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                snprintf(step, sizeof step, "s%zu", i);
                assert_ok(piped_critical(p, step, plain));
                assert_ok(piped_complete(p, cases[i].output));
                assert_text(pawl_context_output(p->ctx), cases[i].canonical);
                assert_int_equal(piped_critical(p, step, plain), PAWL_DONE);
                assert_text(pawl_context_output(p->ctx), cases[i].canonical);
        }
}

PIPED_TEST(an_output_that_is_not_utf_8_is_refused_and_the_step_fails)
{
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "ab\xff", 3), PAWL_EPARSE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "step s: output: byte 2 is not valid UTF-8");
        assert_int_equal(piped_head(p), head);
        assert_ok(pawl_pipeline_failed(p->pipeline, p->ctx, 137, "killed"));
        pawl_text payload = pawl__text(piped_payload(p, "StepFailed", head, 0));
        assert_holds(payload, "\"reason\":\"killed\"");
        assert_holds(payload, "\"exit_code\":137");
        assert_holds(payload, pawl_context_input_hash(p->ctx));
        assert_string_equal(piped_status(p, "s"), "failed");
        assert_int_equal(pawl_pipeline_failed(p->pipeline, p->ctx, 1, NULL), PAWL_ESTATE);

        /* it goes on at the command, under the same key */
        char token[37];
        memcpy(token, p->token, sizeof token);
        assert_ok(piped_critical_resume(p, "s", plain));
        assert_string_equal(p->token, token);
}

PIPED_TEST(a_completion_may_wait_for_the_next_commit)
{
        p->options.defer_completion = true;
        piped_pipeline(p);
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_ok(piped_complete(p, "1"));
        assert_int_equal(piped_head(p), head);
        assert_int_equal(piped_critical(p, "t", ambiguous), PAWL_BLOCKED);
        assert_string_equal(
                piped_types(p, head), "SemanticCheckEvaluated StepCompleted " TYPES_BLOCKED);

        /* it survives a pass that fails after it, */
        assert_ok(piped_critical(p, "u", plain));
        head = piped_head(p);
        assert_ok(piped_complete(p, "2"));
        strcpy(p->token, "ffffffff-0000-4000-8000-000000000000");
        assert_int_equal(piped_critical_resume(p, "v", plain), PAWL_ENOTFOUND);
        assert_int_equal(piped_head(p), head);
        assert_ok(pawl_pipeline_flush(p->pipeline));
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");

        /* and a step whose completion waits is not run again. */
        assert_ok(piped_critical(p, "w", plain));
        assert_ok(piped_complete(p, "3"));
        assert_int_equal(piped_critical(p, "w", plain), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "3");
}
