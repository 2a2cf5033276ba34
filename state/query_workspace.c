/* Checkpoints of the workspace, and rollbacks. */
#include "base/error.h"
#include "state/projection.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

pawl_status pawl__state_set_worktree(
        pawl__state *state, const char *id, const char *root, pawl_error *err)
{
        char *copy = root ? strdup(root) : NULL;

        if (root && !copy)
                return pawl__nomem(err);
        assert(strlen(id) < sizeof state->worktree);
        memcpy(state->worktree, id, strlen(id) + 1);
        free(state->worktree_root);
        state->worktree_root = copy;
        return PAWL_OK;
}

pawl_status pawl__state_set_named(pawl__state *state, pawl_text options, pawl_error *err)
{
        char *copy = strndup(options.data ? options.data : "", options.len);

        if (!copy)
                return pawl__nomem(err);
        free(state->named);
        state->named = copy;
        return PAWL_OK;
}

const char *pawl__state_named(const pawl__state *state)
{
        return state->named ? state->named : "";
}

const char *pawl__state_worktree(const pawl__state *state, const char **root)
{
        if (root)
                *root = state->worktree_root;
        return state->worktree;
}

/* Schemas before this one have no column of it, nor of turns, and logs of theirs no linked work
 * tree. */
enum { WORKTREE_SINCE = 6 };
#define OF_WORKTREE(from, rest) from rest, from " AND worktree = ?1" rest

/* The first row of the work tree that is meant. */
static pawl_status row_of_worktree(pawl__row *row, pawl__state *state, pawl__table table,
        const char *old, const char *rest, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {pawl__text(state->worktree), {NULL, 0}};

        return pawl__log_version(state->log) < WORKTREE_SINCE
                       ? pawl__query_row(row, state, table, old, none, arena, err)
                       : pawl__query_row(row, state, table, rest, texts, arena, err);
}

pawl_status pawl__state_workspace_newest(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__query_row(row, state, PAWL__WORKSPACE,
                "FROM {workspace_checkpoints} ORDER BY n DESC LIMIT 1", none, arena, err);
}

pawl_status pawl__state_workspace_newest_own(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return row_of_worktree(row, state, PAWL__WORKSPACE,
                OF_WORKTREE("FROM {workspace_checkpoints} WHERE root IS NOT NULL",
                        " ORDER BY n DESC LIMIT 1"),
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
#define PAGE                                                                                       \
        "FROM {workspace_checkpoints} WHERE n < ?1 AND (run_id = ?3 OR ?3 IS NULL)"                \
        " AND (session_id = ?4 OR ?4 IS NULL) AND (step_id = ?5 OR ?5 IS NULL)"
        const pawl_text texts[] = {
                filter->run_id, filter->session_id, filter->step_id, filter->worktree};

        return filter->worktree.data && pawl__log_version(state->log) >= WORKTREE_SINCE
                       ? pawl__query_page(rows, n, state, PAWL__WORKSPACE,
                                 PAGE " AND worktree = ?6 ORDER BY n DESC LIMIT ?2", &filter->page,
                                 texts, 4, arena, err)
                       : pawl__query_page(rows, n, state, PAWL__WORKSPACE,
                                 PAGE " ORDER BY n DESC LIMIT ?2", &filter->page, texts, 3, arena,
                                 err);
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
#define OF_STEP                                                                                    \
        "FROM {workspace_checkpoints} WHERE step_id = ?1"                                          \
        " AND (root IS NOT NULL OR run_id IS NOT NULL)" /* not imported */                         \
        " ORDER BY root IS NULL, "
        const bool old = pawl__log_version(state->log) < WORKTREE_SINCE;
        const pawl_text texts[2] = {step_id, old ? none[0] : pawl__text(state->worktree)};

        return pawl__query_row(row, state, PAWL__WORKSPACE,
                old ? OF_STEP "n DESC LIMIT 1" : OF_STEP "worktree <> ?2, n DESC LIMIT 1", texts,
                arena, err);
}

pawl_status pawl__state_workspace_before(pawl__row *row, pawl__state *state, uint64_t n,
        pawl_text run_id, pawl_text worktree, pawl__arena *arena, pawl_error *err)
{
#define BEFORE(which)                                                                              \
        "FROM {workspace_checkpoints} WHERE n < ?1 AND " which " ORDER BY n DESC LIMIT ?2"
        const bool old = pawl__log_version(state->log) < WORKTREE_SINCE;
        const pawl__page page = {n, 1};
        const char *const rest = run_id.data ? BEFORE("root IS NULL AND run_id = ?3")
                                 : old       ? BEFORE("root IS NOT NULL")
                                             : BEFORE("root IS NOT NULL AND worktree = ?3");
        pawl__row *rows;
        size_t found = 0;

        TRY(pawl__query_page(&rows, &found, state, PAWL__WORKSPACE, rest, &page,
                run_id.data ? &run_id : &worktree, run_id.data || !old, arena, err));
        if (!found)
                return PAWL_ENOTFOUND;
        *row = rows[0];
        return PAWL_OK;
}

pawl_status pawl__state_session_of_turns(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return pawl__log_version(state->log) < WORKTREE_SINCE
                       ? PAWL_ENOTFOUND
                       : pawl__query_row(row, state, PAWL__SESSIONS,
                                 "FROM {sessions} WHERE turns IS NOT NULL ORDER BY seq DESC"
                                 " LIMIT 1",
                                 none, arena, err);
}

pawl_log *pawl__state_log(const pawl__state *state)
{
        return state->log;
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
        return row_of_worktree(row, state, PAWL__ROLLBACKS,
                OF_WORKTREE(
                        "FROM {rollbacks} WHERE status = 'started'", " ORDER BY seq DESC LIMIT 1"),
                arena, err);
}

pawl_status pawl__state_rollback_last(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        return row_of_worktree(row, state, PAWL__ROLLBACKS,
                OF_WORKTREE("FROM {rollbacks} WHERE status IN ('done', 'undone') AND undo < 2",
                        " ORDER BY seq DESC LIMIT 1"), /* not in part */
                arena, err);
}
