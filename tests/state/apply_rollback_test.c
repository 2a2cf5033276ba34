/* What the events of rollbacks change in checkpoints and steps, and which are refused. */
#include "state/undo_stacks.h"
#include "support/rollback_events.h"

static pawl__row workspace(struct history *h, int64_t n)
{
        return history_row_of(h, PAWL__WORKSPACE, n);
}

/* ---- Rollbacks ------------------------------------------------------------------------------- */

HISTORY_TEST(a_rollback_that_started_keeps_everything_else_out_until_it_ends)
{
        h->run = h->step = NULL;
        history_take(h, 1, "");
        history_take(h, 2, "");
        int seq = history_roll_back(h, 1, 3, "false");
        pawl__row row = history_row_of(h, PAWL__ROLLBACKS, seq);
        assert_int_equal(row.v[PAWL__RB_TARGET].integer, 1);
        assert_int_equal(row.v[PAWL__RB_SAFETY].integer, 3);
        assert_int_equal(row.v[PAWL__RB_UNDO].integer, 0);
        assert_text(row.v[PAWL__RB_TREE].text, TREE(1));
        assert_text(row.v[PAWL__RB_PLAN_HASH].text, HASH_A);
        assert_text(row.v[PAWL__RB_STATUS].text, "started");
        assert_text(row.v[PAWL__RB_ACTOR].text, "user:ana");
        assert_int_equal(workspace(h, 3).v[PAWL__WCP_ROLLBACK].integer, seq);

        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 4, 4, "");
        history_refuses(h, PAWL_ESTATE, "a rollback was interrupted; finish it with");
        history_add(h, "WorkspaceRollbackStarted", STARTED, 1, 3, "false", "");
        history_refuses(h, PAWL_ESTATE, "payload.safety: is no safety copy that was taken right");

        history_rolled_back(h, seq, "abandoned", "", "", "");
        row = history_row_of(h, PAWL__ROLLBACKS, seq);
        assert_text(row.v[PAWL__RB_STATUS].text, "abandoned");
        assert_int_equal(row.v[PAWL__RB_ENDED_SEQ].integer, history_head(h));
        assert_null(row.v[PAWL__RB_STEPS_BEFORE].text.data);
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", "");
        history_refuses(h, PAWL_ESTATE, "payload.started_seq: is not that of a rollback that is");
        history_take(h, 4, "");
        history_check(h);
}

/* Workers go on meanwhile; the workspace that is rolled back still waits. */
HISTORY_TEST(a_checkpoint_of_a_run_alone_is_taken_beside_a_rollback)
{
        history_take(h, 1, "");
        int seq = history_roll_back(h, 1, 2, "false");
        history_take(h, 3, ",\"of_run\":true");
        history_take(h, 4, ",\"of_run\":true");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 5, 5, "");
        history_refuses(h, PAWL_ESTATE, "a rollback was interrupted; finish it with");
        h->run = h->step = NULL;
        history_rolled_back(h, seq, "done", "", "", "");
        h->run = "run-1";
        history_take(h, 5, ",\"of_run\":true");
        history_take(h, 6, "");
        assert_int_equal(workspace(h, 4).v[PAWL__WCP_ROLLBACK].integer, seq);
        assert_int_equal(workspace(h, 5).v[PAWL__WCP_ROLLBACK].integer, 0);
        history_check(h);
}

