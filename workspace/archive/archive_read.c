#include "workspace/archive/archive_read.h"
#include "base/error.h"
#include "workspace/archive/archive_library.h"
#include <errno.h>
#include <stdlib.h>

enum { BLOCK = 64 << 10, PIECE = 256 << 10 };

struct pawl__archive_reader {
        const pawl__archive_library *lib;
        struct archive *archive;
        const char *name;
        char *piece;
};

static pawl_status failed(pawl_error *err, const pawl__archive_reader *r)
{
        const char *why = r->lib->archive_error_string(r->archive);

        if (r->lib->archive_errno(r->archive) == ENOMEM)
                return pawl__nomem(err);
        return pawl__archive_refuse(
                err, r->name, "cannot be read (%s)", why ? why : "no reason given");
}

static pawl_status begin(
        pawl__archive_reader *r, const pawl__archive_source *source, pawl_error *err)
{
        pawl_status status = source->fd >= 0 ? pawl__archive_one_frame(source, err) : PAWL_OK;

        if (!status)
                status = pawl__archive_load(&r->lib, err);
        if (status)
                return status;
        r->piece = malloc(PIECE);
        r->archive = r->piece ? r->lib->archive_read_new() : NULL;
        if (!r->archive)
                return pawl__nomem(err);
        if ((!source->plain &&
                    r->lib->archive_read_support_filter_zstd(r->archive) != ARCHIVE_OK) ||
                r->lib->archive_read_support_format_tar(r->archive) != ARCHIVE_OK ||
                /* what is behind the tar's end is not passed over */
                r->lib->archive_read_set_option(
                        r->archive, "tar", "read_concatenated_archives", "1") != ARCHIVE_OK)
                return failed(err, r);
        const int code =
                source->fd >= 0
                        ? r->lib->archive_read_open_fd(r->archive, source->fd, BLOCK)
                        : r->lib->archive_read_open_memory(r->archive, source->memory, source->len);
        return code == ARCHIVE_OK ? PAWL_OK : failed(err, r);
}

pawl_status pawl__archive_open(
        pawl__archive_reader **out, const pawl__archive_source *source, pawl_error *err)
{
        pawl__archive_reader *r = calloc(1, sizeof *r);

        if (!r)
                return pawl__nomem(err);
        r->name = source->name;
        pawl_status status = begin(r, source, err);
        if (status)
                pawl__archive_reader_free(r);
        else
                *out = r;
        return status;
}

pawl_status pawl__archive_next(
        pawl__archive_reader *r, const char *name, uint64_t *size, pawl_error *err)
{
        struct archive_entry *entry;
        const int code = r->lib->archive_read_next_header(r->archive, &entry);

        if (code == ARCHIVE_EOF)
                return pawl__archive_refuse(err, r->name, "ends where %s belongs", name);
        if (code != ARCHIVE_OK)
                return failed(err, r);
        const char *found = r->lib->archive_entry_pathname(entry);
        if (!found || strcmp(found, name) != 0)
                return pawl__archive_refuse(
                        err, r->name, "has \"%.100s\" where %s belongs", found ? found : "", name);
        if (r->lib->archive_entry_filetype(entry) != AE_IFREG ||
                r->lib->archive_entry_hardlink(entry) || r->lib->archive_entry_symlink(entry) ||
                r->lib->archive_entry_sparse_count(entry) != 0 ||
                !r->lib->archive_entry_size_is_set(entry) || r->lib->archive_entry_size(entry) < 0)
                return pawl__archive_refuse(err, r->name, "%s is no plain file in it", name);
        *size = (uint64_t)r->lib->archive_entry_size(entry);
        return PAWL_OK;
}

pawl_status pawl__archive_take(pawl__archive_reader *r, uint64_t size,
        pawl_status (*sink)(const void *data, size_t len, void *user, pawl_error *err), void *user,
        pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (;;) {
                const la_ssize_t n = r->lib->archive_read_data(r->archive, r->piece, PIECE);
                if (n < 0)
                        return failed(err, r);
                if ((uint64_t)n > size)
                        return pawl__archive_refuse(
                                err, r->name, "a member is longer than its header says");
                if (n == 0)
                        break;
                size -= (uint64_t)n;
                status = sink(r->piece, (size_t)n, user, err);
                if (status)
                        return status;
        }
        return size ? pawl__archive_refuse(err, r->name, "a member is shorter than its header says")
                    : PAWL_OK;
}

pawl_status pawl__archive_end(pawl__archive_reader *r, pawl_error *err)
{
        struct archive_entry *entry;
        const int code = r->lib->archive_read_next_header(r->archive, &entry);

        if (code == ARCHIVE_EOF)
                return PAWL_OK;
        if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
                return failed(err, r);
        const char *found = r->lib->archive_entry_pathname(entry);
        return pawl__archive_refuse(err, r->name,
                "has \"%.100s\", which its manifest does not name", found ? found : "");
}

void pawl__archive_reader_free(pawl__archive_reader *r)
{
        if (!r)
                return;
        if (r->archive)
                r->lib->archive_read_free(r->archive);
        free(r->piece);
        free(r);
}
