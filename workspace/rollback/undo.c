/* A rollback that was interrupted, read back with its own plan, which the log has: what the
 * workspace looks like now is half one tree and half the other. */
#include "base/error.h"
#include "workspace/rollback/rollback_internal.h"

pawl_status pawl_workspace_pending(pawl_pending_rollback *out, pawl_log *log, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row row;
        pawl__reversal is;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_rollback_pending(&row, state, &arena, err);
        if (!status)
                status = pawl__reversal_of(&is, &row, state, &arena, err);
        if (!status)
                *out = (pawl_pending_rollback){.target = (uint64_t)row.v[PAWL__RB_TARGET].integer,
                        .safety = (uint64_t)row.v[PAWL__RB_SAFETY].integer,
                        .undo = is != PAWL__NO_REVERSAL,
                        .redo = is == PAWL__IS_REDO,
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

        p->is = own ? own->is : PAWL__IS_UNDO;
        p->undone.v[PAWL__RB_SEQ] = p->target.v[PAWL__WCP_ROLLBACK];
        const pawl__undo_entry *undone =
                pawl__undo_stacks_at(&stacks, (uint64_t)p->undone.v[PAWL__RB_SEQ].integer);
        p->was = undone ? undone->is : PAWL__NO_REVERSAL;
        return pawl__state_get(ws->state, PAWL__ROLLBACKS, &p->undone, &p->arena, err);
}

pawl_status pawl__rollback_read_back(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
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
