#include "base/error.h"
#include "base/json_order.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "checkpoint/checkpoint.h"
#include <stdlib.h>

/* Two containers of one type that are walked side by side, and how far the walk has come. */
struct level {
        pawl__node before, after;       /* the containers */
        pawl__node at_before, at_after; /* the child that is next in each, or none */
        size_t path_len;                /* of their path */
        uint32_t index;                 /* of the element that is next */
};

struct diffing {
        pawl__json_tree before, after;
        struct level *levels; /* one a depth: an explicit stack, no recursion */
        size_t depth, cap;
        pawl__buf path;
        pawl__member_change_fn fn;
        void *user;
        pawl_error *err;
};

/* ---- Values ---------------------------------------------------------------------------------- */

/* true and false are of one type. */
static unsigned type_of(const pawl__json_node *node)
{
        return node->type == PAWL__JSON_FALSE ? (unsigned)PAWL__JSON_TRUE : node->type;
}

/* Texts that are canonical are equal where the values are. */
static bool equal(const pawl__json_node *a, const pawl__json_node *b)
{
        if (a->type != b->type)
                return false;
        return a->type <= PAWL__JSON_TRUE || pawl__text_eq(a->value, b->value);
}

/* A node's canonical text, which is a piece of the document's. */
static pawl_text text_of(const pawl__json_tree *tree, pawl__node node)
{
        const pawl__json_node *it = pawl__json_at(tree, node);
        const char *start = tree->text + it->offset, *end = start + 1;

        if (it->type != PAWL__JSON_STRING)
                return pawl__json_literal(it);
        while (*end != '"') /* kept decoded: look for the quote that ends it */
                end += *end == '\\' ? 2 : 1;
        return pawl__text_n(start, (size_t)(end + 1 - start));
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static bool is_identifier(pawl_text name)
{
        for (size_t i = 0; i < name.len; i++) {
                char c = name.data[i];
                bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
                if (!letter && (i == 0 || c < '0' || c > '9'))
                        return false;
        }
        return name.len > 0;
}

static void add_name(pawl__buf *path, pawl_text name)
{
        if (is_identifier(name)) {
                pawl__buf_addc(path, '.');
                pawl__buf_add_text(path, name);
                return;
        }
        pawl__buf_addc(path, '[');
        pawl__json_quote(path, name);
        pawl__buf_addc(path, ']');
}

/* ---- The walk -------------------------------------------------------------------------------- */

static pawl_status report(
        struct diffing *d, pawl__member_change_kind kind, pawl__node before, pawl__node after)
{
        pawl__member_change change = {kind, pawl__buf_text(&d->path), {NULL, 0}, {NULL, 0}};

        if (before != PAWL__NO_NODE)
                change.before = text_of(&d->before, before);
        if (after != PAWL__NO_NODE)
                change.after = text_of(&d->after, after);
        return d->fn(&change, d->user);
}

/* One value, at the path as it is: equal, other, or two containers to go into. */
static pawl_status compare(struct diffing *d, pawl__node before, pawl__node after)
{
        const pawl__json_node *a = pawl__json_at(&d->before, before);
        const pawl__json_node *b = pawl__json_at(&d->after, after);

        if (equal(a, b))
                return PAWL_OK;
        if (type_of(a) != type_of(b))
                return report(d, PAWL__CHANGED_TYPE, before, after);
        if (a->type != PAWL__JSON_ARRAY && a->type != PAWL__JSON_OBJECT)
                return report(d, PAWL__CHANGED, before, after);
        if (pawl__grow(&d->levels, &d->cap, d->depth + 1, sizeof *d->levels))
                return pawl__nomem(d->err);
        d->levels[d->depth++] = (struct level){before, after, pawl__json_first(&d->before, before),
                pawl__json_first(&d->after, after), d->path.len, 0};
        return PAWL_OK;
}

/* Which of the two next children comes first: below 0 that of before alone, above 0 that of after
 * alone, 0 both. Members are in the order of their names, elements in that of their index. */
static int next_side(const struct diffing *d, const struct level *level)
{
        if (level->at_after == PAWL__NO_NODE)
                return -1;
        if (level->at_before == PAWL__NO_NODE)
                return 1;
        pawl_text a = pawl__json_at(&d->before, level->at_before)->name;
        pawl_text b = pawl__json_at(&d->after, level->at_after)->name;
        return a.data ? pawl__utf16_cmp(a.data, a.len, b.data, b.len) : 0;
}

/* One pair of children of the innermost level. */
static pawl_status step(struct diffing *d)
{
        struct level *level = &d->levels[d->depth - 1];
        pawl__node before = level->at_before, after = level->at_after;

        d->path.len = level->path_len;
        if (before == PAWL__NO_NODE && after == PAWL__NO_NODE) {
                d->depth--;
                return PAWL_OK;
        }
        int side = next_side(d, level);
        pawl_text name = side <= 0 ? pawl__json_at(&d->before, before)->name
                                   : pawl__json_at(&d->after, after)->name;
        if (name.data)
                add_name(&d->path, name);
        else
                pawl__buf_addf(&d->path, "[%lu]", (unsigned long)level->index++);
        if (d->path.failed)
                return pawl__nomem(d->err);
        if (side <= 0)
                level->at_before = pawl__json_after(&d->before, level->before, before);
        if (side >= 0)
                level->at_after = pawl__json_after(&d->after, level->after, after);
        if (side < 0)
                return report(d, PAWL__REMOVED, before, PAWL__NO_NODE);
        if (side > 0)
                return report(d, PAWL__ADDED, PAWL__NO_NODE, after);
        return compare(d, before, after); /* may move the levels */
}

pawl_status pawl__inputs_diff(const char *root, pawl_text before, pawl_text after,
        pawl__member_change_fn fn, void *user, pawl_error *err)
{
        struct diffing d = {.fn = fn, .user = user, .err = err};
        pawl_status status = pawl__json_tree_read(&d.before, before.data, before.len, err);

        if (status == PAWL_OK)
                status = pawl__json_tree_read(&d.after, after.data, after.len, err);
        if (status == PAWL_OK && pawl__buf_adds(&d.path, root))
                status = pawl__nomem(err);
        if (status == PAWL_OK)
                status = compare(&d, 0, 0);
        while (status == PAWL_OK && d.depth > 0)
                status = step(&d);
        pawl__json_tree_free(&d.before);
        pawl__json_tree_free(&d.after);
        pawl__buf_free(&d.path);
        free(d.levels);
        return status;
}

/* ---- One change as a line -------------------------------------------------------------------- */

enum { VALUE_MAX = 60 /* characters */, VALUE_LEAD = 20 /* bytes before the first difference */ };

/* At most max characters of valid UTF-8. The control characters that JSON leaves as they are (DEL,
 * U+0080 to U+009F) are written as JSON would escape them: a terminal must not obey them. */
static void add_printable(pawl__buf *out, pawl_text text, size_t max)
{
        size_t characters = 0;

        for (size_t i = 0; i < text.len; characters++) {
                unsigned char c = (unsigned char)text.data[i];
                size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
                if (characters == max) {
                        pawl__buf_adds(out, "…");
                        return;
                }
                unsigned char second = len == 2 ? (unsigned char)text.data[i + 1] : 0xff;
                if (c == 0x7f || (c == 0xc2 && second < 0xa0))
                        pawl__buf_addf(out, "\\u%04x", c == 0x7f ? c : second);
                else
                        pawl__buf_add(out, text.data + i, len);
                i += len;
        }
}

/* Where both values are shown from: their start, unless what differs would be cut off then. Never
 * inside a character, or behind a backslash that escapes. */
static size_t shown_from(pawl_text before, pawl_text after)
{
        size_t at = 0, escapes = 0;

        while (at < before.len && at < after.len && before.data[at] == after.data[at])
                at++;
        if (at < VALUE_MAX - VALUE_LEAD || (before.len <= VALUE_MAX && after.len <= VALUE_MAX))
                return 0;
        at -= VALUE_LEAD;
        while (at > 0 && ((unsigned char)before.data[at] & 0xc0) == 0x80)
                at--;
        while (escapes < at && before.data[at - 1 - escapes] == '\\')
                escapes++;
        return at - escapes % 2;
}

static void add_value(pawl__buf *out, pawl_text value, size_t from)
{
        if (!value.data) {
                pawl__buf_adds(out, "(absent)");
                return;
        }
        pawl__buf_adds(out, from ? "…" : "");
        add_printable(out, pawl__text_n(value.data + from, value.len - from), VALUE_MAX);
}

pawl_status pawl__member_change_line(pawl__buf *out, const pawl__member_change *change)
{
        const size_t from = shown_from(change->before, change->after);

        add_printable(out, change->path, SIZE_MAX);
        pawl__buf_adds(out, ": ");
        add_value(out, change->before, from);
        pawl__buf_adds(out, " → ");
        add_value(out, change->after, from);
        return out->failed ? PAWL_ENOMEM : PAWL_OK;
}
