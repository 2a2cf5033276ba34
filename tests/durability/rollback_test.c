/*
 * A rollback (of all paths, of some, with --clean), its undoing, redoing that, and what ends
 * an interrupted one, each killed at a call that changes a file, the log's included, or half-way
 * through it: every such call under PAWL_TEST_FULL=1, else some. Whatever it was, the next process
 * sees it, and to go on and to go back each give exactly one of the two trees.
 */
#include "replaced/files.h"
#include "support/event_log.h"
#include "support/trees.h"
#include <pawl/rollback.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef pawl_status (*action)(pawl_log *log, pawl_error *err);

typedef struct fixture {
        event_log *log;
        trees t;
        tree_hash one, two; /* checkpoint 1, and how the workspace is beyond it */
        action back, forth; /* what leads from two to one, and the other way */
        long deaths, instants;
} fixture;

static pawl_status roll_back(pawl_log *log, pawl_error *err)
{
        return pawl_workspace_rollback(NULL, log, "1", NULL, NULL, err);
}

static pawl_status roll_back_part(pawl_log *log, pawl_error *err)
{
        static const char *const paths[] = {"a", "gone/x", "tofolder", "new", "link"};
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;

        options.paths = paths;
        options.n_paths = sizeof paths / sizeof paths[0];
        return pawl_workspace_rollback(NULL, log, "1", NULL, &options, err);
}

static pawl_status roll_back_clean(pawl_log *log, pawl_error *err)
{
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;

        options.clean = true;
        return pawl_workspace_rollback(NULL, log, "1", &options, NULL, err);
}

static pawl_status undo(pawl_log *log, pawl_error *err)
{
        return pawl_workspace_undo(NULL, log, NULL, NULL, err);
}

static pawl_status redo(pawl_log *log, pawl_error *err)
{
        return pawl_workspace_redo(NULL, log, NULL, NULL, err);
}

static pawl_status finish(pawl_log *log, pawl_error *err)
{
        return pawl_workspace_finish(NULL, log, NULL, err);
}

static pawl_status give_up(pawl_log *log, pawl_error *err)
{
        return pawl_workspace_give_up(NULL, log, NULL, err);
}

/* ---- One process after the other ------------------------------------------------------------- */

/* Does it in a process of its own, killed at call @p at (0: never). True: it came to its end. */
static bool in_a_process(fixture *f, action act, long at, bool half)
{
        int ended;
        pid_t child = process_fork();
        if (child == 0) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_log *log = event_log_another(f->log);
                if (at)
                        files_die_at(at, half);
                else
                        files_count();
                pawl_status status = act(log, &err);
                files_leave();
                if (status)
                        print_error("%s\n", err.message);
                _exit(status ? 1 : 0);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        if (WIFEXITED(ended)) {
                assert_int_equal(WEXITSTATUS(ended), 0);
                return true;
        }
        assert_int_equal(WTERMSIG(ended), SIGKILL);
        return false;
}

static void must(fixture *f, action act)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = event_log_another(f->log);
        pawl_status status = act(log, &err);

        pawl_log_close(log);
        if (status)
                fail_msg("%s", err.message);
}

static bool pending(fixture *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_pending_rollback found;
        pawl_log *log = event_log_another(f->log);
        pawl_status status = pawl_workspace_pending(&found, log, &err);

        pawl_log_close(log);
        assert_true(status == PAWL_OK || status == PAWL_ENOTFOUND);
        return !status;
}

static bool stands_at(fixture *f, tree_hash tree)
{
        tree_hash got = tree_on_disk(&f->t, f->log->directory);

        return memcmp(got.bytes, tree.bytes, 32) == 0;
}

/* It is at checkpoint 1, or beyond it, and nothing is pending: which of them is it to be? */
static void settle(fixture *f, bool at_one)
{
        assert_false(pending(f));
        if (at_one && stands_at(f, f->two))
                must(f, f->back);
        if (!at_one && stands_at(f, f->one))
                must(f, f->forth);
        assert_true(stands_at(f, at_one ? f->one : f->two));
}

/* ---- The sweep ---------------------------------------------------------------------------- */

/* After a death: what is there is one of the trees, or is ended as @p way says. An undo goes from
 * one to two. */
static void check_aftermath(fixture *f, bool is_undo, int way)
{
        if (pending(f)) {
                must(f, way ? give_up : finish);
                assert_true(stands_at(f, (way != 0) != is_undo ? f->two : f->one));
        } else {
                assert_true(stands_at(f, f->one) || stands_at(f, f->two));
        }
        assert_false(pending(f));
}

/* How many calls does it make from here to its end? */
static long calls_of(fixture *f, action act)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = event_log_another(f->log);

        files_count();
        pawl_status status = act(log, &err);
        long n = files_calls();
        files_leave();
        pawl_log_close(log);
        if (status)
                fail_msg("%s", err.message);
        return n;
}

