#include "support/json_values.h"
#include "base/json_write.h"
#include <math.h>
#include <stdarg.h>

enum { DEPTH_MAX = 300, VALUES_MAX = 2000 };

typedef struct maker {
        bytes *input;
        pawl__arena *arena;
        size_t values;
} maker;

/* ---- Making ---------------------------------------------------------------------------------- */

static void add_character(pawl__buf *out, uint32_t c)
{
        char utf8[4];
        size_t n = 0;

        if (c < 0x80) {
                utf8[n++] = (char)c;
        } else if (c < 0x800) {
                utf8[n++] = (char)(0xc0 | c >> 6);
                utf8[n++] = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
                utf8[n++] = (char)(0xe0 | c >> 12);
                utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
                utf8[n++] = (char)(0x80 | (c & 0x3f));
        } else {
                utf8[n++] = (char)(0xf0 | c >> 18);
                utf8[n++] = (char)(0x80 | (c >> 12 & 0x3f));
                utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
                utf8[n++] = (char)(0x80 | (c & 0x3f));
        }
        require(pawl__buf_add(out, utf8, n) == PAWL_OK);
}

/* Its characters come from planes that sort in two ways: by bytes and by UTF-16 code units. */
static pawl_text make_string(maker *m)
{
        pawl__buf out = PAWL__BUF_INIT;
        size_t n = take_byte(m->input);
        bool ok = true;

        for (n = n < 0xf0 ? n % 16 : n; n > 0; n--) {
                const unsigned byte = take_byte(m->input);
                uint32_t c = byte;
                if (byte >= 0xe0)
                        c = (uint32_t)take_number(m->input, 3) % 0x110000;
                else if (byte >= 0xd0)
                        c = 0xe000 + (uint32_t)take_number(m->input, 2) % 0x2000;
                else if (byte >= 0xc0)
                        c = (uint32_t)take_number(m->input, 2);
                if (c >= 0xd800 && c <= 0xdfff)
                        c -= 0x800;
                add_character(&out, c);
        }
        const pawl_text text = pawl__arena_text(m->arena, pawl__buf_text(&out), &ok);
        require(ok);
        pawl__buf_free(&out);
        return text;
}

/* An integer beyond 2^53 - 1 of either sign, with as many digits as the bytes say. */
static pawl_text make_digits(maker *m)
{
        char digits[80];
        size_t len = 0, n = 17 + take_byte(m->input) % 60;
        bool ok = true;

        if (take_byte(m->input) & 1)
                digits[len++] = '-';
        digits[len++] = (char)('1' + take_byte(m->input) % 9);
        while (--n > 0)
                digits[len++] = (char)('0' + take_byte(m->input) % 10);
        const pawl_text text = pawl__arena_text(m->arena, pawl__text_n(digits, len), &ok);
        require(ok);
        return text;
}

static double make_double(maker *m)
{
        const uint64_t bits = take_number(m->input, 8);
        double number;

        memcpy(&number, &bits, sizeof number);
        return isfinite(number) ? number : (double)(int64_t)bits;
}

static void make_value(json_value *out, maker *m, int depth)
{
        const unsigned kind = take_byte(m->input);

        m->values++;
        out->kind = (json_kind)(kind % 7);
        if (out->kind >= ARRAY && depth == DEPTH_MAX)
                out->kind = NOTHING;
        if (out->kind == TRUTH)
                out->truth = kind & 0x80;
        else if (out->kind == DOUBLE)
                out->number = kind & 0x80 ? make_double(m) : (double)(int8_t)take_byte(m->input);
        else if (out->kind == DIGITS)
                out->text = make_digits(m);
        else if (out->kind == STRING)
                out->text = make_string(m);
        if (out->kind < ARRAY)
                return;
        const size_t most = kind & 0x80 ? take_byte(m->input) : kind / 7 % 4;
        out->items = pawl__arena_array(m->arena, most, sizeof *out->items);
        require(out->items || most == 0);
        for (size_t i = 0; i < most && m->values < VALUES_MAX && m->input->left > 0; i++) {
                json_value *item = &out->items[out->n];
                if (out->kind == OBJECT) {
                        item->name = make_string(m);
                        if (json_value_member(out, item->name))
                                continue;
                }
                make_value(item, m, depth + 1);
                out->n++;
        }
}

void json_value_make(json_value *out, pawl__arena *arena, bytes *input)
{
        maker m = {input, arena, 0};

        *out = (json_value){.kind = NOTHING};
        make_value(out, &m, 0);
}

const json_value *json_value_member(const json_value *object, pawl_text name)
{
        for (size_t i = 0; i < object->n; i++)
                if (pawl__text_eq(object->items[i].name, name))
                        return &object->items[i];
        return NULL;
}

/* ---- Spelling -------------------------------------------------------------------------------- */

/* A double as a literal that cannot be taken for an integer beyond 2^53. */
static pawl_text double_literal(char out[48], double number)
{
        const int len = snprintf(out, 48, "%.17e", number);

        return pawl__text_n(out, (size_t)len);
}

