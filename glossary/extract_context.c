/* The words around a term, on one line. */
#include "base/unicode.h"
#include "glossary/extracting.h"

enum { CONTEXT = 80 }; /* characters */

static bool space_at(pawl_text text, size_t at, size_t *size)
{
        uint32_t character;

        *size = pawl__unicode_decode(&character, text.data + at, text.len - at);
        return (pawl__unicode_class(character) & PAWL__SPACE) != 0;
}

/* Where the character before @p at begins. */
static size_t back(pawl_text text, size_t at)
{
        do
                at--;
        while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80);
        return at;
}

/* Go back from @p at by up to @p max characters, a run of white space being one that counts only
 * when something stands before it. Returns where that is; *n: how many they were. */
static size_t reach_back(pawl_text text, size_t at, size_t max, size_t *n)
{
        size_t reached = at, pending = 0, size;

        *n = 0;
        while (at > 0 && *n + pending < max) {
                at = back(text, at);
                if (space_at(text, at, &size)) {
                        pending = 1;
                } else {
                        *n += pending + 1;
                        pending = 0;
                        reached = at;
                }
        }
        return reached;
}

static size_t reach_on(pawl_text text, size_t at, size_t max, size_t *n)
{
        size_t reached = at, pending = 0, size;

        *n = 0;
        while (at < text.len && *n + pending < max) {
                bool space = space_at(text, at, &size);
                at += size;
                if (space) {
                        pending = 1;
                } else {
                        *n += pending + 1;
                        pending = 0;
                        reached = at;
                }
        }
        return reached;
}

static pawl_status add_line(pawl__buf *out, pawl_text text)
{
        pawl_status status = PAWL_OK;
        bool pending = false;
        size_t size;

        for (size_t at = 0; at < text.len && status == PAWL_OK; at += size) {
                if (space_at(text, at, &size)) {
                        pending = true;
                        continue;
                }
                if (pending)
                        status = pawl__buf_addc(out, ' ');
                pending = false;
                if (status == PAWL_OK)
                        status = pawl__buf_add(out, text.data + at, size);
        }
        return status;
}

pawl_status pawl__context_of(pawl__buf *out, pawl_text text, size_t start, size_t end)
{
        size_t own, before, after;

        size_t reached = reach_on(pawl__text_n(text.data, end), start, CONTEXT, &own);
        if (reached < end) /* the term alone is longer */
                return add_line(out, pawl__text_n(text.data + start, reached - start));
        size_t left = CONTEXT - own;
        reach_on(text, end, left / 2, &after);
        size_t from = reach_back(text, start, left - after, &before);
        size_t to = reach_on(text, end, left - before, &after);
        return add_line(out, pawl__text_n(text.data + from, to - from));
}
