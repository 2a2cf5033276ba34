/* Needs PAWL_WITH_GIT. */
/* The branch of git moves only where no commit and no staged work is lost. */
#include "support/repository.h"

/* ---- Moving ---------------------------------------------------------------------------------- */

static pawl_status move(struct repository *f, const char *expect, const char *to, bool forward)
{
        const pawl__git_move move = {
                pawl__text("main"), expect, to, forward, "pawl: back to 4", NULL};
        char from[PAWL__COMMIT_ID] = "", checked[PAWL__COMMIT_ID] = "";
        char before[200], after[200];

        if (!f->git)
                assert_ok(repository_open(f, "repo"));
        repository_line(f, "cd repo && { git rev-parse HEAD main && git ls-files -s; } | sha256sum",
                before, sizeof before);
        const pawl_status check = pawl__git_move_check(checked, f->git, &move, &f->err);
        repository_line(f, "cd repo && { git rev-parse HEAD main && git ls-files -s; } | sha256sum",
                after, sizeof after);
        assert_string_equal(before, after); /* a check changes nothing */
        const pawl_status status = pawl__git_move_do(from, f->git, &move, &f->err);
        assert_int_equal(check, status);
        assert_string_equal(from, checked);
        if (status) {
                repository_line(f,
                        "cd repo && { git rev-parse HEAD main && git ls-files -s; } | sha256sum",
                        after, sizeof after);
                assert_string_equal(before, after);
        }
        return status;
}

static void refused(struct repository *f, const char *what)
{
        assert_int_equal(move(f, NULL, f->first, false), PAWL_ESTATE);
        assert_says(f->err.message, "/repo: the branch stays where it is: ");
        assert_says(f->err.message, what);
}

REPOSITORY_TEST(the_branch_goes_back_and_the_work_tree_stays)
{
        repository_shell(f, "echo changed >>repo/a && echo untracked >repo/u");
        assert_ok(move(f, NULL, f->first, false));
        repository_prints(f, "git -C repo rev-parse main", f->first);
        repository_prints(f, "git -C repo symbolic-ref HEAD", "refs/heads/main");
        repository_prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
        repository_prints(f, "tail -n 1 repo/a", "changed");
        repository_prints(f, "cat repo/u", "untracked");
        repository_prints(f, "git -C repo log -g -1 --format=%gs", "pawl: back to 4");
        repository_prints(f, "git -C repo log -g -1 --format=%gs main", "pawl: back to 4");
        repository_prints(f, "git -C repo rev-parse 'main@{1}'", f->third);
        repository_shell(f, "git -C repo fsck --strict");
        assert_int_equal(move(f, NULL, f->first, false), PAWL_DONE);

        /* and forward again, as long as it is there */
        assert_int_equal(move(f, f->second, f->third, true), PAWL_ESTATE);
        assert_says(f->err.message, "it was moved since; look at `git reflog`");
        assert_ok(move(f, f->first, f->third, true));
        repository_prints(f, "git -C repo rev-parse main", f->third);
        repository_prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
}

REPOSITORY_TEST(a_commit_that_is_no_ancestor_is_refused)
{
        repository_shell(f,
                "cd repo && git switch -q --orphan other && git commit -q --allow-empty -m o && git "
                "branch -f main && git switch -q main");
        refused(f, "the recorded commit is not an ancestor of HEAD; ");
        assert_int_equal(move(f, NULL, f->third, true), PAWL_ESTATE);
        assert_says(f->err.message, "did not grow from the present one");
        f->third[0] = f->third[0] == 'f' ? 'e' : 'f';
        assert_int_equal(move(f, NULL, f->third, false), PAWL_ENOTFOUND);
}

REPOSITORY_TEST(what_is_staged_is_not_lost)
{
        repository_shell(f, "echo staged >repo/a && git -C repo add a");
        refused(f, "something is staged; commit it");
        repository_shell(f, "git -C repo reset -q --hard && git -C repo rm -q --cached a");
        refused(f, "something is staged");
}