HISTORY_TEST(what_a_rollback_names_must_be_there)
{
        h->run = h->step = NULL;
        history_take(h, 1, "");
        history_take(h, 2, ",\"safety\":true");
        history_take(h, 3, "");
        history_append(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[1]}");
        static const struct {
                int target, safety;
                const char *undo, *more, *says;
                pawl_status status;
        } cases[] = {
                {9, 4, "false", "", "payload.target: names a checkpoint that is not", PAWL_ESTATE},
                {3, 9, "false", "", "payload.safety: names a checkpoint that is not", PAWL_ESTATE},
                {3, 3, "false", "", "payload.safety: is no safety copy", PAWL_ESTATE},
                {3, 2, "false", "", "payload.safety: is no safety copy", PAWL_ESTATE},
                {1, 4, "false", "", "payload.target: is a checkpoint that was pruned", PAWL_ESTATE},
                {3, 4, "true", "", "payload.target: is not the safety copy of a", PAWL_ESTATE},
                {2, 4, "true", "", "payload.target: is not the safety copy of a", PAWL_ESTATE},
                {3, 4, "false", ",\"decisions\":\"all\"", "payload.decisions: is neither",
                        PAWL_EINVAL},
                {3, 4, "false", ",\"reason\":7", "payload.reason: is no text", PAWL_EINVAL},
                {3, 4, "false", ",\"git\":{\"from\":7}", "payload.git: has a member", PAWL_EINVAL},
        };
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 4, 4, ",\"safety\":true");
                history_add(h, "WorkspaceRollbackStarted", STARTED, cases[i].target,
                        cases[i].safety, cases[i].undo, cases[i].more);
                history_refuses(h, cases[i].status, cases[i].says);
        }
        history_append(h, "WorkspaceCheckpointed",
                "{\"n\":4,\"id\":\"x\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":\"" TREE(
                        2) "\",\"files\":0,\"bytes\":0,\"skipped\":0,\"safety\":true}");
        history_add(h, "WorkspaceRollbackStarted", STARTED, 4, 4, "false", "");
        history_refuses(h, PAWL_ESTATE, "payload.tree: is not that of the target");

        history_append(h, "WorkspaceRollbackStarted", STARTED, 3, 4, "false", "");
        int seq = (int)history_head(h);
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "perhaps", "", "", "");
        history_refuses(h, PAWL_EINVAL, "payload.outcome: is neither \"done\" nor");
        history_add(h, "WorkspaceRolledBack", ENDED, seq - 1, "done", "", "", "");
        history_refuses(h, PAWL_ESTATE, "payload.started_seq: is not that of a rollback");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "3,8", "", "");
        history_refuses(h, PAWL_ESTATE, "payload.invalidated: names a checkpoint that is not");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "{}", "");
        history_refuses(h, PAWL_EINVAL, "payload.revalidated: holds what is no checkpoint's");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "abandoned", "3", "", "");
        history_refuses(h, PAWL_EINVAL, "payload.invalidated: is not empty, but");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "abandoned", "", "", "{}");
        history_refuses(h, PAWL_EINVAL, "payload.steps: is not empty, but");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", "7");
        history_refuses(h, PAWL_EINVAL, "payload.steps: holds what is no object");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", "{}");
        history_refuses(h, PAWL_EINVAL, "payload.steps[].run_id: is missing or no text");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", STEP("one"));
        history_refuses(h, PAWL_EINVAL, "payload.steps[].run_id: is not the run that");
        history_rolled_back(h, seq, "done", "", "", "");
        assert_text(history_row_of(h, PAWL__ROLLBACKS, seq).v[PAWL__RB_STATUS].text, "done");
        history_check(h);
}

