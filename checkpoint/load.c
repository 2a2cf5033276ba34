#include "base/error.h"
#include "base/sources.h"
#include "checkpoint/checkpoint.h"
#include <inttypes.h>

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
                        "--type StepCheckpointed`, or name another log with --db",
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
