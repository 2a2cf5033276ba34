#include "state/run_range.h"
#include "base/error.h"
#include "state/projection.h"

pawl_status pawl__run_range(
        pawl__event_filter *out, pawl_log *log, pawl_text run_id, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        uint64_t applied = 0, head = 0;
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_get(state, PAWL__RUNS, &run, &arena, err);
        if (!status && run.v[PAWL__RUN_LAST_SEQ].integer)
                status = pawl__projection_place(&applied, &head, log, err);
        pawl__arena_free(&arena);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        *out = (pawl__event_filter){.run_id = run_id};
        if (!head)
                return PAWL_OK;
        if (run.v[PAWL__RUN_RULES].integer & (PAWL__RULES_JUDGED | PAWL__RULES_IMPORTED))
                out->since = (uint64_t)run.v[PAWL__RUN_FIRST_SEQ].integer - 1;
        if (applied == head)
                out->before = (uint64_t)run.v[PAWL__RUN_LAST_SEQ].integer + 1;
        return PAWL_OK;
}

pawl_status pawl__run_each(pawl_log *log, pawl_text run_id, uint64_t since, uint64_t until,
        pawl__event_fn fn, void *user, pawl_error *err)
{
        pawl__event_filter filter;
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status stop = PAWL_OK;

        TRY(pawl__run_range(&filter, log, run_id, err));
        if (since > filter.since)
                filter.since = since;
        if (until < UINT64_MAX && (!filter.before || until < filter.before))
                filter.before = until + 1;
        TRY(pawl__log_failed(log, pawl__cursor_find(&cursor, log, &filter), err));
        pawl_status status = PAWL_OK;
        while (!stop && (status = pawl_cursor_next(cursor, &event)) == PAWL_OK)
                stop = fn(&event, pawl__event_type_of(event.type), user, err);
        pawl_cursor_close(cursor);
        if (status < 0)
                return pawl__log_failed(log, status, err);
        return stop == PAWL_DONE ? PAWL_OK : stop;
}
