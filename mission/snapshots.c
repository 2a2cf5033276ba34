/* The automatic checkpoints of the workspace that a run takes: before its first command, after each
 * completed step, and at the session's end. They share the commit that records the claim, the step,
 * or the end. */
#include "base/error.h"
#include "base/json_write.h"
#include "mission/runner.h"
#include "workspace/checkpoint.h"
#include "workspace/rollback/set_up.h"
#include <stdio.h>
#include <stdlib.h>

struct pawl__snapshot {
        pawl__workspace ws;
        pawl__taking taking;
        pawl_workspace_checkpoint_request request;
        bool open;
        bool waits;     /* armed on the batch, to go with its next commit */
        pawl_error why; /* the last one failed: the same is not said again */
        bool untold;
        pawl__batch_prepare_fn ask; /* what the claim asks after the first one; NULL: nothing */
        void *ask_user;
        unsigned tries;                         /* of a submitted run's, which failed */
        pawl_text running[PAWL__COMMANDS_MOST]; /* as the runner's, when it was taken */
};

enum { TRIES = 10, TRY_MS = 1000 };

void pawl__snapshot_free(pawl__snapshot *s)
{
        if (!s)
                return;
        pawl__taking_free(&s->taking);
        if (s->open)
                pawl__workspace_close(&s->ws);
        free(s);
}

/* Those of the project, then those of the mission. */
static pawl_status join(const char *const **out, size_t *n, const pawl__patterns *project,
        const char **own, size_t n_own, pawl__arena *arena, pawl_error *err)
{
        if (!project->items || !own) {
                *out = project->items ? project->items : own;
                *n = project->items ? project->n : n_own;
                return PAWL_OK;
        }
        const char **all = pawl__arena_array(arena, project->n + n_own + 1, sizeof *all);
        if (!all)
                return pawl__nomem(err);
        memcpy(all, project->items, project->n * sizeof *all);
        memcpy(all + project->n, own, n_own * sizeof *all);
        *out = all;
        *n = project->n + n_own;
        return PAWL_OK;
}

pawl_status pawl__runner_open_workspace(pawl__workspace *ws, pawl__runner *r, pawl_error *err)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        const pawl_mission *mission = r->mission;
        pawl__patterns include, exclude;

        options.root = mission->root;
        options.home = r->options.home;
        options.config_home = r->options.config_home;
        TRY(pawl__config_patterns(&include, &exclude, pawl__log_place(r->log), &r->arena, err));
        TRY(join(&options.exclude, &options.n_exclude, &exclude, mission->exclude,
                mission->n_exclude, &r->arena, err));
        TRY(join(&options.include, &options.n_include, &include, mission->include,
                mission->n_include, &r->arena, err));
        options.actor = r->actor.data;
        if (!options.root && !pawl__workspace_has_place(r->log))
                options.root = mission->directory;
        if (r->directory) { /* by the rules of the checkpoint that it goes on from */
                options.root = r->directory;
                options.exclude = options.include = NULL;
        }
        if (r->root)
                options.root = r->root;
        pawl_status status =
                r->directory || r->root
                        ? pawl__workspace_open_run(ws, r->log, r->run_id, r->from, &options, err)
                        : pawl__workspace_open(ws, r->log, &options, err);
        if (status)
                return status;
        if (mission->tool_files && !r->directory)
                status = pawl__workspace_leave_out(ws, mission->tool_files, err);
        if (status)
                pawl__workspace_close(ws);
        return status;
}

static pawl_status open_workspace(pawl__runner *r, pawl_error *err)
{
        pawl__snapshot *s = r->snapshot;

        if (s->open)
                return pawl__workspace_locate(&s->ws, err);
        pawl_status status = pawl__runner_open_workspace(&s->ws, r, err);
        s->open = !status;
        return status;
}

static pawl_status need_snapshot(pawl__runner *r)
{
        if (!r->snapshot)
                r->snapshot = calloc(1, sizeof *r->snapshot);
        return r->snapshot ? PAWL_OK : pawl__nomem(&r->error);
}

pawl_status pawl__runner_own(pawl__runner *r)
{
        pawl_status status = need_snapshot(r);

        if (!status)
                status = open_workspace(r, &r->error);
        return status ? status : pawl__workspace_own(&r->snapshot->ws, &r->error);
}

