/* A restore half-way, and against those who interfere: somebody else's work stays, and it can be
 * gone on with or gone back from. */
#include "replaced/files.h"
#include "support/restores.h"
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int tear_down(void **state)
{
        files_leave();
        return restores_teardown(state);
}

#define TEST(name) UNIT_TEST_WITH(name, restores *f, restores_setup, tear_down)

/* ---- Somebody else's work ----------------------------------------------------------------- */

static void refuses(restores *f, bool back, const char *said)
{
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(restores_run(f, back, false, &err), PAWL_ESTATE);
        assert_says(err.message, said);
        assert_says(err.message, "; ");
}

/* A file that is neither what was nor what is to be: nothing at all is touched. */
TEST(somebody_elses_file_stops_it_before_it_begins)
{
        static const char *const names[] = {
                "changed", "linktofile", "filetodir", "new", "dirtofile"};

        restores_start(f);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                char *path = path_in(f->root, names[i]), *aside = path_in(f->directory, "aside");
                bool stood = rename(path, aside) == 0;
                file_write(path, "mine", 4);
                tree_hash as_it_is = tree_on_disk(&f->t, f->root);
                refuses(f, false, names[i]);
                assert_true(restores_on_disk(f, as_it_is));
                refuses(f, true, names[i]);
                assert_true(restores_on_disk(f, as_it_is));
                assert_int_equal(unlink(path), 0);
                if (stood)
                        assert_int_equal(rename(aside, path), 0);
        }
        restores_must_run(f, false, false);
        assert_true(restores_on_disk(f, f->target));
}

static void edit_changed(restores *f)
{
        char *path = path_in(f->root, "readonly");

        (void)chmod(path, 0644);
        file_write(path, "mine", 4);
}

static void make_new(restores *f)
{
        file_write(path_in(f->root, "rodir/new"), "mine", 4);
}

static void check_mine(restores *f, const char *name)
{
        char *path = path_in(f->root, name), *data = file_read(path, NULL);

        assert_string_equal(data, "mine");
        assert_int_equal(unlink(path), 0);
}

/* One that is edited, or made, while files are written: it is left as it is, and named. */
TEST(somebody_elses_edit_meanwhile_is_kept)
{
        restores_start(f);
        f->meddle = edit_changed;
        refuses(f, false, "readonly: was changed by somebody else");
        check_mine(f, "readonly");
        f->meddle = make_new;
        refuses(f, false, "rodir/new: was changed by somebody else");
        check_mine(f, "rodir/new");
        restores_must_run(f, false, true);
        assert_true(restores_on_disk(f, f->target));
}

static void swap_for_link(restores *f)
{
        char *dir = path_in(f->root, "new/a"), *aside = path_in(f->directory, "aside");

        assert_int_equal(rename(dir, aside), 0);
        assert_int_equal(symlink("../../outside", dir), 0);
}

/* A directory swapped for a link to a directory outside: nothing comes into being there. */
TEST(a_directory_swapped_for_a_link_is_not_followed)
{
        char *outside = path_in(f->directory, "outside"), *aside = path_in(f->directory, "aside");
        char *dir = path_in(f->root, "new/a");
        trees t = {0};

        restores_start(f);
        assert_int_equal(mkdir(outside, 0700), 0);
        f->meddle = swap_for_link;
        refuses(f, false, "new/a/b: cannot ");
        tree_hash none = tree_of(&t, NULL), found = tree_on_disk(&t, outside);
        assert_memory_equal(none.bytes, found.bytes, 32);
        assert_int_equal(unlink(dir), 0);
        assert_int_equal(rename(aside, dir), 0);
        restores_must_run(f, false, true);
        assert_true(restores_on_disk(f, f->target));
        trees_free(&t);
}

/* ---- Half-way ----------------------------------------------------------------------------- */

