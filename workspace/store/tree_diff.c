#include "workspace/store/tree_diff.h"
#include "base/error.h"
#include <stdlib.h>

/* A directory on one side, while it is gone through. */
typedef struct side {
        pawl__buf encoded;
        pawl__tree_reader reader;
        pawl__entry next;
        bool any; /* next is set, and was not used yet */
} side;

/* A directory of either tree, or of both. */
typedef struct level {
        side from, to;
        size_t path_len; /* of the directory's own path */
        bool unknown;    /* one side did not capture it */
} level;

typedef struct differ {
        const pawl__directories *directories;
        pawl__change_fn fn;
        void *user;
        pawl_error *err;
        pawl__buf path;
        level *levels; /* on the heap, not the stack: trees may be deeper than that */
        size_t n, cap;
} differ;

/* ---- A directory at a time ------------------------------------------------------------------- */

static pawl_status step(side *s, pawl_error *err)
{
        pawl_status status =
                s->reader.encoded.data ? pawl__tree_next(&s->next, &s->reader, err) : PAWL_DONE;

        s->any = status == PAWL_OK;
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status open_side(side *s, const differ *d, const unsigned char *hash)
{
        pawl_status status;

        if (!hash)
                return PAWL_OK;
        status = d->directories->get(&s->encoded, hash, d->directories->user, d->err);
        if (!status)
                status = pawl__tree_open(&s->reader, pawl__buf_text(&s->encoded), d->err);
        return status ? status : step(s, d->err);
}

static void pop(differ *d)
{
        level *top = &d->levels[--d->n];

        pawl__buf_free(&top->from.encoded);
        pawl__buf_free(&top->to.encoded);
}

static pawl_status push(differ *d, const unsigned char *from, const unsigned char *to, bool unknown)
{
        pawl_status status;

        if (pawl__grow(&d->levels, &d->cap, d->n + 1, sizeof *d->levels))
                return pawl__nomem(d->err);
        level *top = &d->levels[d->n++];
        *top = (level){.path_len = d->path.len, .unknown = unknown};
        status = open_side(&top->from, d, from);
        return status ? status : open_side(&top->to, d, to);
}

/* ---- An entry at a time --------------------------------------------------------------------- */

static bool is_directory(const pawl__entry *entry)
{
        return entry && entry->kind == PAWL__ENTRY_DIRECTORY;
}

static bool is_skipped(const pawl__entry *entry)
{
        return entry && entry->kind == PAWL__ENTRY_SKIPPED;
}

/* What is the change? False: there is none. */
static bool compare(pawl__change_kind *kind, const pawl__entry *from, const pawl__entry *to)
{
        bool same;

        if (!from || !to || from->kind != to->kind) {
                *kind = !from ? PAWL__CHANGE_ADDED
                              : (!to ? PAWL__CHANGE_REMOVED : PAWL__CHANGE_KIND);
                return true;
        }
        switch (from->kind) {
        case PAWL__ENTRY_FILE:
                same = from->size == to->size && memcmp(from->hash, to->hash, 32) == 0;
                *kind = same ? PAWL__CHANGE_MODE : PAWL__CHANGE_MODIFIED;
                return !same || from->mode != to->mode;
        case PAWL__ENTRY_DIRECTORY:
                same = memcmp(from->hash, to->hash, 32) == 0;
                *kind = from->mode != to->mode ? PAWL__CHANGE_MODE : PAWL__CHANGE_INSIDE;
                return !same || from->mode != to->mode;
        case PAWL__ENTRY_LINK:
                *kind = PAWL__CHANGE_MODIFIED;
                return !pawl__text_eq(from->target, to->target);
        case PAWL__ENTRY_SKIPPED:
                break;
        }
        return false;
}

static pawl_status set_path(differ *d, size_t parent, pawl_text name)
{
        d->path.len = parent;
        if ((parent && pawl__buf_addc(&d->path, '/')) ||
                pawl__buf_add(&d->path, name.data, name.len))
                return pawl__nomem(d->err);
        return PAWL_OK;
}

static pawl_status tell(differ *d, const pawl__entry *from, const pawl__entry *to)
{
        const level *top = &d->levels[d->n - 1];
        pawl__change change = {.from = from,
                .to = to,
                .unknown = top->unknown || is_skipped(from) || is_skipped(to)};
        pawl_status status;

        if (!compare(&change.kind, from, to))
                return PAWL_OK;
        status = set_path(d, top->path_len, (from ? from : to)->name);
        change.path = pawl__buf_text(&d->path);
        if (!status)
                status = d->fn(&change, d->user, d->err);
        if (status || (!is_directory(from) && !is_directory(to)) ||
                (is_directory(from) && is_directory(to) && memcmp(from->hash, to->hash, 32) == 0))
                return status;
        return push(d, is_directory(from) ? from->hash : NULL, is_directory(to) ? to->hash : NULL,
                change.unknown);
}

/* The next entry of the topmost level, or the end of that. */
static pawl_status advance(differ *d)
{
        level *top = &d->levels[d->n - 1];
        pawl__entry from = top->from.next, to = top->to.next;
        bool has_from = top->from.any, has_to = top->to.any;
        pawl_status status = PAWL_OK;

        if (!has_from && !has_to) {
                pop(d);
                return PAWL_OK;
        }
        if (has_from && has_to) {
                int order = pawl__text_cmp(from.name, to.name);
                has_from = order <= 0;
                has_to = order >= 0;
        }
        if (has_from)
                status = step(&top->from, d->err);
        if (!status && has_to)
                status = step(&top->to, d->err);
        return status ? status : tell(d, has_from ? &from : NULL, has_to ? &to : NULL);
}

pawl_status pawl__diff_trees(const pawl__directories *directories, const unsigned char *from,
        const unsigned char *to, pawl__change_fn fn, void *user, pawl_error *err)
{
        differ d = {.directories = directories, .fn = fn, .user = user, .err = err};
        pawl_status status = PAWL_OK;

        if (from && to && memcmp(from, to, 32) == 0)
                return PAWL_OK;
        status = push(&d, from, to, false);
        while (!status && d.n)
                status = advance(&d);
        while (d.n)
                pop(&d);
        free(d.levels);
        pawl__buf_free(&d.path);
        return status;
}

pawl_status pawl__change_counts(bool *yes, const pawl__directories *directories,
        const pawl__change *change, pawl__buf *buf, pawl_error *err)
{
        const pawl__entry *only = change->from ? change->from : change->to;

        *yes = change->kind != PAWL__CHANGE_INSIDE && !change->unknown;
        if (!*yes || (change->from && change->to) || !is_directory(only))
                return PAWL_OK;
        pawl__buf_clear(buf);
        pawl_status status = directories->get(buf, only->hash, directories->user, err);
        *yes = !status && buf->len == PAWL__TREE_HEAD;
        return status;
}
