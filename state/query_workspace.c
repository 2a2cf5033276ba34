/* Checkpoints of the workspace, and rollbacks. */
#include "state/projection.h"

static const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

pawl_status pawl__state_workspace_newest(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__WORKSPACE,
                "FROM {workspace_checkpoints} ORDER BY n DESC LIMIT 1", none, arena, err);
}

pawl_status pawl__state_workspace_newest_own(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__WORKSPACE,
                "FROM {workspace_checkpoints} WHERE root IS NOT NULL ORDER BY n DESC LIMIT 1", none,
                arena, err);
}

pawl_status pawl__state_workspace_all(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_rows(rows, n, state, PAWL__WORKSPACE,
                "FROM {workspace_checkpoints} ORDER BY n", none, 0, arena, err);
}

pawl_status pawl__state_workspace_page(pawl__row **rows, size_t *n, pawl__state *state,
        const pawl__checkpoint_filter *filter, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[] = {filter->run_id, filter->session_id, filter->step_id};

        return pawl__query_page(rows, n, state, PAWL__WORKSPACE,
                "FROM {workspace_checkpoints} WHERE n < ?1 AND (run_id = ?3 OR ?3 IS NULL)"
                " AND (session_id = ?4 OR ?4 IS NULL) AND (step_id = ?5 OR ?5 IS NULL)"
                " ORDER BY n DESC LIMIT ?2",
                &filter->page, texts, 3, arena, err);
}

pawl_status pawl__state_rollbacks_page(pawl__row **rows, size_t *n, pawl__state *state,
        const pawl__page *page, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_page(rows, n, state, PAWL__ROLLBACKS,
                "FROM {rollbacks} WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2", page, NULL, 0, arena,
                err);
}

pawl_status pawl__state_workspace_of_step(
        pawl__row *row, pawl__state *state, pawl_text step_id, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {step_id, {NULL, 0}};

        return pawl__query_row(row, state, PAWL__WORKSPACE,
                "FROM {workspace_checkpoints} WHERE step_id = ?1"
                " AND (root IS NOT NULL OR run_id IS NOT NULL)" /* not imported */
                " ORDER BY root IS NULL, n DESC LIMIT 1",
                texts, arena, err);
}

pawl_status pawl__state_workspace_of_run(
        pawl__row *row, pawl__state *state, pawl_text run_id, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {run_id, {NULL, 0}};

        return pawl__query_row(row, state, PAWL__WORKSPACE,
                "FROM {workspace_checkpoints} WHERE run_id = ?1 AND root IS NULL"
                " ORDER BY n DESC LIMIT 1",
                texts, arena, err);
}

pawl_status pawl__state_rollback_pending(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        /* The condition is that of the index rollbacks_started. */
        return pawl__query_row(row, state, PAWL__ROLLBACKS,
                "FROM {rollbacks} WHERE status = 'started' ORDER BY seq DESC LIMIT 1", none, arena,
                err);
}

pawl_status pawl__state_rollback_last(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__ROLLBACKS,
                "FROM {rollbacks} WHERE status IN ('done', 'undone') AND undo < 2" /* not in part */
                " ORDER BY seq DESC LIMIT 1",
                none, arena, err);
}