HISTORY_TEST(checkpoints_become_invalid_and_valid_with_rollbacks)
{
        h->run = h->step = NULL;
        history_take(h, 1, "");
        history_take(h, 2, "");
        history_take(h, 3, "");
        history_append(h, "CheckpointInvalidated", "{\"n\":3,\"reason\":\"damaged\"}");
        int seq = history_roll_back(h, 1, 4, "false");
        history_rolled_back(h, seq, "done", "2,3", "", "");
        int ended = (int)history_head(h);
        assert_int_equal(workspace(h, 2).v[PAWL__WCP_INVALID_SEQ].integer, ended);
        assert_text(workspace(h, 2).v[PAWL__WCP_INVALID_REASON].text, "rolled back to 1");
        assert_text(workspace(h, 3).v[PAWL__WCP_INVALID_REASON].text, "damaged");
        assert_int_equal(workspace(h, 1).v[PAWL__WCP_INVALID_SEQ].integer, 0);
        assert_text(history_row_of(h, PAWL__ROLLBACKS, seq).v[PAWL__RB_STATUS].text, "done");
        history_check(h);

        int undo = history_roll_back(h, 4, 5, "true");
        history_rolled_back(h, undo, "done", "", "2", "");
        assert_int_equal(workspace(h, 2).v[PAWL__WCP_INVALID_SEQ].integer, 0);
        assert_null(workspace(h, 2).v[PAWL__WCP_INVALID_REASON].text.data);
        assert_text(history_row_of(h, PAWL__ROLLBACKS, seq).v[PAWL__RB_STATUS].text, "undone");
        assert_text(history_row_of(h, PAWL__ROLLBACKS, undo).v[PAWL__RB_STATUS].text, "done");
        history_check(h);

        /* What was undone is not undone again; the undoing can be. */
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 6, 6, ",\"safety\":true");
        history_add(h, "WorkspaceRollbackStarted", STARTED, 4, 6, "true", "");
        history_refuses(h, PAWL_ESTATE, "there is nothing to undo");
        int redo = history_roll_back(h, 5, 6, "true");
        history_rolled_back(h, redo, "done", "2", "", "");
        assert_text(history_row_of(h, PAWL__ROLLBACKS, undo).v[PAWL__RB_STATUS].text, "undone");
        history_check(h);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static pawl__row step(struct history *h, const char *id)
{
        return history_row(h, PAWL__STEPS, "run-1", id);
}

static pawl__row run(struct history *h)
{
        return history_row(h, PAWL__RUNS, "run-1", NULL);
}

/* The rows of run and steps but for when the run was updated. */
static void check_same(struct history *h, const pawl__row *run_1, const pawl__row steps[3])
{
        static const char *const ids[] = {"one", "two", "three"};
        pawl__row now = run(h);

        now.v[PAWL__RUN_UPDATED_SEQ] = run_1->v[PAWL__RUN_UPDATED_SEQ];
        now.v[PAWL__RUN_UPDATED_US] = run_1->v[PAWL__RUN_UPDATED_US];
        now.v[PAWL__RUN_LAST_SEQ] = run_1->v[PAWL__RUN_LAST_SEQ];
        assert_int_equal(pawl__row_diff(PAWL__RUNS, &now, run_1), -1);
        for (int i = 0; i < 3; i++) {
                now = step(h, ids[i]);
                assert_int_equal(pawl__row_diff(PAWL__STEPS, &now, &steps[i]), -1);
        }
}

HISTORY_TEST(steps_that_are_given_up_are_pending_until_it_is_undone)
{
        history_run_all(h);
        pawl__row before = run(h), steps[3] = {step(h, "one"), step(h, "two"), step(h, "three")};
        int seq = history_roll_back(h, 1, 4, "false");
        history_rolled_back(h, seq, "done", "2,3", "", STEP("three") "," STEP("two"));
        pawl__row now = run(h);
        assert_text(now.v[PAWL__RUN_STATUS].text, "interrupted");
        assert_int_equal(now.v[PAWL__RUN_DONE].integer, 1);
        assert_int_equal(now.v[PAWL__RUN_STEPS].integer, 3);
        assert_null(now.v[PAWL__RUN_CURRENT].text.data);
        assert_text(step(h, "one").v[PAWL__STEP_STATUS].text, "completed");
        pawl__row two = step(h, "two");
        assert_text(two.v[PAWL__STEP_STATUS].text, "pending");
        assert_null(two.v[PAWL__STEP_OUTPUT_HASH].text.data);
        assert_null(two.v[PAWL__STEP_TOKEN].text.data);
        assert_null(two.v[PAWL__STEP_CURSOR].text.data);
        assert_int_equal(two.v[PAWL__STEP_CHECKPOINT_SEQ].integer, history_head(h));
        assert_int_equal(two.v[PAWL__STEP_EXIT_CODE].integer, -1);
        assert_int_equal(two.v[PAWL__STEP_NUMBER].integer, 2);
        history_check(h);

        /* It goes on with two, and is at work on it when it is undone. */
        h->step = "two";
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        pawl__row between = run(h), between_two = step(h, "two");
        assert_text(between.v[PAWL__RUN_CURRENT].text, "two");
        h->step = NULL;
        int undo = history_roll_back(h, 4, 5, "true");
        history_rolled_back(h, undo, "done", "", "2,3", STEP("two"));
        check_same(h, &before, steps);
        history_check(h);

        /* And that too can be undone. */
        int redo = history_roll_back(h, 5, 6, "true");
        history_rolled_back(h, redo, "done", "2,3", "", "");
        pawl__row again[3] = {steps[0], between_two, step(h, "three")};
        assert_text(again[2].v[PAWL__STEP_STATUS].text, "pending");
        between.v[PAWL__RUN_STATUS].text = pawl__text("interrupted"); /* nobody is at it now */
        check_same(h, &between, again);
        history_check(h);
}

