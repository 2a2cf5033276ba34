/* The chain over a real log: what is written, in which transaction, and where a resume goes on. */
#include "support/pipeline.h"
#include <sqlite3.h>

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

#define SEEDED                                                                                     \
        "RunClaimed RunStarted GlossaryScopeActivated GlossarySenseUpdated GlossarySenseUpdated "  \
        "GlossarySenseUpdated "
#define CHECKED "StepStarted SemanticCheckEvaluated StepCheckpointed"
#define BLOCKED                                                                                    \
        "StepStarted TermCandidateObserved SemanticCheckEvaluated StepCheckpointed "               \
        "GenerationBlockedBySemanticConflict GlossaryClarificationRequested"

static pawl_status complete(struct piped *p, const char *output)
{
        return pawl_pipeline_complete(p->pipeline, p->ctx, output, strlen(output));
}

/* A critical step over these inputs. */
static pawl_status run(struct piped *p, const char *step, const char *inputs)
{
        piped_context(p, step, inputs);
        pawl_context_set_critical(p->ctx, true);
        return piped_run(p);
}

static pawl_status resume(struct piped *p, const char *step, const char *inputs)
{
        piped_context(p, step, inputs);
        pawl_context_set_critical(p->ctx, true);
        assert_int_equal(pawl_context_set_retry_token(p->ctx, p->token), PAWL_OK);
        return piped_run(p);
}

static void a_step_without_conflicts_passes_and_completes(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        assert_string_equal(piped_types(p, 0), SEEDED CHECKED);
        assert_string_equal(pawl_context_cursor(p->ctx), "");
        assert_string_equal(piped_status(p, "s"), "running");
        uint64_t head = piped_head(p);
        assert_int_equal(complete(p, " {\"output\": \"done\"} "), PAWL_OK);
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");
        assert_holds(pawl__text(piped_payload(p, "StepCompleted", head, 0)), "\"exit_code\":0");
        assert_text(pawl_context_output(p->ctx), "{\"output\":\"done\"}");
        assert_string_equal(piped_status(p, "s"), "completed");
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", NULL), PAWL_OK);
        assert_holds(pawl__text(piped_types(p, head)), "RunCompleted");
        piped_replays(p);
}

static void a_blocked_step_is_resolved_elsewhere_and_resumed(void **state)
{
        struct piped *p = *state;
        char conflict[17], blocked_token[37];

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        assert_string_equal(piped_types(p, 0), SEEDED BLOCKED);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "step s: held by 1 unresolved conflict; ");
        assert_says(pawl_pipeline_errmsg(p->pipeline), p->token);
        assert_string_equal(piped_status(p, "s"), "blocked");
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        memcpy(blocked_token, p->token, sizeof blocked_token);
        assert_int_equal(complete(p, "\"smuggled\""), PAWL_ESTATE);

        uint64_t head = piped_head(p);
        assert_int_equal(piped_define(p, conflict, "Where refunds land"), PAWL_OK);
        assert_string_equal(
                piped_types(p, head), "GlossarySenseUpdated GlossaryClarificationResolved");

        piped_reopen(p);
        head = piped_head(p);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_OK);
        assert_string_equal(piped_types(p, head), "RunClaimed StepResumed StepCheckpointed");
        assert_string_equal(pawl_context_cursor(p->ctx), "pre_generation_gate");
        assert_string_not_equal(p->token, blocked_token);
        pawl_text resumed = pawl__text(piped_payload(p, "StepResumed", head, 0));
        assert_holds(resumed, blocked_token);
        assert_holds(resumed, "\"inputs_changed\":false");
        assert_string_equal(piped_status(p, "s"), "running");
        assert_int_equal(complete(p, "plain text\n"), PAWL_OK);
        assert_text(pawl_context_output(p->ctx), "\"plain text\\n\"");
        piped_replays(p);
}

/* The pipeline that was blocked lives on, and takes up the answer without being opened again. */
static void the_same_pipeline_resumes_too(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(piped_define(p, piped_conflict(p, 0), "Where refunds land"), PAWL_OK);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_OK);
        /* and another step of the mission is not asked again */
        assert_int_equal(run(p, "t", ambiguous), PAWL_OK);
}

