/* Whose work a rollback replaces: found from the trees on the way from where the workspace stands
 * back to where the way to the target leaves it. */
#include "base/error.h"
#include "workspace/rollback/at_work.h"
#include "workspace/store/own_documents.h"

typedef struct finding {
        pawl_rollback_plan *p;
        pawl__map steps; /* from a path to the plan's step there, if nobody was found for it yet */
        size_t open;
        pawl__at_work at_work;
        pawl_text who; /* whose changes are looked at: of a run, or an agent */
        char kind;     /* as pawl_rollback_plan.work has it */
} finding;

/* ---- What Pawl wrote itself ------------------------------------------------------------------ */

/* A path of the plan is Pawl's, if it is still what a rollback of some paths wrote. */
static pawl_status own_written(
        finding *f, pawl__workspace *ws, const pawl__row *rollback, pawl_error *err)
{
        pawl__plan plan = PAWL__PLAN_INIT;
        pawl__buf encoded = PAWL__BUF_INIT;
        pawl_status status = pawl__rollback_read(&plan, &encoded, ws, rollback, err);

        for (size_t i = 0; i < plan.n_steps && !status; i++) {
                const pawl__entry *wrote = &plan.steps[i].to;
                const uint32_t at = pawl__map_get(&f->steps, plan.steps[i].path);
                const pawl__entry *now = at == PAWL__MAP_NONE ? NULL : &f->p->plan.steps[at].from;
                if (!now || f->p->work[at] || now->kind != wrote->kind ||
                        (now->kind == PAWL__ENTRY_FILE && memcmp(now->hash, wrote->hash, 32) != 0))
                        continue;
                f->p->work[at] = 'o';
                f->open--;
        }
        pawl__plan_free(&plan);
        pawl__buf_free(&encoded);
        return status == PAWL_EDAMAGED ? PAWL_OK : status;
}

/* By rollbacks of some paths since the checkpoint. */
static pawl_status find_own(
        finding *f, pawl__workspace *ws, const pawl__row *since, pawl_error *err)
{
        pawl__undo_stacks all;

        TRY(pawl__undo_stacks_read(&all, ws->state, &f->p->arena, err));
        for (size_t i = 0; i < all.n; i++) {
                const pawl__value *v = all.items[i].row.v;
                if (v[PAWL__RB_ENDED_SEQ].integer > (since ? since->v[PAWL__WCP_SEQ].integer : 0) &&
                        !pawl__text_is(v[PAWL__RB_STATUS].text, "abandoned") &&
                        (v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART) &&
                        pawl__same_worktree(v[PAWL__RB_WORKTREE].text, ws->worktree))
                        TRY(own_written(f, ws, &all.items[i].row, err));
        }
        return PAWL_OK;
}

/* ---- What they changed ---------------------------------------------------------------------- */

