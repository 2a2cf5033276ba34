/* Each call that reads the workspace fails in its turn, and each allocation: what cannot be read is
 * listed, or the scan fails and says why; nothing is left out unsaid, and nothing leaks. */
#include "events/handle.h"
#include "support/sweep.h"
#include "support/workspace.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The calls, one of which fails ----------------------------------------------------------- */

typedef enum call { OPENAT, READ, FSTAT, FSTATAT, GETDENTS, READLINKAT, CALLS } call;

static struct {
        call which;
        int error, countdown; /* countdown 0: none fails */
        bool failed;
} fault;

/* Not static: libc may declare read() and its like as inline. */
bool fails(call which);
bool fails(call which)
{
        if (fault.countdown == 0 || fault.which != which || --fault.countdown > 0)
                return false;
        fault.failed = true;
        errno = fault.error;
        return true;
}

int openat(int directory, const char *name, int flags, ...)
{
        va_list args;

        va_start(args, flags);
        const mode_t mode = (mode_t)va_arg(args, int);
        va_end(args);
        return fails(OPENAT) ? -1 : (int)syscall(SYS_openat, directory, name, flags, mode);
}

ssize_t read(int fd, void *to, size_t len)
{
        return fails(READ) ? -1 : syscall(SYS_read, fd, to, len);
}

int fstat(int fd, struct stat *st)
{
        return fails(FSTAT) ? -1 : (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
}

int fstatat(int directory, const char *restrict name, struct stat *restrict st, int flags)
{
        return fails(FSTATAT) ? -1 : (int)syscall(SYS_newfstatat, directory, name, st, flags);
}

ssize_t getdents64(int fd, void *to, size_t len)
{
        return fails(GETDENTS) ? -1 : syscall(SYS_getdents64, fd, to, len);
}

ssize_t readlinkat(int directory, const char *restrict name, char *restrict to, size_t len)
{
        return fails(READLINKAT) ? -1 : syscall(SYS_readlinkat, directory, name, to, len);
}

/* ---- A workspace with a bit of all ----------------------------------------------------------- */

static const char *const paths[] = {"a/b/c/deep", "a/b/file", "a/link", "empty", "large", "z/last"};
enum { PATHS = sizeof paths / sizeof paths[0] };

static void furnish(workspace *w)
{
        static char large[3 * 1024 * 1024];
        char *link = path_in(w->f->directory, "a/link"), *file = path_in(w->f->directory, "large");

        workspace_write(w, "a/b/c/deep", "deep");
        workspace_write(w, "a/b/file", "file");
        workspace_write(w, "empty", "");
        workspace_write(w, "z/last", "last");
        workspace_write(w, ".gitignore", "*.o\n");
        workspace_write(w, "a/.pawlignore", "!keep.o\n");
        workspace_write(w, "a/keep.o", "kept");
        memset(large, 'x', sizeof large);
        file_write(file, large, sizeof large);
        assert_int_equal(symlink("b", link), 0);
}

static bool is_listed(const workspace *w, const char *path)
{
        for (size_t i = 0; i < w->scan->n_not_captured; i++) {
                const pawl_text at = w->scan->not_captured[i].path;
                if (strncmp(path, at.data, at.len) == 0 &&
                        (path[at.len] == '\0' || path[at.len] == '/'))
                        return true;
        }
        return false;
}

static int open_handles(void)
{
        int n = 0;

        for (int fd = 0; fd < 256; fd++)
                n += fcntl(fd, F_GETFD) >= 0;
        return n;
}

/* Every path is in the tree, or said not to be. */
static void check_complete(workspace *w)
{
        assert_ok(workspace_store(w));
        const char *tree = workspace_tree(w);
        for (size_t i = 0; i < PATHS; i++) {
                char line[64];
                snprintf(line, sizeof line, " %s=", paths[i]);
                if (!strstr(tree, line) && !is_listed(w, paths[i]))
                        fail_msg("%s is neither captured nor listed:\n%s", paths[i], tree);
        }
}

WORKSPACE_TEST(what_cannot_be_read_is_said)
{
        static const int errors[] = {EIO, EACCES, EMFILE, ENOMEM};
        size_t listed = 0, refused = 0, rounds = 0;

        furnish(w);
        workspace_take(w);
        workspace_take(w); /* so that all handles of the log are open */
        const int handles = open_handles();
        for (call which = OPENAT; which < CALLS; which++)
                for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++) {
                        fault.failed = true;
                        for (int n = 1; fault.failed; n++, rounds++) {
                                w->taken = false; /* no index: all is read */
                                w->err = (pawl_error)PAWL_ERROR_INIT;
                                fault.which = which;
                                fault.error = errors[e];
                                fault.failed = false;
                                fault.countdown = n;
                                const pawl_status status = workspace_scan(w);
                                fault.countdown = 0;
                                assert_int_equal(open_handles(), handles);
                                if (status) {
                                        assert_true(fault.failed);
                                        assert_int_equal(w->err.status, status);
                                        assert_true(strlen(w->err.message) > 0);
                                        refused++;
                                        continue;
                                }
                                listed += w->scan->n_not_captured;
                                if (n % 4 == 1 || test_full())
                                        check_complete(w);
                        }
                }
        printf("%zu rounds, %zu listed, %zu refused\n", rounds, listed, refused);
        assert_true(listed > 50 && refused > 10);
        workspace_take(w);
        assert_int_equal(w->scan->n_not_captured, 0);
}

