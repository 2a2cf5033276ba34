/* A sitting's id and the two events that open and close it. */
#include "session/session.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "events/types.h"
#include <stdio.h>

enum { MOST = 10000 }; /* sittings begun within one second */

pawl_status pawl__session_id(char out[40], pawl__state *state, int64_t wall_us, pawl_error *err)
{
        char time[28], id[40];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_status status = PAWL_OK;
        int n = 1;

        pawl__time_format(time, wall_us); /* 2026-11-20T12:35:00.000000Z */
        for (; n < MOST && status == PAWL_OK; n++) {
                int len = snprintf(id, sizeof id, "session-%.4s%.2s%.2s-%.2s%.2s%.2s", time,
                        time + 5, time + 8, time + 11, time + 14, time + 17);
                if (n > 1)
                        snprintf(id + len, sizeof id - (size_t)len, "-%d", n);
                pawl__row row = {.v[PAWL__SES_ID].text = pawl__text(id)};
                status = pawl__state_get(state, PAWL__SESSIONS, &row, &arena, err);
                pawl__arena_clear(&arena);
        }
        pawl__arena_free(&arena);
        if (status == PAWL_OK)
                return pawl__fail(err, PAWL_EEXISTS,
                        "%s: %d sessions began in that second; try again", id, MOST - 1);
        if (status != PAWL_ENOTFOUND)
                return status;
        memcpy(out, id, sizeof id);
        return PAWL_OK;
}

static pawl_status emit(pawl__batch *batch, pawl__event_type type, const pawl_event *like,
        pawl__json_writer *w, pawl_error *err)
{
        const pawl__event_form *form = pawl__event_form_of(type);
        pawl_event event = *like;
        pawl_status status = pawl__json_end_writer(w);

        if (status) {
                pawl__nomem(err);
        } else {
                event.type = pawl__text(form->name);
                event.v = form->v;
                event.step_id = (pawl_text){NULL, 0};
                event.payload = pawl__buf_text(&w->buf);
                status = pawl__batch_event(batch, &event, err);
        }
        pawl__json_writer_free(w);
        return status;
}

pawl_status pawl__session_started(pawl__batch *batch, const pawl_event *like, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_close_object(&w);
        return emit(batch, PAWL__SESSION_STARTED, like, &w, err);
}

pawl_status pawl__session_ended(pawl__batch *batch, const pawl_event *like, const char *status,
        const char *reason, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "status", status);
        if (reason)
                pawl__json_member_string(&w, "reason", reason);
        pawl__json_close_object(&w);
        return emit(batch, PAWL__SESSION_ENDED, like, &w, err);
}
