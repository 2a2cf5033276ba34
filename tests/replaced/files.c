#include "replaced/files.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
        bool on, half, all;
        long calls, fail_at, die_at;
        int error;
        const char *last;
        void (*fn)(void *user);
        void *user;
        long call_at;
} now;

void files_count(void)
{
        now.on = true;
        now.calls = now.fail_at = now.die_at = now.call_at = 0;
}

void files_fail_at(long n, int error, bool all)
{
        files_count();
        now.fail_at = n;
        now.error = error;
        now.all = all;
}

void files_die_at(long n, bool half)
{
        files_count();
        now.die_at = n;
        now.half = half;
}

void files_call_at(long n, void (*fn)(void *user), void *user)
{
        files_count();
        now.call_at = n;
        now.fn = fn;
        now.user = user;
}

long files_calls(void)
{
        return now.calls;
}

const char *files_last(void)
{
        return now.last ? now.last : "";
}

void files_leave(void)
{
        now.on = false;
}

static void die(void)
{
        for (;;)
                raise(SIGKILL);
}

/* A call is due. True: it fails. *last: the process dies right after it. */
static bool due(const char *name, bool *last)
{
        *last = false;
        if (!now.on)
                return false;
        now.calls++;
        now.last = name;
        if (now.calls == now.call_at)
                now.fn(now.user);
        *last = now.calls == now.die_at;
        if (*last && !now.half)
                die();
        if (!now.fail_at || now.calls < now.fail_at || (now.calls > now.fail_at && !now.all))
                return false;
        errno = now.error;
        return true;
}

/* The call as libc has it, its result, and the end of the process if it is due. */
#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, #name))
#define REPLACE(name, type, call)                                                                  \
        do {                                                                                       \
                bool last;                                                                         \
                if (due(#name, &last))                                                             \
                        return -1;                                                                 \
                int result = NEXT(type, name) call;                                                \
                if (last)                                                                          \
                        die();                                                                     \
                return result;                                                                     \
        } while (0)

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym() gives functions as data */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default) /* SQLite's calls, too */

#define REPLACE_WRITE(name, type, call)                                                            \
        do {                                                                                       \
                bool last;                                                                         \
                if (fd == STDOUT_FILENO || fd == STDERR_FILENO)                                    \
                        return NEXT(type, name) call;                                              \
                if (due(#name, &last))                                                             \
                        return -1;                                                                 \
                if (last)                                                                          \
                        len /= 2;                                                                  \
                ssize_t result = NEXT(type, name) call;                                            \
                if (last)                                                                          \
                        die();                                                                     \
                return result;                                                                     \
        } while (0)

ssize_t write(int fd, const void *data, size_t len)
{
        REPLACE_WRITE(write, ssize_t(*)(int, const void *, size_t), (fd, data, len));
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
        REPLACE_WRITE(pwrite, ssize_t(*)(int, const void *, size_t, off_t), (fd, data, len, at));
}

ssize_t pwrite64(int fd, const void *data, size_t len, off_t at)
{
        REPLACE_WRITE(pwrite64, ssize_t(*)(int, const void *, size_t, off_t), (fd, data, len, at));
}

int ftruncate(int fd, off_t len)
{
        REPLACE(ftruncate, int (*)(int, off_t), (fd, len));
}

int ftruncate64(int fd, off_t len)
{
        REPLACE(ftruncate64, int (*)(int, off_t), (fd, len));
}

int fsync(int fd)
{
        REPLACE(fsync, int (*)(int), (fd));
}

int fdatasync(int fd)
{
        REPLACE(fdatasync, int (*)(int), (fd));
}

int syncfs(int fd)
{
        REPLACE(syncfs, int (*)(int), (fd));
}

int mkdir(const char *path, mode_t mode)
{
        REPLACE(mkdir, int (*)(const char *, mode_t), (path, mode));
}

int mkdirat(int at, const char *path, mode_t mode)
{
        REPLACE(mkdirat, int (*)(int, const char *, mode_t), (at, path, mode));
}

int mknod(const char *path, mode_t mode, dev_t dev)
{
        REPLACE(mknod, int (*)(const char *, mode_t, dev_t), (path, mode, dev));
}

int mkostemp(char *path, int flags)
{
        REPLACE(mkostemp, int (*)(char *, int), (path, flags));
}

int unlink(const char *path)
{
        REPLACE(unlink, int (*)(const char *), (path));
}

int unlinkat(int at, const char *path, int flags)
{
        REPLACE(unlinkat, int (*)(int, const char *, int), (at, path, flags));
}

int rename(const char *from, const char *to)
{
        REPLACE(rename, int (*)(const char *, const char *), (from, to));
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
        REPLACE(renameat, int (*)(int, const char *, int, const char *),
                (from_at, from, to_at, to));
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
        REPLACE(renameat2, int (*)(int, const char *, int, const char *, unsigned),
                (from_at, from, to_at, to, flags));
}

int symlinkat(const char *target, int at, const char *path)
{
        REPLACE(symlinkat, int (*)(const char *, int, const char *), (target, at, path));
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
        REPLACE(linkat, int (*)(int, const char *, int, const char *, int),
                (from_at, from, to_at, to, flags));
}

int fchmod(int fd, mode_t mode)
{
        REPLACE(fchmod, int (*)(int, mode_t), (fd, mode));
}

int fchmodat(int at, const char *path, mode_t mode, int flags)
{
        REPLACE(fchmodat, int (*)(int, const char *, mode_t, int), (at, path, mode, flags));
}

/* Only an open that makes a file changes something. */
static int open_as(const char *name, int at, const char *path, int flags, mode_t mode)
{
        int (*real)(int, const char *, int, ...) =
                NEXT(int (*)(int, const char *, int, ...), openat);
        bool makes = (flags & O_CREAT) && faccessat(at, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
        bool last = false;

        if (makes && due(name, &last))
                return -1;
        int fd = real(at, path, flags, mode);
        if (last)
                die();
        return fd;
}

#define MODE_OF_REST(mode)                                                                         \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                    \
        va_end(rest)

int open(const char *path, int flags, ...)
{
        MODE_OF_REST(mode);
        return open_as("open", AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
        MODE_OF_REST(mode);
        return open_as("open", AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
        MODE_OF_REST(mode);
        return open_as("openat", at, path, flags, mode);
}

#pragma GCC visibility pop
