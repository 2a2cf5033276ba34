/* A session's id: the second it began in. */
#include "base/error.h"
#include "base/sources.h"
#include "session/session.h"
#include <stdio.h>

enum { MOST = 10000 }; /* sessions begun within one second */

pawl_status pawl__session_id(
        char out[PAWL_SESSION_ID_MAX], pawl__state *state, int64_t wall_us, pawl_error *err)
{
        char time[28], id[PAWL_SESSION_ID_MAX];
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