WORKSPACE_TEST(reading_goes_on_after_a_signal)
{
        workspace_write(w, "a", "one");
        workspace_write(w, ".gitignore", "x\n");
        for (int n = 1; n <= 3; n++) {
                fault.which = READ;
                fault.error = EINTR;
                fault.countdown = n;
                workspace_take(w);
                fault.countdown = 0;
                assert_int_equal(w->scan->n_not_captured, 0);
                w->taken = false;
        }
        assert_true(fault.failed);
}

/* With few handles to be had, the directories above do without theirs. */
WORKSPACE_TEST(deep_directories_need_few_handles)
{
        struct rlimit was, few;

        workspace_write(w, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/file", "x");
        workspace_write(w, "a/b/c/d/e/f/g/h/z/file", "y");
        workspace_take(w);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
        int next = dup(0);
        close(next);
        few = was;
        few.rlim_cur = (rlim_t)next + 5;
        w->taken = false;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        const pawl_status status = workspace_scan(w);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
        assert_ok(status);
        assert_int_equal(w->scan->files, 2);
        assert_int_equal(w->scan->n_not_captured, 0);
}

/* A process without rights finds files and directories that it must not read. */
WORKSPACE_TEST(what_is_forbidden_is_listed)
{
        char *file = path_in(w->f->directory, "f"), *directory = path_in(w->f->directory, "d");

        workspace_write(w, "f", "secret");
        workspace_write(w, "d/in", "secret");
        workspace_write(w, "g", "open");
        assert_int_equal(chmod(file, 0), 0);
        assert_int_equal(chmod(directory, 0), 0);
        if (geteuid() == 0) /* whom nothing is forbidden */
                assert_int_equal(chmod(w->f->directory, 0755), 0);
        const pid_t child = fork();
        if (child == 0) {
                w->f->log->process = getpid(); /* it only looks, and the parent waits */
                if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
                        _exit(9);
                if (workspace_scan(w))
                        _exit(8);
                const pawl__not_captured *not = w->scan->not_captured;
                _exit(!(w->scan->files == 1 && w->scan->unreadable == 2 &&
                        w->scan->n_not_captured == 2 && pawl__text_is(not [0].path, "d") &&
                        not [0].error == EACCES && pawl__text_is(not [1].path, "f") &&
                        not [1].error == EACCES && not [1].why == PAWL__SKIP_UNREADABLE));
        }
        child_exits(child, 0);
        assert_int_equal(chmod(directory, 0700), 0);
}

/* Without its rules a directory could give away what they leave out: none of it is taken, and of a
 * root without its own nothing at all. */
WORKSPACE_TEST(a_directory_whose_rules_are_forbidden_is_listed)
{
        char *within = path_in(w->f->directory, "d/.gitignore");

        workspace_write(w, "d/.gitignore", "secret\n");
        workspace_write(w, "d/secret", "secret");
        workspace_write(w, "d/deep/file", "");
        workspace_write(w, "g", "open");
        workspace_take(w);
        assert_int_equal(chmod(within, 0), 0);
        if (geteuid() == 0) /* whom nothing is forbidden */
                assert_int_equal(chmod(w->f->directory, 0755), 0);
        const pid_t child = fork();
        if (child == 0) {
                w->f->log->process = getpid(); /* it only looks, and the parent waits */
                if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
                        _exit(9);
                if (workspace_scan(w))
                        _exit(8);
                const pawl__not_captured *not = w->scan->not_captured;
                if (w->scan->files != 1 || w->scan->n_not_captured != 1 ||
                        !pawl__text_is(not [0].path, "d") || not [0].why != PAWL__SKIP_RULES)
                        _exit(7);
                _exit(0);
        }
        child_exits(child, 0);
        assert_int_equal(chmod(within, 0644), 0);
        workspace_write(w, ".gitignore", "secret\n");
        assert_int_equal(chmod(path_in(w->f->directory, ".gitignore"), 0), 0);
        const pid_t refused = fork();
        if (refused == 0) {
                if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
                        _exit(9);
                _exit(!(workspace_scan(w) == PAWL_EACCESS &&
                        strstr(w->err.message, "/.gitignore: cannot be read: Permission denied; "
                                               "let it be readable")));
        }
        child_exits(refused, 0);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

WORKSPACE_TEST(without_memory_nothing_is_stored)
{
        furnish(w);
        workspace_take(w);
        for (int i = 0; i < 40; i++) { /* until the log has each query that a difference needs */
                char text[32];
                snprintf(text, sizeof text, "take %d", i);
                workspace_write(w, "new-0", text);
                workspace_take(w);
        }
        for (sweep s = {.least = 21, .keeps = true}; sweep_next(&s);) {
                char name[32];
                const int64_t events = event_log_count(w->f);
                snprintf(name, sizeof name, "new-%zu", s.n % 7);
                workspace_write(w, name, name);
                pawl__scan_free(w->scan);
                w->scan = NULL;
                w->err = (pawl_error)PAWL_ERROR_INIT;
                pawl__contents_close(w->contents); /* it keeps what it has read */
                const long live = allocator_live();
                assert_ok(pawl__contents_open(&w->contents, w->f->log, &w->err));
                sweep_arm(&s);
                pawl_status status = workspace_scan(w);
                const bool scanned = status == PAWL_OK;
                if (scanned)
                        status = workspace_store(w);
                if (!sweep_done(&s, status, &w->err) && !scanned) {
                        pawl__contents_close(w->contents);
                        assert_int_equal(allocator_live(), live);
                        assert_ok(pawl__contents_open(&w->contents, w->f->log, &w->err));
                        assert_int_equal(event_log_count(w->f), events);
                }
        }
        workspace_take(w);
        assert_int_equal(w->scan->n_not_captured, 0);
        (void)workspace_tree(w);
}
