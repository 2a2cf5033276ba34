#include "base/json_python.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/number.h"
#include <stdio.h>
#include <stdlib.h>

struct writing {
        pawl__buf *out;
        const pawl__json_tree *tree;
        bool ascii;
        const pawl__json_node **sorted; /* members of the objects that are open */
        size_t n, cap;
};

/* ---- Strings --------------------------------------------------------------------------------- */

static void put_escape(pawl__buf *out, uint32_t c)
{
        if (c >= 0x10000) {
                pawl__buf_addf(out, "\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)));
                c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        pawl__buf_addf(out, "\\u%04x", (unsigned)c);
}

/* The code point at the start of valid UTF-8, and its length. */
static size_t decode(uint32_t *c, const char *p)
{
        static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
        const unsigned char lead = (unsigned char)*p;
        const size_t len = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

        *c = lead & mask[len];
        for (size_t i = 1; i < len; i++)
                *c = *c << 6 | ((unsigned char)p[i] & 0x3f);
        return len;
}

static void put_string(struct writing *w, pawl_text text)
{
        static const char named[] = "\"\"\\\\\nn\rr\tt\ff\bb";
        pawl__buf *out = w->out;

        pawl__buf_addc(out, '"');
        for (size_t i = 0; i < text.len;) {
                uint32_t c;
                const size_t len = decode(&c, text.data + i);
                const char *escape = NULL;
                for (size_t k = 0; k + 1 < sizeof named && c < 0x80; k += 2)
                        if ((char)c == named[k])
                                escape = &named[k + 1];
                if (escape) {
                        pawl__buf_addc(out, '\\');
                        pawl__buf_addc(out, *escape);
                } else if (c < 0x20 || (w->ascii && c >= 0x7f)) {
                        put_escape(out, c);
                } else {
                        pawl__buf_add(out, text.data + i, len);
                }
                i += len;
        }
        pawl__buf_addc(out, '"');
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* repr(): the fewest digits; an exponent of two digits or more from 1e16 on and below 1e-4. */
static void put_double(pawl__buf *out, const pawl__json_node *node)
{
        const pawl__decimal d = pawl__decimal_shortest(pawl__json_double(node));
        uint64_t rest = d.digits;
        int exponent = (int)d.exponent;
        char digits[24];

        if (node->value.data[0] == '-')
                pawl__buf_addc(out, '-');
        if (rest == 0) {
                pawl__buf_adds(out, "0.0");
                return;
        }
        for (; rest % 10 == 0; rest /= 10)
                exponent++;
        const int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)rest);
        const int point = count + exponent; /* it comes after that many digits */
        if (point > 16 || point <= -4)
                pawl__buf_addf(out, "%.1s%s%se%c%02d", digits, count > 1 ? "." : "", digits + 1,
                        point < 1 ? '-' : '+', abs(point - 1));
        else if (point <= 0)
                pawl__buf_addf(out, "0.%.*s%s", -point, "000", digits);
        else if (point < count)
                pawl__buf_addf(out, "%.*s.%s", point, digits, digits + point);
        else
                pawl__buf_addf(out, "%s%.*s.0", digits, point - count, "0000000000000000");
}

static void put_number(pawl__buf *out, const pawl__json_node *node)
{
        const pawl_text raw = node->value;

        if (memchr(raw.data, '.', raw.len) || memchr(raw.data, 'e', raw.len) ||
                memchr(raw.data, 'E', raw.len))
                put_double(out, node);
        else if (pawl__text_is(raw, "-0"))
                pawl__buf_addc(out, '0');
        else
                pawl__buf_add_text(out, raw);
}

/* ---- Containers ------------------------------------------------------------------------------ */

/* UTF-8 is in the order of its code points. */
static int compare_names(const void *left, const void *right)
{
        return pawl__text_cmp((*(const pawl__json_node *const *)left)->name,
                (*(const pawl__json_node *const *)right)->name);
}

static pawl__node index_of(const struct writing *w, const pawl__json_node *node)
{
        return (pawl__node)(node - w->tree->nodes);
}

static pawl_status put(struct writing *w, pawl__node node, const char *without);

static pawl_status put_object(struct writing *w, pawl__node object, const char *without)
{
        const size_t first = w->n;
        pawl_status status = PAWL_OK;

        if (pawl__grow(&w->sorted, &w->cap, w->n + pawl__json_at(w->tree, object)->count,
                    sizeof(const pawl__json_node *)))
                return PAWL_ENOMEM;
        for (pawl__node m = pawl__json_first(w->tree, object); m != PAWL__NO_NODE;
                m = pawl__json_after(w->tree, object, m))
                if (!without || !pawl__text_is(pawl__json_at(w->tree, m)->name, without))
                        w->sorted[w->n++] = pawl__json_at(w->tree, m);
        const size_t end = w->n;
        if (end > first)
                qsort(w->sorted + first, end - first, sizeof(const pawl__json_node *),
                        compare_names);
        pawl__buf_addc(w->out, '{');
        for (size_t i = first; i < end && !status; i++) {
                if (i > first)
                        pawl__buf_adds(w->out, ", ");
                put_string(w, w->sorted[i]->name);
                pawl__buf_adds(w->out, ": ");
                status = put(w, index_of(w, w->sorted[i]), NULL);
        }
        pawl__buf_addc(w->out, '}');
        w->n = first;
        return status;
}

static pawl_status put_array(struct writing *w, pawl__node array)
{
        pawl_status status = PAWL_OK;
        bool more = false;

        pawl__buf_addc(w->out, '[');
        for (pawl__node m = pawl__json_first(w->tree, array); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(w->tree, array, m)) {
                if (more)
                        pawl__buf_adds(w->out, ", ");
                more = true;
                status = put(w, m, NULL);
        }
        pawl__buf_addc(w->out, ']');
        return status;
}

/* No deeper than the reader goes. */
static pawl_status put(struct writing *w, pawl__node node, const char *without)
{
        const pawl__json_node *value = pawl__json_at(w->tree, node);

        switch ((pawl__json_type)value->type) {
        case PAWL__JSON_OBJECT:
                return put_object(w, node, without);
        case PAWL__JSON_ARRAY:
                return put_array(w, node);
        case PAWL__JSON_STRING:
                put_string(w, value->value);
                return PAWL_OK;
        case PAWL__JSON_NUMBER:
                put_number(w->out, value);
                return PAWL_OK;
        default:
                pawl__buf_add_text(w->out, pawl__json_literal(value));
                return PAWL_OK;
        }
}

pawl_status pawl__json_python(pawl__buf *out, const pawl__json_tree *tree, pawl__node node,
        const char *without, bool ascii, pawl_error *err)
{
        struct writing w = {.out = out, .tree = tree, .ascii = ascii};
        const pawl_status status = put(&w, node, without);

        free(w.sorted);
        return status ? pawl__nomem(err) : pawl__buf_check(out, err);
}
