/* What the events of the workspace's checkpoints change, which are refused, and what is asked of
 * them. */
#include "state/undo_stacks.h"
#include "support/rollback_events.h"

static pawl__row workspace(struct history *h, int64_t n)
{
        return history_row_of(h, PAWL__WORKSPACE, n);
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

HISTORY_TEST(a_checkpoint_says_what_its_event_says)
{
        h->session = "session-1";
        history_take(h, 1,
                ",\"description\":\"Before\",\"state_hash\":\"" HASH_A
                "\",\"outputs_hash\":null,\"git\":{\"head\":\"0123\",\"branch\":null},"
                "\"ignored\":7,\"max_file\":9");
        history_take(h, 2, ",\"base\":1,\"safety\":true");
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
        history_check(h);
}

/* One that a worker took is its run's, and no place at which the workspace stands. */
HISTORY_TEST(a_checkpoint_of_a_run_alone_is_no_position_of_the_workspace)
{
        pawl__row row;

        history_take(h, 1, "");
        history_take(h, 2, ",\"of_run\":true,\"base\":1");
        assert_null(workspace(h, 2).v[PAWL__WCP_ROOT].text.data);
        assert_text(workspace(h, 2).v[PAWL__WCP_RUN].text, "run-1");
        row = workspace(h, 2);
        assert_true(pawl__row_of_run(&row));
        row = workspace(h, 1);
        assert_false(pawl__row_of_run(&row));
        assert_ok(pawl__state_workspace_newest_own(&row, h->state, &h->arena, &h->err));
        assert_int_equal(row.v[PAWL__WCP_N].integer, 1);
        assert_ok(pawl__state_workspace_of_run(
                &row, h->state, pawl__text("run-1"), &h->arena, &h->err));
        assert_int_equal(row.v[PAWL__WCP_N].integer, 2);
        assert_int_equal(pawl__state_workspace_of_run(
                                 &row, h->state, pawl__text("run-2"), &h->arena, &h->err),
                PAWL_ENOTFOUND);
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 3, 3, ",\"of_run\":7");
        history_refuses(h, PAWL_EINVAL, "payload.of_run: is not true or false");
        history_check(h);
}

#define SUBMITTED                                                                                  \
        "{\"steps\":[\"one\",\"two\"],\"scope_refs\":[],\"mission_path\":\"m/a.yaml\","            \
        "\"mission_file\":\"" HASH_A "\",\"checkpoint\":%d}"

static size_t in_line(struct history *h, pawl__row **rows)
{
        size_t n = 0;

        assert_ok(pawl__state_in_line(rows, &n, h->state, 10, &h->arena, &h->err));
        return n;
}

HISTORY_TEST(a_submitted_run_is_queued_until_it_is_claimed)
{
        pawl__row *rows;

        history_add(h, "RunSubmitted", SUBMITTED, 1);
        history_refuses(h, PAWL_ESTATE, "payload.checkpoint: names a checkpoint that is not there");
        h->run = NULL;
        history_take(h, 1, "");
        h->run = "run-1";
        history_append(h, "RunSubmitted", SUBMITTED, 1);
        pawl__row run = {.v[PAWL__RUN_ID].text = pawl__text("run-1")};
        assert_ok(pawl__state_get(h->state, PAWL__RUNS, &run, &h->arena, &h->err));
        assert_text(run.v[PAWL__RUN_STATUS].text, "queued");
        assert_text(run.v[PAWL__RUN_MISSION_PATH].text, "m/a.yaml");
        assert_int_equal(run.v[PAWL__RUN_STEPS].integer, 2);
        assert_int_equal(in_line(h, &rows), 1);
        history_add(h, "RunSubmitted", SUBMITTED, 1);
        history_refuses(h, PAWL_EEXISTS, "run run-1: has started already");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        assert_ok(pawl__state_get(h->state, PAWL__RUNS, &run, &h->arena, &h->err));
        assert_text(run.v[PAWL__RUN_STATUS].text, "running");
        assert_int_equal(in_line(h, &rows), 0);
        history_start(h, "[]");
        history_refuses(h, PAWL_EEXISTS, "run run-1: has started already");
        history_append(h, "RunFailed", "{\"reason\":\"no\"}");
        assert_int_equal(in_line(h, &rows), 0);
        history_check(h);
}

