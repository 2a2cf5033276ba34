/* Whose work a rollback replaces: found from the trees on the way from where the workspace stands
 * back to where the way to the target leaves it. */
#include "base/error.h"
#include "workspace/rollback/rollback_internal.h"

typedef struct finding {
        pawl_rollback_plan *p;
        pawl__map steps; /* from a path to the plan's step there, if nobody was found for it yet */
        size_t open;
        pawl_text run_id; /* whose changes are looked at; absent: no run's */
        bool is_told;     /* they are somebody else's than the checkpoint's own */
} finding;

static pawl_status found(const pawl__change *change, void *user, pawl_error *err)
{
        finding *f = user;
        const uint32_t at = change->kind == PAWL__CHANGE_INSIDE
                                    ? PAWL__MAP_NONE
                                    : pawl__map_get(&f->steps, change->path);

        (void)err;
        if (at == PAWL__MAP_NONE || f->p->work[at])
                return PAWL_OK;
        f->p->work[at] = !f->is_told ? 'o' : f->run_id.data ? 'r' : 'h';
        f->p->work_of[at] = f->run_id;
        f->open--;
        return PAWL_OK;
}

/* What lies between two trees, one of which may be damaged: then it is not known whose it is. */
static pawl_status look_between(finding *f, const pawl__directories *directories,
        const unsigned char *from, const unsigned char *to, pawl_error *err)
{
        pawl_status status = pawl__diff_trees(directories, from, to, found, f, err);

        return status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED ? PAWL_OK : status;
}

static bool tree_of(unsigned char tree[32], const pawl__row *row)
{
        return row && !row->v[PAWL__WCP_PRUNED_SEQ].integer &&
               pawl__unhex32(tree, row->v[PAWL__WCP_TREE].text);
}

static pawl_status walk(finding *f, pawl__workspace *ws, const pawl__directories *directories,
        const pawl__line *all, pawl_error *err)
{
        const bool *then = pawl__line_to(all, (int64_t)f->p->plan.target, &f->p->arena);
        const pawl__row *row = pawl__line_at(all, ws->current.v[PAWL__WCP_N].integer, INT64_MAX);
        unsigned char tree[32], before[32];
        pawl_status status = then ? PAWL_OK : pawl__nomem(err);

        f->is_told = true;
        if (!status && tree_of(tree, row))
                status = look_between(f, directories, tree, f->p->plan.now, err);
        while (!status && f->open && row && !then[row->v[PAWL__WCP_N].integer]) {
                const pawl__row *base = pawl__line_base(all, row);
                while (base && !tree_of(before, base) && !then[base->v[PAWL__WCP_N].integer])
                        base = pawl__line_base(all, base);
                f->run_id = row->v[PAWL__WCP_RUN].text;
                f->is_told = !pawl__text_eq(f->run_id, f->p->own_run);
                if (tree_of(tree, row))
                        status = look_between(
                                f, directories, tree_of(before, base) ? before : NULL, tree, err);
                row = base;
        }
        return status;
}

/* What other runs have in it, and what was done by hand; not what its own run or, where it has
 * none, checkpoints of none have. */
static pawl_status sum_up(pawl_rollback_plan *p, pawl_error *err)
{
        const size_t n = p->plan.n_steps;
        pawl_rollback_plan_other *others = pawl__arena_array(&p->arena, n + 1, sizeof *others);
        size_t n_others = 0;

        if (!others)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++) {
                size_t k = 0;
                if (!p->work[i] || p->work[i] == 'o')
                        continue;
                while (k < n_others && !pawl__text_eq(others[k].run_id, p->work_of[i]))
                        k++;
                if (k == n_others)
                        others[n_others++] = (pawl_rollback_plan_other){.run_id = p->work_of[i]};
                others[k].paths++;
        }
        p->effect.others = others;
        p->effect.n_others = n_others;
        return PAWL_OK;
}

pawl_status pawl__rollback_others(pawl_rollback_plan *p, pawl__workspace *ws,
        const pawl__directories *directories, pawl_error *err)
{
        finding f = {.p = p, .steps = PAWL__MAP_INIT, .open = p->plan.n_steps};
        pawl__line all = {NULL, 0};
        pawl_status status =
                pawl__state_workspace_all(&all.rows, &all.n, ws->state, &p->arena, err);

        if (status)
                return status;
        p->work = pawl__arena_alloc(&p->arena, f.open + 1);
        p->work_of = pawl__arena_array(&p->arena, f.open + 1, sizeof *p->work_of);
        if (!p->work || !p->work_of)
                return pawl__nomem(err);
        memset(p->work, 0, f.open + 1);
        for (size_t i = 0; i < p->plan.n_steps && !status; i++) {
                p->work_of[i] = pawl__text(NULL);
                if (pawl__paths_have(&p->named, p->plan.steps[i].path)) {
                        p->work[i] = 'o'; /* the call that is taken back did it */
                        f.open--;
                } else if (pawl__map_put(&f.steps, p->plan.steps[i].path, (uint32_t)i))
                        status = pawl__nomem(err);
        }
        if (!status)
                status = walk(&f, ws, directories, &all, err);
        pawl__map_free(&f.steps);
        return status ? status : sum_up(p, err);
}
