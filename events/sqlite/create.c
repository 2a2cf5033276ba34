/*
 * Creating a log atomically: a file under the log's name is always a whole log, also while it is
 * created and if the creating process dies.
 *
 * The database is built in memory and written to a temporary file in the same directory. When that
 * is on disk, it is renamed to the log's name without replacing anything: of several processes that
 * create a log at once, the first one succeeds and the others find the log. Temporary files that
 * dead processes left are removed when the next process has created the log.
 *
 * On a file system that cannot rename without replacing, the log starts as an empty file, which
 * SQLite fills. A process that dies there leaves an empty file, which the next one makes a log.
 */
#include "base/file.h"
#include "events/sqlite/sqlite.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNNAMED "-new-XXXXXX" /* after the log's own name; the end is mkostemp()'s */

/* The bytes of an empty log; free with sqlite3_free(). */
static pawl_status make_image(unsigned char **out, sqlite3_int64 *len, pawl_log *log,
        const pawl__schema *schema, pawl_error *err)
{
        int rc = sqlite3_open_v2(":memory:", &log->file->db,
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                        SQLITE_OPEN_EXRESCODE,
                NULL);
        pawl_status status = pawl__db_fail(log, rc, "make it", err);
        unsigned char *image = NULL;

        if (!status)
                status = pawl__schema_ensure(log, schema, err);
        if (!status)
                image = sqlite3_serialize(log->file->db, "main", len, 0);
        pawl__disconnect(log);
        if (status)
                return status;
        if (!image)
                return pawl__nomem(err);
        /* "File format version numbers" of the database's header: 2 for a write-ahead log, which
         * is what pragma journal_mode writes there, in a transaction of its own. */
        image[18] = image[19] = 2;
        *out = image;
        return PAWL_OK;
}

/* Write the image to the temporary file and sync it. It is closed before it gets the log's name
 * (see log_path.c). 0, or an errno, and then there is no such file. */
static int write_unnamed(char *unnamed, const unsigned char *image, size_t len)
{
        int fd = mkostemp(unnamed, O_CLOEXEC);

        if (fd < 0)
                return errno;
        const int error = pawl__fill_file(fd, 0600, image, len, true);
        if (error)
                (void)unlink(unnamed);
        return error;
}

/* Rename it to the log's name. 0: a log has that name now, this one or that of another process,
 * which may have removed this file as one that was left. */
static int name_it(const char *unnamed, const char *path)
{
        struct stat st;

        if (renameat2(AT_FDCWD, unnamed, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
                return 0;
        int error = errno;
        (void)unlink(unnamed);
        if (error == EEXIST || (error == ENOENT && lstat(path, &st) == 0))
                return 0;
        return error;
}

/* Remove the temporary files of other processes. The log exists: none of them needs its file. */
static void sweep(const char *directory, const char *name)
{
        DIR *dir = opendir(directory);
        size_t len = strlen(name), prefix = strlen(UNNAMED) - 6;
        const struct dirent *entry;

        while (dir && (entry = readdir(dir)))
                if (strncmp(entry->d_name, name, len) == 0 &&
                        strncmp(entry->d_name + len, UNNAMED, prefix) == 0 &&
                        strlen(entry->d_name) == len + strlen(UNNAMED))
                        (void)unlinkat(dirfd(dir), entry->d_name, 0);
        if (dir)
                closedir(dir);
}

/* Does the file system not support renaming without replacing? */
static bool cannot_rename(int error)
{
        return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

static int make_empty(const char *path)
{
        if (mknod(path, S_IFREG | 0600, 0) != 0)
                return errno == EEXIST ? 0 : errno;
        return chmod(path, 0600) == 0 ? 0 : errno;
}

/* Everything that touches the disk. 0, or an errno. */
static int make_file(const pawl_log *log, const char *directory, char *unnamed,
        const unsigned char *image, size_t len)
{
        const char *path = log->path;

        int error = pawl__log_path_ignore(log);

        if (!error)
                error = write_unnamed(unnamed, image, len);

        if (!error)
                error = name_it(unnamed, path);
        if (cannot_rename(error))
                error = make_empty(path);
        if (error)
                return error;
        sweep(directory, strrchr(path, '/') + 1);
        return pawl__sync_directory(directory);
}

pawl_status pawl__create(pawl_log *log, const pawl__schema *schema, pawl_error *err)
{
        unsigned char *image = NULL;
        sqlite3_int64 len = 0;
        const char *slash = strrchr(log->path, '/');
        char *directory = strndup(log->path, (size_t)(slash - log->path));
        size_t size = strlen(log->path) + sizeof UNNAMED;
        char *unnamed = malloc(size);

        if (!directory || !unnamed) {
                free(unnamed);
                free(directory);
                return pawl__nomem(err);
        }
        pawl_status status = make_image(&image, &len, log, schema, err);
        if (!status)
                status = pawl__log_path_sync(log, err);
        if (!status) {
                snprintf(unnamed, size, "%s%s", log->path, UNNAMED);
                int error =
                        make_file(log, *directory ? directory : "/", unnamed, image, (size_t)len);
                if (error)
                        status = pawl__fail_errno(err, error, log->path, "make the log");
        }
        sqlite3_free(image);
        free(unnamed);
        free(directory);
        return status;
}
