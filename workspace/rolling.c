/* What a rollback goes to, and whether it may: decided from the log, before any file is looked at.
 */
#include "workspace/rolling.h"
#include "base/error.h"
#include "events/types.h"
#include <inttypes.h>

static int64_t number_of(const pawl__row *checkpoint)
{
        return checkpoint->v[PAWL__WCP_N].integer;
}

static pawl_status from_log(pawl__workspace *ws, pawl_status status, pawl_error *err)
{
        if (err)
                *err = *pawl__log_error(ws->log);
        return status;
}

/* ---- The target ----------------------------------------------------------------------------- */

/* Is it a rollback that made the checkpoint invalid, and not that it is damaged? */
static pawl_status was_given_up(
        bool *given_up, pawl__workspace *ws, const pawl__row *row, pawl_error *err)
{
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, &ws->arena, ws->log, (uint64_t)row->v[PAWL__WCP_INVALID_SEQ].integer);

        if (status)
                return from_log(ws, status, err);
        *given_up = pawl__event_type_of(event.type) == PAWL__ROLLED_BACK;
        return PAWL_OK;
}

static pawl_status refuse_invalid(pawl__workspace *ws, const pawl__row *row, pawl_error *err)
{
        pawl_text reason = row->v[PAWL__WCP_INVALID_REASON].text;
        bool given_up = false;
        pawl_status status = was_given_up(&given_up, ws, row, err);

        if (status)
                return status;
        if (given_up)
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64
                        ": was given up (%.*s); `pawl undo` goes forward again",
                        number_of(row), PAWL__FMT(reason));
        return pawl__fail(err, PAWL_EDAMAGED,
                "checkpoint %" PRId64 ": is damaged (%.*s); try `pawl rebuild %" PRId64
                "`, or choose another",
                number_of(row), PAWL__FMT(reason), number_of(row));
}

pawl_status pawl__rolling_target(
        pawl_plan *p, pawl__workspace *ws, const char *which, pawl_error *err)
{
        const pawl__value *v = p->target.v;
        pawl_status status = pawl__workspace_find(&p->target, ws->state, which, &p->arena, err);

        if (status)
                return status;
        if (v[PAWL__WCP_SAFETY].integer && number_of(&p->target) != number_of(&ws->current))
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64
                        ": is the safety copy of a rollback; `pawl undo` goes back to the newest",
                        number_of(&p->target));
        if (v[PAWL__WCP_PRUNED_SEQ].integer)
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64 ": was pruned; choose one that is kept",
                        number_of(&p->target));
        if (v[PAWL__WCP_INVALID_SEQ].integer)
                return refuse_invalid(ws, &p->target, err);
        if (v[PAWL__WCP_ROOT].text.data && number_of(&p->target) > number_of(&ws->current))
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64 ": lies ahead of %" PRId64
                        ", where the workspace stands; `pawl undo` goes forward again",
                        number_of(&p->target), number_of(&ws->current));
        return PAWL_OK;
}

pawl_status pawl__rolling_undone(pawl_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl_status status = pawl__state_rollback_to_undo(&p->undone, ws->state, &p->arena, err);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "workspace %.200s: no rollback is there to be undone; look at `pawl "
                        "checkpoints`",
                        ws->root);
        if (status)
                return status;
        p->plan.undo = true;
        p->target.v[PAWL__WCP_N].integer = p->undone.v[PAWL__RB_SAFETY].integer;
        status = pawl__state_get(ws->state, PAWL__WORKSPACE, &p->target, &p->arena, err);
        if (!status && p->target.v[PAWL__WCP_PRUNED_SEQ].integer)
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64
                        ": the safety copy was pruned, so that the rollback cannot be undone; go back "
                        "to an earlier checkpoint instead",
                        number_of(&p->target));
        return status;
}

/* ---- Does it verify? ---------------------------------------------------------------------- */

typedef struct verifying {
        pawl__contents *contents;
        int64_t n;
} verifying;

static pawl_status pass(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)data, (void)len, (void)user, (void)err;
        return PAWL_OK;
}

