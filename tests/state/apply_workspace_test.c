/* What the events of the workspace's checkpoints and rollbacks change, and which are refused. */
#include "support/history.h"

#define TREE(digit) "000000000000000000000000000000000000000000000000000000000000000" #digit
#define CHECKPOINTED                                                                               \
        "{\"n\":%d,\"id\":\"cp-%02d-one\",\"trigger\":\"manual\",\"root\":\".\",\"tree\":"         \
        "\"" TREE(1) "\",\"files\":3,\"bytes\":0,\"skipped\":1%s}"
#define STARTED                                                                                    \
        "{\"target\":%d,\"safety\":%d,\"tree\":\"" TREE(1) "\",\"plan_hash\":\"" HASH_A            \
                                                           "\",\"undo\":%s%s}"
#define ENDED                                                                                      \
        "{\"started_seq\":%d,\"outcome\":\"%s\",\"invalidated\":[%s],\"revalidated\":[%s],"        \
        "\"steps\":[%s]}"
#define STEP(id) "{\"run_id\":\"run-1\",\"step_id\":\"" id "\"}"

static pawl__row row_of(struct history *h, pawl__table table, int64_t key)
{
        pawl__row row = {.v[0].integer = key};
        pawl_status status = pawl__state_get(h->state, table, &row, &h->arena, &h->err);

        if (status)
                fail_msg("%s %d: %s", pawl__tables[table].name, (int)key, pawl_status_name(status));
        return row;
}

static pawl__row workspace(struct history *h, int64_t n)
{
        return row_of(h, PAWL__WORKSPACE, n);
}

static void check(struct history *h)
{
        if (pawl__replay_check(h->log, &h->err))
                fail_msg("%s", h->err.message);
}

/* Checkpoint n, with more members. */
static void take(struct history *h, int n, const char *more)
{
        history_append(h, "WorkspaceCheckpointed", CHECKPOINTED, n, n, more);
}

/* A rollback from here on: its safety copy n and its start. The seq of that. */
static int start(struct history *h, int target, int n, const char *undo)
{
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, n, n, ",\"safety\":true");
        history_add(h, "WorkspaceRollbackStarted", STARTED, target, n, undo, "");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        return (int)history_head(h);
}

static void end(struct history *h, int seq, const char *outcome, const char *invalidated,
        const char *revalidated, const char *steps)
{
        history_append(
                h, "WorkspaceRolledBack", ENDED, seq, outcome, invalidated, revalidated, steps);
}

/* ---- Checkpoints -------------------------------------------------------------------------------
 */

static void a_checkpoint_says_what_its_event_says(void **state)
{
        struct history *h = *state;

        h->session = "session-1";
        take(h, 1,
                ",\"description\":\"Before\",\"state_hash\":\"" HASH_A
                "\",\"outputs_hash\":null,\"git\":{\"head\":\"0123\",\"branch\":null},"
                "\"ignored\":7,\"max_file\":9");
        take(h, 2, ",\"base\":1,\"safety\":true");
        pawl__row one = workspace(h, 1), two = workspace(h, 2);
        assert_int_equal(one.v[PAWL__WCP_SEQ].integer, 1);
        assert_text(one.v[PAWL__WCP_ID].text, "cp-01-one");
        assert_text(one.v[PAWL__WCP_MISSION].text, "mission-1");
        assert_text(one.v[PAWL__WCP_RUN].text, "run-1");
        assert_text(one.v[PAWL__WCP_STEP].text, "one");
        assert_text(one.v[PAWL__WCP_SESSION].text, "session-1");
        assert_text(one.v[PAWL__WCP_TRIGGER].text, "manual");
        assert_text(one.v[PAWL__WCP_DESCRIPTION].text, "Before");
        assert_text(one.v[PAWL__WCP_ROOT].text, ".");
        assert_text(one.v[PAWL__WCP_TREE].text, TREE(1));
        assert_int_equal(one.v[PAWL__WCP_FILES].integer, 3);
        assert_int_equal(one.v[PAWL__WCP_SKIPPED].integer, 1);
        assert_text(one.v[PAWL__WCP_STATE_HASH].text, HASH_A);
        assert_null(one.v[PAWL__WCP_OUTPUTS_HASH].text.data);
        assert_text(one.v[PAWL__WCP_GIT_HEAD].text, "0123");
        assert_null(one.v[PAWL__WCP_GIT_BRANCH].text.data);
        assert_int_equal(one.v[PAWL__WCP_BASE].integer, 0);
        assert_int_equal(one.v[PAWL__WCP_SAFETY].integer, 0);
        assert_true(one.v[PAWL__WCP_CREATED_US].integer > INT64_C(1795177700000000));
        assert_int_equal(two.v[PAWL__WCP_BASE].integer, 1);
        assert_int_equal(two.v[PAWL__WCP_SAFETY].integer, 1);
        check(h);
}

