#include "base/mask.h"
#include "base/text.h"
#include <stdlib.h>

/* What a text is compared with: the plain form of a value, or digits of base64. */
struct pawl__mask_form {
        pawl_text plain;
};

enum {
        RUN_MOST = 64, /* backslashes before one character, or line breaks between two; more of
                          either end a value, so that no text takes longer than linear time */
        PLAIN_MOST = 4 /* bytes of one character */
};

/* ---- The plain form -------------------------------------------------------------------------- */

typedef enum reading {
        READ,   /* a character */
        OPEN,   /* the text ends before it is known */
        NO_MORE /* nothing that a value could continue with */
} reading;

/* Where a text is read, and the character there. */
typedef struct place {
        const char *text;
        size_t len, at;
        char bytes[PLAIN_MOST];
        size_t n;
} place;

static reading read_hex(unsigned *unit, const char *digits, size_t len)
{
        *unit = 0;
        for (size_t i = 0; i < 4; i++) {
                if (i == len)
                        return OPEN;
                const char c = digits[i];
                const int digit = c >= '0' && c <= '9'   ? c - '0'
                                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                         : -1;
                if (digit < 0)
                        return NO_MORE;
                *unit = *unit << 4 | (unsigned)digit;
        }
        return READ;
}

static void put_character(place *p, unsigned c)
{
        if (c < 0x80) {
                p->bytes[p->n++] = (char)c;
                return;
        }
        if (c >= 0x10000)
                p->bytes[p->n++] = (char)(0xf0 | c >> 18);
        if (c >= 0x800)
                p->bytes[p->n++] = (char)(c >= 0x10000 ? 0x80 | (c >> 12 & 0x3f) : 0xe0 | c >> 12);
        p->bytes[p->n++] = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
        p->bytes[p->n++] = (char)(0x80 | (c & 0x3f));
}

/* Past backslashes, to what they escape. There may be several, since it was escaped several times,
 * and each but the first may be written u005c. */
static reading skip_backslashes(const place *p, size_t *at)
{
        const size_t from = *at;
        unsigned unit;

        for (;;) {
                while (*at < p->len && p->text[*at] == '\\' && *at - from < RUN_MOST)
                        ++*at;
                if (*at == p->len)
                        return OPEN;
                if (*at == from || p->text[*at] == '\\')
                        return NO_MORE;
                const reading r = p->text[*at] == 'u'
                                          ? read_hex(&unit, p->text + *at + 1, p->len - *at - 1)
                                          : NO_MORE;
                if (r == OPEN)
                        return OPEN;
                if (r != READ || unit != '\\')
                        return READ;
                *at += 5;
        }
}

/* The second half of a surrogate pair at @p at, behind backslashes of its own. */
static reading read_low(unsigned *unit, const place *p, size_t *at)
{
        reading r = skip_backslashes(p, at);

        if (r == READ)
                r = p->text[*at] == 'u' ? read_hex(unit, p->text + *at + 1, p->len - *at - 1)
                                        : NO_MORE;
        *at += 5;
        return r == READ && (*unit < 0xdc00 || *unit >= 0xe000) ? NO_MORE : r;
}

/* A character of \uXXXX whose digits begin at @p at. */
static reading read_unit(place *p, unsigned unit, size_t at)
{
        unsigned low;

        if (unit >= 0xd800 && unit < 0xdc00) {
                const reading r = read_low(&low, p, &at);
                if (r != READ)
                        return r;
                unit = 0x10000 + ((unit - 0xd800) << 10 | (low - 0xdc00));
        }
        put_character(p, unit);
        p->at = at;
        return READ;
}

static bool is_break(char c)
{
        return c == '\n' || c == '\r';
}

/* Behind backslashes. A line break is READ with no bytes. */
static reading read_escape(place *p)
{
        static const char letters[] = "bfnrt", characters[] = "\b\f\n\r\t";
        size_t at = p->at;
        unsigned unit;
        reading r = skip_backslashes(p, &at);

        if (r != READ)
                return r;
        if (p->text[at] == 'u' && read_hex(&unit, p->text + at + 1, p->len - at - 1) == READ) {
                if (unit != '\n' && unit != '\r')
                        return read_unit(p, unit, at + 5);
                p->at = at + 5;
                return READ;
        }
        const char *letter = strchr(letters, p->text[at]);
        const char c = letter && *letter ? characters[letter - letters] : p->text[at];
        p->at = at + 1;
        if (!is_break(c))
                p->bytes[p->n++] = c;
        return READ;
}