static pawl_status verify_entry(const pawl__change *change, void *user, pawl_error *err)
{
        const verifying *v = user;
        const pawl__entry *entry = change->to;

        if (!entry || entry->kind != PAWL__ENTRY_FILE)
                return PAWL_OK;
        pawl_status status =
                pawl__contents_read(v->contents, entry->hash, entry->size, pass, NULL, err);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return pawl__fail_prefix(err, PAWL_EDAMAGED, "%.*s", PAWL__FMT(change->path));
        return status;
}

pawl_status pawl__rolling_verify(pawl_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__folders folders = pawl__contents_folders(ws->contents);
        verifying v = {ws->contents, number_of(&p->target)};
        pawl_status status = PAWL_OK;

        if (!pawl__unhex32(p->plan.target_tree, p->target.v[PAWL__WCP_TREE].text))
                return pawl__fail(err, PAWL_EDAMAGED,
                        "checkpoint %" PRId64 ": its tree is no hash; check with `eventlog verify`",
                        v.n);
        p->plan.target = (uint64_t)v.n;
        status = pawl__diff_trees(&folders, NULL, p->plan.target_tree, verify_entry, &v, err);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                status = pawl__fail_prefix(err, PAWL_EDAMAGED,
                        "checkpoint %" PRId64 " does not verify, and `pawl validate` says more",
                        v.n);
        return pawl__workspace_or_pruned(status, ws->state, &p->target, err);
}

/* ---- Its run ------------------------------------------------------------------------------ */

static pawl_status check_holder(pawl__workspace *ws, pawl_text run_id, pawl_error *err)
{
        pawl_owner owner;
        bool held = false;

        if (!run_id.data)
                return PAWL_OK;
        pawl_status status = pawl__log_holder(&held, &owner, ws->log, run_id);
        if (status)
                return from_log(ws, status, err);
        if (!held)
                return PAWL_OK;
        return pawl__fail(err, PAWL_EHELD,
                "run %.*s: process %" PRId64 " on %.*s is at work on it; stop it first",
                PAWL__FMT(run_id), owner.pid, PAWL__FMT(owner.host));
}

pawl_status pawl__rolling_not_held(pawl_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl_status status = check_holder(ws, p->target.v[PAWL__WCP_RUN].text, err);

        return status ? status : check_holder(ws, ws->newest.v[PAWL__WCP_RUN].text, err);
}

/* The steps of the run at which something happened after @p since. */
static pawl_status collect_steps(
        pawl__map *at_work, pawl_plan *p, pawl__workspace *ws, uint64_t since, pawl_error *err)
{
        pawl_cursor *cursor;
        pawl_event event;
        bool ok = true;
        pawl_status status = pawl_cursor_open(&cursor, ws->log, since);

        if (status)
                return from_log(ws, status, err);
        while ((status = pawl_cursor_next(cursor, &event)) == PAWL_OK) {
                pawl__event_type type = pawl__event_type_of(event.type);
                if ((type != PAWL__STEP_STARTED && type != PAWL__STEP_COMPLETED &&
                            type != PAWL__STEP_FAILED) ||
                        !event.step_id.data || !pawl__text_eq(event.run_id, p->run_id) ||
                        pawl__map_get(at_work, event.step_id) != PAWL__MAP_NONE)
                        continue;
                pawl_text id = pawl__arena_text(&p->arena, event.step_id, &ok);
                if (!ok || pawl__map_put(at_work, id, 0)) {
                        pawl_cursor_close(cursor);
                        return pawl__nomem(err);
                }
        }
        if (status != PAWL_DONE)
                (void)from_log(ws, status, err);
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status keep_steps(
        pawl_plan *p, pawl__workspace *ws, const pawl__map *at_work, pawl_error *err)
{
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_steps(&rows, &n, ws->state, p->run_id, &p->arena, err);

        if (status)
                return status;
        p->steps = pawl__arena_array(&p->arena, n + 1, sizeof *p->steps);
        if (!p->steps)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++) {
                pawl_text id = rows[i].v[PAWL__STEP_ID].text;
                if (pawl__map_get(at_work, id) != PAWL__MAP_NONE &&
                        !pawl__text_is(rows[i].v[PAWL__STEP_STATUS].text, "pending"))
                        p->steps[p->n_steps++] = (pawl_given_up){p->run_id, id};
        }
        return PAWL_OK;
}

