#include "glossary/plain.h"

enum { LINK_MAX = 1000 }; /* bytes of a link's text: so no search is long */

pawl_text pawl__text_trim(pawl_text text)
{
        size_t start = 0, end = text.len;

        while (start < end && strchr(" \t\r\n", text.data[start]) && text.data[start])
                start++;
        while (end > start && strchr(" \t\r\n", text.data[end - 1]) && text.data[end - 1])
                end--;
        return pawl__text_part(text, start, end);
}

/* Past the "(...)" or "[...]" behind a link's text at @p at, or @p at. */
static size_t past_target(pawl_text text, size_t at)
{
        if (at == text.len || (text.data[at] != '(' && text.data[at] != '['))
                return at;
        const char *end = memchr(text.data + at, text.data[at] == '(' ? ')' : ']', text.len - at);

        return end ? (size_t)(end - text.data) + 1 : at;
}

/* Does a bracket at @p at close again? */
static bool is_link(pawl_text text, size_t at)
{
        const size_t left = text.len - at;

        return memchr(text.data + at, ']', left < LINK_MAX ? left : LINK_MAX) != NULL;
}

void pawl__plain(pawl__buf *out, pawl_text text, size_t most, bool code)
{
        bool link = false, space = false;

        pawl__buf_clear(out);
        for (size_t at = 0; at < text.len && out->len <= most;) {
                const char c = text.data[at];
                if (c == ' ' || (c >= '\t' && c <= '\r')) {
                        space = out->len > 0;
                        at++;
                } else if (pawl__text_at(text, at, "**") || pawl__text_at(text, at, "__")) {
                        at += 2;
                } else if ((unsigned char)c < 0x20 || c == 0x7f || (c == '`' && !code)) {
                        at++;
                } else if (c == '[' && !link && is_link(text, at)) {
                        link = true;
                        at++;
                } else if (c == ']' && link) {
                        link = false;
                        at = past_target(text, at + 1);
                } else {
                        if (space)
                                pawl__buf_addc(out, ' ');
                        space = false;
                        pawl__buf_addc(out, c);
                        at++;
                }
        }
        if (out->len > most) { /* maybe within a character */
                out->len = pawl__utf8_cut(out->data, out->len, most);
                out->data[out->len] = '\0';
        }
}

size_t pawl__sentence_end(pawl_text text, size_t at)
{
        for (; at < text.len; at++)
                if (strchr(".!?", text.data[at]) && text.data[at] &&
                        (at + 1 == text.len || text.data[at + 1] == ' ') &&
                        !(at >= 3 && memcmp(text.data + at - 3, "e.g", 3) == 0) &&
                        !(at >= 3 && memcmp(text.data + at - 3, "i.e", 3) == 0))
                        return at + 1;
        return text.len;
}

pawl_text pawl__sentences_cut(pawl_text text, size_t most)
{
        size_t end = pawl__sentence_end(text, 0);

        while (end < text.len) {
                const size_t next = pawl__sentence_end(text, end);
                if (next > most / 2)
                        break;
                end = next;
        }
        if (end <= most)
                return pawl__text_trim(pawl__text_part(text, 0, end));
        end = pawl__utf8_cut(text.data, text.len, most);
        while (end > 0 && text.data[end - 1] != ' ')
                end--;
        return pawl__text_trim(
                pawl__text_part(text, 0, end ? end : pawl__utf8_cut(text.data, text.len, most)));
}
