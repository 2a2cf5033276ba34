/* Which paths differ, by how many lines, and the patch that leads from one side to the other. */
#include "base/error.h"
#include "base/file.h"
#include "workspace/diff/compare.h"
#include "workspace/diff/patch.h"
#include "workspace/store/tree_diff.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static pawl_status get_directory(
        pawl__buf *out, const unsigned char hash[32], void *user, pawl_error *err)
{
        const pawl__comparing *c = user;

        return pawl__contents_directory(out, c->ws.contents, hash, err);
}

/* ---- What a file holds ----------------------------------------------------------------------- */

static pawl_status failed(const pawl__comparing *c, pawl_text path, pawl_error *err)
{
        return errno == ENOMEM ? pawl__nomem(err)
                               : pawl__fail(err, errno == ENOENT ? PAWL_ENOTFOUND : PAWL_EIO,
                                         "%.200s/%.*s: cannot be read: %s; try again", c->ws.root,
                                         PAWL__FMT(path), strerrordesc_np(errno));
}

/* A file of the workspace as it is now, which may be a moment later than the scan. */
static pawl_status read_file(pawl__buf *out, pawl__comparing *c, pawl_text path, pawl_error *err)
{
        int fd = pawl__rootdir_file(&c->root, path, O_RDONLY, 0);

        if (fd < 0)
                return failed(c, path, err);
        const int error = pawl__read_all(out, fd, PAWL__PATCH_MAX);
        close(fd);
        errno = error;
        return error && error != EFBIG ? failed(c, path, err) : PAWL_OK;
}

/* What a patch needs to know of one side. */
static pawl_status look_at(pawl__patch_side *side, pawl__comparing *c, pawl_text path,
        const pawl__entry *entry, bool in_workspace, pawl__buf *buf, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        *side = (pawl__patch_side){.kind = 0};
        if (!entry || entry->kind == PAWL__ENTRY_DIRECTORY)
                return PAWL_OK;
        side->kind = (char)entry->kind;
        side->mode = entry->mode;
        side->size = entry->size;
        if (entry->kind == PAWL__ENTRY_LINK) {
                side->content = entry->target;
                return PAWL_OK;
        }
        pawl__buf_clear(buf);
        if (entry->size <= PAWL__PATCH_MAX)
                status = in_workspace ? read_file(buf, c, path, err)
                                      : pawl__contents_read(c->ws.contents, entry->hash,
                                                entry->size, pawl__content_to_buf, buf, err);
        side->content = pawl__buf_text(buf);
        if (in_workspace)
                side->size = entry->size <= PAWL__PATCH_MAX ? buf->len : entry->size;
        return status;
}

/* ---- One change ------------------------------------------------------------------------------ */

static char letter_of(pawl__change_kind kind)
{
        switch (kind) {
        case PAWL__CHANGE_ADDED:
                return 'A';
        case PAWL__CHANGE_REMOVED:
                return 'D';
        case PAWL__CHANGE_KIND:
                return 'T';
        case PAWL__CHANGE_MODIFIED:
        case PAWL__CHANGE_MODE:
        case PAWL__CHANGE_INSIDE:
                break;
        }
        return 'M';
}

static pawl_status count_lines(
        pawl_file_change *file, pawl__comparing *c, const pawl__change *change, pawl_error *err)
{
        pawl__patch_side before, after;
        pawl__patch_counts counts = {{0, 0}, false};
        pawl_status status =
                look_at(&before, c, change->path, change->from, false, &c->before, err);

        if (!status)
                status = look_at(&after, c, change->path, change->to, !c->has_b, &c->after, err);
        if (status)
                return status;
        pawl__buf_clear(&c->hunks);
        status = pawl__patch_add(
                &counts, c->patch ? &c->hunks : NULL, change->path, &before, &after, err);
        file->lines_added = counts.lines.added;
        file->lines_removed = counts.lines.removed;
        file->binary = counts.binary;
        if (!status && c->patch && c->hunks.len)
                status = c->patch(c->hunks.data, c->hunks.len, c->patch_user);
        return status;
}

