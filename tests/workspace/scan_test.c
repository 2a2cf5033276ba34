/* The workspace into the log. */
#include "support/workspace.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

WORKSPACE_TEST(every_file_is_in_the_tree_by_its_content)
{
        workspace_write(w, "b.txt", "two\n");
        workspace_write(w, "a/one", "one\n");
        workspace_write(w, "a/empty", "");
        workspace_mkdir(w, "c/d");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "d 755 a\n"
                                               "f 644 a/empty=\n"
                                               "f 644 a/one=one\n\n"
                                               "f 644 b.txt=two\n\n"
                                               "d 755 c\n"
                                               "d 755 c/d\n");
        assert_int_equal(w->scan->files, 3);
        assert_int_equal(w->scan->bytes, 8);
        assert_int_equal(w->scan->captured, 3);
        assert_int_equal(w->scan->unchanged, 0);
        assert_int_equal(w->scan->n_not_captured, 0);
}

WORKSPACE_TEST(an_empty_workspace_is_a_tree_too)
{
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "");
        assert_int_equal(
                event_log_integer(w->f,
                        "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                1);
}

WORKSPACE_TEST(equal_contents_are_kept_once)
{
        workspace_write(w, "a", "same");
        workspace_write(w, "b/c", "same");
        workspace_write(w, "d/c", "same");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 a=same\n"
                                               "d 755 b\n"
                                               "f 644 b/c=same\n"
                                               "d 755 d\n"
                                               "f 644 d/c=same\n");
        /* the file, the directory that b and d are, the root */
        assert_int_equal(
                event_log_integer(w->f,
                        "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                3);
}

/* ---- Names, and what is no file -------------------------------------------------------------- */

WORKSPACE_TEST(names_are_any_bytes)
{
        static const char *const names[] = {
                " ", "\n", "\xff\xfe", "A", "a", "\\", "*", "-rf", "\x01\x1b[2J"};
        char longest[256];
        pawl__buf expected = PAWL__BUF_INIT;

        memset(longest, 'n', 255);
        longest[255] = '\0';
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                workspace_write(w, names[i], names[i]);
        workspace_write(w, longest, "long");
        workspace_take(w);
        static const char *const sorted[] = {"\x01\x1b[2J", "\n", " ", "*", "-rf", "A", "\\", "a"};
        for (size_t i = 0; i < sizeof sorted / sizeof sorted[0]; i++)
                assert_ok(pawl__buf_addf(&expected, "f 644 %s=%s\n", sorted[i], sorted[i]));
        assert_ok(pawl__buf_addf(&expected, "f 644 %s=long\n", longest));
        assert_ok(pawl__buf_adds(&expected, "f 644 \xff\xfe=\xff\xfe\n"));
        assert_string_equal(workspace_tree(w), expected.data);
        pawl__buf_free(&expected);
}

WORKSPACE_TEST(links_are_their_targets)
{
        const int fd = workspace_fd(w);

        workspace_write(w, "a/file", "x");
        assert_int_equal(symlinkat("a/file", fd, "1-file"), 0);
        assert_int_equal(symlinkat("a", fd, "2-folder"), 0);
        assert_int_equal(symlinkat("3-loop", fd, "3-loop"), 0);
        assert_int_equal(symlinkat("nowhere", fd, "4-dangling"), 0);
        assert_int_equal(symlinkat("/etc/passwd", fd, "5-outward"), 0);
        assert_int_equal(linkat(fd, "a/file", fd, "6-hard", 0), 0);
        close(fd);
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "l 1-file=a/file\n"
                                               "l 2-folder=a\n"
                                               "l 3-loop=3-loop\n"
                                               "l 4-dangling=nowhere\n"
                                               "l 5-outward=/etc/passwd\n"
                                               "f 644 6-hard=x\n"
                                               "d 755 a\n"
                                               "f 644 a/file=x\n");
}

WORKSPACE_TEST(what_is_no_file_is_listed_and_never_opened)
{
        const int fd = workspace_fd(w);
        const int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct sockaddr_un address = {.sun_family = AF_UNIX};

        workspace_mkdir(w, "a");
        assert_int_equal(mkfifoat(fd, "a/fifo", 0600), 0);
        snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", w->f->directory);
        assert_int_equal(bind(end, (struct sockaddr *)&address, sizeof address), 0);
        workspace_take(w); /* opening the FIFO would wait for ever */
        assert_string_equal(workspace_tree(w), "d 755 a\n"
                                               "x special a/fifo\n"
                                               "x special socket\n");
        assert_int_equal(w->scan->special, 2);
        assert_int_equal(w->scan->n_not_captured, 2);
        assert_text(w->scan->not_captured[0].path, "a/fifo");
        assert_text(w->scan->not_captured[1].path, "socket");
        assert_int_equal(w->scan->not_captured[1].why, PAWL__SKIP_SPECIAL);
        close(end);
        close(fd);
}

WORKSPACE_TEST(permission_bits_are_kept)
{
        const int fd = workspace_fd(w);

        workspace_write(w, "d/f", "");
        assert_int_equal(fchmodat(fd, "d/f", 04750, 0), 0);
        assert_int_equal(fchmodat(fd, "d", 01711, 0), 0);
        close(fd);
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "d 1711 d\nf 4750 d/f=\n");
}