static void write_value(pawl__json_writer *w, const json_value *v)
{
        char literal[48];

        switch (v->kind) {
        case NOTHING:
                pawl__json_null(w);
                break;
        case TRUTH:
                pawl__json_bool(w, v->truth);
                break;
        case DOUBLE:
                if (fabs(v->number) < 9007199254740992.0)
                        pawl__json_number(w, v->number);
                else
                        pawl__json_raw(w, double_literal(literal, v->number));
                break;
        case DIGITS:
                pawl__json_raw(w, v->text);
                break;
        case STRING:
                pawl__json_text(w, v->text);
                break;
        case ARRAY:
        case OBJECT:
                (v->kind == ARRAY ? pawl__json_open_array : pawl__json_open_object)(w);
                for (size_t i = 0; i < v->n; i++) {
                        if (v->kind == OBJECT) {
                                /* names of the bytes may hold a NUL */
                                pawl__buf name = PAWL__BUF_INIT;
                                require(pawl__json_quote(&name, v->items[i].name) == PAWL_OK);
                                require(!w->need_comma || pawl__buf_addc(&w->buf, ',') == PAWL_OK);
                                require(pawl__buf_add(&w->buf, name.data, name.len) == PAWL_OK &&
                                        pawl__buf_addc(&w->buf, ':') == PAWL_OK);
                                pawl__buf_free(&name);
                                w->after_name = true;
                        }
                        write_value(w, &v->items[i]);
                }
                (v->kind == ARRAY ? pawl__json_close_array : pawl__json_close_object)(w);
                break;
        }
}

typedef struct speller {
        pawl__buf out;
        bytes choices; /* used up, it goes on with zeros */
} speller;

static void put(speller *s, const char *format, ...) PAWL_PRINTF(2, 3);
static void put(speller *s, const char *format, ...)
{
        char text[100];
        va_list args;

        va_start(args, format);
        const int len = vsnprintf(text, sizeof text, format, args);
        va_end(args);
        require(len >= 0 && (size_t)len < sizeof text &&
                pawl__buf_add(&s->out, text, (size_t)len) == PAWL_OK);
}

static void spell_blanks(speller *s)
{
        static const char blanks[] = " \t\n\r";
        unsigned choice = take_byte(&s->choices);

        for (; choice > 200; choice -= 7)
                require(pawl__buf_addc(&s->out, blanks[choice % 4]) == PAWL_OK);
}

static void spell_string(speller *s, pawl_text text)
{
        put(s, "\"");
        for (size_t at = 0; at < text.len;) {
                const unsigned char *p = (const unsigned char *)text.data + at;
                const size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
                const bool must = *p < 0x20 || *p == '"' || *p == '\\';
                uint32_t c = n == 1 ? *p : *p & (0x7fu >> n);
                for (size_t i = 1; i < n; i++)
                        c = c << 6 | (p[i] & 0x3fu);
                const unsigned choice = take_byte(&s->choices);
                at += n;
                if (!must && choice % 3 != 1)
                        require(pawl__buf_add(&s->out, (const char *)p, n) == PAWL_OK);
                else if (c == '/' && choice & 0x80)
                        put(s, "\\/");
                else if (c == '\n' && choice & 0x80)
                        put(s, "\\n");
                else if (c < 0x10000)
                        put(s, choice & 0x40 ? "\\u%04X" : "\\u%04x", (unsigned)c);
                else
                        put(s, "\\u%04x\\u%04X", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
                                (unsigned)(0xdc00 + (c & 0x3ff)));
        }
        put(s, "\"");
}

static void spell_double(speller *s, double number)
{
        const unsigned choice = take_byte(&s->choices);

        if (fabs(number) < 9007199254740992.0 && number == floor(number) && choice & 1)
                put(s, "%.0f", number);
        else if (fabs(number) < 1e15 && fabs(number) > 1e-3 && choice & 2)
                put(s, "%.40f", number);
        else
                put(s, choice & 4 ? "%.17e" : "%.30E", number);
}

static void spell_value(speller *s, const json_value *v);

/* From a first member of the bytes' choice on, forwards or backwards. */
static void spell_items(speller *s, const json_value *v)
{
        const unsigned choice = take_byte(&s->choices);
        const bool ordered = v->kind == ARRAY;

        for (size_t i = 0; i < v->n; i++) {
                size_t at = (i + choice / 2) % v->n;
                if (choice & 1)
                        at = v->n - 1 - at;
                const json_value *item = &v->items[ordered ? i : at];
                if (i)
                        put(s, ",");
                spell_blanks(s);
                if (!ordered) {
                        spell_string(s, item->name);
                        spell_blanks(s);
                        put(s, ":");
                }
                spell_value(s, item);
        }
        spell_blanks(s);
}

static void spell_value(speller *s, const json_value *v)
{
        spell_blanks(s);
        switch (v->kind) {
        case NOTHING:
                put(s, "null");
                break;
        case TRUTH:
                put(s, v->truth ? "true" : "false");
                break;
        case DOUBLE:
                spell_double(s, v->number);
                break;
        case DIGITS:
                put(s, "%.*s", (int)v->text.len, v->text.data);
                break;
        case STRING:
                spell_string(s, v->text);
                break;
        case ARRAY:
        case OBJECT:
                put(s, v->kind == ARRAY ? "[" : "{");
                spell_items(s, v);
                put(s, v->kind == ARRAY ? "]" : "}");
                break;
        }
        spell_blanks(s);
}

void json_value_write(pawl__buf *out, const json_value *value)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        write_value(&w, value);
        require(pawl__json_end_writer(&w) == PAWL_OK);
        require(pawl__buf_add(out, w.buf.data, w.buf.len) == PAWL_OK);
        pawl__json_writer_free(&w);
}

void json_value_spell(pawl__buf *out, const json_value *value, bytes choices)
{
        speller s = {PAWL__BUF_INIT, choices};

        spell_value(&s, value);
        require(pawl__buf_add(out, s.out.data, s.out.len) == PAWL_OK);
        pawl__buf_free(&s.out);
}
