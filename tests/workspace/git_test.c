#include "support/allocator.h"
#include "support/test.h"
#include "workspace/git.h"
#include <sys/stat.h>
#include <unistd.h>

/* ---- A repository ---------------------------------------------------------------------------- */

struct fixture {
        char *folder; /* $HOME, and what holds repositories */
        pawl__arena arena;
        pawl_error err;
        pawl__git *git;
        char first[PAWL__COMMIT_ID], second[PAWL__COMMIT_ID], third[PAWL__COMMIT_ID];
};

/* Run in the folder by sh; the first line that it prints. */
static void shell_line(struct fixture *f, const char *script, char *line, size_t size)
{
        pawl__buf command = PAWL__BUF_INIT;

        assert_int_equal(
                pawl__buf_addf(&command, "cd '%s' && { %s\n} 2>said.log", f->folder, script),
                PAWL_OK);
        FILE *pipe = popen(command.data, "r");
        assert_non_null(pipe);
        if (!fgets(line, (int)size, pipe))
                line[0] = '\0';
        line[strcspn(line, "\n")] = '\0';
        if (pclose(pipe) != 0)
                fail_msg("%s", script);
        pawl__buf_free(&command);
}

static void shell(struct fixture *f, const char *script)
{
        char line[200];

        shell_line(f, script, line, sizeof line);
}

/* The script prints exactly this line. */
static void prints(struct fixture *f, const char *script, const char *is)
{
        char line[200];

        shell_line(f, script, line, sizeof line);
        assert_string_equal(line, is);
}

static int setup(void **state)
{
        struct fixture *f = calloc(1, sizeof *f);

        f->folder = folder_make();
        shell(f, "mkdir repo && cd repo && git init -q -b main && git config user.name T && "
                 "git config user.email t@example.org && mkdir sub && "
                 "printf '1\\n2\\n' >a && printf 'b\\n' >sub/b && printf 'x\\0y' >bin && "
                 "git add . && git commit -qm 'The first'");
        shell_line(f, "git -C repo rev-parse HEAD", f->first, sizeof f->first);
        shell(f,
                "cd repo && printf '1\\nzwei\\n3\\n' >a && printf 'z\\0y' >bin && git rm -q sub/b && "
                "echo n >new && git add . && git commit -qm 'The second\n\nwith more'");
        shell_line(f, "git -C repo rev-parse HEAD", f->second, sizeof f->second);
        shell(f, "cd repo && echo 4 >>a && git commit -qam 'The third'");
        shell_line(f, "git -C repo rev-parse HEAD", f->third, sizeof f->third);
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        pawl__git_close(f->git);
        pawl__arena_free(&f->arena);
        folder_remove(f->folder);
        free(f);
        return 0;
}

static pawl_status open_at(struct fixture *f, const char *name)
{
        char *root = path_in(f->folder, name);

        pawl__git_close(f->git);
        f->git = NULL;
        const pawl_status status = pawl__git_open(&f->git, root, &f->err);
        free(root);
        return status;
}

/* ---- Looking --------------------------------------------------------------------------------- */

static void head_is(struct fixture *f, const char *root, const char *commit, const char *branch)
{
        pawl__git_head head;

        assert_int_equal(open_at(f, root), PAWL_OK);
        assert_int_equal(pawl__git_head_read(&head, f->git, &f->arena, &f->err), PAWL_OK);
        assert_string_equal(head.commit, commit);
        if (branch)
                assert_text(head.branch, branch);
        else
                assert_null(head.branch.data);
}

static void head_is_read_wherever_it_points(void **state)
{
        struct fixture *f = *state;

        head_is(f, "repo", f->third, "main");
        shell(f, "mkdir repo/sub");
        head_is(f, "repo/sub/..", f->third, "main");
        shell(f, "cd repo && git switch -qc topic/x");
        head_is(f, "repo", f->third, "topic/x");
        shell(f, "cd repo && git checkout -q --detach HEAD~1");
        head_is(f, "repo", f->second, NULL);
        shell(f, "git -C repo worktree add -q ../linked main");
        head_is(f, "linked", f->third, "main");
        shell(f, "git clone -q --bare repo bare.git");
        head_is(f, "bare.git", f->second, NULL);
        shell(f, "git init -q -b trunk fresh && mkdir fresh/deep");
        head_is(f, "fresh/deep", "", "trunk");
}

