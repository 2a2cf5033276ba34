#include "mission/baseline.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/map.h"
#include "mission/graph.h"
#include "mission/inputs.h"
#include <stdio.h>

/* ---- What is known of a step ---------------------------------------------------------------- */

struct known {
        pawl_text id;
        char inputs[65];  /* their hash; "": not known */
        pawl_text run;    /* or what it asks; canonical; absent: not known */
        pawl_text how[4]; /* likewise the mission's env, its own, its cwd, and when it runs */
        pawl__node needs; /* in the document; PAWL__NO_NODE: the step before */
};

static pawl_status hash_inputs(char out[65], const pawl__json_tree *tree, pawl__node inputs,
        bool hashed, pawl__hasher *hasher, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_OK;

        if (hashed && inputs != PAWL__NO_NODE) {
                snprintf(out, 65, "%.*s", PAWL__FMT(pawl__json_at(tree, inputs)->value));
                return PAWL_OK;
        }
        if (inputs == PAWL__NO_NODE)
                pawl__json_raw(&w, pawl__text("{}"));
        else
                pawl__json_node_value(&w, pawl__json_at(tree, inputs));
        if (pawl__json_end_writer(&w))
                status = pawl__nomem(err);
        else
                status = pawl__sha256(hasher, hash, w.buf.data, w.buf.len, err);
        pawl__json_writer_free(&w);
        if (!status)
                pawl__hex(out, hash, PAWL__HASH_LEN);
        return status;
}

static pawl_text value_of(const pawl__json_tree *tree, pawl__node object, const char *name)
{
        const pawl__node node = pawl__json_get(tree, object, name);

        return node == PAWL__NO_NODE ? (pawl_text){NULL, 0} : pawl__json_at(tree, node)->value;
}

/* The steps of a document; their texts are the tree's. */
static pawl_status read_document(struct known **out, size_t *n, pawl__arena *arena,
        pawl__json_tree *tree, pawl_text text, pawl__hasher *hasher, pawl_error *err)
{
        pawl_status status = pawl__json_tree_read(tree, text.data, text.len, err);
        pawl__node steps = status ? PAWL__NO_NODE : pawl__json_get(tree, 0, "steps");
        pawl__node store = status ? PAWL__NO_NODE : pawl__json_get(tree, 0, "store_inputs");

        if (status == PAWL_ENOMEM)
                return status;
        if (steps == PAWL__NO_NODE || pawl__json_at(tree, steps)->type != PAWL__JSON_ARRAY)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "the mission that the run began with is none; run `eventlog verify`");
        bool hashed =
                store != PAWL__NO_NODE && pawl__json_at(tree, store)->type == PAWL__JSON_FALSE;
        *n = 0;
        *out = pawl__arena_array(arena, pawl__json_at(tree, steps)->count, sizeof **out);
        if (!*out)
                return pawl__nomem(err);
        for (pawl__node s = pawl__json_first(tree, steps); s != PAWL__NO_NODE && !status;
                s = pawl__json_after(tree, steps, s)) {
                pawl__node run = pawl__json_get(tree, s, "run");
                if (run == PAWL__NO_NODE)
                        run = pawl__json_get(tree, s, "ask");
                struct known *step = &(*out)[(*n)++];
                step->id = pawl__json_get_text(tree, s, "id");
                if (run != PAWL__NO_NODE)
                        step->run = pawl__json_at(tree, run)->value;
                step->how[0] = value_of(tree, 0, "env");
                step->how[1] = value_of(tree, s, "env");
                step->how[2] = value_of(tree, s, "cwd");
                step->how[3] = value_of(tree, s, "when");
                step->needs = pawl__json_get(tree, s, "needs");
                status = hash_inputs(
                        step->inputs, tree, pawl__json_get(tree, s, "inputs"), hashed, hasher, err);
        }
        return status;
}

