/* The history of rollbacks, with what each gave up: from their rows, and the events of their ends.
 */
#include "base/error.h"
#include "base/json_tree.h"
#include "state/undo_stacks.h"
#include "workspace/workspace.h"
#include <pawl/rollback.h>
#include <stdlib.h>

typedef struct listing {
        pawl_rollbacks list; /* first: it is what the caller has */
        pawl__arena arena;
} listing;

static pawl_rollback_info info_of(const pawl__row *row)
{
        const pawl__value *v = row->v;

        return (pawl_rollback_info){.seq = (uint64_t)v[PAWL__RB_SEQ].integer,
                .target = (uint64_t)v[PAWL__RB_TARGET].integer,
                .safety = (uint64_t)v[PAWL__RB_SAFETY].integer,
                .undo = (v[PAWL__RB_UNDO].integer & PAWL__RB_IS_UNDO) != 0,
                .in_part = (v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART) != 0,
                .status = v[PAWL__RB_STATUS].text,
                .ended_seq = (uint64_t)v[PAWL__RB_ENDED_SEQ].integer,
                .actor = v[PAWL__RB_ACTOR].text,
                .reason = v[PAWL__RB_REASON].text};
}

/* The checkpoints and steps that its end names. */
static pawl_status read_lists(
        pawl_rollback_info *info, listing *l, const pawl__json_tree *tree, pawl_error *err)
{
        const pawl__node numbers = pawl__json_get(tree, 0, "invalidated");
        const pawl__node steps = pawl__json_get(tree, 0, "steps");
        uint64_t *given_up = pawl__arena_array(
                &l->arena, pawl__json_at(tree, numbers)->count + 1, sizeof *given_up);
        pawl_given_up *list =
                pawl__arena_array(&l->arena, pawl__json_at(tree, steps)->count + 1, sizeof *list);
        bool ok = given_up && list;
        int64_t n;

        for (pawl__node at = pawl__json_first(tree, numbers); ok && at != PAWL__NO_NODE;
                at = pawl__json_after(tree, numbers, at))
                if (pawl__json_int(pawl__json_at(tree, at), &n))
                        given_up[info->n_given_up++] = (uint64_t)n;
        for (pawl__node at = pawl__json_first(tree, steps); ok && at != PAWL__NO_NODE;
                at = pawl__json_after(tree, steps, at))
                list[info->n_steps++] = (pawl_given_up){
                        pawl__arena_text(&l->arena, pawl__json_get_text(tree, at, "run_id"), &ok),
                        pawl__arena_text(&l->arena, pawl__json_get_text(tree, at, "step_id"), &ok)};
        info->given_up = given_up;
        info->steps = list;
        return ok ? PAWL_OK : pawl__nomem(err);
}

static pawl_status read_end(pawl_rollback_info *info, listing *l, pawl_log *log, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &l->arena, log, info->seq);

        if (!status) {
                info->started_us = event.time_us;
                if (info->ended_seq)
                        status = pawl__log_event(&event, &l->arena, log, info->ended_seq);
        }
        if (status)
                return pawl__log_failed(log, status, err);
        if (!info->ended_seq || !event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status)
                status = read_lists(info, l, &tree, err);
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status fill(listing *l, pawl_log *log, const pawl__page *page, pawl_error *err)
{
        pawl__state *state;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_rollbacks_page(&rows, &n, state, page, &l->arena, err);
        if (status)
                return status;
        pawl__undo_stacks stacks;
        TRY(pawl__undo_stacks_read(&stacks, state, &l->arena, err));
        pawl_rollback_info *items = pawl__arena_array(&l->arena, n + 1, sizeof *items);
        if (!items)
                return pawl__nomem(err);
        l->list = (pawl_rollbacks){items, n};
        for (; n > 0 && !status; n--) {
                pawl_rollback_info *item = &items[l->list.n - n];
                *item = info_of(&rows[n - 1]);
                const pawl__undo_entry *entry = pawl__undo_stacks_at(&stacks, item->seq);
                item->redo = entry && entry->is == PAWL__IS_REDO;
                status = read_end(item, l, log, err);
        }
        return status;
}

pawl_status pawl_rollback_list(pawl_rollbacks **out, pawl_log *log, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return pawl__rollback_list(out, log, &(pawl__page){0, 0}, err);
}

pawl_status pawl__rollback_list(
        pawl_rollbacks **out, pawl_log *log, const pawl__page *page, pawl_error *err)
{
        listing *l = calloc(1, sizeof *l);

        if (!l)
                return pawl__nomem(err);
        pawl_status status = fill(l, log, page, err);
        if (status)
                pawl_rollbacks_free(&l->list);
        else
                *out = &l->list;
        return status;
}

void pawl_rollbacks_free(pawl_rollbacks *list)
{
        listing *l = (listing *)list;

        if (!l)
                return;
        pawl__arena_free(&l->arena);
        free(l);
}
