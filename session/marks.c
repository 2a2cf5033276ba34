/* A session's own checkpoints, from its start to its last. */
#include "base/error.h"
#include "session/handoff.h"

typedef struct marking {
        pawl__session_mark *list;
        size_t n, most;
        pawl_text session_id;
        pawl__arena *arena;
} marking;

static pawl_status take(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        marking *m = user;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__session_mark mark = {.seq = event->seq, .time_us = event->time_us};
        bool ok = true;
        pawl_status status = PAWL_OK;

        if (m->n == m->most)
                return PAWL_DONE;
        if (type != PAWL__SESSION_CHECKPOINTED || !pawl__text_eq(event->session_id, m->session_id))
                return PAWL_OK;
        if (event->payload.data) {
                status = pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
                if (!status)
                        mark.reason = pawl__arena_text(
                                m->arena, pawl__json_get_text(&tree, 0, "reason"), &ok);
        }
        pawl__json_tree_free(&tree);
        m->list[m->n++] = mark;
        return !status && !ok ? pawl__nomem(err) : status;
}

pawl_status pawl__session_marks(pawl__session_mark **out, size_t *n, pawl_log *log,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        const pawl__value *v = session->v;
        marking m = {.most = (size_t)v[PAWL__SES_CHECKPOINTS].integer,
                .session_id = v[PAWL__SES_ID].text,
                .arena = arena};

        m.list = pawl__arena_array(arena, m.most, sizeof *m.list);
        if (!m.list)
                return pawl__nomem(err);
        pawl_status status = pawl__log_each(log, (uint64_t)v[PAWL__SES_SEQ].integer, take, &m, err);
        *out = m.list;
        *n = m.n;
        return status;
}