static void sweep(fixture *f, action act, bool is_undo)
{
        settle(f, is_undo);
        long calls = calls_of(f, act), step = test_full() ? 1 : 1 + calls / 24;

        for (long at = 1; at <= calls; at += step)
                for (int way = 0; way < (test_full() ? 4 : 2); way++) {
                        settle(f, is_undo);
                        f->instants++;
                        f->deaths += !in_a_process(f, act, at, test_full() ? way & 2 : at & 1);
                        check_aftermath(f, is_undo, way & 1);
                }
}

/* And ending an interrupted one is killed too. */
static void sweep_end(fixture *f, action end)
{
        settle(f, false);
        long calls = calls_of(f, roll_back), middle = calls / 2;

        settle(f, false);
        assert_false(in_a_process(f, roll_back, middle, false));
        assert_true(pending(f));
        calls = calls_of(f, end);
        for (long at = 1; at <= calls; at += test_full() ? 1 : 1 + calls / 12)
                for (int way = 0; way < 2; way++) {
                        settle(f, false);
                        if (in_a_process(f, roll_back, middle, false) || !pending(f))
                                continue;
                        f->instants++;
                        f->deaths += !in_a_process(f, end, at, at & 1);
                        check_aftermath(f, false, way);
                }
}

static void put(fixture *f, const char *name, const char *data, mode_t mode)
{
        char *path = path_in(f->log->directory, name);

        (void)unlink(path);
        file_write(path, data, strlen(data));
        assert_int_equal(chmod(path, mode), 0);
}

static void make(fixture *f, const char *name, mode_t mode)
{
        char *path = path_in(f->log->directory, name);

        if (mkdir(path, 0700) != 0)
                assert_int_equal(unlink(path) + mkdir(path, 0700), 0);
        assert_int_equal(chmod(path, mode), 0);
}

static void checkpoint(fixture *f, pawl_log *log)
{
        const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_workspace_capture *capture;

        (void)f;
        if (pawl_workspace_checkpoint(&capture, log, &request, NULL, &err))
                fail_msg("%s", err.message);
        pawl_workspace_capture_free(capture);
}

static void set_up(fixture *f)
{
        pawl_log *log = event_log_open(f->log);
        char *link = path_in(f->log->directory, "link");

        put(f, "a", "one", 0644);
        put(f, "mode", "same", 0600);
        put(f, "tofolder", "one", 0644);
        make(f, "gone", 0755);
        put(f, "gone/x", "one", 0644);
        assert_int_equal(symlink("a", link), 0);
        checkpoint(f, log);
        f->one = tree_on_disk(&f->t, f->log->directory);
        put(f, "a", "two", 0755);
        put(f, "mode", "same", 0644);
        put(f, "gone/x", "two", 0400);
        make(f, "tofolder", 0755);
        put(f, "tofolder/y", "two", 0644);
        make(f, "new", 0755);
        put(f, "new/z", "two", 0644);
        assert_int_equal(unlink(link), 0);
        checkpoint(f, log);
        put(f, "a", "three", 0644);
        f->two = tree_on_disk(&f->t, f->log->directory);
        event_log_close(f->log);
}

/* Each way there and back, once it is known what it leads to. */
static void sweep_way(fixture *f, action back)
{
        f->back = back;
        f->forth = undo;
        must(f, back);
        f->one = tree_on_disk(&f->t, f->log->directory);
        assert_false(stands_at(f, f->two));
        sweep(f, back, false);
        settle(f, false);
}

UNIT_TEST_WITH(killed_anywhere_it_comes_to_one_of_two_trees, event_log *fixed, event_log_setup,
        event_log_teardown)
{
        fixture f = {.log = fixed, .back = roll_back, .forth = undo};
        pawl_verify_result verified;

        f.log->flags = PAWL_LOG_CREATE;
        set_up(&f);
        sweep(&f, roll_back, false);
        sweep(&f, undo, true);
        sweep_end(&f, finish);
        sweep_end(&f, give_up);
        settle(&f, true);
        settle(&f, false);
        f.back = redo; /* what was done last, an undo, led from one to two */
        sweep(&f, redo, false);
        settle(&f, false);
        put(&f, "mine", "nobody recorded it", 0600);
        f.two = tree_on_disk(&f.t, f.log->directory);
        sweep_way(&f, roll_back_clean);
        sweep_way(&f, roll_back_part);
        sweep(&f, undo, true);
        pawl_log *log = event_log_another(f.log);
        assert_ok(pawl_log_verify(&verified, log, 0, NULL));
        pawl_log_close(log);
        print_message("killed %ld times at %ld instants; %lu events verify\n", f.deaths, f.instants,
                (unsigned long)verified.events);
        assert_true(f.deaths >= f.instants * 3 / 4);
        trees_free(&f.t);
}

int main(void)
{
        return test_run_in_memory(NULL, NULL);
}