#define RESTORED(steps)                                                                            \
        "\"restored\":{\"run_id\":\"run-1\",\"status\":\"interrupted\","                           \
        "\"current_step\":null,\"steps\":[" steps "]}"
#define RESTORED_STEP(id, status)                                                                  \
        "{\"step_id\":\"" id "\",\"order_seq\":1,\"number\":9,\"status\":\"" status                \
        "\",\"input_hash\":null,\"output_hash\":\"" HASH_B                                         \
        "\",\"retry_token\":null,\"cursor\":null,"                                                 \
        "\"checkpoint_seq\":5,\"evaluated_seq\":4,\"exit_code\":0}"
#define ENDED_WITH                                                                                 \
        "{\"started_seq\":%d,\"outcome\":\"done\",\"invalidated\":[],\"revalidated\":[],\"steps\":[],%s}"

/* The event says what the steps become: they go forward as well, and an undo needs nothing else. */
HISTORY_TEST(steps_become_what_the_end_says)
{
        history_run_all(h);
        int seq = history_roll_back(h, 1, 4, "false");
        history_rolled_back(h, seq, "done", "2,3", "", STEP("two") "," STEP("three"));
        assert_int_equal(run(h).v[PAWL__RUN_DONE].integer, 1);
        int64_t number = step(h, "two").v[PAWL__STEP_NUMBER].integer;
        int forth = history_roll_back(h, 2, 5, "false");
        history_append(h, "WorkspaceRolledBack", ENDED_WITH, forth,
                RESTORED(RESTORED_STEP("two", "completed")));
        pawl__row two = step(h, "two");
        assert_text(two.v[PAWL__STEP_STATUS].text, "completed");
        assert_text(two.v[PAWL__STEP_OUTPUT_HASH].text, HASH_B);
        assert_int_equal(two.v[PAWL__STEP_CHECKPOINT_SEQ].integer, 5);
        assert_int_equal(two.v[PAWL__STEP_NUMBER].integer, number);
        assert_text(step(h, "three").v[PAWL__STEP_STATUS].text, "pending");
        assert_int_equal(run(h).v[PAWL__RUN_DONE].integer, 2);
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "interrupted");
        history_check(h);

        static const struct {
                const char *restored, *says;
                pawl_status status;
        } cases[] = {
                {"\"restored\":7", "payload.restored: is no run", PAWL_EINVAL},
                {"\"restored\":{}", "payload.restored: is no run", PAWL_EINVAL},
                {RESTORED("7"), "payload.restored: is no run", PAWL_EINVAL},
                {RESTORED("{\"step_id\":\"two\"}"), "payload.restored: is no run", PAWL_EINVAL},
                {RESTORED(RESTORED_STEP("two", "running")), "payload.restored: is no run",
                        PAWL_EINVAL},
                {RESTORED(RESTORED_STEP("two", "done")), "payload.restored: is no run",
                        PAWL_EINVAL},
                {RESTORED(RESTORED_STEP("nine", "completed")),
                        "payload.restored: names a step that its run has not", PAWL_ESTATE},
                {"\"restored\":{\"run_id\":\"run-2\",\"status\":\"interrupted\",\"current_step\":null,"
                 "\"steps\":[]}",
                        "run_id: is not the run whose steps come back", PAWL_EINVAL},
        };
        int undo = history_roll_back(h, 5, 6, "true");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                history_add(h, "WorkspaceRolledBack", ENDED_WITH, undo, cases[i].restored);
                history_refuses(h, cases[i].status, cases[i].says);
        }
        history_append(h, "WorkspaceRolledBack", ENDED_WITH, undo, RESTORED(""));
        assert_text(
                step(h, "two").v[PAWL__STEP_STATUS].text, "completed"); /* as it says, no more */
        assert_text(history_row_of(h, PAWL__ROLLBACKS, forth).v[PAWL__RB_STATUS].text, "undone");
        history_check(h);
}

