/* What a rollback goes to, and whether it may: decided from the log, before any file is looked at.
 */
#include "base/error.h"
#include "base/json_tree.h"
#include "workspace/rollback/rollback_internal.h"
#include <inttypes.h>
#include <stdio.h>

static int64_t number_of(const pawl__row *checkpoint)
{
        return checkpoint->v[PAWL__WCP_N].integer;
}

/* ---- The target ----------------------------------------------------------------------------- */

pawl_status pawl__rollback_target(
        pawl_rollback_plan *p, pawl__workspace *ws, const char *which, bool here, pawl_error *err)
{
        const pawl__value *v = p->target.v;
        pawl_status status = pawl__workspace_find(&p->target, ws->state, which, &p->arena, err);

        if (status)
                return status;
        p->plan.in_part = ws->part != NULL;
        if (!here && pawl__rollback_from_elsewhere(p, ws))
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64
                        ": is of another work tree, %.*s; put its files into a directory of their own, "
                        "or bring them here on purpose",
                        number_of(&p->target), PAWL__FMT(v[PAWL__WCP_ROOT].text));
        if (v[PAWL__WCP_PRUNED_SEQ].integer)
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64 ": was pruned; choose one that is kept",
                        number_of(&p->target));
        if (v[PAWL__WCP_INVALID_SEQ].integer && !pawl__row_given_up(&p->target)) {
                pawl_text why = v[PAWL__WCP_INVALID_REASON].text; /* "damaged: WHAT; REMEDY" */
                const char *remedy = why.len ? memchr(why.data, ';', why.len) : NULL;
                if (remedy)
                        why.len = (size_t)(remedy - why.data);
                return pawl__fail(err, PAWL_EDAMAGED,
                        "checkpoint %" PRId64 ": is %.*s; try `pawl rebuild %" PRId64
                        "`, or choose another",
                        number_of(&p->target), PAWL__FMT(why), number_of(&p->target));
        }
        return PAWL_OK;
}

pawl_status pawl__rollback_undone(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl__reversal by, pawl_error *err)
{
        pawl__undo_stacks stacks;
        TRY(pawl__undo_stacks_read(&stacks, ws->state, &p->arena, err));
        const pawl__undo_entry *top = pawl__undo_stacks_top(&stacks, by, ws->worktree);

        if (!top && by == PAWL__IS_REDO)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "workspace %.200s: no undo is left that can be redone; see `pawl rollbacks`",
                        ws->root);
        if (!top)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "workspace %.200s: no rollback or restore is left that can be undone; see "
                        "`pawl rollbacks`",
                        ws->root);
        if (ws->part)
                return pawl__fail(err, PAWL_EINVAL,
                        "%s: reverses all of a rollback; leave the paths out",
                        by == PAWL__IS_REDO ? "redo" : "undo");
        p->undone = top->row;
        p->is = by;
        p->was = top->is;
        p->plan.undo = true;
        p->plan.in_part = (p->undone.v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART) != 0;
        p->target.v[PAWL__WCP_N].integer = p->undone.v[PAWL__RB_SAFETY].integer;
        pawl_status status =
                pawl__state_get(ws->state, PAWL__WORKSPACE, &p->target, &p->arena, err);
        if (!status && p->target.v[PAWL__WCP_PRUNED_SEQ].integer)
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64
                        ": the safety copy was pruned, so that the rollback cannot be undone; go back "
                        "to an earlier checkpoint instead",
                        number_of(&p->target));
        return status;
}

/* ---- Paths that could not be written -------------------------------------------------------- */

/* The steps of its plan that the end of the rollback names. */
static pawl_status read_retries(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, &p->arena, ws->log, (uint64_t)p->finishes.v[PAWL__RB_ENDED_SEQ].integer);

        if (status)
                return pawl__log_failed(ws->log, status, err);
        if (!event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        const pawl__node steps = status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "not_written");
        const size_t n = steps == PAWL__NO_NODE ? 0 : pawl__json_at(&tree, steps)->count;
        p->retries = pawl__arena_array(&p->arena, n + 1, sizeof *p->retries);
        for (pawl__node at = n && p->retries ? pawl__json_first(&tree, steps) : PAWL__NO_NODE;
                at != PAWL__NO_NODE; at = pawl__json_after(&tree, steps, at)) {
                int64_t step = -1;
                if (pawl__json_int(pawl__json_at(&tree, at), &step) && step >= 0)
                        p->retries[p->n_retries++] = (size_t)step;
        }
        pawl__json_tree_free(&tree);
        return status || p->retries ? status : pawl__nomem(err);
}