static void numbers_count_on_by_one(void **state)
{
        struct history *h = *state;

        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 2, 2, "");
        history_refuses(h, PAWL_ESTATE, "seq 1 (WorkspaceCheckpointed): payload.n: leaves numbers");
        take(h, 1, "");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 1, 1, "");
        history_refuses(h, PAWL_EEXISTS, "payload.n: is that of a checkpoint that is there");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 3, 3, "");
        history_refuses(h, PAWL_ESTATE, "payload.n: leaves numbers out");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 0, 0, "");
        history_refuses(h, PAWL_EINVAL, "payload.n: is too small");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 2, 2, ",\"base\":2");
        history_refuses(h, PAWL_ESTATE, "payload.base: names a checkpoint that is not there");
        /* In one append, too. */
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 2, 2, ",\"base\":1");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 3, 3, ",\"base\":2");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        check(h);
}

static void members_of_a_checkpoint_are_of_their_form(void **state)
{
        struct history *h = *state;
        static const struct {
                const char *more, *says;
        } cases[] = {
                {",\"description\":7", "payload.description: is no text"},
                {",\"state_hash\":\"00\"", "payload.state_hash: is not a hash"},
                {",\"outputs_hash\":7", "payload.outputs_hash: is no text"},
                {",\"git\":\"main\"", "payload.git: is no object"},
                {",\"git\":{\"head\":7}", "payload.git: has a member that is no text"},
                {",\"git\":{\"branch\":[]}", "payload.git: has a member that is no text"},
                {",\"base\":-1", "payload.base: is too small"},
                {",\"base\":\"1\"", "payload.base: is missing or no integer"},
                {",\"safety\":1", "payload.safety: is not true or false"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 1, 1, cases[i].more);
                history_refuses(h, PAWL_EINVAL, cases[i].says);
        }
        static const struct {
                const char *id, *trigger, *files, *says;
        } forms[] = {
                {"", "auto", "1", "payload.id: is not made of"},
                {"a b", "auto", "1", "payload.id: is not made of"},
                {"../x", "auto", "1", "payload.id: is not made of"},
                {"a", "often", "1", "payload.trigger: is neither"},
                {"a", "auto", "-1", "payload.files: is too small"},
        };
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
                history_add(h, "WorkspaceCheckpointed",
                        "{\"n\":1,\"id\":\"%s\",\"trigger\":\"%s\",\"root\":\".\",\"tree\":\"" TREE(
                                1) "\",\"files\":%s,\"bytes\":0,\"skipped\":0}",
                        forms[i].id, forms[i].trigger, forms[i].files);
                history_refuses(h, PAWL_EINVAL, forms[i].says);
        }
}

