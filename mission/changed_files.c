/* Which files changed before a run was resumed: since the checkpoint that its workspace was at. */
#include "base/error.h"
#include "mission/runner.h"
#include "workspace/ignored_then.h"
#include "workspace/store/own_documents.h"
#include "workspace/workspace.h"

typedef struct counting {
        pawl_workspace_checkpoint_info *info;
        pawl__directories directories;
        pawl__buf documents, scratch;
        pawl__ignored_then then[2]; /* what its base and this one leave out */
} counting;

/* What Pawl wrote itself, as the handoff, nobody else changed. */
static pawl_status count(const pawl__change *change, void *user, pawl_error *err)
{
        counting *c = user;
        bool counts, ignored = false;

        if (change->to && change->to->kind == PAWL__ENTRY_FILE &&
                pawl__own_documents_have(&c->documents, change->to->hash))
                return PAWL_OK;
        TRY(pawl__change_counts(&counts, &c->directories, change, &c->scratch, err));
        if (counts)
                TRY(pawl__ignored_then_change(&ignored, c->then, change, err));
        if (!counts || ignored)
                return PAWL_OK;
        if (change->kind == PAWL__CHANGE_ADDED)
                c->info->added++;
        else if (change->kind == PAWL__CHANGE_REMOVED)
                c->info->removed++;
        else
                c->info->modified++;
        return PAWL_OK;
}

/* The trees of both, what both leave out, and what Pawl wrote. */
static bool read_sides(counting *c, unsigned char trees[2][32], pawl__workspace *ws,
        pawl__arena *arena, pawl_error *err)
{
        pawl__row base = {.v[PAWL__WCP_N].integer = (int64_t)c->info->base};

        if (!c->info->base || pawl__state_get(ws->state, PAWL__WORKSPACE, &base, arena, err) ||
                !pawl__unhex32(trees[0], base.v[PAWL__WCP_TREE].text) ||
                !pawl__unhex32(trees[1], c->info->tree))
                return false;
        for (size_t i = 0; i < 2; i++)
                c->then[i] = (pawl__ignored_then){.contents = ws->contents,
                        .directories = &c->directories,
                        .tree = trees[i],
                        .seq = i ? c->info->seq : (uint64_t)base.v[PAWL__WCP_SEQ].integer};
        return !pawl__own_documents_read(&c->documents, ws->log, err);
}

void pawl__changed_files(pawl_workspace_checkpoint_info *info, pawl__workspace *ws)
{
        counting c = {.info = info,
                .directories = pawl__contents_directories(ws->contents),
                .documents = PAWL__BUF_INIT,
                .scratch = PAWL__BUF_INIT};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error ignored = PAWL_ERROR_INIT;
        unsigned char trees[2][32];

        info->has_changed =
                read_sides(&c, trees, ws, &arena, &ignored) &&
                !pawl__diff_trees(&c.directories, trees[0], trees[1], count, &c, &ignored);
        if (!info->has_changed)
                info->added = info->removed = info->modified = 0;
        pawl__ignored_then_free(&c.then[0]);
        pawl__ignored_then_free(&c.then[1]);
        pawl__buf_free(&c.documents);
        pawl__buf_free(&c.scratch);
        pawl__arena_free(&arena);
}
