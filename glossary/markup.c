/* One pass, from one sign that may begin markup to the next. What is begun and never closed is
 * prose, but for a fence. */
#include "glossary/markup.h"
#include "base/memory.h"

enum { TAG_MAX = 1000, TARGET_MAX = 2000, CODE_MAX = 1000 }; /* bytes: so no search is long */

typedef struct scan {
        pawl_text text;
        pawl__markups *out;
} scan;

static pawl_status put(scan *s, pawl__markup_kind kind, size_t start, size_t end)
{
        if (pawl__grow(&s->out->items, &s->out->cap, s->out->n + 1, sizeof *s->out->items))
                return PAWL_ENOMEM;
        s->out->items[s->out->n++] = (pawl__markup){kind, start, end};
        return PAWL_OK;
}

static size_t line_end(pawl_text text, size_t at)
{
        const char *end = at < text.len ? memchr(text.data + at, '\n', text.len - at) : NULL;

        return end ? (size_t)(end - text.data) + 1 : text.len;
}

/* The line at @p at without what ends it is this mark, as it may stand alone. */
static bool is_line(pawl_text text, size_t at, const char *mark)
{
        size_t end = line_end(text, at);

        while (end > at && strchr(" \t\r\n", text.data[end - 1]))
                end--;
        return end - at == strlen(mark) && memcmp(text.data + at, mark, end - at) == 0;
}

/* Past the front matter, or 0. */
static size_t front_matter(pawl_text text)
{
        if (!is_line(text, 0, "---"))
                return 0;
        for (size_t at = line_end(text, 0); at < text.len; at = line_end(text, at))
                if (is_line(text, at, "---") || is_line(text, at, "..."))
                        return line_end(text, at);
        return 0;
}

static size_t run_of(pawl_text text, size_t at, char c)
{
        size_t n = 0;

        while (at + n < text.len && text.data[at + n] == c)
                n++;
        return n;
}

/* Past the fenced code whose fence begins the line at @p at (after white space and the marks of
 * lists and quotations), or 0. */
static size_t fenced(pawl_text text, size_t line)
{
        size_t at = line;

        while (at < text.len && strchr(" \t>", text.data[at]))
                at++;
        const char mark = at < text.len ? text.data[at] : '\0';
        const size_t n = mark == '`' || mark == '~' ? run_of(text, at, mark) : 0;
        const size_t end = line_end(text, at);
        if (n < 3 || (mark == '`' && memchr(text.data + at + n, '`', end - at - n)))
                return 0;
        for (size_t next = end; next < text.len; next = line_end(text, next)) {
                size_t first = next;
                while (first < text.len && strchr(" \t>", text.data[first]))
                        first++;
                const size_t closes = run_of(text, first, mark);
                size_t rest = first + closes;
                while (rest < text.len && strchr(" \t\r", text.data[rest]))
                        rest++;
                if (closes >= n && (rest == text.len || text.data[rest] == '\n'))
                        return line_end(text, next);
        }
        return text.len;
}

