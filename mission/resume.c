/* Going on with a run: from a retry token, a run's id, or the one run that can go on. */
#include "base/error.h"
#include "base/ids.h"
#include "base/printable.h"
#include "base/sources.h"
#include "checkpoint/checkpoint.h"
#include "mission/params.h"
#include "mission/runner.h"
#include "mission/runs.h"
#include "mission/within.h"
#include "pipeline/question.h"
#include "state/run_way.h"
#include "workspace/worktree.h"
#include <stdio.h>

/* What was asked for, as the log has it. */
typedef struct target {
        pawl__row run;
        bool done; /* there is nothing to run */
} target;

static pawl_status get_run(target *found, pawl__runner *r, pawl_text run_id)
{
        found->run = (pawl__row){0};
        found->run.v[PAWL__RUN_ID].text = run_id;
        return pawl__state_get(r->state, PAWL__RUNS, &found->run, &r->arena, &r->error);
}

/* Is there nothing to run: has the run completed, or the token's step? */
static pawl_status look_for_end(target *found, pawl__runner *r)
{
        pawl__row step = {.v[PAWL__STEP_RUN].text = found->run.v[PAWL__RUN_ID].text,
                .v[PAWL__STEP_ID].text = r->token_step};
        pawl_status status;

        found->done = pawl__text_is(found->run.v[PAWL__RUN_STATUS].text, "completed");
        if (found->done)
                return pawl__runner_check_end(r, &found->run, (pawl_text){NULL, 0});
        if (pawl__text_is(found->run.v[PAWL__RUN_STATUS].text, "cancelled"))
                return pawl__fail(&r->error, PAWL_ESTATE,
                        "run %.*s: was %.*s; start a new one with `pawl run MISSION`",
                        PAWL__FMT(found->run.v[PAWL__RUN_ID].text),
                        PAWL__FMT(found->run.v[PAWL__RUN_REASON].text));
        if (!r->token_step.data)
                return PAWL_OK;
        status = pawl__state_get(r->state, PAWL__STEPS, &step, &r->arena, &r->error);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        found->done = pawl__text_is(step.v[PAWL__STEP_STATUS].text, "completed");
        return found->done ? pawl__runner_check_end(r, &found->run, r->token_step) : PAWL_OK;
}

/* By verified events, where the run began so. */
static pawl_status look_at_run(target *found, pawl__runner *r)
{
        pawl_status status = pawl__runner_believe(r, r->run_id);

        if (!status)
                status = get_run(found, r, r->run_id);
        return status ? status : look_for_end(found, r);
}

/* Is it held, and what is its last fence (0: not known)? */
static pawl_status holder_of(bool *held, uint64_t *fence, pawl__runner *r, pawl_text run_id)
{
        pawl_owner owner = {0};
        pawl_status status = pawl__log_holder(held, &owner, r->log, run_id);

        if (status)
                r->error = *pawl__log_error(r->log);
        *fence = owner.fence;
        return status;
}

/* Runs that can be resumed as they are. */
struct waiting {
        pawl__runner *r;
        pawl_text run_id; /* of one of them */
        size_t n;
};

/* A run that a program began has no mission file: that program goes on with it, not this one; and
 * workers with those that were submitted. */
static pawl_status count_waiting(const pawl__run_view *run, void *user, pawl_error *err)
{
        struct waiting *w = user;
        const bool waits = run->conflicts_open && !w->r->options.wait_ms &&
                           pawl__text_is(run->status, "blocked");
        pawl__expired expired;
        bool ok = true;

        if (!run->row.v[PAWL__RUN_MISSION_PATH].text.data || pawl__run_submitted(&run->row) ||
                run->place.elsewhere.data || waits)
                return PAWL_OK;
        if (pawl__text_is(run->status, "blocked")) { /* to fail it takes its name */
                const pawl_status status = pawl__question_expired(&expired, w->r->log, w->r->state,
                        run->row.v[PAWL__RUN_ID].text, pawl__text(NULL), &w->r->arena, err);
                if (status || (expired.question.data && !expired.otherwise.data))
                        return status;
        }
        if (w->n++ == 0)
                w->run_id = pawl__arena_text(&w->r->arena, run->row.v[PAWL__RUN_ID].text, &ok);
        return ok ? PAWL_OK : pawl__nomem(err);
}