static void a_step_that_is_not_answered_blocks_again_with_the_same_conflict(void **state)
{
        struct piped *p = *state;
        char conflict[17];

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        piped_reopen(p);
        uint64_t head = piped_head(p);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_string_equal(piped_types(p, head),
                "RunClaimed StepResumed StepCheckpointed GenerationBlockedBySemanticConflict "
                "GlossaryClarificationRequested");
        assert_string_equal(piped_conflict(p, 0), conflict);
        piped_replays(p);
}

static void a_step_that_died_at_its_command_keeps_its_token(void **state)
{
        struct piped *p = *state;
        char token[37];

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        memcpy(token, p->token, sizeof token);
        for (int time = 0; time < 2; time++) {
                piped_reopen(p);
                uint64_t head = piped_head(p);
                assert_int_equal(resume(p, "s", plain), PAWL_OK);
                assert_string_equal(piped_types(p, head), "RunClaimed StepResumed");
                assert_string_equal(pawl_context_retry_token(p->ctx), token);
                assert_string_equal(pawl_context_cursor(p->ctx), "post_gate");
        }
        assert_int_equal(complete(p, "1"), PAWL_OK);
}

static void the_token_of_the_block_leads_to_the_command_that_was_interrupted(void **state)
{
        struct piped *p = *state;
        char blocked_token[37], gate_token[37];

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(blocked_token, p->token, sizeof blocked_token);
        assert_int_equal(piped_define(p, piped_conflict(p, 0), "Where refunds land"), PAWL_OK);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_OK);
        memcpy(gate_token, p->token, sizeof gate_token);
        piped_reopen(p);
        memcpy(p->token, blocked_token, sizeof p->token);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_OK);
        assert_string_equal(pawl_context_retry_token(p->ctx), gate_token);
        assert_string_equal(pawl_context_cursor(p->ctx), "post_gate");
}

static void changed_inputs_are_refused(void **state)
{
        struct piped *p = *state;
        char token[37];

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(token, p->token, sizeof token);
        uint64_t head = piped_head(p);
        assert_int_equal(
                resume(p, "s", "{\"description\":\"Refunds are paid out\"}"), PAWL_EINPUTS);
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
        assert_int_equal(complete(p, "1"), PAWL_ESTATE);
        assert_string_equal(piped_status(p, "s"), "blocked");

        /* put back, they are what they were */
        memcpy(p->token, token, sizeof p->token);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_null(pawl_context_input_diff(p->ctx));
}

static void inputs_that_were_not_kept_change_without_a_diff(void **state)
{
        struct piped *p = *state;

        p->options.store_inputs = false;
        piped_pipeline(p);
        assert_int_equal(run(p, "s", plain), PAWL_OK);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_EINPUTS);
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

static void changed_inputs_that_are_confirmed_start_again_at_layer_1(void **state)
{
        struct piped *p = *state;
        pawl_status verdict = PAWL_OK;

        p->options.confirm = confirm;
        p->options.confirm_user = &verdict;
        piped_pipeline(p);
        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        uint64_t head = piped_head(p);
        assert_int_equal(resume(p, "s", plain), PAWL_OK);
        assert_string_equal(
                piped_types(p, head), "StepResumed SemanticCheckEvaluated StepCheckpointed");
        pawl_text payload = pawl__text(piped_payload(p, "StepResumed", head, 0));
        assert_holds(payload, "\"inputs_changed\":true");
        assert_holds(payload, "\"confirmed_by\":\"user:ana\"");
        assert_string_equal(pawl_context_cursor(p->ctx), "");
        assert_int_equal(complete(p, "1"), PAWL_OK);

        /* and the new inputs are kept: a later change is shown against them */
        assert_int_equal(run(p, "t", ambiguous), PAWL_BLOCKED);
        assert_int_equal(
                resume(p, "t", "{\"description\":\"a workspace of its own\"}"), PAWL_BLOCKED);
        verdict = PAWL_DONE; /* no */
        assert_int_equal(resume(p, "t", plain), PAWL_EINPUTS);
        assert_says(pawl_context_input_diff(p->ctx)->diff, "a workspace of its own");
        piped_replays(p);
}

static void a_confirmation_that_fails_changes_nothing(void **state)
{
        struct piped *p = *state;
        pawl_status verdict = PAWL_EINTERRUPTED;

        p->options.confirm = confirm;
        p->options.confirm_user = &verdict;
        piped_pipeline(p);
        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        uint64_t head = piped_head(p);
        assert_int_equal(resume(p, "s", plain), PAWL_EINTERRUPTED);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "asking about the changed inputs failed");
        assert_int_equal(piped_head(p), head);
}

