/* Checkpoints of the workspace, and rollbacks. */
#include "base/error.h"
#include "state/projection.h"

static const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

pawl_status pawl__state_workspace_newest(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__WORKSPACE,
                "FROM workspace_checkpoints ORDER BY n DESC LIMIT 1", none, arena, err);
}

pawl_status pawl__state_workspace_newest_own(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__WORKSPACE,
                "FROM workspace_checkpoints WHERE root IS NOT NULL ORDER BY n DESC LIMIT 1", none,
                arena, err);
}

pawl_status pawl__state_workspace_all(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_rows(rows, n, state, PAWL__WORKSPACE,
                "FROM workspace_checkpoints ORDER BY n", none, 0, arena, err);
}

static bool starts_with(pawl_text text, pawl_text prefix)
{
        return text.data && text.len >= prefix.len &&
               (prefix.len == 0 || memcmp(text.data, prefix.data, prefix.len) == 0);
}

pawl_status pawl__state_workspace_by_id(pawl__row rows[2], size_t *n, pawl__state *state,
        pawl_text prefix, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {prefix, {NULL, 0}};
        pawl__row *found = NULL;
        size_t count = 0, matching = 0;
        /* Those that start with it come first among those that do not sort before it. */
        pawl_status status = pawl__query_rows(&found, &count, state, PAWL__WORKSPACE,
                "FROM workspace_checkpoints WHERE id >= ?1 ORDER BY id, n LIMIT 2", texts, 0, arena,
                err);

        if (status)
                return status;
        while (matching < count && starts_with(found[matching].v[PAWL__WCP_ID].text, prefix)) {
                rows[matching] = found[matching];
                matching++;
        }
        if (matching == 2 && pawl__text_eq(rows[0].v[PAWL__WCP_ID].text, prefix) &&
                !pawl__text_eq(rows[1].v[PAWL__WCP_ID].text, prefix))
                matching = 1;
        *n = matching;
        return PAWL_OK;
}

pawl_status pawl__state_rollback_pending(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        /* The condition is that of the index rollbacks_started. */
        return pawl__query_row(row, state, PAWL__ROLLBACKS,
                "FROM rollbacks WHERE status = 'started' ORDER BY seq DESC LIMIT 1", none, arena,
                err);
}

pawl_status pawl__state_rollback_last(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__ROLLBACKS,
                "FROM rollbacks WHERE status IN ('done', 'undone') AND undo < 2" /* not in part */
                " ORDER BY seq DESC LIMIT 1",
                none, arena, err);
}

pawl_status pawl__state_rollback_to_undo(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__ROLLBACKS,
                "FROM rollbacks WHERE status = 'done' ORDER BY seq DESC LIMIT 1", none, arena, err);
}
