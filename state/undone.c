#include "state/undone.h"
#include "base/error.h"

typedef struct collecting {
        pawl__undone_range *items; /* all, the earliest first */
        size_t n, cap;
        pawl__arena *arena;
} collecting;

static pawl_status collect(const pawl__row *row, void *user, pawl_error *err)
{
        collecting *c = user;
        const pawl__value *v = row->v;

        if (!v[PAWL__RB_ENDED_SEQ].integer || (v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART) ||
                pawl__text_is(v[PAWL__RB_STATUS].text, "abandoned"))
                return PAWL_OK;
        if (c->n == c->cap) {
                pawl__undone_range *more =
                        pawl__arena_array(c->arena, c->cap = 2 * c->cap + 4, sizeof *more);
                if (!more)
                        return pawl__nomem(err);
                for (size_t i = 0; i < c->n; i++)
                        more[i] = c->items[i];
                c->items = more;
        }
        c->items[c->n++] = (pawl__undone_range){
                0, (uint64_t)v[PAWL__RB_ENDED_SEQ].integer, v[PAWL__RB_TARGET].integer};
        return PAWL_OK;
}

/* Is it of that run, and where in the log is its target? */
static pawl_status look(bool *of_run, pawl__undone_range *range, pawl_log *log, pawl__state *state,
        pawl_text run_id, pawl__arena *arena, pawl_error *err)
{
        pawl__row target = {.v[PAWL__WCP_N].integer = range->target};
        pawl_event event;
        pawl_status status = pawl__log_event(&event, arena, log, range->until);

        if (status)
                return pawl__log_failed(log, status, err);
        *of_run = pawl__text_eq(event.run_id, run_id);
        if (!*of_run)
                return PAWL_OK;
        status = pawl__state_get(state, PAWL__WORKSPACE, &target, arena, err);
        range->since = status ? 0 : (uint64_t)target.v[PAWL__WCP_SEQ].integer;
        return status;
}

pawl_status pawl__undone_read(pawl__undone *out, pawl_log *log, pawl__state *state,
        pawl_text run_id, uint64_t at, pawl__arena *arena, pawl_error *err)
{
        collecting c = {.arena = arena};
        pawl__undone found = {NULL, 0};
        pawl_status status = pawl__state_each(state, PAWL__ROLLBACKS, collect, &c, err);

        if (!status && !(found.items = pawl__arena_array(arena, c.n, sizeof *found.items)))
                status = pawl__nomem(err);
        while (c.n-- && !status) {
                bool of_run = false;
                if (c.items[c.n].until > at)
                        continue;
                status = look(&of_run, &c.items[c.n], log, state, run_id, arena, err);
                if (status || !of_run)
                        continue;
                found.items[found.n++] = c.items[c.n];
                at = c.items[c.n].since;
        }
        if (!status)
                *out = found;
        return status;
}

bool pawl__is_undone(const pawl__undone *undone, uint64_t seq)
{
        for (size_t i = 0; i < undone->n; i++)
                if (seq > undone->items[i].since && seq < undone->items[i].until)
                        return true;
        return false;
}
