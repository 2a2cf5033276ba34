/* Needs PAWL_WITH_GIT. */
/* What is read out of a repository of git. */
#include "support/repository.h"
#include "support/sweep.h"
#include <unistd.h>

static void head_is(struct repository *f, const char *root, const char *commit, const char *branch)
{
        pawl__git_head head;

        assert_ok(repository_open(f, root));
        assert_ok(pawl__git_head_read(&head, f->git, &f->arena, &f->err));
        assert_string_equal(head.commit, commit);
        if (branch)
                assert_text(head.branch, branch);
        else
                assert_null(head.branch.data);
}

REPOSITORY_TEST(head_is_read_wherever_it_points)
{
        head_is(f, "repo", f->third, "main");
        repository_shell(f, "mkdir repo/sub");
        head_is(f, "repo/sub/..", f->third, "main");
        repository_shell(f, "cd repo && git switch -qc topic/x");
        head_is(f, "repo", f->third, "topic/x");
        repository_shell(f, "cd repo && git checkout -q --detach HEAD~1");
        head_is(f, "repo", f->second, NULL);
        repository_shell(f, "git -C repo worktree add -q ../linked main");
        head_is(f, "linked", f->third, "main");
        repository_shell(f, "git clone -q --bare repo bare.git");
        head_is(f, "bare.git", f->second, NULL);
        repository_shell(f, "git init -q -b trunk fresh && mkdir fresh/deep");
        head_is(f, "fresh/deep", "", "trunk");
}

REPOSITORY_TEST(a_root_in_no_repository_is_said_to_be)
{
        repository_shell(f, "mkdir plain");
        assert_int_equal(repository_open(f, "plain"), PAWL_ENOTFOUND);
        assert_null(f->git);
        assert_says(f->err.message, "/plain: in no git repository; ");
        repository_shell(f,
                "mkdir -p broken/.git/objects broken/.git/refs && echo 'ref: refs/heads/m' "
                ">broken/.git/HEAD && printf '[core' >broken/.git/config");
        assert_int_equal(repository_open(f, "broken"), PAWL_EIO);
        assert_says(f->err.message, "/broken: opening its git repository: ");
}

REPOSITORY_TEST(a_repository_of_somebody_else_is_refused)
{
        if (geteuid() != 0)
                skip();
        repository_shell(f, "chown -R 12345 repo");
        assert_int_equal(repository_open(f, "repo"), PAWL_EACCESS);
        assert_says(f->err.message, "belongs to somebody else; `git config --global --add "
                                    "safe.directory ");
        assert_null(f->git);
}

REPOSITORY_TEST(commits_between_are_counted_and_the_newest_named)
{
        pawl__git_commit *list;
        uint64_t count;
        size_t n;

        assert_ok(repository_open(f, "repo"));
        assert_ok(pawl__git_commits(
                &count, &list, &n, 1, f->git, f->first, f->third, &f->arena, &f->err));
        assert_int_equal(count, 2);
        assert_int_equal(n, 1);
        assert_string_equal(list[0].id, f->third);
        assert_text(list[0].subject, "The third");
        assert_ok(pawl__git_commits(
                &count, &list, &n, 9, f->git, f->first, f->third, &f->arena, &f->err));
        assert_int_equal(n, 2);
        assert_text(list[1].subject, "The second");
        assert_ok(pawl__git_commits(
                &count, &list, &n, 9, f->git, f->third, f->first, &f->arena, &f->err));
        assert_int_equal(count, 0);
        assert_int_equal(n, 0);
        f->first[0] = f->first[0] == '0' ? '1' : '0';
        assert_int_equal(pawl__git_commits(&count, &list, &n, 9, f->git, f->first, f->third,
                                 &f->arena, &f->err),
                PAWL_ENOTFOUND);
        assert_says(f->err.message, "has no commit ");
}

REPOSITORY_TEST(what_differs_between_commits_is_told_by_file)
{
        pawl__git_changed *list;
        size_t n;

        assert_ok(repository_open(f, "repo"));
        assert_ok(pawl__git_stat(&list, &n, f->git, f->first, f->second, &f->arena, &f->err));
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

REPOSITORY_TEST(a_commit_is_there_or_not)
{
        bool has = false;

        assert_ok(repository_open(f, "repo"));
        assert_ok(pawl__git_has(&has, f->git, f->first, &f->err));
        assert_true(has);
        const char *const none[] = {"", "main", "HEAD", "0123456789012345678901234567890123456789",
                "012345678901234567890123456789012345678g"};
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
                has = true;
                assert_ok(pawl__git_has(&has, f->git, none[i], &f->err));
                assert_false(has);
        }
        assert_string_equal(f->err.message, "");
}

REPOSITORY_TEST(a_file_of_a_commit_is_read_by_its_path_below_the_root)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(repository_open(f, "repo"));
        assert_ok(pawl__git_blob(&out, f->git, f->first, pawl__text("sub/b"), 9, &f->err));
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
        repository_shell(f, "mkdir -p repo/sub");
        assert_ok(repository_open(f, "repo/sub"));
        pawl__buf_clear(&out);
        assert_ok(pawl__git_blob(&out, f->git, f->first, pawl__text("b"), 9, &f->err));
        assert_text(pawl__buf_text(&out), "b\n");
        pawl__buf_free(&out);
}

/* ---- Running out of memory ------------------------------------------------------------------- */

static pawl_status everything(struct repository *f, const char *root, pawl_error *err)
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

REPOSITORY_TEST(running_out_of_memory_is_a_failure_like_others)
{
        char *root = path_in(f->directory, "repo");

        allocator_leave_git_alone();
        assert_ok(everything(f, root, &f->err));
        for (sweep s = {.least = 11}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                const pawl_status status = everything(f, root, &err);
                /* where the C library has none for libgit2, that is an error of the disk */
                (void)sweep_done(&s, status == PAWL_EIO ? PAWL_ENOMEM : status, NULL);
                assert_int_equal(err.status, status);
        }
}

TESTS_MAIN(repository_alone, NULL)