/* The one run that waits for nothing but to be gone on with. */
static pawl_status find_waiting(target *found, pawl__runner *r)
{
        static const char *const statuses[] = {"interrupted", "blocked", "failed"};
        struct waiting w = {.r = r};
        uint64_t next;
        char line[400];

        for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
                pawl_status status = pawl__runs_list(&next, r->log, pawl__text(statuses[i]), 0,
                        UINT64_MAX, count_waiting, &w, &r->error);
                if (status)
                        return status;
        }
        if (w.n == 0)
                return pawl__fail(&r->error, PAWL_ENOTFOUND,
                        "nothing to resume: no run is interrupted, failed, or blocked with its answers in; "
                        "`pawl status` lists what is unfinished, and what continues it");
        if (w.n > 1)
                return pawl__fail(&r->error, PAWL_ESTATE,
                        "resume: %zu runs can be resumed; name one: `pawl resume RUN`, see "
                        "`pawl status`",
                        w.n);
        pawl_status status = get_run(found, r, w.run_id);
        if (status)
                return status;
        snprintf(line, sizeof line, "going on with mission %.*s, run %.*s",
                PAWL__FMT(found->run.v[PAWL__RUN_MISSION].text), PAWL__FMT(w.run_id));
        pawl__runner_notice(r, line);
        return PAWL_OK;
}

static pawl_status find_token(target *found, pawl__runner *r, pawl_text token)
{
        pawl__checkpoint checkpoint;
        pawl_status status;

        status = pawl__checkpoint_load(&checkpoint, &r->arena, r->log, token, &r->error);
        if (status)
                return status;
        status = get_run(found, r, checkpoint.run_id);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(&r->error, PAWL_EDAMAGED,
                        "checkpoint %.*s: its run is not in the state tables; see "
                        "`eventlog replay --check`",
                        PAWL__FMT(token));
        if (status)
                return status;
        r->token = token;
        r->token_step = checkpoint.step_id;
        return PAWL_OK;
}

static pawl_status find(target *found, pawl__runner *r, const char *what)
{
        static const pawl__table tables[] = {PAWL__RUNS, PAWL__CHECKPOINTS};
        bool ok = true;
        pawl_status status;

        *found = (target){0};
        if (!what)
                return find_waiting(found, r);
        pawl_text name = pawl__arena_text(&r->arena, pawl__text(what), &ok);
        if (!ok)
                return pawl__nomem(&r->error);
        status = pawl__id_check(name, "token or run id", &r->error);
        if (!status)
                status = pawl__state_whole_id(
                        &name, r->state, tables, 2, "resume", &r->arena, &r->error);
        if (status)
                return status;
        /* The whole id of a run is that run, also where a token is the same or begins so. */
        status = get_run(found, r, name);
        if (status == PAWL_ENOTFOUND && pawl__uuid_valid(name))
                status = find_token(found, r, name);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(&r->error, PAWL_ENOTFOUND,
                        "resume %.*s: is no checkpoint's token and no run's id, nor the beginning of "
                        "one; `pawl status` lists what can be resumed",
                        PAWL__FMT(name));
        return status;
}