static pawl_status list_unknown(
        pawl__comparing *c, pawl_text path, const char *why, bool before, pawl_error *err)
{
        if (c->ws.part && !pawl__paths_have(&c->ws.paths, path) &&
                !pawl__paths_below(&c->ws.paths, path))
                return PAWL_OK;
        if (pawl__grow(&c->unknown, &c->cap_unknown, c->n_unknown + 1, sizeof *c->unknown))
                return pawl__nomem(err);
        c->unknown[c->n_unknown++] = (pawl_unknown_file){pawl__arena_copy(&c->ws.arena, path), why,
                before     ? c->a.n
                : c->has_b ? c->b.n
                           : 0};
        return pawl__arena_check(&c->ws.arena, err);
}

/* Name what one side captured and the other did not: there is no saying how it differs. A directory
 * stands for all that is in it. */
static pawl_status add_unknown(pawl__comparing *c, const pawl__change *change, pawl_error *err)
{
        const bool before = change->from && change->from->kind == PAWL__ENTRY_SKIPPED;
        const pawl__entry *skipped = before ? change->from : change->to;

        if (!change->from || !change->to || skipped->kind != PAWL__ENTRY_SKIPPED)
                return PAWL_OK;
        return list_unknown(c, change->path, pawl__skip_name(skipped->why), before, err);
}

/* The same of what one side ignores. What the workspace has not captured is there, or is not. */
static pawl_status add_ignored(
        bool *is, pawl__comparing *c, const pawl__change *change, pawl_error *err)
{
        const pawl__entry *only = change->from ? change->from : change->to;
        struct stat found;

        *is = pawl__path_within(change->path, c->ignored);
        if (*is || (change->from && change->to))
                return PAWL_OK;
        if (!change->to && !c->has_b)
                *is = pawl__rootdir_stat(&c->root, change->path, &found) == 0;
        else
                TRY(pawl__ignored_then_change(is, c->then, change, err));
        if (!*is)
                return PAWL_OK;
        TRY(list_unknown(c, change->path, "ignored", !change->from, err));
        if (only && only->kind == PAWL__ENTRY_DIRECTORY)
                c->ignored = pawl__arena_copy(&c->ws.arena, change->path);
        return pawl__arena_check(&c->ws.arena, err);
}

static pawl_status add_change(const pawl__change *change, void *user, pawl_error *err)
{
        pawl__comparing *c = user;
        pawl_file_change file = {.what = letter_of(change->kind)};
        bool told, ok = true;

        if (change->unknown)
                return add_unknown(c, change, err);
        TRY(add_ignored(&told, c, change, err));
        if (told)
                return PAWL_OK;
        if (c->ws.part && !pawl__paths_have(&c->ws.paths, change->path))
                return PAWL_OK;
        const pawl__directories directories = {get_directory, c};
        pawl_status status = pawl__change_counts(&told, &directories, change, &c->before, err);

        if (status || !told)
                return status;
        if (change->from) {
                file.kind_before = (char)change->from->kind;
                file.mode_before = change->from->mode;
                file.size_before = change->from->size;
        }
        if (change->to) {
                file.kind_after = (char)change->to->kind;
                file.mode_after = change->to->mode;
                file.size_after = change->to->size;
        }
        file.path = pawl__arena_text(&c->ws.arena, change->path, &ok);
        if (!ok || pawl__grow(&c->files, &c->cap_files, c->n_files + 1, sizeof file))
                return pawl__nomem(err);
        status = count_lines(&file, c, change, err);
        c->files[c->n_files++] = file;
        return status;
}

pawl_status pawl__compare_files(pawl__comparing *c, pawl_error *err)
{
        const pawl__directories directories = {get_directory, c};
        unsigned char from[32], to[32];

        if (!pawl__unhex32(from, c->rows[0].v[PAWL__WCP_TREE].text) ||
                (c->has_b && !pawl__unhex32(to, c->rows[1].v[PAWL__WCP_TREE].text)))
                return pawl__fail(err, PAWL_EDAMAGED,
                        "checkpoint %lld: its tree has no hash; see `eventlog replay --check`",
                        (long long)c->rows[0].v[PAWL__WCP_N].integer);
        if (c->scan)
                memcpy(to, c->scan->tree, 32);
        for (int i = 0; i < 1 + c->has_b; i++)
                c->then[i] = (pawl__ignored_then){.contents = c->ws.contents,
                        .directories = &directories,
                        .tree = i ? to : from,
                        .seq = (uint64_t)c->rows[i].v[PAWL__WCP_SEQ].integer};
        const pawl_status status = pawl__diff_trees(&directories, from, to, add_change, c, err);
        pawl__ignored_then_free(&c->then[0]);
        pawl__ignored_then_free(&c->then[1]);
        return status;
}
