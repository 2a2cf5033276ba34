#include "cli/printable.h"
#include <stdlib.h>
#include <unistd.h>

static const struct {
        uint32_t first, last;
} unsafe[] = {
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

bool cli_unsafe(uint32_t codepoint)
{
        for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
                if (codepoint >= unsafe[i].first && codepoint <= unsafe[i].last)
                        return true;
        return false;
}

uint32_t cli_codepoint(const char *at, size_t *len)
{
        const unsigned char *p = (const unsigned char *)at;
        size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
        uint32_t c = n == 1 ? *p : *p & (0xffu >> (n + 1));

        for (size_t i = 1; i < n; i++)
                c = c << 6 | (p[i] & 0x3fu);
        *len = n;
        return c;
}

/* The longest start of the text that is shown as it is; where something is left, *escape is what
 * stands for its first *skip bytes. */
static size_t plain_span(pawl_text text, char escape[16], size_t *skip)
{
        size_t valid = pawl__utf8_span(text.data, text.len);
        size_t at = 0, len;

        while (at < valid) {
                uint32_t c = cli_codepoint(text.data + at, &len);
                if (cli_unsafe(c)) {
                        snprintf(escape, 16, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
                        *skip = len;
                        return at;
                }
                at += len;
        }
        if (at < text.len) {
                snprintf(escape, 16, "\\x%02x", (unsigned)(unsigned char)text.data[at]);
                *skip = 1;
        }
        return at;
}

pawl_status cli_printable(pawl__buf *out, pawl_text text)
{
        char escape[16] = "";
        size_t skip = 0;

        while (text.len) {
                size_t n = plain_span(text, escape, &skip);
                if (pawl__buf_add(out, text.data, n))
                        return PAWL_ENOMEM;
                if (n == text.len)
                        break;
                if (pawl__buf_adds(out, escape))
                        return PAWL_ENOMEM;
                text = pawl__text_n(text.data + n + skip, text.len - n - skip);
        }
        return PAWL_OK;
}

void cli_put(FILE *stream, pawl_text text)
{
        char escape[16] = "";
        size_t skip = 0;

        while (text.len) {
                size_t n = plain_span(text, escape, &skip);
                fwrite(text.data, 1, n, stream);
                if (n == text.len)
                        break;
                fputs(escape, stream);
                text = pawl__text_n(text.data + n + skip, text.len - n - skip);
        }
}

void cli_puts(FILE *stream, const char *string)
{
        cli_put(stream, pawl__text(string));
}

void cli_put_cut(FILE *stream, pawl_text text, size_t max)
{
        size_t at = 0;

        for (size_t shown = 0; at < text.len; at++)
                if (((unsigned char)text.data[at] & 0xc0) != 0x80 && shown++ == max)
                        break;
        cli_put(stream, pawl__text_n(text.data, at));
        if (at < text.len)
                fputs("…", stream);
}

bool cli_colours(FILE *stream)
{
        const char *no = getenv("NO_COLOR");
        const char *term = getenv("TERM");

        return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}
