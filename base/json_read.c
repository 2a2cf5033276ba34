/* The reader as a call, and the messages that say why a text is refused. */
#include "base/json_read.h"
#include "base/error.h"
#include "base/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static pawl_status hand_out(void *user, const pawl__json_token *token, pawl_error *err)
{
        (void)err;
        *(pawl__json_token *)user = *token;
        return PAWL_DONE;
}

pawl_status pawl__json_next(pawl__json_reader *reader, pawl__json_token *token, pawl_error *err)
{
        const pawl_status status = pawl__json_walk(reader, hand_out, token, NULL, err);

        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__json_fail_at(
        const char *text, size_t len, size_t offset, pawl_error *err, const char *what)
{
        size_t line = 1, column = 1;

        for (size_t i = 0; i < offset && i < len; i++) {
                if (text[i] == '\n') {
                        line++;
                        column = 1;
                } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
                        column++;
                }
        }
        return pawl__fail(err, PAWL_EPARSE, "line %zu, column %zu: %s", line, column, what);
}

pawl_status pawl__json_fail_on_line(
        pawl_error *err, pawl_status status, const char *name, size_t line)
{
        static const char first[] = "line 1, ";

        if (!err || strncmp(err->message, first, sizeof first - 1) != 0)
                return pawl__fail_prefix(err, status, "%.200s: line %zu", name, line);
        const pawl_error why = *err;
        return pawl__fail(
                err, status, "%.200s: line %zu, %s", name, line, why.message + sizeof first - 1);
}

bool pawl__json_overflows(const char *raw, size_t raw_len)
{
        const pawl__decimal decimal = pawl__decimal_read(raw, raw_len);

        return isinf(pawl__decimal_double(&decimal, raw, raw_len));
}

size_t pawl__json_valid(const char *text, size_t len, size_t valid, size_t end)
{
        enum { MORE = 8192 }; /* that the cache still has when it is read */
        const size_t more = valid + MORE > end ? valid + MORE : end, to = more < len ? more : len;

        return valid + pawl__utf8_span(text + valid, to - valid);
}

static pawl_status fail(
        const pawl__json_reader *r, const char *at, pawl_error *err, const char *what)
{
        return pawl__json_fail_at(r->text, r->len, (size_t)(at - r->text), err, what);
}

/* The refusals of a single character, where a value should begin. */
static const struct {
        char c;
        const char *what;
} no_values[] = {
        {'\'', "a single quote; write strings in double quotes"},
        {'+', "a number cannot begin with '+'; leave it out"},
        {'.', "a number cannot begin with '.'; write a digit before it"},
        {'/', "JSON has no comments; take it out"},
        {'#', "JSON has no comments; take it out"},
        {'N', "JSON has no NaN; write null or leave the member out"},
        {'I', "JSON has no infinity; write null or leave the member out"},
        {',', "a value is missing before the comma; write it or remove the comma"},
        {']', "a value is missing before ']'; write it or remove the comma before"},
        {'}', "a value is missing before '}'; write it or remove the member"},
};

/* The character at a place, for a message: 'x', or its number. */
static const char *show(char out[16], const pawl__json_reader *r, const char *at)
{
        const unsigned char c = (unsigned char)*at;
        const size_t left = r->len - (size_t)(at - r->text), n = c < 0x80   ? 1
                                                                 : c < 0xe0 ? 2
                                                                 : c < 0xf0 ? 3
                                                                            : 4;

        if (n > left || !pawl__utf8_valid(at, n))
                snprintf(out, 16, "byte 0x%02x", c);
        else if (c < 0x20 || c == 0x7f)
                snprintf(out, 16, "U+%04X", c);
        else
                snprintf(out, 16, "'%.*s'", (int)n, at);
        return out;
}