pawl_status pawl__rollback_none(const pawl__workspace *ws, pawl_error *err)
{
        return pawl__fail(err, PAWL_ENOTFOUND,
                "workspace %.200s: no rollback was interrupted; there is nothing to finish",
                ws->root);
}

pawl_status pawl__rollback_unfinished(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__undo_stacks stacks;

        TRY(pawl__undo_stacks_read(&stacks, ws->state, &p->arena, err));
        bool abandoned = true; /* one that left nothing half-done counts for nothing */
        for (size_t i = stacks.n; i-- > 0 && abandoned && !p->n_retries;) {
                const pawl__value *v = stacks.items[i].row.v;
                abandoned = pawl__text_is(v[PAWL__RB_STATUS].text, "abandoned");
                if (!pawl__same_worktree(v[PAWL__RB_WORKTREE].text, ws->worktree))
                        abandoned = true;
                else if (abandoned || pawl__text_is(v[PAWL__RB_STATUS].text, "done")) {
                        p->finishes = stacks.items[i].row;
                        TRY(read_retries(p, ws, err));
                }
        }
        if (!p->n_retries)
                return pawl__rollback_none(ws, err);
        p->plan.in_part = true;
        p->target.v[PAWL__WCP_N] = p->finishes.v[abandoned ? PAWL__RB_SAFETY : PAWL__RB_TARGET];
        return pawl__state_get(ws->state, PAWL__WORKSPACE, &p->target, &p->arena, err);
}

/* ---- Does it verify? ---------------------------------------------------------------------- */

static pawl_status verified(
        pawl_status status, pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                status = pawl__fail_prefix(err, PAWL_EDAMAGED,
                        "checkpoint %" PRId64 " does not verify, and `pawl validate` says more",
                        number_of(&p->target));
        return pawl__workspace_or_pruned(status, ws->state, &p->target, err);
}

static pawl_status pass_over(const pawl__change *change, void *user, pawl_error *err)
{
        (void)change, (void)user, (void)err;
        return PAWL_OK;
}

pawl_status pawl__rollback_verify_tree(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__directories directories = pawl__contents_directories(ws->contents);

        if (!pawl__unhex32(p->plan.target_tree, p->target.v[PAWL__WCP_TREE].text))
                return pawl__fail(err, PAWL_EDAMAGED,
                        "checkpoint %" PRId64 ": its tree is no hash; check with `eventlog verify`",
                        number_of(&p->target));
        p->plan.target = (uint64_t)number_of(&p->target);
        return verified(
                pawl__diff_trees(&directories, NULL, p->plan.target_tree, pass_over, NULL, err), p,
                ws, err);
}

pawl_status pawl__rollback_verify_contents(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        for (size_t i = 0; i < p->plan.n_steps; i++) {
                const pawl__plan_step *step = &p->plan.steps[i];
                if (step->to.kind != PAWL__ENTRY_FILE)
                        continue;
                const pawl_status status = pawl__contents_read(ws->contents, step->to.hash,
                        step->to.size, pawl__content_to_nothing, NULL, err);
                if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                        (void)pawl__fail_prefix(err, status, "%.*s", PAWL__FMT(step->path));
                if (status)
                        return verified(status, p, ws, err);
        }
        return PAWL_OK;
}

/* ---- Git ---------------------------------------------------------------------------------- */

static void set_commit(char out[41], pawl_text commit)
{
        size_t len = commit.len < 40 ? commit.len : 40;

        memcpy(out, commit.data ? commit.data : "", len);
        out[len] = '\0';
}

