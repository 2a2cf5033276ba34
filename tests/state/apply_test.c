/* What the events of runs, steps and sessions change, and which are refused, through appends. */
#include "state/apply.h"
#include "support/history.h"

/* Claimed and started, with the steps one and two. */
static void start(struct history *h)
{
        history_start(h, "[\"one\",\"two\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
}

static int setup_started(void **state)
{
        history_setup(state);
        start(*state);
        return 0;
}

#define STARTED(name) UNIT_TEST_WITH(name, struct history *h, setup_started, history_teardown)

static pawl__row run(struct history *h)
{
        return history_row(h, PAWL__RUNS, h->run, NULL);
}

static pawl__row step(struct history *h, const char *id)
{
        return history_row(h, PAWL__STEPS, h->run, id);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

HISTORY_TEST(a_claim_makes_the_run_and_gives_it_fence_and_session)
{
        h->session = "session-1";
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        pawl__row row = run(h);
        assert_text(row.v[PAWL__RUN_MISSION].text, "mission-1");
        assert_text(row.v[PAWL__RUN_STATUS].text, "running");
        assert_text(row.v[PAWL__RUN_SESSION].text, "session-1");
        assert_int_equal(row.v[PAWL__RUN_FENCE].integer, h->claims[0].fence);
        assert_int_equal(row.v[PAWL__RUN_STARTED_SEQ].integer, 1);
        assert_int_equal(row.v[PAWL__RUN_UPDATED_SEQ].integer, 1);
        assert_true(row.v[PAWL__RUN_UPDATED_US].integer > INT64_C(1795177700000000));
        assert_null(row.v[PAWL__RUN_SCOPE_REFS].text.data);
}

HISTORY_TEST(a_second_claim_changes_fence_and_session_alone)
{
        start(h);
        history_append(h, "RunFailed", "{\"reason\":\"x\"}");
        h->session = "session-2";
        assert_ok(pawl_log_release(h->log, "run-1", h->claims[0].fence));
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        pawl__row row = run(h);
        assert_text(row.v[PAWL__RUN_STATUS].text, "failed");
        assert_text(row.v[PAWL__RUN_SESSION].text, "session-2");
        assert_int_equal(row.v[PAWL__RUN_FENCE].integer, 2);
        assert_int_equal(row.v[PAWL__RUN_STARTED_SEQ].integer, 2);
        assert_int_equal(row.v[PAWL__RUN_UPDATED_SEQ].integer, 4);
}

HISTORY_TEST(a_started_run_has_its_steps_pending_in_mission_order)
{
        pawl__row *steps;
        size_t n;

        history_start(h, "[\"z\",\"a\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        pawl__row row = run(h);
        assert_text(row.v[PAWL__RUN_MISSION_HASH].text, HASH_A);
        assert_text(row.v[PAWL__RUN_MISSION_PATH].text, "/m.yaml");
        assert_null(row.v[PAWL__RUN_STRICTNESS].text.data);
        assert_text(row.v[PAWL__RUN_SCOPE_REFS].text,
                "[{\"scope\":\"team_domain\",\"version_id\":\"" HASH_C "\"}]");
        assert_int_equal(row.v[PAWL__RUN_STEPS].integer, 2);
        assert_ok(pawl__state_steps(&steps, &n, h->state, pawl__text("run-1"), &h->arena, &h->err));
        assert_int_equal(n, 2);
        assert_text(steps[0].v[PAWL__STEP_ID].text, "z");
        assert_text(steps[1].v[PAWL__STEP_ID].text, "a");
        for (size_t i = 0; i < n; i++) {
                assert_text(steps[i].v[PAWL__STEP_STATUS].text, "pending");
                assert_int_equal(steps[i].v[PAWL__STEP_NUMBER].integer, i + 1);
                assert_int_equal(steps[i].v[PAWL__STEP_ORDER_SEQ].integer, 2);
                assert_int_equal(steps[i].v[PAWL__STEP_EXIT_CODE].integer, -1);
        }
}

STARTED(a_run_starts_once)
{
        history_start(h, "[\"one\"]");
        history_refuses(h, PAWL_EEXISTS, "run run-1: has started already; ");
}

static int64_t steps_total(struct history *h)
{
        return run(h).v[PAWL__RUN_STEPS].integer;
}

HISTORY_TEST(a_changed_mission_keeps_what_is_completed_and_runs_again_what_is_named)
{
        pawl__row *steps;
        size_t n;

        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_start(h, "[\"one\",\"two\",\"three\"]");
        history_step_started(h);
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_append(h, "RunMissionChanged",
                "{\"steps\":[\"three\",\"one\",\"four\"],\"rerun\":[],"
                "\"mission_document\":\"" HASH_B "\",\"changes\":["
                "{\"step_id\":\"four\",\"change\":\"added\"},"
                "{\"step_id\":\"two\",\"change\":\"removed\"}]}");
        assert_int_equal(steps_total(h), 3);
        assert_int_equal(run(h).v[PAWL__RUN_DONE].integer, 1);
        assert_text(run(h).v[PAWL__RUN_MISSION_HASH].text, HASH_B);
        assert_text(step(h, "two").v[PAWL__STEP_STATUS].text, "skipped");
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "completed");
        assert_ok(pawl__state_steps(&steps, &n, h->state, pawl__text("run-1"), &h->arena, &h->err));
        assert_int_equal(n, 4);
        assert_text(steps[0].v[PAWL__STEP_ID].text, "three");
        assert_text(steps[2].v[PAWL__STEP_ID].text, "four");
        assert_text(steps[3].v[PAWL__STEP_ID].text, "two");

        history_append(h, "RunMissionChanged",
                "{\"steps\":[\"two\",\"one\"],\"rerun\":[\"one\"],\"changes\":["
                "{\"step_id\":\"two\",\"change\":\"added\"},"
                "{\"step_id\":\"three\",\"change\":\"removed\"},"
                "{\"step_id\":\"four\",\"change\":\"removed\"}]}");
        assert_int_equal(steps_total(h), 2);
        assert_int_equal(run(h).v[PAWL__RUN_DONE].integer, 0);
        assert_text(step(h, "two").v[PAWL__STEP_STATUS].text, "pending");
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "pending");
        assert_null(step(h, "one").v[PAWL__STEP_OUTPUT_HASH].text.data);
        check_ok(h, pawl__replay_check(h->log, &h->err), __FILE__, __LINE__);
}

HISTORY_TEST(a_change_of_the_mission_that_cannot_be_is_refused)
{
        static const struct {
                const char *payload, *says;
        } cases[] = {
                {"{\"steps\":[\"one\",\"one\"],\"changes\":[],\"rerun\":[]}",
                        "payload.steps: names a step twice"},
                {"{\"steps\":[\"one\"],\"changes\":[],\"rerun\":[\"two\"]}",
                        "payload.rerun: names a step that is not in steps"},
                {"{\"steps\":[\"one\"],\"changes\":[],\"rerun\":[1]}",
                        "payload.rerun: holds what is no text"},
                {"{\"steps\":[\"one\"],\"changes\":[1],\"rerun\":[]}",
                        "payload.changes: holds what is no object"},
                {"{\"steps\":[\"one\"],\"changes\":[{\"change\":\"removed\"}],\"rerun\":[]}",
                        "payload.changes[].step_id: is missing"},
                {"{\"steps\":[\"one\"],\"rerun\":[]}", "payload.changes: is missing"},
        };

        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_start(h, "[\"one\",\"two\"]");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                history_add(h, "RunMissionChanged", "%s", cases[i].payload);
                history_refuses(h, PAWL_EINVAL, cases[i].says);
        }
}

