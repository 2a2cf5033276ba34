/* Ways there and back: from anywhere to anywhere, of some paths alone, with all that is in the way.
 */
#include "support/rollbacks.h"
#include <sys/stat.h>
#include <unistd.h>

/* A redo reverses an undo: new work that the undo replaced is in its safety copy and comes back. */
ROLLBACKS_TEST(an_undo_is_undone_by_redo)
{
        tree_hash one = rollbacks_first(f), two = rollbacks_second(f);

        rollbacks_to(f, "1"); /* 3 is the safety copy */
        rollbacks_put(f, "work", "new");
        tree_hash work = rollbacks_now(f);
        assert_int_equal(rollbacks_checkpoint(f), 4);
        rollbacks_put(f, "work", "not in any checkpoint");
        tree_hash more = rollbacks_now(f);
        for (int i = 0; i < 2; i++) {
                rollbacks_undo(f);
                rollbacks_check_tree(f, two);
                rollbacks_check_given_up(f, 4, true);
                rollbacks_check_given_up(f, 2, false);
                rollbacks_redo(f);
                rollbacks_check_tree(f, more);
                rollbacks_check_given_up(f, 4, false);
                rollbacks_check_given_up(f, 2, true);
        }
        rollbacks_to(f, "4");
        rollbacks_check_tree(f, work);
        rollbacks_to(f, "2");
        rollbacks_check_tree(f, two);
        rollbacks_to(f, "1");
        rollbacks_check_tree(f, one);
        assert_int_equal(event_log_integer(f->log,
                                 "SELECT count(*) FROM workspace_checkpoints WHERE safety = 1"),
                1 + 4 + 3);
}

/* Whatever it was that gave them up: earlier ones, later ones, safety copies. */
ROLLBACKS_TEST(every_checkpoint_can_be_gone_to)
{
        tree_hash had[6];

        had[1] = rollbacks_first(f);
        had[2] = rollbacks_second(f);
        rollbacks_put(f, "a", "at hand");
        had[3] = rollbacks_now(f);
        rollbacks_to(f, "1");
        rollbacks_put(f, "branch", "another");
        had[4] = rollbacks_now(f);
        assert_int_equal(rollbacks_checkpoint(f), 4);
        rollbacks_drop(f, "branch");
        rollbacks_put(f, "later", "x");
        had[5] = rollbacks_now(f);
        assert_int_equal(rollbacks_checkpoint(f), 5);
        static const int order[] = {2, 4, 3, 5, 1, 3, 2, 5, 4, 1, 4, 2};
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
                char which[4];
                snprintf(which, sizeof which, "%d", order[i]);
                rollbacks_to(f, which);
                rollbacks_check_tree(f, had[order[i]]);
                rollbacks_check_info(f, (uint64_t)order[i], true, true);
                rollbacks_check_given_up(f, 1, false);
                rollbacks_check_given_up(f, 2, order[i] != 2 && order[i] != 3);
                rollbacks_check_given_up(f, 4, order[i] != 4 && order[i] != 5);
                rollbacks_check_given_up(f, 5, order[i] != 5);
        }
}

/* A file that nobody had recorded is in the safety copy alone, and comes back from there. */
ROLLBACKS_TEST(what_the_safety_copy_alone_has_comes_back)
{
        rollbacks_first(f);
        rollbacks_second(f);
        rollbacks_put(f, "mine", "by hand");
        rollbacks_to(f, "1");
        rollbacks_check_file(f, "mine", "by hand");
        rollbacks_drop(f, "mine");
        rollbacks_to(f, "3");
        rollbacks_check_file(f, "mine", "by hand");
        rollbacks_drop(f, "mine");
        rollbacks_undo(f);
        rollbacks_redo(f);
        assert_int_equal(access(path_in(f->log->directory, "mine"), F_OK), -1);
        rollbacks_to(f, "3");
        rollbacks_check_file(f, "mine", "by hand");
}

/* ---- Some paths alone, and all there is ------------------------------------------------------ */

static pawl_status to_part(rollbacks *f, const char *which, const char *const *paths, size_t n)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;

        options.paths = paths;
        options.n_paths = n;
        return pawl_workspace_rollback(NULL, f->log->log, which, NULL, &options, &f->err);
}

static bool is_there(rollbacks *f, const char *name)
{
        char *path = path_in(f->log->directory, name);
        struct stat st;
        bool is = lstat(path, &st) == 0;

        return is;
}

