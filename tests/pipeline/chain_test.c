/* The chain over a real log: what is written, in which transaction, and where a resume goes on. */
#include "base/error.h"
#include "pipeline/object.h"
#include "support/pipeline.h"
#include <sqlite3.h>

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

PIPED_TEST(a_step_without_conflicts_passes_and_completes)
{
        assert_ok(piped_critical(p, "s", plain));
        assert_string_equal(piped_types(p, 0), TYPES_SEEDED TYPES_CHECKED);
        assert_string_equal(pawl_context_cursor(p->ctx), "");
        assert_string_equal(piped_status(p, "s"), "running");
        uint64_t head = piped_head(p);
        assert_ok(piped_complete(p, " {\"output\": \"done\"} "));
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");
        assert_holds(pawl__text(piped_payload(p, "StepCompleted", head, 0)), "\"exit_code\":0");
        assert_text(pawl_context_output(p->ctx), "{\"output\":\"done\"}");
        assert_string_equal(piped_status(p, "s"), "completed");
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
        assert_holds(pawl__text(piped_types(p, head)), "RunCompleted");
}

PIPED_TEST(a_blocked_step_is_resolved_elsewhere_and_resumed)
{
        char conflict[17], blocked_token[37];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_string_equal(piped_types(p, 0), TYPES_SEEDED TYPES_BLOCKED);
        assert_says(
                pawl_pipeline_errmsg(p->pipeline), "step s: blocked by 1 unresolved conflict; ");
        assert_says(pawl_pipeline_errmsg(p->pipeline), "; answer, then run it again");
        assert_string_equal(piped_status(p, "s"), "blocked");
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        memcpy(blocked_token, p->token, sizeof blocked_token);
        assert_int_equal(piped_complete(p, "\"smuggled\""), PAWL_ESTATE);

        uint64_t head = piped_head(p);
        assert_ok(piped_define(p, conflict, "Where refunds land"));
        assert_string_equal(
                piped_types(p, head), "GlossarySenseUpdated GlossaryClarificationResolved");

        piped_reopen(p);
        head = piped_head(p);
        assert_ok(piped_critical_resume(p, "s", ambiguous));
        assert_string_equal(piped_types(p, head), "RunClaimed StepResumed StepCheckpointed");
        assert_string_equal(pawl_context_cursor(p->ctx), "pre_generation_gate");
        assert_string_equal(p->token, blocked_token);
        pawl_text resumed = pawl__text(piped_payload(p, "StepResumed", head, 0));
        assert_holds(resumed, blocked_token);
        assert_holds(resumed, "\"inputs_changed\":false");
        assert_string_equal(piped_status(p, "s"), "running");
        assert_ok(piped_complete(p, "plain text\n"));
        assert_text(pawl_context_output(p->ctx), "\"plain text\\n\"");
}

/* The pipeline that was blocked lives on, and takes up the answer without being opened again. */
PIPED_TEST(the_same_pipeline_resumes_too)
{
        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(piped_define(p, piped_conflict(p, 0), "Where refunds land"));
        assert_ok(piped_critical_resume(p, "s", ambiguous));
        /* and another step of the mission is not asked again */
        assert_ok(piped_critical(p, "t", ambiguous));
}

PIPED_TEST(a_step_that_is_not_answered_blocks_again_with_the_same_conflict)
{
        char conflict[17];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        piped_reopen(p);
        uint64_t head = piped_head(p);
        assert_int_equal(piped_critical_resume(p, "s", ambiguous), PAWL_BLOCKED);
        /* nothing changed: the request that is there stands, and an answer to it that is signed */
        assert_string_equal(piped_types(p, head),
                "RunClaimed StepResumed StepCheckpointed GenerationBlockedBySemanticConflict");
        assert_string_equal(piped_conflict(p, 0), conflict);
}

PIPED_TEST(a_step_that_died_at_its_command_keeps_its_token)
{
        char token[37];

        assert_ok(piped_critical(p, "s", plain));
        memcpy(token, p->token, sizeof token);
        for (int time = 0; time < 2; time++) {
                piped_reopen(p);
                uint64_t head = piped_head(p);
                assert_ok(piped_critical_resume(p, "s", plain));
                assert_string_equal(piped_types(p, head), "RunClaimed StepResumed");
                assert_string_equal(pawl_context_retry_token(p->ctx), token);
                assert_string_equal(pawl_context_cursor(p->ctx), "post_gate");
        }
        assert_ok(piped_complete(p, "1"));
}

