/* Going back to a checkpoint, undoing that, and ending what was interrupted: on real files. */
#include "replaced/files.h"
#include "support/event_log.h"
#include "support/trees.h"
#include <errno.h>
#include <pawl/rollback.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The workspace is the folder that holds .pawl. */
typedef struct fixture {
        event_log *log;
        trees t;
        pawl_error err;
} fixture;

static int set_up(void **state)
{
        fixture *f = calloc(1, sizeof *f);
        void *log = NULL;

        if (!f || event_log_setup(&log))
                return -1;
        f->log = log;
        f->log->flags = PAWL_LOG_CREATE;
        (void)event_log_open(f->log);
        *state = f;
        return 0;
}

static int tear_down(void **state)
{
        fixture *f = *state;
        void *log = f->log;

        files_leave();
        trees_free(&f->t);
        free(f);
        return event_log_teardown(&log);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* ---- The workspace ------------------------------------------------------------------------ */

static void put(fixture *f, const char *name, const char *data)
{
        char *path = path_in(f->log->folder, name);

        file_write(path, data, strlen(data));
        free(path);
}

static void make(fixture *f, const char *name)
{
        char *path = path_in(f->log->folder, name);

        assert_int_equal(mkdir(path, 0755), 0);
        free(path);
}

static void drop(fixture *f, const char *name)
{
        char *path = path_in(f->log->folder, name);

        assert_int_equal(unlink(path), 0);
        free(path);
}

static void check_file(fixture *f, const char *name, const char *data)
{
        char *path = path_in(f->log->folder, name), *got = file_read(path, NULL);

        assert_string_equal(got, data);
        free(path);
        free(got);
}

static tree_hash now(fixture *f)
{
        return tree_on_disk(&f->t, f->log->folder);
}

static void check_tree(fixture *f, tree_hash wanted)
{
        tree_hash got = now(f);

        assert_memory_equal(got.bytes, wanted.bytes, 32);
}

static uint64_t checkpoint(fixture *f)
{
        const pawl_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_capture *capture;

        if (pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err))
                fail_msg("%s", f->err.message);
        uint64_t n = pawl_capture_info(capture)->n;
        pawl_capture_free(capture);
        return n;
}

static void must(fixture *f, pawl_status status)
{
        if (status)
                fail_msg("%s", f->err.message);
}

static void roll_back(fixture *f, const char *which)
{
        must(f, pawl_workspace_rollback(NULL, f->log->log, which, NULL, NULL, &f->err));
}

static void undo(fixture *f)
{
        must(f, pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err));
}

static void check_info(fixture *f, uint64_t n, bool valid, bool current)
{
        pawl_checkpoints *list;

        must(f, pawl_checkpoint_list(&list, f->log->log, &f->err));
        const pawl_checkpoint_info *info = pawl_checkpoints_at(list, (size_t)n - 1);
        assert_int_equal(info->n, n);
        assert_true(info->valid == valid);
        assert_true(info->current == current);
        pawl_checkpoints_free(list);
}

static void not_pending(fixture *f)
{
        pawl_pending_rollback pending;

        assert_int_equal(pawl_workspace_pending(&pending, f->log->log, &f->err), PAWL_ENOTFOUND);
}

/* Two checkpoints, 1 and 2, and a state after them; what was never recorded, and what is ignored.
 */
static tree_hash first(fixture *f)
{
        put(f, ".gitignore", "*.log\n");
        put(f, "a", "one");
        put(f, "b", "one");
        make(f, "sub");
        put(f, "sub/c", "one");
        tree_hash one = now(f);
        assert_int_equal(checkpoint(f), 1);
        return one;
}

static tree_hash second(fixture *f)
{
        put(f, "a", "two");
        drop(f, "b");
        make(f, "b");
        put(f, "b/d", "two");
        make(f, "new");
        put(f, "new/e", "two");
        tree_hash two = now(f);
        assert_int_equal(checkpoint(f), 2);
        return two;
}

/* ---- There and back ----------------------------------------------------------------------- */

