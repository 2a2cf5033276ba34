#include "support/test.h"
#include "support/left_logs.h"
#include <errno.h>
#include <ftw.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct CMUnitTest tests[100];
static size_t n_tests;

void test_add(struct CMUnitTest test)
{
        if (n_tests == sizeof tests / sizeof tests[0])
                abort();
        tests[n_tests++] = test;
}

/* ---- What belongs to a test
 * ---------------------------------------------------------------------- */

/* Threads may add. Whoever frees what is behind it is stopped by the C library: it has no size. */
typedef struct owned {
        struct owned *before;
        uint64_t is_directory;
        char data[];
} owned;

static _Atomic(owned *) newest;
static owned *of_all; /* what the setup of all made, and what came before it */
static CMFixtureFunction setup_of_all, teardown_of_all;

void *test_alloc(size_t size)
{
        owned *it = calloc(1, sizeof *it + size);

        assert_non_null(it);
        it->before = newest;
        while (!atomic_compare_exchange_weak(&newest, &it->before, it))
                continue;
        return it->data;
}

char *test_text(const char *data, size_t len)
{
        return memcpy(test_alloc(len + 1), len ? data : "", len);
}

char *test_copy(const char *string)
{
        return test_text(string, strlen(string));
}

char *test_take(pawl__buf *buf)
{
        char *text = test_text(buf->data, buf->len);

        pawl__buf_free(buf);
        return text;
}

void *test_mark(void)
{
        return newest;
}

void test_release(void *mark)
{
        while (newest && newest != mark) {
                owned *it = newest;
                newest = it->before;
                if (it->is_directory)
                        directory_remove(it->data);
                free(it);
        }
}

int test_end(CMFixtureFunction teardown, void **state)
{
        const int status = teardown ? teardown(state) : 0;

        test_release(of_all);
        return status;
}

static int begin_all(void **state)
{
        const int status = setup_of_all ? setup_of_all(state) : 0;

        of_all = newest;
        return status;
}

static int end_all(void **state)
{
        of_all = NULL;
        return test_end(teardown_of_all, state);
}

int test_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
        setup_of_all = setup;
        teardown_of_all = teardown;
        return _cmocka_run_group_tests("tests", tests, n_tests, begin_all, end_all);
}

int test_run_in_memory(CMFixtureFunction setup, CMFixtureFunction teardown)
{
        if (access("/dev/shm", W_OK) == 0)
                setenv("TMPDIR", "/dev/shm", 1);
        return test_run(setup, teardown);
}

void check_text(pawl_text text, const char *string, const char *file, int line)
{
        if (pawl__text_is(text, string))
                return;
        print_error("\"%.*s\" is not \"%s\"\n", (int)text.len, text.data ? text.data : "(absent)",
                string ? string : "(absent)");
        _fail(file, line);
}

void check_says(const char *message, const char *part, const char *file, int line)
{
        if (strstr(message, part))
                return;
        print_error("\"%s\" does not say \"%s\"\n", message, part);
        _fail(file, line);
}

bool test_full(void)
{
        const char *full = getenv("PAWL_TEST_FULL");

        return full && strcmp(full, "1") == 0;
}

void check_exits(pid_t child, int code, const char *file, int line)
{
        int status = -1;

        if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == code)
                return;
        print_error("the child ended with status %#x, not with code %d\n", (unsigned)status, code);
        _fail(file, line);
}

/* AddressSanitizer's, where it is. */
extern void __sanitizer_purge_allocator(void) __attribute__((weak));

pid_t process_fork(void)
{
        fflush(NULL);
        if (__sanitizer_purge_allocator)
                __sanitizer_purge_allocator();
        pid_t pid = fork();
        assert_true(pid >= 0);
        return pid;
}

char *directory_make(void)
{
        const char *tmp = getenv("TMPDIR");
        char *name = path_in(tmp ? tmp : "/tmp", "pawl-test-XXXXXX");

        assert_non_null(mkdtemp(name));
        ((owned *)(name - offsetof(owned, data)))->is_directory = 1;
        return name;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st, (void)type, (void)ftw;
        return remove(path);
}

/* A log's file is whole pages. */
static int keep_log(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)ftw;
        if (type == FTW_F && S_ISREG(st->st_mode) && st->st_size > 0 && st->st_size % 4096 == 0)
                log_removed(path);
        return 0;
}

void directory_remove(const char *directory)
{
        if (getenv("PAWL_TEST_LOGS"))
                nftw(directory, keep_log, 16, FTW_PHYS);
        nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

char *path_in(const char *directory, const char *name)
{
        size_t len = strlen(directory) + 1 + strlen(name) + 1;
        char *path = test_alloc(len);

        snprintf(path, len, "%s/%s", directory, name);
        return path;
}

bool on_server(void)
{
        return getenv("PAWL_TEST_SERVER") != NULL;
}

/* A test that is skipped half-way frees nothing: LeakSanitizer asks this before it looks. */
static bool cut_off;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
        return cut_off;
}

void needs_file(void)
{
        cut_off = on_server();
        if (cut_off)
                skip();
}

/* The server's URL is in a file that the fixture wrote (tests/support/postgres). */
static char *server_url(void)
{
        size_t len;
        char *url;

        if (access(getenv("PAWL_TEST_SERVER"), R_OK) != 0) {
                fputs("there is no PostgreSQL to test with\n", stderr);
                exit(77);
        }
        url = file_read(getenv("PAWL_TEST_SERVER"), &len);
        url[strcspn(url, "\n")] = '\0';
        return url;
}

char *log_in(const char *directory, const char *name)
{
        if (!on_server())
                return path_in(directory, name);
        char *pawl = path_in(directory, ".pawl"), *url = server_url();
        const size_t len = strlen(url) + strlen(directory) + strlen(name) + 8;
        char *log = test_alloc(len);

        assert_true(mkdir(pawl, 0700) == 0 || errno == EEXIST);
        assert_int_equal(chdir(directory), 0);
        snprintf(log, len, "%s#%s-%s", url, strrchr(directory, '/') + 1, name);
        for (char *at = strchr(log, '#'); *at; at++)
                if (*at == '/')
                        *at = '-';
        log_on_server(log);
        return log;
}

void file_write(const char *path, const void *data, size_t len)
{
        FILE *file = fopen(path, "wb");

        assert_non_null(file);
        assert_int_equal(len ? fwrite(data, 1, len, file) : 0, len);
        assert_int_equal(fclose(file), 0);
}

char *file_read(const char *path, size_t *len)
{
        FILE *file = fopen(path, "rb");
        pawl__buf all = PAWL__BUF_INIT;
        char chunk[65536];
        size_t n;

        assert_non_null(file);
        while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
                assert_ok(pawl__buf_add(&all, chunk, n));
        fclose(file);
        if (len)
                *len = all.len;
        return test_take(&all);
}