static pawl_status found(const pawl__change *change, void *user, pawl_error *err)
{
        finding *f = user;
        const uint32_t at = change->kind == PAWL__CHANGE_INSIDE
                                    ? PAWL__MAP_NONE
                                    : pawl__map_get(&f->steps, change->path);

        (void)err;
        if (at == PAWL__MAP_NONE || f->p->work[at])
                return PAWL_OK;
        f->p->work[at] = f->kind;
        f->p->work_of[at] = f->who;
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

static void set_run(finding *f, pawl_text run_id)
{
        f->who = run_id;
        f->kind = pawl__text_eq(run_id, f->p->own_run) ? 'o' : 'r';
}

/* What nobody was at work on is by hand, captured since or not. */
static void set_who(finding *f, const pawl__row *from, uint64_t until)
{
        const pawl__work_span *span = pawl__at_work_between(&f->at_work, from, until);

        if (span && span->run_id.data) {
                set_run(f, span->run_id);
        } else {
                f->who = span ? span->agent : pawl__text(NULL);
                f->kind = span ? 'a' : 'h';
        }
}

/* The checkpoint at which both ways part, on the way back from where the workspace stands. */
static const pawl__row *parting(const pawl__line *all, const pawl__row *row, const bool *then)
{
        while (row && !then[row->v[PAWL__WCP_N].integer])
                row = pawl__line_base(all, row);
        return row;
}

static pawl_status walk(finding *f, pawl__workspace *ws, const pawl__directories *directories,
        const pawl__line *all, pawl_error *err)
{
        const bool *then = pawl__line_to(all, (int64_t)f->p->plan.target, &f->p->arena);
        const pawl__row *row = pawl__line_at(all, ws->current.v[PAWL__WCP_N].integer, INT64_MAX);
        unsigned char tree[32], before[32];

        if (!then)
                return pawl__nomem(err);
        const pawl__row *const since = parting(all, row, then);
        TRY(find_own(f, ws, since, err));
        TRY(pawl__at_work_read(&f->at_work, ws, all, since, &f->p->arena, err));
        set_who(f, row, UINT64_MAX);
        if (tree_of(tree, row))
                TRY(look_between(f, directories, tree, f->p->plan.now, err));
        while (f->open && row && !then[row->v[PAWL__WCP_N].integer]) {
                const pawl__row *base = pawl__line_base(all, row);
                while (base && !tree_of(before, base) && !then[base->v[PAWL__WCP_N].integer])
                        base = pawl__line_base(all, base);
                if (row->v[PAWL__WCP_STEP].text.data)
                        set_run(f, row->v[PAWL__WCP_RUN].text);
                else
                        set_who(f, base, (uint64_t)row->v[PAWL__WCP_SEQ].integer);
                if (tree_of(tree, row))
                        TRY(look_between(
                                f, directories, tree_of(before, base) ? before : NULL, tree, err));
                row = base;
        }
        return PAWL_OK;
}

/* A handoff that is as Pawl wrote it is not by hand. */
static pawl_status spare_documents(pawl_rollback_plan *p, const pawl_log *log, pawl_error *err)
{
        pawl__buf documents = PAWL__BUF_INIT;
        bool read = false;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < p->plan.n_steps && !status; i++) {
                const pawl__entry *now = &p->plan.steps[i].from;
                if (p->work[i] != 'h' || now->kind != PAWL__ENTRY_FILE)
                        continue;
                if (!read)
                        status = pawl__own_documents_read(&documents, log, err);
                read = true;
                if (pawl__own_documents_have(&documents, now->hash))
                        p->work[i] = 'o';
        }
        pawl__buf_free(&documents);
        return status;
}

/* The entry of a run, an agent, or of what is by hand. */
static pawl_rollback_plan_other *entry_of(
        pawl_rollback_plan_other *others, size_t *n, pawl__map *known, char kind, pawl_text who)
{
        const pawl_text key = who.data ? who : pawl__text("");
        const uint32_t k = pawl__map_get(known, key);

        if (k != PAWL__MAP_NONE)
                return &others[k];
        if (pawl__map_put(known, key, (uint32_t)*n))
                return NULL;
        others[*n] = (pawl_rollback_plan_other){.run_id = kind == 'r' ? who : pawl__text(NULL),
                .agent = kind == 'a' ? who : pawl__text(NULL)};
        return &others[(*n)++];
}

/* Other runs' work, that of agents, and what was done by hand; not its own run's. */
static pawl_status sum_up(pawl_rollback_plan *p, pawl_error *err)
{
        const size_t n = p->plan.n_steps;
        pawl_rollback_plan_other *others = pawl__arena_array(&p->arena, n + 1, sizeof *others);
        pawl__map runs = PAWL__MAP_INIT, agents = PAWL__MAP_INIT;
        size_t n_others = 0;
        pawl_status status = others ? PAWL_OK : pawl__nomem(err);

        for (size_t i = 0; i < n && !status; i++) {
                if (!p->work[i] || p->work[i] == 'o')
                        continue;
                pawl_rollback_plan_other *other = entry_of(others, &n_others,
                        p->work[i] == 'a' ? &agents : &runs, p->work[i], p->work_of[i]);
                if (other)
                        other->paths++;
                else
                        status = pawl__nomem(err);
        }
        pawl__map_free(&runs);
        pawl__map_free(&agents);
        p->effect.others = others;
        p->effect.n_others = status ? 0 : n_others;
        return status;
}

pawl_status pawl__rollback_others(pawl_rollback_plan *p, pawl__workspace *ws,
        const pawl__directories *directories, pawl_error *err)
{
        finding f = {.p = p,
                .steps = PAWL__MAP_INIT,
                .open = p->plan.n_steps,
                .at_work = PAWL__AT_WORK_INIT};
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
                if (!pawl__rollback_shows(&p->plan.steps[i]) ||
                        pawl__paths_have(&p->named, p->plan.steps[i].path)) {
                        p->work[i] = 'o'; /* the call that is taken back did it */
                        f.open--;
                } else if (pawl__map_put(&f.steps, p->plan.steps[i].path, (uint32_t)i))
                        status = pawl__nomem(err);
        }
        if (!status)
                status = walk(&f, ws, directories, &all, err);
        if (!status)
                status = spare_documents(p, ws->log, err);
        pawl__map_free(&f.steps);
        pawl__at_work_free(&f.at_work);
        return status ? status : sum_up(p, err);
}