static void it_goes_back_and_is_undone(void **state)
{
        fixture *f = *state;
        tree_hash one = first(f);

        second(f);
        put(f, "sub/c", "edited since");
        tree_hash edited = now(f);
        for (int i = 0; i < 2; i++) {
                roll_back(f, "1");
                check_tree(f, one);
                check_info(f, 1, true, true);
                check_info(f, 2, false, false);
                not_pending(f);
                undo(f);
                check_tree(f, edited);
                check_info(f, 2, true, false);
                not_pending(f);
        }
        assert_int_equal(
                pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err), PAWL_ENOTFOUND);
        assert_says(f->err.message, "no rollback is there to be undone");
        assert_int_equal(event_log_count(f->log), 2 + 4 * 3);
}

static void what_is_not_ours_stays(void **state)
{
        fixture *f = *state;

        first(f);
        second(f);
        put(f, "mine", "never recorded");
        put(f, "new/mine", "never recorded");
        put(f, "new/x.log", "ignored");
        put(f, "b/x.log", "ignored, and in the way of a file");
        roll_back(f, "1");
        check_file(f, "mine", "never recorded");
        check_file(f, "new/mine", "never recorded");
        check_file(f, "new/x.log", "ignored");
        check_file(f, "b/x.log", "ignored, and in the way of a file");
        check_file(f, "a", "one");
        char *gone = path_in(f->log->folder, "new/e");
        assert_int_equal(access(gone, F_OK), -1);
        free(gone);
        tree_hash back = now(f);
        undo(f);
        check_file(f, "new/e", "two");
        check_file(f, "b/d", "two");
        roll_back(f, "1");
        check_tree(f, back);
}

/* The rules change with the files: what was ignored when the rollback began is not taken for the
 * checkpoint's own afterwards. */
