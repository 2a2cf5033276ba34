/* Checkpoints as the public header shows them. */
#include "base/error.h"
#include "workspace/turns.h"
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct checkpoints {
        pawl_workspace_checkpoints shown;
        pawl__arena arena;
} checkpoints;

pawl_workspace_checkpoint_info pawl__checkpoint_info(const pawl__row *row, uint64_t current)
{
        const pawl__value *v = row->v;
        const pawl_text reason = v[PAWL__WCP_INVALID_REASON].text, none = {NULL, 0};
        const bool given_up = pawl__row_given_up(row);

        return (pawl_workspace_checkpoint_info){.n = (uint64_t)v[PAWL__WCP_N].integer,
                .seq = (uint64_t)v[PAWL__WCP_SEQ].integer,
                .id = v[PAWL__WCP_ID].text,
                .mission_id = v[PAWL__WCP_MISSION].text,
                .run_id = v[PAWL__WCP_RUN].text,
                .step_id = v[PAWL__WCP_STEP].text,
                .session_id = v[PAWL__WCP_SESSION].text,
                .trigger = v[PAWL__WCP_TRIGGER].text,
                .description = v[PAWL__WCP_DESCRIPTION].text,
                .root = v[PAWL__WCP_ROOT].text,
                .tree = v[PAWL__WCP_TREE].text,
                .files = (uint64_t)v[PAWL__WCP_FILES].integer,
                .bytes = (uint64_t)v[PAWL__WCP_BYTES].integer,
                .not_captured = (uint64_t)v[PAWL__WCP_SKIPPED].integer,
                .state_hash = v[PAWL__WCP_STATE_HASH].text,
                .outputs_hash = v[PAWL__WCP_OUTPUTS_HASH].text,
                .git_head = v[PAWL__WCP_GIT_HEAD].text,
                .git_branch = v[PAWL__WCP_GIT_BRANCH].text,
                .created_us = v[PAWL__WCP_CREATED_US].integer,
                .base = (uint64_t)v[PAWL__WCP_BASE].integer,
                .valid = (v[PAWL__WCP_INVALID_SEQ].integer == 0 || given_up) &&
                         v[PAWL__WCP_PRUNED_SEQ].integer == 0,
                .current = (uint64_t)v[PAWL__WCP_N].integer == current,
                .safety = v[PAWL__WCP_SAFETY].integer != 0,
                .pinned = v[PAWL__WCP_PINNED].integer != 0,
                .pruned = v[PAWL__WCP_PRUNED_SEQ].integer != 0,
                .imported = !v[PAWL__WCP_ROOT].text.data && !v[PAWL__WCP_RUN].text.data,
                .why_invalid = given_up ? none : reason,
                .given_up = given_up ? reason : none,
                .worktree = v[PAWL__WCP_WORKTREE].text.len ? v[PAWL__WCP_WORKTREE].text : none};
}

/* Those that changed one of the paths of the workspace, and of them the newest so many (0: all). */
static pawl_status keep_changing(pawl_workspace_checkpoint_info *items, size_t *n, size_t limit,
        pawl_log *log, const pawl_workspace_options *options, pawl__arena *arena, pawl_error *err)
{
        bool *const touched = pawl__arena_array(arena, *n + 1, sizeof *touched);
        pawl__workspace ws;
        size_t kept = 0;

        if (!touched)
                return pawl__nomem(err);
        TRY(pawl__workspace_open(&ws, log, options, err));
        const pawl_status status =
                pawl__checkpoint_details(items, *n, ws.state, &ws.paths, touched, arena, err);
        pawl__workspace_close(&ws);
        TRY(status);
        for (size_t i = 0; i < *n; i++)
                if (touched[i])
                        items[kept++] = items[i];
        *n = kept;
        if (limit && kept > limit) {
                memmove(items, items + (kept - limit), limit * sizeof *items);
                *n = limit;
        }
        return PAWL_OK;
}

/* Puts into @p rows, which lie in the arena, those that are asked for, the newest first. */
typedef pawl_status gather_fn(pawl__row **rows, size_t *n, pawl__state *state, const void *which,
        pawl__arena *arena, pawl_error *err);

static pawl_status gather_page(pawl__row **rows, size_t *n, pawl__state *state, const void *which,
        pawl__arena *arena, pawl_error *err)
{
        pawl__checkpoint_filter filter = *(const pawl__checkpoint_filter *)which;

        if (filter.options)
                filter.page.limit = 0; /* these are chosen later */
        return pawl__state_workspace_page(rows, n, state, &filter, arena, err);
}

static pawl_status gather_one(pawl__row **rows, size_t *n, pawl__state *state, const void *which,
        pawl__arena *arena, pawl_error *err)
{
        pawl__row *row = pawl__arena_alloc(arena, sizeof *row);

        if (!row)
                return pawl__nomem(err);
        *rows = row;
        *n = 1;
        return pawl__workspace_find(row, state, which, arena, err);
}

static pawl_status fill_list(
        checkpoints *list, pawl_log *log, gather_fn *gather, const void *which, pawl_error *err)
{
        const pawl__checkpoint_filter *const filter = gather == gather_page ? which : NULL;
        pawl__state *state;
        pawl__row *rows = NULL, current = {0}, by;
        bool put_back;
        size_t n = 0;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = gather(&rows, &n, state, which, &list->arena, err);
        if (status)
                return status;
        status = pawl__workspace_current(&current, &by, &put_back, state, &list->arena, err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        pawl_workspace_checkpoint_info *items =
                pawl__arena_array(&list->arena, n + 1, sizeof *items);
        if (!items)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++)
                items[n - 1 - i] =
                        pawl__checkpoint_info(&rows[i], (uint64_t)current.v[PAWL__WCP_N].integer);
        if (filter && filter->options)
                TRY(keep_changing(
                        items, &n, filter->page.limit, log, filter->options, &list->arena, err));
        else
                TRY(pawl__checkpoint_details(items, n, state, NULL, NULL, &list->arena, err));
        list->shown = (pawl_workspace_checkpoints){items, n};
        return PAWL_OK;
}

static pawl_status make_list(pawl_workspace_checkpoints **out, pawl_log *log, gather_fn *gather,
        const void *which, pawl_error *err)
{
        checkpoints *list = calloc(1, sizeof *list);

        if (!list)
                return pawl__nomem(err);
        pawl_status status = fill_list(list, log, gather, which, err);
        if (status)
                pawl_workspace_checkpoints_free(&list->shown);
        else
                *out = &list->shown;
        return status;
}

pawl_status pawl_workspace_checkpoint_list(
        pawl_workspace_checkpoints **out, pawl_log *log, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return pawl__checkpoint_list(out, log, &(pawl__checkpoint_filter){.page = {0, 0}}, err);
}

pawl_status pawl__checkpoint_list(pawl_workspace_checkpoints **out, pawl_log *log,
        const pawl__checkpoint_filter *filter, pawl_error *err)
{
        return make_list(out, log, gather_page, filter, err);
}

pawl_status pawl_workspace_checkpoint_find(
        pawl_workspace_checkpoints **out, pawl_log *log, const char *which, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return make_list(out, log, gather_one, which, err);
}

void pawl_workspace_checkpoints_free(pawl_workspace_checkpoints *shown)
{
        checkpoints *list = (checkpoints *)shown;

        if (!list)
                return;
        pawl__arena_free(&list->arena);
        free(list);
}
