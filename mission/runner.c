#include "mission/runner.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/printable.h"
#include "events/mask.h"
#include "pipeline/question.h"
#include "session/session.h"
#include "workspace/checkpoint.h"
#include <stdlib.h>

enum {
        POLL_MS = 50,   /* how often a claim that another holds is asked for again */
        CLAIM_TRIES = 8 /* when others began the run, or another of its mission, meanwhile */
};

static pawl_status check_options(pawl__runner *r)
{
        const pawl_run_options *o = &r->options;
        pawl_status status;

        if (o->version != PAWL_RUN_OPTIONS_VERSION)
                return pawl__fail(&r->error, PAWL_EINVAL,
                        "run options: version %u is not known; start from PAWL_RUN_OPTIONS_INIT",
                        o->version);
        if (o->strictness && !pawl__strictness_of(&r->runtime, pawl__text(o->strictness)))
                return pawl__fail(&r->error, PAWL_EINVAL,
                        "strictness: %.*s is not known; give off, medium or max",
                        PAWL__FMT(pawl__text(o->strictness)));
        if (o->time_limit_ms > INT64_MAX / 2)
                return pawl__fail(&r->error, PAWL_EINVAL, "time limit: is too long; leave it out");
        if (o->actor && (status = pawl__id_check(pawl__text(o->actor), "actor", &r->error)))
                return status;
        if (o->run_id && (status = pawl__id_check(pawl__text(o->run_id), "run id", &r->error)))
                return status;
        return PAWL_OK;
}

pawl_status pawl__runner_open(pawl__runner *r, pawl_log *log, const pawl_run_options *options)
{
        bool ok = true;
        pawl_status status;

        *r = (pawl__runner){.log = log, .options = PAWL_RUN_OPTIONS_INIT};
        if (options)
                r->options = *options;
        status = check_options(r);
        if (status)
                return status;
        r->actor = pawl__arena_text(
                &r->arena, pawl__text(r->options.actor ? r->options.actor : "program"), &ok);
        if (!ok)
                return pawl__nomem(&r->error);
        if (r->options.time_limit_ms)
                r->deadline_ms = pawl__boot_ms(r->log) + (int64_t)r->options.time_limit_ms;
        pawl__log_watch_signals(log, r->options.signal_fd);
        pawl__log_keep_few(log, true);
        status = pawl__state_of(&r->state, log, &r->error);
        if (!status)
                status = pawl__sessions_settle(log, r->state, &r->error);
        return status ? status : pawl__questions_settle(NULL, log, r->state, &r->error);
}

pawl_status pawl__runner_mask(pawl__runner *r)
{
        const pawl_status status = pawl__secrets_load(&r->secrets, r->mission, &r->error);

        if (status)
                return status;
        r->mask_before = pawl__log_set_mask(r->log, &r->secrets.mask);
        r->masks = true;
        return PAWL_OK;
}

void pawl__runner_free(pawl__runner *r)
{
        if (r->fence && !r->released) {
                /* EFENCED says that it is not ours any more, which is what is wanted; any other
                 * failure leaves a lease that this process's end gives up. */
                pawl_status ignored = pawl_log_release(r->log, r->run_id.data, r->fence);
                (void)ignored;
        }
        pawl__log_keep_few(r->log, false);
        if (r->masks)
                (void)pawl__log_set_mask(r->log, r->mask_before);
        pawl__secrets_free(&r->secrets);
        pawl__snapshot_free(r->snapshot);
        pawl__step_logs_free(r->logs);
        pawl_context_free(r->last);
        free(r->members);
        free(r->done);
        pawl_pipeline_free(r->pipeline);
        pawl__trust_free(&r->trust);
        pawl__glossary_free(r->glossary);
        pawl_mission_free(r->own_mission);
        pawl__arena_free(&r->arena);
}

/* ---- Questions: what is in the log by then is told of before them. -----------------------------
 */

static pawl_status clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        pawl__runner *r = user;

        pawl__runner_tell_done(r);
        return r->options.clarify(answer, conflict, r->options.clarify_user);
}

static pawl_status clarify_terms(
        pawl_answer *answers, const pawl_conflict *conflicts, size_t n, void *user)
{
        pawl__runner *r = user;

        pawl__runner_tell_done(r);
        return r->options.clarify_terms(answers, conflicts, n, r->options.clarify_user);
}

