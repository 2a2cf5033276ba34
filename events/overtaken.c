/* What others appended before a batch: what of it is read with the lock of the log, where an engine
 * can do that, and whether it leaves alone what the batch depends on. */
#include "events/handle.h"
#include <inttypes.h>

/* Events whose rows are asked for with the lock: of most batches all. */
enum { PREFETCHED = 16 };

/* After more events of others what depends on the log is made again, and none of them is looked at.
 */
enum { OTHERS_MAX = 1000 };

/* The types of the events that others appended after the one that the batch assumes. */
static pawl_status types_query(
        pawl__query **out, pawl_log *log, const pawl__batch *batch, pawl_error *err)
{
        pawl_status status = pawl__log_query(out, log, PAWL__STMT_TYPES, err);

        if (!status)
                pawl__query_bind(*out, "iit", (int64_t)batch->assumes,
                        (int64_t)batch->assumes + OTHERS_MAX,
                        batch->n ? batch->events[0].run_id : (pawl_text){NULL, 0});
        return status;
}

pawl_status pawl__tx_prefetch(pawl_log *log, pawl_error *err)
{
        const pawl__batch *batch = log->expected;
        const bool rows = batch && log->projecting && log->projector.prefetch;
        const pawl_event *last = NULL;
        pawl__query *query;
        pawl_status status = pawl__log_query(&query, log, PAWL__STMT_ENDS, err);

        if (!status) {
                pawl__query_bind(query, "i", (int64_t)log->sound_seq);
                status = pawl__query_prefetch(query, err);
        }
        if (!status && batch && batch->assumes && !(status = types_query(&query, log, batch, err)))
                status = pawl__query_prefetch(query, err);
        for (size_t i = 0; rows && i < batch->n && i < PREFETCHED && !status; i++) {
                const pawl_event *e = &batch->events[i];
                if (!last || !pawl__text_eq(e->run_id, last->run_id) ||
                        !pawl__text_eq(e->step_id, last->step_id))
                        status = log->projector.prefetch(log->projector.user, e, err);
                last = e;
        }
        return status;
}

pawl_status pawl__tx_overtaken(pawl_log *log, pawl__batch *batch)
{
        pawl__query *row;
        pawl_status status = types_query(&row, log, batch, &log->err);

        if (status)
                return status;
        batch->overtaken =
                log->head_seq < batch->assumes || log->head_seq - batch->assumes > OTHERS_MAX;
        while (!batch->overtaken &&
                (status = pawl__query_step(row, "append", &log->err)) == PAWL_OK) {
                const pawl__event_type type = pawl__event_type_of(pawl__query_text(row, 0));
                batch->overtaken = type == PAWL__EVENT_OTHER || pawl__event_changes_senses(type) ||
                                   pawl__query_integer(row, 1);
        }
        pawl__query_reset(row);
        if (batch->overtaken)
                return pawl__fail(&log->err, PAWL_EBUSY,
                        "%s: another writer was first at seq %" PRIu64 "; try again", log->path,
                        batch->assumes + 1);
        return status == PAWL_DONE ? PAWL_OK : status;
}
