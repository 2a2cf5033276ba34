/*
 * Where the log lies: its absolute path, and the directory that it is made in.
 *
 * No file of a log is ever opened here. POSIX locks belong to a process and a file: closing any
 * descriptor of a file drops every lock that the process holds on it, also those of another
 * pawl_log. So everything is asked of its name.
 */
#include "base/file.h"
#include "events/sqlite/sqlite.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* mkdir with mode 0700 whatever the umask; a directory that is there stays as it is. */
static pawl_status make_directory(const char *directory, pawl_error *err)
{
        if (mkdir(directory, 0700) != 0)
                return errno == EEXIST
                               ? PAWL_OK
                               : pawl__fail_errno(err, errno, directory, "make the directory");
        if (chmod(directory, 0700) != 0)
                return pawl__fail_errno(err, errno, directory, "make the directory private");
        return PAWL_OK;
}

/* A log's own directory, by its name, has a file that keeps git from taking the log for files of
 * the project: what is added with all the rest, stashed or cleaned away. One that is there stays as
 * it is. 0, or an errno. */
int pawl__log_path_ignore(const pawl_log *log)
{
        static const char directory[] = "/.pawl/";
        const size_t len = (size_t)(strrchr(log->path, '/') + 1 - log->path),
                     own = sizeof directory - 1;
        pawl__buf path = PAWL__BUF_INIT;

        if (len < own || memcmp(log->path + len - own, directory, own) != 0)
                return 0;
        if (pawl__buf_add(&path, log->path, len) || pawl__buf_adds(&path, ".gitignore")) {
                pawl__buf_free(&path);
                return ENOMEM;
        }
        const int error = pawl__ignore_beside(AT_FDCWD, path.data);
        pawl__buf_free(&path);
        return error;
}

pawl_status pawl__log_path_sync(const pawl_log *log, pawl_error *err)
{
        pawl__buf above = PAWL__BUF_INIT;
        size_t len = (size_t)(strrchr(log->path, '/') - log->path);

        pawl__buf_add(&above, log->path, len);
        pawl__buf_adds(&above, "/..");
        int error = above.failed ? ENOMEM : pawl__sync_directory(above.data);
        pawl__buf_free(&above);
        return error ? pawl__fail_errno(err, error, log->path, "make the log") : PAWL_OK;
}

static pawl_status names_directory(const char *path, pawl_error *err)
{
        return pawl__fail(
                err, PAWL_EINVAL, "%s: names a directory, not a log; add the name of a file", path);
}

/* Make the directory that @p path names a file in; log->path is then that file's absolute name. */
static pawl_status make_place(pawl_log *log, const char *path, pawl_error *err)
{
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        pawl__buf directory = PAWL__BUF_INIT, full = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;
        char *real = NULL;

        if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                return names_directory(path, err);
        pawl__buf_add(&directory, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
        if (slash == path)
                pawl__buf_adds(&directory, "/");
        status = pawl__buf_check(&directory, err);
        if (!status)
                status = make_directory(directory.data, err);
        if (!status && !(real = realpath(directory.data, NULL)))
                status = pawl__fail_errno(err, errno, directory.data, "find the directory");
        if (real) {
                pawl__buf_addf(&full, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
                status = pawl__buf_check(&full, err);
        }
        if (!status)
                log->path = pawl__buf_take(&full, NULL);
        free(real);
        pawl__buf_free(&directory);
        pawl__buf_free(&full);
        return status;
}

/* Beside an empty database SQLite deletes the -wal, even for a reader. No crash leaves one there,
 * but a copy that lost its first file does: its events are in the -wal alone. */
static pawl_status check_empty(const pawl_log *log, pawl_error *err)
{
        /* Asked in this order: somebody may be making it a log right now. */
        if (pawl__log_path_size(log, "-wal") > 0 && pawl__log_path_size(log, "") == 0)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: is empty, but its write-ahead log, the same name and %s, is not; put back a "
                        "copy of both",
                        log->path, "-wal");
        if (!(log->flags & PAWL_LOG_CREATE))
                return pawl__fail(err, PAWL_EFORMAT,
                        "%s: is not a Pawl log: it is empty; make it one with `pawl init`",
                        log->path);
        return PAWL_OK;
}

pawl_status pawl__log_path_find(bool *there, pawl_log *log, const char *path, pawl_error *err)
{
        log->path = realpath(path, NULL);
        *there = log->path != NULL;
        if (*there)
                return PAWL_OK;
        if (errno != ENOENT)
                return pawl__fail_errno(err, errno, path, "open the log");
        if (!(log->flags & PAWL_LOG_CREATE) && *path && path[strlen(path) - 1] == '/')
                return names_directory(path, err);
        if (!(log->flags & PAWL_LOG_CREATE))
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%s: there is no log; make one with `pawl init`, or name another", path);
        return make_place(log, path, err);
}

pawl_status pawl__log_path_check(pawl_log *log, pawl_error *err)
{
        struct stat st;

        if (stat(log->path, &st) != 0)
                return pawl__fail_errno(err, errno, log->path, "open the log");
        if (!S_ISREG(st.st_mode))
                return pawl__fail(err, PAWL_EFORMAT,
                        "%s: is not a Pawl log: it is not a regular file; name another", log->path);
        /* SQLite takes a file of one byte for an empty one, and would write over it. */
        if (st.st_size > 0 && st.st_size < 512)
                return pawl__db_fail(log, SQLITE_NOTADB, "open it", err);
        log->device = st.st_dev;
        log->inode = st.st_ino;
        size_t len = strlen(log->path);
        log->file->side = malloc(len + sizeof "-journal");
        if (!log->file->side)
                return pawl__nomem(err);
        memcpy(log->file->side, log->path, len);
        log->file->side_end = log->file->side + len;
        return st.st_size == 0 ? check_empty(log, err) : PAWL_OK;
}

pawl_status pawl__log_path_access(const pawl_log *log, pawl_error *err)
{
        const char *path = log->path;
        char *directory;
        int failed = 0;

        if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0)
                return pawl__fail_errno(err, errno, path, "read the log");
        if (log->flags & PAWL_LOG_READONLY)
                return PAWL_OK;
        if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
                return pawl__fail(err, PAWL_EREADONLY,
                        "%s: the log cannot be written: %s; make it writable, or only read it",
                        path, strerror(errno));
        directory = strdup(path);
        if (!directory)
                return pawl__nomem(err);
        *(strrchr(directory, '/') == directory ? directory + 1 : strrchr(directory, '/')) = '\0';
        if (faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) != 0)
                failed = errno;
        free(directory);
        if (failed)
                return pawl__fail(err, PAWL_EREADONLY,
                        "%s: the log's directory cannot be written: %s; make it writable, or only "
                        "read the log",
                        path, strerror(failed));
        return PAWL_OK;
}
