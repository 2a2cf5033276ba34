/* What a rollback may touch: what checkpoints recorded, what an earlier rollback touched or could
 * not write, what a tool call names. */
#include "base/error.h"
#include "workspace/rollback/rollback_internal.h"

void pawl__rollback_rights_free(pawl__rollback_rights *l)
{
        pawl__tracked_paths_free(l->rights.recorded);
        pawl__tracked_paths_free(l->rights.removable);
        pawl__buf_free(&l->recorded);
        pawl__buf_free(&l->removable);
        pawl__map_free(&l->also);
        pawl__paths_free(&l->only);
        pawl__plan_free(&l->before);
}

/* The checkpoint after the one that a tool call is taken back to; 0: there is none. */
static int64_t next_number(
        const pawl_rollback_plan *p, const pawl__workspace *ws, const pawl__row *rows, size_t n)
{
        for (size_t i = 0; i < n && p->restore; i++)
                if (rows[i].v[PAWL__WCP_N].integer > p->target.v[PAWL__WCP_N].integer &&
                        rows[i].v[PAWL__WCP_ROOT].text.data &&
                        pawl__same_worktree(rows[i].v[PAWL__WCP_WORKTREE].text, ws->worktree))
                        return rows[i].v[PAWL__WCP_N].integer;
        return 0;
}

/* The trees of all checkpoints that are no safety copies and are kept. An undo removes only what
 * came after the safety copy that it goes to, and what its rollback wrote; a call that is taken
 * back made what the next checkpoint has. No checkpoint is next to a commit of git that was
 * brought in. */
static pawl_status recorded_trees(
        pawl__rollback_rights *l, pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        unsigned char tree[32];
        pawl__row *rows = NULL;
        size_t n = 0;
        if (p->whole)
                return pawl__buf_add(&l->recorded, p->plan.target_tree, 32) ||
                                       pawl__buf_add(&l->recorded, p->plan.now, 32)
                               ? pawl__nomem(err)
                               : PAWL_OK;
        pawl_status status = pawl__state_workspace_all(&rows, &n, ws->state, &p->arena, err);
        const int64_t next = status ? 0 : next_number(p, ws, rows, n);

        for (size_t i = 0; i < n && !status; i++) {
                const pawl__value *v = rows[i].v;
                const int64_t at = v[PAWL__WCP_N].integer;
                const bool since = p->restore ? l->rights.imported || at == next
                                              : at > p->target.v[PAWL__WCP_N].integer;
                if ((v[PAWL__WCP_SAFETY].integer && at != next) || pawl__row_of_run(&rows[i]) ||
                        v[PAWL__WCP_PRUNED_SEQ].integer ||
                        !pawl__unhex32(tree, v[PAWL__WCP_TREE].text))
                        continue;
                if (pawl__buf_add(&l->recorded, tree, sizeof tree) ||
                        (since && pawl__buf_add(&l->removable, tree, sizeof tree)))
                        status = pawl__nomem(err);
        }
        return status;
}

static pawl_status keep_path(pawl__map *paths, uint32_t value, pawl__paths *only,
        pawl_rollback_plan *p, pawl_text path, pawl_error *err)
{
        bool ok = true;
        pawl_text kept = pawl__arena_text(&p->arena, path, &ok);

        if (!ok || pawl__map_put(paths, kept, value))
                return pawl__nomem(err);
        return only ? pawl__paths_add(only, kept, err) : PAWL_OK;
}

/* What the rollback touched that is undone, its undoing may touch too, whatever was pruned since.
 */
static pawl_status undone_paths(pawl__rollback_rights *l, pawl_rollback_plan *p, pawl_error *err)
{
        const pawl__plan *undone = &l->before;

        for (size_t i = 0; i < undone->n_steps; i++)
                TRY(keep_path(&l->also, undone->steps[i].from.kind == PAWL__ENTRY_NONE, &l->only, p,
                        undone->steps[i].path, err));
        return PAWL_OK;
}

/* A rollback may touch the paths that it could not write when it was tried first. */
static pawl_status retried_paths(pawl__rollback_rights *l, pawl_rollback_plan *p, pawl_error *err)
{
        const pawl__plan *tried = &l->before;
        const bool abandoned = pawl__text_is(p->finishes.v[PAWL__RB_STATUS].text, "abandoned");

        for (size_t i = 0; i < tried->n_steps && abandoned; i++) { /* it went the other way then */
                const pawl__entry from = tried->steps[i].from;
                tried->steps[i].from = tried->steps[i].to;
                tried->steps[i].to = from;
        }
        l->rights.tried = tried->steps;
        for (size_t i = 0; i < p->n_retries; i++)
                if (p->retries[i] < tried->n_steps)
                        TRY(keep_path(&l->also, (uint32_t)p->retries[i], &l->only, p,
                                tried->steps[p->retries[i]].path, err));
        return PAWL_OK;
}

/* What a tool call names may go, and so may a directory that came with it. */
static pawl_status named_paths(pawl__rollback_rights *l, pawl_rollback_plan *p, pawl_error *err)
{
        for (size_t i = 0; i < p->n_names; i++)
                for (pawl_text path = p->names[i]; path.len; path = pawl__rootdir_parent(path))
                        TRY(keep_path(&l->also, 0, NULL, p, path, err));
        return PAWL_OK;
}

static pawl_status paths_of_before(
        pawl__rollback_rights *l, pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__buf encoded = PAWL__BUF_INIT;
        pawl_status status = pawl__rollback_read(
                &l->before, &encoded, ws, p->plan.undo ? &p->undone : &p->finishes, err);

        pawl__buf_free(&encoded);
        if (status)
                return status;
        return p->plan.undo ? undone_paths(l, p, err) : retried_paths(l, p, err);
}

pawl_status pawl__rollback_rights_find(pawl__rollback_rights *l, pawl_rollback_plan *p,
        pawl__workspace *ws, const pawl__directories *directories, pawl_error *err)
{
        const bool of_before = p->plan.undo || p->n_retries;
        pawl_status status = pawl__workspace_imported(&l->rights.imported, ws, &p->target, err);

        if (!status)
                status = recorded_trees(l, p, ws, err);
        if (!status && of_before)
                status = paths_of_before(l, p, ws, err);
        if (!status)
                status = named_paths(l, p, err);
        if (!status)
                status = pawl__tracked_paths_new(&l->rights.recorded, directories,
                        (const unsigned char *)l->recorded.data, l->recorded.len / 32, err);
        if (!status && (p->plan.undo || p->restore))
                status = pawl__tracked_paths_new(&l->rights.removable, directories,
                        (const unsigned char *)l->removable.data, l->removable.len / 32, err);
        l->rights.also = &l->also;
        l->rights.touched = &l->only;
        l->only.exact = true;
        l->rights.target_recorded = true;
        l->rights.clean = p->clean;
        if (p->plan.in_part)
                l->rights.paths = of_before ? &l->only : &ws->paths;
        return status;
}