HISTORY_TEST(a_change_of_the_mission_names_what_comes_and_what_goes)
{
        static const char *const cases[][2] = {{"[]", "removed\",\"step_id\":\"no"},
                {"[\"one\",\"two\"]", "removed\",\"step_id\":\"one"},
                {"[\"one\",\"two\"]", "added\",\"step_id\":\"one"},
                {"[\"one\",\"two\"]", "added\",\"step_id\":\"three"},
                {"[\"one\",\"two\",\"three\"]", "moved\",\"step_id\":\"one"},
                {"[\"one\"]", "moved\",\"step_id\":\"two"}, {"[]", "removed\",\"step_id\":\"one"},
                {"[]", "removed\",\"step_id\":\"one\"},{\"change\":\"removed\",\"step_id\":\"one"}};

        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_start(h, "[\"one\",\"two\"]");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                history_add(h, "RunMissionChanged",
                        "{\"steps\":%s,\"changes\":[{\"change\":\"%s\"}],\"rerun\":[],"
                        "\"mission_document\":\"" HASH_B "\"}",
                        cases[i][0], cases[i][1]);
                history_refuses(h, PAWL_ESTATE, "rule mission: changes does not name the steps");
        }
}

HISTORY_TEST(a_step_named_twice_is_refused)
{
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_start(h, "[\"a\",\"b\",\"a\"]");
        history_refuses(h, PAWL_EINVAL, "seq 2 (RunStarted): payload.steps: names a step twice");
        history_start(h, "[\"a\",7]");
        history_refuses(h, PAWL_EINVAL, "seq 2 (RunStarted): payload.steps: holds what is no text");
}

