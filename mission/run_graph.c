/* What the steps of a run need, as the log has it. */
#include "base/error.h"
#include "mission/graph.h"

typedef struct reading {
        pawl__json_tree tree;
        pawl__map at; /* of each of the run's steps */
        pawl__needs *out;
        pawl_text *when;
        pawl__arena *arena;
        bool graph;
} reading;

/* The mission's document; no text: the log has none. */
static pawl_status read_document(reading *r, pawl_log *log, const pawl__row *run, pawl_error *err)
{
        const pawl_text hash = run->v[PAWL__RUN_MISSION_HASH].text;
        unsigned char bytes[PAWL__HASH_LEN];
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = PAWL_ENOTFOUND;

        if (hash.data && pawl__unhex32(bytes, hash))
                status = pawl__log_blob(&text, log, bytes);
        if (!status) {
                const pawl_text copy = pawl__arena_copy(r->arena, pawl__buf_text(&text));
                status = copy.data ? pawl__json_tree_read(&r->tree, copy.data, copy.len, err)
                                   : pawl__nomem(err);
        } else if (status != PAWL_ENOTFOUND) {
                status = pawl__log_failed(log, status, err);
        }
        pawl__buf_free(&text);
        return status;
}

static pawl_status take(reading *r, uint32_t step, pawl__node list, pawl_text before)
{
        const size_t n = list == PAWL__NO_NODE ? 1 : pawl__json_at(&r->tree, list)->count;
        pawl__needs *needs = &r->out[step];

        needs->items = pawl__arena_array(r->arena, n, sizeof *needs->items);
        if (!needs->items)
                return PAWL_ENOMEM;
        if (list == PAWL__NO_NODE) {
                needs->items[0] = pawl__map_get(&r->at, before);
                needs->n = before.data && needs->items[0] != PAWL__MAP_NONE;
                return PAWL_OK;
        }
        r->graph = true;
        for (pawl__node m = pawl__json_first(&r->tree, list); m != PAWL__NO_NODE;
                m = pawl__json_after(&r->tree, list, m)) {
                needs->items[needs->n] = pawl__map_get(&r->at, pawl__json_at(&r->tree, m)->value);
                needs->n += needs->items[needs->n] != PAWL__MAP_NONE;
        }
        return PAWL_OK;
}

static pawl_status take_all(reading *r)
{
        const pawl__node steps = pawl__json_get(&r->tree, 0, "steps");
        pawl_text before = {NULL, 0};
        pawl_status status = PAWL_OK;

        if (steps == PAWL__NO_NODE)
                return PAWL_OK;
        for (pawl__node s = pawl__json_first(&r->tree, steps); s != PAWL__NO_NODE && !status;
                s = pawl__json_after(&r->tree, steps, s)) {
                const pawl_text id = pawl__json_get_text(&r->tree, s, "id");
                const uint32_t at = pawl__map_get(&r->at, id);
                if (at != PAWL__MAP_NONE) {
                        const pawl__node when = pawl__json_get(&r->tree, s, "when");
                        if (when != PAWL__NO_NODE)
                                r->when[at] = pawl__json_get_text(&r->tree, when, "$from");
                        status = take(r, at, pawl__json_get(&r->tree, s, "needs"), before);
                }
                before = id;
        }
        return status;
}

pawl_status pawl__run_needs(pawl__needs **out, pawl_text **when, bool *graph, pawl_log *log,
        const pawl__row *run, const pawl__row *steps, size_t n, pawl__arena *arena, pawl_error *err)
{
        reading r = {.tree = PAWL__JSON_TREE_INIT, .at = PAWL__MAP_INIT, .arena = arena};
        pawl_status status = PAWL_OK;

        r.out = pawl__arena_array(arena, n, sizeof *r.out);
        r.when = pawl__arena_array(arena, n, sizeof *r.when);
        if (!r.out || !r.when)
                return pawl__nomem(err);
        for (size_t i = 0; i < n && !status; i++)
                if (pawl__map_put(&r.at, steps[i].v[PAWL__STEP_ID].text, (uint32_t)i))
                        status = pawl__nomem(err);
        if (!status)
                status = read_document(&r, log, run, err);
        if (!status && take_all(&r))
                status = pawl__nomem(err);
        pawl__json_tree_free(&r.tree);
        pawl__map_free(&r.at);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        *out = r.out;
        *when = r.when;
        *graph = r.graph;
        return PAWL_OK;
}
