/* The index as a file: strict when read, whole when written (workspace/index.h). */
#include "base/error.h"
#include "workspace/index.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Twelve bytes of name and version; four that say in which order bytes stand in a number. */
typedef struct file_head {
        char magic[12];
        uint32_t order;
        pawl__index_of of;
} file_head;

/* Nothing else may look like it. */
static const char magic[12] = {'p', 'a', 'w', 'l', ' ', 'i', 'n', 'd', 'e', 'x', ' ', '1'};
#define ORDER UINT32_C(0x01020304)

_Static_assert(sizeof(file_head) == PAWL__INDEX_HEAD, "the head has no holes");

enum { SUM = 32 }; /* the SHA-256 at the end */
#define FILE_MAX ((uint64_t)4 << 30)

/* ---- Reading --------------------------------------------------------------------------------- */

static pawl_status damaged(pawl_error *err, size_t at, const char *what)
{
        return pawl__fail(err, PAWL_EDAMAGED,
                "workspace.index, byte %zu: %s; remove the file, it is made anew", at, what);
}

static bool entry_fits(const pawl__index_entry *e, size_t room)
{
        const pawl_text target = pawl__index_target(e);

        if (pawl__index_entry_size(e) > room || !pawl__tree_name_valid(pawl__index_name(e)))
                return false;
        if (e->flags & ~PAWL__INDEX_TRUSTED || e->mode > 07777)
                return false;
        switch (e->kind) {
        case PAWL__ENTRY_FILE:
        case PAWL__ENTRY_FOLDER:
                return e->why == 0 && target.len == 0;
        case PAWL__ENTRY_LINK:
                return e->why == 0 && e->mode == 0 && target.len > 0 &&
                       !memchr(target.data, '\0', target.len);
        case PAWL__ENTRY_SKIPPED:
                return e->mode == 0 && target.len == 0 && pawl__skip_name((pawl__skip)e->why);
        case PAWL__INDEX_GONE:
                return e->why == 0 && target.len == 0;
        default:
                return false;
        }
}

/* The folder at @p at: its entries fit and are in order; *end is where they end. */
static pawl_status check_folder(
        const pawl__index *index, size_t at, size_t limit, size_t *end, pawl_error *err)
{
        const pawl__index_entry *last = NULL;
        pawl__index_folder head;
        size_t next = at + sizeof head;

        if (limit - at < sizeof head)
                return damaged(err, at, "ends within a folder");
        memcpy(&head, index->bytes.data + at, sizeof head);
        for (uint64_t i = 0; i < head.entries; i++) {
                const pawl__index_entry *entry = pawl__index_entry_at(index, next);
                if (limit - next < sizeof *entry || !entry_fits(entry, limit - next))
                        return damaged(err, next, "is no entry");
                if (last && pawl__text_cmp(pawl__index_name(last), pawl__index_name(entry)) >= 0)
                        return damaged(err, next, "is not in the order of names");
                last = entry;
                next += pawl__index_entry_size(entry);
        }
        *end = next;
        return PAWL_OK;
}

/* Every folder is where the entry that names it says, right behind what came before it: so all
 * bytes are read once, and no folder is in itself. */
static pawl_status check_folders(const pawl__index *index, size_t limit, pawl_error *err)
{
        struct level {
                pawl__index_cursor cursor;
        } *levels = NULL;
        size_t depth = 0, cap = 0, end = 0;
        pawl_status status = check_folder(index, PAWL__INDEX_HEAD, limit, &end, err);

        if (!status && pawl__grow(&levels, &cap, 1, sizeof *levels))
                status = pawl__nomem(err);
        if (!status)
                levels[depth++].cursor = pawl__index_open(index, PAWL__INDEX_HEAD);
        while (!status && depth > 0) {
                const pawl__index_entry *entry = pawl__index_next(index, &levels[depth - 1].cursor);
                if (!entry)
                        depth--;
                if (!entry || entry->kind != PAWL__ENTRY_FOLDER)
                        continue;
                const size_t at = end;
                if (entry->size != at)
                        status = damaged(err, at, "is not where its folder says");
                if (!status)
                        status = check_folder(index, at, limit, &end, err);
                if (!status && pawl__grow(&levels, &cap, depth + 1, sizeof *levels))
                        status = pawl__nomem(err);
                if (!status)
                        levels[depth++].cursor = pawl__index_open(index, at);
        }
        free(levels);
        if (!status && end != limit)
                status = damaged(err, end, "is beyond the last folder");
        return status;
}

