/* The unfinished run of a mission, which can be resumed. */
#include "base/error.h"
#include "mission/mission.h"
#include "session/session.h"
#include <stdio.h>

static void copy(char *out, size_t size, pawl_text text)
{
        snprintf(out, size, "%.*s", text.data ? (int)text.len : 0, text.data ? text.data : "");
}

pawl_status pawl_mission_unfinished(
        pawl_unfinished *out, const pawl_mission *mission, pawl_log *log, pawl_error *err)
{
        pawl__state *state;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run;
        pawl_owner owner = {0};
        bool held = false;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__sessions_settle(log, state, err);
        if (!status)
                status = pawl__state_unfinished(&run, state, mission->id, &arena, err);
        if (!status) {
                status = pawl__log_holder(&held, &owner, log, run.v[PAWL__RUN_ID].text);
                if (status && err)
                        *err = *pawl__log_error(log);
        }
        if (!status) {
                const pawl__value *v = run.v;
                *out = (pawl_unfinished){.updated_us = v[PAWL__RUN_UPDATED_US].integer,
                        .steps_completed = (uint64_t)v[PAWL__RUN_DONE].integer,
                        .steps_total = (uint64_t)v[PAWL__RUN_STEPS].integer,
                        .pid = held ? owner.pid : 0};
                copy(out->run_id, sizeof out->run_id, v[PAWL__RUN_ID].text);
                copy(out->session_id, sizeof out->session_id, v[PAWL__RUN_SESSION].text);
                copy(out->status, sizeof out->status,
                        held ? pawl__text("running")
                        : pawl__text_is(v[PAWL__RUN_STATUS].text, "running")
                                ? pawl__text("interrupted")
                                : v[PAWL__RUN_STATUS].text);
                if (held)
                        copy(out->host, sizeof out->host, owner.host);
        }
        pawl__arena_free(&arena);
        return status;
}
