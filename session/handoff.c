/* The handoff document of a session, made of the log alone. */
#include "session/handoff.h"
#include "base/error.h"
#include "events/mask.h"

static pawl_status make(pawl__buf *out, pawl_log *log, pawl__state *state, const char *session_id,
        size_t summary, pawl__arena *arena, pawl_error *err)
{
        const pawl_text any = {NULL, 0};
        pawl__handoff handoff;
        pawl__row session;
        pawl_status status = pawl__session_find(&session, state, session_id, any, arena, err);

        if (!status)
                status = pawl__handoff_gather(&handoff, log, state, &session, arena, err);
        if (status)
                return status;
        handoff.summary = summary;
        return pawl__handoff_print(out, &handoff, err);
}

pawl_status pawl_session_handoff(char **text, size_t *len, pawl_log *log, const char *session_id,
        size_t summary, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf out = PAWL__BUF_INIT;
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__sessions_settle_if_room(log, state, err);
        if (!status)
                status = make(&out, log, state, session_id, summary, &arena, err);
        pawl__arena_free(&arena);
        pawl__mask_buf(pawl__log_mask(log), &out);
        if (!status) {
                size_t n;
                char *taken = pawl__buf_take(&out, &n);
                if (taken) {
                        *text = taken;
                        *len = n;
                } else {
                        status = pawl__nomem(err);
                }
        }
        pawl__buf_free(&out);
        return status;
}
