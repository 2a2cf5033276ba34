/* The encoding of a directory, as workspace/store/tree.h gives it. */
#include "workspace/store/tree.h"
#include "base/error.h"
#include "events/own_files.h"
#include <assert.h>

static const char head[PAWL__TREE_HEAD] = {'t', 'r', 'e', 'e', 1};

const char *pawl__skip_name(pawl__skip why)
{
        switch (why) {
        case PAWL__SKIP_TOO_LARGE:
                return "too large";
        case PAWL__SKIP_UNREADABLE:
                return "unreadable";
        case PAWL__SKIP_SPECIAL:
                return "special";
        case PAWL__SKIP_CHANGING:
                return "changing";
        case PAWL__SKIP_RULES:
                return "unreadable rules";
        case PAWL__SKIP_BUDGET:
                return "time budget";
        case PAWL__SKIP_REPOSITORY:
                return "repository";
        case PAWL__SKIP_RESERVED:
                return "reserved name";
        case PAWL__SKIP_FORK:
                return "fork";
        case PAWL__SKIP_WORKTREE:
                return "work tree";
        }
        return NULL;
}

bool pawl__tree_name_never(pawl_text name)
{
        static const pawl_text tmp = {PAWL__TEMPORARY_PREFIX, sizeof PAWL__TEMPORARY_PREFIX - 1};

        return pawl__text_is(name, ".git") || pawl__text_is(name, ".pawl") ||
               (name.len >= tmp.len && memcmp(name.data, tmp.data, tmp.len) == 0);
}

bool pawl__tree_name_valid(pawl_text name)
{
        if (name.len == 0 || name.len > PAWL__TREE_NAME_MAX)
                return false;
        if (name.data[0] == '.' && (name.len == 1 || (name.len == 2 && name.data[1] == '.')))
                return false;
        return !memchr(name.data, '/', name.len) && !memchr(name.data, '\0', name.len) &&
               !pawl__tree_name_never(name);
}

bool pawl__tree_listed(pawl__entry_kind kind, pawl__skip why, pawl_text name)
{
        return kind == PAWL__ENTRY_SKIPPED &&
               ((why == PAWL__SKIP_REPOSITORY && pawl__text_is(name, ".git")) ||
                       (why == PAWL__SKIP_RESERVED && pawl__text_is(name, ".pawl")));
}

