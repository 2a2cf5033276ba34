/* Going past a step that failed. */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "base/printable.h"
#include "events/mask.h"
#include "mission/attempts.h"
#include "mission/runner.h"
#include "mission/runs.h"
#include "pipeline/question.h"
#include "state/verified.h"
#include <pawl/mission.h>
#include <stdio.h>

typedef struct skipping {
        pawl_log *log;
        pawl__row run, step;
        pawl_text actor;
        pawl__buf output;
        pawl_text kept; /* of it, without secrets */ /* canonical */
        pawl__batch batch;
        pawl__arena arena;
        pawl_error *err;
} skipping;

static pawl_status held(const skipping *s, pawl_text run_id, const pawl_owner *owner)
{
        return pawl__fail(s->err, PAWL_EHELD,
                "run %.*s: is held by pid %lld on %.*s; wait for it or stop it", PAWL__FMT(run_id),
                (long long)owner->pid, PAWL__FMT(owner->host));
}

/* Going past what people were asked gives an answer that nobody signed. */
static pawl_status check_signed(skipping *s, pawl_text run_id, pawl_text step_id)
{
        pawl__signers signers;
        pawl__row *asked;
        pawl__state *state;
        size_t n = 0;
        pawl_status status = pawl__signers_recorded(&signers, &s->arena, s->log, &s->run, s->err);

        if (status || !signers.recorded.data)
                return status;
        status = pawl__state_of(&state, s->log, s->err);
        if (!status)
                status = pawl__state_verify(state, s->err);
        if (status)
                return status;
        status =
                pawl__state_conflicts(&asked, &n, state, run_id, step_id, false, &s->arena, s->err);
        pawl__state_unverify(state);
        for (size_t i = 0; i < n && !status; i++)
                if (pawl__is_question(asked[i].v[PAWL__CON_TYPE].text))
                        status = pawl__fail(s->err, PAWL_EACCESS,
                                "step %.*s: asks people, and its run takes signed answers alone "
                                "(require_signed); `pawl resume %s` asks again",
                                PAWL__FMT(step_id), PAWL__WORD(run_id));
        return status;
}

/* The run as it is while nobody holds it: the claim is good only if that is still so. */
static pawl_status look(skipping *s, pawl_text run_id, pawl_text step_id)
{
        pawl_owner owner = {0};
        bool is_held = false;
        pawl_status status = pawl__log_holder(&is_held, &owner, s->log, run_id);

        if (status)
                return pawl__log_failed(s->log, status, s->err);
        if (is_held)
                return held(s, run_id, &owner);
        s->batch.after_fence = owner.fence;
        status = pawl__step_find(&s->run, &s->step, s->log, run_id, step_id, &s->arena, s->err);
        if (!status && pawl__text_is(s->run.v[PAWL__RUN_STATUS].text, "cancelled"))
                return pawl__fail(s->err, PAWL_ESTATE,
                        "run %.*s: was %.*s; start a new one with `pawl run MISSION`",
                        PAWL__FMT(run_id), PAWL__FMT(s->run.v[PAWL__RUN_REASON].text));
        if (status)
                return status;
        if (pawl__text_is(s->step.v[PAWL__STEP_STATUS].text, "failed"))
                return check_signed(s, run_id, step_id);
        pawl__step_stand(&s->step, false); /* nobody holds the run */
        return pawl__fail(s->err, PAWL_ESTATE,
                "step %.*s: is %.*s in run %.*s; only a step that failed can be skipped",
                PAWL__FMT(step_id), PAWL__FMT(pawl__row_step_status(&s->step)), PAWL__FMT(run_id));
}

pawl_status pawl__skip_try(pawl_log *log, pawl_text run_id, pawl_text step_id, pawl_error *err)
{
        skipping s = {.log = log, .err = err};
        pawl_status status = look(&s, run_id, step_id);

        pawl__batch_free(&s.batch);
        pawl__arena_free(&s.arena);
        return status;
}