static void an_answer_outlives_changed_inputs(void **state)
{
        struct piped *p = *state;
        pawl_status verdict = PAWL_OK;

        p->options.confirm = confirm;
        p->options.confirm_user = &verdict;
        piped_pipeline(p);
        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(piped_define(p, piped_conflict(p, 0), "Where refunds land"), PAWL_OK);
        assert_int_equal(resume(p, "s", "{\"prompt\":\"the workspace\"}"), PAWL_OK);
}

static pawl_status run_at_max(struct piped *p, const char *inputs)
{
        piped_context(p, "s", inputs);
        assert_int_equal(pawl_context_set_strictness(p->ctx, "max"), PAWL_OK);
        return piped_run(p);
}

static void at_max_an_output_with_a_conflict_is_kept_and_held(void **state)
{
        struct piped *p = *state;
        char conflict[17], gate_token[37];

        assert_int_equal(run_at_max(p, plain), PAWL_OK);
        memcpy(gate_token, p->token, sizeof gate_token);
        uint64_t head = piped_head(p);
        assert_int_equal(complete(p, "\"the workspace is ready\""), PAWL_BLOCKED);
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
        assert_string_not_equal(p->token, gate_token);
        assert_int_equal(complete(p, "\"again\""), PAWL_ESTATE);

        piped_reopen(p);
        head = piped_head(p);
        assert_int_equal(resume(p, "s", plain), PAWL_BLOCKED);
        assert_string_equal(piped_types(p, head),
                "RunClaimed StepResumed StepCheckpointed GenerationBlockedBySemanticConflict "
                "GlossaryClarificationRequested");
        assert_string_equal(piped_conflict(p, 0), conflict);
        assert_int_equal(piped_define(p, conflict, "Where refunds land"), PAWL_OK);

        piped_reopen(p);
        head = piped_head(p);
        /* the token of the command that has run leads to its output, not to the command */
        memcpy(p->token, gate_token, sizeof p->token);
        assert_int_equal(resume(p, "s", plain), PAWL_DONE);
        assert_string_equal(piped_types(p, head), "RunClaimed StepResumed StepCompleted");
        assert_text(pawl_context_output(p->ctx), "\"the workspace is ready\"");
        assert_string_equal(piped_status(p, "s"), "completed");
        piped_replays(p);
}

/* One that contradicts a definition goes on only by an answer: the glossary cannot mend the text.
 */
static void a_contradicting_output_passes_once_its_conflict_is_answered(void **state)
{
        struct piped *p = *state;
        pawl_answer pick = {.pick = 1};

        assert_int_equal(run_at_max(p, plain), PAWL_OK);
        assert_int_equal(complete(p, "\"A tenant is not a customer.\""), PAWL_BLOCKED);
        assert_text(pawl_context_conflict(p->ctx, 0)->conflict_type, "inconsistent");
        memcpy(p->token, pawl_context_retry_token(p->ctx), sizeof p->token);
        assert_int_equal(
                pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, NULL, &p->err), PAWL_OK);
        assert_int_equal(resume(p, "s", plain), PAWL_DONE);
}

static void at_medium_an_output_with_a_conflict_completes(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(complete(p, "\"the workspace is ready\""), PAWL_OK);
        assert_string_equal(
                piped_types(p, head), "TermCandidateObserved SemanticCheckEvaluated StepCompleted");
}