STARTED(a_run_completes_and_fails_with_its_reason)
{
        history_append(h, "RunFailed", "{\"reason\":\"step one failed\"}");
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "failed");
        assert_text(run(h).v[PAWL__RUN_REASON].text, "step one failed");
        history_append(h, "RunCompleted", "{}");
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "completed");
        assert_null(run(h).v[PAWL__RUN_REASON].text.data);
}

HISTORY_TEST(events_of_a_run_that_there_is_not_are_refused)
{
        static const char *const types[] = {"RunCompleted", "RunFailed"};
        pawl__applier applier = {.store = NULL};
        pawl__store *store;

        /* Past the log, which would ask for a claim first. */
        assert_ok(pawl__store_memory(&store, &h->err));
        applier.store = store;
        for (size_t i = 0; i < 2; i++) {
                pawl_event event = {.seq = 9,
                        .v = 1,
                        .type = pawl__text(types[i]),
                        .run_id = pawl__text("nobody"),
                        .payload = pawl__text("{\"reason\":\"x\"}")};
                assert_int_equal(pawl__apply(&applier, &event, &h->err), PAWL_ESTATE);
                assert_says(h->err.message, "seq 9 (Run");
                assert_says(h->err.message, "there is no run nobody");
        }
        store->free(store);
        pawl__json_tree_free(&applier.tree);
        pawl__arena_free(&applier.arena);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

STARTED(a_step_that_starts_is_running_and_so_is_its_run)
{
        history_append(h, "RunFailed", "{\"reason\":\"x\"}");
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "running");
        assert_text(step(h, "one").v[PAWL__STEP_INPUT_HASH].text, HASH_A);
        assert_text(step(h, "two").v[PAWL__STEP_STATUS].text, "pending");
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "running");
        assert_int_equal(run(h).v[PAWL__RUN_UPDATED_SEQ].integer, 4);
}

STARTED(a_step_that_was_not_declared_comes_after_the_others)
{
        h->step = "new";
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_int_equal(step(h, "new").v[PAWL__STEP_NUMBER].integer, 3);
        assert_int_equal(step(h, "new").v[PAWL__STEP_ORDER_SEQ].integer, 2);
        assert_int_equal(run(h).v[PAWL__RUN_STEPS].integer, 3);
        h->step = "newer";
        history_step_started(h);
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_int_equal(step(h, "newer").v[PAWL__STEP_NUMBER].integer, 4);
        assert_int_equal(run(h).v[PAWL__RUN_STEPS].integer, 4);
}

HISTORY_TEST(a_step_starts_only_in_a_run_that_has_started)
{
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_step_started(h);
        history_refuses(h, PAWL_ESTATE,
                "seq 2 (StepStarted): run run-1 was claimed but not started; append RunStarted");
}

STARTED(a_step_that_is_started_again_forgets_how_it_ended)
{
        history_step_started(h);
        history_completed(h);
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "running");
        assert_null(step(h, "one").v[PAWL__STEP_OUTPUT_HASH].text.data);
        assert_int_equal(step(h, "one").v[PAWL__STEP_EXIT_CODE].integer, -1);
}

STARTED(a_completed_step_has_its_hashes_and_exit_code)
{
        history_step_started(h);
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "completed");
        assert_text(step(h, "one").v[PAWL__STEP_INPUT_HASH].text, HASH_A);
        assert_text(step(h, "one").v[PAWL__STEP_OUTPUT_HASH].text, HASH_B);
        assert_int_equal(step(h, "one").v[PAWL__STEP_EXIT_CODE].integer, 0);
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "running");
        assert_int_equal(run(h).v[PAWL__RUN_UPDATED_SEQ].integer, 4);
}

STARTED(a_failed_step_keeps_its_exit_code)
{
        history_step_started(h);
        history_add(h, "StepFailed", "{\"reason\":\"killed\",\"exit_code\":137}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "failed");
        assert_int_equal(step(h, "one").v[PAWL__STEP_EXIT_CODE].integer, 137);
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "running");
}

