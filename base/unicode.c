#include "base/unicode.h"
#include <stdlib.h>
#include <utf8proc.h>

enum { UPPER = PAWL__LETTER | PAWL__UPPER, LOWER = PAWL__LETTER | PAWL__LOWER };

#define X4(class)  class, class, class, class
#define X5(class)  X4(class), class
#define X10(class) X5(class), X5(class)
#define X26(class) X10(class), X10(class), X5(class), class

const unsigned char pawl__ascii_class[128] = {
        X5(0), X4(0), X5(PAWL__SPACE),                /* up to tab, line feed ... carriage return */
        X10(0), X4(0), X4(0), PAWL__SPACE,            /* up to space */
        X10(0), X5(0), X10(PAWL__DIGIT), X5(0), 0, 0, /* ! to /, digits, : to @ */
        X26(UPPER), X5(0), 0,                         /* [ to ` */
        X26(LOWER), X5(0),                            /* { to delete */
};

static bool is_space(uint32_t c)
{
        return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
               c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

unsigned pawl__unicode_class_beyond_ascii(uint32_t character)
{
        if (is_space(character))
                return PAWL__SPACE;
        switch (utf8proc_category((utf8proc_int32_t)character)) {
        case UTF8PROC_CATEGORY_LU:
                return UPPER;
        case UTF8PROC_CATEGORY_LL:
                return LOWER;
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_NL:
                return PAWL__LETTER;
        case UTF8PROC_CATEGORY_ND:
                return PAWL__DIGIT;
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
                return PAWL__MARK;
        default:
                return 0;
        }
}

size_t pawl__unicode_decode_beyond_ascii(uint32_t *character, const char *data, size_t len)
{
        const unsigned char *p = (const unsigned char *)data;

        if (len < 2) {
                *character = p[0];
                return 1;
        }
        if (p[0] < 0xe0 || len < 3) {
                *character = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
                return 2;
        }
        if (p[0] < 0xf0 || len < 4) {
                *character = (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
                return 3;
        }
        *character =
                (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
        return 4;
}

enum { ON_STACK = 256 }; /* characters of a piece that needs no allocation: nearly every word */

/* Append @p text, normalized by utf8proc's @p options. */
static pawl_status normalize(pawl__buf *out, pawl_text text, utf8proc_option_t options)
{
        utf8proc_int32_t small[ON_STACK + 1], *buf = small;
        const utf8proc_uint8_t *data = (const utf8proc_uint8_t *)text.data;
        utf8proc_ssize_t len = (utf8proc_ssize_t)text.len;
        pawl_status status = PAWL_ENOMEM;
        utf8proc_ssize_t n = utf8proc_decompose(data, len, buf, ON_STACK, options);

        if (n > ON_STACK) {
                /* one more: utf8proc ends the bytes, which it writes over the characters, by NUL */
                buf = calloc((size_t)n + 1, sizeof *buf);
                if (!buf)
                        return PAWL_ENOMEM;
                n = utf8proc_decompose(data, len, buf, n, options);
        }
        if (n >= 0)
                n = utf8proc_reencode(buf, n, options);
        if (n >= 0)
                status = pawl__buf_add(out, buf, (size_t)n);
        if (buf != small)
                free(buf);
        return status;
}

static bool has_mark(pawl_text text)
{
        uint32_t character;

        for (size_t at = 0; at < text.len;) {
                at += pawl__unicode_decode(&character, text.data + at, text.len - at);
                if (character >= 0x80 && pawl__unicode_class(character) & PAWL__MARK)
                        return true;
        }
        return false;
}

/* The decomposition first matters only where marks may be in another order, or apart from its
 * letter: the iota subscript folds to a letter, over which later marks must not slip. */
static pawl_status fold_piece(pawl__buf *out, pawl_text piece)
{
        const utf8proc_option_t decompose = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
        const utf8proc_option_t fold = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD;
        pawl__buf decomposed = PAWL__BUF_INIT;

        if (!has_mark(piece))
                return normalize(out, piece, fold);
        pawl_status status = normalize(&decomposed, piece, decompose);
        if (status == PAWL_OK)
                status = normalize(out, pawl__buf_text(&decomposed), fold);
        pawl__buf_free(&decomposed);
        return status;
}

/* Lower the ASCII characters at the start of a text; returns how many there are. */
static size_t fold_ascii(char *out, pawl_text text)
{
        size_t n = 0;

        for (; n < text.len && (unsigned char)text.data[n] < 0x80; n++) {
                char c = text.data[n];
                out[n] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
        }
        return n;
}

/* An ASCII character composes with nothing before it, so a text may be cut in front of each: what
 * goes through utf8proc is a run of others with the one ASCII character that they may combine with.
 */
pawl_status pawl__unicode_fold(pawl__buf *out, pawl_text text)
{
        const size_t before = out->len;
        pawl_status status = PAWL_OK;

        for (size_t at = 0; at < text.len && status == PAWL_OK;) {
                status = pawl__buf_reserve(out, text.len - at);
                if (status)
                        break;
                size_t n = fold_ascii(
                        out->data + out->len, pawl__text_n(text.data + at, text.len - at));
                at += n;
                out->len += n;
                if (at == text.len)
                        break;
                size_t start = n ? at - 1 : at;
                out->len -= at - start;
                while (at < text.len && (unsigned char)text.data[at] >= 0x80)
                        at++;
                status = fold_piece(out, pawl__text_n(text.data + start, at - start));
        }
        if (status)
                out->len = before;
        if (out->data)
                out->data[out->len] = '\0';
        return status;
}

/* ---- Names of files ------------------------------------------------------------------------- */

/* A name, character by character, decomposed and folded, without what cannot be seen. */
typedef struct folding {
        pawl_text rest;
        utf8proc_int32_t characters[18]; /* no character becomes more */
        utf8proc_ssize_t n, at;
} folding;

/* -1: the end. A byte that is no UTF-8 is none of the characters. */
static utf8proc_int32_t next_folded(folding *f)
{
        const utf8proc_option_t options =
                UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;

        while (f->at == f->n) {
                uint32_t character;
                size_t len = 1;
                int boundary = 0;
                if (!f->rest.len)
                        return -1;
                f->n = -1;
                if (pawl__utf8_span(f->rest.data, f->rest.len < 4 ? f->rest.len : 4) > 0) {
                        len = pawl__unicode_decode(&character, f->rest.data, f->rest.len);
                        f->n = utf8proc_decompose_char((utf8proc_int32_t)character, f->characters,
                                sizeof f->characters / sizeof f->characters[0], options, &boundary);
                }
                if (f->n < 0) {
                        f->characters[0] = 0x110000 + (unsigned char)*f->rest.data;
                        f->n = 1;
                        len = 1;
                }
                f->at = 0;
                f->rest = pawl__text_n(f->rest.data + len, f->rest.len - len);
        }
        return f->characters[f->at++];
}

bool pawl__unicode_same_name(pawl_text own, pawl_text name, bool begins)
{
        folding a = {.rest = own}, b = {.rest = name};

        for (;;) {
                const utf8proc_int32_t wanted = next_folded(&a);
                if (wanted < 0 && begins)
                        return true;
                if (next_folded(&b) != wanted)
                        return false;
                if (wanted < 0)
                        return true;
        }
}
