/* A rollback that was interrupted: seen, gone on with, or given up. By its own plan, which the log
 * has: what the workspace looks like now is half one tree and half the other. */
#include "base/error.h"
#include "base/json_tree.h"
#include "workspace/rollback/rollback_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

pawl_status pawl_workspace_pending(pawl_pending_rollback *out, pawl_log *log, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row row;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_rollback_pending(&row, state, &arena, err);
        if (!status)
                *out = (pawl_pending_rollback){.target = (uint64_t)row.v[PAWL__RB_TARGET].integer,
                        .safety = (uint64_t)row.v[PAWL__RB_SAFETY].integer,
                        .undo = (row.v[PAWL__RB_UNDO].integer & PAWL__RB_IS_UNDO) != 0,
                        .seq = (uint64_t)row.v[PAWL__RB_SEQ].integer};
        pawl__arena_free(&arena);
        return status;
}

/* The commits that its start noted. */
static void read_git(pawl_rollback_plan *p)
{
        pawl_text from = p->started.v[PAWL__RB_GIT_FROM].text;
        pawl_text to = p->started.v[PAWL__RB_GIT_TO].text;

        if (from.len != 40 || to.len != 40)
                return;
        p->git.branch = p->target.v[PAWL__WCP_GIT_BRANCH].text;
        memcpy(p->git.from, from.data, 40);
        memcpy(p->git.to, to.data, 40);
}

static pawl_status read_undone(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__undo_stacks stacks;
        TRY(pawl__undo_stacks_read(&stacks, ws->state, &p->arena, err));
        const pawl__undo_entry *own =
                pawl__undo_stacks_at(&stacks, (uint64_t)p->started.v[PAWL__RB_SEQ].integer);

        p->redo = own && own->is == PAWL__IS_REDO;
        p->undone.v[PAWL__RB_SEQ] = p->target.v[PAWL__WCP_ROLLBACK];
        return pawl__state_get(ws->state, PAWL__ROLLBACKS, &p->undone, &p->arena, err);
}

/* What the log says of it. */
static pawl_status read_back(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl_status status = pawl__state_rollback_pending(&p->started, ws->state, &p->arena, err);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "workspace %.200s: no rollback was interrupted; there is nothing to finish",
                        ws->root);
        if (status)
                return status;
        p->reason = p->started.v[PAWL__RB_REASON].text;
        p->target.v[PAWL__WCP_N] = p->started.v[PAWL__RB_TARGET];
        status = pawl__state_get(ws->state, PAWL__WORKSPACE, &p->target, &p->arena, err);
        if (!status)
                status = pawl__rollback_read(&p->plan, &p->encoded, ws, &p->started, err);
        if (!status && p->plan.undo)
                status = read_undone(p, ws, err);
        if (status)
                return status;
        pawl__hex(p->hash, p->plan.hash, 32);
        read_git(p);
        return PAWL_OK;
}

static pawl_status finish(pawl_rollback_plan *p, pawl__workspace *ws, bool back, pawl_error *err)
{
        pawl__scan *scan = NULL;
        pawl_status status = pawl__workspace_own(ws, err);

        if (!status)
                status = read_back(p, ws, err);
        if (!status)
                status = pawl__rollback_runs_are_free(p, ws, err);
        if (!status && !back)
                status = pawl__rollback_steps(p, ws, err);
        if (!status && !back)
                status = pawl__rollback_claim(p, ws, err);
        if (!status)
                status = pawl__rollback_report(p, ws, err);
        if (!status)
                status = pawl__rollback_do(&scan, p, ws, back, true, err);
        if (!status)
                status = pawl__rollback_end(p, ws, scan, !back, err);
        if (status)
                pawl__rollback_release(p, ws);
        pawl__scan_free(scan);
        return status;
}

static pawl_status end_pending(pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, bool back, pawl_error *err)
{
        pawl__workspace ws;
        bool ok = true;
        pawl_status status = pawl__workspace_open(&ws, log, workspace, err);

        if (status)
                return status;
        pawl_rollback_plan *p = calloc(1, sizeof *p);
        if (!p) {
                pawl__workspace_close(&ws);
                return pawl__nomem(err);
        }
        p->plan = (pawl__plan)PAWL__PLAN_INIT;
        p->actor = pawl__arena_text(&p->arena, ws.actor, &ok);
        status = ok ? finish(p, &ws, back, err) : pawl__nomem(err);
        pawl__workspace_close(&ws);
        if (status || !done)
                pawl_rollback_plan_free(p);
        else
                *done = p;
        return status;
}

