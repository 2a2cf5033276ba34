/* The unfinished run of a mission, which can be resumed. */
#include "base/error.h"
#include "base/sources.h"
#include "mission/mission.h"
#include "mission/runs.h"
#include "session/session.h"
#include <inttypes.h>
#include <stdio.h>

static void copy(char *out, size_t size, pawl_text text)
{
        snprintf(out, size, "%.*s", text.data ? (int)text.len : 0, text.data ? text.data : "");
}

pawl_status pawl_mission_unfinished(
        pawl_unfinished *out, const pawl_mission *mission, pawl_log *log, pawl_error *err)
{
        TRY(pawl__mission_usable(mission, err));
        TRY(pawl__log_usable(log, err));

        pawl__state *state;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__run_view run;
        pawl__row row;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__sessions_settle(log, state, err);
        if (!status)
                status = pawl__state_unfinished(&row, state, mission->id, &arena, err);
        if (!status)
                status = pawl__run_stand(&run, log, &row, &arena, err);
        if (!status) {
                const pawl__value *v = row.v;
                *out = (pawl_unfinished){.updated_us = v[PAWL__RUN_UPDATED_US].integer,
                        .steps_completed = (uint64_t)v[PAWL__RUN_DONE].integer,
                        .steps_total = (uint64_t)v[PAWL__RUN_STEPS].integer,
                        .pid = run.held ? run.owner.pid : 0};
                copy(out->run_id, sizeof out->run_id, v[PAWL__RUN_ID].text);
                copy(out->session_id, sizeof out->session_id, v[PAWL__RUN_SESSION].text);
                copy(out->status, sizeof out->status, run.status);
                if (run.held)
                        copy(out->host, sizeof out->host, run.owner.host);
        }
        pawl__arena_free(&arena);
        return status;
}

void pawl__unfinished_describe(
        char out[400], const pawl_unfinished *run, const pawl_mission *mission)
{
        char time[28];

        pawl__time_format(time, run->updated_us);
        time[10] = ' ';
        snprintf(out, 400,
                "mission %.100s: run %s is %s at %" PRIu64 "/%" PRIu64
                " steps, last active %.19s UTC",
                pawl_mission_id(mission), run->run_id, run->status, run->steps_completed,
                run->steps_total, time);
}

pawl_status pawl__unfinished_fail(
        const pawl_unfinished *run, const pawl_mission *mission, pawl_error *err)
{
        char what[400];

        pawl__unfinished_describe(what, run, mission);
        if (run->pid)
                return pawl__fail(err, PAWL_EHELD,
                        "%.300s, owned by pid %" PRId64 " on %.40s; wait for it, or start another "
                        "beside it: `pawl run MISSION --fresh`",
                        what, run->pid, run->host);
        return pawl__fail(err, PAWL_ESTATE,
                "%s; resume it with `pawl run MISSION --resume`, or start anew with `pawl run MISSION --fresh`",
                what);
}