/* Each mission's first comes before any mission's second. */
HISTORY_TEST(those_in_line_take_turns_by_mission)
{
        static const char *const runs[] = {"a1", "a2", "a3", "b1", "b2", "c1"};
        static const char *const turns[] = {"a1", "b1", "c1", "a2", "b2", "a3"};
        pawl__row *rows;

        h->run = NULL;
        history_take(h, 1, "");
        for (size_t i = 0; i < 6; i++) {
                const char mission[] = {runs[i][0], '\0'};
                h->run = runs[i];
                h->mission = mission;
                history_append(h, "RunSubmitted", SUBMITTED, 1);
        }
        assert_int_equal(in_line(h, &rows), 6);
        for (size_t i = 0; i < 6; i++)
                assert_text(rows[i].v[PAWL__RUN_ID].text, turns[i]);

        /* The mission that a worker took last comes last, whenever the line is read again. */
        static const char *const after_a[] = {"b1", "c1", "a1", "b2", "a2", "a3"};
        h->mission = "a";
        h->run = NULL;
        h->session = "session-a";
        history_append(h, "SessionStarted", "{}");
        assert_int_equal(in_line(h, &rows), 6);
        for (size_t i = 0; i < 6; i++)
                assert_text(rows[i].v[PAWL__RUN_ID].text, after_a[i]);
        h->mission = "mission-1";
        history_check(h);
}

HISTORY_TEST(numbers_count_on_by_one)
{
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 2, 2, "");
        history_refuses(h, PAWL_ESTATE, "seq 1 (WorkspaceCheckpointed): payload.n: leaves numbers");
        history_take(h, 1, "");
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
        history_check(h);
}

HISTORY_TEST(a_tool_call_stands_right_after_its_checkpoint)
{
        static const char call[] = "{\"call_id\":\"c\",\"tool\":\"replace\",\"name\":\"c.json\","
                                   "\"document\":\"" HASH_A "\",\"checkpoint\":%d,"
                                   "\"checkpoint_id\":\"cp-%02d-one\"}";

        history_add(h, "ToolCallCheckpointed", call, 1, 1);
        history_refuses(h, PAWL_ESTATE,
                "seq 1 (ToolCallCheckpointed): payload.checkpoint: names a checkpoint that is not "
                "there");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 1, 1, "");
        history_add(h, "ToolCallCheckpointed", call, 1, 1);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_add(h, "ToolCallCheckpointed", call, 1, 1);
        history_refuses(h, PAWL_ESTATE, "payload.checkpoint: names one that was not taken right");
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, 2, 2, "");
        history_add(h, "ToolCallCheckpointed", call, 2, 1);
        history_refuses(h, PAWL_ESTATE, "payload.checkpoint_id: is not that of the checkpoint");
        assert_int_equal(history_head(h), 2);
        history_check(h);
}

