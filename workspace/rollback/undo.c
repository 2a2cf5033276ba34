/* A rollback that was interrupted: seen, gone on with, or given up. By its own plan, which the log
 * has: what the workspace looks like now is half one tree and half the other. */
#include "base/error.h"
#include "workspace/rollback/rollback_internal.h"
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
                return pawl__rollback_none(ws, err);
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
                status = pawl__rollback_half_way(
                        pawl__rollback_do(&scan, p, ws, back, true, err), err);
        if (!status)
                status = pawl__rollback_half_way(pawl__rollback_end(p, ws, scan, !back, err), err);
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

pawl_status pawl_workspace_finish(pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl_pending_rollback pending;
        const pawl_status status = pawl_workspace_pending(&pending, log, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__rollback_retry(done, log, workspace, err);
        return status ? status : end_pending(done, log, workspace, false, err);
}

pawl_status pawl_workspace_give_up(pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return end_pending(done, log, workspace, true, err);
}