static void rules_that_go_back_too_bring_no_harm(void **state)
{
        fixture *f = *state;

        put(f, "data", "recorded");
        assert_int_equal(checkpoint(f), 1);
        put(f, ".gitignore", "data\n");
        put(f, "data", "ignored since");
        put(f, "other", "x");
        assert_int_equal(checkpoint(f), 2);
        roll_back(f, "1");
        check_file(f, "data", "ignored since");
        not_pending(f);
        undo(f);
        check_file(f, ".gitignore", "data\n");
        check_file(f, "data", "ignored since");
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void refused(fixture *f, const char *which, const pawl_rollback_options *options,
        pawl_status wanted, const char *said)
{
        int64_t events = event_log_count(f->log);
        tree_hash before = now(f);

        assert_int_equal(
                pawl_workspace_rollback(NULL, f->log->log, which, options, NULL, &f->err), wanted);
        assert_says(f->err.message, said);
        assert_int_equal(event_log_count(f->log), events);
        check_tree(f, before);
        not_pending(f);
}

static void what_lies_ahead_or_is_none_is_refused(void **state)
{
        fixture *f = *state;

        refused(f, "1", NULL, PAWL_ENOTFOUND, "has no checkpoint");
        first(f);
        second(f);
        refused(f, "3", NULL, PAWL_ENOTFOUND, "checkpoint 3");
        roll_back(f, "1");
        refused(f, "2", NULL, PAWL_ESTATE, "was given up (rolled back to 1)");
        refused(f, "3", NULL, PAWL_ESTATE, "is the safety copy of a rollback");
        event_log_sql(f->log, "UPDATE workspace_checkpoints SET invalid_seq = 0 WHERE n = 2");
        refused(f, "2", NULL, PAWL_ESTATE, "lies ahead of 1");
        event_log_sql(f->log, "UPDATE workspace_checkpoints SET pruned_seq = 5 WHERE n = 1");
        refused(f, "1", NULL, PAWL_ESTATE, "was pruned");
}

/* Whatever content is lost, of the target or of what stands there now: nothing is touched, or all
 * of it can be brought back. */
static void what_does_not_verify_is_refused(void **state)
{
        fixture *f = *state;
        int64_t of_target = 0, of_now = 0;

        first(f);
        second(f);
        event_log_sql(f->log, "CREATE TABLE kept AS SELECT * FROM contents");
        int64_t n = event_log_integer(f->log, "SELECT max(rowid) FROM kept");
        for (int64_t i = 1; i <= n; i++) {
                int64_t events = event_log_count(f->log);
                tree_hash before = now(f);
                char sql[256];
                snprintf(sql, sizeof sql,
                        "DELETE FROM contents WHERE hash = (SELECT hash FROM kept WHERE rowid = %d)",
                        (int)i);
                event_log_sql(f->log, sql);
                pawl_status status =
                        pawl_workspace_rollback(NULL, f->log->log, "1", NULL, NULL, &f->err);
                if (status) {
                        assert_int_equal(status, PAWL_EDAMAGED);
                        assert_int_equal(event_log_count(f->log), events);
                        not_pending(f);
                        if (strstr(f->err.message, "checkpoint 1 does not verify"))
                                of_target++;
                        else
                                of_now++;
                } else {
                        undo(f);
                }
                check_tree(f, before);
                event_log_sql(f->log, "INSERT OR IGNORE INTO contents SELECT * FROM kept");
        }
        assert_int_equal(of_target, 4); /* "one", .gitignore and two folders */
        assert_true(of_now >= 1);       /* "two" */
}

static void a_plan_is_the_one_that_was_shown(void **state)
{
        fixture *f = *state;
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_plan *plan, *done;
        tree_hash one = first(f);
        char hash[65];

        second(f);
        put(f, "mine", "x");
        must(f, pawl_workspace_plan(&plan, f->log->log, "1", NULL, NULL, &f->err));
        assert_int_equal(event_log_count(f->log), 2);
        const pawl_plan_counts *counts = pawl_plan_counted(plan);
        assert_int_equal(counts->writes, 2); /* a, b */
        assert_int_equal(counts->bytes, 6);
        assert_int_equal(counts->removes, 3); /* b/d, new, new/e */
        assert_int_equal(counts->left, 1);
        assert_int_equal(pawl_plan_items(plan), 6);
        assert_text(pawl_plan_item_at(plan, 0)->path, "a");
        assert_int_equal(pawl_plan_item_at(plan, 0)->action, PAWL_PLAN_WRITE);
        const pawl_plan_item *left = pawl_plan_item_at(plan, 5);
        assert_text(left->path, "mine");
        assert_string_equal(left->why, "no checkpoint recorded it");
        assert_int_equal(pawl_plan_target(plan)->n, 1);
        assert_int_equal(pawl_plan_safety(plan), 0);
        strcpy(hash, pawl_plan_hash(plan));
        pawl_plan_free(plan);

        options.expect = hash;
        put(f, "a", "changed");
        refused(f, "1", &options, PAWL_ESTATE, "is not what would be done any more");
        put(f, "a", "two");
        must(f, pawl_workspace_rollback(&done, f->log->log, "1", &options, NULL, &f->err));
        assert_string_equal(pawl_plan_hash(done), hash);
        assert_int_equal(pawl_plan_safety(done), 3);
        pawl_plan_free(done);
        drop(f, "mine");
        check_tree(f, one);
        refused(f, "1", &options, PAWL_ESTATE, "is not what would be done any more");
        options.expect = "x";
        refused(f, "1", &options, PAWL_EINVAL, "is no hash");
}

/* ---- Its run ------------------------------------------------------------------------------ */

static void append(
        fixture *f, const char *type, const char *step, const char *payload, uint64_t fence)
{
        pawl_event event = {.type = pawl__text(type),
                .mission_id = pawl__text("m"),
                .run_id = pawl__text("r"),
                .step_id = pawl__text(step),
                .actor = pawl__text("program"),
                .payload = pawl__text(payload)};

        if (pawl_log_append(NULL, f->log->log, &event, 1, fence))
                fail_msg("%s", pawl_log_errmsg(f->log->log));
}

static int64_t answers(fixture *f, const char *status)
{
        char sql[128];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM senses WHERE status = '%s'", status);
        return event_log_integer(f->log, sql);
}

static void answer(fixture *f, const char *surface)
{
        char payload[512];

        snprintf(payload, sizeof payload,
                "{\"term_surface\":\"%s\",\"scope\":\"mission_local\",\"new_sense\":{\"surface\":\"%s\","
                "\"scope\":\"mission_local\",\"definition\":\"what it means\",\"confidence\":0.75,"
                "\"status\":\"active\"},\"actor\":{\"actor_id\":\"user:ana\"},\"update_type\":\"create\","
                "\"provenance\":{\"source\":\"answer\"}}",
                surface, surface);
        append(f, "GlossarySenseUpdated", NULL, payload, 0);
}

static const char hash_of_nothing[] =
        "{\"input_hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
        "\"output_hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
        "\"exit_code\":0}";

static void run_step(fixture *f, const char *step, uint64_t fence)
{
        append(f, "StepStarted", step, hash_of_nothing, fence);
        append(f, "StepCompleted", step, hash_of_nothing, fence);
}

static int64_t completed(fixture *f)
{
        return event_log_integer(
                f->log, "SELECT count(*) FROM steps WHERE status = 'completed' AND run_id = 'r'");
}

/* Steps that were completed since are pending again, and are completed again by the undo. */
static void steps_since_are_given_up(void **state)
{
        pawl_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        fixture *f = *state;
        pawl_capture *capture;
        pawl_plan *done;
        uint64_t fence;

        put(f, "a", "1");
        assert_int_equal(pawl_log_claim(&fence, f->log->log, "m", "r", "program", NULL), PAWL_OK);
        append(f, "RunStarted", NULL,
                "{\"scope_refs\":[],\"mission_hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
                "\"steps\":[\"one\",\"two\",\"three\"]}",
                fence);
        run_step(f, "one", fence);
        request.run_id = "r";
        request.mission_id = "m";
        request.automatic = true;
        must(f, pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err));
        pawl_capture_free(capture);
        run_step(f, "two", fence);
        put(f, "a", "2");
        run_step(f, "three", fence);
        refused(f, "1", NULL, PAWL_EHELD, "run r: process 100 on host-a is at work on it");
        assert_int_equal(pawl_log_release(f->log->log, "r", fence), PAWL_OK);
        assert_int_equal(completed(f), 3);

        must(f, pawl_workspace_rollback(&done, f->log->log, "1", NULL, NULL, &f->err));
        assert_int_equal(pawl_plan_steps(done), 2);
        assert_text(pawl_plan_step_at(done, 0)->step_id, "two");
        assert_text(pawl_plan_step_at(done, 1)->step_id, "three");
        pawl_plan_free(done);
        assert_int_equal(completed(f), 1);
        undo(f);
        assert_int_equal(completed(f), 3);
        check_file(f, "a", "2");
        /* and nobody holds it */
        assert_int_equal(pawl_log_claim(&fence, f->log->log, "m", "r", "program", NULL), PAWL_OK);
        assert_int_equal(pawl_log_release(f->log->log, "r", fence), PAWL_OK);
}

