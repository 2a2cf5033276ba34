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

pawl_status pawl__read_file(pawl__reading *what, struct stat *st, unsigned char hash[32],
        pawl__contents *contents, int fd, uint64_t max, pawl__chunk_sink sink, void *user,
        pawl_error *err)
{
        pawl__hasher *hasher = pawl__contents_hasher(contents);
        char *buf = pawl__contents_scratch(contents);
        struct stat after;
        uint64_t at = 0;
        uint32_t part = 0;

        if (!buf)
                return pawl__nomem(err);
        pawl_status status = pawl__hasher_begin(hasher, err);
        if (status)
                return status;
        *what = PAWL__READ_REFUSED;
        if (fstat(fd, st) != 0)
                return PAWL_OK;
        *what = PAWL__READ_CHANGED;
        const uint64_t size = (uint64_t)st->st_size;
        if (!S_ISREG(st->st_mode) || st->st_size < 0 || size > max)
                return PAWL_OK;
        do {
                const size_t len =
                        size - at < PAWL__PART_SIZE ? (size_t)(size - at) : PAWL__PART_SIZE;
                const ssize_t got = read_up_to(fd, buf, len);
                if (got < 0) {
                        *what = PAWL__READ_REFUSED;
                        return PAWL_OK;
                }
                if ((size_t)got < len)
                        return PAWL_OK;
                if (pawl__hasher_add(hasher, buf, len))
                        return pawl__nomem(err);
                status = sink ? sink(buf, len, part, size, user, err) : PAWL_OK;
                if (status)
                        return status;
                at += len;
                part++;
        } while (at < size);
        if (pawl__hasher_end(hasher, hash))
                return pawl__nomem(err);
        if (fstat(fd, &after) != 0)
                *what = PAWL__READ_REFUSED;
        else if (pawl__stat_same(st, &after))
                *what = PAWL__READ_WHOLE;
        return PAWL_OK;
}