static bool target_valid(pawl_text target)
{
        return target.len > 0 && target.len <= PAWL__TREE_TARGET_MAX &&
               !memchr(target.data, '\0', target.len);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static char *put_number(char *at, uint64_t number, size_t bytes)
{
        for (size_t i = 0; i < bytes; i++)
                *at++ = (char)(unsigned char)(number >> 8 * i);
        return at;
}

static char *put_bytes(char *at, const void *data, size_t len)
{
        memcpy(at, data, len);
        return at + len;
}

static size_t entry_len(const pawl__entry *entry)
{
        const size_t len = 4 + entry->name.len;

        switch (entry->kind) {
        case PAWL__ENTRY_FILE:
                return len + 8 + 32;
        case PAWL__ENTRY_DIRECTORY:
                return len + 32;
        case PAWL__ENTRY_LINK:
                return len + 2 + entry->target.len;
        case PAWL__ENTRY_SKIPPED:
                return len + 1;
        }
        return len;
}

static bool entry_valid(const pawl__entry *entry)
{
        const bool has_mode =
                entry->kind == PAWL__ENTRY_FILE || entry->kind == PAWL__ENTRY_DIRECTORY;

        if (pawl__tree_listed(entry->kind, entry->why, entry->name))
                return entry->mode == 0;
        if (entry->kind == PAWL__ENTRY_SKIPPED && entry->why == PAWL__SKIP_RESERVED &&
                !pawl__reserved_name(entry->name))
                return false;
        return pawl__tree_name_valid(entry->name) &&
               (has_mode ? entry->mode <= 07777 : entry->mode == 0) &&
               (entry->kind != PAWL__ENTRY_LINK || target_valid(entry->target)) &&
               (entry->kind != PAWL__ENTRY_SKIPPED || pawl__skip_name(entry->why));
}

static char *put_entry(char *at, const pawl__entry *entry)
{
        *at++ = (char)entry->kind;
        at = put_number(at, entry->mode, 2);
        at = put_number(at, entry->name.len, 1);
        at = put_bytes(at, entry->name.data, entry->name.len);
        switch (entry->kind) {
        case PAWL__ENTRY_FILE:
                at = put_number(at, entry->size, 8);
                return put_bytes(at, entry->hash, 32);
        case PAWL__ENTRY_DIRECTORY:
                return put_bytes(at, entry->hash, 32);
        case PAWL__ENTRY_LINK:
                at = put_number(at, entry->target.len, 2);
                return put_bytes(at, entry->target.data, entry->target.len);
        case PAWL__ENTRY_SKIPPED:
                return put_number(at, entry->why, 1);
        }
        return at;
}

static pawl_status too_large(pawl_error *err)
{
        return pawl__fail(err, PAWL_ETOOBIG,
                "workspace: a directory has too many entries to be recorded; split it, or ignore it");
}

pawl_status pawl__tree_begin(pawl__buf *out, pawl_error *err)
{
        return pawl__buf_add(out, head, sizeof head) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__tree_add(pawl__buf *out, const pawl__entry *entry, pawl_error *err)
{
        const size_t len = entry_len(entry);

        assert(entry_valid(entry));
        if (out->len + len > PAWL__TREE_MAX)
                return too_large(err);
        if (pawl__buf_reserve(out, len))
                return pawl__nomem(err);
        *put_entry(out->data + out->len, entry) = '\0';
        out->len += len;
        return PAWL_OK;
}

pawl_status pawl__tree_encode(pawl__buf *out, const pawl__entry *entries, size_t n, pawl_error *err)
{
        size_t len = sizeof head;

        for (size_t i = 0; i < n; i++) {
                assert(entry_valid(&entries[i]));
                assert(i == 0 || pawl__text_cmp(entries[i - 1].name, entries[i].name) < 0);
                len += entry_len(&entries[i]);
                if (len > PAWL__TREE_MAX)
                        return too_large(err);
        }
        if (pawl__buf_reserve(out, len))
                return pawl__nomem(err);
        char *at = put_bytes(out->data + out->len, head, sizeof head);
        for (size_t i = 0; i < n; i++)
                at = put_entry(at, &entries[i]);
        *at = '\0';
        out->len += len;
        return PAWL_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static pawl_status damaged(pawl_error *err, size_t at, const char *what)
{
        return pawl__fail(err, PAWL_EDAMAGED,
                "recorded directory, byte %zu: %s; put back a copy of the log, or use another "
                "checkpoint",
                at, what);
}

pawl_status pawl__tree_open(pawl__tree_reader *reader, pawl_text encoded, pawl_error *err)
{
        if (encoded.len > PAWL__TREE_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "recorded directory: %zu bytes are more than one ever has; put back a copy of "
                        "the log, or use another checkpoint",
                        encoded.len);
        if (encoded.len < sizeof head || memcmp(encoded.data, head, sizeof head - 1) != 0)
                return damaged(err, 0, "is no record of a directory");
        if (encoded.data[sizeof head - 1] != head[sizeof head - 1])
                return pawl__fail(err, PAWL_ENEWER,
                        "recorded directory: is of version %u, and this program knows 1; use a newer "
                        "one",
                        (unsigned)(unsigned char)encoded.data[sizeof head - 1]);
        *reader = (pawl__tree_reader){encoded, sizeof head, {NULL, 0}};
        return PAWL_OK;
}

/* What is taken from the encoding, piece by piece; short: it ended before. */
typedef struct cursor {
        pawl_text left;
        bool short_of;
} cursor;

static pawl_text take(cursor *c, size_t len)
{
        pawl_text taken = {c->left.data, len};

        if (c->left.len < len) {
                c->short_of = true;
                return (pawl_text){"", 0};
        }
        c->left.data += len;
        c->left.len -= len;
        return taken;
}

static uint64_t take_number(cursor *c, size_t bytes)
{
        pawl_text taken = take(c, bytes);
        uint64_t number = 0;

        for (size_t i = 0; i < taken.len; i++)
                number |= (uint64_t)(unsigned char)taken.data[i] << 8 * i;
        return number;
}

static void take_hash(unsigned char hash[32], cursor *c)
{
        pawl_text taken = take(c, 32);

        memcpy(hash, taken.data, taken.len);
}

static bool take_rest(pawl__entry *entry, cursor *c)
{
        switch (entry->kind) {
        case PAWL__ENTRY_FILE:
                entry->size = take_number(c, 8);
                take_hash(entry->hash, c);
                return true;
        case PAWL__ENTRY_DIRECTORY:
                take_hash(entry->hash, c);
                return true;
        case PAWL__ENTRY_LINK:
                entry->target = take(c, (size_t)take_number(c, 2));
                return true;
        case PAWL__ENTRY_SKIPPED:
                entry->why = (pawl__skip)take_number(c, 1);
                return true;
        }
        return false;
}

pawl_status pawl__tree_next(pawl__entry *out, pawl__tree_reader *reader, pawl_error *err)
{
        cursor c = {{reader->encoded.data + reader->at, reader->encoded.len - reader->at}, false};
        pawl__entry entry = {.kind = PAWL__ENTRY_FILE};

        if (c.left.len == 0)
                return PAWL_DONE;
        entry.kind = (pawl__entry_kind)take_number(&c, 1);
        entry.mode = (uint32_t)take_number(&c, 2);
        entry.name = take(&c, (size_t)take_number(&c, 1));
        if (!take_rest(&entry, &c))
                return damaged(err, reader->at, "is of no known kind");
        if (c.short_of)
                return damaged(err, reader->at, "ends within an entry");
        if (pawl__tree_name_never(entry.name) &&
                !pawl__tree_listed(entry.kind, entry.why, entry.name))
                return damaged(err, reader->at, "is called .git or .pawl, which nobody records");
        if (!entry_valid(&entry))
                return damaged(err, reader->at, "has a value that no entry has");
        if (reader->last.data && pawl__text_cmp(reader->last, entry.name) >= 0)
                return damaged(err, reader->at, "is not in the order of names");
        reader->at = reader->encoded.len - c.left.len;
        reader->last = entry.name;
        *out = entry;
        return PAWL_OK;
}

bool pawl__tree_is_git(pawl_text encoded)
{
        static const char *const names[] = {"HEAD", "objects", "refs"}; /* in the order of names */
        pawl_error unread = PAWL_ERROR_INIT;
        pawl__tree_reader reader = {.at = 0};
        pawl__entry entry = {.kind = PAWL__ENTRY_FILE};
        size_t n = 0;

        if (pawl__tree_open(&reader, encoded, &unread))
                return false;
        while (n < 3 && !pawl__tree_next(&entry, &reader, &unread))
                n += pawl__text_is(entry.name, names[n]) &&
                     (n == 0 || entry.kind == PAWL__ENTRY_DIRECTORY ||
                             entry.kind == PAWL__ENTRY_SKIPPED);
        return n == 3;
}
