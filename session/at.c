/* A session as it stood at a checkpoint: its own events folded up to there, from its start on. */
#include "base/error.h"
#include "session/session.h"
#include "state/apply.h"
#include <inttypes.h>

static pawl_status not_there(const pawl__row *session, uint64_t seq, pawl_error *err)
{
        return pawl__fail(err, PAWL_ENOTFOUND,
                "session %.*s: has no checkpoint at seq %" PRIu64
                "; `eventlog list --type SessionCheckpointed` lists them",
                PAWL__FMT(session->v[PAWL__SES_ID].text), seq);
}

static bool is_of(const pawl_event *event, const pawl__row *session)
{
        pawl__event_type type = pawl__event_type_of(event->type);

        return pawl__text_eq(event->session_id, session->v[PAWL__SES_ID].text) &&
               type >= PAWL__SESSION_STARTED && type <= PAWL__SESSION_ENDED;
}

/* Fold them. */
static pawl_status fold(pawl__applier *applier, pawl_log *log, pawl_cursor *cursor,
        const pawl__row *session, uint64_t seq, bool *is_checkpoint, pawl_error *err)
{
        pawl_event event;
        pawl_status status;

        while ((status = pawl_cursor_next(cursor, &event)) == PAWL_OK && event.seq <= seq) {
                if (!is_of(&event, session))
                        continue;
                *is_checkpoint = event.seq == seq &&
                                 pawl__event_type_of(event.type) == PAWL__SESSION_CHECKPOINTED;
                status = pawl__apply(applier, &event, err);
                if (status)
                        return status;
        }
        if (status != PAWL_OK && status != PAWL_DONE && err)
                *err = *pawl__log_error(log);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__session_at(pawl__row *out, pawl_log *log, const pawl__row *session, uint64_t seq,
        pawl__arena *arena, pawl_error *err)
{
        pawl__applier applier = {NULL, PAWL__JSON_TREE_INIT, PAWL__ARENA_INIT};
        pawl_cursor *cursor = NULL;
        bool is_checkpoint = false, ok = true;
        uint64_t start = (uint64_t)session->v[PAWL__SES_SEQ].integer;
        pawl_status status;

        if (seq <= start || seq > (uint64_t)session->v[PAWL__SES_CHECKPOINT_SEQ].integer)
                return not_there(session, seq, err);
        status = pawl__store_memory(&applier.store, err);
        if (status)
                return status;
        status = pawl_cursor_open(&cursor, log, start - 1);
        if (status && err)
                *err = *pawl__log_error(log);
        if (!status)
                status = fold(&applier, log, cursor, session, seq, &is_checkpoint, err);
        if (!status && !is_checkpoint)
                status = not_there(session, seq, err);
        if (!status) {
                *out = (pawl__row){.v[PAWL__SES_ID] = session->v[PAWL__SES_ID]};
                status = applier.store->get(applier.store, PAWL__SESSIONS, out, err);
        }
        for (int c = 0; c < PAWL__SES_COLUMNS && !status; c++)
                if (pawl__tables[PAWL__SESSIONS].column[c].type == PAWL__TEXT)
                        out->v[c].text = pawl__arena_text(arena, out->v[c].text, &ok);
        pawl_cursor_close(cursor);
        applier.store->free(applier.store);
        pawl__json_tree_free(&applier.tree);
        pawl__arena_free(&applier.arena);
        return !status && !ok ? pawl__nomem(err) : status;
}
