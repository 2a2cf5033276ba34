/* What a checkpoint did not capture, out of its tree. */
#include "base/error.h"
#include "workspace/store/tree_diff.h"
#include "workspace/workspace.h"
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct missed_list {
        pawl_missed shown;
        pawl__arena arena;
        pawl_not_captured *items;
        size_t cap;
} missed_list;

static pawl_status add(const pawl__change *change, void *user, pawl_error *err)
{
        missed_list *missed = user;
        bool ok = true;

        if (change->to->kind != PAWL__ENTRY_SKIPPED)
                return PAWL_OK;
        if (pawl__grow(&missed->items, &missed->cap, missed->shown.n + 1, sizeof *missed->items))
                return pawl__nomem(err);
        missed->items[missed->shown.n] =
                (pawl_not_captured){pawl__arena_text(&missed->arena, change->path, &ok),
                        pawl__skip_name(change->to->why)};
        if (!ok)
                return pawl__nomem(err);
        missed->shown.n++;
        missed->shown.items = missed->items;
        return PAWL_OK;
}

static pawl_status read_tree(
        missed_list *missed, pawl_log *log, const pawl__row *row, pawl_error *err)
{
        const pawl__value *v = row->v;
        pawl__contents *contents;
        unsigned char tree[32];

        if (v[PAWL__WCP_SKIPPED].integer == 0)
                return PAWL_OK;
        if (v[PAWL__WCP_PRUNED_SEQ].integer || !pawl__unhex32(tree, v[PAWL__WCP_TREE].text))
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "checkpoint %lld: its contents were pruned; look at another",
                        (long long)v[PAWL__WCP_N].integer);
        pawl_status status = pawl__contents_open(&contents, log, err);
        if (status)
                return status;
        const pawl__directories directories = pawl__contents_directories(contents);
        status = pawl__diff_trees(&directories, NULL, tree, add, missed, err);
        pawl__contents_close(contents);
        return status;
}

pawl_status pawl_workspace_checkpoint_missed(
        pawl_missed **out, pawl_log *log, const char *which, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        missed_list *missed = calloc(1, sizeof *missed);
        pawl__state *state;
        pawl__row row;

        if (!missed)
                return pawl__nomem(err);
        pawl_status status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__workspace_find(&row, state, which, &missed->arena, err);
        if (!status)
                status = read_tree(missed, log, &row, err);
        if (status)
                pawl_missed_free(&missed->shown);
        else
                *out = &missed->shown;
        return status;
}

void pawl_missed_free(pawl_missed *shown)
{
        missed_list *missed = (missed_list *)shown;

        if (!missed)
                return;
        free(missed->items);
        pawl__arena_free(&missed->arena);
        free(missed);
}
