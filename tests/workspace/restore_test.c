/* Doing what a plan says, on real files: there, back, half-way, and against those who interfere. */
#include "replaced/files.h"
#include "support/trees.h"
#include "workspace/restore.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* FOLDER/root is the workspace. */
typedef struct fixture {
        trees t;
        char *folder, *root;
        pawl__beneath b;
        pawl__plan plan;
        tree_hash now, target;
        void (*meddle)(struct fixture *); /* called when a content is asked for; once */
        uint64_t names;
} fixture;

static bool by_component; /* which way folders are reached: all tests run both */

static int set_up(void **state)
{
        fixture *f = calloc(1, sizeof *f);

        if (!f)
                return -1;
        f->folder = folder_make();
        f->root = path_in(f->folder, "root");
        f->plan = (pawl__plan)PAWL__PLAN_INIT;
        if (mkdir(f->root, 0700) || pawl__beneath_open(&f->b, f->root) != 0)
                return -1;
        f->b.by_component = by_component;
        *state = f;
        return 0;
}

static int tear_down(void **state)
{
        fixture *f = *state;

        files_leave();
        pawl__plan_free(&f->plan);
        pawl__beneath_close(&f->b);
        trees_free(&f->t);
        free(f->root);
        folder_remove(f->folder);
        free(f);
        return 0;
}

/* ---- A plan between two trees, both recorded ------------------------------------------------- */

static pawl_status nothing_stands(char *kind, pawl_text path, void *user, pawl_error *err)
{
        (void)path, (void)user, (void)err;
        *kind = 0;
        return PAWL_OK;
}

static pawl_status nothing_more(
        bool *more, pawl_text path, const unsigned char hash[32], void *user, pawl_error *err)
{
        (void)path, (void)hash, (void)user, (void)err;
        *more = false;
        return PAWL_OK;
}

static void plan(fixture *f, tree_hash now, tree_hash target)
{
        const pawl__world world = {nothing_stands, nothing_more, NULL};
        pawl__folders folders = trees_folders(&f->t);
        pawl__plan_rights rights = {.target_recorded = true};
        tree_hash both[2] = {now, target};
        pawl_error err = PAWL_ERROR_INIT;

        pawl__plan_free(&f->plan);
        f->now = now;
        f->target = target;
        memcpy(f->plan.now, now.bytes, 32);
        memcpy(f->plan.target_tree, target.bytes, 32);
        assert_int_equal(
                pawl__recorded_new(&rights.recorded, &folders, both[0].bytes, 2, &err), PAWL_OK);
        assert_int_equal(pawl__plan_make(&f->plan, &folders, &rights, &world, &err), PAWL_OK);
        pawl__recorded_free(rights.recorded);
}

static pawl_status read_content(const unsigned char hash[32], uint64_t size,
        pawl__content_sink sink, void *sink_user, void *user, pawl_error *err)
{
        fixture *f = user;
        const pawl__buf *found = trees_find(&f->t, hash);
        void (*meddle)(fixture *) = f->meddle;

        assert_non_null(found);
        assert_int_equal(found->len, size);
        f->meddle = NULL;
        if (meddle)
                meddle(f);
        for (size_t at = 0; at < found->len; at += 7) {
                size_t len = found->len - at < 7 ? found->len - at : 7;
                pawl_status status = sink(found->data + at, len, sink_user, err);
                if (status)
                        return status;
        }
        return PAWL_OK;
}

static pawl_status restore(fixture *f, bool back, bool again, pawl_error *err)
{
        const pawl__restore_source source = {read_content, f};
        pawl__restore r = {.root = &f->b,
                .plan = &f->plan,
                .back = back,
                .again = again,
                .source = &source,
                .names = f->names};

        return pawl__restore_run(&r, err);
}

static void must_restore(fixture *f, bool back, bool again)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = restore(f, back, again, &err);

        if (status)
                fail_msg("%s", err.message);
}

static bool on_disk_is(fixture *f, tree_hash wanted)
{
        tree_hash got = tree_on_disk(&f->t, f->root);

        return memcmp(got.bytes, wanted.bytes, 32) == 0;
}

/* ---- What is compared: one of everything ----------------------------------------------------- */

static tree_hash before(trees *t)
{
        return tree_of(t, "f 644 changed=one", "f 644 same=1", "f 600 mode=1", "d 700 dmode",
                "f 644 dmode/x=1", "f 444 readonly=1", "d 555 rodir", "f 444 rodir/a=1",
                "f 444 rodir/gone=1", "d 555 rodir/deep", "f 644 rodir/deep/x=1", "l link=changed",
                "l linktofile=nowhere", "f 644 filetolink=1", "f 644 filetodir=1",
                "f 644 dirtofile/a=1", "d 500 dirtofile/b", "f 644 dirtofile/b/c=1",
                "l linktodir=..", "f 644 dirtolink/x=1", "f 644 old/a/b/c=1", "d 755 old/empty",
                "f 644 name\nwith=1", "f 644 Case=upper", "f 644 case=lower", "f 4755 suid=1",
                "f 644 empty=", NULL);
}