/* The mission as its file is now. */
static pawl_status reload_mission(pawl__runner *r, const target *found)
{
        const pawl__row *run = &found->run;
        char real[PATH_MAX];
        pawl_text path;
        pawl_status status = pawl__run_mission_path(&path, r->state, run, &r->arena, &r->error);

        if (status)
                return status;
        if (!path.data)
                return pawl__fail(&r->error, PAWL_ENOTFOUND,
                        "run %.*s: has no mission file; continue with the program that began it",
                        PAWL__FMT(r->run_id));
        if (r->options.within) {
                status = pawl__file_within(real, path.data, r->options.within, &r->error);
                if (status == PAWL_EACCESS)
                        return pawl__fail(&r->error, status,
                                "run %.*s: its mission file is not in %s; resume it where it was begun",
                                PAWL__FMT(r->run_id), r->options.within);
                if (status && status != PAWL_ENOTFOUND)
                        return status;
                path = pawl__text(status ? path.data : real);
        }
        status = pawl_mission_load(&r->own_mission, path.data, &r->error);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(&r->error, status,
                        "run %.*s: its mission file %.*s is not there; put it back and resume",
                        PAWL__FMT(r->run_id), PAWL__FMT(path));
        if (status)
                return status;
        r->mission = r->own_mission;
        if (!pawl__text_eq(r->mission->id, run->v[PAWL__RUN_MISSION].text))
                return pawl__fail(&r->error, PAWL_EINVAL,
                        "%.*s: is mission %.*s, but run %.*s is one of %.*s; put the file back or "
                        "start a new run",
                        PAWL__FMT(path), PAWL__FMT(r->mission->id), PAWL__FMT(r->run_id),
                        PAWL__FMT(run->v[PAWL__RUN_MISSION].text));
        return PAWL_OK;
}

/* The seed versions that were in force when the run began: seeds are not read again. */
static pawl_status read_refs(pawl__runner *r, pawl_text json)
{
        return json.data ? pawl__scope_refs_read(r->refs, &r->n_refs, &r->arena, json, &r->error)
                         : PAWL_OK;
}

/* Read under the claim: from here on nobody else changes it, nor its steps. */
static pawl_status read_run(pawl__runner *r)
{
        target now;
        pawl_status status = get_run(&now, r, r->run_id);
        const pawl__value *v = now.run.v;

        if (status)
                return status;
        r->completed = pawl__text_is(v[PAWL__RUN_STATUS].text, "completed");
        r->done_before = v[PAWL__RUN_DONE].integer > 0;
        r->started_seq = v[PAWL__RUN_STARTED_SEQ].integer;
        return PAWL_OK;
}

/* The run as it is while nobody holds it, before a claim that is good only if nobody held it in
 * between: who comes too late to do anything finds that out here, and leaves no trace. PAWL_DONE:
 * there is nothing left to run. */
static pawl_status look_again(pawl__runner *r, void *user)
{
        target *found = user;
        bool held = false;
        uint64_t fence;
        pawl_status status = holder_of(&held, &fence, r, r->run_id);

        if (!status)
                status = get_run(found, r, r->run_id);
        if (!status)
                status = look_for_end(found, r);
        if (status)
                return status;
        pawl__pipeline_batch(r->pipeline)->after_fence = held ? UINT64_MAX : fence;
        r->mission_compared = !held;
        if (found->done)
                return PAWL_DONE;
        return held ? PAWL_OK : pawl__runner_hold_mission(r, &found->run);
}

/* PAWL_EHELD while conflicts without an answer hold the run back. What is asked again and again is
 * not kept in the runner's arena. */
static pawl_status ask_for_answers(pawl__runner *r)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = r->run_id}, *open;
        pawl__arena arena = PAWL__ARENA_INIT;
        size_t n = 0;
        pawl_status status = pawl__questions_settle(NULL, r->log, r->state, &r->error);

        if (!status)
                status = pawl__state_get(r->state, PAWL__RUNS, &run, &arena, &r->error);
        if (!status && pawl__text_is(run.v[PAWL__RUN_STATUS].text, "blocked"))
                status = pawl__state_conflicts(&open, &n, r->state, r->run_id, (pawl_text){NULL, 0},
                        true, &arena, &r->error);
        pawl__arena_free(&arena);
        return !status && n ? PAWL_EHELD : status;
}

