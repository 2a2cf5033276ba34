/* Going back to a checkpoint, undoing that, and ending what was interrupted: on real files. */
#include "replaced/files.h"
#include "support/rollbacks.h"
#include <errno.h>
#include <unistd.h>

static int tear_down(void **state)
{
        files_leave();
        return rollbacks_teardown(state);
}

#define TEST(name) UNIT_TEST_WITH(name, rollbacks *f, rollbacks_setup, tear_down)

/* ---- There and back ----------------------------------------------------------------------- */

TEST(it_goes_back_and_is_undone)
{
        tree_hash one = rollbacks_first(f);

        rollbacks_second(f);
        rollbacks_put(f, "sub/c", "edited since");
        tree_hash edited = rollbacks_now(f);
        for (int i = 0; i < 2; i++) {
                rollbacks_to(f, "1");
                rollbacks_check_tree(f, one);
                rollbacks_check_info(f, 1, true, true);
                rollbacks_check_given_up(f, 2, true);
                rollbacks_none_pending(f);
                rollbacks_undo(f);
                rollbacks_check_tree(f, edited);
                rollbacks_check_given_up(f, 2, false);
                rollbacks_none_pending(f);
        }
        assert_int_equal(event_log_count(f->log), 2 + 4 * 3);
}

TEST(nothing_to_undo_is_said)
{
        rollbacks_first(f);
        assert_int_equal(
                pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err), PAWL_ENOTFOUND);
        assert_says(f->err.message, "no rollback or restore is left that can be undone");
        assert_int_equal(event_log_count(f->log), 1);
}

TEST(what_is_not_ours_stays)
{
        rollbacks_first(f);
        rollbacks_second(f);
        rollbacks_put(f, "mine", "never recorded");
        rollbacks_put(f, "new/mine", "never recorded");
        rollbacks_put(f, "new/x.log", "ignored");
        rollbacks_put(f, "b/x.log", "ignored, and in the way of a file");
        rollbacks_to(f, "1");
        rollbacks_check_file(f, "mine", "never recorded");
        rollbacks_check_file(f, "new/mine", "never recorded");
        rollbacks_check_file(f, "new/x.log", "ignored");
        rollbacks_check_file(f, "b/x.log", "ignored, and in the way of a file");
        rollbacks_check_file(f, "a", "one");
        assert_int_equal(access(path_in(f->log->directory, "new/e"), F_OK), -1);
        tree_hash back = rollbacks_now(f);
        rollbacks_undo(f);
        rollbacks_check_file(f, "new/e", "two");
        rollbacks_check_file(f, "b/d", "two");
        rollbacks_to(f, "1");
        rollbacks_check_tree(f, back);
}

/* The rules change with the files: what was ignored when the rollback began is not taken for the
 * checkpoint's own afterwards. */
TEST(rules_that_go_back_too_bring_no_harm)
{
        rollbacks_put(f, "data", "recorded");
        assert_int_equal(rollbacks_checkpoint(f), 1);
        rollbacks_put(f, ".gitignore", "data\n");
        rollbacks_put(f, "data", "ignored since");
        rollbacks_put(f, "other", "x");
        assert_int_equal(rollbacks_checkpoint(f), 2);
        rollbacks_to(f, "1");
        rollbacks_check_file(f, "data", "recorded");
        rollbacks_none_pending(f);
        rollbacks_undo(f);
        rollbacks_check_file(f, ".gitignore", "data\n");
        rollbacks_check_file(f, "data", "ignored since");
}

/* What the target has comes back though a rule hides it now; what else is hidden beside it is no
 * part of the safety copy, and stays. */
TEST(what_is_ignored_since_goes_back_too)
{
        static const char *const rules[] = {".gitignore", ".pawlignore"};

        rollbacks_mkdir(f, "out");
        rollbacks_mkdir(f, "out/deep");
        rollbacks_put(f, "out/deep/x", "one");
        rollbacks_put(f, "out/gone", "one");
        rollbacks_put(f, "a.log", "one");
        assert_int_equal(rollbacks_checkpoint(f), 1);
        for (size_t i = 0; i < 2; i++) {
                rollbacks_put(f, rules[i], "out/\n*.log\n");
                rollbacks_put(f, "out/deep/x", "two");
                rollbacks_put(f, "out/deep/hidden", "two");
                rollbacks_put(f, "a.log", "two");
                rollbacks_put(f, "b.log", "two");
                rollbacks_drop(f, "out/gone");
                (void)rollbacks_checkpoint(f);
                for (size_t k = 0; k < 2; k++) {
                        rollbacks_to(f, "1");
                        rollbacks_check_file(f, "out/deep/x", "one");
                        rollbacks_check_file(f, "out/gone", "one");
                        rollbacks_check_file(f, "out/deep/hidden", "two");
                        rollbacks_check_file(f, "a.log", "one");
                        rollbacks_check_file(f, "b.log", "two");
                        rollbacks_undo(f);
                        rollbacks_check_file(f, "out/deep/x", "two");
                        rollbacks_check_file(f, "out/deep/hidden", "two");
                        rollbacks_check_file(f, "a.log", "two");
                        rollbacks_check_file(f, "b.log", "two");
                        rollbacks_check_file(f, rules[i], "out/\n*.log\n");
                }
                rollbacks_to(f, "1");
                rollbacks_drop(f, "out/deep/hidden");
                rollbacks_drop(f, "b.log");
        }
}

