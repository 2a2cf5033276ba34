/* See workspace/git/git_index.h; the format is gitformat-index(5). */
#include "workspace/git/git_index.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 30, STAT = 40, HEAD = 12, GITLINK = 0160000, SPARSE = 0040000 };

pawl_status pawl__git_file(pawl__buf *out, const char *path, size_t max, pawl_error *err)
{
        const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        pawl_status status = PAWL_OK;
        struct stat st;
        int error = 0;

        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
                return PAWL_ENOTFOUND;
        if (fd < 0)
                return pawl__fail_errno(err, errno, path, "read it");
        if (fstat(fd, &st) != 0)
                error = errno;
        else if (!S_ISREG(st.st_mode))
                status = PAWL_ENOTFOUND;
        else if (pawl__buf_reserve(out, (size_t)st.st_size + 1))
                error = ENOMEM;
        else
                error = pawl__read_all(out, fd, max);
        close(fd);
        if (error == EFBIG)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%.350s: has more than %zu bytes; look with `git status`", path, max);
        return error ? pawl__fail_errno(err, error, path, "read it") : status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct reader {
        pawl__tracked *out;
        const char *path; /* of the file, for messages */
        const unsigned char *data;
        size_t len, at, oid_len;
        const uint64_t *skip; /* bits of entries that the other half deletes; NULL: none */
        size_t n_skip;        /* bits */
        pawl_error *err;
} reader;

static pawl_status damaged(const reader *r, const char *what)
{
        return pawl__fail(r->err, PAWL_EPARSE,
                "%.300s, byte %zu: %s; look with `git status`, `git reset` makes it anew", r->path,
                r->at, what);
}

static uint64_t number(const unsigned char *at, size_t bytes)
{
        uint64_t value = 0;

        for (size_t i = 0; i < bytes; i++)
                value = value << 8 | at[i];
        return value;
}

static bool has(const reader *r, size_t len)
{
        return r->len - r->at >= len;
}

static pawl_status add_name(reader *r, pawl_text name, char kind)
{
        pawl__tracked *t = r->out;

        if (pawl__buf_addc(&t->names, kind) || pawl__grow(&t->at, &t->cap, t->n + 1, sizeof *t->at))
                return pawl__nomem(r->err);
        t->at[t->n++] = t->names.len;
        return pawl__buf_add(&t->names, name.data, name.len + 1) ? pawl__nomem(r->err) : PAWL_OK;
}

/* How many bytes of the name before go, as version 4 counts them. */
static bool take_cut(size_t *cut, reader *r)
{
        if (!has(r, 1))
                return false;
        unsigned char c = r->data[r->at++];
        uint64_t value = c & 127;
        while (c & 128) {
                if (!has(r, 1) || value > (UINT64_C(1) << 40))
                        return false;
                c = r->data[r->at++];
                value = ((value + 1) << 7) | (c & 127);
        }
        *cut = (size_t)value;
        return true;
}

/* An entry; @p index: its number in the file. */
static pawl_status take_entry(reader *r, uint64_t version, size_t index, pawl__buf *last)
{
        const size_t start = r->at, fixed = STAT + r->oid_len + 2;
        size_t cut = 0;

        if (!has(r, fixed + 3))
                return damaged(r, "ends within an entry");
        const uint64_t mode = number(r->data + start + 24, 4);
        const uint64_t flags = number(r->data + start + STAT + r->oid_len, 2);
        r->at += fixed + (flags & 0x4000 ? 2 : 0);
        if (flags & 0x4000 && version < 3)
                return damaged(r, "has flags that its version does not know");
        if (version == 4 && (!take_cut(&cut, r) || cut > last->len))
                return damaged(r, "has a name that cannot be put together");
        const char *name = (const char *)r->data + r->at;
        const char *end = has(r, 1) ? memchr(name, '\0', r->len - r->at) : NULL;
        if (!end)
                return damaged(r, "ends within a name");
        const size_t len = (size_t)(end - name);
        const size_t keep = version == 4 ? last->len - cut : 0;
        last->len = keep;
        if (pawl__buf_add(last, name, len))
                return pawl__nomem(r->err);
        r->at += len + 1;
        if (version < 4) /* up to a multiple of eight bytes, of which one is that NUL */
                r->at = start + ((r->at - 1 - start + 8) & ~(size_t)7);
        if (r->at > r->len)
                return damaged(r, "ends within an entry");
        const bool skipped = index < r->n_skip && r->skip[index / 64] >> index % 64 & 1;
        if (last->len == 0 || mode == SPARSE || skipped)
                return PAWL_OK;
        return add_name(r, pawl__buf_text(last), mode == GITLINK ? 's' : 'f');
}

static pawl_status take_entries(reader *r)
{
        pawl__buf last = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (!has(r, HEAD + r->oid_len) || memcmp(r->data, "DIRC", 4) != 0)
                return damaged(r, "is no index of git");
        const uint64_t version = number(r->data + 4, 4), count = number(r->data + 8, 4);
        if (version < 2 || version > 4)
                return damaged(r, "is of a version that is not known");
        r->at = HEAD;
        for (uint64_t i = 0; i < count && !status; i++)
                status = take_entry(r, version, (size_t)i, &last);
        pawl__buf_free(&last);
        return status;
}

/* ---- The other half of one that is split ----------------------------------------------------- */

/* The bits of a compressed bitmap (EWAH): runs of equal words, each followed by words as they are.
 */
static pawl_status take_bitmap(uint64_t **bits, size_t *n, reader *r, size_t end)
{
        if (end - r->at < 8)
                return damaged(r, "ends within a bitmap");
        const size_t size = (size_t)number(r->data + r->at, 4);
        const size_t words = (size_t)number(r->data + r->at + 4, 4), capacity = size / 64 + 1;
        size_t to = 0;
        r->at += 8;
        if ((end - r->at) / 8 < words)
                return damaged(r, "ends within a bitmap");
        uint64_t *out = calloc(capacity, sizeof *out);
        if (!out)
                return pawl__nomem(r->err);
        for (size_t i = 0; i < words;) {
                const uint64_t run = number(r->data + r->at + 8 * i++, 8);
                uint64_t equal = run >> 1 & UINT32_MAX, plain = run >> 33;
                for (; equal && to < capacity; equal--)
                        out[to++] = run & 1 ? UINT64_MAX : 0;
                for (; plain && i < words && to < capacity; plain--)
                        out[to++] = number(r->data + r->at + 8 * i++, 8);
                if (equal || plain) {
                        free(out);
                        return damaged(r, "has a bitmap that is longer than it says");
                }
        }
        r->at += words * 8 + 4;
        *bits = out;
        *n = size;
        return PAWL_OK;
}

static pawl_status read_half(reader *r, const char *git, size_t end)
{
        char hex[65];
        pawl__buf path = PAWL__BUF_INIT, data = PAWL__BUF_INIT;
        uint64_t *skip = NULL;
        reader half = {.out = r->out, .oid_len = r->oid_len, .err = r->err};
        pawl_status status = PAWL_OK;

        pawl__hex(hex, r->data + r->at, r->oid_len);
        r->at += r->oid_len;
        if (r->at < end)
                status = take_bitmap(&skip, &half.n_skip, r, end);
        if (!status && pawl__buf_addf(&path, "%s/sharedindex.%s", git, hex))
                status = pawl__nomem(r->err);
        if (!status)
                status = pawl__git_file(&data, path.data, FILE_MAX, r->err);
        if (status == PAWL_ENOTFOUND)
                status = damaged(r, "has another half, which is not there");
        half.path = path.data;
        half.data = (const unsigned char *)pawl__buf_text(&data).data;
        half.len = data.len;
        half.skip = skip;
        if (!status)
                status = take_entries(&half);
        free(skip);
        pawl__buf_free(&data);
        pawl__buf_free(&path);
        return status;
}

/* What follows the entries. That which is in small letters must be understood. */
static pawl_status take_extensions(reader *r, const char *git)
{
        while (has(r, 8 + r->oid_len)) {
                const unsigned char *name = r->data + r->at;
                const uint64_t size = number(name + 4, 4);
                r->at += 8;
                if (size > r->len - r->at)
                        return damaged(r, "ends within an extension");
                const size_t end = r->at + (size_t)size;
                if (memcmp(name, "link", 4) == 0) {
                        if (size < r->oid_len)
                                return damaged(r, "ends within an extension");
                        static const unsigned char none[32];
                        pawl_status status = PAWL_OK;
                        if (memcmp(r->data + r->at, none, r->oid_len) != 0)
                                status = read_half(r, git, end);
                        if (status)
                                return status;
                } else if (name[0] >= 'a' && name[0] <= 'z' && memcmp(name, "sdir", 4) != 0) {
                        return damaged(r, "has an extension that is not known");
                }
                r->at = end;
        }
        return PAWL_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b, void *names)
{
        return strcmp(
                (const char *)names + *(const size_t *)a, (const char *)names + *(const size_t *)b);
}

static void put_in_order(pawl__tracked *t)
{
        for (size_t i = 1; i < t->n; i++)
                if (by_name(&t->at[i - 1], &t->at[i], t->names.data) > 0) {
                        qsort_r(t->at, t->n, sizeof *t->at, by_name, t->names.data);
                        return;
                }
}

pawl_status pawl__tracked_decode(pawl__tracked *out, pawl_text data, const char *path,
        const char *git, size_t oid_len, pawl_error *err)
{
        pawl__tracked found = {PAWL__BUF_INIT, NULL, 0, 0};
        reader r = {.out = &found,
                .path = path,
                .data = (const unsigned char *)data.data,
                .len = data.len,
                .oid_len = oid_len,
                .err = err};
        pawl_status status = take_entries(&r);

        if (!status)
                status = take_extensions(&r, git);
        if (status) {
                pawl__tracked_free(&found);
                return status;
        }
        put_in_order(&found);
        *out = found;
        return PAWL_OK;
}

pawl_status pawl__tracked_read(pawl__tracked *out, const char *git, size_t oid_len, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT, data = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (pawl__buf_addf(&path, "%s/index", git))
                status = pawl__nomem(err);
        if (!status)
                status = pawl__git_file(&data, path.data, FILE_MAX, err);
        if (!status)
                status = pawl__tracked_decode(
                        out, pawl__buf_text(&data), path.data, git, oid_len, err);
        if (status == PAWL_ENOTFOUND) {
                *out = (pawl__tracked){PAWL__BUF_INIT, NULL, 0, 0};
                status = PAWL_OK;
        }
        pawl__buf_free(&data);
        pawl__buf_free(&path);
        return status;
}

void pawl__tracked_free(pawl__tracked *tracked)
{
        pawl__buf_free(&tracked->names);
        free(tracked->at);
        *tracked = (pawl__tracked){PAWL__BUF_INIT, NULL, 0, 0};
}

/* The first that does not stand before @p path, followed by '/' if @p within. */
static size_t lower_bound(const pawl__tracked *t, pawl_text path, bool within)
{
        size_t from = 0, to = t->n;

        while (from < to) {
                const size_t middle = from + (to - from) / 2;
                const char *name = t->names.data + t->at[middle];
                int order = strncmp(name, path.data, path.len);
                if (order == 0 && within)
                        order = (int)(unsigned char)name[path.len] - '/';
                if (order < 0)
                        from = middle + 1;
                else
                        to = middle;
        }
        return from;
}

pawl__tracking pawl__tracked_lookup(const pawl__tracked *t, pawl_text path, bool directory)
{
        const size_t i = lower_bound(t, path, false),
                     in = directory ? lower_bound(t, path, true) : t->n;

        if (i < t->n) {
                const char *name = t->names.data + t->at[i];
                if (strncmp(name, path.data, path.len) == 0 && name[path.len] == '\0' &&
                        (!directory || name[-1] == 's'))
                        return PAWL__TRACKED;
        }
        if (in < t->n) {
                const char *name = t->names.data + t->at[in];
                if (strncmp(name, path.data, path.len) == 0 && name[path.len] == '/')
                        return PAWL__TRACKED_WITHIN;
        }
        return PAWL__UNTRACKED;
}