/* The log is asked first: the root is not looked for where no rollback is under way. A root that is
 * not the log's has no checkpoints, so that no rollback is of it. */
pawl_status pawl__runner_check_idle(pawl__runner *r)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row row;

        if (r->directory || r->root || r->mission->snapshots == PAWL__SNAPSHOT_MANUAL)
                return PAWL_OK;
        pawl_status status = pawl__state_rollback_pending(&row, r->state, &arena, &r->error);
        pawl__arena_free(&arena);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        status = need_snapshot(r);
        if (!status)
                status = open_workspace(r, &r->error);
        if (status)
                return status == PAWL_EINVAL ? PAWL_OK : status;
        return pawl__workspace_check_idle(&r->snapshot->ws, &r->error);
}

pawl_status pawl__runner_set_up(pawl__runner *r)
{
        pawl_status status = pawl__runner_own(r);

        if (!status)
                status = pawl__workspace_set_up(&r->snapshot->ws, &r->error);
        r->is_set_up = !status;
        return status;
}

/* What the runner adds after the checkpoint. */
typedef struct after {
        pawl__runner *r;
        pawl__prepare_fn then;
        void *user;
} after;

static pawl_status add_after(uint64_t n, pawl__batch *batch, void *user, pawl_error *err)
{
        const after *a = user;

        (void)n;
        (void)batch; /* the pipeline's, which the runner fills */
        pawl_status status = a->then(a->r, a->user);
        if (status && err)
                *err = a->r->error;
        return status;
}

static void set_request(pawl__runner *r, pawl_text step_id, after *a)
{
        pawl__snapshot *s = r->snapshot;

        s->request = (pawl_workspace_checkpoint_request)PAWL_CHECKPOINT_REQUEST_INIT;
        s->request.automatic = true;
        s->request.only_if_changed = true;
        s->request.mission_id = r->mission->id.data;
        s->request.run_id = r->run_id.data;
        s->request.session_id = r->session_id.data;
        s->request.step_id = step_id.data;
        s->request.description = step_id.data ? NULL
                                 : r->fence   ? "session end"
                                              : PAWL__AT_SESSION_START;
        s->taking.ws = &s->ws;
        s->taking.request = &s->request;
        s->taking.begins = !r->fence;
        s->taking.files_only = !r->last && !r->done_before;
        s->taking.then = a->then ? add_after : NULL;
        s->taking.then_user = a;
        memcpy(s->running, r->running, r->n_running * sizeof *r->running);
        s->taking.running = s->running;
        s->taking.n_running = r->n_running;
        s->taking.last = (pawl__last_step){{NULL, 0}, {NULL, 0}, {NULL, 0}};
        if (r->last) /* it may wait in the batch still */
                s->taking.last = (pawl__last_step){r->last->step_id,
                        pawl__text(r->last->input_hash), pawl__text(r->last->output_hash)};
}

/* ---- Taking one ------------------------------------------------------------------------------ */

/* PAWL_DONE: nothing has changed. */
static pawl_status prepare(pawl__runner *r, pawl_text step_id, after *a, pawl_error *err)
{
        pawl__snapshot *s = r->snapshot;
        pawl_status status = open_workspace(r, err);

        if (status)
                return status;
        set_request(r, step_id, a);
        return pawl__checkpoint_prepare(&s->taking, err);
}

/* A commit with a step's checkpoint failed. Is it the log that fails, and not the checkpoint? Then
 * what waits cannot be committed alone either, and who commits it next finds out and says so. */
static bool log_fails(pawl__runner *r)
{
        pawl__checkpoint_disarm(pawl__pipeline_batch(r->pipeline));
        return pawl_pipeline_flush(r->pipeline) != PAWL_OK;
}

static void tell_taken(pawl__runner *r)
{
        const pawl__row *row = &r->snapshot->ws.current;

        pawl__runner_tell_done(r);
        if (!r->options.checkpoint)
                return;
        pawl_workspace_checkpoint_info info =
                pawl__checkpoint_info(row, (uint64_t)row->v[PAWL__WCP_N].integer);
        if (r->claims_again && pawl__text_is(info.description, PAWL__AT_SESSION_START))
                pawl__changed_files(&info, &r->snapshot->ws);
        r->options.checkpoint(&info, r->options.checkpoint_user);
}