/* The same where the rule is none of the workspace's files, and stays. */
TEST(a_rule_that_stays_hides_nothing_from_a_rollback)
{
        static const char *const exclude = "out";
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;

        rollbacks_mkdir(f, "out");
        rollbacks_put(f, "out/x", "one");
        assert_int_equal(rollbacks_checkpoint(f), 1);
        options.exclude = &exclude;
        options.n_exclude = 1;
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture;
        rollbacks_must(
                f, pawl_workspace_checkpoint(&capture, f->log->log, &request, &options, &f->err));
        pawl_workspace_capture_free(capture);
        rollbacks_put(f, "out/x", "two");
        rollbacks_put(f, "out/y", "two");
        for (size_t i = 0; i < 3; i++) {
                rollbacks_to(f, "1");
                rollbacks_check_file(f, "out/x", "one");
                rollbacks_undo(f);
                rollbacks_check_file(f, "out/x", "two");
                rollbacks_check_file(f, "out/y", "two");
        }
        (void)rollbacks_checkpoint(f); /* for which the rule still holds */
        rollbacks_put(f, "out/x", "three");
        request.only_if_changed = true;
        assert_int_equal(pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err),
                PAWL_DONE);
        pawl_workspace_capture_free(capture);
}

/* ---- What is refused ---------------------------------------------------------------------- */

TEST(what_is_none_or_was_pruned_is_refused)
{
        rollbacks_refused(f, "1", NULL, PAWL_ENOTFOUND, "has no checkpoint");
        rollbacks_first(f);
        rollbacks_second(f);
        rollbacks_refused(f, "3", NULL, PAWL_ENOTFOUND, "checkpoint 3");
        event_log_sql(f->log, "UPDATE workspace_checkpoints SET pruned_seq = 5 WHERE n = 1");
        rollbacks_refused(f, "1", NULL, PAWL_ESTATE, "was pruned");
}

/* Whatever content is lost, of the target or of what is there now: nothing is touched, or all
 * of it can be brought back. */
TEST(what_does_not_verify_is_refused)
{
        int64_t of_target = 0, of_now = 0;

        rollbacks_first(f);
        rollbacks_second(f);
        event_log_sql(f->log, "CREATE TABLE kept AS SELECT * FROM packed");
        int64_t n = event_log_integer(f->log, "SELECT max(rowid) FROM kept");
        for (int64_t i = 1; i <= n; i++) {
                int64_t events = event_log_count(f->log);
                tree_hash before = rollbacks_now(f);
                char sql[256];
                snprintf(sql, sizeof sql,
                        "DELETE FROM packed WHERE hash = (SELECT hash FROM kept WHERE rowid = %d)",
                        (int)i);
                event_log_sql(f->log, sql);
                pawl_status status =
                        pawl_workspace_rollback(NULL, f->log->log, "1", NULL, NULL, &f->err);
                if (status) {
                        assert_int_equal(status, PAWL_EDAMAGED);
                        assert_int_equal(event_log_count(f->log), events);
                        rollbacks_none_pending(f);
                        if (strstr(f->err.message, "checkpoint 1 does not verify"))
                                of_target++;
                        else
                                of_now++;
                } else {
                        rollbacks_undo(f);
                }
                rollbacks_check_tree(f, before);
                event_log_sql(f->log, "INSERT OR IGNORE INTO packed SELECT * FROM kept");
        }
        assert_int_equal(of_target, 3); /* "one" and two directories; .gitignore is as it was */
        assert_true(of_now >= 1);       /* "two" */
}