/* ---- Paths that could not be written -------------------------------------------------------- */

typedef struct retry {
        pawl__arena arena;
        pawl__plan plan;
        pawl__buf encoded;
        const char **paths;
        size_t n;
        bool removes; /* the plan removes one of them, whoever recorded it */
        char target[24];
} retry;

/* The paths of the steps that the end of the rollback names. */
static pawl_status read_paths(retry *r, pawl_log *log, const pawl__row *rollback, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, &r->arena, log, (uint64_t)rollback->v[PAWL__RB_ENDED_SEQ].integer);

        if (status)
                return pawl__log_failed(log, status, err);
        if (!event.payload.data)
                return PAWL_OK;
        TRY(pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err));
        const pawl__node steps = pawl__json_get(&tree, 0, "not_written");
        if (steps != PAWL__NO_NODE) {
                r->paths = pawl__arena_array(
                        &r->arena, pawl__json_at(&tree, steps)->count + 1, sizeof *r->paths);
                for (pawl__node at = pawl__json_first(&tree, steps);
                        r->paths && at != PAWL__NO_NODE; at = pawl__json_after(&tree, steps, at)) {
                        int64_t step = 0;
                        if (pawl__json_int(pawl__json_at(&tree, at), &step) && step >= 0 &&
                                (size_t)step < r->plan.n_steps) {
                                r->removes |= r->plan.steps[step].to.kind == PAWL__ENTRY_NONE;
                                r->paths[r->n++] = r->plan.steps[step].path.data;
                        }
                }
                status = r->paths ? PAWL_OK : pawl__nomem(err);
        }
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status find_unwritten(
        retry *r, pawl_log *log, const pawl_workspace_options *workspace, pawl_error *err)
{
        pawl__undo_stacks stacks;
        pawl__workspace ws;

        TRY(pawl__workspace_open(&ws, log, workspace, err));
        pawl_status status = pawl__undo_stacks_read(&stacks, ws.state, &r->arena, err);
        const pawl__undo_entry *last = NULL;
        for (size_t i = status ? 0 : stacks.n; i-- > 0 && !last;)
                if (pawl__text_is(stacks.items[i].row.v[PAWL__RB_STATUS].text, "done") &&
                        pawl__same_worktree(
                                stacks.items[i].row.v[PAWL__RB_WORKTREE].text, ws.worktree))
                        last = &stacks.items[i];
        if (!status && last)
                status = pawl__rollback_read(&r->plan, &r->encoded, &ws, &last->row, err);
        if (!status && last)
                status = read_paths(r, log, &last->row, err);
        if (!status && last)
                snprintf(r->target, sizeof r->target, "%" PRId64,
                        last->row.v[PAWL__RB_TARGET].integer);
        pawl__workspace_close(&ws);
        return status;
}

/* Try the paths again that the newest rollback could not write: a rollback of them alone. */
static pawl_status write_again(bool *any, pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rollback_options how = PAWL_ROLLBACK_OPTIONS_INIT;
        retry r = {.plan = PAWL__PLAN_INIT};

        if (workspace)
                options = *workspace;
        pawl_status status = find_unwritten(&r, log, workspace, err);
        *any = r.n > 0;
        options.paths = r.paths;
        options.n_paths = r.n;
        how.clean = r.removes;
        how.here = true; /* as was said when it began */
        if (!status && r.n)
                status = pawl_workspace_rollback(done, log, r.target, &how, &options, err);
        pawl__plan_free(&r.plan);
        pawl__buf_free(&r.encoded);
        pawl__arena_free(&r.arena);
        return status;
}

pawl_status pawl_workspace_finish(pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl_pending_rollback pending;
        bool any = false;
        pawl_status status = pawl_workspace_pending(&pending, log, err);
        if (status == PAWL_ENOTFOUND)
                status = write_again(&any, done, log, workspace, err);
        return status || any ? status : end_pending(done, log, workspace, false, err);
}

pawl_status pawl_workspace_give_up(pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return end_pending(done, log, workspace, true, err);
}