/* What a run of a changed mission skips, and a run that has ended for good, may come back so. */
HISTORY_TEST(a_cancelled_run_and_a_skipped_step_are_what_the_end_says)
{
        history_run_all(h);
        int seq = history_roll_back(h, 1, 4, "false");
        history_append(h, "WorkspaceRolledBack", ENDED_WITH, seq,
                "\"restored\":{\"run_id\":\"run-1\",\"status\":\"cancelled\",\"current_step\":null,"
                "\"steps\":[" RESTORED_STEP("two", "skipped") "]}");
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "cancelled");
        assert_int_equal(run(h).v[PAWL__RUN_DONE].integer, 2);
        assert_text(step(h, "two").v[PAWL__STEP_STATUS].text, "skipped");
        history_check(h);
}

/* One of some paths changes files alone, and is not where the workspace stands. */
HISTORY_TEST(one_of_some_paths_changes_nothing_else)
{
        pawl__row row;

        history_run_all(h);
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 4, 4, ",\"safety\":true");
        history_add(h, "WorkspaceRollbackStarted", STARTED, 1, 4, "false", ",\"paths\":true");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        int seq = (int)history_head(h);
        assert_int_equal(
                history_row_of(h, PAWL__ROLLBACKS, seq).v[PAWL__RB_UNDO].integer, PAWL__RB_IN_PART);
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "2", "", "");
        history_refuses(h, PAWL_EINVAL, "payload.invalidated: is not empty, but");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", STEP("two"));
        history_refuses(h, PAWL_EINVAL, "payload.steps: is not empty, but");
        history_rolled_back(h, seq, "done", "", "", "");
        assert_int_equal(
                pawl__state_rollback_last(&row, h->state, &h->arena, &h->err), PAWL_ENOTFOUND);
        pawl__undo_stacks stacks;
        assert_ok(pawl__undo_stacks_read(&stacks, h->state, &h->arena, &h->err));
        assert_int_equal(
                pawl__undo_stacks_top(&stacks, PAWL__IS_UNDO, "")->row.v[PAWL__RB_SEQ].integer,
                seq);

        /* what writes the paths that it could not write is a part of it */
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 5, 5, ",\"safety\":true");
        history_add(h, "WorkspaceRollbackStarted", STARTED, 1, 5, "false", ",\"finishes\":1");
        history_refuses(h, PAWL_ESTATE, "payload.finishes: is not a rollback to the same target");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 5, 5, ",\"safety\":true");
        char finishes[48];
        snprintf(finishes, sizeof finishes, ",\"paths\":true,\"finishes\":%d", seq);
        history_add(h, "WorkspaceRollbackStarted", STARTED, 1, 5, "false", finishes);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_rolled_back(h, (int)history_head(h), "done", "", "", "");
        assert_ok(pawl__undo_stacks_read(&stacks, h->state, &h->arena, &h->err));
        assert_int_equal(
                pawl__undo_stacks_top(&stacks, PAWL__IS_UNDO, "")->row.v[PAWL__RB_SEQ].integer,
                seq);
        history_check(h);
}

HISTORY_TEST(what_came_after_stays_when_it_is_undone)
{
        history_run_all(h);
        int seq = history_roll_back(h, 2, 4, "false");
        history_rolled_back(h, seq, "done", "3", "", STEP("three"));
        h->step = "four"; /* which the mission did not name */
        history_step_started(h);
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        h->step = NULL;
        int undo = history_roll_back(h, 4, 5, "true");
        history_rolled_back(h, undo, "done", "", "3", "");
        assert_int_equal(run(h).v[PAWL__RUN_DONE].integer, 4);
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "completed");
        assert_text(step(h, "four").v[PAWL__STEP_STATUS].text, "completed");
        history_check(h);
}

