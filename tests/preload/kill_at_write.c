/*
 * For LD_PRELOAD: a program that dies, or is stopped, at the n-th call that changes a file, starts
 * a command or takes note of its end.
 *
 *   KILL_AT=n     SIGKILL at call n, before it is made
 *   KILL_HALF=1   with half of it done: half of a write's bytes are written; any other call is made
 *   STOP_AT=n     SIGSTOP before call n, which is made when the process goes on
 *   CALL_LIST=F   a line for each call at the end of F, when it is due: "pwrite events.db-wal"
 *
 * Counted are the calls by which pawl and SQLite reach a file, a pipe or a terminal (strace shows
 * no others), fork() and sendmsg(), which start a command, and waitpid(). Standard output and
 * error, which libc writes by itself, are not.
 * What the program starts is left alone: LD_PRELOAD is taken out of the environment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long calls, kill_at, stop_at;
static bool half;
static int list_fd = -1;

static long number_in(const char *name)
{
        const char *value = getenv(name);

        return value ? strtol(value, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
        const char *list = getenv("CALL_LIST");

        kill_at = number_in("KILL_AT");
        stop_at = number_in("STOP_AT");
        half = number_in("KILL_HALF") != 0;
        if (list)
                list_fd = (int)syscall(SYS_openat, AT_FDCWD, list,
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        unsetenv("LD_PRELOAD");
}

/* The wrapped function, as libc has it. */
static void *next(const char *name)
{
        void *found = dlsym(RTLD_NEXT, name);

        if (!found)
                abort();
        return found;
}

static void list_call(const char *name, const char *path)
{
        char line[512];
        const char *slash = path ? strrchr(path, '/') : NULL;
        int len = snprintf(
                line, sizeof line, "%s %.300s\n", name, slash ? slash + 1 : (path ? path : "?"));

        if (list_fd >= 0)
                syscall(SYS_write, list_fd, line, (size_t)len);
}

static void die(void)
{
        for (;;)
                raise(SIGKILL);
}

/* Call number so and so is due. True: it is to be half done, and then the process dies. */
static bool due(const char *name, const char *path)
{
        calls++;
        list_call(name, path);
        if (calls == stop_at)
                raise(SIGSTOP);
        if (calls == kill_at && !half)
                die();
        return calls == kill_at;
}

