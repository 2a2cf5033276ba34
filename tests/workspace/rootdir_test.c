/* Names below a directory: the same tests with openat2() and one name at a time. */
#include "support/test.h"
#include "workspace/store/rootdir.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct fixture {
        char *directory, *root, *outside; /* FOLDER/root, FOLDER/outside */
        pawl__rootdir b;
} fixture;

static int set_up(void **state, bool by_component)
{
        fixture *f = test_alloc(sizeof *f);
        f->directory = directory_make();
        f->root = path_in(f->directory, "root");
        f->outside = path_in(f->directory, "outside");
        if (mkdir(f->root, 0700) || mkdir(f->outside, 0700) ||
                pawl__rootdir_open(&f->b, f->root) != 0)
                return -1;
        f->b.by_component = by_component;
        *state = f;
        return 0;
}

static int set_up_strict(void **state)
{
        return set_up(state, false);
}

static int set_up_by_component(void **state)
{
        return set_up(state, true);
}

static int tear_down(void **state)
{
        fixture *f = *state;

        pawl__rootdir_close(&f->b);
        return 0;
}

#define BOTH(name)                                                                                 \
        UNIT_TEST_TWICE(name, set_up_strict, tear_down, by_component, set_up_by_component)

static pawl_text t(const char *path)
{
        return pawl__text(path);
}

static void put_file(fixture *f, const char *path, const char *data)
{
        int fd = pawl__rootdir_file(&f->b, t(path), O_WRONLY | O_CREAT | O_TRUNC, 0600);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, data, strlen(data)), strlen(data));
        close(fd);
}

static void check_file(fixture *f, const char *path, const char *data)
{
        char got[64] = "";
        int fd = pawl__rootdir_file(&f->b, t(path), O_RDONLY, 0);

        assert_true(fd >= 0);
        assert_true(read(fd, got, sizeof got - 1) >= 0);
        close(fd);
        assert_string_equal(got, data);
}

static void check_refused(int result, int error)
{
        assert_int_equal(result, -1);
        assert_int_equal(errno, error);
}

/* Everything that is done to names is done, and done below it. */
BOTH(names_are_made_moved_and_removed)
{
        fixture *f = *state;
        struct stat st;
        char target[16] = "";

        assert_int_equal(pawl__rootdir_mkdir(&f->b, t("a"), 0700), 0);
        assert_int_equal(pawl__rootdir_mkdir(&f->b, t("a/b c"), 0700), 0);
        put_file(f, "a/b c/tmp", "one");
        assert_int_equal(pawl__rootdir_rename(&f->b, "tmp", t("a/b c/x\n"), false), 0);
        check_file(f, "a/b c/x\n", "one");
        put_file(f, "a/b c/tmp", "two");
        check_refused(pawl__rootdir_rename(&f->b, "tmp", t("a/b c/x\n"), false), EEXIST);
        assert_int_equal(pawl__rootdir_rename(&f->b, "tmp", t("a/b c/x\n"), true), 0);
        check_file(f, "a/b c/x\n", "two");
        assert_int_equal(pawl__rootdir_chmod(&f->b, t("a/b c/x\n"), 0640), 0);
        assert_int_equal(pawl__rootdir_stat(&f->b, t("a/b c/x\n"), &st), 0);
        assert_int_equal(st.st_mode, S_IFREG | 0640);
        assert_int_equal(pawl__rootdir_symlink(&f->b, t("a/link"), "nowhere"), 0);
        assert_int_equal(pawl__rootdir_readlink(&f->b, t("a/link"), target, sizeof target), 7);
        assert_string_equal(target, "nowhere");
        assert_int_equal(pawl__rootdir_writable(&f->b, t("a")), 0);
        check_refused(pawl__rootdir_rmdir(&f->b, t("a")), ENOTEMPTY);
        assert_int_equal(pawl__rootdir_unlink(&f->b, t("a/link")), 0);
        assert_int_equal(pawl__rootdir_unlink(&f->b, t("a/b c/x\n")), 0);
        assert_int_equal(pawl__rootdir_rmdir(&f->b, t("a/b c")), 0);
        assert_int_equal(pawl__rootdir_rmdir(&f->b, t("a")), 0);
        check_refused(pawl__rootdir_stat(&f->b, t("a"), &st), ENOENT);
}

