#include "workspace/store/history.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "events/types.h"
#include <stdlib.h>

/* ---- Writing --------------------------------------------------------------------------------- */

/* A step as the last change said; no hashes: not completed. */
struct known {
        char input[65], output[65];
};

struct recording {
        pawl__json_writer w;
        pawl__arena arena; /* of ids */
        pawl__map steps;   /* by id, into known */
        struct known *known;
        size_t n, cap;
        pawl_text mission_id, run_id;
        uint64_t seq;
};

static void copy_hash(char out[65], pawl_text hash)
{
        const size_t len = hash.len < 64 ? hash.len : 64;

        if (len)
                memcpy(out, hash.data, len);
        out[len] = '\0';
}

static pawl_status find_step(uint32_t *at, struct recording *r, pawl_text id, pawl_error *err)
{
        *at = pawl__map_get(&r->steps, id);
        if (*at != PAWL__MAP_NONE)
                return PAWL_OK;
        if (pawl__grow(&r->known, &r->cap, r->n + 1, sizeof *r->known) ||
                pawl__map_put_copy(&r->steps, &r->arena, id, (uint32_t)r->n))
                return pawl__nomem(err);
        r->known[r->n] = (struct known){"", ""};
        *at = (uint32_t)r->n++;
        return PAWL_OK;
}

static pawl_status note_step(const pawl__row *step, void *user, pawl_error *err)
{
        struct recording *r = user;
        const pawl__value *v = step->v;
        struct known now = {"", ""};
        uint32_t at = 0;

        if (!pawl__text_eq(v[PAWL__STEP_RUN].text, r->run_id))
                return PAWL_OK;
        if (pawl__text_is(v[PAWL__STEP_STATUS].text, "completed")) {
                copy_hash(now.input, v[PAWL__STEP_INPUT_HASH].text);
                copy_hash(now.output, v[PAWL__STEP_OUTPUT_HASH].text);
        }
        pawl_status status = find_step(&at, r, v[PAWL__STEP_ID].text, err);
        if (status)
                return status;
        struct known *known = &r->known[at];
        if (strcmp(known->input, now.input) == 0 && strcmp(known->output, now.output) == 0)
                return PAWL_OK;
        *known = now;
        pawl__json_open_object(&r->w);
        pawl__json_member_integer(&r->w, "seq", (int64_t)r->seq);
        pawl__json_member_text(&r->w, "step_id", v[PAWL__STEP_ID].text);
        if (*now.output) {
                pawl__json_member_string(&r->w, "input_hash", now.input);
                pawl__json_member_string(&r->w, "output_hash", now.output);
        }
        pawl__json_close_object(&r->w);
        return PAWL_OK;
}

/* Of an event that is no step's: may it change steps all the same, as a rollback does? */
static bool changes_any(const pawl_event *event)
{
        switch (pawl__event_type_of(event->type)) {
        case PAWL__WORKSPACE_CHECKPOINTED:
        case PAWL__SESSION_STARTED:
        case PAWL__SESSION_UPDATED:
        case PAWL__SESSION_CHECKPOINTED:
        case PAWL__SESSION_NOTED:
        case PAWL__SESSION_ENDED:
                return false;
        default:
                return true;
        }
}

