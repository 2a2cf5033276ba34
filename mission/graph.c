#include "mission/graph.h"
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The keys ------------------------------------------------------------------------------- */

pawl_status pawl__needs_read(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;

        for (pawl__node n = pawl__json_first(tree, node); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, node, n))
                if (pawl__value_at(place, n)->type != PAWL__JSON_STRING)
                        return pawl__field_fail(
                                place, n, "holds what is no step's id; write [STEP, STEP, ...]");
        loader->step->needs_at = node;
        loader->mission->graph = true;
        return PAWL_OK;
}

pawl_status pawl__when_read(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        const pawl__node from = pawl__json_get(tree, node, "$from");

        if (from == PAWL__NO_NODE || pawl__value_at(place, node)->count != 1)
                return pawl__field_fail(place, node,
                        "must be the output of a step or a member of it; write {$from: STEP} or "
                        "{$from: \"STEP#/POINTER\"}");
        loader->step->when = node;
        return PAWL_OK;
}

pawl_status pawl__parallel_read(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        int64_t n;

        if (!pawl__json_int(pawl__value_at(place, node), &n) || n < 1 || n > PAWL__PARALLEL_MOST)
                return pawl__field_fail(place, node,
                        "%.*s is out of range; write a whole number from 1 to %d",
                        PAWL__FMT(pawl__value_at(place, node)->value), PAWL__PARALLEL_MOST);
        loader->mission->parallel = (unsigned)n;
        return PAWL_OK;
}

/* ---- What each step needs ------------------------------------------------------------------- */

/* "steps[2].needs[0]: ..." at the need of that number. */
static pawl_status PAWL_PRINTF(5, 6) refuse(const pawl_mission *mission, size_t step, size_t need,
        pawl_error *err, const char *format, ...)
{
        const pawl__json_tree *tree = &mission->document.tree;
        pawl__node at = pawl__json_first(tree, mission->steps[step].needs_at);
        char what[PAWL_ERROR_MAX];
        va_list args;

        for (size_t i = 0; i < need; i++)
                at = pawl__json_after(tree, mission->steps[step].needs_at, at);
        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        return pawl__document_fail(
                &mission->document, at, err, "steps[%zu].needs[%zu]: %s", step, need, what);
}

static pawl_status read_needs(
        pawl_mission *mission, size_t index, const pawl__map *ids, pawl_error *err)
{
        const pawl__json_tree *tree = &mission->document.tree;
        const pawl__node list = mission->steps[index].needs_at;
        pawl__needs *needs = &mission->needs[index];

        needs->items = pawl__arena_array(
                &mission->arena, pawl__json_at(tree, list)->count, sizeof *needs->items);
        if (!needs->items)
                return pawl__nomem(err);
        for (pawl__node n = pawl__json_first(tree, list); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, list, n)) {
                const pawl_text id = pawl__json_at(tree, n)->value;
                const uint32_t to = pawl__map_get(ids, id);
                if (to == PAWL__MAP_NONE)
                        return refuse(mission, index, needs->n, err,
                                "no step is called \"%.*s\"; name one of the mission",
                                PAWL__FMT(id));
                if (to == index)
                        return refuse(mission, index, needs->n, err,
                                "is the step \"%.*s\" itself; name others", PAWL__FMT(id));
                for (size_t i = 0; i < needs->n; i++)
                        if (needs->items[i] == to)
                                return refuse(mission, index, needs->n, err,
                                        "names \"%.*s\" again; keep one of the two", PAWL__FMT(id));
                needs->items[needs->n++] = to;
        }
        return PAWL_OK;
}

/* Left out, it is the step before. */
static pawl_status fill_needs(pawl_mission *mission, const pawl__map *ids, pawl_error *err)
{
        const size_t n = mission->n_steps;
        uint32_t *before = pawl__arena_array(&mission->arena, n, sizeof *before);
        pawl_status status = PAWL_OK;

        mission->needs = pawl__arena_array(&mission->arena, n, sizeof *mission->needs);
        if (!before || !mission->needs)
                return pawl__nomem(err);
        for (size_t i = 0; i < n && !status; i++) {
                if (mission->steps[i].needs_at != PAWL__NO_NODE) {
                        status = read_needs(mission, i, ids, err);
                } else if (i > 0) {
                        before[i] = (uint32_t)i - 1;
                        mission->needs[i] = (pawl__needs){&before[i], 1};
                }
        }
        return status;
}

/* ---- The order ------------------------------------------------------------------------------ */

/* A walk from a step to what it needs, in depth. */
struct walk {
        pawl_mission *mission;
        uint32_t *path, *next; /* the steps on the way, and which of its needs each is at */
        size_t depth;
        enum { UNSEEN, ON_PATH, DONE } * seen;
        pawl_error *err;
};

/* The last step of the path needs @p to, which stands on it. One of the steps between them has
 * said so: those that say nothing only need what is before them. */