pawl_status pawl__index_decode(
        pawl__index *out, pawl__buf *bytes, pawl__hasher *hasher, pawl_error *err)
{
        pawl__index index = {*bytes, {0}};
        unsigned char sum[SUM];
        file_head head;
        pawl_status status = PAWL_OK;

        *bytes = (pawl__buf)PAWL__BUF_INIT;
        if (index.bytes.len < sizeof head + SUM) {
                status = damaged(err, index.bytes.len, "ends too early");
                goto done;
        }
        const size_t limit = index.bytes.len - SUM;
        memcpy(&head, index.bytes.data, sizeof head);
        if (memcmp(head.magic, magic, sizeof magic) != 0 || head.order != ORDER)
                status = damaged(err, 0, "is no index of this version and machine");
        if (!status)
                status = pawl__sha256(hasher, sum, index.bytes.data, limit, err);
        if (!status && memcmp(sum, index.bytes.data + limit, SUM) != 0)
                status = damaged(err, limit, "is not the sum of what stands before");
        if (!status)
                status = check_folders(&index, limit, err);
        index.of = head.of;
done:
        if (status) {
                pawl__buf_free(&index.bytes);
                return status;
        }
        index.bytes.len -= SUM;
        *out = index;
        return PAWL_OK;
}

/* NULL in out->data: there is no such file, or it is not to be read. */
static pawl_status read_whole(pawl__buf *out, const char *path)
{
        const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat st;
        pawl_status status = PAWL_ENOTFOUND;

        if (fd < 0)
                return status;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= FILE_MAX) {
                const size_t size = (size_t)st.st_size;
                status = pawl__buf_reserve(out, size);
                while (!status && out->len < size) {
                        const ssize_t n = read(fd, out->data + out->len, size - out->len);
                        if (n > 0)
                                out->len += (size_t)n;
                        else if (n == 0 || errno != EINTR)
                                status = PAWL_ENOTFOUND;
                }
        }
        close(fd);
        return status;
}

static bool belongs(const pawl__index_of *found, const pawl__index_of *of)
{
        return found->device == of->device && found->inode == of->inode &&
               memcmp(found->event, of->event, 32) == 0 && found->tick_ns <= of->tick_ns;
}

pawl_status pawl__index_load(pawl__index *out, const char *path, const pawl__index_of *of,
        pawl__hasher *hasher, pawl_error *err)
{
        pawl__index index = PAWL__INDEX_INIT;
        pawl__buf bytes = PAWL__BUF_INIT;
        pawl_error ignored;
        pawl_status status = read_whole(&bytes, path);

        if (!status)
                status = pawl__index_decode(&index, &bytes, hasher, &ignored);
        pawl__buf_free(&bytes);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (!status && belongs(&index.of, of)) {
                *out = index;
                return PAWL_OK;
        }
        pawl__index_free(&index);
        return pawl__fail(err, PAWL_ENOTFOUND, "%s: is of no use here; it is made anew", path);
}

/* ---- Writing --------------------------------------------------------------------------------- */

pawl_status pawl__index_seal(pawl__index *index, pawl__hasher *hasher, pawl_error *err)
{
        file_head head = {.order = ORDER, .of = index->of};
        unsigned char sum[SUM];

        memcpy(head.magic, magic, sizeof magic);
        memcpy(index->bytes.data, &head, sizeof head);
        for (size_t at = sizeof head; at < index->bytes.len;) {
                pawl__index_cursor cursor = pawl__index_open(index, at);
                pawl__index_entry *entry;
                while ((entry = pawl__index_next(index, &cursor)))
                        entry->flags &= PAWL__INDEX_TRUSTED;
                at = cursor.at;
        }
        pawl_status status = pawl__sha256(hasher, sum, index->bytes.data, index->bytes.len, err);
        if (!status && pawl__buf_add(&index->bytes, sum, SUM))
                status = pawl__nomem(err);
        return status;
}

static int write_all(int fd, const char *data, size_t len)
{
        while (len > 0) {
                const ssize_t n = write(fd, data, len);
                if (n < 0 && errno != EINTR)
                        return -1;
                if (n > 0) {
                        data += n;
                        len -= (size_t)n;
                }
        }
        return 0;
}

/* 0 or errno. */
static int write_file(const char *path, pawl_text content)
{
        int error = 0;

        (void)unlink(path); /* of a process that is dead and had our pid */
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
                return errno;
        if (write_all(fd, content.data, content.len) != 0)
                error = errno;
        if (close(fd) != 0 && !error)
                error = errno;
        if (error)
                (void)unlink(path);
        return error;
}

pawl_status pawl__index_save(
        pawl__index *index, const char *path, pawl__hasher *hasher, pawl_error *err)
{
        const size_t len = index->bytes.len;
        pawl__buf name = PAWL__BUF_INIT;

        if (pawl__buf_addf(&name, "%s.%ld", path, (long)getpid()))
                return pawl__nomem(err);
        pawl_status status = pawl__index_seal(index, hasher, err);
        if (!status) {
                int error = write_file(name.data, pawl__buf_text(&index->bytes));
                if (!error && rename(name.data, path) != 0) {
                        error = errno;
                        (void)unlink(name.data);
                }
                if (error)
                        status = pawl__fail(err, PAWL_EIO,
                                "%s: cannot be written: %s; the next scan reads every file", path,
                                strerrordesc_np(error));
        }
        index->bytes.len = len;
        pawl__buf_free(&name);
        return status;
}
