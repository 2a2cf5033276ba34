/* Threads and their checkpoints. */
#include "state/projection.h"
#include "state/threads.h"

/* Its run, if that was not deleted. */
#define LIVES                                                                                      \
        "runs.reason IS NULL AND runs.fence = 0 AND runs.mission_path IS NULL"                     \
        " AND runs.scope_refs IS NULL"
#define OF_THREAD                                                                                  \
        "EXISTS (SELECT 1 FROM {runs} WHERE runs.run_id = steps.run_id"                            \
        " AND runs.started_seq = steps.order_seq AND " LIVES ")"
#define OF_RUN                                                                                          \
        "run_id = ?1 AND order_seq = (SELECT started_seq FROM {runs} WHERE runs.run_id = ?1 AND " LIVES \
        ")"
#define WITHIN "step_id >= ?2 AND step_id < ?3 AND status = 'completed'"
#define BEHIND "(retry_token, run_id, step_id) < (?5, ?6, ?7)"
#define BY_ID  " ORDER BY retry_token DESC, run_id DESC, step_id DESC LIMIT ?4"

pawl_status pawl__state_thread_steps(pawl__row **rows, size_t *n, pawl__state *state,
        const pawl__thread_range *range, pawl__arena *arena, pawl_error *err)
{
        enum { BY_STEP, OF_ONE, OF_ALL };
        static const char *const rest[] = {
                [BY_STEP] = "FROM {steps} WHERE " OF_RUN " AND " WITHIN
                            " ORDER BY step_id DESC LIMIT ?4",
                [OF_ONE] = "FROM {steps} WHERE " OF_RUN " AND " WITHIN " AND " BEHIND BY_ID,
                [OF_ALL] = "FROM {steps} WHERE ?1 = '' AND " WITHIN " AND " BEHIND
                           " AND " OF_THREAD BY_ID,
        };
        const int which = !range->run_id.data ? OF_ALL : range->by_id ? OF_ONE : BY_STEP;
        const pawl_text run = range->run_id.data ? range->run_id : pawl__text("");
        const int64_t limit =
                range->limit && range->limit < INT64_MAX ? (int64_t)range->limit : INT64_MAX;
        pawl__query *query;
        pawl_status status = pawl__query_cached(&query, state, PAWL__STEPS, rest[which], err);

        if (status)
                return status;
        if (which == BY_STEP)
                pawl__query_bind(query, "ttti", run, range->from, range->until, limit);
        else
                pawl__query_bind(query, "tttittt", run, range->from, range->until, limit, range->id,
                        range->run, range->step);
        return pawl__sql_collect(rows, n, state->log, PAWL__STEPS, query, arena, err);
}

pawl_status pawl__state_threads(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        static const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

        return pawl__query_rows(rows, n, state, PAWL__RUNS,
                "FROM {runs} WHERE " LIVES " ORDER BY updated_seq DESC", none, 0, arena, err);
}

pawl_status pawl__state_thread_parts(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text run_id, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {run_id, {NULL, 0}};

        return pawl__query_rows(rows, n, state, PAWL__STEPS,
                run_id.data ? "FROM {steps} WHERE " OF_RUN " ORDER BY checkpoint_seq"
                            : "FROM {steps} WHERE " OF_THREAD " ORDER BY checkpoint_seq",
                texts, 0, arena, err);
}