static pawl_status make_pipeline(pawl__runner *r)
{
        pawl_pipeline_options options = PAWL_PIPELINE_OPTIONS_INIT;

        options.actor = r->actor.data;
        options.clarify = r->options.clarify ? clarify : NULL;
        options.clarify_terms = r->options.clarify_terms ? clarify_terms : NULL;
        options.clarify_user = r;
        if (r->options.accept_changed_inputs || r->options.accept_changed_mission ||
                r->options.confirm) {
                options.confirm = pawl__runner_confirm;
                options.confirm_user = r;
        }
        options.store_inputs = r->mission->store_inputs;
        options.defer_completion = true;
        const pawl_status status = pawl_pipeline_new(&r->pipeline, r->log, &options, &r->error);
        if (!status)
                pawl__pipeline_hold(r->pipeline, true);
        return status;
}

pawl_status pawl__runner_prepare(pawl__runner *r)
{
        pawl__config config;
        pawl_status status;

        status = pawl__log_place_make(r->log, &r->error);
        if (!status)
                status = pawl__config_load(&config, pawl__log_place(r->log), &r->error);
        if (status)
                return status;
        r->project = config.settings.strictness;
        r->keep_sessions = config.keep_sessions;
        r->retention = config.retention;
        r->log_max = config.settings.log_max;
        status = pawl__glossary_new(&r->glossary, &r->error);
        return status ? status : make_pipeline(r);
}

pawl_status pawl__runner_fail_held(pawl__runner *r, const pawl_owner *owner)
{
        return pawl__fail(&r->error, PAWL_EHELD,
                "run %.*s: is held by pid %lld on %.*s; stop it, or wait: `pawl resume %s --wait`",
                PAWL__FMT(r->run_id), (long long)owner->pid, PAWL__FMT(owner->host),
                PAWL__WORD(r->run_id));
}

static pawl_status new_session(pawl__runner *r)
{
        char session[PAWL_SESSION_ID_MAX];
        bool ok = true;

        pawl__session_id(session, r->log);
        r->session_id = pawl__arena_text(&r->arena, pawl__text(session), &ok);
        return ok ? PAWL_OK : pawl__nomem(&r->error);
}

static pawl_status fill_batch(pawl__runner *r, pawl__prepare_fn fill, void *user)
{
        pawl_status status;

        pawl__batch_clear(pawl__pipeline_batch(r->pipeline));
        status = new_session(r);
        if (!status && fill)
                status = fill(r, user);
        return status ? status : pawl__runner_tell(r, PAWL__SESSION_STARTED, NULL, NULL);
}

pawl_status pawl__runner_wait(
        pawl__runner *r, unsigned wait_ms, pawl_status (*ask)(pawl__runner *r))
{
        for (unsigned waited = 0;; waited += POLL_MS) {
                pawl_status status = ask(r);
                if (status != PAWL_EHELD || waited >= wait_ms)
                        return status;
                status = pawl__runner_signalled(r, POLL_MS);
                if (status)
                        return status;
        }
}

static pawl_status ask_for_claim(pawl__runner *r)
{
        pawl_owner owner = {0};
        pawl_status status = pawl__log_claim(&r->fence, r->log, r->mission->id, r->run_id,
                r->session_id, r->actor, pawl__pipeline_batch(r->pipeline), &owner);

        if (status == PAWL_EHELD)
                return pawl__runner_fail_held(r, &owner);
        if (status)
                r->error = *pawl__log_error(r->log);
        return status;
}

/* Is it the checkpoint that may have failed, and not the claim? */
static bool may_begin_without(pawl_status status)
{
        return status && status != PAWL_EEXISTS && status != PAWL_EHELD && status != PAWL_EFENCED &&
               status != PAWL_EBUSY && status != PAWL_EINTERRUPTED;
}

pawl_status pawl__runner_claim(pawl__runner *r, unsigned wait_ms, pawl__prepare_fn fill, void *user)
{
        pawl_status status = PAWL_EEXISTS;
        pawl_error why = PAWL_ERROR_INIT;
        bool with = false;
        int failed = 0;

        for (int tries = 0; status == PAWL_EEXISTS && tries < CLAIM_TRIES; tries++) {
                TRY(fill_batch(r, fill, user));
                status = pawl__runner_snapshot_first(
                        r, failed < PAWL__CHECKPOINT_TRIES ? NULL : &why);
                if (status && status != PAWL_DONE)
                        return status;
                with = !status;
                /* Others that keep taking turns at the run are no reason to give up. */
                if (tries == CLAIM_TRIES - 1)
                        pawl__pipeline_batch(r->pipeline)->after_fence = 0;
                status = pawl__runner_wait(r, wait_ms, ask_for_claim);
                if (with && may_begin_without(status)) {
                        why = r->error;
                        failed += status == PAWL_EINPUTS ? 1 : PAWL__CHECKPOINT_TRIES;
                        status = PAWL_EEXISTS;
                }
        }
        if (!status && with)
                pawl__runner_snapshot_begun(r);
        if (!status)
                pawl__pipeline_adopt(r->pipeline, r->run_id, r->session_id, r->fence);
        return status;
}