static void an_output_is_asked_about_in_the_same_session(void **state)
{
        const pawl_answer answers[] = {{.pick = 1}};
        struct piped *p = *state;

        p->options.clarify = script_answer;
        p->script.answers = answers;
        p->script.n = 1;
        piped_pipeline(p);
        assert_int_equal(run_at_max(p, plain), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(complete(p, "\"the workspace is ready\""), PAWL_OK);
        assert_string_equal(piped_types(p, head),
                "TermCandidateObserved SemanticCheckEvaluated StepCheckpointed "
                "GenerationBlockedBySemanticConflict GlossaryClarificationRequested "
                "GlossaryClarificationResolved StepCheckpointed StepResumed StepCompleted");
        assert_holds(pawl__text(piped_payload(p, "StepResumed", head, 0)),
                "\"cursor\":\"post_generation\"");
        assert_string_equal(piped_status(p, "s"), "completed");
        piped_replays(p);
}

static void a_resolved_step_goes_on_in_the_same_session(void **state)
{
        const pawl_answer answers[] = {{.pick = 2}};
        struct piped *p = *state;

        p->options.clarify = script_answer;
        p->script.answers = answers;
        p->script.n = 1;
        piped_pipeline(p);
        assert_int_equal(run(p, "s", ambiguous), PAWL_OK);
        assert_string_equal(piped_types(p, 0),
                SEEDED BLOCKED " GlossaryClarificationResolved StepCheckpointed StepResumed "
                               "StepCheckpointed");
        assert_string_equal(piped_status(p, "s"), "running");
        assert_int_equal(pawl_context_conflicts(p->ctx), 0);
        assert_string_equal(pawl_context_cursor(p->ctx), "");
        assert_int_equal(complete(p, "1"), PAWL_OK);
        piped_replays(p);
}

static void five_conflicts_ask_three_questions_and_defer_two(void **state)
{
        static const char five[] = "{\"description\":\"\\\"alpha\\\" \\\"beta\\\" \\\"gamma\\\" "
                                   "\\\"delta\\\" \\\"eps\\\"\"}";
        const pawl_answer answers[] = {{.define = pawl__text("first")},
                {.define = pawl__text("second")}, {.define = pawl__text("third")}};
        struct piped *p = *state;

        p->options.clarify = script_answer;
        p->script.answers = answers;
        p->script.n = 3;
        piped_pipeline(p);
        assert_int_equal(run_at_max(p, five), PAWL_BLOCKED);
        assert_int_equal(p->script.asked, 3);
        assert_int_equal(pawl_context_conflicts(p->ctx), 2);
        assert_text(pawl_context_conflict(p->ctx, 0)->term, "eps");
        assert_text(pawl_context_conflict(p->ctx, 1)->term, "gamma");
        assert_string_equal(piped_status(p, "s"), "blocked");
        /* the other two are open to any session; asked next time, in a burst of their own */
        p->script.n = 0;
        assert_int_equal(piped_define(p, piped_conflict(p, 1), "fourth"), PAWL_OK);
        p->script.asked = 0;
        assert_int_equal(resume(p, "s", five), PAWL_BLOCKED);
        assert_int_equal(p->script.asked, 1);
        assert_text(p->script.terms[0], "eps");
        piped_replays(p);
}

static void a_second_answer_is_refused_and_changes_nothing(void **state)
{
        struct piped *p = *state;
        char conflict[17], prefix[5];

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        snprintf(prefix, sizeof prefix, "%.4s", conflict);
        assert_int_equal(piped_define(p, prefix, "the first answer"), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(piped_define(p, conflict, "the second"), PAWL_EEXISTS);
        assert_says(p->err.message, conflict);
        assert_says(p->err.message, "was answered already");
        assert_int_equal(piped_head(p), head);
}

static void answers_to_no_conflict_are_refused(void **state)
{
        static const struct {
                const char *id;
                pawl_status status;
                const char *says;
        } cases[] = {
                {"abcdef0123456789", PAWL_ENOTFOUND, "there is none; `pawl conflicts --all`"},
                {"abc", PAWL_EINVAL, "give 4 digits or more"},
                {"", PAWL_EINVAL, "conflict id"},
                {"a\nbcd", PAWL_EINVAL, "control character"},
                {"%%%%", PAWL_ENOTFOUND, "there is none"},
        };
        struct piped *p = *state;
        pawl_answer pick = {.pick = 1};

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        uint64_t head = piped_head(p);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                assert_int_equal(piped_define(p, cases[i].id, "x"), cases[i].status);
                assert_says(p->err.message, cases[i].says);
        }
        assert_int_equal(
                pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, "bad\nactor", &p->err),
                PAWL_EINVAL);
        assert_says(p->err.message, "actor");
        pick.pick = 3;
        assert_int_equal(pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, NULL, &p->err),
                PAWL_EINVAL);
        assert_says(p->err.message, "3 is no candidate; pick 1 to 2");
        assert_int_equal(piped_head(p), head);
        pick.pick = 2;
        assert_int_equal(
                pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, NULL, &p->err), PAWL_OK);
        pawl_text payload = pawl__text(piped_payload(p, "GlossaryClarificationResolved", head, 0));
        assert_holds(payload, "A virtual desktop");
        assert_holds(payload, "\"actor_id\":\"program\"");
}

