#include "base/printable.h"
#include "base/unicode.h"
#include <stdio.h>

static const struct {
        uint32_t first, last;
} unprintable[] = {
        {0x0000, 0x001f},   /* C0 */
        {0x007f, 0x009f},   /* DEL, C1 */
        {0x061c, 0x061c},   /* Arabic letter mark */
        {0x200e, 0x200f},   /* left-to-right and right-to-left marks */
        {0x2028, 0x202e},   /* line and paragraph separators, embeddings and overrides */
        {0x2066, 0x2069},   /* isolates */
        {0xfeff, 0xfeff},   /* byte order mark */
        {0xfff9, 0xfffb},   /* interlinear annotation */
        {0xe0000, 0xe007f}, /* tags */
};

bool pawl__unprintable(uint32_t codepoint)
{
        for (size_t i = 0; i < sizeof unprintable / sizeof *unprintable; i++)
                if (codepoint >= unprintable[i].first && codepoint <= unprintable[i].last)
                        return true;
        return false;
}

size_t pawl__printable_span(pawl_text text, char escape[PAWL__ESCAPE_MAX], size_t *skip)
{
        size_t valid = pawl__utf8_span(text.data, text.len);
        size_t at = 0;

        while (at < valid) {
                uint32_t c;
                size_t len = pawl__unicode_decode(&c, text.data + at, valid - at);
                if (pawl__unprintable(c)) {
                        snprintf(escape, PAWL__ESCAPE_MAX, c < 0x80 ? "\\x%02x" : "\\u%04x",
                                (unsigned)c);
                        *skip = len;
                        return at;
                }
                at += len;
        }
        if (at < text.len) {
                snprintf(escape, PAWL__ESCAPE_MAX, "\\x%02x",
                        (unsigned)(unsigned char)text.data[at]);
                *skip = 1;
        }
        return at;
}

pawl_status pawl__printable(pawl__buf *out, pawl_text text)
{
        char escape[PAWL__ESCAPE_MAX] = "";
        size_t skip = 0;

        while (text.len) {
                size_t n = pawl__printable_span(text, escape, &skip);
                pawl__buf_add(out, text.data, n);
                if (n == text.len)
                        break;
                pawl__buf_adds(out, escape);
                text = pawl__text_n(text.data + n + skip, text.len - n - skip);
        }
        return out->failed ? PAWL_ENOMEM : PAWL_OK;
}

bool pawl__is_plain_word(pawl_text text)
{
        for (size_t i = 0; i < text.len; i++) {
                const char c = text.data[i];
                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                            (c && strchr("_@%+=:,.-", c))))
                        return false;
        }
        return text.len > 0;
}

const char *pawl__word(char out[PAWL__WORD_MAX], pawl_text text)
{
        const size_t len = pawl__utf8_cut(text.data, text.len, 200);
        const bool plain = pawl__is_plain_word(text);
        char *at = out;

        if (!plain)
                *at++ = '\'';
        for (size_t i = 0; i < len; i++) {
                const bool quote = text.data[i] == '\'';
                memcpy(at, quote ? "'\\''" : &text.data[i], quote ? 4 : 1);
                at += quote ? 4 : 1;
        }
        if (!plain)
                *at++ = '\'';
        *at = '\0';
        return out;
}

pawl_status pawl__word_add(pawl__buf *out, pawl_text text)
{
        const bool plain = pawl__is_plain_word(text);

        if (plain)
                return pawl__buf_add(out, text.data, text.len);
        pawl__buf_addc(out, '\'');
        for (size_t at = 0, end; at < text.len; at = end + 1) {
                const char *quote = memchr(text.data + at, '\'', text.len - at);
                end = quote ? (size_t)(quote - text.data) : text.len;
                pawl__printable(out, pawl__text_n(text.data + at, end - at));
                pawl__buf_adds(out, quote ? "'\\''" : "");
        }
        return pawl__buf_addc(out, '\'');
}