/* What waits in the batch is committed with the checkpoint, or without it, or waits on. With @p
 * later the checkpoint waits for that commit, too. */
static pawl_status take(pawl__runner *r, pawl_text step_id, after *a, bool later, pawl_error *err)
{
        pawl__batch *batch = pawl__pipeline_batch(r->pipeline);
        pawl_status status = PAWL_EINPUTS;

        for (int i = 0; i < PAWL__CHECKPOINT_TRIES && status == PAWL_EINPUTS; i++) {
                status = prepare(r, step_id, a, err);
                if (status)
                        return status;
                pawl__checkpoint_arm(&r->snapshot->taking, batch);
                r->snapshot->waits = later;
                if (later)
                        return PAWL_OK;
                status = pawl_pipeline_flush(r->pipeline);
                if (status) {
                        pawl__checkpoint_disarm(batch);
                        *err = *pawl__pipeline_error(r->pipeline);
                }
        }
        if (!status) {
                pawl__checkpoint_settle(&r->snapshot->taking);
                tell_taken(r);
                return PAWL_OK;
        }
        return !a->then && status != PAWL_EFENCED && !r->directory && log_fails(r) ? PAWL_DONE
                                                                                   : status;
}

void pawl__snapshot_report(pawl__runner *r)
{
        pawl__snapshot *s = r->snapshot;
        char line[PAWL_ERROR_MAX + 80];

        if (!s || !s->untold)
                return;
        s->untold = false;
        snprintf(line, sizeof line, "no checkpoint of the workspace was taken: %s", s->why.message);
        pawl__runner_notice(r, line);
}

/* What is to be done about it? A submitted run goes on with nothing that another worker could not
 * set up: it is tried again, then stopped. Else, without anybody to ask: go on without it, and say
 * so once. */
static pawl_trouble_answer ask(pawl__runner *r, const pawl_error *err)
{
        pawl__snapshot *s = r->snapshot;

        if (r->directory) {
                if (s->tries >= TRIES || pawl__runner_signalled(r, s->tries++ ? TRY_MS : 0) ||
                        pawl__log_keep_claims(r->log))
                        return PAWL_TROUBLE_STOP;
                return PAWL_TROUBLE_RETRY;
        }
        if (r->options.trouble)
                return r->options.trouble(err->message, r->options.trouble_user);
        if (strcmp(s->why.message, err->message) != 0)
                s->untold = true;
        s->why = *err;
        return PAWL_TROUBLE_SKIP;
}

/* The log says it, too, with what is committed next. */
static pawl_status emit_failed(pawl__runner *r, pawl_text step_id, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__message_fix(err->message);
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "reason", err->message);
        pawl__json_member_string(&w, "trigger", "auto");
        return pawl__runner_emit(r, PAWL__WORKSPACE_CHECKPOINT_FAILED, step_id, &w);
}

static pawl_status stop(pawl__runner *r, const pawl_error *err)
{
        r->stopped = true;
        return pawl__fail(&r->error, PAWL_EINTERRUPTED,
                "run %.*s: stopped without a checkpoint of the workspace: %.300s",
                PAWL__FMT(r->run_id), err->message);
}

/* Until it is taken, skipped or the run is stopped. */
static pawl_status take_or_ask(pawl__runner *r, pawl_text step_id, after *a, bool later)
{
        pawl_error err = PAWL_ERROR_INIT;

        for (;;) {
                pawl_status status = take(r, step_id, a, later, &err);
                if (status == PAWL_OK || status == PAWL_DONE)
                        return status;
                if (status == PAWL_EFENCED) { /* the next commit says so itself */
                        r->error = err;
                        return status;
                }
                const pawl_trouble_answer answer = ask(r, &err);
                if (answer == PAWL_TROUBLE_RETRY)
                        continue;
                if (r->directory) { /* the step has not ended: nobody would have its files */
                        pawl__batch_clear(pawl__pipeline_batch(r->pipeline));
                        r->n_done = 0;
                }
                status = emit_failed(r, step_id, &err);
                if (status)
                        return status;
                return answer == PAWL_TROUBLE_SKIP ? PAWL_DONE : stop(r, &err);
        }
}

/* ---- Before the first command ---------------------------------------------------------------- */