HISTORY_TEST(members_of_a_checkpoint_are_of_their_form)
{
        static const struct {
                const char *more, *says;
        } cases[] = {
                {",\"description\":7", "payload.description: is no text"},
                {",\"state_hash\":\"00\"", "payload.state_hash: is not a hash"},
                {",\"outputs_hash\":7", "payload.outputs_hash: is no text"},
                {",\"git_rules\":\"00\"", "payload.git_rules: is not a hash"},
                {",\"git\":\"main\"", "payload.git: is no object"},
                {",\"git\":{\"head\":7}", "payload.git: has a member that is no text"},
                {",\"git\":{\"branch\":[]}", "payload.git: has a member that is no text"},
                {",\"base\":-1", "payload.base: is too small"},
                {",\"base\":\"1\"", "payload.base: is missing or no integer"},
                {",\"safety\":1", "payload.safety: is not true or false"},
                {",\"imported\":1", "payload.imported: is not true or false"},
                {",\"imported\":true", "payload.origin: does not say when"},
                {",\"imported\":true,\"origin\":7", "payload.origin: does not say when"},
                {",\"imported\":true,\"origin\":{\"time\":\"yesterday\"}",
                        "payload.origin: does not say when"},
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

/* What an archive brought is where the workspace stands for nobody. */
HISTORY_TEST(an_imported_one_has_its_step_and_time_and_no_root)
{
        pawl__row row;

        history_take(h, 1, "");
        history_take(h, 2,
                ",\"imported\":true,\"origin\":{\"time\":\"2026-01-20T14:30:00.000001Z\","
                "\"step_id\":\"draft\"}");
        row = workspace(h, 2);
        assert_true(pawl__text_is(row.v[PAWL__WCP_STEP].text, "draft"));
        assert_int_equal(row.v[PAWL__WCP_CREATED_US].integer, INT64_C(1768919400000001));
        assert_null(row.v[PAWL__WCP_ROOT].text.data);
        assert_ok(pawl__state_workspace_newest_own(&row, h->state, &h->arena, &h->err));
        assert_int_equal(row.v[PAWL__WCP_N].integer, 1);
        assert_ok(pawl__state_workspace_newest(&row, h->state, &h->arena, &h->err));
        assert_int_equal(row.v[PAWL__WCP_N].integer, 2);
        history_check(h);
}

HISTORY_TEST(a_checkpoint_becomes_invalid_once_and_valid_again)
{
        history_take(h, 1, "");
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
        history_check(h);

        history_add(h, "CheckpointInvalidated", "{\"n\":2,\"reason\":\"x\"}");
        history_refuses(h, PAWL_ESTATE, "payload.n: names a checkpoint that is not there");
        history_add(h, "CheckpointUpdated", "{\"n\":-7,\"pinned\":true}");
        history_refuses(h, PAWL_ESTATE, "payload.n: names a checkpoint that is not there");
        history_add(h, "CheckpointUpdated", "{\"n\":1,\"pinned\":1}");
        history_refuses(h, PAWL_EINVAL, "payload.pinned: is not true or false");
        history_add(h, "CheckpointUpdated", "{\"n\":1,\"valid\":\"yes\"}");
        history_refuses(h, PAWL_EINVAL, "payload.valid: is not true or false");
}

HISTORY_TEST(pruned_checkpoints_are_marked)
{
        history_take(h, 1, "");
        history_take(h, 2, "");
        history_take(h, 3, "");
        history_append(h, "Pruned",
                "{\"kind\":\"checkpoints\",\"pruned\":[1,3],\"contents\":2,\"bytes\":9}");
        history_append(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[3]}");
        assert_int_equal(workspace(h, 1).v[PAWL__WCP_PRUNED_SEQ].integer, 4);
        assert_int_equal(workspace(h, 2).v[PAWL__WCP_PRUNED_SEQ].integer, 0);
        assert_int_equal(workspace(h, 3).v[PAWL__WCP_PRUNED_SEQ].integer, 4);
        history_check(h);
        history_add(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[2,4]}");
        history_refuses(h, PAWL_ESTATE, "payload.pruned: names a checkpoint that is not there");
        history_add(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[\"2\"]}");
        history_refuses(h, PAWL_EINVAL, "payload.pruned: holds what is no checkpoint's number");
        history_add(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[2.5]}");
        history_refuses(h, PAWL_EINVAL, "payload.pruned: holds what is no checkpoint's number");
}

/* ---- Queries --------------------------------------------------------------------------------- */

HISTORY_TEST(the_newest_and_all_are_told_by_number)
{
        pawl__row row = {0}, *rows;
        size_t n = 9;

        assert_int_equal(
                pawl__state_workspace_newest(&row, h->state, &h->arena, &h->err), PAWL_ENOTFOUND);
        assert_ok(pawl__state_workspace_all(&rows, &n, h->state, &h->arena, &h->err));
        assert_int_equal(n, 0);
        for (int i = 1; i <= 12; i++)
                history_take(h, i, "");
        history_append(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[4]}");
        assert_ok(pawl__state_workspace_newest(&row, h->state, &h->arena, &h->err));
        assert_int_equal(row.v[PAWL__WCP_N].integer, 12);
        assert_ok(pawl__state_workspace_all(&rows, &n, h->state, &h->arena, &h->err));
        assert_int_equal(n, 12);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(rows[i].v[PAWL__WCP_N].integer, (int64_t)i + 1);
}

static size_t by_id(struct history *h, pawl__row rows[PAWL__CANDIDATES], const char *prefix)
{
        size_t n = 9;

        assert_ok(pawl__state_by_prefix(
                rows, &n, h->state, PAWL__WORKSPACE, pawl__text(prefix), &h->arena, &h->err));
        return n;
}

HISTORY_TEST(an_id_is_found_by_a_prefix_that_is_unique)
{
        static const char *const ids[] = {"cp-01-a", "cp-01-ab", "cp-02-a"};
        static const char *const shown[] = {"cp-01-a", "cp-01-ab", "cp-02"};
        pawl__row rows[PAWL__CANDIDATES];

        for (int i = 0; i < 3; i++)
                history_append(h, "WorkspaceCheckpointed",
                        "{\"n\":%d,\"id\":\"%s\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":"
                        "\"" TREE(1) "\",\"files\":0,\"bytes\":0,\"skipped\":0}",
                        i + 1, ids[i]);
        assert_int_equal(by_id(h, rows, "cp-02"), 1);
        assert_int_equal(rows[0].v[PAWL__WCP_N].integer, 3);
        assert_int_equal(by_id(h, rows, "cp-01"), 2);
        assert_int_equal(by_id(h, rows, "cp-01-a"), 2); /* its whole id comes first */
        assert_int_equal(rows[0].v[PAWL__WCP_N].integer, 1);
        assert_int_equal(by_id(h, rows, "cp-03"), 0);
        assert_int_equal(by_id(h, rows, ""), 3);
        for (int i = 0; i < 3; i++) {
                pawl_text id = pawl__text(ids[i]);
                assert_ok(pawl__state_short_id(&id, h->state, PAWL__WORKSPACE, &h->arena, &h->err));
                assert_true(pawl__text_is(id, shown[i]));
        }
}

static int64_t asked(struct history *h,
        pawl_status (*query)(pawl__row *, pawl__state *, pawl__arena *, pawl_error *))
{
        pawl__row row = {0};
        pawl_status status = query(&row, h->state, &h->arena, &h->err);

        assert_true(status == PAWL_OK || status == PAWL_ENOTFOUND);
        return row.v[PAWL__RB_SEQ].integer;
}

/* The seq of what an undo or a redo reverses next. */
static int64_t next(struct history *h, pawl__reversal by)
{
        pawl__undo_stacks stacks;

        assert_ok(pawl__undo_stacks_read(&stacks, h->state, &h->arena, &h->err));
        const pawl__undo_entry *top = pawl__undo_stacks_top(&stacks, by, "");
        return top ? top->row.v[PAWL__RB_SEQ].integer : 0;
}

HISTORY_TEST(rollbacks_are_found_by_what_became_of_them)
{
        h->run = h->step = NULL;
        history_take(h, 1, "");
        assert_int_equal(asked(h, pawl__state_rollback_pending), 0);
        assert_int_equal(asked(h, pawl__state_rollback_last), 0);
        int first = history_roll_back(h, 1, 2, "false");
        assert_int_equal(asked(h, pawl__state_rollback_pending), first);
        assert_int_equal(asked(h, pawl__state_rollback_last), 0);
        history_rolled_back(h, first, "done", "", "", "");
        assert_int_equal(asked(h, pawl__state_rollback_pending), 0);
        assert_int_equal(asked(h, pawl__state_rollback_last), first);
        int second = history_roll_back(h, 1, 3, "false");
        history_rolled_back(h, second, "done", "", "", "");
        assert_int_equal(next(h, PAWL__IS_UNDO), second);
        assert_int_equal(next(h, PAWL__IS_REDO), 0);
        int given_up = history_roll_back(h, 1, 4, "false");
        history_rolled_back(h, given_up, "abandoned", "", "", "");
        assert_int_equal(asked(h, pawl__state_rollback_last), second);
        int undo = history_roll_back(h, 3, 5, "true");
        history_rolled_back(h, undo, "done", "", "", "");
        assert_int_equal(asked(h, pawl__state_rollback_last), undo);
        assert_int_equal(next(h, PAWL__IS_UNDO), first); /* it walks back, and not forth again */
        assert_int_equal(next(h, PAWL__IS_REDO), undo);
        int redo = history_roll_back(h, 5, 6, "true");
        history_rolled_back(h, redo, "done", "", "", "");
        assert_int_equal(next(h, PAWL__IS_UNDO), redo);
        assert_int_equal(next(h, PAWL__IS_REDO), 0);
        undo = history_roll_back(h, 6, 7, "true");
        history_rolled_back(h, undo, "done", "", "", "");
        assert_int_equal(next(h, PAWL__IS_UNDO), first);
        assert_int_equal(next(h, PAWL__IS_REDO), undo);
        int third = history_roll_back(h, 1, 8, "false");
        history_rolled_back(h, third, "abandoned", "", "", "");
        assert_int_equal(next(h, PAWL__IS_REDO), undo);
        third = history_roll_back(h, 1, 9, "false");
        history_rolled_back(h, third, "done", "", "", "");
        assert_int_equal(next(h, PAWL__IS_UNDO), third);
        assert_int_equal(next(h, PAWL__IS_REDO), 0); /* a rollback ends what redo can do */
}

/* ---- Replays --------------------------------------------------------------------------------- */

HISTORY_TEST(a_replay_tells_of_them_and_filters_them_with_their_runs)
{
        history_run_all(h);
        int seq = history_roll_back(h, 1, 4, "false");
        history_rolled_back(h, seq, "done", "2", "", STEP("two"));
        h->mission = h->run = NULL;
        history_take(h, 5, ",\"description\":\"alone\"");
        char *all = history_replay(h, NULL);
        assert_says(all, "\"workspace_checkpoints\":[{\"n\":1,\"id\":\"cp-01-one\",\"seq\":");
        assert_says(all, "\"description\":\"alone\"");
        assert_says(all, "\"files\":3,\"bytes\":0,\"skipped\":1,");
        assert_says(all, "\"invalid_reason\":\"rolled back to 1\"");
        assert_says(all, "\"rollbacks\":[{\"seq\":");
        assert_says(all, "\"status\":\"done\"");
        char *of_run = history_replay(h, &(pawl__replay_filter){.run_id = pawl__text("run-1")});
        assert_says(of_run, "\"n\":4,");
        assert_says(of_run, "\"rollbacks\":[{\"seq\":");
        assert_null(strstr(of_run, "alone"));
        char *other = history_replay(h, &(pawl__replay_filter){.mission_id = pawl__text("m")});
        assert_says(other, "\"workspace_checkpoints\":[],\"rollbacks\":[]}");
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

HISTORY_TEST(a_fill_sees_what_others_appended)
{
        struct history other = {.now_us = h->now_us, .mission = "mission-1"};

        history_take(h, 1, "");
        assert_ok(pawl_log_open(&other.log, h->path, &h->options, &h->err));
        history_take(&other, 2, ""); /* by a handle that keeps no tables */
        pawl_log_close(other.log);
        pawl__batch_free(&other.batch);
        h->batch.prepare = fill_next;
        h->batch.prepare_user = h;
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_int_equal(workspace(h, 3).v[PAWL__WCP_SEQ].integer, 3);
        history_check(h);
}
