/* Archives, in a build without libarchive: none is ever opened, so nothing else is ever called. */
#include "base/error.h"
#include "workspace/archive/archive_read.h"
#include "workspace/archive/archive_write.h"

static pawl_status absent(const char *name, pawl_error *err)
{
        return pawl__fail(err, PAWL_ENOTFOUND,
                "%s: this build reads and writes no archives; use one that was configured with "
                "-DPAWL_WITH_ARCHIVE=ON",
                name);
}

pawl_status pawl__archive_create(pawl__archive_writer **out, const char *path, pawl_error *err)
{
        (void)out;
        return absent(path, err);
}

pawl_status pawl__archive_add(
        pawl__archive_writer *writer, const char *name, uint64_t size, pawl_error *err)
{
        (void)writer, (void)size;
        return absent(name, err);
}

pawl_status pawl__archive_put(const void *data, size_t len, void *writer, pawl_error *err)
{
        (void)data, (void)len, (void)writer;
        return absent("archive", err);
}

pawl_status pawl__archive_finish(
        pawl__archive_writer *writer, unsigned char sha256[32], uint64_t *bytes, pawl_error *err)
{
        (void)writer, (void)sha256, (void)bytes;
        return absent("archive", err);
}

void pawl__archive_writer_free(pawl__archive_writer *writer)
{
        (void)writer;
}

pawl_status pawl__archive_open(
        pawl__archive_reader **out, const pawl__archive_source *source, pawl_error *err)
{
        (void)out;
        return absent(source->name, err);
}

pawl_status pawl__archive_next(
        pawl__archive_reader *reader, const char *name, uint64_t *size, pawl_error *err)
{
        (void)reader, (void)size;
        return absent(name, err);
}

pawl_status pawl__archive_take(pawl__archive_reader *reader, uint64_t size,
        pawl_status (*sink)(const void *data, size_t len, void *user, pawl_error *err), void *user,
        pawl_error *err)
{
        (void)reader, (void)size, (void)sink, (void)user;
        return absent("archive", err);
}

pawl_status pawl__archive_end(pawl__archive_reader *reader, pawl_error *err)
{
        (void)reader;
        return absent("archive", err);
}

void pawl__archive_reader_free(pawl__archive_reader *reader)
{
        (void)reader;
}