/* The next character that is not a line break. */
static reading read_character(place *p)
{
        p->n = 0;
        for (size_t breaks = 0; breaks <= RUN_MOST; breaks++) {
                if (p->at == p->len)
                        return OPEN;
                const char c = p->text[p->at];
                if (c == '\\') {
                        const reading r = read_escape(p);
                        if (r != READ || p->n)
                                return r;
                } else if (is_break(c)) {
                        p->at++;
                } else {
                        p->bytes[p->n++] = c;
                        p->at++;
                        return READ;
                }
        }
        return NO_MORE;
}

/* ---- The forms of a value -------------------------------------------------------------------- */

static pawl_status add_form(pawl__mask *mask, pawl_text plain)
{
        bool ok = true;

        if (plain.len < PAWL__MASK_LEAST)
                return PAWL_OK;
        if (pawl__grow(&mask->forms, &mask->cap, mask->n + 1, sizeof *mask->forms))
                return PAWL_ENOMEM;
        mask->forms[mask->n].plain = pawl__arena_text(&mask->arena, plain, &ok);
        mask->n += ok;
        return ok ? PAWL_OK : PAWL_ENOMEM;
}

static pawl_status make_plain(pawl__buf *out, pawl_text value)
{
        place p = {.text = value.data, .len = value.len};

        while (read_character(&p) == READ)
                if (pawl__buf_add(out, p.bytes, p.n))
                        return PAWL_ENOMEM;
        return PAWL_OK;
}

/* The digits of base64 that the value alone decides, where @p before bytes of a group of three
 * precede it. */
