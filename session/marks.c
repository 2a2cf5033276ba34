/* A session's own checkpoints, from its start to its last. */
#include "base/error.h"
#include "session/handoff.h"

static pawl_status take(
        pawl__session_mark *out, const pawl_event *event, pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        bool ok = true;
        pawl_status status = PAWL_OK;

        *out = (pawl__session_mark){.seq = event->seq, .time_us = event->time_us};
        if (event->payload.data) {
                status = pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
                if (!status)
                        out->reason = pawl__arena_text(
                                arena, pawl__json_get_text(&tree, 0, "reason"), &ok);
        }
        pawl__json_tree_free(&tree);
        return !status && !ok ? pawl__nomem(err) : status;
}

pawl_status pawl__session_marks(pawl__session_mark **out, size_t *n, pawl_log *log,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        const size_t most = (size_t)session->v[PAWL__SES_CHECKPOINTS].integer;
        pawl_cursor *cursor = NULL;
        pawl_event event;
        pawl_status stop = PAWL_OK, status;

        *n = 0;
        *out = pawl__arena_array(arena, most, sizeof **out);
        if (!*out)
                return pawl__nomem(err);
        status = pawl_cursor_open(&cursor, log, (uint64_t)session->v[PAWL__SES_SEQ].integer);
        if (status)
                return pawl__log_failed(log, status, err);
        while (!stop && *n < most && (status = pawl_cursor_next(cursor, &event)) == PAWL_OK)
                if (pawl__event_type_of(event.type) == PAWL__SESSION_CHECKPOINTED &&
                        pawl__text_eq(event.session_id, session->v[PAWL__SES_ID].text))
                        stop = take(&(*out)[(*n)++], &event, arena, err);
        pawl_cursor_close(cursor);
        if (stop)
                return stop;
        return status < 0 ? pawl__log_failed(log, status, err) : PAWL_OK;
}
