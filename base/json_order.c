#include "base/json_order.h"
#include "base/json_lex.h"
#include "base/json_read.h"
#include <stdlib.h>

enum {
        SURROGATE_LEAD = 0xf0, /* first byte of a character that takes two UTF-16 units */
        LATE_LEAD = 0xee       /* first byte of U+E000 and above */
};

/* UTF-8 orders by code points. UTF-16 puts what takes two units, which begin with 0xd800, before
 * U+E000 to U+FFFF. Only these two kinds of first bytes change places: */
static unsigned rank(unsigned char c)
{
        if (c < LATE_LEAD)
                return c;
        return c < SURROGATE_LEAD ? c + 8U : c - 2U;
}

int pawl__utf16_cmp(const char *a, size_t a_len, const char *b, size_t b_len)
{
        const size_t n = a_len < b_len ? a_len : b_len;

        for (size_t i = 0; i < n; i++)
                if (a[i] != b[i])
                        return rank((unsigned char)a[i]) < rank((unsigned char)b[i]) ? -1 : 1;
        return (a_len > b_len) - (a_len < b_len);
}

/* The next byte of a canonical name, unescaped; -1 at its end. */
static int next_byte(const char **at)
{
        char character[4];

        if (**at == '"')
                return -1;
        if (**at != '\\')
                return (int)rank((unsigned char)*(*at)++);
        pawl__lex_escaped_character(character, at);
        return (unsigned char)character[0]; /* canonical escapes are for single bytes only */
}

static int compare_escaped(const char *a, const char *b)
{
        int x, y;

        do {
                x = next_byte(&a);
                y = next_byte(&b);
        } while (x == y && x >= 0);
        return (x > y) - (x < y);
}

int pawl__member_cmp(const char *text, const pawl__member *a, const pawl__member *b)
{
        if (a->prefix != b->prefix)
                return a->prefix < b->prefix ? -1 : 1;
        const char *const x = text + a->start + 1, *const y = text + b->start + 1;
        size_t i = 0;
        while (x[i] == y[i] && x[i] != '"' && x[i] != '\\')
                i++;
        if (x[i] == '\\' || y[i] == '\\')
                return compare_escaped(x + i, y + i);
        if (x[i] == y[i])
                return 0;
        if (x[i] == '"' || y[i] == '"')
                return x[i] == '"' ? -1 : 1;
        return rank((unsigned char)x[i]) < rank((unsigned char)y[i]) ? -1 : 1;
}

uint64_t pawl__member_prefix_any(const char *name)
{
        uint64_t prefix = 0;

        for (int i = 0; i < 8; i++) {
                const int c = next_byte(&name);
                if (c < 0)
                        return prefix << (8 - i) * 8 % 64;
                prefix = prefix << 8 | (unsigned)c;
        }
        return prefix;
}

/* The order of the sort: equal names by their place, so that the second of them comes second. */
static int compare(const void *a, const void *b, void *text)
{
        const pawl__member *x = a, *y = b;
        const int order = pawl__member_cmp(text, x, y);

        return order ? order : (x->start > y->start) - (x->start < y->start);
}

/* A few by insertion, from the order on that is expected. */
void pawl__members_sort(const char *text, pawl__member *m, size_t n, pawl__order *last)
{
        unsigned char *const order = last->from;
        pawl__member sorted[PAWL__ORDER_FEW];

        if (n > PAWL__ORDER_FEW) {
                qsort_r(m, n, sizeof *m, compare, (void *)(uintptr_t)text);
                return;
        }
        if (last->n != n)
                for (last->n = 0; last->n < n; last->n++)
                        order[last->n] = last->n;
        sorted[0] = m[order[0]];
        for (size_t i = 1; i < n; i++) {
                const unsigned char from = order[i];
                size_t at = i;
                sorted[i] = m[from];
                if (sorted[i].prefix > sorted[i - 1].prefix)
                        continue;
                const pawl__member moving = sorted[i];
                for (; at > 0 && compare(&moving, &sorted[at - 1], (void *)(uintptr_t)text) < 0;
                        at--) {
                        sorted[at] = sorted[at - 1];
                        order[at] = order[at - 1];
                }
                sorted[at] = moving;
                order[at] = from;
        }
        memcpy(m, sorted, n * sizeof *m);
}

