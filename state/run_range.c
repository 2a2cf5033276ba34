#include "state/run_range.h"
#include "base/error.h"
#include "events/types.h"
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

        TRY(pawl__run_range(&filter, log, run_id, err));
        if (since > filter.since)
                filter.since = since;
        if (until < UINT64_MAX && (!filter.before || until < filter.before))
                filter.before = until + 1;
        return pawl__log_each_of(log, &filter, fn, user, err);
}

/* Where the run's events are, as far as the tables say; a log without such tables is read whole. */
static void narrow(pawl__event_filter *filter, pawl_log *log)
{
        pawl_error ignored;
        pawl__event_filter range;

        if (pawl__run_range(&range, log, filter->run_id, &ignored))
                return;
        if (range.since > filter->since)
                filter->since = range.since;
        filter->before = range.before;
}

pawl_status pawl_cursor_find(pawl_cursor **out, pawl_log *log, const pawl_event_filter *filter)
{
        TRY(pawl__log_usable(log, NULL));

        pawl_error *err = pawl__log_error(log);

        if (filter->version != PAWL_EVENT_FILTER_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "event filter: version %u is not known; start from PAWL_EVENT_FILTER_INIT",
                        filter->version);
        if (filter->type && pawl__event_type_of(pawl__text(filter->type)) == PAWL__EVENT_OTHER)
                return pawl__fail(err, PAWL_EINVAL,
                        "event type \"%.64s\": is not known; use one of the event log's types",
                        filter->type);
        pawl__event_filter found = {.since = filter->since,
                .type = pawl__text(filter->type),
                .run_id = pawl__text(filter->run_id),
                .step_id = pawl__text(filter->step_id)};
        if (found.run_id.data)
                narrow(&found, log);
        return pawl__cursor_find(out, log, &found);
}
