#include "state/undo_stacks.h"
#include "base/error.h"

/* The rollback that @p row reverses: the one whose safety copy it goes to. */
static pawl__undo_entry *reversed_by(const pawl__undo_stacks *stacks, const pawl__row *row)
{
        if (!(row->v[PAWL__RB_UNDO].integer & PAWL__RB_IS_UNDO))
                return NULL;
        const int64_t safety = row->v[PAWL__RB_TARGET].integer;
        size_t low = 0;

        for (size_t high = stacks->n; low < high;) { /* their safety copies have growing numbers */
                const size_t middle = low + (high - low) / 2;
                if (stacks->items[middle].row.v[PAWL__RB_SAFETY].integer < safety)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low < stacks->n && stacks->items[low].row.v[PAWL__RB_SAFETY].integer == safety
                       ? &stacks->items[low]
                       : NULL;
}

static bool in_one_worktree(const pawl__row *a, const pawl__row *b)
{
        return pawl__text_cmp(a->v[PAWL__RB_WORKTREE].text, b->v[PAWL__RB_WORKTREE].text) == 0;
}

/* Each work tree has stacks of its own. */
static void empty_redo(pawl__undo_stacks *stacks, const pawl__row *of)
{
        for (size_t i = stacks->n; i-- > 0 && stacks->n_redo;)
                if (stacks->items[i].may_be == PAWL__IS_REDO &&
                        in_one_worktree(&stacks->items[i].row, of)) {
                        stacks->items[i].may_be = PAWL__NO_REVERSAL;
                        stacks->n_redo--;
                }
}

static pawl_status add_rollback(const pawl__row *row, void *user, pawl_error *err)
{
        pawl__undo_stacks *stacks = user;
        pawl__undo_entry entry = {.row = *row};
        pawl__undo_entry *reversed = reversed_by(stacks, row);
        const pawl_text status = row->v[PAWL__RB_STATUS].text;
        const bool done = pawl__text_is(status, "done") || pawl__text_is(status, "undone");

        if (row->v[PAWL__RB_UNDO].integer & PAWL__RB_FINISHES)
                entry.is = PAWL__IS_FINISH;
        else if (reversed)
                entry.is = reversed->is == PAWL__IS_UNDO ? PAWL__IS_REDO : PAWL__IS_UNDO;
        if (done && entry.is != PAWL__IS_FINISH) {
                if (reversed) {
                        stacks->n_redo -= reversed->may_be == PAWL__IS_REDO;
                        reversed->may_be = PAWL__NO_REVERSAL;
                } else {
                        empty_redo(stacks, row);
                }
                entry.may_be = entry.is == PAWL__IS_UNDO ? PAWL__IS_REDO : PAWL__IS_UNDO;
                stacks->n_redo += entry.may_be == PAWL__IS_REDO;
        }
        if (stacks->n == stacks->cap) {
                const size_t cap = 2 * stacks->cap + 8;
                pawl__undo_entry *more = pawl__arena_array(stacks->arena, cap, sizeof *more);
                if (!more)
                        return pawl__nomem(err);
                for (size_t i = 0; i < stacks->n; i++)
                        more[i] = stacks->items[i];
                stacks->items = more;
                stacks->cap = cap;
        }
        stacks->items[stacks->n++] = entry;
        return PAWL_OK;
}

pawl_status pawl__undo_stacks_read(
        pawl__undo_stacks *out, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        const pawl__page all = {0, 0};
        pawl__row *rows = NULL;
        size_t n = 0;

        *out = (pawl__undo_stacks){.arena = arena};
        TRY(pawl__state_rollbacks_page(&rows, &n, state, &all, arena, err)); /* newest first */
        while (n-- > 0)
                TRY(add_rollback(&rows[n], out, err));
        return PAWL_OK;
}

const pawl__undo_entry *pawl__undo_stacks_top(
        const pawl__undo_stacks *stacks, pawl__reversal by, const char *worktree)
{
        for (size_t i = stacks->n; i-- > 0;)
                if (stacks->items[i].may_be == by &&
                        pawl__same_worktree(
                                stacks->items[i].row.v[PAWL__RB_WORKTREE].text, worktree))
                        return &stacks->items[i];
        return NULL;
}

const pawl__undo_entry *pawl__undo_stacks_at(const pawl__undo_stacks *stacks, uint64_t seq)
{
        for (size_t i = 0; i < stacks->n; i++)
                if ((uint64_t)stacks->items[i].row.v[PAWL__RB_SEQ].integer == seq)
                        return &stacks->items[i];
        return NULL;
}

const char *pawl__reversal_word(pawl__reversal is)
{
        return is == PAWL__IS_UNDO ? "undo" : is == PAWL__IS_REDO ? "redo" : "rollback";
}

pawl_status pawl__reversal_of(pawl__reversal *is, const pawl__row *row, pawl__state *state,
        pawl__arena *arena, pawl_error *err)
{
        pawl__undo_stacks stacks;

        *is = PAWL__NO_REVERSAL;
        if (!(row->v[PAWL__RB_UNDO].integer & PAWL__RB_IS_UNDO)) /* most are none */
                return PAWL_OK;
        TRY(pawl__undo_stacks_read(&stacks, state, arena, err));
        const pawl__undo_entry *own =
                pawl__undo_stacks_at(&stacks, (uint64_t)row->v[PAWL__RB_SEQ].integer);
        *is = own ? own->is : PAWL__IS_UNDO;
        return PAWL_OK;
}
