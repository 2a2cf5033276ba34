/* Whose work a rollback replaces: found from the trees on the way from where the workspace stands
 * back to where the way to the target leaves it. */
#include "base/error.h"
#include "events/types.h"
#include "workspace/rollback/rollback_internal.h"
#include <stdlib.h>

/* A command of a step of that run was at work, or a rollback put all files back (no run). */
typedef struct act {
        uint64_t seq;
        pawl_text run_id;
} act;

typedef struct finding {
        pawl_rollback_plan *p;
        pawl__map steps; /* from a path to the plan's step there, if nobody was found for it yet */
        size_t open;
        act *acts; /* in the order of the log */
        size_t n_acts, cap_acts;
        pawl__map elsewhere; /* runs whose files are in other directories */
        pawl_text run_id;    /* whose changes are looked at; absent: no run's */
        bool is_told;        /* they are somebody else's than the checkpoint's own */
} finding;

/* ---- Who was at work ------------------------------------------------------------------------ */

static pawl_status add_act(finding *f, uint64_t seq, pawl_text run_id, pawl_error *err)
{
        if (pawl__grow(&f->acts, &f->cap_acts, f->n_acts + 1, sizeof *f->acts))
                return pawl__nomem(err);
        f->acts[f->n_acts++] = (act){seq, pawl__arena_copy(&f->p->arena, run_id)};
        return pawl__arena_check(&f->p->arena, err);
}

/* Those of events after @p since. */
static pawl_status add_commands(
        finding *f, const pawl__workspace *ws, uint64_t since, pawl_error *err)
{
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status = pawl_cursor_open(&cursor, ws->log, since);

        if (status)
                return pawl__log_failed(ws->log, status, err);
        while (!status && (status = pawl_cursor_next(cursor, &event)) == PAWL_OK) {
                const pawl__event_type type = pawl__event_type_of(event.type);
                if ((type == PAWL__STEP_STARTED || type == PAWL__STEP_RESUMED ||
                            type == PAWL__STEP_ATTEMPT_FAILED || type == PAWL__STEP_FAILED ||
                            type == PAWL__STEP_COMPLETED) &&
                        pawl__map_get(&f->elsewhere, event.run_id) == PAWL__MAP_NONE)
                        status = add_act(f, event.seq, event.run_id, err);
        }
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : pawl__log_failed(ws->log, status, err);
}

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

static pawl_status add_rollbacks(finding *f, pawl__workspace *ws, uint64_t since, pawl_error *err)
{
        pawl__undo_stacks all;

        TRY(pawl__undo_stacks_read(&all, ws->state, &f->p->arena, err));
        for (size_t i = 0; i < all.n; i++) {
                const pawl__value *v = all.items[i].row.v;
                const uint64_t ended = (uint64_t)v[PAWL__RB_ENDED_SEQ].integer;
                if (ended <= since || pawl__text_is(v[PAWL__RB_STATUS].text, "abandoned") ||
                        !pawl__same_worktree(v[PAWL__RB_WORKTREE].text, ws->worktree))
                        continue;
                TRY(v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART
                                ? own_written(f, ws, &all.items[i].row, err)
                                : add_act(f, ended, pawl__text(NULL), err));
        }
        return PAWL_OK;
}

static int by_seq(const void *a, const void *b)
{
        const act *x = a, *y = b;

        return (x->seq > y->seq) - (x->seq < y->seq);
}

/* All that happened after the checkpoint from which both ways part. */
static pawl_status find_acts(
        finding *f, pawl__workspace *ws, const pawl__line *all, const bool *then, pawl_error *err)
{
        uint64_t since = 0;

        for (size_t i = 0; i < all->n; i++) {
                const pawl__row *row = &all->rows[i];
                const pawl_text run_id = row->v[PAWL__WCP_RUN].text;
                const bool here =
                        row->v[PAWL__WCP_ROOT].text.data &&
                        pawl__same_worktree(row->v[PAWL__WCP_WORKTREE].text, ws->worktree);
                if (run_id.data && !here && pawl__map_put(&f->elsewhere, run_id, 0))
                        return pawl__nomem(err);
        }
        for (const pawl__row *row =
                        pawl__line_at(all, ws->current.v[PAWL__WCP_N].integer, INT64_MAX);
                row; row = pawl__line_base(all, row)) {
                since = (uint64_t)row->v[PAWL__WCP_SEQ].integer;
                if (then[row->v[PAWL__WCP_N].integer])
                        break;
        }
        TRY(add_rollbacks(f, ws, since, err));
        TRY(add_commands(f, ws, since, err));
        if (f->n_acts)
                qsort(f->acts, f->n_acts, sizeof *f->acts, by_seq);
        return PAWL_OK;
}

