#include "toolcalls/directory.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "." and ".part" around a name. */
enum { PART_MAX = PAWL__TOOLCALL_NAME_MAX + 8 };

static pawl_status fail(const pawl__doc_directory *directory, const char *name, int error,
        const char *doing, pawl_error *err)
{
        char path[PAWL_ERROR_MAX];

        snprintf(path, sizeof path, "%.200s/%.200s", directory->path, name);
        if (error == EEXIST)
                return pawl__fail(err, PAWL_EEXISTS,
                        "%s: another program has made a file of that name; the log has the call",
                        path);
        return pawl__fail_errno(err, error, path, doing);
}

static void part_of(char out[PART_MAX], const char *name)
{
        snprintf(out, PART_MAX, ".%s.part", name);
}

/* ---- The directory --------------------------------------------------------------------------- */

pawl_status pawl__doc_directory_open(
        pawl__doc_directory *out, const char *path, bool make, pawl_error *err)
{
        if (make && mkdir(path, 0700) != 0 && errno != EEXIST && errno != EROFS)
                return pawl__fail_errno(err, errno, path, "create the directory");
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 && errno == ENOTDIR)
                return pawl__fail(
                        err, PAWL_EINVAL, "%.300s: is no directory; name one for documents", path);
        if (fd < 0)
                return pawl__fail_errno(err, errno, path, "open the directory");
        *out = (pawl__doc_directory){fd, path};
        return PAWL_OK;
}

void pawl__doc_directory_close(pawl__doc_directory *directory)
{
        if (directory->fd >= 0)
                close(directory->fd);
        directory->fd = -1;
}

/* ---- Writing --------------------------------------------------------------------------------- */