static void a_checkpoint_becomes_invalid_once_and_valid_again(void **state)
{
        struct history *h = *state;

        take(h, 1, "");
        history_append(h, "CheckpointInvalidated", "{\"n\":1,\"reason\":\"a.txt is damaged\"}");
        history_append(h, "CheckpointInvalidated", "{\"n\":1,\"reason\":\"later\"}");
        pawl__row row = workspace(h, 1);
        assert_int_equal(row.v[PAWL__WCP_INVALID_SEQ].integer, 2);
        assert_text(row.v[PAWL__WCP_INVALID_REASON].text, "a.txt is damaged");
        history_append(h, "CheckpointUpdated", "{\"n\":1,\"pinned\":true}");
        row = workspace(h, 1);
        assert_int_equal(row.v[PAWL__WCP_INVALID_SEQ].integer, 2);
        assert_int_equal(row.v[PAWL__WCP_PINNED].integer, 1);
        history_append(h, "CheckpointUpdated", "{\"n\":1,\"valid\":true}");
        row = workspace(h, 1);
        assert_int_equal(row.v[PAWL__WCP_INVALID_SEQ].integer, 0);
        assert_null(row.v[PAWL__WCP_INVALID_REASON].text.data);
        assert_int_equal(row.v[PAWL__WCP_PINNED].integer, 1);
        history_append(h, "CheckpointUpdated", "{\"n\":1,\"pinned\":false}");
        assert_int_equal(workspace(h, 1).v[PAWL__WCP_PINNED].integer, 0);
        check(h);

        history_add(h, "CheckpointInvalidated", "{\"n\":2,\"reason\":\"x\"}");
        history_refuses(h, PAWL_ESTATE, "payload.n: names a checkpoint that is not there");
        history_add(h, "CheckpointUpdated", "{\"n\":-7,\"pinned\":true}");
        history_refuses(h, PAWL_ESTATE, "payload.n: names a checkpoint that is not there");
        history_add(h, "CheckpointUpdated", "{\"n\":1,\"pinned\":1}");
        history_refuses(h, PAWL_EINVAL, "payload.pinned: is not true or false");
        history_add(h, "CheckpointUpdated", "{\"n\":1,\"valid\":\"yes\"}");
        history_refuses(h, PAWL_EINVAL, "payload.valid: is not true or false");
}

static void pruned_checkpoints_are_marked(void **state)
{
        struct history *h = *state;

        take(h, 1, "");
        take(h, 2, "");
        take(h, 3, "");
        history_append(h, "Pruned",
                "{\"kind\":\"checkpoints\",\"pruned\":[1,3],\"contents\":2,\"bytes\":9}");
        history_append(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[3]}");
        assert_int_equal(workspace(h, 1).v[PAWL__WCP_PRUNED_SEQ].integer, 4);
        assert_int_equal(workspace(h, 2).v[PAWL__WCP_PRUNED_SEQ].integer, 0);
        assert_int_equal(workspace(h, 3).v[PAWL__WCP_PRUNED_SEQ].integer, 4);
        check(h);
        history_add(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[2,4]}");
        history_refuses(h, PAWL_ESTATE, "payload.pruned: names a checkpoint that is not there");
        history_add(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[\"2\"]}");
        history_refuses(h, PAWL_EINVAL, "payload.pruned: holds what is no checkpoint's number");
        history_add(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[2.5]}");
        history_refuses(h, PAWL_EINVAL, "payload.pruned: holds what is no checkpoint's number");
}

/* ---- Rollbacks ---------------------------------------------------------------------------------
 */

static void a_rollback_that_started_keeps_everything_else_out_until_it_ends(void **state)
{
        struct history *h = *state;

        h->run = h->step = NULL;
        take(h, 1, "");
        take(h, 2, "");
        int seq = start(h, 1, 3, "false");
        pawl__row row = row_of(h, PAWL__ROLLBACKS, seq);
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

        end(h, seq, "abandoned", "", "", "");
        row = row_of(h, PAWL__ROLLBACKS, seq);
        assert_text(row.v[PAWL__RB_STATUS].text, "abandoned");
        assert_int_equal(row.v[PAWL__RB_ENDED_SEQ].integer, history_head(h));
        assert_null(row.v[PAWL__RB_STEPS_BEFORE].text.data);
        history_add(h, "WorkspaceRolledBack", ENDED, seq, "done", "", "", "");
        history_refuses(h, PAWL_ESTATE, "payload.started_seq: is not that of a rollback that is");
        take(h, 4, "");
        check(h);
}

static void what_a_rollback_names_must_be_there(void **state)
{
        struct history *h = *state;

        h->run = h->step = NULL;
        take(h, 1, "");
        take(h, 2, ",\"safety\":true");
        take(h, 3, "");
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
        end(h, seq, "done", "", "", "");
        assert_text(row_of(h, PAWL__ROLLBACKS, seq).v[PAWL__RB_STATUS].text, "done");
        check(h);
}

static void checkpoints_become_invalid_and_valid_with_rollbacks(void **state)
{
        struct history *h = *state;

        h->run = h->step = NULL;
        take(h, 1, "");
        take(h, 2, "");
        take(h, 3, "");
        history_append(h, "CheckpointInvalidated", "{\"n\":3,\"reason\":\"damaged\"}");
        int seq = start(h, 1, 4, "false");
        end(h, seq, "done", "2,3", "", "");
        int ended = (int)history_head(h);
        assert_int_equal(workspace(h, 2).v[PAWL__WCP_INVALID_SEQ].integer, ended);
        assert_text(workspace(h, 2).v[PAWL__WCP_INVALID_REASON].text, "rolled back to 1");
        assert_text(workspace(h, 3).v[PAWL__WCP_INVALID_REASON].text, "damaged");
        assert_int_equal(workspace(h, 1).v[PAWL__WCP_INVALID_SEQ].integer, 0);
        assert_text(row_of(h, PAWL__ROLLBACKS, seq).v[PAWL__RB_STATUS].text, "done");
        check(h);

        int undo = start(h, 4, 5, "true");
        end(h, undo, "done", "", "2", "");
        assert_int_equal(workspace(h, 2).v[PAWL__WCP_INVALID_SEQ].integer, 0);
        assert_null(workspace(h, 2).v[PAWL__WCP_INVALID_REASON].text.data);
        assert_text(row_of(h, PAWL__ROLLBACKS, seq).v[PAWL__RB_STATUS].text, "undone");
        assert_text(row_of(h, PAWL__ROLLBACKS, undo).v[PAWL__RB_STATUS].text, "done");
        check(h);

        /* What was undone is not undone again; the undoing can be. */
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 6, 6, ",\"safety\":true");
        history_add(h, "WorkspaceRollbackStarted", STARTED, 4, 6, "true", "");
        history_refuses(h, PAWL_ESTATE, "there is nothing to undo");
        int redo = start(h, 5, 6, "true");
        end(h, redo, "done", "2", "", "");
        assert_text(row_of(h, PAWL__ROLLBACKS, undo).v[PAWL__RB_STATUS].text, "undone");
        check(h);
}

