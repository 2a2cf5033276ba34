/*
 * Going back to a checkpoint, and undoing that: from the decision to the last event. What is here
 * touches no file before the log has the safety copy and the plan; what ends in between is found
 * again by workspace/rollback/undo.c.
 */
#include "base/error.h"
#include "workspace/rollback/rollback_internal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct going_back {
        pawl_rollback_plan *p;
        pawl__workspace ws;
        const pawl_rollback_options *options;
        const char *which; /* NULL: as `by` says */
        pawl__reversal by;
        pawl_error *err;
} going_back;

static pawl_status check_options(const pawl_rollback_options *options, pawl_error *err)
{
        unsigned char hash[32];

        if (options->version != PAWL_ROLLBACK_OPTIONS_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "rollback options: version %u is not known; start from "
                        "PAWL_ROLLBACK_OPTIONS_INIT",
                        options->version);
        if (options->reason && !pawl__utf8_valid(options->reason, strlen(options->reason)))
                return pawl__fail(err, PAWL_EINVAL, "reason: is not UTF-8; write it so");
        if (options->expect && !pawl__unhex32(hash, pawl__text(options->expect)))
                return pawl__fail(err, PAWL_EINVAL,
                        "plan %.80s: is no hash of 64 lower-case hex digits; take the "
                        "one of a plan",
                        options->expect);
        return PAWL_OK;
}

/* An absolute path may lead to the root by a link: its directory without links. */
static const char *without_links(const char *given, pawl__arena *arena)
{
        const char *slash = strrchr(given, '/');
        char directory[PATH_MAX], real[PATH_MAX];

        if (*given != '/' || slash == given || (size_t)(slash - given) >= sizeof directory)
                return given;
        memcpy(directory, given, (size_t)(slash - given));
        directory[slash - given] = '\0';
        if (!realpath(directory, real))
                return given;
        const size_t len = strlen(real) + strlen(slash) + 1;
        char *path = pawl__arena_alloc(arena, len);
        if (path)
                snprintf(path, len, "%s%s", real, slash);
        return path ? path : given;
}

/* What lies outside of the root is not the workspace's. */
static pawl_status take_named(going_back *g, const pawl_rollback_call *call)
{
        pawl_rollback_plan *p = g->p;
        pawl_error outside = PAWL_ERROR_INIT;

        p->restore = true;
        p->named.exact = true;
        p->names = pawl__arena_array(&p->arena, call->n_paths + 1, sizeof *p->names);
        if (!p->names)
                return pawl__nomem(g->err);
        for (size_t i = 0; i < call->n_paths; i++) {
                pawl_text *path = &p->names[p->n_names];
                const pawl_status status = pawl__paths_normal(path, g->ws.root,
                        without_links(call->paths[i], &p->arena), &p->arena, &outside);
                if (status == PAWL_EINVAL || (!status && !path->len))
                        continue;
                if (status)
                        return pawl__nomem(g->err);
                TRY(pawl__paths_add(&p->named, *path, g->err));
                p->n_names++;
        }
        return PAWL_OK;
}

static pawl_status begin(going_back *g, pawl_log *log, const char *which, pawl__reversal by,
        const pawl_rollback_options *options, const pawl_workspace_options *workspace,
        pawl_error *err)
{
        static const pawl_rollback_options defaults = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_status status;

        *g = (going_back){
                .options = options ? options : &defaults, .which = which, .by = by, .err = err};
        status = check_options(g->options, err);
        if (!status)
                status = pawl__workspace_open(&g->ws, log, workspace, err);
        if (status)
                return status;
        g->p = calloc(1, sizeof *g->p);
        if (!g->p) {
                pawl__workspace_close(&g->ws);
                return pawl__nomem(err);
        }
        g->p->plan = (pawl__plan)PAWL__PLAN_INIT;
        g->p->contents = g->ws.contents;
        g->p->plan.drop_decisions = g->options->drop_decisions && which;
        g->p->clean = g->options->clean && which;
        g->p->actor = pawl__arena_copy(&g->p->arena, g->ws.actor);
        g->p->reason = pawl__arena_copy(&g->p->arena, pawl__text(g->options->reason));
        TRY(pawl__arena_check(&g->p->arena, err));
        return which && g->options->call ? take_named(g, g->options->call) : PAWL_OK;
}

