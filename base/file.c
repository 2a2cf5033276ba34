#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int pawl__read_all(pawl__buf *out, int fd, size_t max)
{
        enum { CHUNK = 1 << 16 };
        const size_t before = out->len;

        for (;;) {
                if (out->cap - out->len < 2 && pawl__buf_reserve(out, CHUNK))
                        return ENOMEM;
                const size_t room = out->cap - out->len - 1, left = max - (out->len - before);
                const ssize_t n = read(fd, out->data + out->len, left < room ? left + 1 : room);
                if (n < 0 && errno != EINTR)
                        return errno;
                if (n > 0)
                        out->len += (size_t)n;
                out->data[out->len] = '\0';
                if (n == 0)
                        return 0;
                if (out->len - before > max)
                        return EFBIG;
        }
}

int pawl__write_all(int fd, const void *data, size_t len)
{
        const char *p = data;

        while (len > 0) {
                const ssize_t n = write(fd, p, len);
                if (n < 0 && errno != EINTR)
                        return errno;
                if (n > 0) {
                        p += n;
                        len -= (size_t)n;
                }
        }
        return 0;
}

int pawl__fill_file(int fd, mode_t mode, const void *data, size_t len, bool sync)
{
        int error = mode && fchmod(fd, mode) != 0 ? errno : pawl__write_all(fd, data, len);

        if (!error && sync && fsync(fd) != 0)
                error = errno;
        if (close(fd) != 0 && !error)
                error = errno;
        return error;
}

int pawl__rename(int dir, const char *from, const char *to, bool replace)
{
        if (renameat2(dir, from, dir, to, replace ? 0 : RENAME_NOREPLACE) == 0)
                return 0;
        if (replace || (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP))
                return errno;
        if (linkat(dir, from, dir, to, 0) != 0)
                return errno;
        return unlinkat(dir, from, 0) == 0 ? 0 : errno;
}

int pawl__sync_directory(const char *path)
{
        const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0)
                return errno == EACCES ? 0 : errno;
        const int error = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
        close(fd);
        return error;
}