/* ---- Steps -------------------------------------------------------------------------------------
 */

/* A run of one, two and three, with a checkpoint after each: all done. */
static void run_all(struct history *h)
{
        history_start(h, "[\"one\",\"two\",\"three\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        static const char *const steps[] = {"one", "two", "three"};
        for (int i = 0; i < 3; i++) {
                h->step = steps[i];
                history_step_started(h);
                history_evaluated(h);
                history_checkpointed(h, "post_gate", i == 2 ? TOKEN(3) : i ? TOKEN(2) : TOKEN(1));
                history_completed(h);
                check_ok(h, history_commit(h), __FILE__, __LINE__);
                take(h, i + 1, "");
        }
        h->step = NULL;
        history_append(h, "RunCompleted", "{}");
}

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
        assert_int_equal(pawl__row_diff(PAWL__RUNS, &now, run_1), -1);
        for (int i = 0; i < 3; i++) {
                now = step(h, ids[i]);
                assert_int_equal(pawl__row_diff(PAWL__STEPS, &now, &steps[i]), -1);
        }
}

static void steps_that_are_given_up_are_pending_until_it_is_undone(void **state)
{
        struct history *h = *state;

        run_all(h);
        pawl__row before = run(h), steps[3] = {step(h, "one"), step(h, "two"), step(h, "three")};
        int seq = start(h, 1, 4, "false");
        end(h, seq, "done", "2,3", "", STEP("three") "," STEP("two"));
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
        check(h);

        /* It goes on with two, and is at work on it when it is undone. */
        h->step = "two";
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        pawl__row between = run(h), between_two = step(h, "two");
        assert_text(between.v[PAWL__RUN_CURRENT].text, "two");
        h->step = NULL;
        int undo = start(h, 4, 5, "true");
        end(h, undo, "done", "", "2,3", STEP("two"));
        check_same(h, &before, steps);
        check(h);

        /* And that too can be undone. */
        int redo = start(h, 5, 6, "true");
        end(h, redo, "done", "2,3", "", "");
        pawl__row again[3] = {steps[0], between_two, step(h, "three")};
        assert_text(again[2].v[PAWL__STEP_STATUS].text, "pending");
        between.v[PAWL__RUN_STATUS].text = pawl__text("interrupted"); /* nobody is at it now */
        check_same(h, &between, again);
        check(h);
}