pawl_status pawl__rolling_steps(pawl_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl__row from = p->target;
        pawl__map at_work = PAWL__MAP_INIT;
        int64_t since = p->target.v[PAWL__WCP_SEQ].integer;
        pawl_status status = PAWL_OK;

        if (p->plan.undo) { /* the run is that of the checkpoint which the undone one went to */
                since = p->undone.v[PAWL__RB_ENDED_SEQ].integer;
                p->steps_back = p->undone.v[PAWL__RB_STEPS_BEFORE].text.data != NULL;
                from = (pawl__row){.v[PAWL__WCP_N] = p->undone.v[PAWL__RB_TARGET]};
                status = pawl__state_get(ws->state, PAWL__WORKSPACE, &from, &p->arena, err);
        }
        p->n_steps = 0;
        p->run_id = from.v[PAWL__WCP_RUN].text;
        p->mission_id = p->answers_of = from.v[PAWL__WCP_MISSION].text;
        if (status || !p->run_id.data)
                return status;
        status = collect_steps(&at_work, p, ws, (uint64_t)since, err);
        if (!status)
                status = keep_steps(p, ws, &at_work, err);
        pawl__map_free(&at_work);
        if (!p->n_steps && !p->steps_back)
                p->run_id = p->mission_id = pawl__text(NULL);
        return status;
}

/* ---- Git ---------------------------------------------------------------------------------- */

static void set_commit(char out[41], pawl_text commit)
{
        size_t len = commit.len < 40 ? commit.len : 40;

        memcpy(out, commit.data ? commit.data : "", len);
        out[len] = '\0';
}

/* May it be moved there, and what does the branch give up? */
static pawl_status ask_git(pawl_plan *p, pawl__workspace *ws, pawl_error *err)
{
        const pawl__git_move move = {.branch = p->git.branch,
                .expect = p->plan.undo ? p->git.from : NULL,
                .to = p->git.to,
                .forward = p->plan.undo};
        pawl__git_commit *list;
        pawl__git *git;
        size_t n;
        pawl_status status = pawl__git_open(&git, ws->root, err);

        if (status)
                return status;
        status = pawl__git_move_check(p->git.from, git, &move, err);
        if (!status && !p->plan.undo)
                status = pawl__git_commits(
                        &p->git.commits, &list, &n, 0, git, p->git.to, p->git.from, &p->arena, err);
        if (status == PAWL_DONE) { /* it stands there */
                p->git.branch = pawl__text(NULL);
                status = PAWL_OK;
        }
        pawl__git_close(git);
        return status;
}

pawl_status pawl__rolling_git(pawl_plan *p, pawl__workspace *ws, bool wanted, pawl_error *err)
{
        const pawl__value *v = p->target.v;
        pawl_status status;

        p->git.branch = pawl__text(NULL);
        if (p->plan.undo ? !p->undone.v[PAWL__RB_GIT_TO].text.data : !wanted)
                return PAWL_OK;
        if (!v[PAWL__WCP_GIT_HEAD].text.data || !v[PAWL__WCP_GIT_BRANCH].text.data)
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %" PRId64
                        ": no branch of git was checked out when it was taken; go back without "
                        "--git",
                        number_of(&p->target));
        p->git.branch = v[PAWL__WCP_GIT_BRANCH].text;
        set_commit(p->git.to, v[PAWL__WCP_GIT_HEAD].text);
        if (p->plan.undo) {
                set_commit(p->git.from, p->undone.v[PAWL__RB_GIT_TO].text);
                set_commit(p->git.to, p->undone.v[PAWL__RB_GIT_FROM].text);
        }
        status = ask_git(p, ws, err);
        p->plan.git_from = pawl__text(p->git.branch.data ? p->git.from : "");
        p->plan.git_to = pawl__text(p->git.branch.data ? p->git.to : "");
        return status;
}
