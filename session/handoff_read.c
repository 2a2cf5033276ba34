/*
 * A document as people left it. It is read line by line: a heading opens a section, a bullet an
 * entry, and a line that is indented deeper goes on with the one above it. In a section that is a
 * list of the format's own, a line without a bullet is an entry too; elsewhere lines are a
 * paragraph.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "base/unicode.h"
#include "session/handoff_text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADING_MAX = 80 }; /* bytes of a line that can be one of a person's own */

typedef struct reader {
        pawl__handoff_text *out;
        pawl_text rest;
        pawl__section section;
        pawl_text heading;
        pawl__buf entry;   /* the text of the one that is open */
        bool open, bullet; /* whether one is, and had a bullet */
        bool ticked;
        pawl_text alone; /* the heading's line, while nothing is below it */
        size_t indent;
} reader;

/* ---- Pieces of a line ------------------------------------------------------------------------ */

/* Bytes of white space at the start. */
static size_t space_at(pawl_text text)
{
        size_t at = 0;
        uint32_t c;

        while (at < text.len) {
                size_t len = pawl__unicode_decode(&c, text.data + at, text.len - at);
                if (!(pawl__unicode_class(c) & PAWL__SPACE) && c != 0xfeff)
                        break;
                at += len;
        }
        return at;
}

static pawl_text from(pawl_text text, size_t at)
{
        return pawl__text_n(text.data + at, text.len - at);
}

static pawl_text trim_start(pawl_text text)
{
        return from(text, space_at(text));
}

static pawl_text trim_end(pawl_text text)
{
        size_t keep = 0;
        uint32_t c;

        for (size_t at = 0; at < text.len;) {
                size_t len = pawl__unicode_decode(&c, text.data + at, text.len - at);
                at += len;
                if (!(pawl__unicode_class(c) & PAWL__SPACE))
                        keep = at;
        }
        return pawl__text_n(text.data, keep);
}

void pawl__collapse(pawl__buf *out, pawl_text text)
{
        bool first = true;

        for (text = trim_start(text); text.len; first = false) {
                size_t end = 0;
                uint32_t c;
                while (end < text.len) {
                        size_t len = pawl__unicode_decode(&c, text.data + end, text.len - end);
                        if (pawl__unicode_class(c) & PAWL__SPACE)
                                break;
                        end += len;
                }
                if (!first)
                        pawl__buf_addc(out, ' ');
                pawl__buf_add(out, text.data, end);
                text = trim_start(from(text, end));
        }
}

/* Bytes of the mark at the start, if white space or the end follows it; else 0. */
static size_t mark_len(pawl_text text, size_t len)
{
        pawl_text after = from(text, len);

        return after.len == 0 || space_at(after) ? len : 0;
}

/* "-", "*", "1." and their like. */
static size_t bullet_len(pawl_text text)
{
        static const char *const marks[] = {"-", "*", "+", "\u2022", "\u00b7", "\u2013", "\u2014"};
        size_t digits = 0;

        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
                if (pawl__text_starts(text, marks[i]))
                        return mark_len(text, strlen(marks[i]));
        while (digits < text.len && digits < 9 && text.data[digits] >= '0' &&
                text.data[digits] <= '9')
                digits++;
        if (digits && digits < text.len && (text.data[digits] == '.' || text.data[digits] == ')'))
                return mark_len(text, digits + 1);
        return 0;
}

/* "[ ]" or "[x]". */
static size_t box_len(pawl_text text, bool *ticked)
{
        static const struct {
                const char *box;
                bool ticked;
        } boxes[] = {{"[ ]", false}, {"[]", false}, {"[x]", true}, {"[X]", true},
                {"[\u2713]", true}, {"[\u2714]", true}};

        for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
                if (pawl__text_starts(text, boxes[i].box)) {
                        *ticked = boxes[i].ticked;
                        return mark_len(text, strlen(boxes[i].box));
                }
        return 0;
}

/* "-----", "=====": three marks of a kind or more, and nothing else. Not "- --", an item of a list.
 */
static bool is_rule(pawl_text line)
{
        for (size_t i = 0; i < line.len; i++)
                if (!strchr("-=*_~", line.data[i]) || line.data[i] != line.data[0])
                        return false;
        return line.len >= 3;
}

/* ---- Headings -------------------------------------------------------------------------------- */

static pawl_text without(pawl_text text, const char *marks, bool *decorated)
{
        size_t from_at = 0, to = text.len;

        while (from_at < to && strchr(marks, text.data[from_at]))
                from_at++;
        while (to > from_at && strchr(marks, text.data[to - 1]))
                to--;
        *decorated = *decorated || from_at > 0 || to < text.len;
        return trim_end(trim_start(pawl__text_n(text.data + from_at, to - from_at)));
}

