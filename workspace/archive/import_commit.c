#include "workspace/archive/import_commit.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "base/system.h"
#include "events/types.h"
#include "workspace/git/git_tree.h"
#include "workspace/name.h"
#include "workspace/store/rootdir.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DEEPEST 500 /* directories in each other */

typedef struct importing {
        pawl__workspace ws;
        pawl__git *git;
        pawl__rootdir root;
        const char *commit;
        char directory[PAWL__COMMIT_ID]; /* of git, for the root */
        unsigned char tree[32];
        uint64_t entries, files, bytes, skipped;
        unsigned depth;
        pawl__buf path; /* of the current directory, with a slash at its end; "" for the root */
        pawl__buf content;
        uint64_t n;
} importing;

/* One directory of the commit, while it is gone through. */
typedef struct level {
        importing *m;
        pawl__arena arena;
        pawl__git_entry *of_git;
        pawl__entry *entries;
        size_t n, cap, cap_git;
} level;

/* ---- The tree -------------------------------------------------------------------------------- */

static pawl_status keep_entry(const pawl__git_entry *entry, void *user, pawl_error *err)
{
        level *l = user;
        importing *m = l->m;

        if (pawl__tree_name_never(entry->name) && !pawl__text_is(entry->name, ".git"))
                return PAWL_OK; /* such as .pawl: no checkpoint has it */
        if (!pawl__tree_name_valid(entry->name))
                return pawl__fail(err, PAWL_EINVAL,
                        "commit %.40s: has an entry that git does not make in %s; run `git fsck`",
                        m->commit, m->path.len ? m->path.data : "its topmost directory");
        if (++m->entries > m->ws.max_files)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "commit %.40s: has more than %" PRIu64
                        " files and directories; take a checkpoint with a greater bound first: `pawl checkpoint --max-files N`",
                        m->commit, m->ws.max_files);
        if (pawl__grow(&l->of_git, &l->cap_git, l->n + 1, sizeof *l->of_git) ||
                pawl__grow(&l->entries, &l->cap, l->n + 1, sizeof *l->entries))
                return pawl__nomem(err);
        l->of_git[l->n] = *entry;
        l->of_git[l->n].name = pawl__arena_copy(&l->arena, entry->name);
        l->n++;
        return pawl__arena_check(&l->arena, err);
}

static int by_name(const void *a, const void *b)
{
        const pawl_text x = ((const pawl__git_entry *)a)->name,
                        y = ((const pawl__git_entry *)b)->name;
        const int order = memcmp(x.data, y.data, x.len < y.len ? x.len : y.len);

        return order ? order : (x.len > y.len) - (x.len < y.len);
}

/* What is at the path now keeps its mode where git would have the same: git knows of a file
 * whether it may be executed, and no more. */
static uint32_t mode_of(importing *m, pawl__git_kind kind)
{
        const uint32_t is = kind == PAWL__GIT_DIRECTORY ? S_IFDIR : S_IFREG;
        struct stat found;

        if (pawl__rootdir_stat(&m->root, pawl__buf_text(&m->path), &found) == 0 &&
                (found.st_mode & S_IFMT) == is &&
                (is == S_IFDIR || !(found.st_mode & 0100) == (kind == PAWL__GIT_FILE)))
                return found.st_mode & 0777;
        return kind == PAWL__GIT_FILE ? 0644 : 0755;
}

static pawl_status put(unsigned char hash[32], importing *m, pawl_text content, pawl_error *err)
{
        pawl_status status = pawl__sha256(
                pawl__contents_hasher(m->ws.contents), hash, content.data, content.len, err);

        return status ? status : pawl__contents_put_whole(m->ws.contents, hash, content, NULL, err);
}

static pawl_status take_directory(
        unsigned char hash[32], importing *m, const char id[PAWL__COMMIT_ID], pawl_error *err);

static pawl_status take_file(
        pawl__entry *out, importing *m, const pawl__git_entry *from, pawl_error *err)
{
        pawl__buf_clear(&m->content);
        pawl_status status = pawl__git_content(&m->content, m->git, from->id, err);

        if (status)
                return status;
        out->size = m->content.len;
        m->files++;
        m->bytes += out->size;
        if (m->bytes > m->ws.max_bytes)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "commit %.40s: has more than %" PRIu64
                        " bytes; take a checkpoint with a greater bound first: `pawl checkpoint --max-bytes SIZE`",
                        m->commit, m->ws.max_bytes);
        return put(out->hash, m, pawl__buf_text(&m->content), err);
}

