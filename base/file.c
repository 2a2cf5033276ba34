#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

int pawl__read_all(pawl__buf *out, int fd, size_t max)
{
        enum { CHUNK = 1 << 16 };
        const size_t before = out->len;

        for (;;) {
                if (out->cap - out->len < 2 && pawl__buf_reserve(out, CHUNK))
                        return ENOMEM;
                const size_t free_len = out->cap - out->len - 1, left = max - (out->len - before);
                const ssize_t n =
                        read(fd, out->data + out->len, left < free_len ? left + 1 : free_len);
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

/* ---- In place of what is there --------------------------------------------------------------- */

enum { LINKS = 40 }; /* that lead one to another, as many as the kernel follows */

size_t pawl__directory_len(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash ? (size_t)(slash - path) + 1 : 0;
}

int pawl__follow_links(pawl__buf *target, const char *path)
{
        char link[PATH_MAX];

        pawl__buf_adds(target, path);
        for (int i = 0; !target->failed; i++) {
                const ssize_t len = readlink(target->data, link, sizeof link - 1);
                if (len < 0) /* none, or nothing there: opening says what is wrong */
                        return 0;
                if (i == LINKS)
                        return ELOOP;
                link[len] = '\0';
                target->len = *link == '/' ? 0 : pawl__directory_len(target->data);
                pawl__buf_adds(target, link);
        }
        return ENOMEM;
}

/* @p mode 0: there is none, the new one's is @p new_mode less the umask. */
static int put_in_place(char *target, const char *beside, const void *data, size_t len, mode_t mode,
        mode_t new_mode)
{
        const size_t directory = pawl__directory_len(target);
        const int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, new_mode);

        if (fd < 0)
                return errno;
        int error = pawl__fill_file(fd, mode, data, len, true);
        if (!error)
                error = pawl__rename(AT_FDCWD, beside, target, true);
        if (error) {
                unlink(beside);
                return error;
        }
        target[directory] = '\0';
        return pawl__sync_directory(directory ? target : ".");
}

int pawl__replace_file(const char *path, const void *data, size_t len, mode_t new_mode)
{
        pawl__buf target = PAWL__BUF_INIT, beside = PAWL__BUF_INIT;
        struct stat st;
        uint64_t random;
        mode_t mode = 0;
        int error;

        if (stat(path, &st) == 0)
                mode = st.st_mode;
        if (mode ? !S_ISREG(mode) : !*path || path[strlen(path) - 1] == '/')
                return EINVAL;
        if (getrandom(&random, sizeof random, 0) != sizeof random)
                return errno;
        error = pawl__follow_links(&target, path);
        if (!error) {
                pawl__buf_add(&beside, target.data, pawl__directory_len(target.data));
                pawl__buf_addf(&beside, PAWL__FILE_BEING_WRITTEN "%016" PRIx64, random);
                error = beside.failed ? ENOMEM
                                      : put_in_place(target.data, beside.data, data, len,
                                                mode & 07777, new_mode);
        }
        pawl__buf_free(&target);
        pawl__buf_free(&beside);
        return error;
}

int pawl__ignore_beside(int dir, const char *path)
{
        struct stat st;

        /* An empty one is what a crash leaves. */
        if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)
                return 0;
        const int fd = openat(dir, path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        return fd < 0 ? errno : pawl__fill_file(fd, 0600, "*\n", 2, false);
}
