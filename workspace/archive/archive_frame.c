/* Is a file one Zstandard frame (RFC 8878, section 3.1.1), from its first byte to its last? Its
 * blocks are stepped over, not unpacked. */
#include "base/error.h"
#include "base/system.h"
#include "workspace/archive/archive_read.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* So many blocks of at most 128 KiB hold twice what an archive may. */
#define BLOCKS_MAX ((uint64_t)1 << 20)

pawl_status pawl__archive_refuse(pawl_error *err, const char *name, const char *what, ...)
{
        char text[300] = "";
        va_list args;

        va_start(args, what);
        vsnprintf(text, sizeof text, what, args);
        va_end(args);
        return pawl__fail(err, PAWL_EFORMAT,
                "%.120s: %s; it is no archive of `pawl export`, or was changed", name, text);
}

static pawl_status get(unsigned char *out, size_t len, const pawl__archive_source *source,
        uint64_t at, pawl_error *err)
{
        for (size_t done = 0; done < len;) {
                const ssize_t n = pread(source->fd, out + done, len - done, (off_t)(at + done));
                if (n < 0 && errno != EINTR)
                        return pawl__fail_errno(err, errno, source->name, "read the archive");
                if (n == 0)
                        return pawl__archive_refuse(
                                err, source->name, "ends within a Zstandard frame");
                done += n > 0 ? (size_t)n : 0;
        }
        return PAWL_OK;
}

/* The bytes of the frame's header, and of the checksum at its end. */
static pawl_status read_header(
        uint64_t *header, uint64_t *checksum, const pawl__archive_source *source, pawl_error *err)
{
        static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
        static const unsigned dictionary[4] = {0, 1, 2, 4}, content_size[4] = {0, 2, 4, 8};
        unsigned char head[5];
        pawl_status status = get(head, sizeof head, source, 0, err);

        if (status)
                return status;
        if (memcmp(head, magic, sizeof magic) != 0)
                return pawl__archive_refuse(err, source->name, "is no Zstandard frame");
        const bool single = head[4] & 0x20;
        *header = sizeof head + (single ? 0 : 1) + dictionary[head[4] & 3] +
                  (single && head[4] >> 6 == 0 ? 1 : content_size[head[4] >> 6]);
        *checksum = head[4] & 4 ? 4 : 0;
        return PAWL_OK;
}

pawl_status pawl__archive_one_frame(const pawl__archive_source *source, pawl_error *err)
{
        enum { RUN = 1 }; /* a block of one byte that is repeated */
        unsigned char head[3] = {0};
        uint64_t at = 0, checksum = 0;
        struct stat st;
        pawl_status status = read_header(&at, &checksum, source, err);

        for (uint64_t n = 0; !status && !(head[0] & 1); n++) {
                if (n == BLOCKS_MAX)
                        return pawl__fail(err, PAWL_ETOOBIG,
                                "%.200s: unpacks to more than an archive may hold; export fewer "
                                "checkpoints at a time",
                                source->name);
                status = get(head, sizeof head, source, at, err);
                const uint32_t len =
                        (uint32_t)head[0] >> 3 | (uint32_t)head[1] << 5 | (uint32_t)head[2] << 13;
                at += sizeof head + ((head[0] >> 1 & 3) == RUN ? 1 : len);
        }
        if (status)
                return status;
        if (fstat(source->fd, &st) != 0)
                return pawl__fail_errno(err, errno, source->name, "look at the archive");
        if ((uint64_t)st.st_size == at + checksum)
                return PAWL_OK;
        return pawl__archive_refuse(err, source->name,
                (uint64_t)st.st_size < at + checksum
                        ? "ends within a Zstandard frame"
                        : "has something behind its Zstandard frame, as another archive");
}
