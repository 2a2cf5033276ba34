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

const char *pawl__run_command(char out[PAWL__WAY_MAX], pawl__run_way way, pawl_text run_id)
{
        if (way == PAWL__BY_RESUME)
                snprintf(out, PAWL__WAY_MAX, "pawl resume %s", PAWL__WORD(run_id));
        else
                snprintf(out, PAWL__WAY_MAX, "%s", way == PAWL__BY_WORKER ? "pawl work" : "");
        return out;
}

const char *pawl__run_advice(char out[PAWL__WAY_MAX], pawl__run_way way, pawl_text run_id)
{
        char command[PAWL__WAY_MAX];

        snprintf(out, PAWL__WAY_MAX, way == PAWL__BY_PROGRAM ? "the program that began it" : "`%s`",
                pawl__run_command(command, way, run_id));
        return out;
}