static tree_hash after(trees *t)
{
        return tree_of(t, "f 755 changed=two and more", "f 644 same=1", "f 640 mode=1",
                "d 500 dmode", "f 644 dmode/x=2", "f 444 readonly=2", "d 555 rodir",
                "f 444 rodir/a=2", "f 444 rodir/new=1", "d 555 rodir/deep", "f 644 rodir/deep/x=1",
                "l link=same", "f 644 linktofile=1", "l filetolink=/etc/passwd",
                "f 644 filetodir/x/y=1", "f 600 dirtofile=1", "f 644 linktodir/in=1",
                "l dirtolink=dmode", "f 644 new/a/b=1", "d 0 new/none", "d 755 new/empty",
                "f 644 name with=1", "f 644 Case=1", "f 644 case=2", "f 755 suid=1",
                "f 644 empty=no more", NULL);
}

static void start(fixture *f)
{
        plan(f, before(&f->t), after(&f->t));
        tree_put(&f->t, f->now.bytes, f->root);
        assert_true(on_disk_is(f, f->now));
}

/* Make the workspace empty, as root can. */
static void wipe(fixture *f)
{
        folder_remove(strdup(f->root));
        assert_int_equal(mkdir(f->root, 0755), 0);
        pawl__beneath_close(&f->b);
        assert_int_equal(pawl__beneath_open(&f->b, f->root), 0);
        f->b.by_component = by_component;
}

static void it_goes_there_and_back(void **state)
{
        fixture *f = *state;

        start(f);
        for (int i = 0; i < 2; i++) {
                must_restore(f, false, false);
                assert_true(on_disk_is(f, f->target));
                must_restore(f, false, true); /* there already */
                assert_true(on_disk_is(f, f->target));
                must_restore(f, true, false);
                assert_true(on_disk_is(f, f->now));
        }
        assert_int_equal(chmod(f->root, 0700), 0);
}

/* What is as it should be is not touched; what only needs another mode keeps its time. */
static void what_is_unchanged_keeps_its_time(void **state)
{
        fixture *f = *state;
        struct timespec old[2] = {{1000, 5}, {1000, 5}};
        char *same = path_in(f->root, "same"), *mode = path_in(f->root, "mode");
        struct stat a, b;

        start(f);
        assert_int_equal(utimensat(AT_FDCWD, same, old, 0), 0);
        assert_int_equal(utimensat(AT_FDCWD, mode, old, 0), 0);
        assert_int_equal(stat(same, &a), 0);
        must_restore(f, false, false);
        assert_int_equal(stat(same, &b), 0);
        assert_int_equal(b.st_ino, a.st_ino);
        assert_memory_equal(&b.st_mtim, &a.st_mtim, sizeof a.st_mtim);
        assert_memory_equal(&b.st_ctim, &a.st_ctim, sizeof a.st_ctim);
        assert_int_equal(stat(mode, &b), 0);
        assert_int_equal(b.st_mode & 07777, 0640);
        assert_int_equal(b.st_mtim.tv_sec, 1000);
        free(same);
        free(mode);
}