static bool takes_from_others(const pawl_mission *mission, const pawl__step *step)
{
        const pawl__json_tree *tree = &mission->document.tree;

        if (step->inputs == PAWL__NO_NODE)
                return false;
        for (pawl__node n = step->inputs; n < pawl__json_at(tree, step->inputs)->next; n++)
                if (pawl__from_of(tree, n).data)
                        return true;
        return false;
}

/* The same of a run that no document was kept of. */
static pawl_status read_rows(struct known **out, size_t *n, pawl__arena *arena,
        const pawl_mission *mission, const pawl__row *rows, size_t n_rows, pawl_error *err)
{
        *n = 0;
        *out = pawl__arena_array(arena, n_rows, sizeof **out);
        if (!*out)
                return pawl__nomem(err);
        for (size_t i = 0; i < n_rows; i++) {
                const pawl__value *v = rows[i].v;
                struct known *step = &(*out)[*n];
                if (pawl__text_is(v[PAWL__STEP_STATUS].text, "skipped"))
                        continue;
                step->id = v[PAWL__STEP_ID].text;
                step->needs = PAWL__NO_NODE;
                size_t at = pawl__mission_find(mission, step->id);
                if (at != SIZE_MAX && v[PAWL__STEP_INPUT_HASH].text.data &&
                        !takes_from_others(mission, &mission->steps[at]))
                        snprintf(step->inputs, sizeof step->inputs, "%.*s",
                                PAWL__FMT(v[PAWL__STEP_INPUT_HASH].text));
                (*n)++;
        }
        return PAWL_OK;
}

/* ---- Comparing ------------------------------------------------------------------------------ */

typedef struct comparing {
        pawl__mission_changes *out;
        pawl__arena *arena;
        const pawl_mission *mission;
        const bool *outdated; /* one a step of the mission; NULL: not asked */
        const pawl__row *rows;
        struct known *was, *is;
        size_t n_was, n_is;
        pawl__map was_at, is_at, row_at; /* by id */
        const pawl__json_tree *was_tree;
        pawl_error *err;
} comparing;

static pawl_status number_ids(comparing *c, size_t n_rows)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < c->n_was && !status; i++)
                status = pawl__map_put(&c->was_at, c->was[i].id, (uint32_t)i);
        for (size_t i = 0; i < c->n_is && !status; i++)
                status = pawl__map_put(&c->is_at, c->is[i].id, (uint32_t)i);
        for (size_t i = 0; i < n_rows && !status; i++)
                status = pawl__map_put(&c->row_at, c->rows[i].v[PAWL__STEP_ID].text, (uint32_t)i);
        return status ? pawl__nomem(c->err) : PAWL_OK;
}

/* The steps that both have and that keep their order are the longest rising sequence of their
 * former places; the others were moved. */
static pawl_status find_moved(bool *moved, const comparing *c)
{
        uint32_t *end = pawl__arena_array(c->arena, c->n_is + 1, sizeof *end);
        uint32_t *before = pawl__arena_array(c->arena, c->n_is, sizeof *before);
        uint32_t *place = pawl__arena_array(c->arena, c->n_is, sizeof *place);
        size_t longest = 0;

        if (!end || !before || !place)
                return pawl__nomem(c->err);
        for (size_t i = 0; i < c->n_is; i++) {
                size_t low = 0, high = longest;
                place[i] = pawl__map_get(&c->was_at, c->is[i].id);
                if (place[i] == PAWL__MAP_NONE)
                        continue;
                moved[i] = true;
                while (low < high) {
                        size_t middle = low + (high - low) / 2;
                        if (place[end[middle]] < place[i])
                                low = middle + 1;
                        else
                                high = middle;
                }
                before[i] = low ? end[low - 1] : UINT32_MAX;
                end[low] = (uint32_t)i;
                if (low == longest)
                        longest++;
        }
        for (uint32_t i = longest ? end[longest - 1] : UINT32_MAX; i != UINT32_MAX; i = before[i])
                moved[i] = false;
        return PAWL_OK;
}