HISTORY_TEST(steps_are_given_up_by_the_owner_of_their_run_alone)
{
        history_run_all(h);
        int seq = history_roll_back(h, 1, 4, "false");
        history_add(
                h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", STEP("two") "," STEP("two"));
        history_refuses(h, PAWL_EINVAL, "payload.steps: names a step twice");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", STEP("nine"));
        history_refuses(h, PAWL_ESTATE, "payload.steps: names a step that its run has not");
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "",
                "{\"run_id\":\"run-2\",\"step_id\":\"two\"}");
        history_refuses(h, PAWL_EINVAL, "payload.steps[].run_id: is not the run that");
        uint64_t fence = h->claims[0].fence;
        h->claims[0].fence = 0;
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", STEP("two"));
        history_refuses(h, PAWL_EFENCED, "run run-1: fence 0, but 1 holds");
        h->claims[0].fence = fence;
        history_rolled_back(h, seq, "done", "", "", STEP("two"));

        /* And they come back by an event of their run. */
        int undo = history_roll_back(h, 4, 5, "true");
        h->run = NULL;
        history_add(h, "WorkspaceRolledBack", ENDED, undo, "done", "", "", "");
        history_refuses(h, PAWL_EINVAL, "run_id: is not the run whose steps come back");
        h->run = "run-1";
        history_rolled_back(h, undo, "done", "", "", "");
        assert_text(step(h, "two").v[PAWL__STEP_STATUS].text, "completed");
        history_check(h);
}

/* A question of a step that was given up holds nothing back: it is asked again. */
HISTORY_TEST(an_open_conflict_of_a_step_that_was_given_up_holds_nothing_back)
{
        pawl__row *rows;
        size_t n;

        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_take(h, 1, "");
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_blocked(h);
        history_requested(h, "c1", TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_ok(pawl__state_conflicts(&rows, &n, h->state, pawl__text("run-1"), pawl__text(NULL),
                true, &h->arena, &h->err));
        assert_int_equal(n, 1);
        h->step = NULL;
        int seq = history_roll_back(h, 1, 2, "false");
        history_rolled_back(h, seq, "done", "", "", STEP("one"));
        assert_ok(pawl__state_conflicts(&rows, &n, h->state, pawl__text("run-1"), pawl__text(NULL),
                true, &h->arena, &h->err));
        assert_int_equal(n, 0);
        history_check(h);
}

/* The column is JSON that only we write; the table may have been in other hands. */
HISTORY_TEST(a_row_of_a_rollback_that_was_changed_is_damage)
{
        static const char *const values[] = {"'{'", "'[]'", "'{}'", "'{\"steps\":[]}'",
                "'{\"run_id\":\"run-1\",\"status\":\"running\",\"current_step\":null,"
                "\"steps\":[{\"step_id\":\"two\"}]}'",
                "'{\"run_id\":\"run-1\",\"status\":\"running\",\"current_step\":7,\"steps\":[]}'",
                "'{\"run_id\":\"run-1\",\"status\":\"running\",\"current_step\":null,"
                "\"steps\":[7]}'"};

        history_run_all(h);
        int seq = history_roll_back(h, 1, 4, "false");
        history_rolled_back(h, seq, "done", "", "", STEP("two"));
        int undo = history_roll_back(h, 4, 5, "true");
        uint64_t head = history_head(h);
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
                char sql[400];
                snprintf(sql, sizeof sql, "UPDATE rollbacks SET steps_before = %s WHERE seq = %d",
                        values[i], seq);
                history_sql(h, sql);
                history_add(h, "WorkspaceRolledBack", ENDED, undo, "done", "", "", "");
                pawl_status status = history_commit(h);
                if (status != PAWL_EDAMAGED)
                        fail_msg("%s: %s", values[i], pawl_log_errmsg(h->log));
                assert_int_equal(history_head(h), head);
        }
        assert_ok(pawl__state_rebuild(h->log, &h->err));
        history_rolled_back(h, undo, "done", "", "", "");
        history_check(h);
}