static pawl_status take_link(
        pawl__entry *out, level *l, const pawl__git_entry *from, pawl_error *err)
{
        importing *m = l->m;

        pawl__buf_clear(&m->content);
        pawl_status status = pawl__git_content(&m->content, m->git, from->id, err);
        if (status)
                return status;
        const pawl_text target = pawl__buf_text(&m->content);
        if (!target.len || target.len > PAWL__TREE_TARGET_MAX ||
                memchr(target.data, '\0', target.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "%.*s: is a link in commit %.40s that leads nowhere; run `git fsck`",
                        PAWL__FMT(pawl__buf_text(&m->path)), m->commit);
        out->target = pawl__arena_copy(&l->arena, target);
        return pawl__arena_check(&l->arena, err);
}

static pawl_status take_entry(level *l, size_t i, pawl_error *err)
{
        importing *m = l->m;
        const pawl__git_entry *from = &l->of_git[i];
        pawl__entry *out = &l->entries[i];
        const size_t before = m->path.len;
        pawl_status status = PAWL_OK;

        *out = (pawl__entry){.name = from->name};
        pawl__buf_add_text(&m->path, from->name);
        if (m->path.failed)
                return pawl__nomem(err);
        switch (from->kind) {
        case PAWL__GIT_FILE:
        case PAWL__GIT_PROGRAM:
                out->kind = PAWL__ENTRY_FILE;
                out->mode = mode_of(m, from->kind);
                status = take_file(out, m, from, err);
                break;
        case PAWL__GIT_LINK:
                out->kind = PAWL__ENTRY_LINK;
                status = take_link(out, l, from, err);
                break;
        case PAWL__GIT_DIRECTORY:
                out->kind = PAWL__ENTRY_DIRECTORY;
                out->mode = mode_of(m, from->kind);
                pawl__buf_addc(&m->path, '/');
                status = take_directory(out->hash, m, from->id, err);
                break;
        case PAWL__GIT_SUBMODULE:
                out->kind = PAWL__ENTRY_SKIPPED;
                out->why = PAWL__SKIP_SPECIAL;
                m->skipped++;
                break;
        }
        m->path.len = before;
        m->path.data[before] = '\0';
        return status;
}

static pawl_status take_directory(
        unsigned char hash[32], importing *m, const char id[PAWL__COMMIT_ID], pawl_error *err)
{
        level l = {.m = m, .arena = PAWL__ARENA_INIT};
        pawl__buf encoded = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (++m->depth > DEEPEST)
                status = pawl__fail(err, PAWL_ETOOBIG,
                        "commit %.40s: has directories that are too deep in each other; choose "
                        "another",
                        m->commit);
        if (!status)
                status = pawl__git_entries(m->git, id, keep_entry, &l, err);
        if (!status && l.n)
                qsort(l.of_git, l.n, sizeof *l.of_git, by_name);
        for (size_t i = 0; i < l.n && !status; i++) {
                if (i && by_name(&l.of_git[i - 1], &l.of_git[i]) == 0)
                        status = pawl__fail(err, PAWL_EINVAL,
                                "commit %.40s: has %.*s twice; run `git fsck`", m->commit,
                                PAWL__FMT(l.of_git[i].name));
                else
                        status = take_entry(&l, i, err);
        }
        if (!status)
                status = pawl__tree_encode(&encoded, l.entries, l.n, err);
        if (!status)
                status = put(hash, m, pawl__buf_text(&encoded), err);
        pawl__buf_free(&encoded);
        free(l.entries);
        free(l.of_git);
        pawl__arena_free(&l.arena);
        m->depth--;
        return status;
}

/* ---- The checkpoint -------------------------------------------------------------------------- */

/* One that came in before, with the same tree; 0: none. */
static pawl_status find_known(importing *m, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        size_t n = 0;
        char tree[65];
        pawl_status status = pawl__state_workspace_all(&rows, &n, m->ws.state, &arena, err);

        pawl__hex(tree, m->tree, 32);
        for (size_t i = status ? 0 : n; i && !m->n && !status; i--) {
                const pawl__value *v = rows[i - 1].v;
                bool imported = false;
                if (v[PAWL__WCP_RUN].text.data || v[PAWL__WCP_PRUNED_SEQ].integer ||
                        (v[PAWL__WCP_INVALID_SEQ].integer && !pawl__row_given_up(&rows[i - 1])) ||
                        !pawl__text_is(v[PAWL__WCP_TREE].text, tree))
                        continue;
                status = pawl__workspace_imported(&imported, &m->ws, &rows[i - 1], err);
                if (imported)
                        m->n = (uint64_t)v[PAWL__WCP_N].integer;
        }
        pawl__arena_free(&arena);
        return status;
}

/* The hash that tells it from others, wherever an archive carries it, is of commit and tree. */
static pawl_status write_origin(pawl__json_writer *w, importing *m, int64_t now_us, pawl_error *err)
{
        unsigned char both[PAWL__COMMIT_ID - 1 + 32], hash[32];
        char time[28];

        memcpy(both, m->commit, PAWL__COMMIT_ID - 1);
        memcpy(both + PAWL__COMMIT_ID - 1, m->tree, 32);
        const pawl_status status = pawl__sha256(
                pawl__contents_hasher(m->ws.contents), hash, (const char *)both, sizeof both, err);
        pawl__time_format(time, now_us);
        pawl__json_name(w, "origin");
        pawl__json_open_object(w);
        pawl__json_member_text(w, "commit", pawl__text_n(m->commit, PAWL__COMMIT_ID - 1));
        pawl__json_member_hash(w, "hash", hash);
        pawl__json_member_string(w, "time", time);
        pawl__json_close_object(w);
        return status;
}

static pawl_status add_event(importing *m, pawl__batch *batch, pawl_error *err)
{
        const pawl_event event = {.time_us = pawl__wall_us(m->ws.log), .actor = m->ws.actor};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char id[PAWL__CHECKPOINT_ID_MAX], description[64];

        snprintf(description, sizeof description, "commit %.40s", m->commit);
        pawl__checkpoint_id(id, m->n, pawl__text_n(description, 19), event.time_us);
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "n", (int64_t)m->n);
        pawl__json_member_string(&w, "id", id);
        pawl__json_member_string(&w, "trigger", "auto");
        pawl__json_member_string(&w, "root", "."); /* until it is rolled back to, it has none */
        pawl__json_member_hash(&w, "tree", m->tree);
        pawl__json_member_integer(&w, "files", (int64_t)m->files);
        pawl__json_member_integer(&w, "bytes", (int64_t)m->bytes);
        pawl__json_member_integer(&w, "skipped", (int64_t)m->skipped);
        pawl__json_member_string(&w, "description", description);
        pawl__json_member_bool(&w, "imported", true);
        pawl_status status = write_origin(&w, m, event.time_us, err);
        pawl__json_close_object(&w);
        if (!status)
                status = pawl__batch_emit(batch, PAWL__WORKSPACE_CHECKPOINTED, &event, &w, err);
        pawl__json_writer_free(&w);
        return status;
}