TEST(a_plan_is_the_one_that_was_shown)
{
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_rollback_plan *plan, *done;
        tree_hash one = rollbacks_first(f);
        char hash[65];

        rollbacks_second(f);
        rollbacks_put(f, "mine", "x");
        rollbacks_must(f, pawl_workspace_plan(&plan, f->log->log, "1", NULL, NULL, &f->err));
        assert_int_equal(event_log_count(f->log), 2);
        const pawl_rollback_plan_view look = pawl_rollback_plan_look(plan);
        assert_int_equal(look.counts.writes, 2); /* a, b */
        assert_int_equal(look.counts.bytes, 6);
        assert_int_equal(look.counts.removes, 3); /* b/d, new, new/e */
        assert_int_equal(look.counts.left, 1);
        assert_int_equal(pawl_rollback_plan_look(plan).n_items, 6);
        assert_text(pawl_rollback_plan_look(plan).items[0].path, "a");
        assert_int_equal(pawl_rollback_plan_look(plan).items[0].action, PAWL_PLAN_WRITE);
        const pawl_rollback_plan_item *left = &pawl_rollback_plan_look(plan).items[5];
        assert_text(left->path, "mine");
        assert_string_equal(left->why, "no checkpoint recorded it");
        assert_int_equal(pawl_rollback_plan_look(plan).target->n, 1);
        assert_int_equal(pawl_rollback_plan_look(plan).safety, 0);
        strcpy(hash, pawl_rollback_plan_look(plan).hash);
        pawl_rollback_plan_free(plan);

        options.expect = hash;
        rollbacks_put(f, "a", "changed");
        rollbacks_refused(f, "1", &options, PAWL_ESTATE, "is not what would be done any more");
        rollbacks_put(f, "a", "two");
        rollbacks_must(
                f, pawl_workspace_rollback(&done, f->log->log, "1", &options, NULL, &f->err));
        assert_string_equal(pawl_rollback_plan_look(done).hash, hash);
        assert_int_equal(pawl_rollback_plan_look(done).safety, 3);
        pawl_rollback_plan_free(done);
        rollbacks_drop(f, "mine");
        rollbacks_check_tree(f, one);
        rollbacks_refused(f, "1", &options, PAWL_ESTATE, "is not what would be done any more");
        options.expect = "x";
        rollbacks_refused(f, "1", &options, PAWL_EINVAL, "is no hash");
}

/* ---- Git ------------------------------------------------------------------------------------- */

/* A rollback whose disk is full: it is pending; nothing else goes on; both ways out work. */
typedef struct meanwhile {
        rollbacks *f;
        int times;
} meanwhile;

/* What another process tries in the middle of a rollback. */
static void somebody_else(void *user)
{
        static const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        meanwhile *m = user;
        rollbacks *f = m->f;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = event_log_another(f->log);
        pawl_workspace_capture *capture;

        assert_int_equal(pawl_workspace_finish(NULL, log, NULL, &err), PAWL_EHELD);
        assert_says(err.message, "somebody else is at a rollback");
        assert_int_equal(pawl_workspace_give_up(NULL, log, NULL, &err), PAWL_EHELD);
        assert_int_equal(pawl_workspace_rollback(NULL, log, "1", NULL, NULL, &err), PAWL_EHELD);
        assert_int_equal(pawl_workspace_undo(NULL, log, NULL, NULL, &err), PAWL_EHELD);
        assert_int_equal(
                pawl_workspace_checkpoint(&capture, log, &request, NULL, &err), PAWL_EHELD);
        pawl_log_close(log);
        m->times++;
}

TEST(one_at_work_is_not_called_interrupted)
{
        meanwhile m = {f, 0};
        tree_hash one = rollbacks_first(f), two = rollbacks_second(f);

        files_count();
        rollbacks_to(f, "1");
        const long calls = files_calls();
        files_leave();
        rollbacks_undo(f);
        files_call_at(calls / 2, somebody_else, &m);
        rollbacks_to(f, "1");
        files_leave();
        assert_int_equal(m.times, 1);
        rollbacks_check_tree(f, one);
        rollbacks_undo(f);
        rollbacks_check_tree(f, two);
}

TEST(an_interrupted_one_is_finished_or_given_up)
{
        const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_pending_rollback pending;
        pawl_workspace_capture *capture;
        tree_hash one = rollbacks_first(f), two = rollbacks_second(f);

        for (int way = 0; way < 2; way++) {
                files_count();
                rollbacks_to(f, "1");
                long calls = files_calls();
                files_leave();
                rollbacks_undo(f);
                rollbacks_check_tree(f, two);
                pawl_status status = PAWL_OK;
                for (long n = calls; n > 0 && status != PAWL_EIO;
                        n--) { /* from its end backwards */
                        files_fail_at(n, EIO, true);
                        status = pawl_workspace_rollback(
                                NULL, f->log->log, "1", NULL, NULL, &f->err);
                        files_leave();
                        if (!status)
                                rollbacks_undo(f);
                }
                assert_int_equal(status, PAWL_EIO);
                rollbacks_must(f, pawl_workspace_pending(&pending, f->log->log, &f->err));
                assert_int_equal(pending.target, 1);
                assert_false(pending.undo);
                assert_int_equal(
                        pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err),
                        PAWL_ESTATE);
                assert_says(f->err.message, "was interrupted");
                assert_int_equal(
                        pawl_workspace_rollback(NULL, f->log->log, "1", NULL, NULL, &f->err),
                        PAWL_ESTATE);
                assert_int_equal(
                        pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err), PAWL_ESTATE);
                rollbacks_must(f, way ? pawl_workspace_give_up(NULL, f->log->log, NULL, &f->err)
                                      : pawl_workspace_finish(NULL, f->log->log, NULL, &f->err));
                rollbacks_check_tree(f, way ? two : one);
                rollbacks_none_pending(f);
                rollbacks_check_given_up(f, 2, !way);
                if (!way)
                        rollbacks_undo(f);
                rollbacks_check_tree(f, two);
        }
        assert_int_equal(pawl_workspace_finish(NULL, f->log->log, NULL, &f->err), PAWL_ENOTFOUND);
        assert_says(f->err.message, "no rollback was interrupted");
}
