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
        pawl__buf command = PAWL__BUF_INIT;

        if (elsewhere.data && way == PAWL__BY_RESUME) {
                pawl__buf_adds(&command, "cd ");
                pawl__word_add(&command, elsewhere);
                pawl__buf_adds(&command, " && ");
        }
        if (way == PAWL__BY_RESUME) {
                pawl__buf_adds(&command, "pawl resume ");
                pawl__word_add(&command, run_id);
        } else if (way == PAWL__BY_WORKER) {
                pawl__buf_adds(&command, "pawl work");
        }
        snprintf(out, PAWL__WAY_MAX, "%s", command.data ? command.data : "");
        pawl__buf_free(&command);
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