PIPED_TEST(the_token_of_the_block_leads_to_the_command_that_was_interrupted)
{
        char blocked_token[37], gate_token[37];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(blocked_token, p->token, sizeof blocked_token);
        assert_ok(piped_define(p, piped_conflict(p, 0), "Where refunds land"));
        assert_ok(piped_critical_resume(p, "s", ambiguous));
        memcpy(gate_token, p->token, sizeof gate_token);
        piped_reopen(p);
        memcpy(p->token, blocked_token, sizeof p->token);
        assert_ok(piped_critical_resume(p, "s", ambiguous));
        assert_string_equal(pawl_context_retry_token(p->ctx), gate_token);
        assert_string_equal(pawl_context_cursor(p->ctx), "post_gate");
}

PIPED_TEST(a_resolved_step_goes_on_in_the_same_session)
{
        const pawl_answer answers[] = {{.pick = 2}};

        p->options.clarify = script_answer;
        p->script.answers = answers;
        p->script.n = 1;
        piped_pipeline(p);
        assert_ok(piped_critical(p, "s", ambiguous));
        assert_string_equal(piped_types(p, 0), TYPES_SEEDED TYPES_BLOCKED
                " GlossaryClarificationResolved StepCheckpointed StepResumed "
                "StepCheckpointed");
        assert_string_equal(piped_status(p, "s"), "running");
        assert_int_equal(pawl_context_conflicts(p->ctx), 0);
        assert_string_equal(pawl_context_cursor(p->ctx), "");
        assert_ok(piped_complete(p, "1"));
}

static pawl_status refuse_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        (void)log, (void)batch;
        ++*(int *)user;
        return pawl__fail(err, PAWL_EINPUTS, "a file: changed while it was read; try again");
}

/* What was to go between the events of two steps holds nothing of them back. */
PIPED_TEST(a_commit_goes_without_what_cannot_go_along)
{
        int calls = 0;

        p->options.defer_completion = true;
        piped_pipeline(p);
        piped_context(p, "one", plain);
        assert_ok(piped_run(p));
        assert_ok(piped_complete(p, "1")); /* waits in the batch */
        p->pipeline->batch.prepare = refuse_fill;
        p->pipeline->batch.prepare_user = &calls;
        p->pipeline->batch.prepare_between = true;
        p->pipeline->batch.n_before = p->pipeline->batch.n;
        piped_context(p, "two", plain);
        assert_ok(piped_run(p));
        assert_int_equal(calls, 1);
        assert_null(p->pipeline->batch.prepare);
        assert_string_equal(piped_status(p, "one"), "completed");
        assert_string_equal(piped_status(p, "two"), "running");
}

PIPED_TEST(an_unknown_token_is_an_error_and_writes_nothing)
{
        strcpy(p->token, "ffffffff-0000-4000-8000-000000000000");
        assert_int_equal(piped_critical_resume(p, "s", plain), PAWL_ENOTFOUND);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "ffffffff-0000-4000-8000-000000000000");
        assert_int_equal(piped_head(p), 0);
        assert_int_equal(piped_complete(p, "1"), PAWL_ESTATE);
}

PIPED_TEST(a_token_of_another_step_is_refused)
{
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_int_equal(piped_critical_resume(p, "t", plain), PAWL_EINVAL);
        assert_says(pawl_pipeline_errmsg(p->pipeline),
                "belongs to step s of run r of mission m, not to step t of run r");
        assert_int_equal(piped_head(p), head);
}

PIPED_TEST(a_step_that_completed_is_not_run_again)
{
        assert_ok(piped_critical(p, "s", plain));
        assert_ok(piped_complete(p, "[42]"));
        uint64_t head = piped_head(p);
        assert_int_equal(piped_critical_resume(p, "s", plain), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "[42]");
        assert_int_equal(piped_complete(p, "[43]"), PAWL_ESTATE);
        assert_int_equal(piped_head(p), head);
        /* in another process neither claim nor event is needed */
        piped_reopen(p);
        assert_int_equal(piped_critical_resume(p, "s", plain), PAWL_DONE);
        assert_int_equal(piped_head(p), head);
}