static void what_came_after_stays_when_it_is_undone(void **state)
{
        struct history *h = *state;

        run_all(h);
        int seq = start(h, 2, 4, "false");
        end(h, seq, "done", "3", "", STEP("three"));
        h->step = "four"; /* which the mission did not name */
        history_step_started(h);
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        h->step = NULL;
        int undo = start(h, 4, 5, "true");
        end(h, undo, "done", "", "3", "");
        assert_int_equal(run(h).v[PAWL__RUN_DONE].integer, 4);
        assert_text(run(h).v[PAWL__RUN_STATUS].text, "completed");
        assert_text(step(h, "four").v[PAWL__STEP_STATUS].text, "completed");
        check(h);
}

static void steps_are_given_up_by_the_owner_of_their_run_alone(void **state)
{
        struct history *h = *state;

        run_all(h);
        int seq = start(h, 1, 4, "false");
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
        end(h, seq, "done", "", "", STEP("two"));

        /* And they come back by an event of their run. */
        int undo = start(h, 4, 5, "true");
        h->run = NULL;
        history_add(h, "WorkspaceRolledBack", ENDED, undo, "done", "", "", "");
        history_refuses(h, PAWL_EINVAL, "run_id: is not the run whose steps come back");
        h->run = "run-1";
        end(h, undo, "done", "", "", "");
        assert_text(step(h, "two").v[PAWL__STEP_STATUS].text, "completed");
        check(h);
}