static void a_root_in_no_repository_is_said_to_be(void **state)
{
        struct fixture *f = *state;

        shell(f, "mkdir plain");
        assert_int_equal(open_at(f, "plain"), PAWL_ENOTFOUND);
        assert_null(f->git);
        assert_says(f->err.message, "/plain: in no git repository; ");
        shell(f, "mkdir -p broken/.git/objects broken/.git/refs && echo 'ref: refs/heads/m' "
                 ">broken/.git/HEAD && printf '[core' >broken/.git/config");
        assert_int_equal(open_at(f, "broken"), PAWL_EIO);
        assert_says(f->err.message, "/broken: opening its git repository: ");
}

static void a_repository_of_somebody_else_is_refused(void **state)
{
        struct fixture *f = *state;

        if (geteuid() != 0)
                skip();
        shell(f, "chown -R 12345 repo");
        assert_int_equal(open_at(f, "repo"), PAWL_EACCESS);
        assert_says(f->err.message, "belongs to somebody else; `git config --global --add "
                                    "safe.directory ");
        assert_null(f->git);
}

static void commits_between_are_counted_and_the_newest_named(void **state)
{
        struct fixture *f = *state;
        pawl__git_commit *list;
        uint64_t count;
        size_t n;

        assert_int_equal(open_at(f, "repo"), PAWL_OK);
        assert_int_equal(pawl__git_commits(&count, &list, &n, 1, f->git, f->first, f->third,
                                 &f->arena, &f->err),
                PAWL_OK);
        assert_int_equal(count, 2);
        assert_int_equal(n, 1);
        assert_string_equal(list[0].id, f->third);
        assert_text(list[0].subject, "The third");
        assert_int_equal(pawl__git_commits(&count, &list, &n, 9, f->git, f->first, f->third,
                                 &f->arena, &f->err),
                PAWL_OK);
        assert_int_equal(n, 2);
        assert_text(list[1].subject, "The second");
        assert_int_equal(pawl__git_commits(&count, &list, &n, 9, f->git, f->third, f->first,
                                 &f->arena, &f->err),
                PAWL_OK);
        assert_int_equal(count, 0);
        assert_int_equal(n, 0);
        f->first[0] = f->first[0] == '0' ? '1' : '0';
        assert_int_equal(pawl__git_commits(&count, &list, &n, 9, f->git, f->first, f->third,
                                 &f->arena, &f->err),
                PAWL_ENOTFOUND);
        assert_says(f->err.message, "has no commit ");
}

static void what_differs_between_commits_is_told_by_file(void **state)
{
        struct fixture *f = *state;
        pawl__git_changed *list;
        size_t n;

        assert_int_equal(open_at(f, "repo"), PAWL_OK);
        assert_int_equal(pawl__git_stat(&list, &n, f->git, f->first, f->second, &f->arena, &f->err),
                PAWL_OK);
        assert_int_equal(n, 4);
        assert_text(list[0].path, "a");
        assert_true(list[0].status == 'M' && list[0].added == 2 && list[0].removed == 1);
        assert_text(list[1].path, "bin");
        assert_true(list[1].status == 'M' && list[1].binary && list[1].added == 0);
        assert_text(list[2].path, "new");
        assert_true(list[2].status == 'A' && list[2].added == 1);
        assert_text(list[3].path, "sub/b");
        assert_true(list[3].status == 'D' && list[3].removed == 1);
        assert_int_equal(pawl__git_stat(&list, &n, f->git, "gone", f->second, &f->arena, &f->err),
                PAWL_ENOTFOUND);
}

static void a_commit_is_there_or_not(void **state)
{
        struct fixture *f = *state;
        bool has = false;

        assert_int_equal(open_at(f, "repo"), PAWL_OK);
        assert_int_equal(pawl__git_has(&has, f->git, f->first, &f->err), PAWL_OK);
        assert_true(has);
        const char *const none[] = {"", "main", "HEAD", "0123456789012345678901234567890123456789",
                "012345678901234567890123456789012345678g"};
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
                has = true;
                assert_int_equal(pawl__git_has(&has, f->git, none[i], &f->err), PAWL_OK);
                assert_false(has);
        }
        assert_string_equal(f->err.message, "");
}

