/* A file read whole (workspace/scan/read.h). */
#include "workspace/scan/read.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int64_t pawl__time_ns(const struct timespec *time)
{
        int64_t ns;

        if (__builtin_mul_overflow((int64_t)time->tv_sec, (int64_t)1000000000, &ns) ||
                __builtin_add_overflow(ns, (int64_t)time->tv_nsec, &ns))
                return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
        return ns;
}

bool pawl__stat_same(const struct stat *a, const struct stat *b)
{
        return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_mode == b->st_mode &&
               a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
               a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
               a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* ---- What a mapping may still change --------------------------------------------------------- */

/* cachestat(2), which the headers of older kernels do not have. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* Are no pages of the file dirty? Not known: false. */
static bool is_clean(int fd)
{
        const uint64_t all[2] = {0, 0}; /* offset, length */
        struct {
                uint64_t cached, dirty, rest[3];
        } found = {0}; /* NOLINT */

        return syscall(SYS_cachestat, fd, all, &found, 0) == 0 && found.dirty == 0;
}

/* File systems that keep their pages themselves, and let the first store after a page was written
 * move the file's times. */
static bool keeps_pages(int fd)
{
        struct statfs of;

        if (fstatfs(fd, &of) != 0)
                return false;
        switch ((unsigned long)of.f_type) {
        case EXT4_SUPER_MAGIC:
        case XFS_SUPER_MAGIC:
        case BTRFS_SUPER_MAGIC:
        case F2FS_SUPER_MAGIC:
                return true;
        default:
                return false;
        }
}

bool pawl__read_write_back(int fd)
{
        if (!keeps_pages(fd))
                return false;
        return is_clean(fd) ||
               (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) == 0 && is_clean(fd));
}

/* Hundredths of a second; @p otherwise where it cannot be read. */
static int64_t setting(const char *path, int64_t otherwise)
{
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        char text[24];
        char *end;

        if (fd < 0)
                return otherwise;
        const ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        if (n <= 0)
                return otherwise;
        text[n] = '\0';
        const long long value = strtoll(text, &end, 10);
        return end == text || value < 0 ? otherwise : value;
}

int64_t pawl__write_back_ns(void)
{
        enum { MAX = 300 * 100, SLACK = 100 };
        const int64_t expire = setting("/proc/sys/vm/dirty_expire_centisecs", 3000);
        const int64_t interval = setting("/proc/sys/vm/dirty_writeback_centisecs", 500);
        const int64_t wait =
                interval == 0 || expire > MAX || interval > MAX ? MAX : expire + interval + SLACK;

        return (wait < MAX ? wait : MAX) * 10000000;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* At most len bytes; fewer at the file's end; -1 and errno. */
static ssize_t read_up_to(int fd, char *to, size_t len)
{
        size_t got = 0;

        while (got < len) {
                const ssize_t n = read(fd, to + got, len - got);
                if (n == 0)
                        break;
                if (n > 0)
                        got += (size_t)n;
                else if (errno != EINTR)
                        return -1;
        }
        return (ssize_t)got;
}

/* The bytes that the status says; *what is set if they cannot be read or are fewer. */
static pawl_status read_bytes(pawl__reading *what, unsigned char hash[32], pawl__hasher *hasher,
        char *buf, int fd, uint64_t size, pawl__content_sink sink, void *user, pawl_error *err)
{
        uint64_t at = 0;

        TRY(pawl__hasher_begin(hasher, err));
        do {
                const size_t len =
                        size - at < PAWL__PART_SIZE ? (size_t)(size - at) : PAWL__PART_SIZE;
                const ssize_t got = read_up_to(fd, buf, len);
                if (got < (ssize_t)len) {
                        *what = got < 0 ? PAWL__READ_REFUSED : PAWL__READ_CHANGED;
                        return PAWL_OK;
                }
                if (pawl__hasher_add(hasher, buf, len))
                        return pawl__nomem(err);
                if (sink)
                        TRY(sink(buf, len, user, err));
                at += len;
        } while (at < size);
        return pawl__hasher_end(hasher, hash) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__read_file(pawl__reading *what, struct stat *st, unsigned char hash[32],
        pawl__contents *contents, int fd, uint64_t max, pawl__content_sink sink, void *user,
        pawl_error *err)
{
        pawl__hasher *hasher = pawl__contents_hasher(contents), *own = NULL;
        char *buf = pawl__contents_scratch(contents);
        struct stat after;

        if (!buf)
                return pawl__nomem(err);
        *what = PAWL__READ_REFUSED;
        if (fstat(fd, st) != 0)
                return PAWL_OK;
        *what = PAWL__READ_CHANGED;
        const uint64_t size = (uint64_t)st->st_size;
        if (!S_ISREG(st->st_mode) || st->st_size < 0 || size > max)
                return PAWL_OK;
        if (size <= PAWL__PART_SIZE)
                sink = NULL;
        else if (sink) /* which hashes chunks with the other */
                TRY(pawl__hasher_new(&own, err));
        *what = PAWL__READ_WHOLE;
        const pawl_status status =
                read_bytes(what, hash, own ? own : hasher, buf, fd, size, sink, user, err);
        const int error = errno;
        pawl__hasher_free(own);
        errno = error;
        if (status || *what != PAWL__READ_WHOLE)
                return status;
        if (fstat(fd, &after) != 0)
                *what = PAWL__READ_REFUSED;
        else if (!pawl__stat_same(st, &after))
                *what = PAWL__READ_CHANGED;
        return PAWL_OK;
}
