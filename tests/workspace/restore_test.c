/* Doing what a plan says, on real files: there and back. */
#include "support/restores.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

RESTORES_TEST(it_goes_there_and_back)
{
        restores_start(f);
        for (int i = 0; i < 2; i++) {
                restores_must_run(f, false, false);
                assert_true(restores_on_disk(f, f->target));
                restores_must_run(f, false, true); /* there already */
                assert_true(restores_on_disk(f, f->target));
                restores_must_run(f, true, false);
                assert_true(restores_on_disk(f, f->now));
        }
        assert_int_equal(chmod(f->root, 0700), 0);
}

/* What is as it should be is not touched; what only needs another mode keeps its time. */
RESTORES_TEST(what_is_unchanged_keeps_its_time)
{
        struct timespec old[2] = {{1000, 5}, {1000, 5}};
        char *same = path_in(f->root, "same"), *mode = path_in(f->root, "mode");
        struct stat a, b;

        restores_start(f);
        assert_int_equal(utimensat(AT_FDCWD, same, old, 0), 0);
        assert_int_equal(utimensat(AT_FDCWD, mode, old, 0), 0);
        assert_int_equal(stat(same, &a), 0);
        restores_must_run(f, false, false);
        assert_int_equal(stat(same, &b), 0);
        assert_int_equal(b.st_ino, a.st_ino);
        assert_memory_equal(&b.st_mtim, &a.st_mtim, sizeof a.st_mtim);
        assert_memory_equal(&b.st_ctim, &a.st_ctim, sizeof a.st_ctim);
        assert_int_equal(stat(mode, &b), 0);
        assert_int_equal(b.st_mode & 07777, 0640);
        assert_int_equal(b.st_mtim.tv_sec, 1000);
}

/* Another name of a file, outside, keeps its bytes and its mode; so does one inside. */
RESTORES_TEST(hard_links_are_broken)
{
        char *out = path_in(f->directory, "out"), *out_mode = path_in(f->directory, "mode"),
             *out_gone = path_in(f->directory, "gone");
        char *changed = path_in(f->root, "changed"), *mode = path_in(f->root, "mode"),
             *gone = path_in(f->root, "old/a/b/c");
        struct stat st;

        restores_start(f);
        assert_int_equal(link(changed, out), 0);
        assert_int_equal(link(mode, out_mode), 0);
        assert_int_equal(link(gone, out_gone), 0);
        restores_must_run(f, false, false);
        assert_true(restores_on_disk(f, f->target));
        char *data = file_read(out, NULL);
        assert_string_equal(data, "one");
        assert_int_equal(stat(out_mode, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_int_equal(stat(out_gone, &st), 0);
        assert_int_equal(st.st_nlink, 1);
}

/* Two names of one file in the workspace, of which both change. */
RESTORES_TEST(two_names_of_one_file_part)
{
        char *a = path_in(f->root, "a"), *b = path_in(f->root, "b");

        restores_plan(f, tree_of(&f->t, "f 644 a=1", "f 644 b=1", NULL),
                tree_of(&f->t, "f 600 a=1", "f 755 b=2", NULL));
        file_write(a, "1", 1);
        assert_int_equal(chmod(a, 0644), 0);
        assert_int_equal(link(a, b), 0);
        restores_must_run(f, false, false);
        assert_true(restores_on_disk(f, f->target));
        restores_must_run(f, true, false);
        assert_true(restores_on_disk(f, f->now));
}

/* Many files: more than one batch, and more than are waited for one by one. */
RESTORES_TEST(many_files_go_in_batches)
{
        enum { MANY = 700 };
        char *lines[MANY];

        for (int i = 0; i < MANY; i++) {
                lines[i] = test_alloc(64);
                sprintf(lines[i], "f 644 d%d/e%d/f%d=content %d", i % 3, i % 5, i, i);
        }
        tree_hash all = tree_of_lines(&f->t, (const char *const *)lines, MANY);
        restores_plan(f, tree_of(&f->t, NULL), all);
        restores_must_run(f, false, false);
        assert_true(restores_on_disk(f, all));
        restores_must_run(f, true, false);
        assert_true(restores_on_disk(f, f->now));
}

int main(void)
{
        return test_run_in_memory(NULL, NULL) + test_run(restores_by_name, NULL);
}
