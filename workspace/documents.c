#include "workspace/documents.h"
#include "base/error.h"
#include "workspace/store/checkpoint_event.h"
#include "workspace/store/history.h"
#include "workspace/workspace.h"

static pawl_status blob(pawl__buf *out, pawl_log *log, pawl_text hex, pawl_error *err)
{
        unsigned char hash[32];

        if (!hex.data || !pawl__unhex32(hash, hex))
                return PAWL_DONE;
        pawl_status status = pawl__log_blob(out, log, hash);
        return pawl__log_failed(log, status, err);
}

/* Of a checkpoint that was imported: its run's events are in another log, which the archive's
 * history of the run stands for. */
static pawl_status imported_state(
        pawl__buf *out, pawl_log *log, const pawl__row *checkpoint, pawl_error *err)
{
        pawl__checkpoint_event c;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf history = PAWL__BUF_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, &arena, log, (uint64_t)checkpoint->v[PAWL__WCP_SEQ].integer);

        if (!status && !event.payload.data)
                status = PAWL_DONE;
        else if (status)
                status = pawl__log_failed(log, status, err);
        if (!status)
                status = pawl__checkpoint_event_read(&c, &event, &arena, err);
        if (!status && !c.has_history)
                status = PAWL_DONE;
        if (!status)
                status = pawl__log_failed(log, pawl__log_blob(&history, log, c.history), err);
        if (!status)
                status = pawl__history_state(out, pawl__buf_text(&history), c.history_seq, err);
        pawl__buf_free(&history);
        pawl__arena_free(&arena);
        return status;
}

static pawl_status state_of(
        pawl__buf *out, pawl_log *log, const pawl__row *checkpoint, pawl_error *err)
{
        const pawl__value *v = checkpoint->v;
        pawl__state *state;

        if (v[PAWL__WCP_STATE_HASH].text.data)
                return blob(out, log, v[PAWL__WCP_STATE_HASH].text, err);
        if (!v[PAWL__WCP_RUN].text.data)
                return imported_state(out, log, checkpoint, err);
        pawl_status status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__run_state(
                        out, state, v[PAWL__WCP_RUN].text, (uint64_t)v[PAWL__WCP_SEQ].integer, err);
        return status == PAWL_ENOTFOUND ? PAWL_DONE : status;
}

/* Outputs that were not given are those that the run's state names. */
static pawl_status run_outputs(
        pawl__buf *out, pawl_log *log, const pawl__row *checkpoint, pawl_error *err)
{
        pawl__buf state = PAWL__BUF_INIT;
        pawl_status status = state_of(&state, log, checkpoint, err);

        if (!status &&
                !pawl__run_state_is(pawl__buf_text(&state), checkpoint->v[PAWL__WCP_RUN].text))
                status = PAWL_DONE;
        if (!status)
                status = pawl__run_outputs(out, log, pawl__buf_text(&state), err);
        pawl__buf_free(&state);
        return status;
}

pawl_status pawl__checkpoint_document(pawl__buf *out, pawl_log *log, const pawl__row *checkpoint,
        pawl__document_kind kind, pawl_error *err)
{
        if (kind == PAWL__DOCUMENT_STATE)
                return state_of(out, log, checkpoint, err);
        if (checkpoint->v[PAWL__WCP_OUTPUTS_HASH].text.data)
                return blob(out, log, checkpoint->v[PAWL__WCP_OUTPUTS_HASH].text, err);
        return run_outputs(out, log, checkpoint, err);
}

pawl_status pawl_workspace_checkpoint_document(char **json, size_t *len, pawl_log *log,
        const char *which, const char *name, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__document_kind kind = PAWL__DOCUMENT_STATE;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        pawl__state *state;
        pawl__row row;

        if (!name)
                name = "";
        if (strcmp(name, "outputs") == 0)
                kind = PAWL__DOCUMENT_OUTPUTS;
        else if (strcmp(name, "state") != 0)
                return pawl__fail(err, PAWL_EINVAL,
                        "document: a checkpoint has no %.60s; ask for state or outputs", name);
        pawl_status status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__workspace_find(&row, state, which, &arena, err);
        if (!status)
                status = pawl__checkpoint_document(&text, log, &row, kind, err);
        if (status == PAWL_DONE)
                status = pawl__fail(err, PAWL_ENOTFOUND,
                        "checkpoint %.100s: was taken without %s; give them with `pawl checkpoint "
                        "--%s FILE`",
                        which, name, name);
        char *taken = status ? NULL : pawl__buf_take(&text, len);
        if (!status && !taken)
                status = pawl__nomem(err);
        if (!status)
                *json = taken;
        pawl__buf_free(&text);
        pawl__arena_free(&arena);
        return status;
}