static void an_unknown_token_is_an_error_and_writes_nothing(void **state)
{
        struct piped *p = *state;

        strcpy(p->token, "ffffffff-0000-4000-8000-000000000000");
        assert_int_equal(resume(p, "s", plain), PAWL_ENOTFOUND);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "ffffffff-0000-4000-8000-000000000000");
        assert_int_equal(piped_head(p), 0);
        assert_int_equal(complete(p, "1"), PAWL_ESTATE);
}

static void a_token_of_another_step_is_refused(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(resume(p, "t", plain), PAWL_EINVAL);
        assert_says(pawl_pipeline_errmsg(p->pipeline),
                "belongs to step s of run r of mission m, not to step t of run r");
        assert_int_equal(piped_head(p), head);
}

static void a_step_that_completed_is_not_run_again(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        assert_int_equal(complete(p, "[42]"), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(resume(p, "s", plain), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "[42]");
        assert_int_equal(run(p, "s", ambiguous), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "[42]");
        assert_int_equal(complete(p, "[43]"), PAWL_ESTATE);
        assert_int_equal(piped_head(p), head);
        /* in another process neither claim nor event is needed */
        piped_reopen(p);
        assert_int_equal(resume(p, "s", plain), PAWL_DONE);
        assert_int_equal(piped_head(p), head);
}

static void the_strictness_of_the_checkpoint_is_kept(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run_at_max(p, "{\"description\":\"a \\\"zeta\\\"\"}"), PAWL_BLOCKED);
        piped_context(p, "s", "{\"description\":\"a \\\"zeta\\\"\"}");
        assert_int_equal(pawl_context_set_strictness(p->ctx, "off"), PAWL_OK);
        assert_int_equal(pawl_context_set_retry_token(p->ctx, p->token), PAWL_OK);
        assert_int_equal(piped_run(p), PAWL_BLOCKED);
        assert_int_equal(p->ctx->effective, PAWL__STRICTNESS_MAX);
}

static void the_seed_that_a_run_started_with_holds_to_its_end(void **state)
{
        static const char changed[] = "terms: [{surface: workspace, definition: Only this}]\n";
        struct piped *p = *state;

        assert_int_equal(run(p, "s", ambiguous), PAWL_BLOCKED);
        file_write(p->seed, changed, sizeof changed - 1);
        piped_reopen(p);
        assert_int_equal(resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(pawl_context_conflict(p->ctx, 0)->n_candidates, 2);
        piped_context(p, "t", ambiguous);
        pawl_context_set_critical(p->ctx, true);
        assert_int_equal(piped_run(p), PAWL_BLOCKED);
}

static sqlite3 *lock_log(struct piped *p)
{
        sqlite3 *db;

        assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        return db;
}

static void without_its_commit_nothing_is_generated(void **state)
{
        struct piped *p = *state;

        p->log_options.busy_ms = 20;
        piped_reopen(p);
        assert_int_equal(run(p, "s", plain), PAWL_OK);
        assert_int_equal(complete(p, "1"), PAWL_OK);
        uint64_t head = piped_head(p);
        sqlite3 *lock = lock_log(p);
        assert_int_equal(run(p, "t", plain), PAWL_EBUSY);
        assert_true(pawl_pipeline_errmsg(p->pipeline)[0]);
        assert_int_equal(complete(p, "1"), PAWL_ESTATE);
        sqlite3_close(lock);
        assert_int_equal(piped_head(p), head);
        /* nothing of the pass that failed is left for the next commit */
        assert_int_equal(run(p, "u", plain), PAWL_OK);
        assert_string_equal(piped_types(p, head), CHECKED);

        /* and an output whose commit failed may be given again */
        head = piped_head(p);
        lock = lock_log(p);
        assert_int_equal(complete(p, "1"), PAWL_EBUSY);
        assert_null(pawl_context_output(p->ctx).data);
        sqlite3_close(lock);
        assert_int_equal(piped_head(p), head);
        assert_int_equal(complete(p, "2"), PAWL_OK);
        assert_text(pawl_context_output(p->ctx), "2");
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");
        piped_replays(p);
}

static void an_output_is_json_or_else_a_string(void **state)
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
        struct piped *p = *state;
        char step[8];

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                snprintf(step, sizeof step, "s%zu", i);
                assert_int_equal(run(p, step, plain), PAWL_OK);
                assert_int_equal(complete(p, cases[i].output), PAWL_OK);
                assert_text(pawl_context_output(p->ctx), cases[i].canonical);
                assert_int_equal(run(p, step, plain), PAWL_DONE);
                assert_text(pawl_context_output(p->ctx), cases[i].canonical);
        }
}

