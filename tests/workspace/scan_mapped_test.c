/* What is stored through a shared mapping, which moves a file's times only now and then. */
#include "support/workspace.h"
#include "workspace/scan/read.h"
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

static void wait_a_tick(void)
{
        nanosleep(&(struct timespec){0, 20000000}, NULL);
}

static char *map(const char *path)
{
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

        assert_true(fd >= 0);
        assert_int_equal(ftruncate(fd, 2), 0);
        char *mapped = mmap(NULL, 2, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_ptr_not_equal(mapped, MAP_FAILED);
        close(fd);
        return mapped;
}

/* Each of ten stores, a checkpoint after each, is in it. */
static void each_store_is_seen(workspace *w, const char *path)
{
        char *mapped = map(path), line[32];

        for (int c = '0'; c <= '9'; c++) {
                mapped[0] = (char)c;
                mapped[1] = c == '5' ? 'x' : 'y';
                wait_a_tick();
                workspace_take(w);
                snprintf(line, sizeof line, "f 644 mapped=%.2s\n", mapped);
                assert_string_equal(workspace_tree(w), line);
                assert_int_equal(w->scan->captured, 1);
                workspace_take(w);
                assert_int_equal(w->scan->captured, 0);
        }
        assert_int_equal(munmap(mapped, 2), 0);
}

WORKSPACE_TEST(a_store_that_moves_no_time_is_seen)
{
        each_store_is_seen(w, path_in(w->f->directory, "mapped"));
}

/* Where nothing tells whether a page waits to be written, a file is read again until it no longer
 * can. */
WORKSPACE_TEST(a_store_in_memory_is_seen_while_it_is_new)
{
        char directory[] = "/dev/shm/pawl-XXXXXX";
        struct statfs of;

        if (statfs("/dev/shm", &of) != 0 || of.f_type != TMPFS_MAGIC || !mkdtemp(directory)) {
                print_message("/dev/shm is no tmpfs that can be written to\n");
                skip();
        }
        char *path = path_in(directory, "mapped");
        w->options.root = directory;
        each_store_is_seen(w, path);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(rmdir(directory), 0);
}

/* Is the file opened by a scan? Its access time, which is older than its others, says so. */
static bool is_read(workspace *w, const char *path)
{
        struct stat before, after;

        assert_int_equal(stat(path, &before), 0);
        workspace_take(w);
        assert_int_equal(stat(path, &after), 0);
        return before.st_atim.tv_sec != after.st_atim.tv_sec ||
               before.st_atim.tv_nsec != after.st_atim.tv_nsec;
}

/* A file that was just written costs one reading, not one at each checkpoint until it is old. */
WORKSPACE_TEST(a_new_file_is_read_once)
{
        char *path = path_in(w->f->directory, "new");

        file_write(path, "one", 3);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const bool known = pawl__read_write_back(fd);
        close(fd);
        if (!known) {
                print_message("this file system does not tell which pages wait to be written\n");
                skip();
                return;
        }
        file_write(path, "two", 3);
        wait_a_tick();
        workspace_take(w);
        workspace_age(w, "new", 3600); /* so that reading would move the access time */
        wait_a_tick();
        (void)is_read(w, path);
        assert_false(is_read(w, path));
        assert_string_equal(workspace_tree(w), "f 644 new=two\n");
}

UNIT_TEST(what_the_kernel_is_set_to_has_a_bound)
{
        const int64_t ns = pawl__write_back_ns();

        assert_true(ns > 0 && ns <= INT64_C(300000000000));
}
