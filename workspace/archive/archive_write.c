#include "workspace/archive/archive_write.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "workspace/archive/archive_library.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct pawl__archive_writer {
        const pawl__archive_library *lib;
        struct archive *archive;
        char *path, *temporary; /* temporary: what the file is called before it gets its name */
        bool there;             /* it has that name; else it has none */
        int fd, error;          /* errno of the write that failed */
        bool hash_failed;
        uint64_t bytes, left; /* of the member */
        pawl__hasher *hasher;
};

/* libarchive failed: because a write did, because memory is gone, or for a reason of its own. */
static pawl_status archive_failed(pawl_error *err, const pawl__archive_writer *w)
{
        if (w->hash_failed || (!w->error && w->lib->archive_errno(w->archive) == ENOMEM))
                return pawl__nomem(err);
        if (w->error)
                return pawl__fail_errno(err, w->error, w->path, "write the archive");
        const char *why = w->lib->archive_error_string(w->archive);
        return pawl__fail(err, PAWL_EIO, "%s: writing the archive: %s; is libarchive whole?",
                w->path, why ? why : "no reason given");
}

/* What libarchive has compressed. It is never told of a failure, as it would not free all of its
 * memory then (3.6): who calls it looks at w->error. */
static la_ssize_t write_out(struct archive *archive, void *user, const void *data, size_t len)
{
        pawl__archive_writer *w = user;

        (void)archive;
        if (w->error || w->hash_failed)
                return (la_ssize_t)len;
        if (pawl__hasher_add(w->hasher, data, len)) {
                w->hash_failed = true;
                return (la_ssize_t)len;
        }
        w->error = pawl__write_all(w->fd, data, len);
        if (!w->error)
                w->bytes += len;
        return (la_ssize_t)len;
}

/* After a call of libarchive: did that, or a write within it, fail? */
static pawl_status outcome(const pawl__archive_writer *w, bool ok, pawl_error *err)
{
        return ok && !w->error && !w->hash_failed ? PAWL_OK : archive_failed(err, w);
}

/* A file without a name, of which a kill leaves nothing, where the file system can make one. */
static int open_unnamed(const char *path)
{
        char directory[PATH_MAX];
        const size_t len = pawl__directory_len(path);

        snprintf(directory, sizeof directory, "%.*s", len ? (int)len : 1, len ? path : ".");
        const int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0)
                return -1;
        snprintf(directory, sizeof directory, "/proc/self/fd/%d", fd);
        if (access(directory, F_OK) == 0)
                return fd;
        close(fd); /* it could get no name */
        return -1;
}

static pawl_status open_temporary(pawl__archive_writer *w, pawl_error *err)
{
        pawl__buf name = PAWL__BUF_INIT;
        uint64_t random;

        if (getrandom(&random, sizeof random, 0) != sizeof random)
                return pawl__fail_errno(err, errno, w->path, "make the archive");
        pawl__buf_add(&name, w->path, pawl__directory_len(w->path));
        pawl__buf_addf(&name, PAWL__FILE_BEING_WRITTEN "%016" PRIx64, random);
        if (name.failed) {
                pawl__buf_free(&name);
                return pawl__nomem(err);
        }
        w->temporary = pawl__buf_take(&name, NULL);
        w->fd = open_unnamed(w->path);
        if (w->fd >= 0)
                return PAWL_OK;
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        w->there = w->fd >= 0;
        return w->there ? PAWL_OK : pawl__fail_errno(err, errno, w->path, "make the archive");
}

/* In place of what has the name. 0 or errno. */
static int name_archive(pawl__archive_writer *w)
{
        char unnamed[32];

        snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", w->fd);
        if (!w->there && linkat(AT_FDCWD, unnamed, AT_FDCWD, w->temporary, AT_SYMLINK_FOLLOW) != 0)
                return errno;
        w->there = true;
        if (rename(w->temporary, w->path) != 0)
                return errno;
        w->there = false;
        return 0;
}

