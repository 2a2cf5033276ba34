#include "state/run_way.h"
#include <stdio.h>

pawl__run_way pawl__run_way_of(const pawl__row *run)
{
        if (!run->v[PAWL__RUN_MISSION_PATH].text.data)
                return PAWL__BY_PROGRAM;
        return pawl__run_submitted(run) && !pawl__text_is(run->v[PAWL__RUN_STATUS].text, "failed")
                       ? PAWL__BY_WORKER
                       : PAWL__BY_RESUME;
}

const char *pawl__run_command(
        char out[PAWL__WAY_MAX], pawl__run_way way, pawl_text run_id, pawl_text elsewhere)
{
        const bool away = elsewhere.data && way == PAWL__BY_RESUME;

        *out = '\0';
        if (way != PAWL__BY_PROGRAM)
                snprintf(out, PAWL__WAY_MAX, "%s%s%s%s", away ? "cd " : "",
                        away ? PAWL__WORD(elsewhere) : "", away ? " && " : "",
                        way == PAWL__BY_WORKER ? "pawl work" : "pawl resume ");
        if (way == PAWL__BY_RESUME)
                strncat(out, PAWL__WORD(run_id), PAWL__WAY_MAX - strlen(out) - 1);
        return out;
}

const char *pawl__run_advice(
        char out[PAWL__WAY_MAX], pawl_log *log, const pawl__row *run, pawl_text shown)
{
        const pawl__run_way way = pawl__run_way_of(run);
        char command[PAWL__WAY_MAX];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__worktree_place place = {.elsewhere = {NULL, 0}};

        pawl__state *state;
        if (!pawl__state_of(&state, log, NULL) &&
                pawl__state_run_place(&place, state, run, &arena, NULL))
                place.elsewhere.data = NULL;
        snprintf(out, PAWL__WAY_MAX, way == PAWL__BY_PROGRAM ? "the program that began it" : "`%s`",
                pawl__run_command(command, way, shown, place.elsewhere));
        pawl__arena_free(&arena);
        return out;
}
