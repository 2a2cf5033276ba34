/* Running a mission from its first step. */
#include "base/error.h"
#include "base/ids.h"
#include "base/printable.h"
#include "checkpoint/checkpoint.h"
#include "mission/params.h"
#include "mission/runner.h"
#include <stdio.h>

/* Every seed is read before anything is written: a malformed one stops the run here. */
pawl_status pawl__runner_load_seeds(pawl__seeds *with, pawl__runner *r)
{
        pawl__problems problems = {.tell = r->options.notice, .user = r->options.notice_user};
        pawl_status status = pawl__seeds_load(
                with, r->mission, r->state, problems.tell ? &problems : NULL, &r->error);
        bool ok = true;

        for (size_t i = 0; i < with->n && !status; i++)
                r->refs[r->n_refs++] = (pawl__scope_ref){
                        pawl__text(pawl__scope_name(with->seed[i].scope)),
                        pawl__arena_text(&r->arena, pawl__text(with->seed[i].version_id), &ok)};
        return ok ? status : pawl__nomem(&r->error);
}

static pawl_status check_path(const pawl_mission *mission, pawl_error *err)
{
        return pawl__utf8_valid(mission->path, strlen(mission->path))
                       ? PAWL_OK
                       : pawl__fail(err, PAWL_EINVAL,
                                 "mission %.*s: the path of its file is not UTF-8, so that a "
                                 "resume could not find it; rename the file or its directory",
                                 PAWL__FMT(mission->id));
}

pawl_status pawl__mission_startable(const pawl_mission *mission, const char *run_id, bool here,
        pawl__problems *problems, pawl_error *err)
{
        pawl__seeds seeds = {.n = 0};
        pawl_status status = run_id ? pawl__id_check(pawl__text(run_id), "run id", err) : PAWL_OK;

        if (!status && here)
                status = check_path(mission, err);
        if (!status)
                status = pawl__params_complete(mission, err);
        if (!status && here)
                status = pawl__secrets_check(mission, err);
        if (!status)
                status = pawl__seeds_load(&seeds, mission, NULL, problems, err);
        pawl__seeds_free(&seeds);
        return status;
}

pawl_status pawl__runner_choose_id(pawl__runner *r)
{
        const pawl_sources *sources = pawl__log_sources(r->log);
        char fresh[37];
        bool ok = true;

        if (!r->options.run_id)
                sources->uuid(fresh, sources->user);
        r->run_id = pawl__arena_text(
                &r->arena, pawl__text(r->options.run_id ? r->options.run_id : fresh), &ok);
        return ok ? PAWL_OK : pawl__nomem(&r->error);
}

/* PAWL_EHELD while somebody alive holds the run of that id; once nobody does, it exists all the
 * same. */
static pawl_status refuse(pawl__runner *r)
{
        pawl_owner owner = {0};
        bool held = false;
        pawl_status status = pawl__log_holder(&held, &owner, r->log, r->run_id);

        if (status) {
                r->error = *pawl__log_error(r->log);
                return status;
        }
        if (held)
                return pawl__runner_fail_held(r, &owner);
        return pawl__fail(&r->error, PAWL_EEXISTS,
                "run %.*s: exists already; go on with `pawl resume %s` or choose another id",
                PAWL__FMT(r->run_id), PAWL__WORD(r->run_id));
}

pawl_status pawl__runner_is_new(pawl__runner *r)
{
        pawl__row row = {0};
        pawl_status status;

        row.v[PAWL__RUN_ID].text = r->run_id;
        status = pawl__state_get(r->state, PAWL__RUNS, &row, &r->arena, &r->error);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        return pawl__runner_wait(r, r->options.wait_ms, refuse);
}

pawl_status pawl__runner_write_begin(pawl__runner *r, pawl__json_writer *w)
{
        pawl_status status = pawl__runner_write_mission(r, w);

        if (status)
                return status;
        pawl__json_name(w, "scope_refs");
        pawl__scope_refs_write(w, r->refs, r->n_refs);
        pawl__json_member_text(w, "strictness", pawl__text(pawl__strictness_name(r->runtime)));
        pawl__params_write(w, r->mission);
        if (r->mission->notify)
                pawl__json_member_bool(w, "notify", true);
        return PAWL_OK;
}

static pawl_status emit_started(pawl__runner *r)
{
        const pawl_mission *mission = r->mission;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_status status = check_path(mission, &r->error);

        if (status)
                return status;
        pawl__json_open_object(&w);
        status = pawl__runner_write_begin(r, &w);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        pawl__json_member_string(&w, "mission_path", mission->path);
        return pawl__runner_emit(r, PAWL__RUN_STARTED, (pawl_text){NULL, 0}, &w);
}

