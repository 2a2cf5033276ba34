#include "workspace/store/own_documents.h"
#include "base/error.h"
#include "base/file.h"
#include <fcntl.h>
#include <unistd.h>

enum { HASH = 32, KEPT = 1024, MOST = 2048 }; /* hashes */

static int open_beside(const pawl_log *log, int flags)
{
        const char *const place = pawl__log_place(log);
        pawl__buf path = PAWL__BUF_INIT;

        pawl__buf_add(&path, place, pawl__directory_len(place));
        pawl__buf_adds(&path, "workspace.index-documents");
        const int fd = path.failed
                               ? -1
                               : open(path.data, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        pawl__buf_free(&path);
        return fd;
}

/* Keep the newest ones. */
static void shorten(int fd, off_t size)
{
        static const off_t kept = (off_t)KEPT * HASH;
        unsigned char newest[KEPT * HASH];

        if (pread(fd, newest, sizeof newest, size - size % HASH - kept) == (ssize_t)sizeof newest &&
                ftruncate(fd, 0) == 0)
                (void)!pawl__write_all(fd, newest, sizeof newest);
}

void pawl__own_document_note(pawl_log *log, const char *path, const void *text, size_t len)
{
        const char *const place = pawl__log_place(log);
        const size_t beside = pawl__directory_len(place);
        unsigned char hash[HASH];
        pawl_error ignored = PAWL_ERROR_INIT;

        if ((pawl__directory_len(path) == beside && memcmp(path, place, beside) == 0) ||
                pawl__sha256(pawl__log_hasher(log), hash, text, len, &ignored))
                return;
        const int fd = open_beside(log, O_RDWR | O_CREAT | O_APPEND);
        if (fd < 0)
                return;
        const off_t size = lseek(fd, 0, SEEK_END);
        if (size >= (off_t)MOST * HASH)
                shorten(fd, size);
        (void)!pawl__write_all(fd, hash, sizeof hash);
        close(fd);
}

pawl_status pawl__own_documents_read(pawl__buf *out, const pawl_log *log, pawl_error *err)
{
        const int fd = open_beside(log, O_RDONLY);

        if (fd < 0)
                return PAWL_OK;
        (void)!pawl__read_all(out, fd, (size_t)(MOST + 1) * HASH);
        close(fd);
        return pawl__buf_check(out, err);
}

bool pawl__own_documents_have(const pawl__buf *documents, const unsigned char hash[32])
{
        for (size_t at = 0; at + HASH <= documents->len; at += HASH)
                if (memcmp(documents->data + at, hash, HASH) == 0)
                        return true;
        return false;
}
