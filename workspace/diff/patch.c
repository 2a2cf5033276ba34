#include "workspace/diff/patch.h"
#include "base/error.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
        return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static pawl_status add_quoted(pawl__buf *out, unsigned char c)
{
        static const char letters[] = "abtnvfr"; /* from 0x07 on */

        if (c >= 7 && c <= 13)
                return pawl__buf_addf(out, "\\%c", letters[c - 7]);
        if (c == '"' || c == '\\')
                return pawl__buf_addf(out, "\\%c", c);
        return is_plain(c) ? pawl__buf_addc(out, (char)c) : pawl__buf_addf(out, "\\%03o", c);
}

/* "a/PATH" as git names a file: in quotes, like a string in C, where there is anything in it but
 * printable ASCII. */
static pawl_status add_name(pawl__buf *out, char side, pawl_text path)
{
        bool plain = true;

        for (size_t i = 0; i < path.len; i++)
                plain = plain && is_plain((unsigned char)path.data[i]);
        if (plain) {
                pawl_status status = pawl__buf_addf(out, "%c/", side);
                return status ? status : pawl__buf_add(out, path.data, path.len);
        }
        pawl_status status = pawl__buf_addf(out, "\"%c/", side);
        for (size_t i = 0; i < path.len && status == PAWL_OK; i++)
                status = add_quoted(out, (unsigned char)path.data[i]);
        return status ? status : pawl__buf_addc(out, '"');
}

/* "--- a/PATH": with a tab behind a name that has spaces, where some would end it. */
static pawl_status add_file_line(
        pawl__buf *out, const char *start, char side, bool there, pawl_text path)
{
        pawl_status status = pawl__buf_adds(out, start);

        if (status == PAWL_OK && !there)
                return pawl__buf_adds(out, "/dev/null\n");
        const size_t at = out->len;
        if (status == PAWL_OK)
                status = add_name(out, side, path);
        if (status == PAWL_OK && out->data[at] != '"' && memchr(path.data, ' ', path.len))
                status = pawl__buf_addc(out, '\t');
        return status ? status : pawl__buf_addc(out, '\n');
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

static pawl_status add_header(pawl__buf *out, pawl_text path, const pawl__patch_side *before,
        const pawl__patch_side *after)
{
        pawl_status status = pawl__buf_adds(out, "diff --git ");

        if (status == PAWL_OK)
                status = add_name(out, 'a', path);
        if (status == PAWL_OK)
                status = pawl__buf_addc(out, ' ');
        if (status == PAWL_OK)
                status = add_name(out, 'b', path);
        if (status)
                return status;
        if (!before->kind)
                return pawl__buf_addf(out, "\nnew file mode %s\n%s", git_mode(after),
                        is_empty(after) ? "index 0000000..e69de29\n" : "");
        if (!after->kind)
                return pawl__buf_addf(out, "\ndeleted file mode %s\n%s", git_mode(before),
                        is_empty(before) ? "index e69de29..0000000\n" : "");
        if (strcmp(git_mode(before), git_mode(after)) == 0)
                return pawl__buf_addc(out, '\n');
        return pawl__buf_addf(
                out, "\nold mode %s\nnew mode %s\n", git_mode(before), git_mode(after));
}

static pawl_status add_binary(pawl__buf *out, pawl_text path, const pawl__patch_side *before,
        const pawl__patch_side *after)
{
        pawl_status status = pawl__buf_adds(out, "Binary files ");

        if (status == PAWL_OK)
                status = before->kind ? add_name(out, 'a', path) : pawl__buf_adds(out, "/dev/null");
        if (status == PAWL_OK)
                status = pawl__buf_adds(out, " and ");
        if (status == PAWL_OK)
                status = after->kind ? add_name(out, 'b', path) : pawl__buf_adds(out, "/dev/null");
        return status ? status : pawl__buf_adds(out, " differ\n");
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
static pawl_status add_body(pawl__buf *out, pawl_text path, const pawl__patch_side *before,
        const pawl__patch_side *after, bool binary, const pawl__buf *hunks)
{
        if (binary)
                return add_binary(out, path, before, after);
        if (hunks->len == 0)
                return PAWL_OK;
        pawl_status status = add_file_line(out, "--- ", 'a', before->kind, path);
        if (status == PAWL_OK)
                status = add_file_line(out, "+++ ", 'b', after->kind, path);
        return status ? status : pawl__buf_add(out, hunks->data, hunks->len);
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
        if (status == PAWL_OK && out &&
                (add_header(out, path, before, after) ||
                        (!same && add_body(out, path, before, after, binary, &hunks))))
                status = pawl__nomem(err);
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