/* What the claim has the batch ask inside its transaction is asked after the checkpoint. */
static pawl_status ask_after(uint64_t n, pawl__batch *batch, void *user, pawl_error *err)
{
        const pawl__snapshot *s = user;

        (void)n;
        return s->ask(s->ws.log, batch, s->ask_user, err);
}

/* The run begins without it; or again, where it is tried again. */
static pawl_status begin_without(pawl__runner *r, const pawl_error *err)
{
        pawl_error why = *err;
        const pawl_trouble_answer answer = ask(r, err);

        if (answer == PAWL_TROUBLE_RETRY)
                return PAWL_EINPUTS;
        if (answer == PAWL_TROUBLE_STOP)
                (void)stop(r, err);
        TRY(emit_failed(r, (pawl_text){NULL, 0}, &why));
        return PAWL_DONE;
}

pawl_status pawl__runner_snapshot_first(pawl__runner *r, const pawl_error *failed)
{
        pawl__batch *batch = pawl__pipeline_batch(r->pipeline);
        const pawl_text none = {NULL, 0};
        after nothing = {r, NULL, NULL};
        pawl_error err = PAWL_ERROR_INIT;

        if (r->directory || r->mission->snapshots == PAWL__SNAPSHOT_MANUAL)
                return PAWL_DONE;
        TRY(need_snapshot(r));
        pawl_status status = failed ? begin_without(r, failed) : PAWL_EINPUTS;
        while (status == PAWL_EINPUTS) {
                status = prepare(r, none, &nothing, &err);
                if (status && status != PAWL_DONE)
                        status = begin_without(r, &err);
        }
        if (status)
                return status;
        pawl__snapshot *s = r->snapshot;
        s->ask = batch->prepare;
        s->ask_user = batch->prepare_user;
        if (s->ask) {
                s->taking.then = ask_after;
                s->taking.then_user = s;
        }
        pawl__checkpoint_arm(&s->taking, batch);
        return PAWL_OK;
}

void pawl__runner_snapshot_begun(pawl__runner *r)
{
        pawl__checkpoint_settle(&r->snapshot->taking);
        tell_taken(r);
}

/* Has the commit that it waited for taken it? */
static bool was_taken(pawl__snapshot *s)
{
        pawl__row row = {.v[PAWL__WCP_N].integer = (int64_t)s->taking.n};
        pawl__arena arena = PAWL__ARENA_INIT;
        char tree[65];

        pawl__hex(tree, s->taking.scan->tree, 32);
        const bool taken = s->taking.n &&
                           !pawl__state_get(s->ws.state, PAWL__WORKSPACE, &row, &arena, NULL) &&
                           pawl__text_is(row.v[PAWL__WCP_TREE].text, tree) &&
                           pawl__text_is(row.v[PAWL__WCP_SESSION].text, s->request.session_id);
        pawl__arena_free(&arena);
        return taken;
}

pawl_status pawl__runner_snapshot_settle(pawl__runner *r)
{
        pawl__snapshot *s = r->snapshot;
        after none = {r, NULL, NULL};

        pawl__runner_tell_done(r);
        if (!s || !s->waits || pawl__checkpoint_armed(pawl__pipeline_batch(r->pipeline)))
                return PAWL_OK;
        s->waits = false;
        if (was_taken(s)) {
                pawl__checkpoint_settle(&s->taking);
                tell_taken(r);
                return PAWL_OK;
        }
        const pawl_status status = take_or_ask(r, pawl__text(s->request.step_id), &none, false);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__runner_snapshot(
        pawl__runner *r, pawl_text step_id, pawl__prepare_fn then, void *user)
{
        after a = {r, then, user};

        if (r->directory ? !r->is_set_up : r->mission->snapshots == PAWL__SNAPSHOT_MANUAL)
                return PAWL_DONE;
        if (need_snapshot(r))
                return PAWL_ENOMEM;
        if (r->snapshot->waits) { /* no commit came by since */
                pawl_status status = pawl_pipeline_flush(r->pipeline);
                if (status)
                        r->error = *pawl__pipeline_error(r->pipeline);
                else
                        status = pawl__runner_snapshot_settle(r);
                if (status)
                        return status;
        }
        return take_or_ask(r, step_id, &a, !then && !r->directory);
}