/* A path that climbs, starts at the top or is none at all reaches nothing. */
BOTH(paths_that_are_none_are_refused)
{
        static const char *const bad[] = {"", "/", "/etc/passwd", "..", "../outside/secret", "a/..",
                "a/../..", "a//b", "a/", ".", "./a", "a/./b"};
        fixture *f = *state;
        struct stat st;

        assert_int_equal(pawl__rootdir_mkdir(&f->b, t("a"), 0700), 0);
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
                assert_false(pawl__rootdir_path_ok(t(bad[i])));
                check_refused(pawl__rootdir_stat(&f->b, t(bad[i]), &st), EINVAL);
                check_refused(pawl__rootdir_unlink(&f->b, t(bad[i])), EINVAL);
        }
        assert_false(pawl__rootdir_path_ok(pawl__text_n("a\0b", 3)));
        assert_true(pawl__rootdir_path_ok(t("...")));
        assert_true(pawl__rootdir_path_ok(t("..a/.b/\xff")));
}

/* A link on the way is never followed, wherever it leads. */
BOTH(links_on_the_way_are_refused)
{
        static const char *const targets[] = {
                "../outside", ".", "real", "/", "loop", "/proc/self/cwd"};
        fixture *f = *state;
        char *secret = path_in(f->outside, "secret"), *loop = path_in(f->root, "loop");
        struct stat st;

        file_write(secret, "keep", 4);
        assert_int_equal(pawl__rootdir_mkdir(&f->b, t("real"), 0700), 0);
        put_file(f, "real/secret", "inside");
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
                assert_int_equal(symlink(targets[i], loop), 0);
                check_refused(pawl__rootdir_stat(&f->b, t("loop/secret"), &st), ELOOP);
                check_refused(
                        pawl__rootdir_file(&f->b, t("loop/new"), O_WRONLY | O_CREAT, 0600), ELOOP);
                check_refused(pawl__rootdir_unlink(&f->b, t("loop/secret")), ELOOP);
                check_refused(pawl__rootdir_mkdir(&f->b, t("loop/new"), 0700), ELOOP);
                check_refused(pawl__rootdir_symlink(&f->b, t("loop/new"), "x"), ELOOP);
                check_refused(pawl__rootdir_chmod(&f->b, t("loop/secret"), 0777), ELOOP);
                check_refused(pawl__rootdir_rename(&f->b, "secret", t("loop/new"), true), ELOOP);
                check_refused(pawl__rootdir_directory(&f->b, t("loop")), ELOOP);
                assert_int_equal(unlink(loop), 0);
        }
        char *kept = file_read(secret, NULL);
        assert_string_equal(kept, "keep");
}

/* Nor is one that is the last name. */
BOTH(the_last_name_is_not_followed)
{
        fixture *f = *state;
        char *secret = path_in(f->outside, "secret"), *link = path_in(f->root, "link");
        struct stat st;

        file_write(secret, "keep", 4);
        assert_int_equal(chmod(secret, 0600), 0);
        assert_int_equal(symlink("../outside/secret", link), 0);
        check_refused(pawl__rootdir_file(&f->b, t("link"), O_RDONLY, 0), ELOOP);
        check_refused(pawl__rootdir_file(&f->b, t("link"), O_WRONLY | O_TRUNC, 0), ELOOP);
        check_refused(pawl__rootdir_chmod(&f->b, t("link"), 0777), EOPNOTSUPP);
        assert_int_equal(pawl__rootdir_stat(&f->b, t("link"), &st), 0);
        assert_true(S_ISLNK(st.st_mode));
        put_file(f, "tmp", "new");
        assert_int_equal(pawl__rootdir_rename(&f->b, "tmp", t("link"), true), 0);
        check_file(f, "link", "new");
        assert_int_equal(stat(secret, &st), 0);
        assert_int_equal(st.st_mode, S_IFREG | 0600);
        assert_int_equal(st.st_size, 4);
}

/* A FIFO does not hold whoever opens it, and what is no directory is told from what is not there.
 */
BOTH(what_is_no_directory_is_told)
{
        fixture *f = *state;
        struct stat st;

        assert_int_equal(mkfifo(path_in(f->root, "fifo"), 0600), 0);
        int fd = pawl__rootdir_file(&f->b, t("fifo"), O_RDONLY, 0);
        assert_true(fd >= 0);
        close(fd);
        check_refused(pawl__rootdir_stat(&f->b, t("fifo/x"), &st), ENOTDIR);
        check_refused(pawl__rootdir_stat(&f->b, t("none/x"), &st), ENOENT);
}

