/* Contents that are gone come back from git, or from the workspace, where their hashes are the
 * same. */
#include "base/error.h"
#include "base/file.h"
#include "base/json_write.h"
#include "events/own_files.h"
#include "events/types.h"
#include "workspace/store/rootdir.h"
#include "workspace/workspace.h"
#include <errno.h>
#include <fcntl.h>
#include <pawl/validate.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A file whose content is not in the log as it should be, and who has it. */
struct lost {
        unsigned char hash[32];
        uint64_t size;
        pawl_text path;
        bool from_git;
};

struct rebuilding {
        pawl__workspace ws;
        pawl__rootdir root;
        pawl__own_files own; /* the log's */
        pawl__arena arena;
        pawl__row row;
        struct lost *found;
        size_t n, cap;
        pawl__map seen; /* contents that were looked at */
        pawl__hasher *hasher;
        pawl__buf text;
        pawl_rebuilt result;
        pawl_error *err;
};

/* ---- Sources --------------------------------------------------------------------------------- */

/* Is the text this content? */
static bool is_content(struct rebuilding *r, const struct lost *lost, pawl_status *status)
{
        unsigned char hash[32];

        if (*status || r->text.len != lost->size)
                return false;
        *status = pawl__sha256(r->hasher, hash, pawl__buf_text(&r->text).data, r->text.len, r->err);
        return !*status && memcmp(hash, lost->hash, 32) == 0;
}

/* The file of that path in the commit. Not there, or without git: nothing. */
static pawl_status read_git(struct rebuilding *r, const struct lost *lost)
{
        const pawl_text head = r->row.v[PAWL__WCP_GIT_HEAD].text;

        pawl__buf_clear(&r->text);
        if (!r->ws.git || !head.data)
                return PAWL_OK;
        pawl_status status =
                pawl__git_blob(&r->text, r->ws.git, head.data, lost->path, lost->size, r->err);
        return status == PAWL_ENOTFOUND || status == PAWL_ETOOBIG ? PAWL_OK : status;
}

/* The file of that path in the workspace. What cannot be read is not there. */
static pawl_status read_workspace(struct rebuilding *r, const struct lost *lost)
{
        struct stat st;

        pawl__buf_clear(&r->text);
        if (pawl__own_files_named(&r->own, lost->path) ||
                pawl__rootdir_stat(&r->root, lost->path, &st) != 0 ||
                pawl__own_files_is(&r->own, &st))
                return PAWL_OK;
        const int fd = pawl__rootdir_file(&r->root, lost->path, O_RDONLY, 0);
        if (fd < 0)
                return PAWL_OK;
        const int error = pawl__read_all(&r->text, fd, lost->size);
        close(fd);
        return error == ENOMEM ? pawl__nomem(r->err) : PAWL_OK;
}

/* Its content into r->text, from whoever has it: *has. */
static pawl_status fetch(bool *has, struct rebuilding *r, struct lost *lost)
{
        pawl_status status = read_git(r, lost);

        *has = lost->from_git = is_content(r, lost, &status);
        if (status || *has)
                return status;
        status = read_workspace(r, lost);
        *has = is_content(r, lost, &status);
        return status;
}

/* ---- What is gone ---------------------------------------------------------------------------- */

static pawl_status look_for(struct rebuilding *r, const pawl__change *change)
{
        struct lost lost = {.size = change->to->size};
        bool has = false, ok = true;

        memcpy(lost.hash, change->to->hash, 32);
        lost.path = pawl__arena_text(&r->arena, change->path, &ok);
        if (!ok)
                return pawl__nomem(r->err);
        pawl_status status = fetch(&has, r, &lost);
        if (status)
                return status;
        if (!has) {
                r->result.missing++;
                return PAWL_OK;
        }
        if (pawl__grow(&r->found, &r->cap, r->n + 1, sizeof *r->found))
                return pawl__nomem(r->err);
        r->found[r->n++] = lost;
        return PAWL_OK;
}

static pawl_status check_entry(const pawl__change *change, void *user, pawl_error *err)
{
        struct rebuilding *r = user;
        const pawl__entry *entry = change->to;

        if (entry->kind != PAWL__ENTRY_FILE)
                return PAWL_OK;
        const pawl_text key = pawl__text_n((const char *)entry->hash, 32);
        if (pawl__map_get(&r->seen, key) != PAWL__MAP_NONE)
                return PAWL_OK;
        if (pawl__map_put_copy(&r->seen, &r->arena, key, 1))
                return pawl__nomem(err);
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = pawl__contents_read(
                r->ws.contents, entry->hash, entry->size, pawl__content_to_nothing, NULL, &why);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return look_for(r, change);
        if (status && err)
                *err = why;
        return status;
}

static pawl_status find_lost(struct rebuilding *r)
{
        const pawl__directories directories = pawl__contents_directories(r->ws.contents);
        unsigned char tree[32];

        if (!pawl__unhex32(tree, r->row.v[PAWL__WCP_TREE].text))
                return pawl__fail(r->err, PAWL_EDAMAGED,
                        "checkpoint %llu: its tree is no hash; put back a copy of the log",
                        (unsigned long long)r->result.n);
        return pawl__diff_trees(&directories, NULL, tree, check_entry, r, r->err);
}

/* ---- Putting it back ------------------------------------------------------------------------- */