/* Is it that name, but for spaces and, if @p any_case, case? */
static bool is_name(pawl_text text, const char *name, bool any_case)
{
        size_t i = 0;

        for (; *name; name++) {
                if (*name == ' ') {
                        size_t space = space_at(from(text, i));
                        if (!space)
                                return false;
                        i += space;
                        continue;
                }
                if (i == text.len)
                        return false;
                char c = text.data[i++];
                if (any_case && c >= 'a' && c <= 'z')
                        c = (char)(c - 'a' + 'A');
                if (c != *name)
                        return false;
        }
        return i == text.len;
}

pawl_text pawl__first_line(pawl_text text, size_t *len)
{
        size_t end = 0;

        while (end < text.len && text.data[end] != '\n' && text.data[end] != '\r')
                end++;
        *len = end + (end < text.len);
        if (end + 1 < text.len && text.data[end] == '\r' && text.data[end + 1] == '\n')
                ++*len;
        return pawl__text_n(text.data, end);
}

/* A word of the format alone on its line, in capitals, or with what makes it a heading elsewhere: a
 * rule below, "#" before it, ":" after it. Of another's heading only the rule and "#" are proof. */
static bool heading_of(pawl__section *section, pawl_text *heading, pawl_text line, pawl_text rest)
{
        bool decorated = false, proof = line.data[0] == '#';
        size_t len;
        pawl_text below = trim_end(trim_start(pawl__first_line(rest, &len)));
        pawl_text name = without(line, "#*_=:", &decorated);

        if (name.len && below.len && strchr("-=", below.data[0]) && is_rule(below) &&
                !bullet_len(line) && line.data[0] != '>')
                proof = true;
        for (int s = PAWL__SECTION_CURRENT; s < PAWL__SECTION_OTHER; s++)
                if (is_name(name, pawl__section_name((pawl__section)s), decorated || proof)) {
                        *section = (pawl__section)s;
                        *heading = pawl__text(pawl__section_name(*section));
                        return true;
                }
        if (!proof || !name.len || name.len > HEADING_MAX)
                return false;
        *section = PAWL__SECTION_OTHER;
        *heading = name;
        return true;
}

/* ---- Entries --------------------------------------------------------------------------------- */

static void keep_entry(reader *r, pawl_text heading, pawl_text text)
{
        pawl__handoff_text *out = r->out;

        if (text.len == 0)
                return;
        if (pawl__grow(&out->list, &out->cap, out->n + 1, sizeof *out->list)) {
                out->arena.failed = true;
                return;
        }
        out->list[out->n++] =
                (pawl__handoff_entry){r->section, pawl__arena_copy(&out->arena, heading),
                        pawl__arena_copy(&out->arena, text), r->ticked};
}

static void close_entry(reader *r)
{
        if (r->open)
                keep_entry(r, r->heading, trim_end(pawl__buf_text(&r->entry)));
        r->out->arena.failed |= r->entry.failed;
        pawl__buf_clear(&r->entry);
        r->open = r->ticked = false;
}

static void close_section(reader *r)
{
        close_entry(r);
        if (r->section == PAWL__SECTION_OTHER)
                keep_entry(r, pawl__text(""), r->alone);
}

static void add_line(reader *r, pawl_text line)
{
        if (r->entry.len)
                pawl__buf_addc(&r->entry, '\n');
        pawl__buf_add_text(&r->entry, line);
}

static bool is_prose(pawl__section section)
{
        return section == PAWL__SECTION_TITLE || section == PAWL__SECTION_OTHER ||
               section == PAWL__SECTION_NOTES;
}

static void take_text(reader *r, pawl_text line, size_t indent)
{
        bool ticked = false;
        size_t bullet = bullet_len(line);
        pawl_text text = trim_start(from(line, bullet));
        bool own = r->section == PAWL__SECTION_OTHER; /* a box there is text */
        size_t box = box_len(text, &ticked);
        bool goes_on =
                r->open && !bullet && !box &&
                (indent > r->indent || (is_prose(r->section) && !r->bullet && indent == r->indent));

        if (!goes_on) {
                close_entry(r);
                r->open = true;
                r->bullet = bullet || box;
                r->indent = indent;
                r->ticked = ticked && box && !own;
        }
        r->alone.len = 0;
        add_line(r, goes_on ? line : trim_start(from(text, own ? 0 : box)));
}