/* A question of a step that was given up holds nothing back: it is asked again. */
static void an_open_conflict_of_a_step_that_was_given_up_holds_nothing_back(void **state)
{
        struct history *h = *state;
        pawl__row *rows;
        size_t n;

        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        take(h, 1, "");
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_blocked(h);
        history_requested(h, "c1", TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_int_equal(pawl__state_conflicts(&rows, &n, h->state, pawl__text("run-1"),
                                 pawl__text(NULL), true, &h->arena, &h->err),
                PAWL_OK);
        assert_int_equal(n, 1);
        h->step = NULL;
        int seq = start(h, 1, 2, "false");
        end(h, seq, "done", "", "", STEP("one"));
        assert_int_equal(pawl__state_conflicts(&rows, &n, h->state, pawl__text("run-1"),
                                 pawl__text(NULL), true, &h->arena, &h->err),
                PAWL_OK);
        assert_int_equal(n, 0);
        check(h);
}

/* The column is JSON that only we write; the table may have been in other hands. */
static void a_row_of_a_rollback_that_was_changed_is_damage(void **state)
{
        struct history *h = *state;
        static const char *const values[] = {"'{'", "'[]'", "'{}'", "'{\"steps\":[]}'",
                "'{\"run_id\":\"run-1\",\"status\":\"running\",\"current_step\":null,"
                "\"steps\":[{\"step_id\":\"two\"}]}'",
                "'{\"run_id\":\"run-1\",\"status\":\"running\",\"current_step\":7,\"steps\":[]}'",
                "'{\"run_id\":\"run-1\",\"status\":\"running\",\"current_step\":null,"
                "\"steps\":[7]}'"};

        run_all(h);
        int seq = start(h, 1, 4, "false");
        end(h, seq, "done", "", "", STEP("two"));
        int undo = start(h, 4, 5, "true");
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
        assert_int_equal(pawl__state_rebuild(h->log, &h->err), PAWL_OK);
        end(h, undo, "done", "", "", "");
        check(h);
}

/* ---- Queries -----------------------------------------------------------------------------------
 */

static void the_newest_and_all_are_told_by_number(void **state)
{
        struct history *h = *state;
        pawl__row row = {0}, *rows;
        size_t n = 9;

        assert_int_equal(
                pawl__state_workspace_newest(&row, h->state, &h->arena, &h->err), PAWL_ENOTFOUND);
        assert_int_equal(
                pawl__state_workspace_all(&rows, &n, h->state, &h->arena, &h->err), PAWL_OK);
        assert_int_equal(n, 0);
        for (int i = 1; i <= 12; i++)
                take(h, i, "");
        history_append(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[4]}");
        assert_int_equal(pawl__state_workspace_newest(&row, h->state, &h->arena, &h->err), PAWL_OK);
        assert_int_equal(row.v[PAWL__WCP_N].integer, 12);
        assert_int_equal(
                pawl__state_workspace_all(&rows, &n, h->state, &h->arena, &h->err), PAWL_OK);
        assert_int_equal(n, 12);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(rows[i].v[PAWL__WCP_N].integer, (int64_t)i + 1);
}

static size_t by_id(struct history *h, pawl__row rows[2], const char *prefix)
{
        size_t n = 9;

        assert_int_equal(pawl__state_workspace_by_id(
                                 rows, &n, h->state, pawl__text(prefix), &h->arena, &h->err),
                PAWL_OK);
        return n;
}

static void an_id_is_found_by_a_prefix_that_is_unique(void **state)
{
        struct history *h = *state;
        static const char *const ids[] = {"cp-01-a", "cp-01-ab", "cp-02-a"};
        pawl__row rows[2];

        for (int i = 0; i < 3; i++)
                history_append(h, "WorkspaceCheckpointed",
                        "{\"n\":%d,\"id\":\"%s\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":"
                        "\"" TREE(1) "\",\"files\":0,\"bytes\":0,\"skipped\":0}",
                        i + 1, ids[i]);
        assert_int_equal(by_id(h, rows, "cp-02"), 1);
        assert_int_equal(rows[0].v[PAWL__WCP_N].integer, 3);
        assert_int_equal(by_id(h, rows, "cp-01"), 2);
        assert_int_equal(by_id(h, rows, "cp-01-a"), 1); /* its whole id */
        assert_int_equal(rows[0].v[PAWL__WCP_N].integer, 1);
        assert_int_equal(by_id(h, rows, "cp-03"), 0);
        assert_int_equal(by_id(h, rows, ""), 2);
}

static int64_t asked(struct history *h,
        pawl_status (*query)(pawl__row *, pawl__state *, pawl__arena *, pawl_error *))
{
        pawl__row row = {0};
        pawl_status status = query(&row, h->state, &h->arena, &h->err);

        assert_true(status == PAWL_OK || status == PAWL_ENOTFOUND);
        return row.v[PAWL__RB_SEQ].integer;
}

static void rollbacks_are_found_by_what_became_of_them(void **state)
{
        struct history *h = *state;

        h->run = h->step = NULL;
        take(h, 1, "");
        assert_int_equal(asked(h, pawl__state_rollback_pending), 0);
        assert_int_equal(asked(h, pawl__state_rollback_last), 0);
        int first = start(h, 1, 2, "false");
        assert_int_equal(asked(h, pawl__state_rollback_pending), first);
        assert_int_equal(asked(h, pawl__state_rollback_last), 0);
        end(h, first, "done", "", "", "");
        assert_int_equal(asked(h, pawl__state_rollback_pending), 0);
        assert_int_equal(asked(h, pawl__state_rollback_last), first);
        int second = start(h, 1, 3, "false");
        end(h, second, "done", "", "", "");
        assert_int_equal(asked(h, pawl__state_rollback_to_undo), second);
        int given_up = start(h, 1, 4, "false");
        end(h, given_up, "abandoned", "", "", "");
        assert_int_equal(asked(h, pawl__state_rollback_last), second);
        int undo = start(h, 3, 5, "true");
        end(h, undo, "done", "", "", "");
        assert_int_equal(asked(h, pawl__state_rollback_last), undo);
        assert_int_equal(asked(h, pawl__state_rollback_to_undo), first);
}

/* ---- Replays -----------------------------------------------------------------------------------
 */

static void a_replay_tells_of_them_and_filters_them_with_their_runs(void **state)
{
        struct history *h = *state;

        run_all(h);
        int seq = start(h, 1, 4, "false");
        end(h, seq, "done", "2", "", STEP("two"));
        h->mission = h->run = NULL;
        take(h, 5, ",\"description\":\"alone\"");
        char *all = history_replay(h, NULL);
        assert_says(all, "\"workspace_checkpoints\":[{\"n\":1,\"id\":\"cp-01-one\",\"seq\":");
        assert_says(all, "\"description\":\"alone\"");
        assert_says(all, "\"files\":3,\"bytes\":0,\"skipped\":1,");
        assert_says(all, "\"invalid_reason\":\"rolled back to 1\"");
        assert_says(all, "\"rollbacks\":[{\"seq\":");
        assert_says(all, "\"status\":\"done\"");
        free(all);
        char *of_run = history_replay(h, &(pawl__replay_filter){.run_id = pawl__text("run-1")});
        assert_says(of_run, "\"n\":4,");
        assert_says(of_run, "\"rollbacks\":[{\"seq\":");
        assert_null(strstr(of_run, "alone"));
        free(of_run);
        char *other = history_replay(h, &(pawl__replay_filter){.mission_id = pawl__text("m")});
        assert_says(other, "\"workspace_checkpoints\":[],\"rollbacks\":[]}");
        free(other);
}

/* A fill asks the tables for the number that comes next, also when others appended meanwhile. */
static pawl_status fill_next(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct history *h = user;
        pawl__row newest;
        pawl_status status = pawl__state_workspace_newest(&newest, h->state, &h->arena, err);

        (void)log, (void)batch;
        if (status)
                return status;
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED,
                (int)newest.v[PAWL__WCP_N].integer + 1, 7, "");
        return PAWL_OK;
}

