#include "base/error.h"
#include "mcp/pages.h"

enum {
        AROUND = 256, /* for the member `next`, and its commas */
        DEPTH_MAX = 8 /* of what is cut within an element that is too large itself */
};

/* The part of the output that is cut, and whether it is sent twice. */
typedef struct cut_plan {
        pawl_text output;
        pawl__json_tree tree;
        pawl__node node;   /* an array or a string; PAWL__NO_NODE: the output is cut as text */
        size_t begin, end; /* of what is between its brackets, or quotes */
        bool json, twice;
} cut_plan;

/* The bytes of a text within a JSON string. */
static size_t quoted_len(const char *data, size_t len)
{
        size_t n = len;

        for (size_t i = 0; i < len; i++)
                if ((unsigned char)data[i] < ' ')
                        n += strchr("\n\t\r\b\f", data[i]) && data[i] ? 1 : 5;
                else
                        n += data[i] == '"' || data[i] == '\\';
        return n;
}

static size_t cost_of(const cut_plan *c, size_t begin, size_t end)
{
        return quoted_len(c->output.data + begin, end - begin) + (c->twice ? end - begin : 0);
}

/* ---- Places in JSON -------------------------------------------------------------------------- */

/* The bytes of one character: in JSON's writing that of an escape, or of a pair of them. */
static size_t character_len(const cut_plan *c, size_t place, size_t end)
{
        const char *at = c->output.data + place;
        const size_t left = end - place;
        size_t n = 1;

        if (c->json && *at == '\\' && left > 1) {
                n = at[1] == 'u' ? 6 : 2;
                if (n == 6 && left >= 12 && (at[2] | 32) == 'd' && strchr("89abAB", at[3]) &&
                        at[6] == '\\')
                        n = 12;
                return n < left ? n : left;
        }
        while (n < left && ((unsigned char)at[n] & 0xC0) == 0x80)
                n++;
        return n;
}

/* Just past the node's text. */
static size_t end_of(const cut_plan *c, pawl__node node)
{
        const pawl__json_node *at = pawl__json_at(&c->tree, node);
        size_t i = at->offset;

        if (at->type == PAWL__JSON_STRING) {
                for (i++; c->output.data[i] != '"';)
                        i += character_len(c, i, c->output.len);
                return i + 1;
        }
        return i + pawl__json_literal(at).len;
}

static size_t size_of(const cut_plan *c, pawl__node node)
{
        const pawl__json_node *at = pawl__json_at(&c->tree, node);

        return at->type == PAWL__JSON_STRING ? end_of(c, node) - at->offset
                                             : pawl__json_literal(at).len;
}

/* The largest array or string of a subtree; of two that are as large the outer one. */
static pawl__node largest_of(const cut_plan *c, pawl__node scope)
{
        pawl__node found = PAWL__NO_NODE;
        size_t most = 0;

        for (pawl__node n = scope; n < pawl__json_at(&c->tree, scope)->next; n++) {
                const uint8_t type = pawl__json_at(&c->tree, n)->type;
                const size_t size =
                        type == PAWL__JSON_ARRAY || type == PAWL__JSON_STRING ? size_of(c, n) : 0;
                if (size > most) {
                        most = size;
                        found = n;
                }
        }
        return found;
}

/* The element that costs most, and what it costs. */
static pawl__node dearest_of(size_t *cost, const cut_plan *c, pawl__node array)
{
        pawl__node found = PAWL__NO_NODE;

        *cost = 0;
        for (pawl__node n = pawl__json_first(&c->tree, array); n != PAWL__NO_NODE;
                n = pawl__json_after(&c->tree, array, n)) {
                const size_t own = cost_of(c, pawl__json_at(&c->tree, n)->offset, end_of(c, n));
                if (own >= *cost) {
                        *cost = own;
                        found = n;
                }
        }
        return found;
}

/* Choose what is cut: all else is in each page, and a page has one element at least. */
static void choose(cut_plan *c, size_t room)
{
        pawl__node scope = 0;

        for (int depth = 0; depth < DEPTH_MAX; depth++) {
                c->node = largest_of(c, scope);
                if (c->node == PAWL__NO_NODE)
                        return;
                const bool array = pawl__json_at(&c->tree, c->node)->type == PAWL__JSON_ARRAY;
                size_t least = 64;
                c->begin = pawl__json_at(&c->tree, c->node)->offset + 1;
                c->end = end_of(c, c->node) - 1;
                if (array)
                        scope = dearest_of(&least, c, c->node);
                const size_t around =
                        cost_of(c, 0, c->begin) + cost_of(c, c->end, c->output.len) + AROUND;
                if (around + least <= room && 2 * around <= room)
                        return;
                if (!array || scope == PAWL__NO_NODE)
                        break;
        }
        c->node = PAWL__NO_NODE;
}

/* ---- A page ---------------------------------------------------------------------------------- */

static pawl_status no_place(pawl_error *err)
{
        return pawl__fail(err, PAWL_EINVAL,
                "next: no page of this result begins there; call again without it");
}