static pawl_status put_back(struct rebuilding *r, struct lost *lost, pawl_error *err)
{
        bool has = false;
        pawl_status status = fetch(&has, r, lost);

        if (!status && !has)
                return pawl__fail(err, PAWL_EINPUTS, "%.*s: changed while it was read; try again",
                        PAWL__FMT(lost->path));
        if (!status)
                status = pawl__contents_drop(r->ws.contents, lost->hash, err);
        if (!status)
                status = pawl__contents_put_whole(
                        r->ws.contents, lost->hash, pawl__buf_text(&r->text), NULL, err);
        if (lost->from_git)
                r->result.from_git++;
        else
                r->result.from_workspace++;
        return status;
}

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct rebuilding *r = user;
        pawl_status status = PAWL_OK;

        (void)log, (void)batch;
        r->err = err;
        r->result.from_git = r->result.from_workspace = 0;
        for (size_t i = 0; i < r->n && !status; i++)
                status = put_back(r, &r->found[i], err);
        return status;
}

static pawl_status say_valid(
        pawl__batch *batch, const struct rebuilding *r, uint64_t n, pawl_error *err)
{
        const pawl_event event = {.actor = r->ws.actor};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "n", (int64_t)n);
        pawl__json_member_bool(&w, "valid", true);
        return pawl__batch_emit(batch, PAWL__CHECKPOINT_UPDATED, &event, &w, err);
}

/* Marked as damaged, not given up by a rollback, and not pruned since? */
static bool was_damaged(const pawl__row *row)
{
        static const char damaged[] = "damaged: ";
        const pawl_text reason = row->v[PAWL__WCP_INVALID_REASON].text;

        return row->v[PAWL__WCP_INVALID_SEQ].integer && !row->v[PAWL__WCP_PRUNED_SEQ].integer &&
               reason.data && reason.len >= sizeof damaged - 1 &&
               memcmp(reason.data, damaged, sizeof damaged - 1) == 0;
}

/* Each that is good, and is marked as damaged, is valid again. */
static pawl_status mark_good(struct rebuilding *r, const pawl_validation *found, pawl_error *err)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < found->n && !status; i++) {
                const pawl_validated *it = &found->items[i];
                pawl__row row = {.v[PAWL__WCP_N].integer = (int64_t)it->n};
                const bool own = it->n == r->result.n;
                status = pawl__state_get(r->ws.state, PAWL__WORKSPACE, &row, &r->arena, err);
                if (status)
                        break;
                const bool heals = it->good && was_damaged(&row);
                if (heals)
                        status = say_valid(&batch, r, it->n, err);
                if (own)
                        r->result.valid =
                                it->good && (heals || !row.v[PAWL__WCP_INVALID_SEQ].integer ||
                                                    pawl__row_given_up(&row));
                else
                        r->result.others += heals;
                if (own)
                        r->result.good = it->good;
        }
        if (!status && batch.n > 0)
                status = pawl__log_failed(
                        r->ws.log, pawl__log_commit(r->ws.log, &batch, 0, NULL), err);
        pawl__batch_free(&batch);
        return status;
}

/* Other checkpoints may have what came back, too: those are looked at where any is damaged. */
static pawl_status judge(struct rebuilding *r, const char *which, pawl_error *err)
{
        pawl_validation *found = NULL;
        pawl__row *rows = NULL;
        size_t n = 0, damaged = 0;
        pawl_status status = pawl__state_workspace_all(&rows, &n, r->ws.state, &r->arena, err);

        for (size_t i = 0; i < n && !status; i++)
                damaged += was_damaged(&rows[i]) &&
                           rows[i].v[PAWL__WCP_N].integer != (int64_t)r->result.n;
        if (!status)
                status = pawl_workspace_validate(
                        &found, r->ws.log, damaged ? NULL : which, NULL, false, NULL, err);
        if (!status)
                status = mark_good(r, found, err);
        pawl_validation_free(found);
        return status;
}

static pawl_status rebuild(struct rebuilding *r, const char *which, pawl_error *err)
{
        pawl__git_head head;
        pawl_status status = pawl__workspace_find(&r->row, r->ws.state, which, &r->arena, err);

        if (!status && r->row.v[PAWL__WCP_PRUNED_SEQ].integer != 0)
                status = pawl__fail(
                        err, PAWL_ENOTFOUND, "checkpoint %.100s: was pruned; take another", which);
        if (!status)
                status = pawl__hasher_new(&r->hasher, err);
        if (!status)
                status = pawl__workspace_git(&head, &r->ws, &r->arena, err);
        if (status < 0)
                return status;
        r->result.n = (uint64_t)r->row.v[PAWL__WCP_N].integer;
        if (pawl__rootdir_open(&r->root, r->ws.root) == 0) /* not there: no file will be found */
                (void)pawl__own_files_find(&r->own, pawl__log_place(r->ws.log), r->root.root);
        status = find_lost(r);
        if (!status && r->n > 0)
                status = pawl__contents_commit(r->ws.contents, fill, r, err);
        r->err = err;
        if (!status)
                status = judge(r, which, err);
        return pawl__workspace_or_pruned(status, r->ws.state, &r->row, err);
}

pawl_status pawl_workspace_rebuild(pawl_rebuilt *out, pawl_log *log, const char *which,
        const pawl_workspace_options *options, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        struct rebuilding r = {.root = PAWL__ROOTDIR_INIT, .err = err};
        pawl_status status = pawl__workspace_open(&r.ws, log, options, err);

        if (status)
                return status;
        status = rebuild(&r, which, err);
        if (!status)
                *out = r.result;
        pawl__rootdir_close(&r.root);
        pawl__workspace_close(&r.ws);
        pawl__hasher_free(r.hasher);
        pawl__map_free(&r.seen);
        pawl__buf_free(&r.text);
        pawl__arena_free(&r.arena);
        free(r.found);
        return status;
}
