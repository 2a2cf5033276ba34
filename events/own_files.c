#include "events/own_files.h"
#include "base/error.h"
#include "base/file.h"
#include "base/unicode.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* What follows the log's name; after a '*' anything may. What is new beside a log goes here. */
static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", "-lock", "-logs", "-saved*",
        "-tmp*", "-backup-*", "-new-*"};
/* And names that do not begin with it. */
static const char *const names[] = {
        "serve.token", "serve.notified", "config.yaml", "workspace.index*"};
enum { SUFFIXES = sizeof suffixes / sizeof suffixes[0], NAMES = sizeof names / sizeof names[0] };
_Static_assert(SUFFIXES + NAMES <= PAWL__OWN_FILES_MAX, "each of them may be there");

/* NUL-ended; "" for one that no file can have. */
static void name_of(char out[NAME_MAX + 1], pawl_text log, size_t i)
{
        const int len = snprintf(out, NAME_MAX + 1, "%.*s%s", i < SUFFIXES ? (int)log.len : 0,
                i < SUFFIXES ? log.data : "", i < SUFFIXES ? suffixes[i] : names[i - SUFFIXES]);

        if (len > NAME_MAX)
                *out = '\0';
}

bool pawl__own_file_name(pawl_text log, pawl_text name)
{
        char own[NAME_MAX + 1];

        for (size_t i = 0; i < SUFFIXES + NAMES; i++) {
                name_of(own, log, i);
                const size_t len = strcspn(own, "*");
                if (len && pawl__unicode_same_name(pawl__text_n(own, len), name, own[len] == '*'))
                        return true;
        }
        return false;
}

bool pawl__reserved_name(pawl_text name)
{
        if (name.len < 4 || (name.data[0] != '.' && (unsigned char)name.data[0] < 0x80))
                return false; /* nearly all names */
        return pawl__unicode_same_name(pawl__text(".git"), name, false) ||
               pawl__unicode_same_name(pawl__text(".pawl"), name, false);
}

int pawl__own_files_find(pawl__own_files *out, const char *log_path, int root)
{
        const char *name = strrchr(log_path, '/') + 1;
        char path[PATH_MAX], own[NAME_MAX + 1];
        struct stat st, root_st;

        *out = (pawl__own_files){.n_files = 0};
        snprintf(path, sizeof path, "%.*s", (int)(name - log_path), log_path);
        const int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0)
                return errno;
        if (fstat(directory, &st) != 0 || fstat(root, &root_st) != 0) {
                const int error = errno;
                close(directory);
                return error;
        }
        out->log = pawl__text(name);
        out->directory.device = st.st_dev;
        out->directory.inode = st.st_ino;
        out->in_root = st.st_dev == root_st.st_dev && st.st_ino == root_st.st_ino;
        for (size_t i = 0; i < SUFFIXES + NAMES; i++) {
                name_of(own, out->log, i);
                own[strcspn(own, "*")] = '\0';
                if (!*own || fstatat(directory, own, &st, AT_SYMLINK_NOFOLLOW) != 0)
                        continue;
                out->files[out->n_files].device = st.st_dev;
                out->files[out->n_files++].inode = st.st_ino;
        }
        close(directory);
        return 0;
}

bool pawl__own_files_named(const pawl__own_files *own, pawl_text path)
{
        for (pawl_text rest = path, name;;
                rest = pawl__text_n(name.data + name.len + 1, rest.len)) {
                const char *slash = memchr(rest.data, '/', rest.len);
                name = pawl__text_n(rest.data, slash ? (size_t)(slash - rest.data) : rest.len);
                if (pawl__reserved_name(name) || (own && name.data == path.data && own->in_root &&
                                                         pawl__own_file_name(own->log, name)))
                        return true;
                if (!slash)
                        return false;
                rest.len -= name.len + 1;
        }
}

bool pawl__own_files_is(const pawl__own_files *own, const struct stat *st)
{
        if (!own || !own->log.data)
                return false;
        if (st->st_dev == own->directory.device && st->st_ino == own->directory.inode)
                return true;
        for (size_t i = 0; i < own->n_files; i++)
                if (st->st_dev == own->files[i].device && st->st_ino == own->files[i].inode)
                        return true;
        return false;
}

/* The same of one path, as it stands there. */
static bool is_own(const char *log_path, const char *path)
{
        const size_t len = pawl__directory_len(path);
        char directory[PATH_MAX];
        pawl__own_files own;
        struct stat st;

        snprintf(directory, sizeof directory, "%.*s", len ? (int)len : 1, len ? path : ".");
        const int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) /* nothing can be written there */
                return false;
        const int error = pawl__own_files_find(&own, log_path, fd);
        close(fd);
        if (error) /* there is no log */
                return false;
        return (own.in_root && pawl__own_file_name(own.log, pawl__text(path + len))) ||
               (stat(path, &st) == 0 && !S_ISDIR(st.st_mode) && pawl__own_files_is(&own, &st));
}

static pawl_status is_taken(const char *path, pawl_error *err)
{
        return pawl__fail(
                err, PAWL_EEXISTS, "%.300s: is a file of the log itself; name another file", path);
}

pawl_status pawl__own_files_spare(const char *log_path, const char *path, pawl_error *err)
{
        if (!path) /* it is refused where the file is written */
                return PAWL_OK;

        pawl__buf target = PAWL__BUF_INIT;
        const int error = pawl__follow_links(&target, path);
        const bool is = is_own(log_path, path) || (!error && is_own(log_path, target.data));

        pawl__buf_free(&target);
        if (error == ENOMEM)
                return pawl__nomem(err);
        return is ? is_taken(path, err) : PAWL_OK;
}

/* Does a log of that name lie in the directory with that file? By its size a database of SQLite's:
 * to open it, and close it, would end the locks that this process has on it. */
static bool is_of(const char *path, size_t directory, pawl_text log)
{
        enum { PAGE_MIN = 512 };
        const pawl_text name = pawl__text(path + directory);
        char other[PATH_MAX];
        struct stat st;

        if (pawl__text_eq(name, log) || !pawl__own_file_name(log, name))
                return false;
        snprintf(other, sizeof other, "%.*s%.*s", (int)directory, path, (int)log.len, log.data);
        return stat(other, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
               st.st_size % PAGE_MIN == 0;
}

pawl_status pawl__own_files_spare_others(const char *path, pawl_error *err)
{
        const size_t directory = pawl__directory_len(path);
        bool is = is_of(path, directory, pawl__text("events.db"));

        for (size_t len = strlen(path + directory); len > 1 && !is; len--)
                is = is_of(path, directory, pawl__text_n(path + directory, len - 1));
        return is ? is_taken(path, err) : PAWL_OK;
}