static void an_output_that_is_not_utf_8_is_refused_and_the_step_fails(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "ab\xff", 3), PAWL_EPARSE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "step s: output: byte 2 is not valid UTF-8");
        assert_int_equal(piped_head(p), head);
        assert_int_equal(pawl_pipeline_failed(p->pipeline, p->ctx, 137, "killed"), PAWL_OK);
        pawl_text payload = pawl__text(piped_payload(p, "StepFailed", head, 0));
        assert_holds(payload, "\"reason\":\"killed\"");
        assert_holds(payload, "\"exit_code\":137");
        assert_holds(payload, pawl_context_input_hash(p->ctx));
        assert_string_equal(piped_status(p, "s"), "failed");
        assert_int_equal(pawl_pipeline_failed(p->pipeline, p->ctx, 1, NULL), PAWL_ESTATE);

        /* it goes on at the command, under the same key */
        char token[37];
        memcpy(token, p->token, sizeof token);
        assert_int_equal(resume(p, "s", plain), PAWL_OK);
        assert_string_equal(p->token, token);
        piped_replays(p);
}

static void a_completion_may_wait_for_the_next_commit(void **state)
{
        struct piped *p = *state;

        p->options.defer_completion = true;
        piped_pipeline(p);
        assert_int_equal(run(p, "s", plain), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(complete(p, "1"), PAWL_OK);
        assert_int_equal(piped_head(p), head);
        assert_int_equal(run(p, "t", ambiguous), PAWL_BLOCKED);
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted " BLOCKED);

        /* it survives a pass that fails after it, */
        assert_int_equal(run(p, "u", plain), PAWL_OK);
        head = piped_head(p);
        assert_int_equal(complete(p, "2"), PAWL_OK);
        strcpy(p->token, "ffffffff-0000-4000-8000-000000000000");
        assert_int_equal(resume(p, "v", plain), PAWL_ENOTFOUND);
        assert_int_equal(piped_head(p), head);
        assert_int_equal(pawl_pipeline_flush(p->pipeline), PAWL_OK);
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");

        /* and a step whose completion waits is not run again. */
        assert_int_equal(run(p, "w", plain), PAWL_OK);
        assert_int_equal(complete(p, "3"), PAWL_OK);
        assert_int_equal(run(p, "w", plain), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "3");
        piped_replays(p);
}

static void a_run_that_another_holds_is_left_alone(void **state)
{
        struct piped *p = *state;
        struct piped other = *p;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        uint64_t head = piped_head(p);
        other.log = NULL;
        other.pipeline = NULL;
        other.ctx = NULL;
        other.text = NULL;
        assert_int_equal(pawl_log_open(&other.log, p->db, &p->log_options, &p->err), PAWL_OK);
        piped_pipeline(&other);
        assert_int_equal(run(&other, "t", plain), PAWL_EHELD);
        assert_says(pawl_pipeline_errmsg(other.pipeline), "r");
        assert_int_equal(complete(&other, "1"), PAWL_ESTATE);
        assert_int_equal(piped_head(p), head);

        /* once it is given back, the other gets it, and the former owner is refused */
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        assert_int_equal(run(&other, "t", plain), PAWL_OK);
        pawl_context_free(other.ctx);
        pawl_pipeline_free(other.pipeline);
        pawl_log_close(other.log);
}

static void a_run_belongs_to_one_mission_and_ends_once(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        assert_int_equal(complete(p, "1"), PAWL_OK);
        for (int reopened = 0; reopened < 2; reopened++) {
                uint64_t head = piped_head(p);
                pawl_context_free(p->ctx);
                assert_int_equal(pawl_context_new(&p->ctx, "other", "r", "t", NULL), PAWL_OK);
                assert_int_equal(piped_run(p), PAWL_EINVAL);
                assert_says(pawl_pipeline_errmsg(p->pipeline),
                        "run r: is one of mission m, not of other");
                assert_int_equal(piped_head(p), head);
                piped_reopen(p);
        }
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", NULL), PAWL_ESTATE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "has not claimed it");
        assert_int_equal(run(p, "t", plain), PAWL_OK);
        assert_int_equal(complete(p, "1"), PAWL_OK);
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", NULL), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(run(p, "u", plain), PAWL_ESTATE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "run r: has completed");
        assert_int_equal(piped_head(p), head);
}

static void a_run_may_end_failed_and_go_on_later(void **state)
{
        struct piped *p = *state;

        assert_int_equal(run(p, "s", plain), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", "gave up"), PAWL_OK);
        assert_string_equal(piped_types(p, head), "RunFailed");
        assert_holds(pawl__text(piped_payload(p, "RunFailed", head, 0)), "\"reason\":\"gave up\"");
        assert_int_equal(resume(p, "s", plain), PAWL_OK);
        piped_replays(p);
}

static void one_pipeline_writes_to_several_runs(void **state)
{
        struct piped *p = *state;
        pawl_context *other;

        p->options.defer_completion = true;
        piped_pipeline(p);
        assert_int_equal(pawl_context_new(&other, "m2", "r2", "s", NULL), PAWL_OK);
        assert_int_equal(run(p, "s", plain), PAWL_OK);
        uint64_t head = piped_head(p);
        assert_int_equal(complete(p, "1"), PAWL_OK);
        assert_int_equal(pawl_pipeline_run(p->pipeline, other), PAWL_OK);
        assert_string_equal(piped_types(p, head),
                "SemanticCheckEvaluated StepCompleted RunClaimed RunStarted " CHECKED);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, other, "2", 1), PAWL_OK);
        assert_int_equal(run(p, "t", plain), PAWL_OK);
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r2", NULL), PAWL_OK);
        assert_int_equal(complete(p, "1"), PAWL_OK);
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", NULL), PAWL_OK);
        pawl_context_free(other);
        piped_replays(p);
}