REPOSITORY_TEST(another_branch_or_none_is_refused)
{
        repository_shell(f, "git -C repo switch -qc topic");
        refused(f, "HEAD is on topic, the checkpoint on main; check that branch out");
        repository_shell(f, "git -C repo switch -q --detach main");
        refused(f, "HEAD is detached, not on main");
        repository_shell(
                f, "git -C repo switch -q main && git -C repo worktree add -qf ../linked main");
        refused(f, "checked out in another worktree too; detach it there");
        repository_shell(f, "git -C linked switch -q --detach");
        assert_ok(move(f, NULL, f->first, false));
        repository_shell(f, "git clone -q --bare repo bare.git");
        assert_ok(repository_open(f, "bare.git"));
        const pawl__git_move bare = {pawl__text("main"), NULL, f->first, false, "m", NULL};
        char from[PAWL__COMMIT_ID];
        assert_int_equal(pawl__git_move_do(from, f->git, &bare, &f->err), PAWL_ESTATE);
        assert_says(f->err.message, "the repository is bare");
}

REPOSITORY_TEST(a_linked_worktree_moves_its_own_branch)
{
        const pawl__git_move there = {pawl__text("topic"), NULL, f->first, false, "m", NULL};
        char from[PAWL__COMMIT_ID];

        repository_shell(f, "git -C repo worktree add -q -b topic ../linked main");
        assert_ok(repository_open(f, "linked"));
        assert_ok(pawl__git_move_do(from, f->git, &there, &f->err));
        repository_prints(f, "git -C linked rev-parse topic", f->first);
        repository_prints(f, "git -C repo rev-parse main", f->third);
        repository_prints(f, "git -C linked diff --cached --name-only | wc -l", "0");
        repository_prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
}

REPOSITORY_TEST(work_in_progress_is_refused_by_its_name)
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

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__buf script = PAWL__BUF_INIT;
                assert_ok(pawl__buf_addf(&script, "cd repo && %s", cases[i].begin));
                repository_shell(f, script.data);
                pawl__buf_free(&script);
                refused(f, cases[i].says);
        }
        repository_shell(f, "cd repo && git bisect reset && git switch -q main && ! git rebase t");
        assert_int_equal(move(f, NULL, f->first, false), PAWL_ESTATE);
        repository_shell(f, "cd repo && git rebase --abort");
        assert_ok(move(f, NULL, f->first, false));
}

/* Killed between the index and the branch: the same call goes on from there. */
REPOSITORY_TEST(a_move_that_was_killed_is_ended_by_the_next)
{
        pawl__buf script = PAWL__BUF_INIT;

        assert_ok(pawl__buf_addf(&script, "git -C repo read-tree %s", f->first));
        repository_shell(f, script.data);
        assert_ok(move(f, NULL, f->first, false));
        repository_prints(f, "git -C repo rev-parse main", f->first);
        repository_prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
        pawl__buf_free(&script);
}

REPOSITORY_TEST(a_locked_repository_is_left_as_it_is)
{
        const pawl__git_move back = {pawl__text("main"), NULL, f->first, false, "m", NULL};
        char from[PAWL__COMMIT_ID];

        repository_shell(f, "touch repo/.git/index.lock");
        assert_ok(repository_open(f, "repo"));
        assert_int_equal(pawl__git_move_do(from, f->git, &back, &f->err), PAWL_EBUSY);
        assert_says(f->err.message, "writing the index: ");
        repository_shell(f, "rm repo/.git/index.lock && touch repo/.git/refs/heads/main.lock");
        assert_int_equal(pawl__git_move_do(from, f->git, &back, &f->err), PAWL_EBUSY);
        repository_shell(f, "rm repo/.git/refs/heads/main.lock");
        repository_prints(f, "git -C repo rev-parse main", f->third);
        repository_prints(f, "git -C repo diff --cached --name-only | wc -l", "0");
}

TESTS_MAIN(repository_alone, NULL)
