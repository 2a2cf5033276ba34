/* The words around a term, on one line. */
#include "base/unicode.h"
#include "glossary/extract_internal.h"

enum { CONTEXT = 80 }; /* characters */

/* Is there white space at @p at? *size: the bytes of the character. */
static inline bool space_at(pawl_text text, size_t at, size_t *size)
{
        uint32_t character;

        *size = pawl__unicode_decode(&character, text.data + at, text.len - at);
        return (pawl__unicode_class(character) & PAWL__SPACE) != 0;
}

/* Where the character before @p at begins. */
static inline size_t back(pawl_text text, size_t at)
{
        do
                at--;
        while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80);
        return at;
}

/* Go back from @p at by up to @p max characters, a run of white space being one that counts only
 * when something is before it. Returns where that is; *n: how many they were. */
static size_t reach_back(pawl_text text, size_t at, size_t max, size_t *n)
{
        size_t reached = at, pending = 0, count = 0, size;

        while (at > 0 && count + pending < max) {
                at = back(text, at);
                if (space_at(text, at, &size)) {
                        pending = 1;
                } else {
                        count += pending + 1;
                        pending = 0;
                        reached = at;
                }
        }
        *n = count;
        return reached;
}

static size_t reach_on(pawl_text text, size_t at, size_t max, size_t *n)
{
        size_t reached = at, pending = 0, count = 0, size;

        while (at < text.len && count + pending < max) {
                bool space = space_at(text, at, &size);
                at += size;
                if (space) {
                        pending = 1;
                } else {
                        count += pending + 1;
                        pending = 0;
                        reached = at;
                }
        }
        *n = count;
        return reached;
}

/* ASCII without a run of white space: each byte is a character of the line. */
static void add_bytes(pawl__buf *out, pawl_text text)
{
        char *to = out->data + out->len;

        for (size_t i = 0; i < text.len; i++) {
                char c = text.data[i];
                to[i] = c >= '\t' && c <= '\r' ? ' ' : c;
        }
        out->len += text.len;
}

/* Append a text that starts and ends with something else than white space, on one line, which then
 * has @p characters. */
static pawl_status add_line(pawl__buf *out, pawl_text text, size_t characters)
{
        size_t from = 0, size;

        if (pawl__buf_reserve(out, text.len))
                return PAWL_ENOMEM;
        if (text.len == characters) {
                add_bytes(out, text);
                text.len = 0;
        }
        for (size_t at = 0; at < text.len;) {
                bool space = space_at(text, at, &size);
                at += size;
                if (!space && at < text.len)
                        continue;
                size_t end = space ? at - size : at;
                memcpy(out->data + out->len, text.data + from, end - from);
                out->len += end - from;
                if (!space)
                        break;
                out->data[out->len++] = ' ';
                while (space_at(text, at, &size))
                        at += size;
                from = at;
        }
        out->data[out->len] = '\0';
        return PAWL_OK;
}

pawl_status pawl__context_of(pawl__buf *out, pawl_text text, size_t start, size_t end)
{
        size_t own, before, after;
        size_t reached = reach_on(pawl__text_n(text.data, end), start, CONTEXT, &own);

        if (reached < end) /* the term alone is longer */
                return add_line(out, pawl__text_n(text.data + start, reached - start), own);
        const size_t left = CONTEXT - own;
        size_t to = reach_on(text, end, left / 2, &after);
        size_t from = reach_back(text, start, left - after, &before);
        if (before + after < left) /* the text begins near: there may be more behind */
                to = reach_on(text, end, left - before, &after);
        return add_line(out, pawl__text_n(text.data + from, to - from), before + own + after);
}
