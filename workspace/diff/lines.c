#include "workspace/diff/lines.h"
#include "base/error.h"
#include "workspace/git/git_diff.h"

enum { BINARY_LOOK = 8000 /* bytes; git's buffer_is_binary() */, TEXT_MAX = 1 << 30 };

bool pawl__is_binary(pawl_text text)
{
        const size_t len = text.len < BINARY_LOOK ? text.len : BINARY_LOOK;

        return len > 0 && memchr(text.data, 0, len);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static uint64_t count_lines(pawl_text text)
{
        uint64_t lines = 0;
        const char *at = text.data, *end = at + text.len;

        while (at < end) {
                const char *newline = memchr(at, '\n', (size_t)(end - at));
                at = newline ? newline + 1 : end;
                lines++;
        }
        return lines;
}

/* Where the line ends that starts at the offset: behind its newline, or at the text's end. */
static size_t line_end(pawl_text text, size_t at)
{
        const char *newline = memchr(text.data + at, '\n', text.len - at);

        return newline ? (size_t)(newline + 1 - text.data) : text.len;
}

/* Where the line starts that ends at the offset, which is not 0. */
static size_t line_start(pawl_text text, size_t end)
{
        const char *newline = end > 1 ? memrchr(text.data, '\n', end - 1) : NULL;

        return newline ? (size_t)(newline + 1 - text.data) : 0;
}

/* Two texts that are equal but for [head, len - tail), which is whole lines on both sides. */
struct pair {
        pawl_text before, after;
        size_t head, tail;                  /* bytes */
        uint64_t lines_before, lines_after; /* in between */
};

static void cut_ends(struct pair *pair)
{
        const pawl_text a = pair->before, b = pair->after;
        const size_t most = a.len < b.len ? a.len : b.len;
        size_t head = 0, tail = 0;

        while (head < most && a.data[head] == b.data[head])
                head++;
        if (head == a.len && head == b.len) {
                pair->head = head;
                return;
        }
        /* back to the start of the line in which they part; a line that ends at the end of one text
         * is whole there only if it has its newline */
        if (head > 0 && a.data[head - 1] != '\n')
                head = line_start(a, head);
        while (tail < most - head && a.data[a.len - 1 - tail] == b.data[b.len - 1 - tail])
                tail++;
        /* on to the next start of a line, on both sides */
        if (tail > 0 && !((a.len == tail || a.data[a.len - tail - 1] == '\n') &&
                                (b.len == tail || b.data[b.len - tail - 1] == '\n')))
                tail = a.len - line_end(a, a.len - tail);
        pair->head = head;
        pair->tail = tail;
        pair->lines_before = count_lines(pawl__text_n(a.data + head, a.len - head - tail));
        pair->lines_after = count_lines(pawl__text_n(b.data + head, b.len - head - tail));
}

/* ---- Hunks ----------------------------------------------------------------------------------- */

struct comparing {
        pawl__line_counts counts;
        pawl__buf *hunks; /* NULL: only count */
        uint64_t offset;  /* lines before what libgit2 was given */
};

/* As git writes a range: "START,COUNT", without a count of 1; for none, the line before it. */
static void add_range(pawl__buf *out, char sign, uint64_t start, uint64_t count)
{
        pawl__buf_addf(out, " %c%llu", sign, (unsigned long long)(start - (count == 0)));
        if (count != 1)
                pawl__buf_addf(out, ",%llu", (unsigned long long)count);
}

static void add_header(
        pawl__buf *out, uint64_t start, uint64_t before, uint64_t start_after, uint64_t after)
{
        pawl__buf_adds(out, "@@");
        add_range(out, '-', start, before);
        add_range(out, '+', start_after, after);
        pawl__buf_adds(out, " @@\n");
}

static void add_line(pawl__buf *out, char sign, const char *line, size_t len)
{
        pawl__buf_addc(out, sign);
        pawl__buf_add(out, line, len);
        if (line[len - 1] != '\n')
                pawl__buf_adds(out, "\n\\ No newline at end of file\n");
}

static void add_lines(pawl__buf *out, char sign, pawl_text text, size_t from, size_t to)
{
        for (size_t end; from < to; from = end) {
                end = line_end(text, from);
                add_line(out, sign, text.data + from, end - from);
        }
}

/* Where the context starts before the head's end, or ends after the tail's start. */
static size_t context_from(const struct pair *pair, unsigned *lines)
{
        size_t from = pair->head;

        for (*lines = 0; *lines < PAWL__LINES_CONTEXT && from > 0; ++*lines)
                from = line_start(pair->before, from);
        return from;
}

static size_t context_to(const struct pair *pair, unsigned *lines)
{
        size_t to = pair->before.len - pair->tail;

        for (*lines = 0; *lines < PAWL__LINES_CONTEXT && to < pair->before.len; ++*lines)
                to = line_end(pair->before, to);
        return to;
}

/* One hunk that replaces everything between the ends. */
static void replace_all(struct comparing *c, const struct pair *pair)
{
        unsigned above = 0, below = 0;
        const size_t from = context_from(pair, &above), to = context_to(pair, &below);
        const size_t end_before = pair->before.len - pair->tail;
        const size_t end_after = pair->after.len - pair->tail;

        c->counts = (pawl__line_counts){pair->lines_after, pair->lines_before};
        if (!c->hunks || (pair->lines_before == 0 && pair->lines_after == 0))
                return;
        const uint64_t start = count_lines(pawl__text_n(pair->before.data, from)) + 1;
        const uint64_t around = above + below;
        add_header(c->hunks, start, pair->lines_before + around, start, pair->lines_after + around);
        add_lines(c->hunks, ' ', pair->before, from, pair->head);
        add_lines(c->hunks, '-', pair->before, pair->head, end_before);
        add_lines(c->hunks, '+', pair->after, pair->head, end_after);
        add_lines(c->hunks, ' ', pair->before, end_before, to);
}

/* ---- What libgit2 finds ---------------------------------------------------------------------- */

static void take_hunk(const pawl__git_hunk *hunk, void *user)
{
        struct comparing *c = user;

        /* where a range is empty, libgit2 names the line before it, as git does */
        if (c->hunks)
                add_header(c->hunks, c->offset + hunk->before + (hunk->n_before == 0),
                        hunk->n_before, c->offset + hunk->after + (hunk->n_after == 0),
                        hunk->n_after);
}

static void take_line(char origin, pawl_text line, void *user)
{
        struct comparing *c = user;

        c->counts.added += origin == '+';
        c->counts.removed += origin == '-';
        if (c->hunks)
                add_line(c->hunks, origin, line.data, line.len);
}

/* libgit2 is given what differs and the context around it: its memory is that of the lines. */
static pawl_status compare_lines(struct comparing *c, const struct pair *pair, pawl_error *err)
{
        unsigned above = 0, below = 0;
        const size_t from = context_from(pair, &above);
        const size_t rest = pair->before.len - context_to(pair, &below);

        c->offset = count_lines(pawl__text_n(pair->before.data, from));
        return pawl__git_compare(
                pawl__text_n(pair->before.data + from, pair->before.len - from - rest),
                pawl__text_n(pair->after.data + from, pair->after.len - from - rest),
                PAWL__LINES_CONTEXT, &(pawl__git_sink){take_hunk, take_line, c}, err);
}

pawl_status pawl__lines_compare(pawl__line_counts *counts, pawl__buf *hunks, pawl_text before,
        pawl_text after, pawl_error *err)
{
        struct comparing c = {.hunks = hunks};
        struct pair pair = {before, after, 0, 0, 0, 0};
        const size_t len = hunks ? hunks->len : 0;
        pawl_status status;

        if (before.len > TEXT_MAX || after.len > TEXT_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "two texts: one has more than 1 GiB; compare such files with other tools");
        if (!before.data)
                pair.before = pawl__text("");
        if (!after.data)
                pair.after = pawl__text("");
        cut_ends(&pair);
        status = PAWL_DONE;
        if (pair.lines_before != 0 && pair.lines_after != 0 &&
                pair.lines_before + pair.lines_after <= PAWL__LINES_MAX)
                status = compare_lines(&c, &pair, err);
        if (status == PAWL_DONE) {
                replace_all(&c, &pair);
                status = PAWL_OK;
        }
        if (!status && hunks)
                status = pawl__buf_check(hunks, err);
        if (status == PAWL_OK)
                *counts = c.counts;
        else if (hunks && hunks->data) {
                hunks->len = len;
                hunks->data[len] = '\0';
        }
        return status;
}