static pawl_status refuse_value(const pawl__json_reader *r, const char *at, pawl_error *err)
{
        char message[128], shown[16];

        if (at == r->text + r->len)
                return fail(r, at, err,
                        r->depth == 0 ? "there is no value; give one JSON value"
                                      : "the text ends where a value should be; complete it");
        if (at == r->text && r->len >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
                return fail(r, at, err,
                        "the text begins with a byte order mark; save it as UTF-8 without one");
        for (size_t i = 0; i < sizeof no_values / sizeof no_values[0]; i++)
                if (no_values[i].c == *at)
                        return fail(r, at, err, no_values[i].what);
        snprintf(message, sizeof message,
                "%s cannot begin a value; write a string in quotes, a number, true, false, null, "
                "[ or {",
                show(shown, r, at));
        return fail(r, at, err, message);
}

static bool four_hex_digits(const char *p, const char *end)
{
        for (int i = 0; i < 4; i++)
                if (end - p <= i || !p[i] || !strchr("0123456789abcdefABCDEF", p[i]))
                        return false;
        return true;
}

static pawl_status refuse_escape(const pawl__json_reader *r, const char *at, pawl_error *err)
{
        char message[128];

        if (at[1] != 'u')
                return fail(
                        r, at, err, "there is no such escape; a backslash itself is written \\\\");
        if (!four_hex_digits(at + 2, r->text + r->len))
                return fail(r, at, err, "\\u needs four hex digits; write them");
        snprintf(message, sizeof message,
                "lone surrogate %.6s; write both halves of the pair, high then low", at);
        return fail(r, at, err, message);
}

/* The string that begins at start is refused: what is wrong first? */
static pawl_status refuse_string(const pawl__json_reader *r, const char *start, pawl_error *err)
{
        const char *const end = r->text + r->len, *p = start + 1;
        char message[128];
        size_t n = 0;

        while ((p = pawl__lex_run(p, end, NULL)) < end && *p == '\\' &&
                (n = pawl__lex_escape(p, end)) > 0)
                p += n;
        const size_t valid = pawl__utf8_span(start, (size_t)(p - start));
        if (valid < (size_t)(p - start)) {
                snprintf(message, sizeof message,
                        "byte 0x%02x is not valid UTF-8 here; save the text as UTF-8",
                        (unsigned char)start[valid]);
                return fail(r, start + valid, err, message);
        }
        if (end - p < 1 || (*p == '\\' && end - p < 2))
                return fail(r, start, err,
                        "the string that begins here has no end; close it with '\"'");
        if (*p == '\\')
                return refuse_escape(r, p, err);
        snprintf(message, sizeof message,
                "a raw control character in a string; write it as \\u%04x", (unsigned char)*p);
        return fail(r, p, err, message);
}

static pawl_status refuse_number(const pawl__json_reader *r, const char *start, pawl_error *err)
{
        const char *const end = r->text + r->len;
        const char *const digits = start + (*start == '-');
        const char *p = pawl__lex_digits(digits, end);

        if (p - digits > 1 && *digits == '0')
                return fail(r, start, err, "a number with a leading zero; remove the zero");
        if (p > digits && p < end && *p == '.')
                p = pawl__lex_digits(p + 1, end);
        if (p > digits && p[-1] != '.' && p < end) /* 'e' */
                p += 1 + (end - p > 1 && (p[1] == '+' || p[1] == '-'));
        return fail(r, p, err, "a digit is missing in the number; write it");
}

static pawl_status refuse_other(
        const pawl__json_reader *r, pawl__json_refusal refusal, const char *at, pawl_error *err)
{
        const bool in_object = r->closing[r->depth] == '}';
        char message[128], shown[16];

        if (refusal == PAWL__REFUSE_REST)
                return fail(r, at, err, "there is more after the value; give one JSON value alone");
        if (at == r->text + r->len)
                return fail(r, at, err,
                        refusal == PAWL__REFUSE_COMMA && !in_object
                                ? "the text ends inside an array; close it with ']'"
                                : "the text ends inside an object; close it with '}'");
        show(shown, r, at);
        if (refusal == PAWL__REFUSE_COLON)
                snprintf(message, sizeof message,
                        "%s where a colon should be; write ':' after the name", shown);
        else if (refusal == PAWL__REFUSE_COMMA)
                snprintf(message, sizeof message, "%s where ',' or '%c' should be; write it", shown,
                        in_object ? '}' : ']');
        else if (*at == '}')
                return fail(r, at, err, "a comma before '}'; remove the comma");
        else
                snprintf(message, sizeof message,
                        "%s where a member's name should be; write it in double quotes", shown);
        return fail(r, at, err, message);
}

pawl_status pawl__json_refuse(
        const pawl__json_reader *r, pawl__json_refusal refusal, const char *at, pawl_error *err)
{
        switch (refusal) {
        case PAWL__REFUSE_VALUE:
                return refuse_value(r, at, err);
        case PAWL__REFUSE_STRING:
                return refuse_string(r, at, err);
        case PAWL__REFUSE_NUMBER:
                return refuse_number(r, at, err);
        case PAWL__REFUSE_OVERFLOW:
                return fail(
                        r, at, err, "the number is too large for a double; write it as a string");
        case PAWL__REFUSE_DEPTH:
                return fail(r, at, err, "nesting deeper than 512 levels; flatten the document");
        case PAWL__REFUSE_NAME:
        case PAWL__REFUSE_COLON:
        case PAWL__REFUSE_COMMA:
        case PAWL__REFUSE_REST:
                break;
        }
        return refuse_other(r, refusal, at, err);
}

size_t pawl__json_name_offset(const char *text, size_t len, size_t object, size_t index)
{
        pawl__json_reader reader;
        pawl__json_token token = {.raw = text + object};

        pawl__json_reader_init(&reader, text + object, len - object);
        do {
                if (pawl__json_next(&reader, &token, NULL))
                        break;
        } while (reader.depth != 1 || token.type != PAWL__JSON_NAME || index-- > 0);
        return pawl__json_offset(&token, text);
}

pawl_status pawl__json_refuse_twice(const char *text, size_t len, size_t offset, pawl_error *err)
{
        enum { SHOWN = 200 };
        char decoded[SHOWN + PAWL__LEX_SLACK], message[SHOWN + 80];
        const char *name = text + offset + 1;
        bool escaped;
        const char *const close = pawl__lex_string(name, text + len, &escaped, NULL).p;
        size_t n = close ? (size_t)(close - name) : 0;
        const bool cut = n > SHOWN;

        if (cut) {
                n = pawl__utf8_cut(name, n, SHOWN);
        } else if (escaped) {
                /* decoded, unless it holds what must not reach a terminal or would mislead */
                const size_t decoded_len = pawl__json_unescape(decoded, name, n);
                bool fit = true;
                for (size_t i = 0; i < decoded_len; i++)
                        if ((unsigned char)decoded[i] < 0x20 || strchr("\"\\\x7f", decoded[i]))
                                fit = false;
                if (fit) {
                        name = decoded;
                        n = decoded_len;
                }
        }
        snprintf(message, sizeof message,
                "the name \"%.*s%s\" appears twice in its object; keep one", (int)n, name,
                cut ? "..." : "");
        return pawl__json_fail_at(text, len, offset, err, message);
}