pawl_status pawl__doc_reserve(pawl__doc_file *out, const pawl__doc_directory *directory,
        const char *name, pawl_error *err)
{
        char part[PART_MAX];
        struct stat st;

        part_of(part, name);
        int fd = openat(
                directory->fd, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
                return errno == EEXIST ? PAWL_EEXISTS
                                       : fail(directory, name, errno, "make it", err);
        /* Between these two calls it looked like what somebody left who died: whoever looks into it
         * then lets it go again. */
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
                ;
        if (fstat(fd, &st) != 0 || st.st_nlink == 0) {
                close(fd);
                return PAWL_EEXISTS;
        }
        int error = fstatat(directory->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? EEXIST : errno;
        if (error != ENOENT) {
                unlinkat(directory->fd, part, 0);
                close(fd);
                return error == EEXIST ? PAWL_EEXISTS
                                       : fail(directory, name, error, "make it", err);
        }
        out->fd = fd;
        snprintf(out->name, sizeof out->name, "%s", name);
        return PAWL_OK;
}

pawl_status pawl__doc_write(
        pawl__doc_file *file, const pawl__doc_directory *directory, pawl_text text, pawl_error *err)
{
        int error = pawl__write_all(file->fd, text.data, text.len);

        if (!error && fsync(file->fd) != 0)
                error = errno;
        return error ? fail(directory, file->name, error, "write it", err) : PAWL_OK;
}

pawl_status pawl__doc_publish(
        pawl__doc_file *file, const pawl__doc_directory *directory, pawl_error *err)
{
        char part[PART_MAX];

        part_of(part, file->name);
        int error = pawl__rename(directory->fd, part, file->name, false);
        if (error) {
                pawl__doc_drop(file, directory);
                return fail(directory, file->name, error, "name it so", err);
        }
        close(file->fd);
        file->fd = -1;
        return fsync(directory->fd) == 0 ? PAWL_OK
                                         : fail(directory, file->name, errno, "write it", err);
}

void pawl__doc_drop(pawl__doc_file *file, const pawl__doc_directory *directory)
{
        char part[PART_MAX];

        if (file->fd < 0)
                return;
        part_of(part, file->name);
        unlinkat(directory->fd, part, 0);
        close(file->fd);
        file->fd = -1;
}

/* ---- Reading --------------------------------------------------------------------------------- */

pawl_status pawl__doc_read(pawl__buf *out, const pawl__doc_directory *directory, const char *name,
        size_t max, pawl_error *err)
{
        struct stat st;

        /* looked at first, as opening a device may do something */
        if (fstatat(directory->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
                return fail(directory, name, errno, "read it", err);
        int fd = S_ISREG(st.st_mode)
                         ? openat(directory->fd, name,
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                         : -1;
        if (fd < 0 && S_ISREG(st.st_mode) && errno != ELOOP)
                return fail(directory, name, errno, "read it", err);
        if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
                if (fd >= 0)
                        close(fd);
                return pawl__fail(err, PAWL_EINVAL,
                        "%.200s/%.200s: is no regular file; a link or the like is not followed",
                        directory->path, name);
        }
        const int error = (uint64_t)st.st_size > max ? EFBIG : pawl__read_all(out, fd, max);
        close(fd);
        if (error == EFBIG)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%.200s/%.200s: has more than %zu bytes; it is no document of a tool call",
                        directory->path, name, max);
        return error ? fail(directory, name, error, "read it", err) : PAWL_OK;
}

/* The directory's names, by a handle of their own: a position belongs to the open file. */
static pawl_status open_names(DIR **out, const pawl__doc_directory *directory, pawl_error *err)
{
        int fd = openat(directory->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *dir = fd < 0 ? NULL : fdopendir(fd);

        if (!dir) {
                int error = errno;
                if (fd >= 0)
                        close(fd);
                return pawl__fail_errno(err, error, directory->path, "read the directory");
        }
        *out = dir;
        return PAWL_OK;
}

static bool is_regular(const pawl__doc_directory *directory, const struct dirent *entry)
{
        struct stat st;

        if (entry->d_type != DT_UNKNOWN)
                return entry->d_type == DT_REG;
        return fstatat(directory->fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISREG(st.st_mode);
}

pawl_status pawl__doc_names(
        const pawl__doc_directory *directory, pawl__doc_name_fn fn, void *user, pawl_error *err)
{
        const struct dirent *entry;
        DIR *dir = NULL;
        pawl_status status = open_names(&dir, directory, err);

        if (!dir)
                return status;
        while (!status && (errno = 0, entry = readdir(dir)) != NULL)
                if (!pawl__toolcall_name_wrong(pawl__text(entry->d_name)) &&
                        is_regular(directory, entry))
                        status = fn(entry->d_name, user, err);
        if (!status && errno)
                status = pawl__fail_errno(err, errno, directory->path, "read the directory");
        closedir(dir);
        return status;
}

/* ---- What was left --------------------------------------------------------------------------- */

/* ".NAME.part" of a name that we give? */
static bool is_part(char name[PAWL__TOOLCALL_NAME_MAX], const char *found)
{
        size_t len = strlen(found);

        if (len < 7 || len - 6 >= PAWL__TOOLCALL_NAME_MAX || found[0] != '.' ||
                strcmp(found + len - 5, ".part") != 0)
                return false;
        memcpy(name, found + 1, len - 6);
        name[len - 6] = '\0';
        return pawl__toolcall_name_wrong(pawl__text(name)) == NULL;
}

pawl_status pawl__doc_left(
        const pawl__doc_directory *directory, pawl__doc_left_fn fn, void *user, pawl_error *err)
{
        const struct dirent *entry;
        DIR *dir = NULL;
        pawl_status status = open_names(&dir, directory, err);

        if (!dir)
                return status;
        while (!status && (entry = readdir(dir)) != NULL) {
                pawl__doc_file file = {.fd = -1};
                struct stat held, named;
                if (!is_part(file.name, entry->d_name) || !is_regular(directory, entry))
                        continue;
                file.fd = openat(
                        directory->fd, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
                if (file.fd < 0)
                        continue;
                /* its writer is at it, or has just given it its name */
                if (flock(file.fd, LOCK_EX | LOCK_NB) != 0 || fstat(file.fd, &held) != 0 ||
                        fstatat(directory->fd, entry->d_name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
                        held.st_dev != named.st_dev || held.st_ino != named.st_ino ||
                        !S_ISREG(held.st_mode)) {
                        close(file.fd);
                        continue;
                }
                status = fn(&file, directory, user, err);
                if (file.fd >= 0)
                        close(file.fd);
        }
        closedir(dir);
        return status;
}