static pawl_status add_base64(pawl__mask *mask, pawl_text value, size_t before, const char *last)
{
        static const char first[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        const size_t end = (before + value.len) * 8 / 6, from = (before * 8 + 5) / 6;
        pawl__buf digits = PAWL__BUF_INIT;

        for (size_t i = from; i < end && !digits.failed; i++) {
                unsigned digit = 0;
                for (size_t bit = i * 6 - before * 8; bit < i * 6 - before * 8 + 6; bit++)
                        digit = digit << 1 |
                                ((unsigned char)value.data[bit / 8] >> (7 - bit % 8) & 1U);
                (void)pawl__buf_addc(&digits, digit < 62 ? first[digit] : last[digit - 62]);
        }
        const pawl_status status =
                digits.failed ? PAWL_ENOMEM : add_form(mask, pawl__buf_text(&digits));
        pawl__buf_free(&digits);
        return status;
}

static pawl_status add_digits(pawl__mask *mask, pawl_text value)
{
        pawl_status status = PAWL_OK;

        for (size_t before = 0; before < 3 && !status; before++) {
                status = add_base64(mask, value, before, "+/");
                if (!status)
                        status = add_base64(mask, value, before, "-_");
        }
        return status;
}

static pawl_status add_one(pawl__mask *mask, pawl_text value)
{
        pawl__buf plain = PAWL__BUF_INIT;
        pawl_status status = make_plain(&plain, value);

        if (!status)
                status = add_form(mask, pawl__buf_text(&plain));
        pawl__buf_free(&plain);
        return status ? status : add_digits(mask, value);
}

/* In base64 line ends are no line breaks of the text, so that each way to write them is a form. */
static pawl_status add_line_ends(pawl__mask *mask, pawl_text value, const char *end)
{
        pawl__buf text = PAWL__BUF_INIT;

        for (size_t i = 0; i < value.len; i++)
                if (value.data[i] == '\n')
                        (void)pawl__buf_adds(&text, end);
                else if (value.data[i] != '\r' || i + 1 == value.len || value.data[i + 1] != '\n')
                        (void)pawl__buf_addc(&text, value.data[i]);
        const pawl_status status =
                text.failed ? PAWL_ENOMEM : add_digits(mask, pawl__buf_text(&text));
        pawl__buf_free(&text);
        return status;
}

static pawl_text trimmed(pawl_text text)
{
        static const char white[] = " \t\n\v\f\r";

        while (text.len && memchr(white, *text.data, sizeof white - 1))
                text.data++, text.len--;
        while (text.len && memchr(white, text.data[text.len - 1], sizeof white - 1))
                text.len--;
        return text;
}

static size_t characters_in(pawl_text text)
{
        size_t n = 0;

        for (size_t i = 0; i < text.len; i++)
                n += ((unsigned char)text.data[i] & 0xc0) != 0x80;
        return n;
}

static pawl_status add_lines(pawl__mask *mask, pawl_text value)
{
        pawl_status status = PAWL_OK;

        for (size_t from = 0, at = 0; at <= value.len && !status; at++) {
                if (at < value.len && !is_break(value.data[at]))
                        continue;
                const pawl_text line = trimmed(pawl__text_n(value.data + from, at - from));
                if (characters_in(line) >= PAWL__MASK_LINE)
                        status = add_one(mask, line);
                from = at + 1;
        }
        return status;
}

static int compare_forms(const void *a, const void *b)
{
        const pawl_text x = ((const struct pawl__mask_form *)a)->plain;
        const pawl_text y = ((const struct pawl__mask_form *)b)->plain;
        const int order = memcmp(x.data, y.data, x.len < y.len ? x.len : y.len);

        return order ? order : (x.len > y.len) - (x.len < y.len);
}

static void sort_forms(pawl__mask *mask)
{
        size_t n = 0;

        qsort(mask->forms, mask->n, sizeof *mask->forms, compare_forms);
        for (size_t i = 0; i < mask->n; i++)
                if (n == 0 || compare_forms(&mask->forms[n - 1], &mask->forms[i]) != 0)
                        mask->forms[n++] = mask->forms[i];
        mask->n = n;
        for (size_t byte = 0, i = 0; byte < 257; byte++) {
                while (i < n && (unsigned char)*mask->forms[i].plain.data < byte)
                        i++;
                mask->first[byte] = i;
        }
}

static bool is_long_enough(pawl_text value)
{
        pawl__buf plain = PAWL__BUF_INIT;
        const bool enough = make_plain(&plain, value) || plain.len >= PAWL__MASK_LEAST;

        pawl__buf_free(&plain);
        return enough;
}

pawl_status pawl__mask_add(pawl__mask *mask, pawl_text value)
{
        const pawl_text whole = trimmed(value);

        if (!is_long_enough(whole))
                return PAWL_EINVAL;
        pawl_status status = add_one(mask, whole);
        if (!status &&
                (memchr(whole.data, '\n', whole.len) || memchr(whole.data, '\r', whole.len))) {
                status = add_line_ends(mask, whole, "\n");
                if (!status)
                        status = add_line_ends(mask, whole, "\r\n");
                if (!status)
                        status = add_lines(mask, whole);
        }
        sort_forms(mask);
        return status;
}

void pawl__mask_free(pawl__mask *mask)
{
        free(mask->forms);
        pawl__arena_free(&mask->arena);
        *mask = (pawl__mask){.n = 0};
}

/* ---- Finding them ---------------------------------------------------------------------------- */

/* Returns where the form ends that begins with the character before @p p; 0: it does not. *open: it
 * may, when the text continues. */
static size_t match(pawl_text form, place p, bool *open)
{
        size_t matched = 0;

        for (;;) {
                if (form.len - matched < p.n || memcmp(form.data + matched, p.bytes, p.n) != 0)
                        return 0;
                matched += p.n;
                if (matched == form.len)
                        return p.at;
                const reading r = read_character(&p);
                if (r == OPEN)
                        *open = true;
                if (r != READ)
                        return 0;
        }
}

/* The end of the longest value that begins with the character before @p p; 0: none does. */
static size_t longest(const pawl__mask *mask, const place *p, bool *open)
{
        const unsigned char byte = (unsigned char)*p->bytes;
        size_t end = 0;

        for (size_t i = mask->first[byte]; i < mask->first[byte + 1]; i++) {
                const size_t at = match(mask->forms[i].plain, *p, open);
                end = at > end ? at : end;
        }
        return end;
}

/* The end of the longest value that begins at @p at; 0: none does. *from is where to mask: behind a
 * backslash it may begin with the escape, so that what remains of JSON can be read. */
static size_t find(
        size_t *from, const pawl__mask *mask, const char *text, size_t len, size_t at, bool *open)
{
        place p = {.text = text, .len = len, .at = at + 1, .bytes = {text[at]}, .n = 1};

        *from = at;
        if (text[at] != '\\')
                return longest(mask, &p, open);
        if (at + 1 == len) {
                *open = true;
                return 0;
        }
        const char letter = text[at + 1];
        const bool is_escape = strchr("\"/\\bfnrtu", letter) && letter;
        size_t end = 0;
        p.at = at;
        p.n = 0;
        const reading r = read_escape(&p);
        if (r == OPEN)
                *open = true;
        /* any other letter behind backslashes is not escaped by them */
        if (r == READ && p.n &&
                (strchr("\"/bft", text[p.at - 1]) || (p.at - at >= 6 && text[p.at - 5] == 'u')))
                end = longest(mask, &p, open);
        if (letter == '\\')
                return end;
        p = (place){.text = text, .len = len, .at = at + 2, .bytes = {letter}, .n = 1};
        const size_t literal = longest(mask, &p, open);
        if (literal > end) {
                end = literal;
                *from = is_escape ? at : at + 1;
        }
        return end;
}

/* Mask until where a value may begin that the text does not end, unless it @p ended. Returns how
 * many bytes of what is left precede that. */
static size_t mask_all(const pawl__mask *mask, char *text, size_t *len, bool ended)
{
        size_t to = 0, at = 0;

        while (at < *len) {
                const unsigned char byte = (unsigned char)text[at];
                bool open = false;
                size_t from = at, end = 0, inner;

                if (byte == '\\' || mask->first[byte] < mask->first[byte + 1])
                        end = find(&from, mask, text, *len, at, &open);
                for (size_t i = from + 1; i < end; i++) { /* values that begin within this one */
                        const size_t other = find(&inner, mask, text, *len, i, &open);
                        end = other > end ? other : end;
                }
                if (open && !ended)
                        break;
                if (!end && byte == '\\' && at + 1 < *len)
                        text[to++] = text[at++]; /* with the character that it escapes */
                else
                        while (at < from)
                                text[to++] = text[at++];
                if (end) {
                        memcpy(text + to, "***", 3);
                        to += 3;
                        at = end;
                } else {
                        text[to++] = text[at++];
                }
        }
        memmove(text + to, text + at, *len - at);
        *len -= at - to;
        return to;
}

size_t pawl__mask_begun(const pawl__mask *mask, pawl__buf *text, bool ended)
{
        if (!mask || !mask->n || !text->len)
                return text->len;
        const size_t decided = mask_all(mask, text->data, &text->len, ended);
        text->data[text->len] = '\0';
        return decided;
}

void pawl__mask_buf(const pawl__mask *mask, pawl__buf *text)
{
        (void)pawl__mask_begun(mask, text, true);
}

void pawl__mask_string(const pawl__mask *mask, char *string)
{
        size_t len = strlen(string);

        if (!mask || !mask->n)
                return;
        (void)mask_all(mask, string, &len, true);
        string[len] = '\0';
}

pawl_status pawl__mask_text(pawl_text *text, const pawl__mask *mask, pawl__arena *arena)
{
        bool ok = true;

        if (!mask || !mask->n || !text->len)
                return PAWL_OK;
        const pawl_text copy = pawl__arena_text(arena, *text, &ok);
        if (!ok)
                return PAWL_ENOMEM;
        size_t len = copy.len;
        char *data = (char *)(uintptr_t)copy.data;
        (void)mask_all(mask, data, &len, true);
        data[len] = '\0';
        *text = pawl__text_n(data, len);
        return PAWL_OK;
}