/* What happened ends: on success the plan is the caller's, if that one wants it. */
static pawl_status end(going_back *g, pawl_rollback_plan **out, pawl_status status)
{
        if (!g->p) /* it did not begin */
                return status;
        if (status)
                pawl__rollback_release(g->p, &g->ws);
        pawl__workspace_close(&g->ws);
        if (status || !out)
                pawl_rollback_plan_free(g->p);
        else
                *out = g->p;
        return status;
}

static pawl_status is_pending(bool *pending, going_back *g)
{
        pawl__row row;
        const pawl_status status =
                pawl__state_rollback_pending(&row, g->ws.state, &g->p->arena, g->err);

        *pending = !status;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Everything that can be decided without a look at the files. */
static pawl_status decide(going_back *g)
{
        pawl_status status = pawl__workspace_check_idle(&g->ws, g->err);

        if (!status && !g->ws.last)
                status = pawl__fail(g->err, PAWL_ENOTFOUND,
                        "workspace %.200s: has no checkpoint; take one with `pawl checkpoint`",
                        g->ws.root);
        if (!status && g->which)
                status = pawl__rollback_target(g->p, &g->ws, g->which, g->options->here, g->err);
        else if (!status && g->by == PAWL__IS_FINISH)
                status = pawl__rollback_unfinished(g->p, &g->ws, g->err);
        else if (!status)
                status = pawl__rollback_undone(g->p, &g->ws, g->by, g->err);
        if (!status)
                status = pawl__rollback_runs_are_free(g->p, &g->ws, g->err);
        if (!status)
                status = pawl__rollback_verify_tree(g->p, &g->ws, g->err);
        if (!status)
                status = pawl__rollback_steps(g->p, &g->ws, g->err);
        if (!status)
                status = pawl__rollback_checkpoints(g->p, &g->ws, g->err);
        return status ? status : pawl__rollback_git(g->p, &g->ws, g->options->git, g->err);
}

/* @p again: there is more to be read, and then planned. */
static pawl_status plan(bool *again, going_back *g, const pawl__scan *scan)
{
        pawl_status status = pawl__rollback_plan(g->p, &g->ws, scan, g->err);

        if (!status)
                status = pawl__rollback_hidden(again, g->p, &g->ws, g->err);
        if (status || *again)
                return status;
        if (g->by != PAWL__IS_FINISH) /* which leaves and lists what is damaged */
                TRY(pawl__rollback_verify_contents(g->p, &g->ws, g->err));
        if (g->options->expect && strcmp(g->options->expect, g->p->hash) != 0)
                return pawl__fail(g->err, PAWL_ESTATE,
                        "plan %.64s: is not what would be done any more, as files or the log have "
                        "changed since; look at `pawl rollback --plan` again",
                        g->options->expect);
        return pawl__rollback_report(g->p, &g->ws, g->err);
}

/* One that was interrupted, as far as it can be told before it is ended. */
static pawl_status resume(going_back *g, bool claim)
{
        TRY(pawl__rollback_read_back(g->p, &g->ws, g->err));
        TRY(pawl__rollback_runs_are_free(g->p, &g->ws, g->err));
        if (!g->p->abandons)
                TRY(pawl__rollback_steps(g->p, &g->ws, g->err));
        if (!g->p->abandons && claim)
                TRY(pawl__rollback_claim(g->p, &g->ws, g->err));
        return pawl__rollback_report(g->p, &g->ws, g->err);
}

static pawl_status plan_pending(going_back *g)
{
        g->p->abandons = g->by != PAWL__IS_FINISH;
        TRY(resume(g, false));
        return pawl__rollback_do(NULL, g->p, &g->ws, false, g->err);
}

static pawl_status plan_anew(going_back *g)
{
        pawl__scan *scan = NULL;
        pawl_status status = decide(g);

        for (bool again = true; again && !status;) {
                pawl__scan_free(scan);
                scan = NULL;
                status = pawl__workspace_scan(&scan, &g->ws, false, g->err);
                if (!status)
                        status = plan(&again, g, scan);
        }
        pawl__scan_free(scan);
        if (!status && g->by == PAWL__IS_FINISH)
                status = pawl__rollback_do(NULL, g->p, &g->ws, false, g->err);
        return status;
}

pawl_status pawl_workspace_plan(pawl_rollback_plan **out, pawl_log *log, const char *which,
        const pawl_rollback_options *options, const pawl_workspace_options *workspace,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        const pawl__reversal by = options && options->finish ? PAWL__IS_FINISH
                                  : options && options->redo ? PAWL__IS_REDO
                                                             : PAWL__IS_UNDO;
        bool pending = false;
        going_back g;
        pawl_status status = begin(&g, log, which, by, options, workspace, err);

        if (!status && !which && by != PAWL__IS_REDO && !g.options->expect)
                status = is_pending(&pending, &g);
        if (!status)
                status = pending ? plan_pending(&g) : plan_anew(&g);
        return end(&g, out, status);
}

/* ---- Doing it ----------------------------------------------------------------------------- */

/* Read the workspace and decide, until the safety copy has all that is to be replaced. */
static pawl_status prepare(going_back *g, pawl__taking *taking)
{
        pawl_status status = PAWL_OK;

        for (bool again = true; again && !status;) {
                status = pawl__checkpoint_prepare(taking, g->err);
                if (!status)
                        status = plan(&again, g, taking->scan);
        }
        return status;
}

/* The safety copy and the start, in one transaction. Where files change while they are read, the
 * plan is made anew: it is of what the safety copy has, or there is none. */
static pawl_status start(going_back *g)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl__taking taking = {.ws = &g->ws,
                .request = &request,
                .safety = true,
                .then = pawl__rollback_started,
                .then_user = g->p};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_status status = PAWL_EINPUTS;

        request.automatic = true;
        request.description = "before a rollback";
        for (int i = 0; i < PAWL__CHECKPOINT_TRIES && status == PAWL_EINPUTS; i++) {
                status = prepare(g, &taking);
                if (!status)
                        status = pawl__rollback_claim(g->p, &g->ws, g->err);
                if (status)
                        break;
                pawl__checkpoint_arm(&taking, &batch);
                status = pawl__log_failed(
                        g->ws.log, pawl__log_commit(g->ws.log, &batch, 0, NULL), g->err);
        }
        if (!status)
                pawl__checkpoint_settle(&taking);
        pawl__batch_free(&batch);
        pawl__taking_free(&taking);
        if (status)
                return status;
        return pawl__state_rollback_pending(&g->p->started, g->ws.state, &g->p->arena, g->err);
}