static void options_and_seeds_are_checked(void **state)
{
        struct piped *p = *state;
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, piped_setup, piped_teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_step_without_conflicts_passes_and_completes),
                TEST(a_blocked_step_is_resolved_elsewhere_and_resumed),
                TEST(the_same_pipeline_resumes_too),
                TEST(a_step_that_is_not_answered_blocks_again_with_the_same_conflict),
                TEST(a_step_that_died_at_its_command_keeps_its_token),
                TEST(the_token_of_the_block_leads_to_the_command_that_was_interrupted),
                TEST(changed_inputs_are_refused),
                TEST(inputs_that_were_not_kept_change_without_a_diff),
                TEST(changed_inputs_that_are_confirmed_start_again_at_layer_1),
                TEST(a_confirmation_that_fails_changes_nothing),
                TEST(an_answer_outlives_changed_inputs),
                TEST(at_max_an_output_with_a_conflict_is_kept_and_held),
                TEST(a_contradicting_output_passes_once_its_conflict_is_answered),
                TEST(at_medium_an_output_with_a_conflict_completes),
                TEST(an_output_is_asked_about_in_the_same_session),
                TEST(a_resolved_step_goes_on_in_the_same_session),
                TEST(five_conflicts_ask_three_questions_and_defer_two),
                TEST(a_second_answer_is_refused_and_changes_nothing),
                TEST(answers_to_no_conflict_are_refused),
                TEST(an_unknown_token_is_an_error_and_writes_nothing),
                TEST(a_token_of_another_step_is_refused),
                TEST(a_step_that_completed_is_not_run_again),
                TEST(the_strictness_of_the_checkpoint_is_kept),
                TEST(the_seed_that_a_run_started_with_holds_to_its_end),
                TEST(without_its_commit_nothing_is_generated),
                TEST(an_output_is_json_or_else_a_string),
                TEST(an_output_that_is_not_utf_8_is_refused_and_the_step_fails),
                TEST(a_completion_may_wait_for_the_next_commit),
                TEST(a_run_that_another_holds_is_left_alone),
                TEST(a_run_belongs_to_one_mission_and_ends_once),
                TEST(a_run_may_end_failed_and_go_on_later),
                TEST(one_pipeline_writes_to_several_runs),
                TEST(options_and_seeds_are_checked),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