static bool is_letter(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

/* Letters, digits and underscores, in parts that '.', '-' or "::" join; maybe "()" behind. */
static bool is_identifier(pawl_text code)
{
        size_t letters = 0;

        if (code.len > 2 && memcmp(code.data + code.len - 2, "()", 2) == 0)
                code.len -= 2;
        if (code.len == 0 || !(is_letter(code.data[0]) || code.data[0] == '_'))
                return false;
        for (size_t i = 0; i < code.len; i++) {
                const char c = code.data[i];
                const bool joins = c && strchr(".-:", c);
                letters += is_letter(c);
                if (!is_letter(c) && !is_digit(c) && c != '_' && !joins)
                        return false;
                if (joins && (i + 1 == code.len || (c != ':' && strchr(".-:", code.data[i + 1]))))
                        return false;
        }
        return letters >= 2;
}

/* Inline code: from the run of backticks at @p at to one of that length before a blank line.
 * Returns where to go on. */
static size_t inline_code(scan *s, size_t at, pawl_status *status)
{
        const pawl_text text = s->text;
        const size_t n = run_of(text, at, '`');
        size_t start = at + n;

        for (size_t i = start; i < text.len && i - start < CODE_MAX;) {
                if (text.data[i] == '\n' && i + 1 < text.len && text.data[i + 1] == '\n')
                        break;
                if (text.data[i] != '`') {
                        i++;
                        continue;
                }
                const size_t closes = run_of(text, i, '`');
                if (closes == n) {
                        size_t end = i;
                        while (start < end && text.data[start] == ' ')
                                start++;
                        while (end > start && text.data[end - 1] == ' ')
                                end--;
                        const pawl_text code = pawl__text_n(text.data + start, end - start);
                        const bool called =
                                is_identifier(code) && end - start > 2 && text.data[end - 1] == ')';
                        if (start < end)
                                *status = put(s,
                                        is_identifier(code) ? PAWL__IDENTIFIER : PAWL__INLINE_CODE,
                                        start, called ? end - 2 : end);
                        return i + closes;
                }
                i += closes;
        }
        return at + n;
}

/* Past an HTML tag, a comment or an address in angle brackets at @p at, or 0. */
static size_t tag(pawl_text text, size_t at)
{
        const size_t most = text.len - at < TAG_MAX ? text.len : at + TAG_MAX;
        const char next = at + 1 < text.len ? text.data[at + 1] : '\0';

        if (text.len - at >= 4 && memcmp(text.data + at, "<!--", 4) == 0) {
                const char *end = memmem(text.data + at, text.len - at, "-->", 3);
                return end ? (size_t)(end - text.data) + 3 : 0;
        }
        if (!is_letter(next) && next != '/' && next != '!' && next != '?')
                return 0;
        for (size_t i = at + 1; i < most; i++) {
                if (text.data[i] == '>')
                        return i + 1;
                if (text.data[i] == '<')
                        return 0;
        }
        return 0;
}

/* Past the target of a link whose "](" ends at @p at, or 0. */
static size_t target(pawl_text text, size_t at)
{
        const size_t most = text.len - at < TARGET_MAX ? text.len : at + TARGET_MAX;
        size_t depth = 1;

        for (size_t i = at; i < most && text.data[i] != '\n'; i++) {
                depth += text.data[i] == '(';
                depth -= text.data[i] == ')';
                if (depth == 0)
                        return i;
        }
        return 0;
}

static size_t url_end(pawl_text text, size_t at)
{
        while (at < text.len && !strchr(" \t\r\n<>\"`|)]}", text.data[at]))
                at++;
        while (strchr(".,;:!?'*_", text.data[at - 1]))
                at--;
        return at;
}

/* Where the scheme before "://" begins; @p from: not before that. */
static size_t scheme(pawl_text text, size_t colon, size_t from)
{
        size_t at = colon;

        while (at > from && (is_letter(text.data[at - 1]) || strchr("+.-", text.data[at - 1])))
                at--;
        return at;
}

/* Is a target on a line of its own: "[name]: target"? */
static bool is_reference(pawl_text text, size_t line, size_t colon)
{
        while (line < colon && text.data[line] == ' ')
                line++;
        return colon > line + 1 && text.data[line] == '[' && text.data[colon - 1] == ']';
}

/* The first sign from @p at on that may begin markup; @p end or beyond: there is none. */
static size_t next_sign(pawl_text text, size_t at, size_t end)
{
        static const bool begins[256] = {
                ['`'] = true, ['<'] = true, [']'] = true, [':'] = true, ['w'] = true};
        const unsigned char *data = (const unsigned char *)text.data;

        for (;; at++) {
                while (at + 4 <= end && !(begins[data[at]] | begins[data[at + 1]] |
                                                begins[data[at + 2]] | begins[data[at + 3]]))
                        at += 4;
                while (at < end && !begins[data[at]])
                        at++;
                if (at >= end || data[at] != 'w' || (at + 1 < text.len && data[at + 1] == 'w'))
                        return at;
        }
}

/* What begins at @p at, and where to go on. @p from: the end of the markup before. */
static size_t begin(scan *s, size_t at, size_t line, size_t from, pawl_status *status)
{
        const pawl_text text = s->text;
        const size_t left = text.len - at;
        size_t start = at, end = 0;

        if (text.data[at] == '`')
                return inline_code(s, at, status);
        if (text.data[at] == '<') {
                end = tag(text, at);
        } else if (text.data[at] == ']' && left > 2 && text.data[at + 1] == '(') {
                start = at + 2;
                end = target(text, start);
        } else if (text.data[at] == ':' && left > 3 && memcmp(text.data + at, "://", 3) == 0) {
                start = scheme(text, at, from);
                end = start < at ? url_end(text, at + 3) : 0;
        } else if (text.data[at] == ':' && is_reference(text, line, at)) {
                end = line_end(text, at);
        } else if (text.data[at] == 'w' && left > 4 && memcmp(text.data + at, "www.", 4) == 0 &&
                   (at == 0 || strchr(" \t\n(", text.data[at - 1]))) {
                end = url_end(text, at + 4);
        }
        if (end <= start)
                return at + 1;
        *status = put(s, PAWL__NOT_PROSE, start, end);
        return end;
}

pawl_status pawl__markups_find(pawl__markups *out, pawl_text text)
{
        scan s = {text, out};
        pawl_status status = PAWL_OK;
        size_t line = front_matter(text), from = line;

        out->n = 0;
        if (line)
                status = put(&s, PAWL__NOT_PROSE, 0, line);
        while (line < text.len && !status) {
                const size_t fence = from <= line ? fenced(text, line) : 0;
                const size_t end = line_end(text, line);
                if (fence) {
                        status = put(&s, PAWL__NOT_PROSE, line, fence);
                        line = from = fence;
                        continue;
                }
                for (size_t at = next_sign(text, from > line ? from : line, end);
                        at < end && !status; at = next_sign(text, at, end)) {
                        const size_t n = out->n;
                        at = begin(&s, at, line, from, &status);
                        if (out->n > n)
                                from = at;
                }
                line = end;
        }
        return status;
}
