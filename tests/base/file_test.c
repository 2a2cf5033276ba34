/* Files read up to a bound, written whole, and renamed with or without replacing. */
#include "base/file.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 200000 };

static int setup(void **state)
{
        static char directory[] = "/tmp/pawl-file-XXXXXX";

        *state = NULL;
        return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
        char directory[64];

        (void)state;
        for (const char *const *name = (const char *const[]){"large", "one", "two", NULL}; *name;
                name++)
                unlink(*name);
        return getcwd(directory, sizeof directory) && rmdir(directory) == 0 ? 0 : -1;
}

static int make(const char *name, const void *data, size_t len)
{
        return pawl__fill_file(
                open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), 0600, data, len, true);
}

static int load(pawl__buf *out, const char *name, size_t max)
{
        const int fd = open(name, O_RDONLY | O_CLOEXEC);
        const int error = pawl__read_all(out, fd, max);

        close(fd);
        return error;
}

UNIT_TEST(what_is_written_is_read_up_to_the_bound)
{
        static char bytes[LARGE];
        pawl__buf text = PAWL__BUF_INIT;
        struct stat st;

        for (size_t i = 0; i < LARGE; i++)
                bytes[i] = (char)(i * 7 % 251);
        assert_int_equal(make("large", bytes, LARGE), 0);
        assert_int_equal(stat("large", &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        pawl__buf_adds(&text, "before");
        assert_int_equal(load(&text, "large", LARGE), 0);
        assert_int_equal(text.len, 6 + LARGE);
        assert_memory_equal(text.data + 6, bytes, LARGE);
        assert_int_equal(text.data[text.len], '\0');
        pawl__buf_clear(&text);
        assert_int_equal(load(&text, "large", LARGE - 1), EFBIG);
        assert_int_equal(text.len, LARGE);
        pawl__buf_clear(&text);
        assert_int_equal(load(&text, "large", 10), EFBIG);
        assert_int_equal(text.len, 11);
        assert_int_equal(load(&text, "nothing", 10), EBADF);
        assert_int_equal(pawl__write_all(-1, "x", 1), EBADF);
        assert_int_equal(pawl__fill_file(-1, 0, "x", 1, false), EBADF);
        pawl__buf_free(&text);
}

UNIT_TEST(a_rename_replaces_only_if_told)
{
        pawl__buf text = PAWL__BUF_INIT;

        assert_int_equal(make("one", "1", 1), 0);
        assert_int_equal(make("two", "2", 1), 0);
        assert_int_equal(pawl__rename(AT_FDCWD, "one", "two", false), EEXIST);
        assert_int_equal(load(&text, "two", 9), 0);
        assert_int_equal(pawl__rename(AT_FDCWD, "one", "two", true), 0);
        assert_int_equal(pawl__rename(AT_FDCWD, "one", "two", true), ENOENT);
        assert_int_equal(load(&text, "two", 9), 0);
        assert_int_equal(pawl__rename(AT_FDCWD, "two", "one", false), 0);
        assert_int_equal(load(&text, "one", 9), 0);
        assert_text(pawl__buf_text(&text), "211");
        assert_int_equal(pawl__sync_directory("."), 0);
        assert_int_equal(pawl__sync_directory("nothing"), ENOENT);
        pawl__buf_free(&text);
}

TESTS_MAIN(setup, teardown)