static bool due_fd(const char *name, int fd)
{
        char link[64], path[512];

        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t len = readlink(link, path, sizeof path - 1);
        path[len > 0 ? len : 0] = '\0';
        return due(name, path);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT ssize_t write(int fd, const void *data, size_t len)
{
        ssize_t (*real)(int, const void *, size_t) = next("write");

        if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
                return real(fd, data, len);
        bool last = due_fd("write", fd);
        ssize_t n = real(fd, data, last ? len / 2 : len);
        if (last)
                die();
        return n;
}

static ssize_t write_at(const char *name, int fd, const void *data, size_t len, off_t at)
{
        ssize_t (*real)(int, const void *, size_t, off_t) = next(name);
        bool last = due_fd("pwrite", fd);
        ssize_t n = real(fd, data, last ? len / 2 : len, at);
        if (last)
                die();
        return n;
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
        return write_at("pwrite", fd, data, len, at);
}

EXPORT ssize_t pwrite64(int fd, const void *data, size_t len, off_t at)
{
        return write_at("pwrite64", fd, data, len, at);
}

static int cut(const char *name, int fd, off_t len)
{
        int (*real)(int, off_t) = next(name);
        bool last = due_fd("ftruncate", fd);
        int result = real(fd, len);
        if (last)
                die();
        return result;
}

EXPORT int ftruncate(int fd, off_t len)
{
        return cut("ftruncate", fd, len);
}

EXPORT int ftruncate64(int fd, off_t len)
{
        return cut("ftruncate64", fd, len);
}

static int sync_fd(const char *name, int fd)
{
        int (*real)(int) = next(name);
        bool last = due_fd(name, fd);
        int result = real(fd);
        if (last)
                die();
        return result;
}

EXPORT int fsync(int fd)
{
        return sync_fd("fsync", fd);
}

EXPORT int fdatasync(int fd)
{
        return sync_fd("fdatasync", fd);
}

/* Only an open that makes a file counts; one that finds it there changes nothing. */
static int open_as(const char *name, const char *path, int flags, mode_t mode)
{
        int (*real)(const char *, int, ...) = next(name);
        bool makes = (flags & O_CREAT) && access(path, F_OK) != 0;
        bool last = makes && due("open", path);
        int fd = real(path, flags, mode);
        if (last)
                die();
        return fd;
}

static mode_t mode_of(int flags, va_list rest)
{
        return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
        va_list rest;

        va_start(rest, flags);
        mode_t mode = mode_of(flags, rest);
        va_end(rest);
        return open_as("open", path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
{
        va_list rest;

        va_start(rest, flags);
        mode_t mode = mode_of(flags, rest);
        va_end(rest);
        return open_as("open64", path, flags, mode);
}

static int make_temporary(const char *name, char *path, int flags)
{
        int (*real)(char *, int) = next(name);
        bool last = due("mkostemp", path);
        int fd = real(path, flags);
        if (last)
                die();
        return fd;
}

EXPORT int mkostemp(char *path, int flags)
{
        return make_temporary("mkostemp", path, flags);
}

EXPORT int mkostemp64(char *path, int flags)
{
        return make_temporary("mkostemp64", path, flags);
}

EXPORT int mknod(const char *path, mode_t mode, dev_t dev)
{
        int (*real)(const char *, mode_t, dev_t) = next("mknod");
        bool last = due("mknod", path);
        int result = real(path, mode, dev);
        if (last)
                die();
        return result;
}

static int with_mode(const char *name, const char *path, mode_t mode)
{
        int (*real)(const char *, mode_t) = next(name);
        bool last = due(name, path);
        int result = real(path, mode);
        if (last)
                die();
        return result;
}

EXPORT int mkdir(const char *path, mode_t mode)
{
        return with_mode("mkdir", path, mode);
}

EXPORT int chmod(const char *path, mode_t mode)
{
        return with_mode("chmod", path, mode);
}

EXPORT int fchmod(int fd, mode_t mode)
{
        int (*real)(int, mode_t) = next("fchmod");
        bool last = due_fd("fchmod", fd);
        int result = real(fd, mode);
        if (last)
                die();
        return result;
}

EXPORT int fchown(int fd, uid_t owner, gid_t group)
{
        int (*real)(int, uid_t, gid_t) = next("fchown");
        bool last = due_fd("fchown", fd);
        int result = real(fd, owner, group);
        if (last)
                die();
        return result;
}

static int with_name(const char *name, const char *path)
{
        int (*real)(const char *) = next(name);
        bool last = due(name, path);
        int result = real(path);
        if (last)
                die();
        return result;
}

EXPORT int unlink(const char *path)
{
        return with_name("unlink", path);
}

/* What a restore does to the workspace: names in a directory that it holds open. */
#define AT_CALL(name, path, call)                                                                  \
        __typeof__(&name) real = next(#name);                                                      \
        bool last = due(#name, path);                                                              \
        int result = real call;                                                                    \
        if (last)                                                                                  \
                die();                                                                             \
        return result

EXPORT int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
        AT_CALL(renameat, to, (from_dir, from, to_dir, to));
}

EXPORT int unlinkat(int dir, const char *path, int flags)
{
        AT_CALL(unlinkat, path, (dir, path, flags));
}

EXPORT int mkdirat(int dir, const char *path, mode_t mode)
{
        AT_CALL(mkdirat, path, (dir, path, mode));
}

EXPORT int symlinkat(const char *target, int dir, const char *path)
{
        AT_CALL(symlinkat, path, (target, dir, path));
}

EXPORT int fchmodat(int dir, const char *path, mode_t mode, int flags)
{
        AT_CALL(fchmodat, path, (dir, path, mode, flags));
}

EXPORT int syncfs(int fd)
{
        return sync_fd("syncfs", fd);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
        int (*real)(int, const char *, int, ...) = next("openat");
        va_list rest;

        va_start(rest, flags);
        mode_t mode = mode_of(flags, rest);
        va_end(rest);
        bool makes = (flags & O_CREAT) && faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
        bool last = makes && due("openat", path);
        int fd = real(dir, path, flags, mode);
        if (last)
                die();
        return fd;
}

EXPORT int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
        int (*real)(int, const char *, int, const char *, unsigned) = next("renameat2");
        bool last = due("renameat2", to);
        int result = real(from_dir, from, to_dir, to, flags);

        if (last)
                die();
        return result;
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
        pid_t (*real)(pid_t, int *, int) = next("waitpid");
        bool last = due("waitpid", "a-command");
        pid_t ended = real(pid, status, options);

        if (last)
                die();
        return ended;
}

/* What starts a command. The child is not the program any more: nothing is counted there. */
EXPORT pid_t fork(void)
{
        pid_t (*real)(void) = next("fork");
        bool last = due("fork", "a-command");
        pid_t pid = real();

        if (pid == 0) {
                kill_at = stop_at = 0;
                list_fd = -1;
        } else if (last) {
                die();
        }
        return pid;
}

/* What starts a later one. */
EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
        ssize_t (*real)(int, const struct msghdr *, int) = next("sendmsg");
        bool last = due("sendmsg", "a-command");
        ssize_t n = real(fd, message, flags);

        if (last)
                die();
        return n;
}
