#include "workspace/diff/patch.h"
#include "base/error.h"
#include "workspace/diff/binary_patch.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
        return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void add_quoted(pawl__buf *out, unsigned char c)
{
        static const char letters[] = "abtnvfr"; /* from 0x07 on */

        if (c >= 7 && c <= 13)
                pawl__buf_addf(out, "\\%c", letters[c - 7]);
        else if (c == '"' || c == '\\')
                pawl__buf_addf(out, "\\%c", c);
        else
                pawl__buf_addf(out, is_plain(c) ? "%c" : "\\%03o", c);
}

/* "a/PATH" as git names a file: in quotes, like a string in C, where there is anything in it but
 * printable ASCII; or that there is none. */
static void add_name(pawl__buf *out, char side, bool there, pawl_text path)
{
        bool plain = true;

        for (size_t i = 0; i < path.len; i++)
                plain = plain && is_plain((unsigned char)path.data[i]);
        if (!there) {
                pawl__buf_adds(out, "/dev/null");
        } else if (plain) {
                pawl__buf_addf(out, "%c/", side);
                pawl__buf_add_text(out, path);
        } else {
                pawl__buf_addf(out, "\"%c/", side);
                for (size_t i = 0; i < path.len; i++)
                        add_quoted(out, (unsigned char)path.data[i]);
                pawl__buf_addc(out, '"');
        }
}

/* "--- a/PATH": with a tab behind a name that has spaces, where some would end it. */
static void add_file_line(pawl__buf *out, const char *start, char side, bool there, pawl_text path)
{
        pawl__buf_adds(out, start);
        const size_t at = out->len;
        add_name(out, side, there, path);
        if (there && !out->failed && out->data[at] != '"' && memchr(path.data, ' ', path.len))
                pawl__buf_addc(out, '\t');
        pawl__buf_addc(out, '\n');
}

/* ---- One path -------------------------------------------------------------------------------- */

static const char *git_mode(const pawl__patch_side *side)
{
        if (side->kind == 'l')
                return "120000";
        return side->mode & 0100 ? "100755" : "100644";
}

/* Of an empty file there are no hunks; patch wants git's names of the contents then, to know that
 * it is created or removed. */
static bool is_empty(const pawl__patch_side *side)
{
        return side->kind == 'f' && side->size == 0;
}

static void add_header(pawl__buf *out, pawl_text path, const pawl__patch_side *before,
        const pawl__patch_side *after, bool binary)
{
        pawl__buf_adds(out, "diff --git ");
        add_name(out, 'a', true, path);
        pawl__buf_addc(out, ' ');
        add_name(out, 'b', true, path);
        if (!before->kind)
                pawl__buf_addf(out, "\nnew file mode %s\n%s", git_mode(after),
                        !binary && is_empty(after) ? "index 0000000..e69de29\n" : "");
        else if (!after->kind)
                pawl__buf_addf(out, "\ndeleted file mode %s\n%s", git_mode(before),
                        !binary && is_empty(before) ? "index e69de29..0000000\n" : "");
        else if (strcmp(git_mode(before), git_mode(after)) == 0)
                pawl__buf_addc(out, '\n');
        else
                pawl__buf_addf(
                        out, "\nold mode %s\nnew mode %s\n", git_mode(before), git_mode(after));
}

/* A content, never NULL for a side that is there. */
static pawl_text content_of(const pawl__patch_side *side)
{
        if (!side->kind)
                return (pawl_text){NULL, 0};
        return side->content.data ? side->content : (pawl_text){"", 0};
}

/* Beyond PAWL__PATCH_MAX nothing was read: git names the file then, and needs --exclude. */
static void add_binary(pawl__buf *out, pawl_text path, const pawl__patch_side *before,
        const pawl__patch_side *after)
{
        if (before->size <= PAWL__PATCH_MAX && after->size <= PAWL__PATCH_MAX) {
                pawl__binary_index(out, content_of(before), content_of(after));
                pawl__binary_patch(out, content_of(before), content_of(after));
                return;
        }
        pawl__buf_addf(out, "index %s..%s\nBinary files ", before->kind ? "0000001" : "0000000",
                after->kind ? "0000002" : "0000000");
        add_name(out, 'a', before->kind, path);
        pawl__buf_adds(out, " and ");
        add_name(out, 'b', after->kind, path);
        pawl__buf_adds(out, " differ\n");
}

static bool is_binary(const pawl__patch_side *side)
{
        return side->kind == 'f' &&
               (side->size > PAWL__PATCH_MAX || pawl__is_binary(side->content));
}

static bool same_mode(const pawl__patch_side *before, const pawl__patch_side *after)
{
        return before->kind && after->kind && strcmp(git_mode(before), git_mode(after)) == 0;
}

static bool same_content(const pawl__patch_side *before, const pawl__patch_side *after)
{
        if (before->size > PAWL__PATCH_MAX || after->size > PAWL__PATCH_MAX)
                return false; /* the caller found that they differ */
        return before->content.len == after->content.len &&
               (before->content.len == 0 ||
                       memcmp(before->content.data, after->content.data, after->content.len) == 0);
}

/* What follows the header, from @p hunks. */
static void add_body(pawl__buf *out, pawl_text path, const pawl__patch_side *before,
        const pawl__patch_side *after, bool binary, const pawl__buf *hunks)
{
        if (binary)
                add_binary(out, path, before, after);
        if (binary || hunks->len == 0)
                return;
        add_file_line(out, "--- ", 'a', before->kind, path);
        add_file_line(out, "+++ ", 'b', after->kind, path);
        pawl__buf_add_text(out, pawl__buf_text(hunks));
}

/* Both sides are of one kind, or one of them is nothing. */
static pawl_status add_one(pawl__patch_counts *counts, pawl__buf *out, pawl_text path,
        const pawl__patch_side *before, const pawl__patch_side *after, pawl_error *err)
{
        pawl__buf hunks = PAWL__BUF_INIT;
        const bool same = before->kind && after->kind && same_content(before, after);
        const bool binary = !same && (is_binary(before) || is_binary(after));
        pawl__line_counts lines = {0, 0};
        pawl_status status = PAWL_OK;

        if ((same && same_mode(before, after)) || (!before->kind && !after->kind))
                return PAWL_OK;
        if (!same && !binary)
                status = pawl__lines_compare(
                        &lines, out ? &hunks : NULL, before->content, after->content, err);
        if (status == PAWL_OK && out) {
                add_header(out, path, before, after, binary);
                if (!same)
                        add_body(out, path, before, after, binary, &hunks);
                status = pawl__buf_check(out, err);
        }
        pawl__buf_free(&hunks);
        if (status)
                return status;
        counts->lines.added += lines.added;
        counts->lines.removed += lines.removed;
        counts->binary = counts->binary || binary;
        return PAWL_OK;
}

pawl_status pawl__patch_add(pawl__patch_counts *counts, pawl__buf *out, pawl_text path,
        const pawl__patch_side *before, const pawl__patch_side *after, pawl_error *err)
{
        static const pawl__patch_side nothing = {0, 0, 0, {NULL, 0}};
        pawl__patch_counts found = {{0, 0}, false};
        const size_t len = out ? out->len : 0;
        const bool replaced = before->kind && after->kind && before->kind != after->kind;
        pawl_status status = add_one(&found, out, path, before, replaced ? &nothing : after, err);

        if (status == PAWL_OK && replaced)
                status = add_one(&found, out, path, &nothing, after, err);
        if (status == PAWL_OK)
                *counts = found;
        else if (out && out->data) {
                out->len = len;
                out->data[len] = '\0';
        }
        return status;
}