PIPED_TEST(the_strictness_of_the_checkpoint_is_kept)
{
        assert_int_equal(piped_at_max(p, "{\"description\":\"a \\\"zeta\\\"\"}"), PAWL_BLOCKED);
        piped_context(p, "s", "{\"description\":\"a \\\"zeta\\\"\"}");
        assert_ok(pawl_context_set_strictness(p->ctx, "off"));
        assert_ok(pawl_context_set_retry_token(p->ctx, p->token));
        assert_int_equal(piped_run(p), PAWL_BLOCKED);
        assert_int_equal(p->ctx->effective, PAWL__STRICTNESS_MAX);
}

PIPED_TEST(the_seed_that_a_run_started_with_holds_to_its_end)
{
        static const char changed[] = "terms: [{surface: workspace, definition: Only this}]\n";

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        file_write(p->seed, changed, sizeof changed - 1);
        piped_reopen(p);
        assert_int_equal(piped_critical_resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(pawl_context_conflict(p->ctx, 0)->n_candidates, 2);
        piped_context(p, "t", ambiguous);
        pawl_context_set_critical(p->ctx, true);
        assert_int_equal(piped_run(p), PAWL_BLOCKED);
}

static sqlite3 *lock_log(struct piped *p)
{
        sqlite3 *db;

        needs_file();
        assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        return db;
}

PIPED_TEST(without_its_commit_nothing_is_generated)
{
        p->log_options.busy_ms = 20;
        piped_reopen(p);
        assert_ok(piped_critical(p, "s", plain));
        assert_ok(piped_complete(p, "1"));
        uint64_t head = piped_head(p);
        sqlite3 *lock = lock_log(p);
        assert_int_equal(piped_critical(p, "t", plain), PAWL_EBUSY);
        assert_null(pawl_context_retry_token(p->ctx));
        assert_true(pawl_pipeline_errmsg(p->pipeline)[0]);
        assert_int_equal(piped_complete(p, "1"), PAWL_ESTATE);
        sqlite3_close(lock);
        assert_int_equal(piped_head(p), head);
        /* nothing of the pass that failed is left for the next commit */
        assert_ok(piped_critical(p, "u", plain));
        assert_string_equal(piped_types(p, head), TYPES_CHECKED);

        /* and an output whose commit failed may be given again */
        head = piped_head(p);
        lock = lock_log(p);
        assert_int_equal(piped_complete(p, "1"), PAWL_EBUSY);
        assert_null(pawl_context_output(p->ctx).data);
        sqlite3_close(lock);
        assert_int_equal(piped_head(p), head);
        assert_ok(piped_complete(p, "2"));
        assert_text(pawl_context_output(p->ctx), "2");
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");
}

PIPED_TEST(options_and_seeds_are_checked)
{
        pawl_pipeline *pipeline = NULL;
        pawl_pipeline_options options = PAWL_PIPELINE_OPTIONS_INIT;

        options.version = 9;
        assert_int_equal(pawl_pipeline_new(&pipeline, p->log, &options, &p->err), PAWL_EINVAL);
        assert_says(p->err.message, "version 9 is not known");
        options.version = PAWL_PIPELINE_OPTIONS_VERSION;
        options.actor = "a/b";
        assert_int_equal(pawl_pipeline_new(&pipeline, p->log, &options, &p->err), PAWL_EINVAL);
        assert_says(p->err.message, "actor \"a/b\"");
        assert_null(pipeline);
        assert_int_equal(pawl_pipeline_seed(p->pipeline, "world", p->seed), PAWL_EINVAL);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "scope \"world\": is not known");
        assert_int_equal(pawl_pipeline_seed(p->pipeline, "team_domain", p->seed), PAWL_EEXISTS);
        assert_int_equal(pawl_pipeline_seed(p->pipeline, "core", "/nowhere.yaml"), PAWL_ENOTFOUND);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "/nowhere.yaml");
        pawl_pipeline_free(NULL);
}
