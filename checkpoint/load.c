#include "base/error.h"
#include "base/ids.h"
#include "base/sources.h"
#include "checkpoint/checkpoint.h"
#include "state/state.h"
#include <inttypes.h>
#include <pawl/checkpoint.h>
#include <stdlib.h>

/* The table says where; what the checkpoint is, its event says. */
static pawl_status find(
        pawl__row *row, pawl_log *log, pawl_text token, pawl__arena *arena, pawl_error *err)
{
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (status)
                return status;
        *row = (pawl__row){0};
        row->v[PAWL__CP_TOKEN].text = token;
        status = pawl__state_get(state, PAWL__CHECKPOINTS, row, arena, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "retry token %.*s: no checkpoint of this log has it; see `eventlog list "
                        "--type StepCheckpointed`, or open another log",
                        PAWL__FMT(token));
        return status;
}

/* The event, decoded, as it was when it was appended. */
static pawl_status read_intact(
        pawl__checkpoint *out, pawl__arena *arena, pawl_log *log, uint64_t seq, pawl_error *err)
{
        pawl_event event;
        pawl_status status = pawl__log_event(&event, arena, log, seq);

        if (status == PAWL_OK) {
                status = pawl__checkpoint_decode(out, arena, &event, err);
                if (status)
                        return status;
                status = pawl__log_event_intact(log, &event);
        }
        if (status && err)
                *err = *pawl__log_error(log);
        return status;
}

static pawl_status read_event(pawl__checkpoint *out, pawl__arena *arena, pawl_log *log,
        pawl_text token, uint64_t seq, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = read_intact(out, arena, log, seq, &why);

        switch (status) {
        case PAWL_OK:
                break;
        case PAWL_EINVAL:
        case PAWL_ENOTFOUND:
        case PAWL_EDAMAGED:
                return pawl__fail(err, PAWL_EDAMAGED, "checkpoint %.*s: %s; run `eventlog verify`",
                        PAWL__FMT(token), why.message);
        default:
                if (err)
                        *err = why;
                return status;
        }
        if (!pawl__text_is(token, out->retry_token))
                return pawl__fail(err, PAWL_EDAMAGED,
                        "checkpoint %.*s: event %" PRIu64 " is of token %s; run `eventlog verify`, "
                        "then `pawl init --rebuild`",
                        PAWL__FMT(token), seq, out->retry_token);
        return PAWL_OK;
}

pawl_status pawl__checkpoint_load(
        pawl__checkpoint *out, pawl__arena *arena, pawl_log *log, pawl_text token, pawl_error *err)
{
        pawl__checkpoint checkpoint;
        pawl__row row;

        if (!pawl__uuid_valid(token))
                return pawl__fail(err, PAWL_EINVAL,
                        "retry token \"%.*s\": is not of a token's form; give the 36 characters "
                        "that the blocked run printed",
                        PAWL__FMT(token));
        pawl_status status = find(&row, log, token, arena, err);
        if (status == PAWL_OK)
                status = read_event(
                        &checkpoint, arena, log, token, (uint64_t)row.v[PAWL__CP_SEQ].integer, err);
        if (status)
                return status;
        checkpoint.evaluated_seq = (uint64_t)row.v[PAWL__CP_EVALUATED_SEQ].integer;
        *out = checkpoint;
        return PAWL_OK;
}

pawl_status pawl__checkpoint_of_step(pawl__checkpoint *out, pawl__arena *arena, pawl_log *log,
        const pawl__row *step, pawl_error *err)
{
        const pawl_text token = step->v[PAWL__STEP_TOKEN].text;
        const uint64_t seq = (uint64_t)step->v[PAWL__STEP_CHECKPOINT_SEQ].integer;
        pawl__checkpoint checkpoint = {.seq = 0};

        TRY(pawl__checkpoint_load(&checkpoint, arena, log, token, err));
        if (checkpoint.seq != seq) {
                TRY(read_event(&checkpoint, arena, log, token, seq, err));
                checkpoint.evaluated_seq = (uint64_t)step->v[PAWL__STEP_EVALUATED_SEQ].integer;
        }
        *out = checkpoint;
        return PAWL_OK;
}

/* ---- The public calls ------------------------------------------------------------------------ */

/* Texts of an arena end in NUL: ids hold none. */
struct loaded {
        pawl_step_checkpoint public; /* first: the caller's pointer is to it */
        pawl__checkpoint it;
        pawl_scope_ref refs[PAWL__SCOPE_REFS_MAX];
        pawl__arena arena;
};