/* What each step of the former mission needs. */
static pawl_status needs_then(pawl__needs *out, const comparing *c)
{
        for (size_t i = 0; i < c->n_was; i++) {
                const pawl__node list = c->was[i].needs;
                const size_t n =
                        list == PAWL__NO_NODE ? i > 0 : pawl__json_at(c->was_tree, list)->count;
                uint32_t *items = out[i].items = pawl__arena_array(c->arena, n, sizeof *items);
                if (!items)
                        return pawl__nomem(c->err);
                if (list == PAWL__NO_NODE && n)
                        items[out[i].n++] = (uint32_t)i - 1;
                if (list == PAWL__NO_NODE)
                        continue;
                for (pawl__node m = pawl__json_first(c->was_tree, list); m != PAWL__NO_NODE;
                        m = pawl__json_after(c->was_tree, list, m)) {
                        items[out[i].n] =
                                pawl__map_get(&c->was_at, pawl__json_at(c->was_tree, m)->value);
                        out[i].n += items[out[i].n] != PAWL__MAP_NONE;
                }
        }
        return PAWL_OK;
}

static pawl_status find_moved_in_graph(bool *moved, const comparing *c)
{
        pawl__needs *then = pawl__arena_array(c->arena, c->n_was, sizeof *then);
        uint32_t *was_at = pawl__arena_array(c->arena, c->n_is, sizeof *was_at);
        const pawl__graph_side is = {c->mission->needs, c->n_is}, was = {then, c->n_was};
        pawl_status status = then && was_at ? needs_then(then, c) : pawl__nomem(c->err);

        for (size_t i = 0; i < c->n_is && !status; i++)
                was_at[i] = pawl__map_get(&c->was_at, c->is[i].id);
        return status ? status : pawl__graph_moved(moved, &is, &was, was_at, c->arena, c->err);
}

static bool is_graph(const comparing *c)
{
        bool graph = c->mission->graph;

        for (size_t i = 0; i < c->n_was && !graph; i++)
                graph = c->was[i].needs != PAWL__NO_NODE;
        return graph;
}

static bool stands_at_checkpoint(const comparing *c, pawl_text id)
{
        uint32_t at = pawl__map_get(&c->row_at, id);

        return at != PAWL__MAP_NONE && c->rows[at].v[PAWL__STEP_TOKEN].text.data &&
               !pawl__text_is(c->rows[at].v[PAWL__STEP_STATUS].text, "completed");
}

static pawl_status add(comparing *c, pawl_text id, const char *change)
{
        bool ok = true;
        pawl_text copy = pawl__arena_text(c->arena, id, &ok);

        if (!ok)
                return pawl__nomem(c->err);
        c->out->items[c->out->n++] = (pawl_mission_change){copy.data, change};
        return PAWL_OK;
}

static pawl_status compare_step(comparing *c, size_t index, bool moved)
{
        const struct known *is = &c->is[index];
        uint32_t at = pawl__map_get(&c->was_at, is->id);
        pawl_status status = PAWL_OK;

        if (at == PAWL__MAP_NONE) {
                c->out->rerun[index] = true;
                c->out->at_resume = false;
                return add(c, is->id, "added");
        }
        const struct known *was = &c->was[at];
        bool inputs = was->inputs[0] && strcmp(was->inputs, is->inputs) != 0;
        bool run = was->run.data && !pawl__text_eq(was->run, is->run);
        for (size_t i = 0; was->run.data && i < 4; i++)
                run = run || !pawl__text_eq(was->how[i], is->how[i]);
        const bool outdated = c->outdated && c->outdated[index];
        c->out->rerun[index] = inputs || run || outdated;
        if (moved || run || outdated || (inputs && !stands_at_checkpoint(c, is->id)))
                c->out->at_resume = false;
        if (moved)
                status = add(c, is->id, "moved");
        if (!status && inputs)
                status = add(c, is->id, "inputs");
        if (!status && run)
                status = add(c, is->id, "run");
        if (!status && outdated)
                status = add(c, is->id, "glossary");
        return status;
}

