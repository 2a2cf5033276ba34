/*
 * What a rollback does beside the files: to the steps of a run, and to the line of checkpoints.
 * Each checkpoint depends on the one that the workspace was at before, so that they make a tree;
 * those from its root to where the workspace stands are not given up.
 */
#include "base/error.h"
#include "state/steps_before.h"
#include "workspace/rollback/rollback_internal.h"
#include <inttypes.h>

static int64_t number_of(const pawl__row *checkpoint)
{
        return checkpoint->v[PAWL__WCP_N].integer;
}

/* ---- Its run ------------------------------------------------------------------------------ */

/* A safety copy is about what its rollback went to, and about the run whose steps that changed:
 * going to the copy takes it back. The rollback nearest to the target counts. */
typedef struct subject {
        const pawl__row *checkpoint;
        pawl_text run_id; /* absent: no rollback on the way changed steps */
} subject;

/* The run whose steps the rollback changed; absent: none. */
static pawl_status run_it_changed(
        pawl_text *run_id, const pawl__row *rollback, pawl_rollback_plan *p, pawl_error *err)
{
        const pawl_text before = rollback->v[PAWL__RB_STEPS_BEFORE].text;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__row run;

        if (!before.data)
                return PAWL_OK;
        pawl_status status = pawl__steps_before_read(&tree, &run, before, err);
        if (!status) {
                *run_id = pawl__arena_copy(&p->arena, run.v[PAWL__RUN_ID].text);
                status = pawl__arena_check(&p->arena, err);
        }
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status what_it_is_about(subject *about, const pawl__line *all, pawl_rollback_plan *p,
        pawl__workspace *ws, pawl_error *err)
{
        const pawl__row *to = &p->target;
        pawl_status status = PAWL_OK;

        for (*about = (subject){.checkpoint = to};
                to && to->v[PAWL__WCP_SAFETY].integer && to->v[PAWL__WCP_ROLLBACK].integer;) {
                pawl__row rollback = {.v[PAWL__RB_SEQ] = to->v[PAWL__WCP_ROLLBACK]};
                status = pawl__state_get(ws->state, PAWL__ROLLBACKS, &rollback, &p->arena, err);
                if (!status && !about->run_id.data)
                        status = run_it_changed(&about->run_id, &rollback, p, err);
                if (status)
                        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
                to = pawl__line_at(all, rollback.v[PAWL__RB_TARGET].integer, number_of(to));
                if (to)
                        about->checkpoint = to;
        }
        return PAWL_OK;
}

/* The first of a run on the way from @p row down to those of @p end (NULL: to the root). */
static const pawl__row *of_a_run(const pawl__line *all, const pawl__row *row, const bool *end)
{
        while (row && !(end && end[number_of(row)]) && !row->v[PAWL__WCP_RUN].text.data)
                row = pawl__line_base(all, row);
        return row && end && end[number_of(row)] ? NULL : row;
}

/* By the line of checkpoints: the run of what it is about; where that was taken for none, the one
 * that was at work before it; where none was, the one at work since both lines parted. */
static pawl_status run_by_the_line(const pawl__row **of, const pawl__line *all,
        const pawl__row *about, pawl_rollback_plan *p, const pawl__workspace *ws, pawl_error *err)
{
        const pawl__row *since = pawl__line_at(all, number_of(&ws->current), INT64_MAX);

        *of = of_a_run(all, about, NULL);
        if (!*of) /* of a safety copy: before that was taken */
                *of = of_a_run(all, &p->target, NULL);
        if (*of)
                return PAWL_OK;
        const bool *then = pawl__line_to(all, number_of(about), &p->arena);
        if (!then)
                return pawl__nomem(err);
        *of = of_a_run(all, since, then);
        return PAWL_OK;
}

/* The run of that id, which a row kept; none where the log has none of it. */
static pawl_status find_about(pawl__row *run, pawl_text run_id, pawl_rollback_plan *p,
        pawl__workspace *ws, pawl_error *err)
{
        *run = (pawl__row){.v[PAWL__RUN_ID].text = run_id};
        const pawl_status status =
                run_id.data ? pawl__state_get(ws->state, PAWL__RUNS, run, &p->arena, err) : PAWL_OK;

        if (status == PAWL_ENOTFOUND)
                *run = (pawl__row){0};
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* The run whose steps a rollback changed; else the one that the line of checkpoints names. */
static pawl_status find_run(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__line all = {NULL, 0};
        const pawl__row *of;
        pawl__row run;
        subject about;
        if (pawl__row_of_run(&p->target) ||
                pawl__rollback_from_elsewhere(p, ws)) /* its files are brought here, no more */
                return PAWL_OK;
        pawl_status status =
                pawl__state_workspace_all(&all.rows, &all.n, ws->state, &p->arena, err);

        if (!status)
                status = what_it_is_about(&about, &all, p, ws, err);
        if (!status)
                status = find_about(&run, about.run_id, p, ws, err);
        if (!status)
                status = run_by_the_line(&of, &all, about.checkpoint, p, ws, err);
        if (status)
                return status;
        if (run.v[PAWL__RUN_ID].text.data) {
                p->run_id = run.v[PAWL__RUN_ID].text;
                p->mission_id = run.v[PAWL__RUN_MISSION].text;
        } else if (of) {
                p->run_id = of->v[PAWL__WCP_RUN].text;
                p->mission_id = of->v[PAWL__WCP_MISSION].text;
        }
        p->own_run = p->run_id;
        p->answers_of = about.checkpoint->v[PAWL__WCP_MISSION].text;
        if (!p->answers_of.data)
                p->answers_of = p->mission_id;
        return PAWL_OK;
}

/* ---- Its steps ---------------------------------------------------------------------------- */

static bool is(const pawl__row *step, const char *status)
{
        return step && pawl__text_is(step->v[PAWL__STEP_STATUS].text, status);
}

/* What becomes of a step. One that was at work then, or had not begun, begins anew; so does one
 * that waited for an answer which is dropped. */
static void put_back(pawl_rollback_plan *p, const pawl__row *now, const pawl__row *then)
{
        const bool again = !then || is(then, "pending") || is(then, "running") ||
                           (is(then, "blocked") && p->plan.drop_decisions);

        if (then && pawl__row_diff(PAWL__STEPS, now, then) < 0 && !p->plan.drop_decisions)
                return;
        if (!again && pawl__row_diff(PAWL__STEPS, now, then) >= 0)
                p->back[p->n_back++] = *then;
        else if (again && !is(now, "pending") && !(is(now, "running") && is(then, "running")))
                p->steps[p->n_steps++] = (pawl_given_up){p->run_id, now->v[PAWL__STEP_ID].text};
}

/* A run that was cancelled has ended for good, whatever becomes of its steps. */
static pawl_status keep_cancelled(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__row now = {.v[PAWL__RUN_ID].text = p->run_id};
        const pawl_status status = pawl__state_get(ws->state, PAWL__RUNS, &now, &p->arena, err);

        if (status || !pawl__text_is(now.v[PAWL__RUN_STATUS].text, "cancelled"))
                return status;
        if (!p->has_run_then)
                p->run_then = (pawl__row){.v[PAWL__RUN_ID].text = p->run_id};
        p->run_then.v[PAWL__RUN_STATUS].text = pawl__text("cancelled");
        p->has_run_then = true;
        return PAWL_OK;
}

static pawl_status compare_steps(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__row *now = NULL, *then = NULL;
        pawl__map known = PAWL__MAP_INIT;
        size_t n = 0, n_then = 0;
        pawl_status status = pawl__state_steps(&now, &n, ws->state, p->run_id, &p->arena, err);

        if (status)
                return status;
        status = pawl__state_steps_at(&p->run_then, &then, &n_then, ws->state, p->run_id,
                (uint64_t)p->target.v[PAWL__WCP_SEQ].integer, &p->arena, err);
        p->has_run_then = status == PAWL_OK;
        if (status && status != PAWL_ENOTFOUND)
                return status;
        p->steps = pawl__arena_array(&p->arena, n + 1, sizeof *p->steps);
        p->back = pawl__arena_array(&p->arena, n + 1, sizeof *p->back);
        status = p->steps && p->back ? PAWL_OK : pawl__nomem(err);
        for (size_t i = 0; i < n_then && !status; i++)
                if (pawl__map_put(&known, then[i].v[PAWL__STEP_ID].text, (uint32_t)i))
                        status = pawl__nomem(err);
        for (size_t i = 0; i < n && !status; i++) {
                const uint32_t k = pawl__map_get(&known, now[i].v[PAWL__STEP_ID].text);
                put_back(p, &now[i], k == PAWL__MAP_NONE ? NULL : &then[k]);
        }
        pawl__map_free(&known);
        if (p->has_run_then && p->plan.drop_decisions &&
                pawl__text_is(p->run_then.v[PAWL__RUN_STATUS].text, "blocked"))
                p->run_then.v[PAWL__RUN_STATUS].text = pawl__text("interrupted");
        return status ? status : keep_cancelled(p, ws, err);
}

pawl_status pawl__rollback_steps(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        p->n_steps = p->n_back = 0;
        p->run_id = p->mission_id = p->answers_of = pawl__text(NULL);
        status = find_run(p, ws, err);
        if (!status && p->run_id.data && !p->plan.in_part)
                status = compare_steps(p, ws, err);
        if (status)
                return status;
        /* An undo says what becomes of a run that it is about, even if that is nothing. */
        if (p->plan.in_part ||
                (!p->n_steps && !p->n_back && !p->undone.v[PAWL__RB_STEPS_BEFORE].text.data))
                p->run_id = p->mission_id = pawl__text(NULL);
        return pawl__rollback_run_is_free(ws, p->run_id, err);
}

/* ---- Checkpoints -------------------------------------------------------------------------- */

const pawl__row *pawl__line_at(const pawl__line *all, int64_t n, int64_t above)
{
        return n > 0 && n < above && (size_t)n <= all->n ? &all->rows[n - 1] : NULL;
}

const pawl__row *pawl__line_base(const pawl__line *all, const pawl__row *row)
{
        return pawl__line_at(all, row->v[PAWL__WCP_BASE].integer, number_of(row));
}

bool *pawl__line_to(const pawl__line *all, int64_t n, pawl__arena *arena)
{
        bool *marks = pawl__arena_array(arena, all->n + 1, sizeof *marks);

        if (!marks)
                return NULL;
        memset(marks, 0, (all->n + 1) * sizeof *marks);
        for (const pawl__row *row = pawl__line_at(all, n, INT64_MAX); row;
                row = pawl__line_base(all, row))
                marks[number_of(row)] = true;
        return marks;
}

pawl_status pawl__rollback_checkpoints(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        const int64_t target = number_of(&p->target);
        const int64_t undone = p->undone.v[PAWL__RB_ENDED_SEQ].integer;
        pawl__line all = {NULL, 0};
        pawl_status status =
                pawl__state_workspace_all(&all.rows, &all.n, ws->state, &p->arena, err);

        p->n_given_up = p->n_taken_up = 0;
        if (status || p->plan.in_part || pawl__rollback_from_elsewhere(p, ws))
                return status;
        const bool *now = pawl__line_to(&all, number_of(&ws->current), &p->arena);
        const bool *then = pawl__line_to(&all, target, &p->arena);
        p->given_up = pawl__arena_array(&p->arena, all.n + 1, sizeof *p->given_up);
        p->taken_up = pawl__arena_array(&p->arena, all.n + 1, sizeof *p->taken_up);
        if (!now || !then || !p->given_up || !p->taken_up)
                return pawl__nomem(err);
        for (size_t i = 0; i < all.n; i++) {
                const pawl__row *row = &all.rows[i];
                const int64_t by = row->v[PAWL__WCP_INVALID_SEQ].integer;
                const bool later =
                        number_of(row) > target && row->v[PAWL__WCP_ROOT].text.data &&
                        pawl__same_worktree(row->v[PAWL__WCP_WORKTREE].text, ws->worktree);
                if (row->v[PAWL__WCP_SAFETY].integer)
                        continue;
                if (!by && !then[i + 1] && (later || now[i + 1]))
                        p->given_up[p->n_given_up++] = i + 1;
                else if (pawl__row_given_up(row) && (then[i + 1] || (p->plan.undo && by == undone)))
                        p->taken_up[p->n_taken_up++] = i + 1;
        }
        return PAWL_OK;
}

pawl_status pawl__rollback_run_is_free(pawl__workspace *ws, pawl_text run_id, pawl_error *err)
{
        pawl_owner owner;
        bool held = false;

        if (!run_id.data)
                return PAWL_OK;
        pawl_status status = pawl__log_holder(&held, &owner, ws->log, run_id);
        if (status)
                return pawl__log_failed(ws->log, status, err);
        if (!held)
                return PAWL_OK;
        return pawl__fail(err, PAWL_EHELD,
                "run %.*s: process %" PRId64 " on %.*s is at work on it; stop it first",
                PAWL__FMT(run_id), owner.pid, PAWL__FMT(owner.host));
}

pawl_status pawl__rollback_runs_are_free(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (!pawl__row_of_run(&p->target))
                status = pawl__rollback_run_is_free(ws, p->target.v[PAWL__WCP_RUN].text, err);
        return status ? status
                      : pawl__rollback_run_is_free(ws, ws->newest.v[PAWL__WCP_RUN].text, err);
}