static pawl_status note_event(
        const pawl_event *event, pawl__store *store, void *user, pawl_error *err)
{
        struct recording *r = user;
        pawl__row step = {.v[PAWL__STEP_RUN].text = r->run_id};

        r->seq = event->seq;
        if (!event->step_id.data)
                return changes_any(event) ? store->each(store, PAWL__STEPS, note_step, r, err)
                                          : PAWL_OK;
        step.v[PAWL__STEP_ID].text = event->step_id;
        pawl_status status = store->get(store, PAWL__STEPS, &step, err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        return note_step(&step, r, err);
}

pawl_status pawl__run_history(
        pawl__buf *out, pawl__state *state, pawl_text run_id, uint64_t until, pawl_error *err)
{
        struct recording r = {.w = PAWL__JSON_WRITER_INIT, .run_id = run_id};
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        pawl__store *store = NULL;
        pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, &r.arena, err);

        if (!status)
                status = pawl__store_memory(&store, err);
        pawl__json_open_object(&r.w);
        pawl__json_name(&r.w, "changes");
        pawl__json_open_array(&r.w);
        if (!status)
                status = pawl__state_fold_run(store, state, run_id, until, note_event, &r, err);
        pawl__json_close_array(&r.w);
        pawl__json_member_text(&r.w, "mission_id", run.v[PAWL__RUN_MISSION].text);
        pawl__json_member_text(&r.w, "run_id", run_id);
        pawl__json_close_object(&r.w);
        if (!status)
                status = pawl__document_end(out, &r.w, err);
        else
                pawl__json_writer_free(&r.w);
        if (store)
                store->free(store);
        pawl__map_free(&r.steps);
        pawl__arena_free(&r.arena);
        free(r.known);
        return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static pawl_status damaged(pawl_error *err)
{
        return pawl__fail(err, PAWL_EDAMAGED,
                "history of a run: is not of its form; import another copy of the archive");
}

static bool is_text(const pawl__json_tree *tree, pawl__node object, const char *name)
{
        const pawl_text text = pawl__json_get_text(tree, object, name);

        return text.data && !memchr(text.data, '\0', text.len);
}

static bool is_hash(const pawl__json_tree *tree, pawl__node object, const char *name)
{
        unsigned char hash[32];

        return pawl__unhex32(hash, pawl__json_get_text(tree, object, name));
}

/* A change: its seq, not before that of the one before; a step; both hashes, or none. */
static bool read_change(int64_t *seq, const pawl__json_tree *tree, pawl__node at)
{
        const pawl__node number = pawl__json_get(tree, at, "seq");
        const bool any = pawl__json_get(tree, at, "input_hash") != PAWL__NO_NODE ||
                         pawl__json_get(tree, at, "output_hash") != PAWL__NO_NODE;
        const int64_t before = *seq;

        return pawl__json_at(tree, at)->type == PAWL__JSON_OBJECT && number != PAWL__NO_NODE &&
               pawl__json_at(tree, number)->type == PAWL__JSON_NUMBER &&
               pawl__json_int(pawl__json_at(tree, number), seq) && *seq >= before &&
               is_text(tree, at, "step_id") &&
               (!any || (is_hash(tree, at, "input_hash") && is_hash(tree, at, "output_hash")));
}

struct reading {
        pawl__map steps;  /* by id, into last */
        pawl__node *last; /* the change that holds, in the order in which steps were met */
        size_t n, cap;
};

static pawl_status take_changes(struct reading *r, const pawl__json_tree *tree, pawl__node list,
        uint64_t until, pawl_error *err)
{
        int64_t seq = 0;

        for (pawl__node at = pawl__json_first(tree, list); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, list, at)) {
                if (!read_change(&seq, tree, at))
                        return damaged(err);
                const pawl_text id = pawl__json_get_text(tree, at, "step_id");
                uint32_t known = pawl__map_get(&r->steps, id);
                if ((uint64_t)seq > until)
                        continue;
                if (known == PAWL__MAP_NONE) {
                        known = (uint32_t)r->n;
                        if (pawl__grow(&r->last, &r->cap, r->n + 1, sizeof *r->last) ||
                                pawl__map_put(&r->steps, id, known))
                                return pawl__nomem(err);
                        r->n++;
                }
                /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): pawl__grow() has set it */
                r->last[known] = at;
        }
        return PAWL_OK;
}

static pawl_status write_state(
        pawl__buf *out, const struct reading *r, const pawl__json_tree *tree, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__run_state_open(&w, pawl__json_get_text(tree, 0, "mission_id"),
                pawl__json_get_text(tree, 0, "run_id"));
        for (size_t i = 0; i < r->n; i++) {
                const pawl_text output = pawl__json_get_text(tree, r->last[i], "output_hash");
                if (output.data)
                        pawl__run_state_step(&w, pawl__json_get_text(tree, r->last[i], "step_id"),
                                pawl__json_get_text(tree, r->last[i], "input_hash"), output);
        }
        return pawl__run_state_close(out, &w, err);
}

pawl_status pawl__history_state(pawl__buf *out, pawl_text history, uint64_t seq, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        struct reading r = {.n = 0};
        pawl__node list = PAWL__NO_NODE;
        pawl_status status = pawl__json_tree_read(&tree, history.data, history.len, NULL);

        if (status == PAWL_ENOMEM)
                status = pawl__nomem(err);
        else if (status || pawl__json_at(&tree, 0)->type != PAWL__JSON_OBJECT ||
                 !is_text(&tree, 0, "run_id") ||
                 (list = pawl__json_get(&tree, 0, "changes")) == PAWL__NO_NODE ||
                 pawl__json_at(&tree, list)->type != PAWL__JSON_ARRAY)
                status = damaged(err);
        else
                status = take_changes(&r, &tree, list, seq, err);
        if (!status)
                status = write_state(out, &r, &tree, err);
        pawl__map_free(&r.steps);
        free(r.last);
        pawl__json_tree_free(&tree);
        return status;
}