/* "HANDOFF session: mission ..." */
static bool take_title(reader *r, pawl_text line)
{
        static const char mission[] = ": mission ";
        const char *end;

        if (!pawl__text_starts(line, "HANDOFF "))
                return false;
        line = from(line, strlen("HANDOFF "));
        end = memmem(line.data, line.len, mission, sizeof mission - 1);
        if (!end)
                return false;
        close_section(r);
        r->section = PAWL__SECTION_TITLE;
        r->heading = pawl__text("");
        if (!r->out->session_id.data)
                r->out->session_id = pawl__arena_copy(
                        &r->out->arena, pawl__text_n(line.data, (size_t)(end - line.data)));
        return true;
}

static bool take_heading(reader *r, pawl_text line)
{
        pawl__section section;
        pawl_text heading;

        if (!heading_of(&section, &heading, line, r->rest))
                return false;
        close_section(r);
        r->section = section;
        r->heading = heading;
        r->alone = line;
        r->out->present[section] = true;
        return true;
}

/* What is after ">": a line of the entry that is open, if it is indented deeper; an empty one
 * ends none. False: it is a line as any other. */
static bool take_quoted(reader *r, pawl_text line, size_t indent)
{
        if (!r->open || (line.len && indent <= r->indent))
                return line.len == 0;
        add_line(r, line);
        return true;
}

static void take_line(reader *r, pawl_text raw)
{
        size_t indent = space_at(raw);
        pawl_text line = trim_end(from(raw, indent));

        if (line.len == 0) {
                close_entry(r);
                return;
        }
        if (take_title(r, line) || take_heading(r, line))
                return;
        if (is_rule(line)) {
                close_entry(r);
                return;
        }
        if (line.data[0] == '>') {
                line = trim_start(from(line, 1));
                if (take_quoted(r, line, indent))
                        return;
        }
        take_text(r, line, indent);
}

pawl_status pawl__handoff_read(pawl__handoff_text *out, pawl_text text, pawl_error *err)
{
        reader r = {.out = out, .rest = text, .heading = pawl__text("")};

        *out = (pawl__handoff_text){.n = 0};
        while (r.rest.len && !out->arena.failed) {
                size_t len;
                pawl_text line = pawl__first_line(r.rest, &len);
                r.rest = from(r.rest, len);
                take_line(&r, line);
        }
        close_section(&r);
        pawl__buf_free(&r.entry);
        pawl_status status = pawl__arena_check(&out->arena, err);
        if (status)
                pawl__handoff_text_free(out);
        return status;
}

pawl_status pawl__handoff_parse(
        pawl__handoff_text *out, const char *name, const char *data, size_t len, pawl_error *err)
{
        size_t valid;

        if (len > PAWL__HANDOFF_MAX)
                return pawl__fail(err, PAWL_EPARSE,
                        "%s: is larger than a handoff document (1 MiB); write it again with `pawl "
                        "handoff --write`",
                        name);
        if (len && memchr(data, '\0', len))
                return pawl__fail(err, PAWL_EPARSE,
                        "%s: has a NUL byte, and is no text; write it again with `pawl handoff "
                        "--write`",
                        name);
        valid = pawl__utf8_span(data, len);
        if (valid < len)
                return pawl__fail(err, PAWL_EPARSE,
                        "%s: byte %zu: is not UTF-8; save it as UTF-8, or write it again with "
                        "`pawl handoff --write FILE`",
                        name, valid + 1);
        return pawl__handoff_read(out, pawl__text_n(data, len), err);
}

void pawl__handoff_text_free(pawl__handoff_text *text)
{
        pawl__arena_free(&text->arena);
        free(text->list);
        *text = (pawl__handoff_text){.n = 0};
}

/* ---- Files ----------------------------------------------------------------------------------- */

pawl_status pawl__handoff_load(pawl__handoff_text *out, const char *path, pawl_error *err)
{
        pawl__buf data = PAWL__BUF_INIT;
        struct stat st;
        int error = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        pawl_status status = PAWL_OK;

        if (fd < 0)
                return pawl__fail_errno(err, errno, path, "read the handoff");
        if (fstat(fd, &st) != 0)
                error = errno;
        else if (!S_ISREG(st.st_mode))
                status = pawl__fail(err, PAWL_EPARSE, "%s: is not a regular file; name one", path);
        else
                error = pawl__read_all(&data, fd, PAWL__HANDOFF_MAX);
        close(fd);
        if (error && error != EFBIG) /* which is refused below */
                status = pawl__fail_errno(err, error, path, "read the handoff");
        if (!status)
                status = pawl__handoff_parse(out, path, pawl__buf_text(&data).data, data.len, err);
        pawl__buf_free(&data);
        return status;
}