STARTED(a_checkpoint_is_the_steps_token_and_rests_on_its_check)
{
        history_step_started(h);                                  /* 3 */
        history_checkpointed(h, "post_gate", TOKEN(1));           /* 4 */
        history_evaluated(h);                                     /* 5 */
        history_checkpointed(h, "pre_generation_gate", TOKEN(2)); /* 6 */
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        pawl__row row = step(h, "one");
        assert_text(row.v[PAWL__STEP_TOKEN].text, TOKEN(2));
        assert_text(row.v[PAWL__STEP_CURSOR].text, "pre_generation_gate");
        assert_int_equal(row.v[PAWL__STEP_CHECKPOINT_SEQ].integer, 6);
        assert_int_equal(row.v[PAWL__STEP_EVALUATED_SEQ].integer, 5);
        row = history_row(h, PAWL__CHECKPOINTS, TOKEN(1), NULL);
        assert_int_equal(row.v[PAWL__CP_SEQ].integer, 4);
        assert_int_equal(row.v[PAWL__CP_EVALUATED_SEQ].integer, 0);
        row = history_row(h, PAWL__CHECKPOINTS, TOKEN(2), NULL);
        assert_int_equal(row.v[PAWL__CP_SEQ].integer, 6);
        assert_int_equal(row.v[PAWL__CP_EVALUATED_SEQ].integer, 5);
}

STARTED(a_blocked_step_blocks_its_run_until_it_is_resumed)
{
        history_step_started(h);
        history_blocked(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "blocked");
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "blocked");
        history_append(h, "StepResumeAborted",
                "{\"retry_token\":\"" TOKEN(1) "\",\"cursor\":\"post_gate\","
                                               "\"inputs_changed\":true}");
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "blocked");
        history_resumed(h, TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "running");
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "running");
}

STARTED(events_of_a_step_that_there_is_not_are_refused)
{
        h->step = "nowhere";
        history_evaluated(h);
        history_refuses(h, PAWL_ESTATE,
                "seq 3 (SemanticCheckEvaluated): run run-1 has no step nowhere; append");
        history_checkpointed(h, "post_gate", TOKEN(1));
        history_refuses(h, PAWL_ESTATE, "has no step nowhere");
        history_blocked(h);
        history_refuses(h, PAWL_ESTATE, "has no step nowhere");
        history_resumed(h, TOKEN(1));
        history_refuses(h, PAWL_ESTATE, "has no step nowhere");
        history_completed(h);
        history_refuses(h, PAWL_ESTATE, "has no step nowhere");
        history_add(h, "StepFailed", "{\"reason\":\"x\",\"exit_code\":1}");
        history_refuses(h, PAWL_ESTATE, "has no step nowhere");
}

/* ---- Sessions -------------------------------------------------------------------------------- */

STARTED(a_session_starts_and_ends)
{
        h->session = "session-1";
        history_append(h, "SessionStarted", "{}");
        pawl__row row = history_row(h, PAWL__SESSIONS, "session-1", NULL);
        assert_text(row.v[PAWL__SES_MISSION].text, "mission-1");
        assert_text(row.v[PAWL__SES_RUN].text, "run-1");
        assert_text(row.v[PAWL__SES_STATUS].text, "active");
        assert_int_equal(row.v[PAWL__SES_SEQ].integer, 3);
        assert_int_equal(row.v[PAWL__SES_ENDED_US].integer, 0);
        history_append(h, "SessionEnded", "{\"status\":\"error\",\"reason\":\"step failed\"}");
        row = history_row(h, PAWL__SESSIONS, "session-1", NULL);
        assert_text(row.v[PAWL__SES_STATUS].text, "error");
        assert_text(row.v[PAWL__SES_REASON].text, "step failed");
        assert_true(row.v[PAWL__SES_ENDED_US].integer > row.v[PAWL__SES_STARTED_US].integer);
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "running");
}

STARTED(an_interrupted_session_interrupts_a_running_run)
{
        h->session = "session-1";
        history_append(h, "SessionStarted", "{}");
        h->mission = h->run = h->step = NULL; /* the session's own run */
        history_append(h, "SessionEnded", "{\"status\":\"interrupted\"}");
        h->run = "run-1";
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "interrupted");
        assert_int_equal(run(h).v[PAWL__RUN_UPDATED_SEQ].integer, 4);
}

STARTED(an_interrupted_session_leaves_a_blocked_run_blocked)
{
        h->session = "session-1";
        history_step_started(h);
        history_add(h, "SessionStarted", "{}");
        history_blocked(h);
        history_add(h, "SessionEnded", "{\"status\":\"interrupted\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "blocked");
}

STARTED(a_session_id_is_taken_once_and_ends_only_what_started)
{
        h->session = "session-1";
        history_add(h, "SessionEnded", "{\"status\":\"completed\"}");
        history_refuses(h, PAWL_ESTATE,
                "seq 3 (SessionEnded): there is no session session-1; append SessionStarted");
        history_append(h, "SessionStarted", "{}");
        history_add(h, "SessionStarted", "{}");
        history_refuses(h, PAWL_EEXISTS, "session session-1: started already at seq 3; take an id");
}

/* ---- All ------------------------------------------------------------------------------------- */