/* ---- Interrupted -------------------------------------------------------------------------- */

/* ---- Git ----------------------------------------------------------------------------------------
 */

static void shell(fixture *f, const char *command)
{
        char all[1024];

        snprintf(all, sizeof all, "cd '%s' && export HOME=$PWD/.pawl && %s", f->log->folder,
                command);
        assert_int_equal(system(all), 0); /* NOLINT: a folder of our own */
}

static void check_git(fixture *f, const char *what, const char *wanted)
{
        char command[256];

        snprintf(command, sizeof command, "test \"$(git %s)\" = \"%s\"", what, wanted);
        shell(f, command);
}

/* The branch goes back with the files, and forward again; what is staged, or a merge under way, or
 * another branch, is not gone over, and then no file is touched either. */
static void the_branch_goes_back_with_the_files(void **state)
{
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        fixture *f = *state;
        pawl_plan *plan;

        options.git = true;
        setenv("HOME", f->log->folder, 1); /* no configuration of ours */
        shell(f,
                "git init -q -b main . && git config user.name T && git config user.email t@x.org && "
                "echo one >a && git add a && git commit -qm one && git tag one");
        assert_int_equal(checkpoint(f), 1);
        shell(f, "echo two >a && git commit -qam two && git tag two && echo three >a && "
                 "git commit -qam three && git tag three");
        assert_int_equal(checkpoint(f), 2);
        put(f, "a", "not committed");

        must(f, pawl_workspace_plan(&plan, f->log->log, "1", &options, NULL, &f->err));
        assert_int_equal(pawl_plan_git_move(plan)->commits, 2);
        assert_text(pawl_plan_git_move(plan)->branch, "main");
        pawl_plan_free(plan);
        shell(f, "echo x >staged && git add staged");
        refused(f, "1", &options, PAWL_ESTATE, "staged");
        shell(f, "git rm -q --cached staged && rm staged && git switch -qc other");
        refused(f, "1", &options, PAWL_ESTATE, "other");
        shell(f, "git switch -q main");

        must(f, pawl_workspace_rollback(NULL, f->log->log, "1", &options, NULL, &f->err));
        check_file(f, "a", "one\n");
        check_git(f, "rev-parse HEAD main", "$(git rev-parse one one)");
        check_git(f, "status --porcelain -uno", "");
        undo(f);
        check_file(f, "a", "not committed");
        check_git(f, "rev-parse HEAD main", "$(git rev-parse three three)");
        check_git(f, "status --porcelain -uno", " M a");

        roll_back(f, "1"); /* the files alone */
        check_git(f, "rev-parse HEAD", "$(git rev-parse three)");
        undo(f);
        must(f, pawl_workspace_rollback(NULL, f->log->log, "1", &options, NULL, &f->err));
        shell(f, "echo four >a && git commit -qam four");
        assert_int_equal(pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err), PAWL_ESTATE);
        check_file(f, "a", "four\n");
        not_pending(f);
}