static pawl_status begin(pawl__archive_writer *w, pawl_error *err)
{
        pawl_status status = pawl__archive_load(&w->lib, err);

        if (!status)
                status = pawl__hasher_new(&w->hasher, err);
        if (!status)
                status = pawl__hasher_begin(w->hasher, err);
        if (!status)
                status = open_temporary(w, err);
        if (status)
                return status;
        w->archive = w->lib->archive_write_new();
        if (!w->archive)
                return pawl__nomem(err);
        /* one thread, a fixed level: the same bytes each time */
        if (w->lib->archive_write_add_filter_zstd(w->archive) != ARCHIVE_OK ||
                w->lib->archive_write_set_filter_option(
                        w->archive, "zstd", "compression-level", "3") != ARCHIVE_OK ||
                w->lib->archive_write_set_format_pax_restricted(w->archive) != ARCHIVE_OK ||
                /* nothing behind the compressed end */
                w->lib->archive_write_set_bytes_in_last_block(w->archive, 1) != ARCHIVE_OK ||
                w->lib->archive_write_open(w->archive, w, NULL, write_out, NULL) != ARCHIVE_OK)
                return archive_failed(err, w);
        return PAWL_OK;
}

pawl_status pawl__archive_create(pawl__archive_writer **out, const char *path, pawl_error *err)
{
        pawl__archive_writer *w = calloc(1, sizeof *w);

        if (!w)
                return pawl__nomem(err);
        w->fd = -1;
        w->path = strdup(path);
        pawl_status status = w->path ? begin(w, err) : pawl__nomem(err);
        if (status)
                pawl__archive_writer_free(w);
        else
                *out = w;
        return status;
}

/* What was begun must be whole. */
static pawl_status end_member(pawl__archive_writer *w, pawl_error *err)
{
        if (w->left)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: a member is shorter than was said; try again", w->path);
        return outcome(w, w->lib->archive_write_finish_entry(w->archive) == ARCHIVE_OK, err);
}

pawl_status pawl__archive_add(
        pawl__archive_writer *w, const char *name, uint64_t size, pawl_error *err)
{
        pawl_status status = end_member(w, err);

        if (status)
                return status;
        struct archive_entry *entry = w->lib->archive_entry_new();
        if (!entry)
                return pawl__nomem(err);
        w->lib->archive_entry_set_pathname(entry, name);
        w->lib->archive_entry_set_filetype(entry, AE_IFREG);
        w->lib->archive_entry_set_perm(entry, 0600);
        w->lib->archive_entry_set_size(entry, (la_int64_t)size);
        w->lib->archive_entry_set_mtime(entry, 0, 0);
        const int code = w->lib->archive_write_header(w->archive, entry);
        w->lib->archive_entry_free(entry);
        w->left = size;
        return outcome(w, code == ARCHIVE_OK, err);
}

pawl_status pawl__archive_put(const void *data, size_t len, void *writer, pawl_error *err)
{
        pawl__archive_writer *w = writer;

        if (len > w->left)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: a member is longer than was said; try again", w->path);
        const bool ok =
                len == 0 || w->lib->archive_write_data(w->archive, data, len) == (la_ssize_t)len;
        w->left -= len;
        return outcome(w, ok, err);
}

/* The name is on disk when the directory is. */
static int sync_parent(const char *path)
{
        const char *slash = strrchr(path, '/');
        char *directory =
                slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
        if (!directory)
                return ENOMEM;
        const int error = pawl__sync_directory(directory);
        free(directory);
        return error;
}

pawl_status pawl__archive_finish(
        pawl__archive_writer *w, unsigned char sha256[32], uint64_t *bytes, pawl_error *err)
{
        pawl_status status = end_member(w, err);

        if (status)
                return status;
        status = outcome(w, w->lib->archive_write_close(w->archive) == ARCHIVE_OK, err);
        if (status)
                return status;
        if (pawl__hasher_end(w->hasher, sha256))
                return pawl__nomem(err);
        if (fsync(w->fd) != 0)
                return pawl__fail_errno(err, errno, w->path, "sync the archive");
        int error = name_archive(w);
        if (error)
                return pawl__fail_errno(err, error, w->path, "give the archive its name");
        error = sync_parent(w->path);
        if (error)
                return pawl__fail_errno(err, error, w->path, "sync the archive's name");
        *bytes = w->bytes;
        return PAWL_OK;
}

void pawl__archive_writer_free(pawl__archive_writer *w)
{
        if (!w)
                return;
        if (w->archive) {
                w->error = w->error ? w->error : ECANCELED; /* what is left is not written ... */
                if (w->left > (uint64_t)1 << 30)            /* ... nor, if it is much, made up */
                        w->lib->archive_write_fail(w->archive);
                w->lib->archive_write_free(w->archive);
        }
        if (w->fd >= 0)
                close(w->fd);
        if (w->there)
                unlink(w->temporary);
        pawl__hasher_free(w->hasher);
        free(w->temporary);
        free(w->path);
        free(w);
}