/* ---- Text in another order than it was written ----------------------------------------------- */

pawl_status pawl__reorder_add(
        pawl__reorder *walk, uint32_t start, uint32_t end, const pawl__member *members, size_t n)
{
        if (pawl__grow(&walk->objects, &walk->cap_objects, walk->n_objects + 1,
                    sizeof *walk->objects) ||
                pawl__grow(&walk->members, &walk->cap_members, walk->n_members + n,
                        sizeof *walk->members))
                return PAWL_ENOMEM;
        memcpy(walk->members + walk->n_members, members, n * sizeof *members);
        walk->objects[walk->n_objects++] = (pawl__reorder_object){start, end, walk->n_members, n};
        walk->n_members += n;
        return PAWL_OK;
}

/* Where the text goes: gathered in the stage, and from there to the hasher, if there is one. */
struct sink {
        char *stage;
        size_t n, cap;
        pawl__hasher *hasher;
        pawl_status status;
};

static void flush(struct sink *sink)
{
        if (!sink->status && sink->hasher)
                sink->status = pawl__hasher_add(sink->hasher, sink->stage, sink->n);
        sink->n = 0;
}

static void put(struct sink *sink, const char *data, size_t n)
{
        if (n > sink->cap - sink->n) {
                flush(sink);
                if (n > sink->cap) {
                        if (!sink->status)
                                sink->status = pawl__hasher_add(sink->hasher, data, n);
                        return;
                }
        }
        memcpy(sink->stage + sink->n, data, n);
        sink->n += n;
}

/* A run of the text, and the object after whose members the walk goes on behind it. */
struct stop {
        uint32_t at, end;
        const pawl__member *next, *last; /* what is left of the object's members */
};

/* The first noted object that begins at or after @p at: of nested ones the outermost. */
static const pawl__reorder_object *object_from(const pawl__reorder *walk, uint32_t at)
{
        size_t low = 0, high = walk->n_objects;

        while (low < high) {
                const size_t middle = low + (high - low) / 2;
                if (walk->objects[middle].start < at)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low < walk->n_objects ? &walk->objects[low] : NULL;
}

static int compare_starts(const void *a, const void *b)
{
        const pawl__reorder_object *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

static void walk_text(pawl__reorder *walk, const char *text, size_t len, struct sink *sink)
{
        struct stop stops[PAWL__JSON_DEPTH + 1], *stop = stops;

        qsort(walk->objects, walk->n_objects, sizeof *walk->objects, compare_starts);
        *stop = (struct stop){0, (uint32_t)len, NULL, NULL};
        for (;;) {
                if (stop->at < stop->end) {
                        const pawl__reorder_object *object = object_from(walk, stop->at);
                        if (!object || object->start >= stop->end) {
                                put(sink, text + stop->at, stop->end - stop->at);
                                stop->at = stop->end;
                                continue;
                        }
                        const pawl__member *members = walk->members + object->first;
                        put(sink, text + stop->at, object->start + 1 - stop->at);
                        stop->at = object->end;
                        *++stop = (struct stop){
                                members->start, members->end, members + 1, members + object->n};
                } else if (stop == stops) {
                        return;
                } else if (stop->next < stop->last) {
                        put(sink, ",", 1);
                        stop->at = stop->next->start;
                        stop->end = stop->next->end;
                        stop->next++;
                } else {
                        put(sink, "}", 1);
                        stop--;
                }
        }
}

pawl_status pawl__reorder_hash(pawl__reorder *walk, const char *text, size_t len,
        pawl__hasher *hasher, char *stage, size_t stage_cap)
{
        struct sink sink = {stage, 0, stage_cap, hasher, PAWL_OK};

        walk_text(walk, text, len, &sink);
        flush(&sink);
        return sink.status;
}

void pawl__reorder_text(pawl__reorder *walk, const char *text, size_t len, char *out)
{
        struct sink sink = {out, 0, len, NULL, PAWL_OK};

        walk_text(walk, text, len, &sink);
}

void pawl__reorder_free(pawl__reorder *walk)
{
        free(walk->objects);
        free(walk->members);
        *walk = (pawl__reorder){NULL, 0, 0, NULL, 0, 0};
}