/* Somebody answers elsewhere. The run is not claimed meanwhile. Time over: it goes on as it is, and
 * is blocked. */
static pawl_status await_answers(pawl__runner *r)
{
        char line[300];

        if (!r->options.wait_ms || r->options.clarify)
                return PAWL_OK;
        pawl_status status = ask_for_answers(r);
        if (status != PAWL_EHELD)
                return status;
        snprintf(line, sizeof line,
                "run %.*s: waits for answers (`pawl conflicts` shows to what, `pawl resolve` gives "
                "one)",
                PAWL__FMT(r->run_id));
        pawl__runner_notice(r, line);
        status = pawl__runner_wait(r, r->options.wait_ms, ask_for_answers);
        return status == PAWL_EHELD ? PAWL_OK : status;
}

/* A fork whose files have a root of their own. */
static pawl_status take_root(pawl__runner *r, const pawl__row *run)
{
        static char off[] = "off";
        const pawl_text root = pawl__run_root(run);

        if (!root.data)
                return PAWL_OK;
        pawl_status status = pawl__began_with(&r->from, r->log,
                (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer, &r->arena, &r->error);
        r->root = pawl__arena_copy(&r->arena, root).data;
        r->own_mission->tool_checkpoints = off; /* they are of the log's own workspace */
        return status ? status : pawl__arena_check(&r->arena, &r->error);
}

/* A run goes on where its files are. */
static pawl_status check_worktree(pawl__runner *r, const pawl__row *run)
{
        pawl__worktree_place place;

        pawl__worktrees_follow(r->state);
        TRY(pawl__state_run_place(&place, r->state, run, &r->arena, &r->error));
        if (place.gone)
                return pawl__fail(&r->error, PAWL_ESTATE, "run %.*s: its " PAWL__GONE,
                        PAWL__FMT(r->run_id), PAWL__FMT(place.root), PAWL__WORD(r->run_id));
        return !place.elsewhere.data
                       ? PAWL_OK
                       : pawl__fail(&r->error, PAWL_ESTATE,
                                 "run %.*s: its files are in another work tree, %.*s; resume it "
                                 "there",
                                 PAWL__FMT(r->run_id), PAWL__FMT(place.elsewhere));
}

static pawl_status go_on(pawl__runner *r, target *found)
{
        const pawl__row *run = &found->run;
        pawl_text strictness = run->v[PAWL__RUN_STRICTNESS].text;
        const bool elsewhere = pawl__run_submitted(run) || r->options.directory;
        pawl_status status = elsewhere ? PAWL_OK : check_worktree(r, run);

        if (status)
                return status;
        status = elsewhere ? pawl__runner_load_submitted(r, run) : reload_mission(r, found);
        r->begun = *run;
        if (!status)
                status = take_root(r, run);
        if (!status)
                status = pawl__params_of_run(r->own_mission, r->log, run, &r->error);
        if (!status)
                status = pawl__params_complete(r->own_mission, &r->error);
        if (!status)
                status = pawl__runner_mask(r);
        if (status)
                return status;
        r->runtime = PAWL__STRICTNESS_UNSET;
        if (strictness.data && !pawl__strictness_of(&r->runtime, strictness))
                return pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: its strictness %.*s is not known; see `eventlog replay --check`",
                        PAWL__FMT(r->run_id), PAWL__FMT(strictness));
        status = read_refs(r, run->v[PAWL__RUN_SCOPE_REFS].text);
        if (status)
                return status;
        status = pawl__runner_prepare(r);
        if (!status && r->directory)
                status = pawl__runner_own(r);
        if (!status)
                status = pawl__runner_check_idle(r);
        if (status)
                return status;
        pawl__runner_notify_left(r);
        r->claims_again = true;
        status = pawl__runner_claim(r, r->options.wait_ms, look_again, found);
        if (status)
                return status;
        r->resumes = true;
        if (!r->mission_compared) { /* others took turns at the run all the while */
                status = get_run(found, r, r->run_id);
                if (!status)
                        status = pawl__runner_hold_mission(r, &found->run);
                if (!status)
                        status = pawl_pipeline_flush(r->pipeline);
                if (status)
                        return pawl__runner_end(r, status);
        }
        status = read_run(r);
        if (!status && !r->completed && r->directory)
                status = pawl__runner_set_up(r);
        if (!status && !r->completed)
                status = pawl__runner_steps(r);
        return pawl__runner_end(r, status);
}

