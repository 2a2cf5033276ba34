#include "workspace/at.h"

/* A rollback of all files that ended by then, after the checkpoint was taken. */
static pawl_status rolled_back(
        int64_t *target, pawl__state *state, int64_t since, uint64_t seq, pawl_error *err)
{
        const pawl__page all = {0, 0};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_rollbacks_page(&rows, &n, state, &all, &arena, err);

        for (size_t i = 0; i < n && !*target; i++) {
                const pawl__value *v = rows[i].v;
                const int64_t ended = v[PAWL__RB_ENDED_SEQ].integer;
                if (ended > since && (uint64_t)ended <= seq &&
                        pawl__same_worktree(
                                v[PAWL__RB_WORKTREE].text, pawl__state_worktree(state, NULL)) &&
                        !(v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART) &&
                        !pawl__text_is(v[PAWL__RB_STATUS].text, "abandoned"))
                        *target = v[PAWL__RB_TARGET].integer;
        }
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__workspace_at(pawl__row *out, pawl__state *state, pawl_text run_id, uint64_t from,
        uint64_t seq, pawl__arena *arena, pawl_error *err)
{
        pawl__row *rows = NULL, found = {.v[PAWL__WCP_N].integer = (int64_t)from};
        const pawl__row *last = NULL;
        int64_t target = 0;
        size_t n = 0;
        pawl_status status = pawl__state_workspace_all(&rows, &n, state, arena, err);

        for (size_t i = 0; i < n && !status; i++) {
                const pawl__value *v = rows[i].v;
                const bool ours = run_id.data
                                          ? pawl__row_of_run(&rows[i]) &&
                                                    pawl__text_eq(v[PAWL__WCP_RUN].text, run_id)
                                          : v[PAWL__WCP_ROOT].text.data != NULL &&
                                                    pawl__same_worktree(v[PAWL__WCP_WORKTREE].text,
                                                            pawl__state_worktree(state, NULL));
                if (ours && (uint64_t)v[PAWL__WCP_SEQ].integer <= seq)
                        last = &rows[i];
        }
        if (status)
                return status;
        if (last) {
                found = *last;
                if (!run_id.data)
                        status = rolled_back(
                                &target, state, last->v[PAWL__WCP_SEQ].integer, seq, err);
        } else {
                target = (int64_t)from;
        }
        if (!status && target) {
                found = (pawl__row){.v[PAWL__WCP_N].integer = target};
                status = pawl__state_get(state, PAWL__WORKSPACE, &found, arena, err);
        } else if (!status && !last) {
                status = PAWL_ENOTFOUND;
        }
        if (!status)
                *out = found;
        return status;
}
