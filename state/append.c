/* The public append: under the rules of the order of events, which the state knows. */
#include "base/error.h"
#include "events/log.h"
#include "events/types.h"
#include "state/state.h"

pawl_status pawl_log_append(
        uint64_t *seq_out, pawl_log *log, const pawl_event *events, size_t n, uint64_t fence)
{
        pawl__state *state;

        TRY(pawl__log_usable(log, NULL));
        pawl_error *err = pawl__log_error(log);
        const pawl_status status = pawl__state_of(&state, log, err);

        for (size_t i = 0; i < n && !status; i++) {
                if (!events[i].v)
                        continue;
                const pawl__event_type type = pawl__event_type_of(events[i].type);
                if (type != PAWL__EVENT_OTHER && events[i].v < pawl__event_def_of(type)->v)
                        return pawl__fail(err, PAWL_EINVAL,
                                "%.*s: v: is %d, and events are written as %d; leave it 0",
                                PAWL__FMT(events[i].type), events[i].v,
                                pawl__event_def_of(type)->v);
        }
        return status ? status : pawl__log_append(seq_out, log, events, n, fence);
}