static void a_file_of_a_commit_is_read_by_its_path_below_the_root(void **state)
{
        struct fixture *f = *state;
        pawl__buf out = PAWL__BUF_INIT;

        assert_int_equal(open_at(f, "repo"), PAWL_OK);
        assert_int_equal(
                pawl__git_blob(&out, f->git, f->first, pawl__text("sub/b"), 9, &f->err), PAWL_OK);
        assert_text(pawl__buf_text(&out), "b\n");
        assert_int_equal(
                pawl__git_blob(&out, f->git, f->first, pawl__text("a"), 3, &f->err), PAWL_ETOOBIG);
        const char *const none[] = {"sub", "c", "a/b", "", "../a", "/a"};
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
                assert_int_equal(
                        pawl__git_blob(&out, f->git, f->first, pawl__text(none[i]), 9, NULL),
                        PAWL_ENOTFOUND);
        assert_int_equal(pawl__git_blob(&out, f->git, f->second, pawl__text("sub/b"), 9, &f->err),
                PAWL_ENOTFOUND);
        assert_text(pawl__buf_text(&out), "b\n");
        shell(f, "mkdir -p repo/sub");
        assert_int_equal(open_at(f, "repo/sub"), PAWL_OK);
        pawl__buf_clear(&out);
        assert_int_equal(
                pawl__git_blob(&out, f->git, f->first, pawl__text("b"), 9, &f->err), PAWL_OK);
        assert_text(pawl__buf_text(&out), "b\n");
        pawl__buf_free(&out);
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static pawl_status move(struct fixture *f, const char *expect, const char *to, bool forward)
{
        const pawl__git_move move = {pawl__text("main"), expect, to, forward, "pawl: back to 4"};
        char from[PAWL__COMMIT_ID] = "", checked[PAWL__COMMIT_ID] = "";
        char before[200], after[200];

        if (!f->git)
                assert_int_equal(open_at(f, "repo"), PAWL_OK);
        shell_line(f, "cd repo && { git rev-parse HEAD main && git ls-files -s; } | sha256sum",
                before, sizeof before);
        const pawl_status check = pawl__git_move_check(checked, f->git, &move, &f->err);
        shell_line(f, "cd repo && { git rev-parse HEAD main && git ls-files -s; } | sha256sum",
                after, sizeof after);
        assert_string_equal(before, after); /* a check changes nothing */
        const pawl_status status = pawl__git_move_do(from, f->git, &move, &f->err);
        assert_int_equal(check, status);
        assert_string_equal(from, checked);
        if (status) {
                shell_line(f,
                        "cd repo && { git rev-parse HEAD main && git ls-files -s; } | sha256sum",
                        after, sizeof after);
                assert_string_equal(before, after);
        }
        return status;
}

static void refused(struct fixture *f, const char *what)
{
        assert_int_equal(move(f, NULL, f->first, false), PAWL_ESTATE);
        assert_says(f->err.message, "/repo: the branch stays where it is: ");
        assert_says(f->err.message, what);
}

static void the_branch_goes_back_and_the_work_tree_stays(void **state)
{
        struct fixture *f = *state;

        shell(f, "echo changed >>repo/a && echo untracked >repo/u");
        assert_int_equal(move(f, NULL, f->first, false), PAWL_OK);
        prints(f, "git -C repo rev-parse main", f->first);
        prints(f, "git -C repo symbolic-ref HEAD", "refs/heads/main");
        prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
        prints(f, "tail -n 1 repo/a", "changed");
        prints(f, "cat repo/u", "untracked");
        prints(f, "git -C repo log -g -1 --format=%gs", "pawl: back to 4");
        prints(f, "git -C repo log -g -1 --format=%gs main", "pawl: back to 4");
        prints(f, "git -C repo rev-parse 'main@{1}'", f->third);
        shell(f, "git -C repo fsck --strict");
        assert_int_equal(move(f, NULL, f->first, false), PAWL_DONE);

        /* and forward again, as long as it is there */
        assert_int_equal(move(f, f->second, f->third, true), PAWL_ESTATE);
        assert_says(f->err.message, "it was moved since; look at `git reflog`");
        assert_int_equal(move(f, f->first, f->third, true), PAWL_OK);
        prints(f, "git -C repo rev-parse main", f->third);
        prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
}

static void a_commit_that_is_no_ancestor_is_refused(void **state)
{
        struct fixture *f = *state;

        shell(f,
                "cd repo && git switch -q --orphan other && git commit -q --allow-empty -m o && git "
                "branch -f main && git switch -q main");
        refused(f, "the recorded commit is not an ancestor of HEAD; ");
        assert_int_equal(move(f, NULL, f->third, true), PAWL_ESTATE);
        assert_says(f->err.message, "did not grow from the present one");
        f->third[0] = f->third[0] == 'f' ? 'e' : 'f';
        assert_int_equal(move(f, NULL, f->third, false), PAWL_ENOTFOUND);
}

static void what_is_staged_is_not_lost(void **state)
{
        struct fixture *f = *state;

        shell(f, "echo staged >repo/a && git -C repo add a");
        refused(f, "something is staged; commit it");
        shell(f, "git -C repo reset -q --hard && git -C repo rm -q --cached a");
        refused(f, "something is staged");
}

static void another_branch_or_none_is_refused(void **state)
{
        struct fixture *f = *state;

        shell(f, "git -C repo switch -qc topic");
        refused(f, "HEAD is on topic, the checkpoint on main; check that branch out");
        shell(f, "git -C repo switch -q --detach main");
        refused(f, "HEAD is detached, not on main");
        shell(f, "git -C repo switch -q main && git -C repo worktree add -qf ../linked main");
        refused(f, "checked out in another worktree too; detach it there");
        shell(f, "git -C linked switch -q --detach");
        assert_int_equal(move(f, NULL, f->first, false), PAWL_OK);
        shell(f, "git clone -q --bare repo bare.git");
        assert_int_equal(open_at(f, "bare.git"), PAWL_OK);
        const pawl__git_move bare = {pawl__text("main"), NULL, f->first, false, "m"};
        char from[PAWL__COMMIT_ID];
        assert_int_equal(pawl__git_move_do(from, f->git, &bare, &f->err), PAWL_ESTATE);
        assert_says(f->err.message, "the repository is bare");
}

static void a_linked_worktree_moves_its_own_branch(void **state)
{
        struct fixture *f = *state;
        const pawl__git_move there = {pawl__text("topic"), NULL, f->first, false, "m"};
        char from[PAWL__COMMIT_ID];

        shell(f, "git -C repo worktree add -q -b topic ../linked main");
        assert_int_equal(open_at(f, "linked"), PAWL_OK);
        assert_int_equal(pawl__git_move_do(from, f->git, &there, &f->err), PAWL_OK);
        prints(f, "git -C linked rev-parse topic", f->first);
        prints(f, "git -C repo rev-parse main", f->third);
        prints(f, "git -C linked diff --cached --name-only | wc -l", "0");
        prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
}

static void work_in_progress_is_refused_by_its_name(void **state)
{
        static const struct {
                const char *begin, *says;
        } cases[] = {
                {"git switch -qc t HEAD~1 && echo t >a && git commit -qam t && git switch -q main && ! git "
                 "merge t",
                        "a merge is in progress"},
                {"git merge --abort && ! git cherry-pick t", "a cherry-pick is in progress"},
                {"git cherry-pick --abort && ! git revert HEAD~1", "a revert is in progress"},
                {"git revert --abort && git bisect start -q", "a bisection is in progress"},
        };
        struct fixture *f = *state;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__buf script = PAWL__BUF_INIT;
                assert_int_equal(pawl__buf_addf(&script, "cd repo && %s", cases[i].begin), PAWL_OK);
                shell(f, script.data);
                pawl__buf_free(&script);
                refused(f, cases[i].says);
        }
        shell(f, "cd repo && git bisect reset && git switch -q main && ! git rebase t");
        assert_int_equal(move(f, NULL, f->first, false), PAWL_ESTATE);
        shell(f, "cd repo && git rebase --abort");
        assert_int_equal(move(f, NULL, f->first, false), PAWL_OK);
}