/* As `git checkout N -- PATH` does: the files there, and nothing else moves. */
ROLLBACKS_TEST(some_paths_go_back_alone)
{
        static const char *const paths[] = {"a", "./sub/", "new"}, *const deep[] = {"b/d"};

        rollbacks_first(f);
        tree_hash two = rollbacks_second(f);
        rollbacks_put(f, "sub/c", "edited");
        rollbacks_put(f, "sub/mine", "by hand");
        tree_hash before = rollbacks_now(f);
        rollbacks_must(f, to_part(f, "1", paths, 3));
        rollbacks_check_file(f, "a", "one");
        rollbacks_check_file(f, "sub/c", "one");
        rollbacks_check_file(f, "sub/mine", "by hand");
        rollbacks_check_file(f, "b/d", "two");
        assert_false(is_there(f, "new"));
        rollbacks_check_given_up(f, 2, false);
        rollbacks_check_info(f, 3, true, true); /* where it stood right before */
        tree_hash after = rollbacks_now(f);

        rollbacks_put(f, "other", "work since stays");
        rollbacks_undo(f);
        rollbacks_check_file(f, "other", "work since stays");
        rollbacks_drop(f, "other");
        rollbacks_check_tree(f, before);
        rollbacks_redo(f);
        rollbacks_check_tree(f, after);

        /* A directory that leads there comes; one that was in the way goes. */
        rollbacks_to(f, "1");
        rollbacks_must(f, to_part(f, "2", deep, 1));
        rollbacks_check_file(f, "b/d", "two");
        rollbacks_check_file(f, "a", "one");
        assert_false(is_there(f, "new"));
        rollbacks_must(f, to_part(f, "1", deep, 1));
        assert_false(is_there(f, "b/d"));
        rollbacks_to(f, "2");
        rollbacks_check_file(f, "new/e", "two");
        rollbacks_drop(f, "sub/mine");
        rollbacks_check_tree(f, two);
}

ROLLBACKS_TEST(paths_that_are_none_are_refused)
{
        static const struct {
                const char *path;
                pawl_status status;
                const char *said;
        } cases[] = {{"", PAWL_EINVAL, "path '': is empty; name one, or . for all there is"},
                {"nothing", PAWL_ENOTFOUND, "path nothing: neither the workspace nor"},
                {"../a", PAWL_EINVAL, "path ../a: has \"..\" in it"},
                {"/etc/passwd", PAWL_EINVAL, "path /etc/passwd: lies outside of the workspace"},
                {".git/config", PAWL_ENOTFOUND, "path .git/config: neither"}};
        pawl_workspace_options some = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rollback_options git = PAWL_ROLLBACK_OPTIONS_INIT;

        rollbacks_first(f);
        tree_hash two = rollbacks_second(f);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl_status status = to_part(f, "1", &cases[i].path, 1);
                if (status != cases[i].status)
                        fail_msg("%s: %s", cases[i].path, f->err.message);
                assert_says(f->err.message, cases[i].said);
        }
        some.paths = (const char *const[]){"a"};
        some.n_paths = 1;
        git.git = true;
        assert_int_equal(
                pawl_workspace_rollback(NULL, f->log->log, "1", &git, &some, &f->err), PAWL_EINVAL);
        assert_says(f->err.message, "leave out git");
        assert_int_equal(event_log_count(f->log), 2);
        rollbacks_check_tree(f, two);
        rollbacks_to(f, "1");
        assert_int_equal(pawl_workspace_undo(NULL, f->log->log, NULL, &some, &f->err), PAWL_EINVAL);
        assert_says(f->err.message, "undo: reverses all of a rollback");
}

/* The safety copy has what goes. */
ROLLBACKS_TEST(clean_removes_what_no_checkpoint_recorded)
{
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        tree_hash one = rollbacks_first(f);

        rollbacks_second(f);
        rollbacks_put(f, "mine", "by hand");
        rollbacks_put(f, "new/mine", "by hand");
        rollbacks_put(f, "kept.log", "ignored");
        tree_hash before = rollbacks_now(f);
        options.clean = true;
        rollbacks_must(f, pawl_workspace_rollback(NULL, f->log->log, "1", &options, NULL, &f->err));
        rollbacks_check_file(f, "kept.log", "ignored");
        rollbacks_drop(f, "kept.log");
        rollbacks_check_tree(f, one);
        rollbacks_put(f, "kept.log", "ignored");
        rollbacks_undo(f);
        rollbacks_check_tree(f, before);
        rollbacks_redo(f);
        assert_false(is_there(f, "mine"));
        assert_false(is_there(f, "new"));
}
