/* Where git stands, read from its own files: what git says, or nothing. */
#include "support/sweep.h"
#include "support/test.h"
#include "workspace/git/git_plain.h"
#include <unistd.h>

struct fixture {
        char *directory;
        pawl__arena arena;
        pawl_error err;
};

static void shell(const struct fixture *f, const char *script)
{
        char command[2048];

        snprintf(command, sizeof command,
                "cd '%s' && export HOME=. GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=b "
                "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=b && { %s\n} >/dev/null 2>&1",
                f->directory, script);
        if (system(command) != 0)
                fail_msg("%s", script);
}

static void line_of(const struct fixture *f, const char *command, char out[200])
{
        char whole[2048];

        snprintf(whole, sizeof whole, "cd '%s' && %s", f->directory, command);
        FILE *pipe = popen(whole, "r");
        assert_non_null(pipe);
        assert_non_null(fgets(out, 200, pipe));
        out[strcspn(out, "\n")] = '\0';
        assert_int_equal(pclose(pipe), 0);
}

static int setup(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);
        f->directory = directory_make();
        shell(f, "git init -q -b main repo && cd repo && mkdir -p sub/deep && "
                 "git commit -q --allow-empty -m one");
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        pawl__arena_free(&f->arena);
        return 0;
}

#define GIT_TEST(name) UNIT_TEST_WITH(name, struct fixture *f, setup, teardown)

static pawl_status ask(struct fixture *f, const char *directory, pawl__git_head *head)
{
        char *root = path_in(f->directory, directory);
        pawl_status status = pawl__git_head_plain(head, root, &f->arena, &f->err);

        return status;
}

static void says(struct fixture *f, const char *directory, const char *branch)
{
        pawl__git_head head;
        char commit[200];

        line_of(f, "git -C repo rev-parse HEAD", commit);
        assert_ok(ask(f, directory, &head));
        assert_string_equal(head.commit, commit);
        if (branch)
                assert_text(head.branch, branch);
        else
                assert_null(head.branch.data);
}

GIT_TEST(a_branch_and_its_commit_are_read)
{
        says(f, "repo", "main");
        says(f, "repo/sub/deep", "main");
        shell(f, "cd repo && git checkout -q -b a/b-c && git commit -q --allow-empty -m two");
        says(f, "repo", "a/b-c");
        shell(f, "cd repo && git checkout -q --detach");
        says(f, "repo", NULL);
}

GIT_TEST(without_a_repository_there_is_none)
{
        pawl__git_head head;

        shell(f, "mkdir plain");
        assert_int_equal(ask(f, "plain", &head), PAWL_DONE);
}

GIT_TEST(what_is_not_plain_is_left_to_libgit2)
{
        pawl__git_head head;

        shell(f,
                "git init -q unborn; git -C repo worktree add -q ../tree; ln -s repo/.git link.git; "
                "mkdir linked && ln -s ../repo/.git linked/.git; mkdir -p odd/.git");
        assert_int_equal(ask(f, "unborn", &head), PAWL_ENOTFOUND);
        assert_int_equal(ask(f, "tree", &head), PAWL_ENOTFOUND);
        assert_int_equal(ask(f, "linked", &head), PAWL_ENOTFOUND);
        assert_int_equal(ask(f, "odd", &head), PAWL_ENOTFOUND);
        shell(f, "printf 'ref: refs/heads/../../x\\n' >odd/.git/HEAD");
        assert_int_equal(ask(f, "odd", &head), PAWL_ENOTFOUND);
        shell(f, "printf 'ref: refs/tags/x\\n' >odd/.git/HEAD");
        assert_int_equal(ask(f, "odd", &head), PAWL_ENOTFOUND);
        shell(f, "head -c 5000 /dev/zero | tr '\\0' a >odd/.git/HEAD");
        assert_int_equal(ask(f, "odd", &head), PAWL_ENOTFOUND);
        shell(f, "rm odd/.git/HEAD && mkfifo odd/.git/HEAD");
        assert_int_equal(ask(f, "odd", &head), PAWL_ENOTFOUND);
        shell(f,
                "cd repo && git pack-refs --all && rm .git/packed-refs && mkfifo .git/packed-refs");
        assert_int_equal(ask(f, "repo", &head), PAWL_ENOTFOUND);
        shell(f, "cd repo && rm .git/packed-refs && printf '%040d refs/heads/main2\\n' 0 "
                 ">.git/packed-refs");
        assert_int_equal(ask(f, "repo", &head), PAWL_ENOTFOUND);
        shell(f, "cd repo && printf '%040d refs/heads/main' 0 >.git/packed-refs");
        assert_int_equal(ask(f, "repo", &head), PAWL_ENOTFOUND);
        shell(f, "cd repo && printf '%039dx refs/heads/main\\n' 0 >.git/packed-refs");
        assert_int_equal(ask(f, "repo", &head), PAWL_ENOTFOUND);
}

/* As `git gc` leaves them. */
GIT_TEST(a_branch_that_was_packed_away_is_read)
{
        shell(f, "cd repo && git branch main2 && git branch a/main && git tag -a -m x x && "
                 "git commit -q --allow-empty -m two && git pack-refs --all && "
                 "test ! -e .git/refs/heads/main");
        says(f, "repo", "main");
        shell(f, "cd repo && git checkout -q a/main");
        says(f, "repo", "a/main");
        /* The file goes before. */
        shell(f, "cd repo && git commit -q --allow-empty -m three");
        says(f, "repo", "a/main");
}

GIT_TEST(without_memory_it_says_so)
{
        pawl__git_head head;
        char *root = path_in(f->directory, "repo");

        for (sweep s = {.once = true}; sweep_next(&s);) {
                pawl__arena_free(&f->arena);
                f->arena = (pawl__arena)PAWL__ARENA_INIT;
                s.live = allocator_live();
                sweep_arm(&s);
                (void)sweep_done(
                        &s, pawl__git_head_plain(&head, root, &f->arena, &f->err), &f->err);
                pawl__arena_free(&f->arena);
        }
}