/* An undo has no option that leaves git: a rollback to the same checkpoint leaves it. */
static void put_files_alone(char instead[80], const pawl_rollback_plan *p)
{
        snprintf(instead, 80, "put the files back alone with `pawl rollback %" PRId64 "`",
                number_of(&p->target));
}

/* May it be moved there, and what does the branch give up? */
static pawl_status check_move(pawl_rollback_plan *p, pawl__git *git, bool forward, pawl_error *err)
{
        char instead[80];
        const pawl__git_move move = {.branch = p->git.branch,
                .expect = p->plan.undo ? p->git.from : NULL,
                .to = p->git.to,
                .forward = forward,
                .instead = p->plan.undo ? instead : NULL};
        pawl__git_commit *list;
        size_t n;
        put_files_alone(instead, p);
        pawl_status status = pawl__git_move_check(p->git.from, git, &move, err);

        p->plan.git_forward = forward;
        if (!status && !forward)
                status = pawl__git_commits(
                        &p->git.commits, &list, &n, 0, git, p->git.to, p->git.from, &p->arena, err);
        return status;
}

/* An undo goes the other way than what it undoes; a rollback back, or forward where that is the way
 * to the commit. */
static pawl_status ask_git(
        pawl_rollback_plan *p, pawl__workspace *ws, bool forward, pawl_error *err)
{
        pawl_error ignored = PAWL_ERROR_INIT;
        pawl__git *git;
        pawl_status status = pawl__git_open(&git, ws->root, err);

        if (status)
                return status;
        status = check_move(p, git, forward, err);
        if (status == PAWL_ESTATE && !p->plan.undo && check_move(p, git, true, &ignored) == PAWL_OK)
                status = PAWL_OK;
        if (status == PAWL_DONE) { /* it is there */
                p->git.branch = pawl__text(NULL);
                status = PAWL_OK;
        }
        pawl__git_close(git);
        return status;
}

static pawl_status undone_forward(
        bool *forward, pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__plan undone = PAWL__PLAN_INIT;
        pawl__buf encoded = PAWL__BUF_INIT;
        pawl_status status = pawl__rollback_read(&undone, &encoded, ws, &p->undone, err);

        *forward = undone.git_forward;
        pawl__plan_free(&undone);
        pawl__buf_free(&encoded);
        return status;
}

pawl_status pawl__rollback_git(
        pawl_rollback_plan *p, pawl__workspace *ws, bool wanted, pawl_error *err)
{
        const pawl__value *v = p->target.v;
        pawl_status status = PAWL_OK;
        bool forward = true;
        char instead[80];

        p->git.branch = pawl__text(NULL);
        if (wanted && p->plan.in_part)
                return pawl__fail(err, PAWL_EINVAL,
                        "rollback of some paths: the branch stays where it is; leave out "
                        "git, or the paths");
        if (p->plan.undo ? !p->undone.v[PAWL__RB_GIT_TO].text.data : !wanted)
                return PAWL_OK;
        put_files_alone(instead, p);
        if (!v[PAWL__WCP_GIT_HEAD].text.data || !v[PAWL__WCP_GIT_BRANCH].text.data)
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64
                        ": no branch of git is known of it: none was checked out when it was taken, or the "
                        "repository is one that is not supported (objects of SHA-256, reftable, "
                        "another owner); %s",
                        number_of(&p->target), p->plan.undo ? instead : "leave git where it is");
        p->git.branch = v[PAWL__WCP_GIT_BRANCH].text;
        set_commit(p->git.to, v[PAWL__WCP_GIT_HEAD].text);
        if (p->plan.undo) {
                set_commit(p->git.from, p->undone.v[PAWL__RB_GIT_TO].text);
                set_commit(p->git.to, p->undone.v[PAWL__RB_GIT_FROM].text);
                status = undone_forward(&forward, p, ws, err);
        }
        if (!status)
                status = ask_git(p, ws, p->plan.undo && !forward, err);
        p->plan.git_from = pawl__text(p->git.branch.data ? p->git.from : "");
        p->plan.git_to = pawl__text(p->git.branch.data ? p->git.to : "");
        return status;
}