/* A path four times as long as PATH_MAX, of names of 255 bytes, and one of short ones. */
BOTH(long_paths_are_walked_in_pieces)
{
        fixture *f = *state;
        pawl__buf path = PAWL__BUF_INIT;
        char name[256];

        for (size_t len = 255; len; len = len == 255 ? 15 : 0) {
                memset(name, 'n', len);
                name[len] = '\0';
                pawl__buf_clear(&path);
                for (size_t i = 0; i < 16400 / (len + 1); i++) {
                        assert_ok(pawl__buf_addf(&path, "%s%s", i ? "/" : "", name));
                        assert_int_equal(
                                pawl__rootdir_mkdir(&f->b, pawl__buf_text(&path), 0700), 0);
                }
                assert_true(path.len > 16000);
                assert_ok(pawl__buf_adds(&path, "/file"));
                put_file(f, path.data, "deep");
                pawl__rootdir_forget(&f->b);
                check_file(f, path.data, "deep");
                assert_int_equal(pawl__rootdir_unlink(&f->b, pawl__buf_text(&path)), 0);
                for (pawl_text up = pawl__rootdir_parent(pawl__buf_text(&path)); up.len;
                        up = pawl__rootdir_parent(up))
                        assert_int_equal(pawl__rootdir_rmdir(&f->b, up), 0);
        }
        memset(name, 'n', sizeof name);
        check_refused(pawl__rootdir_mkdir(&f->b, pawl__text_n(name, 256), 0700), ENAMETOOLONG);
        pawl__buf_free(&path);
}

/* ---- While somebody swaps a directory for a link ------------------------------------------------
 */

typedef struct swapper {
        char *directory, *link;
        atomic_bool stop;
        atomic_long swaps;
} swapper;

/* root/d is the directory, then a link to outside, then the directory. */
static void *swap(void *user)
{
        swapper *s = user;

        while (!atomic_load(&s->stop)) {
                if (renameat2(AT_FDCWD, s->directory, AT_FDCWD, s->link, RENAME_EXCHANGE) != 0)
                        break;
                atomic_fetch_add(&s->swaps, 1);
        }
        return NULL;
}

/* Whatever moment a call meets, it works in the directory or is refused: outside stays as it is. */
BOTH(a_directory_swapped_for_a_link_leads_nowhere)
{
        enum { ROUNDS = 1000 };
        fixture *f = *state;
        swapper s = {.directory = path_in(f->root, "d"), .link = path_in(f->root, "link")};
        char *secret = path_in(f->outside, "secret"), *made = path_in(f->outside, "made");
        struct stat st;
        pthread_t thread;
        long refused = 0, done = 0;

        assert_int_equal(mkdir(s.directory, 0700), 0);
        assert_int_equal(symlink("../outside", s.link), 0);
        file_write(secret, "keep", 4);
        assert_int_equal(chmod(secret, 0600), 0);
        assert_int_equal(pthread_create(&thread, NULL, swap, &s), 0);
        while (atomic_load(&s.swaps) == 0)
                ;
        for (int i = 0; i < ROUNDS || done == 0 || refused == 0; i++) {
                pawl__rootdir_forget(&f->b);
                int fd = pawl__rootdir_file(&f->b, t("d/made"), O_WRONLY | O_CREAT, 0600);
                if (fd < 0) {
                        assert_int_equal(errno, ELOOP);
                        refused++;
                        continue;
                }
                close(fd);
                done++;
                pawl__rootdir_forget(&f->b);
                (void)pawl__rootdir_rename(&f->b, "made", t("d/secret"), true);
                pawl__rootdir_forget(&f->b);
                (void)pawl__rootdir_chmod(&f->b, t("d/secret"), 0666);
                pawl__rootdir_forget(&f->b);
                (void)pawl__rootdir_unlink(&f->b, t("d/secret"));
        }
        atomic_store(&s.stop, true);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(stat(secret, &st), 0);
        assert_int_equal(st.st_mode, S_IFREG | 0600);
        assert_int_equal(st.st_size, 4);
        assert_int_equal(stat(made, &st), -1);
        print_message("%ld calls worked in the folder, %ld were refused\n", done, refused);
}