pawl_status pawl__skip_emit(pawl__batch *batch, const pawl_event *like, pawl_text input_hash,
        pawl_text output, const char *reason, pawl__hasher *hasher, pawl_error *err)
{
        static const unsigned char none[32] = {0};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        unsigned char hash[32];
        pawl_status status = pawl__sha256(hasher, hash, output.data, output.len, err);

        if (!status)
                status = pawl__batch_blob(batch, hash, output, err);
        if (status)
                return status;
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "exit_code", -1);
        if (input_hash.data)
                pawl__json_member_text(&w, "input_hash", input_hash);
        else
                pawl__json_member_hash(&w, "input_hash", none);
        pawl__json_member_hash(&w, "output_hash", hash);
        if (reason)
                pawl__json_member_string(&w, "reason", reason);
        pawl__json_member_bool(&w, "skipped", true);
        return pawl__batch_emit(batch, PAWL__STEP_COMPLETED, like, &w, err);
}

static pawl_status fill(skipping *s)
{
        const pawl_event like = {.mission_id = s->run.v[PAWL__RUN_MISSION].text,
                .run_id = s->run.v[PAWL__RUN_ID].text,
                .step_id = s->step.v[PAWL__STEP_ID].text,
                .actor = s->actor};

        return pawl__skip_emit(&s->batch, &like, s->step.v[PAWL__STEP_INPUT_HASH].text, s->kept,
                NULL, pawl__log_hasher(s->log), s->err);
}

/* In one transaction with the claim, which is given up at once. */
static pawl_status commit(skipping *s)
{
        const pawl_text run_id = s->run.v[PAWL__RUN_ID].text;
        pawl_owner owner = {0};
        uint64_t fence = 0;
        pawl_status status = pawl__log_claim(&fence, s->log, s->run.v[PAWL__RUN_MISSION].text,
                run_id, s->run.v[PAWL__RUN_SESSION].text, s->actor, &s->batch, &owner);

        if (status == PAWL_EHELD)
                return held(s, run_id, &owner);
        if (status == PAWL_EEXISTS)
                return pawl__fail(s->err, PAWL_ESTATE,
                        "run %.*s: went on meanwhile; look at it with `pawl runs --id %.*s`",
                        PAWL__FMT(run_id), PAWL__FMT(run_id));
        if (status)
                return pawl__log_failed(s->log, status, s->err);
        /* What is recorded stands; a lease that is not released ends with this process. */
        pawl_status ignored = pawl_log_release(s->log, run_id.data, fence);
        (void)ignored;
        return PAWL_OK;
}

pawl_status pawl_mission_skip(pawl_log *log, const char *run_id, const char *step_id,
        const char *output, size_t len, const char *actor, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        skipping s = {.log = log, .actor = pawl__text(actor ? actor : "program"), .err = err};
        pawl_status status = pawl__id_check(pawl__text(run_id), "run id", err);

        if (!status)
                status = pawl__id_check(pawl__text(step_id), "step id", err);
        if (!status)
                status = pawl__id_check(s.actor, "actor", err);
        if (!status)
                status = output ? pawl__json_canon(&s.output, output, len, err)
                                : pawl__buf_adds(&s.output, "null");
        s.kept = pawl__buf_text(&s.output);
        if (!status)
                status = pawl__document_mask(&s.kept, pawl__log_mask(log), &s.arena);
        if (status == PAWL_ENOMEM)
                pawl__nomem(err);
        else if (status && output)
                pawl__fail_prefix(err, status, "output");
        if (!status)
                status = look(&s, pawl__text(run_id), pawl__text(step_id));
        if (!status)
                status = fill(&s);
        if (!status)
                status = commit(&s);
        pawl__buf_free(&s.output);
        pawl__batch_free(&s.batch);
        pawl__arena_free(&s.arena);
        return status;
}