/* The run whose step was at work last before @p until, since @p from or all files were put back. */
static pawl_text run_within(const finding *f, const pawl__row *from, uint64_t until)
{
        const uint64_t since = from ? (uint64_t)from->v[PAWL__WCP_SEQ].integer : 0;
        size_t low = 0;

        for (size_t high = f->n_acts; low < high;) { /* the first one behind `until` */
                const size_t middle = low + (high - low) / 2;
                if (f->acts[middle].seq <= until)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low && f->acts[low - 1].seq > since ? f->acts[low - 1].run_id : pawl__text(NULL);
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

/* Changes by no step are by hand, captured since or not, also where the target is of no run. */
static void set_run(finding *f, pawl_text run_id)
{
        f->run_id = run_id;
        f->is_told = !run_id.data || !pawl__text_eq(run_id, f->p->own_run);
}

static pawl_status walk(finding *f, pawl__workspace *ws, const pawl__directories *directories,
        const pawl__line *all, pawl_error *err)
{
        const bool *then = pawl__line_to(all, (int64_t)f->p->plan.target, &f->p->arena);
        const pawl__row *row = pawl__line_at(all, ws->current.v[PAWL__WCP_N].integer, INT64_MAX);
        unsigned char tree[32], before[32];
        pawl_status status = then ? find_acts(f, ws, all, then, err) : pawl__nomem(err);

        set_run(f, run_within(f, row, UINT64_MAX));
        if (!status && tree_of(tree, row))
                status = look_between(f, directories, tree, f->p->plan.now, err);
        while (!status && f->open && row && !then[row->v[PAWL__WCP_N].integer]) {
                const pawl__row *base = pawl__line_base(all, row);
                while (base && !tree_of(before, base) && !then[base->v[PAWL__WCP_N].integer])
                        base = pawl__line_base(all, base);
                set_run(f, row->v[PAWL__WCP_STEP].text.data
                                   ? row->v[PAWL__WCP_RUN].text
                                   : run_within(f, base, (uint64_t)row->v[PAWL__WCP_SEQ].integer));
                if (tree_of(tree, row))
                        status = look_between(
                                f, directories, tree_of(before, base) ? before : NULL, tree, err);
                row = base;
        }
        return status;
}

/* Other runs' work, and what was done by hand; not its own run's. */
static pawl_status sum_up(pawl_rollback_plan *p, pawl_error *err)
{
        const size_t n = p->plan.n_steps;
        pawl_rollback_plan_other *others = pawl__arena_array(&p->arena, n + 1, sizeof *others);
        pawl__map known = PAWL__MAP_INIT; /* runs; "" for none */
        size_t n_others = 0;
        pawl_status status = others ? PAWL_OK : pawl__nomem(err);

        for (size_t i = 0; i < n && !status; i++) {
                if (!p->work[i] || p->work[i] == 'o')
                        continue;
                const pawl_text run_id = p->work_of[i].data ? p->work_of[i] : pawl__text("");
                uint32_t k = pawl__map_get(&known, run_id);
                if (k == PAWL__MAP_NONE) {
                        k = (uint32_t)n_others++;
                        others[k] = (pawl_rollback_plan_other){.run_id = p->work_of[i]};
                        if (pawl__map_put(&known, run_id, k))
                                status = pawl__nomem(err);
                }
                others[k].paths++;
        }
        pawl__map_free(&known);
        p->effect.others = others;
        p->effect.n_others = status ? 0 : n_others;
        return status;
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
                if (!pawl__rollback_shows(&p->plan.steps[i]) ||
                        pawl__paths_have(&p->named, p->plan.steps[i].path)) {
                        p->work[i] = 'o'; /* the call that is taken back did it */
                        f.open--;
                } else if (pawl__map_put(&f.steps, p->plan.steps[i].path, (uint32_t)i))
                        status = pawl__nomem(err);
        }
        if (!status)
                status = walk(&f, ws, directories, &all, err);
        pawl__map_free(&f.steps);
        pawl__map_free(&f.elsewhere);
        free(f.acts);
        return status ? status : sum_up(p, err);
}