/* Killed between the index and the branch: the same call goes on from there. */
static void a_move_that_was_killed_is_ended_by_the_next(void **state)
{
        struct fixture *f = *state;
        pawl__buf script = PAWL__BUF_INIT;

        assert_int_equal(pawl__buf_addf(&script, "git -C repo read-tree %s", f->first), PAWL_OK);
        shell(f, script.data);
        assert_int_equal(move(f, NULL, f->first, false), PAWL_OK);
        prints(f, "git -C repo rev-parse main", f->first);
        prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
        pawl__buf_free(&script);
}

static void a_locked_repository_is_left_as_it_is(void **state)
{
        struct fixture *f = *state;
        const pawl__git_move back = {pawl__text("main"), NULL, f->first, false, "m"};
        char from[PAWL__COMMIT_ID];

        shell(f, "touch repo/.git/index.lock");
        assert_int_equal(open_at(f, "repo"), PAWL_OK);
        assert_int_equal(pawl__git_move_do(from, f->git, &back, &f->err), PAWL_EBUSY);
        assert_says(f->err.message, "writing the index: ");
        shell(f, "rm repo/.git/index.lock && touch repo/.git/refs/heads/main.lock");
        assert_int_equal(pawl__git_move_do(from, f->git, &back, &f->err), PAWL_EBUSY);
        shell(f, "rm repo/.git/refs/heads/main.lock");
        prints(f, "git -C repo rev-parse main", f->third);
        prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
}