/* Inside the transaction. */
static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        importing *m = user;

        (void)log;
        m->n = m->entries = m->files = m->bytes = m->skipped = 0;
        m->depth = 0;
        pawl_status status = pawl__workspace_locate(&m->ws, err);
        if (!status)
                status = pawl__workspace_check_idle(&m->ws, err);
        if (!status)
                status = take_directory(m->tree, m, m->directory, err);
        if (!status)
                status = find_known(m, err);
        if (status || m->n)
                return status;
        m->n = m->ws.last + 1;
        return add_event(m, batch, err);
}

static pawl_status open_all(importing *m, const char *repository, pawl_error *err)
{
        pawl_status status = repository ? pawl__git_open_at(&m->git, repository, err)
                                        : pawl__git_open(&m->git, m->ws.root, err);

        if (!status)
                status = pawl__git_directory(m->directory, m->git, m->commit, err);
        if (status)
                return status;
        const int error = pawl__rootdir_open(&m->root, m->ws.root);
        return error ? pawl__fail_errno(err, error, m->ws.root, "open it") : PAWL_OK;
}

pawl_status pawl__workspace_import_commit(uint64_t *n, pawl_log *log, const char *commit,
        const char *repository, const pawl_workspace_options *options, pawl_error *err)
{
        importing m = {.commit = commit, .root = PAWL__ROOTDIR_INIT, .path = PAWL__BUF_INIT};
        pawl_status status = pawl__workspace_open(&m.ws, log, options, err);

        if (status)
                return status;
        if (pawl__log_readonly(log))
                status = pawl__fail(err, PAWL_EREADONLY,
                        "commit %.40s: the log is open for reading; open it for writing", commit);
        if (!status)
                status = open_all(&m, repository, err);
        if (!status)
                status = pawl__contents_commit(m.ws.contents, fill, &m, err);
        if (!status)
                *n = m.n;
        pawl__rootdir_close(&m.root);
        pawl__git_close(m.git);
        pawl__buf_free(&m.path);
        pawl__buf_free(&m.content);
        pawl__workspace_close(&m.ws);
        return status;
}