WORKSPACE_TEST(a_file_too_large_is_listed)
{
        w->options.max_file = 4;
        workspace_write(w, "fits", "four");
        workspace_write(w, "s/not", "fives");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 fits=four\nd 755 s\nx too large s/not\n");
        assert_int_equal(w->scan->too_large, 1);
        assert_text(w->scan->not_captured[0].path, "s/not");
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

WORKSPACE_TEST(a_root_beyond_its_bounds_is_refused_before_it_is_read)
{
        w->options.max_files = 2;
        w->options.flush_spool = true;
        workspace_write(w, "a", "aa");
        workspace_write(w, "d/b", "bb");
        workspace_take(w);
        workspace_write(w, "d/c", "cc");
        assert_int_equal(workspace_scan(w), PAWL_ETOOBIG); /* by the index */
        assert_says(w->err.message, "has more than 2 files; ");
        w->taken = false;
        assert_int_equal(workspace_scan(w), PAWL_ETOOBIG);
        w->options.max_files = 3;
        w->options.max_bytes = 5;
        assert_int_equal(workspace_scan(w), PAWL_ETOOBIG);
        assert_says(w->err.message, "has files of more than 5 bytes together; ");
        w->options.max_bytes = 6;
        workspace_take(w);
}

WORKSPACE_TEST(what_is_not_read_in_time_is_listed_and_read_by_the_next)
{
        workspace_write(w, "a", "one");
        workspace_write(w, "d/b", "two");
        workspace_take(w);
        workspace_write(w, "a", "later");
        workspace_write(w, "d/new", "new");
        workspace_write(w, "e/f/new", "new");
        workspace_remove(w, "d/b");
        w->options.deadline_ms = 1;
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "x time budget a\n"
                                               "d 755 d\n"
                                               "x time budget d/new\n"
                                               "x time budget e\n");
        assert_int_equal(w->scan->over_budget, 3);
        assert_int_equal(w->scan->n_not_captured, 3);
        w->options.deadline_ms = 0;
        workspace_take(w);
        assert_int_equal(w->scan->captured, 3);
        assert_string_equal(workspace_tree(w), "f 644 a=later\n"
                                               "d 755 d\n"
                                               "f 644 d/new=new\n"
                                               "d 755 e\n"
                                               "d 755 e/f\n"
                                               "f 644 e/f/new=new\n");
}

/* ---- Depth ----------------------------------------------------------------------------------- */