static pawl_status put_back(going_back *g, bool again)
{
        pawl__scan *scan = NULL;
        pawl_status status = pawl__rollback_do(&scan, g->p, &g->ws, again, g->err);

        if (!status)
                status = pawl__rollback_end(g->p, &g->ws, scan, !g->p->abandons, g->err);
        pawl__scan_free(scan);
        return pawl__rollback_half_way(status, g->p, g->err);
}

static pawl_status go_back(pawl_rollback_plan **done, pawl_log *log, const char *which,
        pawl__reversal by, const pawl_rollback_options *options,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        going_back g;
        bool pending = false;
        pawl_status status = begin(&g, log, which, by, options, workspace, err);

        if (!status)
                status = pawl__workspace_own(&g.ws, err);
        if (!status && by == PAWL__IS_FINISH)
                status = is_pending(&pending, &g);
        if (!status)
                status = pending ? resume(&g, true) : decide(&g);
        if (!status && !pending)
                status = start(&g);
        if (!status && g.options->planned)
                g.options->planned(g.p, g.options->planned_user);
        if (!status)
                status = put_back(&g, by == PAWL__IS_FINISH);
        return end(&g, done, status);
}

pawl_status pawl_workspace_rollback(pawl_rollback_plan **done, pawl_log *log, const char *which,
        const pawl_rollback_options *options, const pawl_workspace_options *workspace,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return go_back(done, log, which, PAWL__NO_REVERSAL, options, workspace, err);
}

pawl_status pawl_workspace_undo(pawl_rollback_plan **done, pawl_log *log,
        const pawl_rollback_options *options, const pawl_workspace_options *workspace,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return go_back(done, log, NULL, PAWL__IS_UNDO, options, workspace, err);
}

pawl_status pawl_workspace_redo(pawl_rollback_plan **done, pawl_log *log,
        const pawl_rollback_options *options, const pawl_workspace_options *workspace,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return go_back(done, log, NULL, PAWL__IS_REDO, options, workspace, err);
}

pawl_status pawl_workspace_finish(pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return go_back(done, log, NULL, PAWL__IS_FINISH, NULL, workspace, err);
}

pawl_status pawl_workspace_give_up(pawl_rollback_plan **done, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        going_back g;
        pawl_status status = begin(&g, log, NULL, PAWL__IS_UNDO, NULL, workspace, err);

        if (!status)
                status = pawl__workspace_own(&g.ws, err);
        if (!status) {
                g.p->abandons = true;
                status = resume(&g, false);
        }
        if (!status)
                status = put_back(&g, true);
        return end(&g, done, status);
}