/* ---- Running out of memory ------------------------------------------------------------------- */

static pawl_status everything(struct fixture *f, const char *root, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__git *git = NULL;
        pawl__git_head head;
        pawl__git_commit *commits;
        pawl__git_changed *changes;
        uint64_t count;
        size_t n;
        pawl_status status = pawl__git_open(&git, root, err);

        if (status == PAWL_OK)
                status = pawl__git_head_read(&head, git, &arena, err);
        if (status == PAWL_OK)
                status = pawl__git_commits(
                        &count, &commits, &n, 4, git, f->first, f->third, &arena, err);
        if (status == PAWL_OK)
                status = pawl__git_stat(&changes, &n, git, f->first, f->third, &arena, err);
        pawl__git_close(git);
        pawl__arena_free(&arena);
        return status;
}

static void running_out_of_memory_is_a_failure_like_others(void **state)
{
        struct fixture *f = *state;
        size_t n = 0, failures = 0;

        if (!allocator_works())
                skip();
        char *root = path_in(f->folder, "repo");
        allocator_leave_git_alone();
        assert_int_equal(everything(f, root, &f->err), PAWL_OK);
        for (bool failed = true; failed;) {
                pawl_error err = PAWL_ERROR_INIT;
                const long live = allocator_live();
                allocator_fail_at(++n);
                const pawl_status status = everything(f, root, &err);
                failed = allocator_failed();
                allocator_fail_at(0);
                assert_int_equal(allocator_live(), live);
                failures += status != PAWL_OK;
                assert_int_equal(err.status, status);
        }
        assert_true(failures > 10);
        free(root);
}

#define GIT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                GIT_TEST(head_is_read_wherever_it_points),
                GIT_TEST(a_root_in_no_repository_is_said_to_be),
                GIT_TEST(a_repository_of_somebody_else_is_refused),
                GIT_TEST(commits_between_are_counted_and_the_newest_named),
                GIT_TEST(what_differs_between_commits_is_told_by_file),
                GIT_TEST(a_commit_is_there_or_not),
                GIT_TEST(a_file_of_a_commit_is_read_by_its_path_below_the_root),
                GIT_TEST(the_branch_goes_back_and_the_work_tree_stays),
                GIT_TEST(a_commit_that_is_no_ancestor_is_refused),
                GIT_TEST(what_is_staged_is_not_lost),
                GIT_TEST(another_branch_or_none_is_refused),
                GIT_TEST(a_linked_worktree_moves_its_own_branch),
                GIT_TEST(work_in_progress_is_refused_by_its_name),
                GIT_TEST(a_move_that_was_killed_is_ended_by_the_next),
                GIT_TEST(a_locked_repository_is_left_as_it_is),
                GIT_TEST(running_out_of_memory_is_a_failure_like_others),
        };
        char *home = folder_make();

        /* nobody's configuration but the test's */
        setenv("HOME", home, 1);
        setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
        unsetenv("XDG_CONFIG_HOME");
        unsetenv("GIT_DIR");
        unsetenv("SUDO_UID");
        const int failed = cmocka_run_group_tests(tests, NULL, NULL);
        folder_remove(home);
        return failed;
}