WORKSPACE_TEST(directories_may_be_as_deep_as_they_like)
{
        const int levels = test_full() ? 5000 : 500; /* removing them takes the file system long */
        char name[] = "a-folder-of-some-length";
        int fd = workspace_fd(w);

        for (int i = 0; i < levels; i++) {
                assert_int_equal(mkdirat(fd, name, 0755), 0);
                const int below = openat(fd, name, O_RDONLY | O_DIRECTORY);
                assert_true(below >= 0);
                /* one that comes after it, so that each level is gone back to */
                if (i % 100 == 7)
                        assert_int_equal(mkdirat(fd, "b", 0755), 0);
                close(fd);
                fd = below;
        }
        const int file = openat(fd, "bottom", O_WRONLY | O_CREAT, 0644);
        assert_true(file >= 0);
        close(file);
        close(fd);
        workspace_take(w);
        assert_int_equal(w->scan->files, 1);
        assert_int_equal(w->scan->n_not_captured, 0);
        workspace_take(w);
        assert_int_equal(w->scan->files, 1);
        /* every level once: the directories are all different, but for those called b */
        assert_int_equal(
                event_log_integer(w->f,
                        "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                levels + 1 + 1 + 1);
        char command[256];
        snprintf(command, sizeof command, "rm -rf '%s'/a*", w->f->directory);
        assert_int_equal(system(command), 0);
}

/* ---- What is left out ------------------------------------------------------------------------ */

WORKSPACE_TEST(rules_leave_files_out_and_never_what_is_ours)
{
        static const pawl_text exclude[] = {{"*.tmp", 5}, {"!keep.log", 9}};

        w->options.exclude = exclude;
        w->options.n_exclude = 2;
        workspace_write(w, ".git/info/exclude", "from-info\n");
        workspace_write(w, ".git/HEAD", "x");
        workspace_write(w, "from-info", "");
        workspace_write(w, ".gitignore", "*.log\n/build/\n!take.tmp\n");
        workspace_write(w, "keep.log", "");
        workspace_write(w, "drop.log", "");
        workspace_write(w, "take.tmp", "");
        workspace_write(w, "build/x", "");
        workspace_write(w, "s/build/x", "");
        workspace_write(w, "s/.gitignore", "*.c\n!back.log\n");
        workspace_write(w, "s/.pawlignore", "!main.c\nback.log\n");
        workspace_write(w, "s/main.c", "");
        workspace_write(w, "s/other.c", "");
        workspace_write(w, "s/back.log", "");
        workspace_write(w, "s/.git", "gitdir: elsewhere");
        workspace_write(w, "s/.pawl/x", "");
        workspace_write(w, "s/.pawl-tmp-0123456789abcdef", "");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 .gitignore=*.log\n/build/\n!take.tmp\n\n"
                                               "f 644 keep.log=\n"
                                               "d 755 s\n"
                                               "x repository s/.git\n"
                                               "f 644 s/.gitignore=*.c\n!back.log\n\n"
                                               "x reserved name s/.pawl\n"
                                               "f 644 s/.pawlignore=!main.c\nback.log\n\n"
                                               "d 755 s/build\n"
                                               "f 644 s/build/x=\n"
                                               "f 644 s/main.c=\n");
        assert_int_equal(w->scan->ignored, 6);
}

WORKSPACE_TEST(the_directory_of_the_log_is_left_out_whatever_its_name)
{
        workspace_write(w, "store/beside", "");
        workspace_write(w, "a", "");
        w->options.log_path = path_in(w->f->directory, "store/log.db");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 a=\n");
}

WORKSPACE_TEST(a_log_in_the_root_leaves_out_its_files_alone)
{
        workspace_write(w, "log.db", "");
        workspace_write(w, "log.db-wal", "");
        workspace_write(w, "log.db-walrus", "");
        workspace_write(w, "workspace.index", "");
        workspace_write(w, "s/log.db", "");
        w->options.log_path = path_in(w->f->directory, "log.db");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 log.db-walrus=\nd 755 s\nf 644 s/log.db=\n");
}

WORKSPACE_TEST(home_and_the_root_of_all_are_refused)
{
        w->options.home = path_in(w->f->directory, ".");
        assert_int_equal(workspace_scan(w), PAWL_EINVAL);
        assert_says(w->err.message, "home directory; name a directory in it as the root, or "
                                    "force this one");
        w->options.force_root = true;
        assert_ok(workspace_scan(w));
        w->options.force_root = false;
        w->options.root = "/proc/self/root/.";
        assert_int_equal(workspace_scan(w), PAWL_EINVAL);
        assert_says(w->err.message, "or force this one");
        w->options.root = "/nowhere/at/all";
        assert_int_equal(workspace_scan(w), PAWL_ENOTFOUND);
        assert_says(w->err.message, "/nowhere/at/all: cannot be scanned");
}

/* ---- More than the spool holds --------------------------------------------------------------- */

static char *random_bytes(size_t len, uint64_t seed)
{
        char *data = test_alloc(len);

        for (size_t i = 0; i < len; i++) {
                seed = seed * 6364136223846793005U + 1442695040888963407U;
                data[i] = (char)(seed >> 56);
        }
        return data;
}

WORKSPACE_TEST(what_does_not_wait_packed_is_read_again)
{
        enum { FILES = 9, SIZE = (4 << 20) + 1 };
        char *data = random_bytes(SIZE, 7), path[64];
        pawl__buf expected = PAWL__BUF_INIT;

        for (int i = 0; i < FILES; i++) {
                snprintf(path, sizeof path, "d%d/e/f", i);
                workspace_write(w, path, "");
                char *whole = path_in(w->f->directory, path);
                data[5] = (char)i;
                file_write(whole, data, (size_t)(SIZE - i % 2)); /* over a part, and not */
                assert_ok(pawl__buf_addf(&expected,
                        "d 755 d%d\nd 755 d%d/e\nf 644 d%d/e/f=%d bytes\n", i, i, i, SIZE - i % 2));
        }
        workspace_take(w);
        assert_string_equal(workspace_tree(w), expected.data);
        pawl__buf_free(&expected);
}

/* A file that is stored after it was changed fails the commit; one that goes on so is taken for
 * changing in the end. */
WORKSPACE_TEST(a_file_that_changes_before_it_is_stored_is_seen)
{
        enum { SIZE = 25 << 20 }; /* more than waits packed */
        char *data = random_bytes(SIZE, 8), *whole = path_in(w->f->directory, "log");

        workspace_write(w, "a", "small");
        const int64_t contents = event_log_integer(
                w->f, "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)");
        for (int i = 0; i < 2; i++) {
                file_write(whole, data, SIZE);
                assert_ok(workspace_scan(w));
                data[i] ^= 1;
                file_write(whole, data, SIZE);
                assert_int_equal(workspace_store(w), PAWL_EINPUTS);
                assert_says(w->err.message, "log: changed while the workspace was stored");
                assert_int_equal(
                        event_log_integer(w->f,
                                "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                        contents);
        }
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 a=small\nx changing log\n");
        assert_int_equal(w->scan->changing, 1);
}

/* Also where nothing is to be asked of the log: of a file that is too large, say. */
WORKSPACE_TEST(a_scan_ends_when_its_log_is_interrupted)
{
        workspace_write(w, "a", "one");
        w->options.max_file = 2;
        pawl_log_interrupt(w->f->log, true);
        assert_int_equal(workspace_scan(w), PAWL_EINTERRUPTED);
        assert_says(w->err.message, "was interrupted, and nothing was written");
        pawl_log_interrupt(w->f->log, false);
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "x too large a\n");
}
