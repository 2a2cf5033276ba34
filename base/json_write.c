#include "base/json_write.h"
#include "base/digest.h"
#include "base/json_lex.h"
#include "base/number.h"
#include <assert.h>

/* Room for the rest of a text, should nothing in it need an escape: its closing quote, and what
 * pawl__lex_run() may write past a run. */
static pawl_status room_for(pawl__buf *out, size_t rest)
{
        return pawl__buf_reserve(out, rest + 1 + 16);
}

/* Runs are copied as they are looked through, straight into the buffer: half the time of adding
 * each after the search, and names and texts are most of what is written. */
pawl_status pawl__json_quote(pawl__buf *out, pawl_text text)
{
        const char *p = text.data ? text.data : "", *end = p + text.len;
        const size_t before = out->len;

        if (room_for(out, 1 + text.len))
                return PAWL_ENOMEM;
        out->data[out->len++] = '"';
        for (;;) {
                const char *run = p;
                p = pawl__lex_run(p, end, out->data + out->len);
                out->len += (size_t)(p - run);
                if (p == end)
                        break;
                if (room_for(out, 6 + (size_t)(end - p))) {
                        out->len = before;
                        out->data[before] = '\0';
                        return PAWL_ENOMEM;
                }
                out->len += pawl__lex_write_escape(out->data + out->len, *p++);
        }
        out->data[out->len++] = '"';
        out->data[out->len] = '\0';
        return PAWL_OK;
}

/* Before each value and name: the comma that separates it from the one before. */
static void separate(pawl__json_writer *w)
{
        if (w->need_comma && !w->after_name)
                pawl__buf_addc(&w->buf, ',');
        w->after_name = false;
        w->need_comma = true;
}

static void open_container(pawl__json_writer *w, char bracket)
{
        separate(w);
        pawl__buf_addc(&w->buf, bracket);
        w->need_comma = false;
        w->depth++;
}

static void close_container(pawl__json_writer *w, char bracket)
{
        assert(w->depth > 0 && !w->after_name);
        pawl__buf_addc(&w->buf, bracket);
        w->need_comma = true;
        w->depth--;
}

void pawl__json_open_object(pawl__json_writer *w)
{
        open_container(w, '{');
}

void pawl__json_close_object(pawl__json_writer *w)
{
        close_container(w, '}');
}

void pawl__json_open_array(pawl__json_writer *w)
{
        open_container(w, '[');
}

void pawl__json_close_array(pawl__json_writer *w)
{
        close_container(w, ']');
}

void pawl__json_name_text(pawl__json_writer *w, pawl_text name)
{
        separate(w);
        pawl__json_quote(&w->buf, name);
        pawl__buf_addc(&w->buf, ':');
        w->after_name = true;
}

/* Names of our own need no escape. */
void pawl__json_name(pawl__json_writer *w, const char *name)
{
        const size_t len = strlen(name);

        separate(w);
        w->after_name = true;
        if (pawl__buf_reserve(&w->buf, len + 3))
                return;
        char *to = w->buf.data + w->buf.len;
        *to++ = '"';
        memcpy(to, name, len);
        memcpy(to + len, "\":", 3);
        w->buf.len += len + 3;
}

void pawl__json_text(pawl__json_writer *w, pawl_text text)
{
        if (!text.data) {
                pawl__json_null(w);
                return;
        }
        separate(w);
        pawl__json_quote(&w->buf, text);
}

void pawl__json_string(pawl__json_writer *w, const char *string)
{
        pawl__json_text(w, pawl__text(string));
}

void pawl__json_integer(pawl__json_writer *w, int64_t value)
{
        uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
        char digits[20];
        size_t at = sizeof digits;

        separate(w);
        if (value < 0)
                pawl__buf_addc(&w->buf, '-');
        do
                digits[--at] = (char)('0' + left % 10);
        while ((left /= 10) != 0);
        pawl__buf_add(&w->buf, digits + at, sizeof digits - at);
}

void pawl__json_number(pawl__json_writer *w, double value)
{
        char digits[32];
        size_t n = pawl__number_format(digits, value);

        separate(w);
        pawl__buf_add(&w->buf, digits, n);
}

void pawl__json_bool(pawl__json_writer *w, bool value)
{
        separate(w);
        pawl__buf_add(&w->buf, value ? "true" : "false", value ? 4 : 5);
}

void pawl__json_null(pawl__json_writer *w)
{
        separate(w);
        pawl__buf_add(&w->buf, "null", 4);
}

void pawl__json_raw(pawl__json_writer *w, pawl_text json)
{
        separate(w);
        pawl__buf_add(&w->buf, json.data, json.len);
}

void pawl__json_member_text(pawl__json_writer *w, const char *name, pawl_text text)
{
        pawl__json_name(w, name);
        pawl__json_text(w, text);
}

void pawl__json_member_string(pawl__json_writer *w, const char *name, const char *string)
{
        pawl__json_name(w, name);
        pawl__json_string(w, string);
}

void pawl__json_member_hash(pawl__json_writer *w, const char *name, const unsigned char hash[32])
{
        char hex[65];

        pawl__hex(hex, hash, 32);
        pawl__json_member_string(w, name, hex);
}

void pawl__json_member_integer(pawl__json_writer *w, const char *name, int64_t value)
{
        pawl__json_name(w, name);
        pawl__json_integer(w, value);
}

void pawl__json_member_number(pawl__json_writer *w, const char *name, double value)
{
        pawl__json_name(w, name);
        pawl__json_number(w, value);
}

void pawl__json_member_bool(pawl__json_writer *w, const char *name, bool value)
{
        pawl__json_name(w, name);
        pawl__json_bool(w, value);
}

void pawl__json_member_raw(pawl__json_writer *w, const char *name, pawl_text json)
{
        pawl__json_name(w, name);
        pawl__json_raw(w, json);
}

pawl_status pawl__json_end_writer(pawl__json_writer *w)
{
        assert(w->depth == 0 && !w->after_name);
        return w->buf.failed ? PAWL_ENOMEM : PAWL_OK;
}

void pawl__json_writer_free(pawl__json_writer *w)
{
        pawl__buf_free(&w->buf);
        *w = (pawl__json_writer)PAWL__JSON_WRITER_INIT;
}

pawl_text pawl__json_literal(const pawl__json_node *node)
{
        switch (node->type) {
        case PAWL__JSON_NULL:
                return pawl__text("null");
        case PAWL__JSON_FALSE:
                return pawl__text("false");
        case PAWL__JSON_TRUE:
                return pawl__text("true");
        case PAWL__JSON_STRING:
                return (pawl_text){NULL, 0};
        default:
                return node->value;
        }
}

void pawl__json_node_value(pawl__json_writer *w, const pawl__json_node *node)
{
        const pawl_text text = pawl__json_literal(node);

        if (text.data)
                pawl__json_raw(w, text);
        else
                pawl__json_text(w, node->value);
}

void pawl__json_node_text(pawl__buf *out, const pawl__json_node *node)
{
        const pawl_text text = pawl__json_literal(node);

        if (text.data)
                pawl__buf_add_text(out, text);
        else
                pawl__json_quote(out, node->value);
}
