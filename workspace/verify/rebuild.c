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
        bool directory, from_git;
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
        pawl__scan *scan; /* of the workspace, where a directory is damaged; else NULL */
        bool dry_run;
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
        pawl_status status;

        if (lost->directory) { /* of the scan: it was read by way of the overlay */
                pawl__buf_clear(&r->text);
                *has = true;
                return pawl__contents_directory(&r->text, r->ws.contents, lost->hash, r->err);
        }
        status = read_git(r, lost);
        *has = lost->from_git = is_content(r, lost, &status);
        if (status || *has)
                return status;
        status = read_workspace(r, lost);
        *has = is_content(r, lost, &status);
        return status;
}

/* ---- What is gone ---------------------------------------------------------------------------- */

static pawl_status add_found(struct rebuilding *r, const struct lost *lost)
{
        if (pawl__grow(&r->found, &r->cap, r->n + 1, sizeof *r->found))
                return pawl__nomem(r->err);
        r->found[r->n++] = *lost;
        return PAWL_OK;
}

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
        return add_found(r, &lost);
}

/* Met already? */
static pawl_status meet(bool *met, struct rebuilding *r, const unsigned char hash[32])
{
        const pawl_text key = pawl__text_n((const char *)hash, 32);

        *met = pawl__map_get(&r->seen, key) != PAWL__MAP_NONE;
        return !*met && pawl__map_put_copy(&r->seen, &r->arena, key, 1) ? pawl__nomem(r->err)
                                                                        : PAWL_OK;
}

/* A directory that could be read, perhaps from the scan alone. */
static pawl_status check_directory(struct rebuilding *r, const unsigned char hash[32])
{
        struct lost lost = {.directory = true};
        bool met = true, intact = true;

        if (r->scan)
                TRY(meet(&met, r, hash));
        if (!met)
                TRY(pawl__contents_intact(&intact, NULL, r->ws.contents, hash, r->err));
        memcpy(lost.hash, hash, 32);
        return intact ? PAWL_OK : add_found(r, &lost);
}

static pawl_status check_entry(const pawl__change *change, void *user, pawl_error *err)
{
        struct rebuilding *r = user;
        const pawl__entry *entry = change->to;

        bool met;

        if (entry->kind == PAWL__ENTRY_DIRECTORY)
                return check_directory(r, entry->hash);
        if (entry->kind != PAWL__ENTRY_FILE)
                return PAWL_OK;
        TRY(meet(&met, r, entry->hash));
        if (met)
                return PAWL_OK;
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
        pawl_status status = pawl__diff_trees(&directories, NULL, tree, check_entry, r, r->err);
        if (status != PAWL_ENOTFOUND && status != PAWL_EDAMAGED)
                return status;
        /* a directory is damaged: the workspace may have one that is the same */
        TRY(pawl__workspace_scan(&r->scan, &r->ws, false, r->err));
        const pawl__directories scanned = pawl__scan_directories(r->scan);
        pawl__contents_overlay(r->ws.contents, &scanned);
        pawl__map_free(&r->seen);
        r->seen = (pawl__map)PAWL__MAP_INIT;
        r->n = 0;
        r->result.missing = 0;
        TRY(check_directory(r, tree));
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

/* Other checkpoints may have what came back, too: all are looked at where one is marked. */
static pawl_status judge(struct rebuilding *r, const char *which, pawl_error *err)
{
        pawl_validation *found = NULL;
        pawl__row *rows = NULL;
        size_t n = 0, damaged = 0;
        pawl_status status = pawl__state_workspace_all(&rows, &n, r->ws.state, &r->arena, err);

        for (size_t i = 0; i < n && !status; i++)
                damaged += pawl__checkpoint_damaged(&rows[i]) &&
                           rows[i].v[PAWL__WCP_N].integer != (int64_t)r->result.n;
        if (!status)
                status = pawl_workspace_validate(&found, r->ws.log, damaged ? NULL : which, NULL,
                        true, r->ws.actor.data, err);
        for (size_t i = 0; !status && i < found->n; i++) {
                const pawl_validated *it = &found->items[i];
                if (it->n == r->result.n) {
                        r->result.good = it->good;
                        r->result.valid = it->good && it->valid;
                } else {
                        r->result.others += it->healed;
                }
        }
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
        if (r->dry_run)
                return status;
        if (!status && r->n > 0)
                status = pawl__contents_commit(r->ws.contents, fill, r, err);
        r->err = err;
        pawl__contents_overlay(r->ws.contents, NULL);
        if (!status)
                status = judge(r, which, err);
        return pawl__workspace_or_pruned(status, r->ws.state, &r->row, err);
}

static pawl_status run(pawl_rebuilt *out, pawl_log *log, const char *which, bool dry_run,
        const pawl_workspace_options *options, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        struct rebuilding r = {.root = PAWL__ROOTDIR_INIT, .dry_run = dry_run, .err = err};
        pawl_status status = pawl__workspace_open(&r.ws, log, options, err);

        if (status)
                return status;
        status = rebuild(&r, which, err);
        if (!status)
                *out = r.result;
        pawl__scan_free(r.scan);
        pawl__rootdir_close(&r.root);
        pawl__workspace_close(&r.ws);
        pawl__hasher_free(r.hasher);
        pawl__map_free(&r.seen);
        pawl__buf_free(&r.text);
        pawl__arena_free(&r.arena);
        free(r.found);
        return status;
}

pawl_status pawl_workspace_rebuild(pawl_rebuilt *out, pawl_log *log, const char *which,
        const pawl_workspace_options *options, pawl_error *err)
{
        return run(out, log, which, false, options, err);
}

pawl_status pawl_workspace_rebuildable(bool *all, pawl_log *log, const char *which,
        const pawl_workspace_options *options, pawl_error *err)
{
        pawl_rebuilt made = {.n = 0};
        const pawl_status status = run(&made, log, which, true, options, err);

        if (!status)
                *all = made.missing == 0;
        return status;
}