/* Answers given since are kept; or they are set aside, and the undo puts them in force again. */
static void answers_since_are_kept_or_dropped(void **state)
{
        pawl_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        fixture *f = *state;
        pawl_capture *capture;

        request.mission_id = "m";
        answer(f, "early");
        must(f, pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err));
        pawl_capture_free(capture);
        answer(f, "late");
        roll_back(f, "1");
        assert_int_equal(answers(f, "active"), 2);
        undo(f);
        options.drop_decisions = true;
        for (int i = 0; i < 2; i++) {
                must(f, pawl_workspace_rollback(NULL, f->log->log, "1", &options, NULL, &f->err));
                assert_int_equal(answers(f, "active"), 1);
                assert_int_equal(answers(f, "deprecated"), 1);
                undo(f);
                assert_int_equal(answers(f, "active"), 2);
        }
        assert_int_equal(
                event_log_integer(f->log, "SELECT count(*) FROM senses WHERE surface = 'late' "
                                          "AND definition = 'what it means' AND confidence = 0.75"),
                1);
}

/* A rollback whose disk is full: it is pending; nothing else goes on; both ways out work. */
static void an_interrupted_one_is_finished_or_given_up(void **state)
{
        const pawl_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        fixture *f = *state;
        pawl_pending_rollback pending;
        pawl_capture *capture;
        tree_hash one = first(f), two = second(f);

        for (int way = 0; way < 2; way++) {
                files_count();
                roll_back(f, "1");
                long calls = files_calls();
                files_leave();
                undo(f);
                check_tree(f, two);
                pawl_status status = PAWL_OK;
                for (long n = calls; n > 0 && status != PAWL_EIO;
                        n--) { /* from its end backwards */
                        files_fail_at(n, EIO, true);
                        status = pawl_workspace_rollback(
                                NULL, f->log->log, "1", NULL, NULL, &f->err);
                        files_leave();
                        if (!status)
                                undo(f);
                }
                assert_int_equal(status, PAWL_EIO);
                must(f, pawl_workspace_pending(&pending, f->log->log, &f->err));
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
                must(f, way ? pawl_workspace_give_up(NULL, f->log->log, NULL, &f->err)
                            : pawl_workspace_finish(NULL, f->log->log, NULL, &f->err));
                check_tree(f, way ? two : one);
                not_pending(f);
                check_info(f, 2, way, false);
                if (!way)
                        undo(f);
                check_tree(f, two);
        }
        assert_int_equal(pawl_workspace_finish(NULL, f->log->log, NULL, &f->err), PAWL_ENOTFOUND);
        assert_says(f->err.message, "no rollback was interrupted");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                TEST(it_goes_back_and_is_undone),
                TEST(what_is_not_ours_stays),
                TEST(rules_that_go_back_too_bring_no_harm),
                TEST(what_lies_ahead_or_is_none_is_refused),
                TEST(what_does_not_verify_is_refused),
                TEST(a_plan_is_the_one_that_was_shown),
                TEST(steps_since_are_given_up),
                TEST(the_branch_goes_back_with_the_files),
                TEST(answers_since_are_kept_or_dropped),
                TEST(an_interrupted_one_is_finished_or_given_up),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