/* Another name of a file, outside, keeps its bytes and its mode; so does one inside. */
static void hard_links_are_broken(void **state)
{
        fixture *f = *state;
        char *out = path_in(f->folder, "out"), *out_mode = path_in(f->folder, "mode"),
             *out_gone = path_in(f->folder, "gone");
        char *changed = path_in(f->root, "changed"), *mode = path_in(f->root, "mode"),
             *gone = path_in(f->root, "old/a/b/c");
        struct stat st;

        start(f);
        assert_int_equal(link(changed, out), 0);
        assert_int_equal(link(mode, out_mode), 0);
        assert_int_equal(link(gone, out_gone), 0);
        must_restore(f, false, false);
        assert_true(on_disk_is(f, f->target));
        char *data = file_read(out, NULL);
        assert_string_equal(data, "one");
        free(data);
        assert_int_equal(stat(out_mode, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_int_equal(stat(out_gone, &st), 0);
        assert_int_equal(st.st_nlink, 1);
        free(out), free(out_mode), free(out_gone), free(changed), free(mode), free(gone);
}

/* Two names of one file in the workspace, of which both change. */
static void two_names_of_one_file_part(void **state)
{
        fixture *f = *state;
        char *a = path_in(f->root, "a"), *b = path_in(f->root, "b");

        plan(f, tree_of(&f->t, "f 644 a=1", "f 644 b=1", NULL),
                tree_of(&f->t, "f 600 a=1", "f 755 b=2", NULL));
        file_write(a, "1", 1);
        assert_int_equal(chmod(a, 0644), 0);
        assert_int_equal(link(a, b), 0);
        must_restore(f, false, false);
        assert_true(on_disk_is(f, f->target));
        must_restore(f, true, false);
        assert_true(on_disk_is(f, f->now));
        free(a);
        free(b);
}

/* Many files: more than one batch, and more than are waited for one by one. */
static void many_files_go_in_batches(void **state)
{
        enum { MANY = 700 };
        fixture *f = *state;
        char *lines[MANY];

        for (int i = 0; i < MANY; i++) {
                lines[i] = malloc(64);
                assert_non_null(lines[i]);
                sprintf(lines[i], "f 644 d%d/e%d/f%d=content %d", i % 3, i % 5, i, i);
        }
        tree_hash all = tree_of_lines(&f->t, (const char *const *)lines, MANY);
        plan(f, tree_of(&f->t, NULL), all);
        must_restore(f, false, false);
        assert_true(on_disk_is(f, all));
        must_restore(f, true, false);
        assert_true(on_disk_is(f, f->now));
        for (int i = 0; i < MANY; i++)
                free(lines[i]);
}

/* ---- Somebody else's work ----------------------------------------------------------------- */

static void refuses(fixture *f, bool back, const char *said)
{
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(restore(f, back, false, &err), PAWL_ESTATE);
        assert_says(err.message, said);
        assert_says(err.message, "; ");
}

/* A file that is neither what was nor what is to be: nothing at all is touched. */
static void somebody_elses_file_stops_it_before_it_begins(void **state)
{
        static const char *const names[] = {
                "changed", "linktofile", "filetodir", "new", "dirtofile"};
        fixture *f = *state;

        start(f);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                char *path = path_in(f->root, names[i]), *aside = path_in(f->folder, "aside");
                bool stood = rename(path, aside) == 0;
                file_write(path, "mine", 4);
                tree_hash as_it_is = tree_on_disk(&f->t, f->root);
                refuses(f, false, names[i]);
                assert_true(on_disk_is(f, as_it_is));
                refuses(f, true, names[i]);
                assert_true(on_disk_is(f, as_it_is));
                assert_int_equal(unlink(path), 0);
                if (stood)
                        assert_int_equal(rename(aside, path), 0);
                free(path);
                free(aside);
        }
        must_restore(f, false, false);
        assert_true(on_disk_is(f, f->target));
}

static void edit_changed(fixture *f)
{
        char *path = path_in(f->root, "readonly");

        (void)chmod(path, 0644);
        file_write(path, "mine", 4);
        free(path);
}

static void make_new(fixture *f)
{
        char *path = path_in(f->root, "rodir/new");

        file_write(path, "mine", 4);
        free(path);
}

static void check_mine(fixture *f, const char *name)
{
        char *path = path_in(f->root, name), *data = file_read(path, NULL);

        assert_string_equal(data, "mine");
        assert_int_equal(unlink(path), 0);
        free(path);
        free(data);
}

/* One that is edited, or made, while files are written: it is left as it is, and named. */
static void somebody_elses_edit_meanwhile_is_kept(void **state)
{
        fixture *f = *state;

        start(f);
        f->meddle = edit_changed;
        refuses(f, false, "readonly: was changed by somebody else");
        check_mine(f, "readonly");
        f->meddle = make_new;
        refuses(f, false, "rodir/new: was changed by somebody else");
        check_mine(f, "rodir/new");
        must_restore(f, false, true);
        assert_true(on_disk_is(f, f->target));
}

static void swap_for_link(fixture *f)
{
        char *dir = path_in(f->root, "new/a"), *aside = path_in(f->folder, "aside");

        assert_int_equal(rename(dir, aside), 0);
        assert_int_equal(symlink("../../outside", dir), 0);
        free(dir);
        free(aside);
}

/* A folder swapped for a link to a folder outside: nothing comes into being there. */
static void a_folder_swapped_for_a_link_is_not_followed(void **state)
{
        fixture *f = *state;
        char *outside = path_in(f->folder, "outside"), *aside = path_in(f->folder, "aside");
        char *dir = path_in(f->root, "new/a");
        trees t = {0};

        start(f);
        assert_int_equal(mkdir(outside, 0700), 0);
        f->meddle = swap_for_link;
        refuses(f, false, "new/a/b: cannot ");
        tree_hash none = tree_of(&t, NULL), found = tree_on_disk(&t, outside);
        assert_memory_equal(none.bytes, found.bytes, 32);
        assert_int_equal(unlink(dir), 0);
        assert_int_equal(rename(aside, dir), 0);
        must_restore(f, false, true);
        assert_true(on_disk_is(f, f->target));
        trees_free(&t);
        free(outside), free(aside), free(dir);
}

/* ---- Half-way ----------------------------------------------------------------------------- */

/* Whatever call fails, going on and going back each come to their end. */
static void whatever_fails_can_be_gone_on_with(void **state)
{
        static const int errors[] = {ENOSPC, EIO, EACCES};
        fixture *f = *state;
        pawl_error err = PAWL_ERROR_INIT;
        long n = 0, failed = 0, step = test_full() ? 1 : 2;

        start(f);
        for (bool done = false; !done;) {
                n += step;
                for (int back = 0; back < 2; back++) {
                        int error = errors[n % 3];
                        files_fail_at(n, error, back);
                        pawl_status status = restore(f, false, false, &err);
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
                        must_restore(f, back, true);
                        assert_true(on_disk_is(f, back ? f->now : f->target));
                        must_restore(f, true, false);
                        assert_true(on_disk_is(f, f->now));
                }
        }
        print_message("%ld calls failed\n", failed);
        assert_true(n > 60);
}

/* Killed before, in or after any call: the same. */
static void wherever_it_is_killed_it_can_be_gone_on_with(void **state)
{
        fixture *f = *state;
        long n = 0, killed = 0, step = test_full() ? 1 : 3;

        start(f);
        for (bool done = false; !done;) {
                n += step;
                for (int way = 0; way < 4; way++) {
                        bool half = way & 1, back = way & 2;
                        pid_t child = fork();
                        if (child == 0) {
                                files_die_at(n, half);
                                _exit(restore(f, false, false, NULL) == PAWL_OK ? 0 : 1);
                        }
                        int ended;
                        assert_int_equal(waitpid(child, &ended, 0), child);
                        done = WIFEXITED(ended);
                        assert_true(done ? WEXITSTATUS(ended) == 0 : WTERMSIG(ended) == SIGKILL);
                        killed += !done;
                        must_restore(f, back, true);
                        assert_true(on_disk_is(f, back ? f->now : f->target));
                        must_restore(f, true, false);
                        assert_true(on_disk_is(f, f->now));
                }
        }
        print_message("killed %ld times at %ld calls\n", killed, n / step);
        assert_true(n > 60);
}

/* Folders without write permission, for a user to whom that means something. */
static void a_user_without_rights_restores_read_only_folders(void **state)
{
        fixture *f = *state;
        int ended;

        start(f);
        pid_t child = fork();
        if (child == 0) {
                pawl_error err = PAWL_ERROR_INIT;
                bool ok = true;
                if (geteuid() == 0) { /* everything is theirs, but they are not root */
                        wipe(f);
                        ok = chmod(f->folder, 0755) == 0 && chown(f->root, 65534, 65534) == 0 &&
                             setgid(65534) == 0 && setuid(65534) == 0;
                        if (ok)
                                tree_put(&f->t, f->now.bytes, f->root);
                }
                for (long n = 0; ok && n < 100; n += 9) { /* at n 0 nothing fails */
                        if (n)
                                files_fail_at(n, EIO, true);
                        (void)restore(f, false, false, NULL);
                        files_leave();
                        ok = restore(f, false, true, &err) == PAWL_OK;
                        f->names += 1000;
                        char *none = path_in(f->root, "new/none");
                        ok = ok && chmod(none, 0700) == 0; /* to be looked into */
                        free(none);
                        ok = ok && restore(f, true, true, &err) == PAWL_OK && on_disk_is(f, f->now);
                }
                if (!ok)
                        print_error("%s\n", err.message);
                _exit(ok ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFEXITED(ended));
        assert_int_equal(WEXITSTATUS(ended), 0);
}

static int by_name(void **state)
{
        (void)state;
        by_component = true;
        return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
        const struct CMUnitTest tests[] = {
                TEST(it_goes_there_and_back),
                TEST(what_is_unchanged_keeps_its_time),
                TEST(hard_links_are_broken),
                TEST(two_names_of_one_file_part),
                TEST(many_files_go_in_batches),
                TEST(somebody_elses_file_stops_it_before_it_begins),
                TEST(somebody_elses_edit_meanwhile_is_kept),
                TEST(a_folder_swapped_for_a_link_is_not_followed),
                TEST(whatever_fails_can_be_gone_on_with),
                TEST(wherever_it_is_killed_it_can_be_gone_on_with),
                TEST(a_user_without_rights_restores_read_only_folders),
        };

        if (access("/dev/shm", W_OK) == 0) /* nothing here is about what a disk has */
                setenv("TMPDIR", "/dev/shm", 1);
        int failed = cmocka_run_group_tests(tests, NULL, NULL);

        return failed + cmocka_run_group_tests(tests, by_name, NULL);
}