/* Take elements from number @p from on, as many as there is room for. */
static pawl_status take_elements(size_t *begin, size_t *end, mcp_page *out, const cut_plan *c,
        size_t from, size_t room, pawl_error *err)
{
        pawl__node n = pawl__json_first(&c->tree, c->node);
        size_t number = 0, used = 0;

        for (; number < from && n != PAWL__NO_NODE; number++)
                n = pawl__json_after(&c->tree, c->node, n);
        if (n == PAWL__NO_NODE)
                return no_place(err);
        *begin = pawl__json_at(&c->tree, n)->offset;
        for (; n != PAWL__NO_NODE; n = pawl__json_after(&c->tree, c->node, n), number++) {
                const size_t own = cost_of(c, pawl__json_at(&c->tree, n)->offset, end_of(c, n)) + 4;
                if (number > from && used + own > room)
                        break;
                used += own;
                *end = end_of(c, n);
        }
        out->next = n == PAWL__NO_NODE ? 0 : number;
        return PAWL_OK;
}

/* Take characters from byte @p from on, as many as there is room for; of text, whole lines if there
 * are some. */
static pawl_status take_characters(size_t *begin, size_t *end, mcp_page *out, const cut_plan *c,
        size_t from, size_t room, pawl_error *err)
{
        const char *data = c->output.data;
        size_t at = c->begin, used = 0, line = 0;

        while (at < c->begin + from && at < c->end)
                at += character_len(c, at, c->end);
        if (at != c->begin + from || at >= c->end)
                return no_place(err);
        *begin = at;
        while (at < c->end) {
                const size_t len = character_len(c, at, c->end);
                const size_t own = cost_of(c, at, at + len);
                if (used + own > room)
                        break;
                used += own;
                at += len;
                if (!c->json && data[at - 1] == '\n' && used > room / 2)
                        line = at;
        }
        *end = at < c->end && line ? line : at;
        out->next = *end < c->end ? *end - c->begin : 0;
        return PAWL_OK;
}

/* The output with a part of what is cut. Where more follows, a top-level object leaves out
 * its own `next`. */
static void compose(pawl__buf *out, const cut_plan *c, size_t begin, size_t end, bool more)
{
        const char *data = c->output.data;
        const pawl__node own = more ? pawl__json_get(&c->tree, 0, "next") : PAWL__NO_NODE;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (own == PAWL__NO_NODE) {
                pawl__buf_add(out, data, c->begin);
                pawl__buf_add(out, data + begin, end - begin);
                pawl__buf_add(out, data + c->end, c->output.len - c->end);
                return;
        }
        pawl__json_open_object(&w);
        for (pawl__node n = pawl__json_first(&c->tree, 0); n != PAWL__NO_NODE;
                n = pawl__json_after(&c->tree, 0, n)) {
                const size_t first = pawl__json_at(&c->tree, n)->offset, last = end_of(c, n);
                pawl__buf value = PAWL__BUF_INIT;
                if (n == own)
                        continue;
                if (first < c->begin && c->end <= last) {
                        pawl__buf_add(&value, data + first, c->begin - first);
                        pawl__buf_add(&value, data + begin, end - begin);
                        pawl__buf_add(&value, data + c->end, last - c->end);
                } else {
                        pawl__buf_add(&value, data + first, last - first);
                }
                pawl__json_name_text(&w, pawl__json_at(&c->tree, n)->name);
                pawl__json_raw(&w, pawl__buf_text(&value));
                w.buf.failed |= value.failed;
                pawl__buf_free(&value);
        }
        pawl__json_close_object(&w);
        pawl__buf_add_text(out, pawl__buf_text(&w.buf));
        out->failed |= w.buf.failed;
        pawl__json_writer_free(&w);
}

pawl_status mcp_page_cut(
        mcp_page *out, pawl_text output, size_t from, size_t room, bool twice, pawl_error *err)
{
        cut_plan c = {.output = output, .node = PAWL__NO_NODE, .end = output.len, .twice = twice};
        size_t begin = 0, end = output.len, around = 0;
        pawl_status status = PAWL_OK;

        out->json = c.json = !pawl__json_tree_read(&c.tree, output.data, output.len, NULL);
        const bool whole = from == 0 && cost_of(&c, 0, output.len) + AROUND <= room;
        if (!whole) {
                if (out->json)
                        choose(&c, room);
                if (c.node == PAWL__NO_NODE) {
                        out->json = c.json = c.twice = false;
                        c.begin = 0;
                        c.end = output.len;
                } else {
                        around = cost_of(&c, 0, c.begin) + cost_of(&c, c.end, output.len);
                }
                const size_t left = room - around - AROUND;
                status = c.node != PAWL__NO_NODE &&
                                         pawl__json_at(&c.tree, c.node)->type == PAWL__JSON_ARRAY
                                 ? take_elements(&begin, &end, out, &c, from, left, err)
                                 : take_characters(&begin, &end, out, &c, from, left, err);
        }
        out->object = out->json && pawl__json_at(&c.tree, 0)->type == PAWL__JSON_OBJECT;
        if (!status && !whole && out->json)
                compose(&out->text, &c, begin, end, out->next != 0);
        else if (!status)
                pawl__buf_add(&out->text, output.data + begin, end - begin);
        pawl__json_tree_free(&c.tree);
        return status ? status : pawl__buf_check(&out->text, err);
}

void mcp_page_free(mcp_page *page)
{
        pawl__buf_free(&page->text);
}