/* One that waits for a worker is what the log says: its files are not set up anywhere to be
 * compared.
 */
pawl_status pawl__runner_try_resume(pawl__runner *r, pawl_text run_id)
{
        target found = {0};
        pawl_owner owner = {0};
        bool held = false, yes = false;
        pawl_status status = PAWL_OK;

        r->run_id = run_id;
        status = look_at_run(&found, r);

        if (!status && found.done)
                status = pawl__fail(&r->error, PAWL_ESTATE,
                        "run %.*s: is completed; there is nothing to resume", PAWL__FMT(run_id));
        if (!status && (status = pawl__log_holder(&held, &owner, r->log, run_id)))
                status = pawl__log_failed(r->log, status, &r->error);
        if (!status && held)
                status = pawl__runner_fail_held(r, &owner);
        if (status || pawl__run_submitted(&found.run))
                return status;
        status = reload_mission(r, &found);
        if (!status)
                status = pawl__params_of_run(r->own_mission, r->log, &found.run, &r->error);
        if (!status)
                status = pawl__params_complete(r->own_mission, &r->error);
        if (!status)
                status = pawl__runner_judge_mission(&yes, r, &found.run);
        if (!status && r->changes_open)
                status = pawl__fail(&r->error, PAWL_EINPUTS,
                        "run %.*s: inputs of step %s changed since its checkpoint; put them back, or "
                        "go on with `pawl resume %s --accept-changed-inputs`",
                        PAWL__FMT(run_id), r->changes.items[0].step_id, PAWL__WORD(run_id));
        return status;
}

static pawl_status resume(pawl_run_result **out, pawl__runner *r, const char *what)
{
        target found;
        bool ok = true;
        pawl_status status, told;

        status = find(&found, r, what);
        if (status)
                return status;
        r->run_id = pawl__arena_text(&r->arena, found.run.v[PAWL__RUN_ID].text, &ok);
        if (!ok)
                return pawl__nomem(&r->error);
        status = look_at_run(&found, r);
        if (status)
                return status;
        status = found.done ? PAWL_DONE : await_answers(r);
        if (!status)
                status = go_on(r, &found);
        pawl__mask_string(&r->secrets.mask, r->error.message);
        if (status == PAWL_DONE)
                return pawl__run_result_make(
                        out, r, found.run.v[PAWL__RUN_SESSION].text, NULL, &r->error);
        if (status == PAWL_EINPUTS && !r->fence) /* refused before anything was written */
                told = pawl__run_result_make(
                        out, r, found.run.v[PAWL__RUN_SESSION].text, NULL, NULL);
        else if (status && !r->fence)
                return status;
        else
                told = pawl__run_result_make(
                        out, r, r->session_id, r->mission, status ? NULL : &r->error);
        return status ? status : told;
}

pawl_status pawl_mission_resume(pawl_run_result **out, pawl_log *log, const char *what,
        const pawl_run_options *options, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__runner r;
        pawl_status status;

        *out = NULL;
        status = pawl__runner_open(&r, log, options);
        if (!status)
                status = pawl__runner_keep_log(&r, resume(out, &r, what));
        if (status && err)
                *err = r.error;
        pawl__runner_free(&r);
        return status;
}