static void show(struct loaded *loaded)
{
        const pawl__checkpoint *it = &loaded->it;

        for (size_t i = 0; i < it->n_scope_refs; i++)
                loaded->refs[i] =
                        (pawl_scope_ref){it->scope_refs[i].scope, it->scope_refs[i].version_id};
        loaded->public = (pawl_step_checkpoint){.mission_id = it->mission_id,
                .run_id = it->run_id,
                .step_id = it->step_id,
                .retry_token = it->retry_token,
                .input_hash = it->input_hash,
                .cursor = pawl__cursor_name(it->cursor),
                .strictness = pawl__strictness_name(it->strictness),
                .scope_refs = loaded->refs,
                .n_scope_refs = it->n_scope_refs,
                .seq = it->seq,
                .time_us = it->time_us};
}

static pawl_status load_public(
        pawl_step_checkpoint **out, pawl_log *log, pawl_text retry_token, pawl_error *err)
{
        struct loaded *loaded = calloc(1, sizeof *loaded);

        if (!loaded)
                return pawl__nomem(err);
        pawl_status status =
                pawl__checkpoint_load(&loaded->it, &loaded->arena, log, retry_token, err);
        if (status) {
                pawl_step_checkpoint_free(&loaded->public);
                return status;
        }
        show(loaded);
        *out = &loaded->public;
        return PAWL_OK;
}

pawl_status pawl_step_checkpoint_load(
        pawl_step_checkpoint **out, pawl_log *log, const char *retry_token, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return load_public(out, log, pawl__text(retry_token), err);
}

pawl_status pawl_step_checkpoint_latest(pawl_step_checkpoint **out, pawl_log *log,
        const char *run_id, const char *step_id, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row step = {.v[PAWL__STEP_RUN].text = pawl__text(run_id)};
        pawl__state *state;
        pawl_status status = pawl__id_check(pawl__text(run_id), "run id", err);

        if (!status)
                status = pawl__id_check(pawl__text(step_id), "step id", err);
        if (!status)
                status = pawl__state_of(&state, log, err);
        step.v[PAWL__STEP_ID].text = pawl__text(step_id);
        if (!status) {
                status = pawl__state_get(state, PAWL__STEPS, &step, &arena, err);
                if (status == PAWL_ENOTFOUND || (!status && !step.v[PAWL__STEP_TOKEN].text.data))
                        status = pawl__fail(err, PAWL_ENOTFOUND,
                                "step %s of run %s: has no checkpoint; `eventlog list --type "
                                "StepCheckpointed` lists those there are",
                                step_id, run_id);
        }
        if (!status)
                status = load_public(out, log, step.v[PAWL__STEP_TOKEN].text, err);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl_step_checkpoint_parse(
        pawl_step_checkpoint **out, const char *payload, size_t len, pawl_error *err)
{
        const pawl_text none = {NULL, 0};
        const pawl_event event = {.type = pawl__text("StepCheckpointed"),
                .mission_id = pawl__text("x"), /* an envelope needs ids, and a payload has none */
                .run_id = pawl__text("x"),
                .step_id = pawl__text("x"),
                .v = pawl__event_def_of(PAWL__STEP_CHECKPOINTED)->v,
                .payload = pawl__text_n(payload, len)};
        struct loaded *loaded = calloc(1, sizeof *loaded);

        if (!loaded)
                return pawl__nomem(err);
        pawl_status status = pawl__checkpoint_decode(&loaded->it, &loaded->arena, &event, err);
        if (status) {
                pawl_step_checkpoint_free(&loaded->public);
                return status;
        }
        show(loaded);
        loaded->public.mission_id = loaded->public.run_id = loaded->public.step_id = none;
        *out = &loaded->public;
        return PAWL_OK;
}

void pawl_step_checkpoint_free(pawl_step_checkpoint *checkpoint)
{
        struct loaded *loaded = (struct loaded *)checkpoint;

        if (!loaded)
                return;
        pawl__arena_free(&loaded->arena);
        free(loaded);
}

pawl_status pawl_step_checkpoint_verify(bool *same, const pawl_step_checkpoint *checkpoint,
        const char *inputs, size_t len, pawl_error *err)
{
        char hash[65];

        if (!checkpoint)
                return pawl__fail(err, PAWL_EINVAL, "checkpoint: " PAWL__NO_HANDLE);
        pawl_status status = pawl_json_hash(hash, inputs, len, err);

        if (status == PAWL_OK)
                *same = strcmp(hash, checkpoint->input_hash) == 0;
        return status;
}
