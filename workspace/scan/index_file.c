/* The index as a file: strict when read, whole when written (workspace/scan/index.h). */
#include "base/error.h"
#include "base/file.h"
#include "workspace/scan/index.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Twelve bytes of name and version; four that say in which order bytes stand in a number. */
typedef struct file_head {
        char magic[12];
        uint32_t order;
        uint64_t len; /* of the whole file */
        pawl__index_of of;
        unsigned char body[32], head[32]; /* SHA-256 of what follows; of what is before this */
} file_head;

/* Nothing else may look like it. */
static const char magic[12] = {'p', 'a', 'w', 'l', ' ', 'i', 'n', 'd', 'e', 'x', ' ', '2'};
#define ORDER UINT32_C(0x01020304)

_Static_assert(sizeof(file_head) == PAWL__INDEX_HEAD, "the head has no holes");

/* Room for some ten million entries. */
#define FILE_MAX ((uint64_t)1 << 30)

/* ---- Reading --------------------------------------------------------------------------------- */

static pawl_status damaged(pawl_error *err, size_t at, const char *what)
{
        return pawl__fail(err, PAWL_EDAMAGED,
                "workspace.index, byte %zu: %s; remove the file, it is made anew", at, what);
}

static bool entry_fits(const pawl__index_entry *e, size_t available)
{
        const pawl_text target = pawl__index_target(e);

        const size_t size = pawl__index_entry_size(e);
        const size_t used = sizeof *e + e->target_len + e->name_len;

        if (size > available)
                return false;
        if (!pawl__tree_listed(
                    (pawl__entry_kind)e->kind, (pawl__skip)e->why, pawl__index_name(e)) &&
                !pawl__tree_name_valid(pawl__index_name(e)))
                return false;
        for (size_t i = used; i < size; i++)
                if (((const char *)e)[i] != '\0')
                        return false;
        if (e->flags & ~(PAWL__INDEX_TRUSTED | PAWL__INDEX_TRACKED) || e->mode > 07777)
                return false;
        switch (e->kind) {
        case PAWL__ENTRY_FILE:
        case PAWL__ENTRY_DIRECTORY:
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

/* The directory at @p at: its entries fit and are in order; *end is where they end. */
static pawl_status check_directory(
        const pawl__index *index, size_t at, size_t limit, size_t *end, pawl_error *err)
{
        const pawl__index_entry *last = NULL;
        pawl__index_directory head;
        size_t next = at + sizeof head;

        if (limit - at < sizeof head)
                return damaged(err, at, "ends within a directory");
        memcpy(&head, index->bytes.data + at, sizeof head);
        for (uint32_t i = 0; i < head.entries; i++) {
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

/* Every directory is where the entry that names it says, right behind what came before it: so all
 * bytes are read once, and no directory is in itself. */
static pawl_status check_directories(const pawl__index *index, size_t limit, pawl_error *err)
{
        struct level {
                pawl__index_cursor cursor;
        } *levels = NULL;
        size_t depth = 0, cap = 0, end = 0;
        pawl_status status = check_directory(index, PAWL__INDEX_HEAD, limit, &end, err);

        if (!status && pawl__grow(&levels, &cap, 1, sizeof *levels))
                status = pawl__nomem(err);
        if (!status)
                levels[depth++].cursor = pawl__index_open(index, PAWL__INDEX_HEAD);
        while (!status && depth > 0) {
                const pawl__index_entry *entry = pawl__index_next(index, &levels[depth - 1].cursor);
                if (!entry)
                        depth--;
                if (!entry || entry->kind != PAWL__ENTRY_DIRECTORY)
                        continue;
                const size_t at = end;
                if (entry->size != at)
                        status = damaged(err, at, "is not where its directory says");
                if (!status)
                        status = check_directory(index, at, limit, &end, err);
                if (!status && pawl__grow(&levels, &cap, depth + 1, sizeof *levels))
                        status = pawl__nomem(err);
                if (!status)
                        levels[depth++].cursor = pawl__index_open(index, at);
        }
        free(levels);
        if (!status && end != limit)
                status = damaged(err, end, "is beyond the last directory");
        return status;
}

/* Is it the head of a file of that length? */
static pawl_status check_head(
        const file_head *head, uint64_t len, pawl__hasher *hasher, pawl_error *err)
{
        unsigned char sum[32];

        if (memcmp(head->magic, magic, sizeof magic) != 0 || head->order != ORDER)
                return damaged(err, 0, "is no index of this version and machine");
        if (head->len != len)
                return damaged(err, 0, "is not as long as was written");
        const pawl_status status = pawl__sha256(hasher, sum, head, offsetof(file_head, head), err);
        if (!status && memcmp(sum, head->head, sizeof sum) != 0)
                return damaged(err, 0, "has a sum of its head that is another");
        return status;
}

static pawl_status check_body(
        const file_head *head, const pawl__index *index, pawl__hasher *hasher, pawl_error *err)
{
        unsigned char sum[32];
        const pawl_status status = pawl__sha256(hasher, sum, index->bytes.data + PAWL__INDEX_HEAD,
                index->bytes.len - PAWL__INDEX_HEAD, err);

        if (!status && memcmp(sum, head->body, sizeof sum) != 0)
                return damaged(err, PAWL__INDEX_HEAD, "is not what was written");
        return status;
}

pawl_status pawl__index_decode(
        pawl__index *out, pawl__buf *bytes, pawl__hasher *hasher, pawl_error *err)
{
        pawl__index index = {.bytes = *bytes};
        pawl_status status = PAWL_OK;
        file_head head;

        *bytes = (pawl__buf)PAWL__BUF_INIT;
        if (index.bytes.len < sizeof head) {
                status = damaged(err, index.bytes.len, "ends too early");
                goto done;
        }
        memcpy(&head, index.bytes.data, sizeof head);
        status = check_head(&head, index.bytes.len, hasher, err);
        if (!status)
                status = check_body(&head, &index, hasher, err);
        if (!status)
                status = check_directories(&index, index.bytes.len, err);
        index.of = head.of;
        memcpy(index.sum, head.body, sizeof index.sum);
        index.summed = true;
done:
        if (status) {
                pawl__buf_free(&index.bytes);
                return status;
        }
        *out = index;
        return PAWL_OK;
}

static bool belongs(const pawl__index_of *found, const pawl__index_of *of)
{
        return found->device == of->device && found->inode == of->inode &&
               memcmp(found->event, of->event, 32) == 0 && found->tick_ns <= of->tick_ns;
}

static pawl_status read_until(pawl__buf *out, int fd, size_t len)
{
        pawl_status status = pawl__buf_reserve(out, len - out->len);

        while (!status && out->len < len) {
                const ssize_t n = read(fd, out->data + out->len, len - out->len);
                if (n > 0)
                        out->len += (size_t)n;
                else if (n == 0 || errno != EINTR)
                        status = PAWL_ENOTFOUND;
        }
        return status;
}

/* The whole file, of which nothing but the head is read unless that says that it is of use.
 * PAWL_ENOTFOUND: there is no such file, or it is of none. */
static pawl_status read_whole(
        pawl__buf *out, const char *path, const pawl__index_of *of, pawl__hasher *hasher)
{
        const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        pawl_error ignored;
        file_head head;
        struct stat st;
        pawl_status status = PAWL_ENOTFOUND;

        if (fd < 0)
                return status;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof head &&
                (uint64_t)st.st_size <= FILE_MAX)
                status = read_until(out, fd, sizeof head);
        if (!status) {
                memcpy(&head, out->data, sizeof head);
                status = check_head(&head, (uint64_t)st.st_size, hasher, &ignored);
        }
        if (!status && !belongs(&head.of, of))
                status = PAWL_ENOTFOUND;
        if (!status)
                status = read_until(out, fd, (size_t)st.st_size);
        close(fd);
        return status;
}

bool pawl__index_event(unsigned char event[32], const char *path)
{
        const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        file_head head;

        if (fd < 0)
                return false;
        const ssize_t n = read(fd, &head, sizeof head);
        close(fd);
        if (n != (ssize_t)sizeof head)
                return false;
        memcpy(event, head.of.event, 32);
        return true;
}

pawl_status pawl__index_load(pawl__index *out, const char *path, const pawl__index_of *of,
        pawl__hasher *hasher, pawl_error *err)
{
        pawl__index index = PAWL__INDEX_INIT;
        pawl__buf bytes = PAWL__BUF_INIT;
        pawl_error ignored;
        pawl_status status = read_whole(&bytes, path, of, hasher);

        if (!status)
                status = pawl__index_decode(&index, &bytes, hasher, &ignored);
        pawl__buf_free(&bytes);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (!status) {
                *out = index;
                return PAWL_OK;
        }
        return pawl__fail(err, PAWL_ENOTFOUND, "%s: is of no use here; it is made anew", path);
}

/* ---- Writing --------------------------------------------------------------------------------- */

void pawl__index_settle(pawl__index *index)
{
        for (size_t at = PAWL__INDEX_HEAD; at < index->bytes.len;) {
                pawl__index_cursor cursor = pawl__index_open(index, at);
                pawl__index_entry *entry;
                while ((entry = pawl__index_next(index, &cursor)))
                        entry->flags &= PAWL__INDEX_TRUSTED | PAWL__INDEX_TRACKED;
                at = cursor.at;
        }
}

pawl_status pawl__index_seal(pawl__index *index, pawl__hasher *hasher, pawl_error *err)
{
        file_head head = {.order = ORDER, .len = index->bytes.len, .of = index->of};
        pawl_status status = PAWL_OK;

        memcpy(head.magic, magic, sizeof magic);
        if (!index->summed)
                status = pawl__sha256(hasher, index->sum, index->bytes.data + PAWL__INDEX_HEAD,
                        index->bytes.len - PAWL__INDEX_HEAD, err);
        memcpy(head.body, index->sum, sizeof head.body);
        if (!status)
                status = pawl__sha256(hasher, head.head, &head, offsetof(file_head, head), err);
        if (!status)
                memcpy(index->bytes.data, &head, sizeof head);
        return status;
}

/* A new file of a name that ends in XXXXXX, as mkostemp(3) has it. 0 or errno. */
static int write_file(char *path, pawl_text content)
{
        const int fd = mkostemp(path, O_CLOEXEC);
        if (fd < 0)
                return errno;
        const int error = pawl__fill_file(fd, 0, content.data, content.len, false);
        if (error)
                (void)unlink(path);
        return error;
}

/* The head alone, over that of a file which has the same body. False: write it whole. */
static bool write_head(const pawl__index *index, const char *path)
{
        const int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat st;

        if (fd < 0)
                return false;
        const bool done = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                          (uint64_t)st.st_size == index->bytes.len &&
                          pwrite(fd, index->bytes.data, PAWL__INDEX_HEAD, 0) == PAWL__INDEX_HEAD;
        return close(fd) == 0 && done;
}

pawl_status pawl__index_save(
        pawl__index *index, const char *path, pawl__hasher *hasher, pawl_error *err)
{
        const bool there = index->summed;
        pawl__buf name = PAWL__BUF_INIT;

        if (pawl__buf_addf(&name, "%s.XXXXXX", path))
                return pawl__nomem(err);
        pawl_status status = pawl__index_seal(index, hasher, err);
        if (!status && !(there && write_head(index, path))) {
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
        pawl__buf_free(&name);
        return status;
}