static void a_fill_sees_what_others_appended(void **state)
{
        struct history *h = *state;
        struct history other = {.now_us = h->now_us, .mission = "mission-1"};

        take(h, 1, "");
        assert_int_equal(pawl_log_open(&other.log, h->path, &h->options, &h->err), PAWL_OK);
        take(&other, 2, ""); /* by a handle that keeps no tables */
        pawl_log_close(other.log);
        pawl__batch_free(&other.batch);
        h->batch.fill = fill_next;
        h->batch.fill_user = h;
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_int_equal(workspace(h, 3).v[PAWL__WCP_SEQ].integer, 3);
        check(h);
}

#define HISTORY_TEST(name) cmocka_unit_test_setup_teardown(name, history_setup, history_teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                HISTORY_TEST(a_checkpoint_says_what_its_event_says),
                HISTORY_TEST(numbers_count_on_by_one),
                HISTORY_TEST(members_of_a_checkpoint_are_of_their_form),
                HISTORY_TEST(a_checkpoint_becomes_invalid_once_and_valid_again),
                HISTORY_TEST(pruned_checkpoints_are_marked),
                HISTORY_TEST(a_rollback_that_started_keeps_everything_else_out_until_it_ends),
                HISTORY_TEST(what_a_rollback_names_must_be_there),
                HISTORY_TEST(checkpoints_become_invalid_and_valid_with_rollbacks),
                HISTORY_TEST(steps_that_are_given_up_are_pending_until_it_is_undone),
                HISTORY_TEST(what_came_after_stays_when_it_is_undone),
                HISTORY_TEST(steps_are_given_up_by_the_owner_of_their_run_alone),
                HISTORY_TEST(an_open_conflict_of_a_step_that_was_given_up_holds_nothing_back),
                HISTORY_TEST(a_row_of_a_rollback_that_was_changed_is_damage),
                HISTORY_TEST(the_newest_and_all_are_told_by_number),
                HISTORY_TEST(an_id_is_found_by_a_prefix_that_is_unique),
                HISTORY_TEST(rollbacks_are_found_by_what_became_of_them),
                HISTORY_TEST(a_replay_tells_of_them_and_filters_them_with_their_runs),
                HISTORY_TEST(a_fill_sees_what_others_appended),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