/* Whatever call fails, going on and going back each come to their end. */
TEST(whatever_fails_can_be_gone_on_with)
{
        static const int errors[] = {ENOSPC, EIO, EACCES};
        pawl_error err = PAWL_ERROR_INIT;
        long n = 0, failed = 0, step = test_full() ? 1 : 2;

        restores_start(f);
        for (bool done = false; !done;) {
                n += step;
                for (int back = 0; back < 2; back++) {
                        int error = errors[n % 3];
                        files_fail_at(n, error, back);
                        pawl_status status = restores_run(f, false, false, &err);
                        done = files_calls() < n;
                        files_leave();
                        assert_true(done == (status == PAWL_OK));
                        failed += !done;
                        if (!done && status != PAWL_ENOMEM) {
                                assert_says(err.message, ": cannot ");
                                assert_int_equal(status,
                                        error == ENOSPC ? PAWL_EFULL
                                                        : (error == EIO ? PAWL_EIO : PAWL_EACCESS));
                        }
                        f->names += 1000;
                        restores_must_run(f, back, true);
                        assert_true(restores_on_disk(f, back ? f->now : f->target));
                        restores_must_run(f, true, false);
                        assert_true(restores_on_disk(f, f->now));
                }
        }
        print_message("%ld calls failed\n", failed);
        assert_true(n > 60);
}

/* Killed before, in or after any call: the same. */
TEST(wherever_it_is_killed_it_can_be_gone_on_with)
{
        long n = 0, killed = 0, step = test_full() ? 1 : 3;

        restores_start(f);
        for (bool done = false; !done;) {
                n += step;
                for (int way = 0; way < 4; way++) {
                        bool half = way & 1, back = way & 2;
                        pid_t child = process_fork();
                        if (child == 0) {
                                files_die_at(n, half);
                                _exit(restores_run(f, false, false, NULL) == PAWL_OK ? 0 : 1);
                        }
                        int ended;
                        assert_int_equal(waitpid(child, &ended, 0), child);
                        done = WIFEXITED(ended);
                        assert_true(done ? WEXITSTATUS(ended) == 0 : WTERMSIG(ended) == SIGKILL);
                        killed += !done;
                        restores_must_run(f, back, true);
                        assert_true(restores_on_disk(f, back ? f->now : f->target));
                        restores_must_run(f, true, false);
                        assert_true(restores_on_disk(f, f->now));
                }
        }
        print_message("killed %ld times at %ld calls\n", killed, n / step);
        assert_true(n > 60);
}

/* Directories without write permission, for a user to whom that means something. */
TEST(a_user_without_rights_restores_read_only_directories)
{
        restores_start(f);
        pid_t child = process_fork();
        if (child == 0) {
                pawl_error err = PAWL_ERROR_INIT;
                bool ok = true;
                if (geteuid() == 0) { /* everything is theirs, but they are not root */
                        restores_wipe(f);
                        ok = chmod(f->directory, 0755) == 0 && chown(f->root, 65534, 65534) == 0 &&
                             setgid(65534) == 0 && setuid(65534) == 0;
                        if (ok)
                                tree_put(&f->t, f->now.bytes, f->root);
                }
                for (long n = 0; ok && n < 100; n += 9) { /* at n 0 nothing fails */
                        if (n)
                                files_fail_at(n, EIO, true);
                        (void)restores_run(f, false, false, NULL);
                        files_leave();
                        ok = restores_run(f, false, true, &err) == PAWL_OK;
                        f->names += 1000;
                        ok = ok &&
                             chmod(path_in(f->root, "new/none"), 0700) == 0; /* to be looked into */
                        ok = ok && restores_run(f, true, true, &err) == PAWL_OK &&
                             restores_on_disk(f, f->now);
                }
                if (!ok)
                        print_error("%s\n", err.message);
                _exit(ok ? 0 : 1);
        }
        child_exits(child, 0);
}

int main(void)
{
        return test_run_in_memory(NULL, NULL) + test_run(restores_by_name, NULL);
}