/* Does what this node of a step takes from run again? */
static bool takes_rerun(const comparing *c, pawl__node root)
{
        const pawl__json_tree *tree = &c->mission->document.tree;
        const pawl__node end = root == PAWL__NO_NODE ? 0 : pawl__json_at(tree, root)->next;

        for (pawl__node n = root; n < end; n++) {
                pawl_text from = pawl__from_of(tree, n), id, pointer;
                if (!from.data)
                        continue;
                pawl__from_split(&id, &pointer, from);
                const uint32_t at = pawl__map_get(&c->is_at, id);
                if (at != PAWL__MAP_NONE && c->out->rerun[at])
                        return true;
        }
        return false;
}

/* What takes from such a step, and what says that it needs it: a step takes from what comes before
 * it alone, so that one pass finds them all. */
static void spread(comparing *c)
{
        for (size_t i = 0; i < c->n_is; i++) {
                const uint32_t at = c->mission->order[i];
                const pawl__step *step = &c->mission->steps[at];
                const pawl__needs *needs = &c->mission->needs[at];
                bool *rerun = &c->out->rerun[at];
                *rerun = *rerun || takes_rerun(c, step->inputs) || takes_rerun(c, step->when);
                for (size_t k = 0; k < needs->n && step->needs_at != PAWL__NO_NODE; k++)
                        *rerun = *rerun || c->out->rerun[needs->items[k]];
        }
}

static pawl_status compare(comparing *c, size_t n_rows)
{
        pawl_status status = number_ids(c, n_rows);
        bool *moved = pawl__arena_array(c->arena, c->n_is, sizeof *moved);

        c->out->rerun = pawl__arena_array(c->arena, c->n_is, sizeof *c->out->rerun);
        c->out->items = pawl__arena_array(
                c->arena, 4 * c->n_is + c->n_was, sizeof *c->out->items); /* at most */
        if (!status && (!moved || !c->out->rerun || !c->out->items))
                return pawl__nomem(c->err);
        if (!status)
                status = is_graph(c) ? find_moved_in_graph(moved, c) : find_moved(moved, c);
        c->out->at_resume = true;
        for (size_t i = 0; i < c->n_is && !status; i++)
                status = compare_step(c, i, moved[i]);
        for (size_t i = 0; i < c->n_was && !status; i++) {
                if (pawl__map_get(&c->is_at, c->was[i].id) != PAWL__MAP_NONE)
                        continue;
                c->out->at_resume = false;
                status = add(c, c->was[i].id, "removed");
        }
        if (!status)
                spread(c);
        return status;
}

pawl_status pawl__mission_compare(pawl__mission_changes *out, pawl__arena *arena,
        const pawl_mission *mission, pawl_text recorded, const bool *outdated,
        const pawl__row *rows, size_t n_rows, pawl__hasher *hasher, pawl_error *err)
{
        pawl__mission_changes found = {NULL, 0, NULL, true};
        pawl__json_tree was = PAWL__JSON_TREE_INIT, is = PAWL__JSON_TREE_INIT;
        comparing c = {.out = &found,
                .arena = arena,
                .mission = mission,
                .outdated = outdated,
                .rows = rows,
                .was_tree = &was,
                .err = err};
        pawl__buf document = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = pawl__mission_document(&document, hash, mission, hasher, err);

        if (!status)
                status = read_document(
                        &c.is, &c.n_is, arena, &is, pawl__buf_text(&document), hasher, err);
        if (!status)
                status = recorded.data
                                 ? read_document(
                                           &c.was, &c.n_was, arena, &was, recorded, hasher, err)
                                 : read_rows(&c.was, &c.n_was, arena, mission, rows, n_rows, err);
        if (!status)
                status = compare(&c, n_rows);
        if (!status)
                *out = found;
        pawl__map_free(&c.was_at);
        pawl__map_free(&c.is_at);
        pawl__map_free(&c.row_at);
        pawl__json_tree_free(&was);
        pawl__json_tree_free(&is);
        pawl__buf_free(&document);
        return status;
}