static pawl_status refuse_cycle(const struct walk *w, uint32_t to)
{
        const pawl_mission *mission = w->mission;
        size_t at = 0;

        while (w->path[at] != to)
                at++;
        while (mission->steps[w->path[at]].needs_at == PAWL__NO_NODE)
                at++;
        const uint32_t step = w->path[at];
        const uint32_t need = mission->needs[step].items[w->next[at] - 1];
        return refuse(mission, step, w->next[at] - 1, w->err,
                "step \"%.*s\" needs \"%.*s\" in turn, itself or by way of others (where needs is "
                "left out, the step before); take one of them out",
                PAWL__FMT(mission->steps[need].id), PAWL__FMT(mission->steps[step].id));
}

static void enter(struct walk *w, uint32_t step)
{
        w->seen[step] = ON_PATH;
        w->path[w->depth] = step;
        w->next[w->depth++] = 0;
}

static pawl_status order_from(struct walk *w, uint32_t first)
{
        if (w->seen[first] == DONE)
                return PAWL_OK;
        enter(w, first);
        while (w->depth) {
                const uint32_t at = w->path[w->depth - 1];
                const pawl__needs *needs = &w->mission->needs[at];
                if (w->next[w->depth - 1] == needs->n) {
                        w->seen[at] = DONE;
                        w->mission->order[w->mission->n_ordered++] = at;
                        w->depth--;
                        continue;
                }
                const uint32_t need = needs->items[w->next[w->depth - 1]++];
                if (w->seen[need] == ON_PATH)
                        return refuse_cycle(w, need);
                if (w->seen[need] == UNSEEN)
                        enter(w, need);
        }
        return PAWL_OK;
}

pawl_status pawl__graph_make(pawl_mission *mission, const pawl__map *ids, pawl_error *err)
{
        const size_t n = mission->n_steps;
        struct walk w = {.mission = mission,
                .path = calloc(n, sizeof *w.path),
                .next = calloc(n, sizeof *w.next),
                .seen = calloc(n, sizeof *w.seen),
                .err = err};
        pawl_status status = fill_needs(mission, ids, err);

        mission->order = pawl__arena_array(&mission->arena, n, sizeof *mission->order);
        if (!status && (!mission->order || !w.path || !w.next || !w.seen))
                status = pawl__nomem(err);
        for (size_t i = 0; i < n && !status; i++)
                status = order_from(&w, (uint32_t)i);
        free(w.path);
        free(w.next);
        free(w.seen);
        return status;
}

/* ---- Asking it ------------------------------------------------------------------------------ */

void pawl__graph_write(pawl__json_writer *w, const pawl_mission *mission, size_t step)
{
        pawl__json_name(w, "needs");
        pawl__json_open_array(w);
        for (size_t i = 0; i < mission->needs[step].n; i++)
                pawl__json_text(w, mission->steps[mission->needs[step].items[i]].id);
        pawl__json_close_array(w);
}

void pawl__graph_needed(bool *needed, uint32_t *stack, const pawl__needs *of, size_t step)
{
        size_t left = 0;

        stack[left++] = (uint32_t)step;
        while (left) {
                const pawl__needs *needs = &of[stack[--left]];
                for (size_t i = 0; i < needs->n; i++)
                        if (!needed[needs->items[i]]) {
                                needed[needs->items[i]] = true;
                                stack[left++] = needs->items[i];
                        }
        }
}

pawl_status pawl__graph_moved(bool *moved, const pawl__graph_side *is, const pawl__graph_side *was,
        const uint32_t *was_at, pawl__arena *arena, pawl_error *err)
{
        bool *needs = pawl__arena_array(arena, is->n, sizeof *needs);
        bool *needed = pawl__arena_array(arena, was->n, sizeof *needed);
        uint32_t *stack = pawl__arena_array(arena, is->n + was->n, sizeof *stack);

        if (!needs || !needed || !stack)
                return pawl__nomem(err);
        for (size_t i = 0; i < is->n; i++) {
                if (was_at[i] == PAWL__MAP_NONE)
                        continue;
                memset(needs, 0, is->n * sizeof *needs);
                memset(needed, 0, was->n * sizeof *needed);
                pawl__graph_needed(needs, stack, is->needs, i);
                pawl__graph_needed(needed, stack, was->needs, was_at[i]);
                for (size_t k = 0; k < is->n && !moved[i]; k++)
                        moved[i] = was_at[k] != PAWL__MAP_NONE && needs[k] != needed[was_at[k]];
        }
        return PAWL_OK;
}

pawl_status pawl__graph_needs(
        bool *out, const pawl_mission *mission, size_t step, size_t other, pawl_error *err)
{
        if (!mission->graph) {
                *out = other < step;
                return PAWL_OK;
        }
        bool *needed = calloc(mission->n_steps, sizeof *needed);
        uint32_t *stack = calloc(mission->n_steps, sizeof *stack);
        const pawl_status status = needed && stack ? PAWL_OK : pawl__nomem(err);
        if (!status) {
                pawl__graph_needed(needed, stack, mission->needs, step);
                *out = needed[other];
        }
        free(needed);
        free(stack);
        return status;
}
