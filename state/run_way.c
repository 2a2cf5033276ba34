#include "state/run_way.h"

pawl__run_way pawl__run_way_of(const pawl__row *run)
{
        if (!run->v[PAWL__RUN_MISSION_PATH].text.data)
                return PAWL__BY_PROGRAM;
        return pawl__run_submitted(run) && !pawl__text_is(run->v[PAWL__RUN_STATUS].text, "failed")
                       ? PAWL__BY_WORKER
                       : PAWL__BY_RESUME;
}

void pawl__command_add(pawl__buf *out, const char *command, pawl_text argument, const char *named)
{
        const bool is_option = argument.len && argument.data[0] == '-';

        pawl__buf_addf(out, "%s%s%s", command, is_option ? named : "", is_option ? " -- " : " ");
        pawl__word_add(out, argument);
        pawl__buf_adds(out, is_option ? "" : named);
}

void pawl__place_add(pawl__buf *out, const pawl__worktree_place *place)
{
        if (!place->elsewhere.data || place->gone)
                return;
        pawl__buf_adds(out, "cd ");
        pawl__word_add(out, place->elsewhere);
        pawl__buf_adds(out, " && ");
}

void pawl__run_command_add(pawl__buf *out, const pawl__run_next *next)
{
        const pawl__run_way way = pawl__run_way_of(next->run);

        if (way == PAWL__BY_WORKER && !next->at_work)
                pawl__buf_addf(out, "pawl work%s", next->named);
        if (way != PAWL__BY_RESUME || next->place->gone)
                return;
        pawl__place_add(out, next->place);
        pawl__command_add(out, next->at_work ? "pawl resume --wait" : "pawl resume", next->shown,
                next->named);
}