pawl_status pawl__runner_activate_seeds(pawl__runner *r, const pawl__seeds *with)
{
        pawl_event envelope = pawl__runner_envelope(r);
        pawl_status status = PAWL_OK;

        envelope.time_us = pawl__wall_us(r->log); /* the senses' provenance says it too */
        for (size_t i = 0; i < with->n && !status; i++)
                status = pawl__seed_activate(pawl__pipeline_batch(r->pipeline), &with->seed[i],
                        r->state, &envelope, &r->error);
        return status;
}

/* Inside of the claim's transaction, so that of many who begin at the same time one does. Who holds
 * the other run is not asked here, since that may take long: PAWL_EEXISTS has fill() do it. */
static pawl_status look_beside(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        pawl__runner *r = user;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run;
        const pawl_status status =
                pawl__state_unfinished(&run, r->state, r->mission->id, &arena, err);

        (void)log, (void)batch;
        pawl__arena_free(&arena);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        r->beside = true;
        return pawl__fail(err, PAWL_EEXISTS,
                "mission %.*s: another run of it was begun just now; see `pawl status`",
                PAWL__FMT(r->mission->id));
}

/* There was an unfinished run: refuse for it, unless it has ended by now. */
static pawl_status refuse_beside(pawl__runner *r)
{
        pawl_unfinished run;
        const pawl_status status = pawl_mission_unfinished(&run, r->mission, r->log, &r->error);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        return pawl__unfinished_fail(&run, r->mission, &r->error);
}

/* RunStarted, and the seeds that the log has not seen. Looks again whether the run is there:
 * another process may have begun it since the last look. */
static pawl_status fill(pawl__runner *r, void *user)
{
        pawl_status status = pawl__runner_is_new(r);

        if (!status && r->beside)
                status = refuse_beside(r);
        if (!status)
                status = emit_started(r);
        if (!status && r->options.alone) {
                pawl__pipeline_batch(r->pipeline)->prepare = look_beside;
                pawl__pipeline_batch(r->pipeline)->prepare_user = r;
        }
        return status ? status : pawl__runner_activate_seeds(r, user);
}

/* Parameters are recorded, and a resume takes them from the log: masked they would be others. */
static pawl_status check_params(pawl__runner *r)
{
        for (size_t i = 0; i < r->mission->n_params; i++) {
                const pawl_text value = pawl__text(r->mission->params[i].value);
                pawl_text masked = value;
                if (pawl__mask_text(&masked, &r->secrets.mask, &r->arena))
                        return pawl__nomem(&r->error);
                if (!pawl__text_eq(masked, value))
                        return pawl__fail(&r->error, PAWL_EINVAL,
                                "parameter %s: holds the value of a secret, which would be "
                                "recorded; let the command read the secret's variable",
                                r->mission->params[i].name);
        }
        return PAWL_OK;
}

static pawl_status begin(pawl__runner *r, pawl__seeds *with)
{
        pawl_status status = pawl__params_complete(r->mission, &r->error);

        if (!status)
                status = pawl__runner_mask(r);
        if (!status)
                status = check_params(r);
        if (!status)
                status = pawl__runner_load_seeds(with, r);
        if (!status)
                status = pawl__runner_choose_id(r);
        if (!status)
                status = pawl__runner_prepare(r);
        if (!status)
                status = pawl__runner_check_idle(r);
        if (status)
                return status;
        pawl__runner_notify_left(r);
        return pawl__runner_claim(r, 0, fill, with);
}

static pawl_status run(pawl_run_result **out, pawl__runner *r)
{
        pawl__seeds with = {.n = 0};
        pawl_status status, told;

        status = begin(r, &with);
        pawl__seeds_free(&with);
        if (status)
                return status;
        status = pawl__runner_end(r, pawl__runner_steps(r));
        pawl__mask_string(&r->secrets.mask, r->error.message);
        told = pawl__run_result_make(out, r, r->session_id, r->mission, status ? NULL : &r->error);
        return status ? status : told;
}

pawl_status pawl_mission_run(pawl_run_result **out, pawl_mission *mission, pawl_log *log,
        const pawl_run_options *options, pawl_error *err)
{
        TRY(pawl__mission_usable(mission, err));
        TRY(pawl__log_usable(log, err));

        pawl__runner r;
        pawl_status status;

        *out = NULL;
        status = pawl__runner_open(&r, log, options);
        r.mission = mission;
        if (!status)
                status = pawl__mission_whole(mission, &r.error);
        if (!status)
                status = pawl__runner_keep_log(&r, run(out, &r));
        if (status && err)
                *err = r.error;
        pawl__runner_free(&r);
        return status;
}
