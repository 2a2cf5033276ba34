#include "workspace/log_record.h"
#include "base/error.h"
#include "events/types.h"

/* PAWL_DONE: it is no such payload. */
static pawl_status read_payload(
        pawl__log_record *out, pawl_text payload, pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        bool ok = true;
        pawl_status status = pawl__json_tree_read(&tree, payload.data, payload.len, &why);

        if (!status) {
                pawl__node n = pawl__json_get(&tree, 0, "checkpoint");
                pawl_text name = pawl__json_get_text(&tree, 0, "name");
                pawl_text document = pawl__json_get_text(&tree, 0, "document");
                if (name.data && document.data && n != PAWL__NO_NODE &&
                        pawl__json_int(pawl__json_at(&tree, n), &out->n) &&
                        pawl__unhex32(out->document, document))
                        out->name = pawl__arena_text(arena, name, &ok);
                else
                        status = PAWL_DONE;
        }
        pawl__json_tree_free(&tree);
        if (!ok || status == PAWL_ENOMEM)
                return pawl__nomem(err);
        return status ? PAWL_DONE : PAWL_OK;
}

pawl_status pawl__log_record_behind(pawl__log_record *out, pawl_log *log,
        const pawl__row *checkpoint, pawl__arena *arena, pawl_error *err)
{
        pawl_event event;

        *out = (pawl__log_record){.n = 0};
        pawl_status status = pawl__log_event(
                &event, arena, log, (uint64_t)checkpoint->v[PAWL__WCP_SEQ].integer + 1);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_DONE : pawl__log_failed(log, status, err);
        if (pawl__event_type_of(event.type) != PAWL__TOOL_CALL_CHECKPOINTED || !event.payload.data)
                return PAWL_DONE;
        status = read_payload(out, event.payload, arena, err);
        return !status && out->n != checkpoint->v[PAWL__WCP_N].integer ? PAWL_DONE : status;
}

pawl_status pawl__log_record_goes_on(bool *goes_on, pawl_log *log, const pawl__row *checkpoint,
        const char *session_id, pawl_error *err)
{
        const pawl_text of = checkpoint->v[PAWL__WCP_SESSION].text;
        pawl__row session = {.v[PAWL__SES_ID].text = of};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__log_record record;
        pawl__state *state;
        pawl_status status = pawl__log_record_behind(&record, log, checkpoint, &arena, err);

        *goes_on = !status && (of.data ? pawl__text_is(of, session_id) : !session_id);
        if (*goes_on && of.data) { /* the end of a turn is an update of its session */
                status = pawl__state_of(&state, log, err);
                if (!status)
                        status = pawl__state_get(state, PAWL__SESSIONS, &session, &arena, err);
                *goes_on = !status && session.v[PAWL__SES_UPDATED_US].integer <=
                                              checkpoint->v[PAWL__WCP_CREATED_US].integer;
        }
        pawl__arena_free(&arena);
        return status == PAWL_DONE || status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

pawl_status pawl__log_record_each(
        pawl_log *log, pawl__log_record_fn fn, void *user, pawl_error *err)
{
        pawl__arena rows_in = PAWL__ARENA_INIT, arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        pawl__state *state;
        size_t n = 0;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_workspace_all(&rows, &n, state, &rows_in, err);
        for (size_t i = 0; i < n && !status; i++) {
                pawl__log_record call;
                pawl__arena_clear(&arena);
                status = pawl__log_record_behind(&call, log, &rows[i], &arena, err);
                if (!status)
                        status = fn(&call, user, err);
                else if (status == PAWL_DONE)
                        status = PAWL_OK;
        }
        pawl__arena_free(&arena);
        pawl__arena_free(&rows_in);
        return status;
}

typedef struct finding {
        pawl_text name;
        pawl__log_record *out;
        pawl__arena *arena;
        bool found;
} finding;

static pawl_status is_it(const pawl__log_record *call, void *user, pawl_error *err)
{
        finding *f = user;
        bool ok = true;

        if (!pawl__text_eq(call->name, f->name))
                return PAWL_OK;
        *f->out = *call;
        f->out->name = pawl__arena_text(f->arena, call->name, &ok);
        f->found = true;
        return ok ? PAWL_OK : pawl__nomem(err);
}

pawl_status pawl__log_record_find(
        pawl__log_record *out, pawl_log *log, pawl_text name, pawl__arena *arena, pawl_error *err)
{
        pawl__log_record found;
        finding f = {name, &found, arena, false};

        TRY(pawl__log_record_each(log, is_it, &f, err));
        if (!f.found)
                return PAWL_ENOTFOUND;
        *out = found;
        return PAWL_OK;
}
