/* What is said of a checkpoint after it was taken: that it stays. */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_write.h"
#include "events/types.h"
#include "workspace/workspace.h"

static pawl_status append_update(pawl_log *log, const pawl__row *row, const char *actor,
        const char *member, bool value, pawl_error *err)
{
        const pawl__event_def *form = pawl__event_def_of(PAWL__CHECKPOINT_UPDATED);
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event event = {.type = pawl__text(form->name),
                .v = form->v,
                .mission_id = row->v[PAWL__WCP_MISSION].text,
                .actor = pawl__text(actor)};

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "n", row->v[PAWL__WCP_N].integer);
        pawl__json_member_bool(&w, member, value);
        pawl__json_close_object(&w);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        event.payload = pawl__buf_text(&w.buf);
        if (!status)
                status = pawl__log_failed(log, pawl_log_append(NULL, log, &event, 1, 0), err);
        pawl__json_writer_free(&w);
        return status;
}

pawl_status pawl_workspace_checkpoint_pin(
        pawl_log *log, const char *which, bool pinned, const char *actor, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row row;
        pawl_status status = pawl__id_check(pawl__text(actor ? actor : "program"), "actor", err);

        if (!status)
                status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__workspace_find(&row, state, which, &arena, err);
        if (!status && pinned && row.v[PAWL__WCP_PRUNED_SEQ].integer)
                status = pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %lld: was pruned, so that there is nothing left to keep; pin one "
                        "that is kept",
                        (long long)row.v[PAWL__WCP_N].integer);
        if (!status && (row.v[PAWL__WCP_PINNED].integer != 0) != pinned)
                status = append_update(log, &row, actor ? actor : "program", "pinned", pinned, err);
        pawl__arena_free(&arena);
        return status;
}
