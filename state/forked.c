#include "state/forked.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "state/sql.h"

#define ROOT_ENDS "/./"

static void take_number(uint64_t *out, const pawl__json_tree *tree, pawl__node of, const char *name)
{
        const pawl__node node = pawl__json_get(tree, of, name);
        int64_t value = 0;

        if (node != PAWL__NO_NODE && pawl__json_int(pawl__json_at(tree, node), &value) && value > 0)
                *out = (uint64_t)value;
}

pawl_status pawl__forked_of(
        pawl__forked *out, pawl_text payload, pawl__arena *arena, pawl_error *err)
{
        static const char member[] = "\"forked_from\"";
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        *out = (pawl__forked){.seq = 0};
        if (!payload.data || !memmem(payload.data, payload.len, member, sizeof member - 1))
                return PAWL_OK;
        const pawl_status status = pawl__json_tree_read(&tree, payload.data, payload.len, err);
        const pawl__node from = status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "forked_from");
        if (from != PAWL__NO_NODE) {
                out->run_id = pawl__arena_copy(arena, pawl__json_get_text(&tree, from, "run_id"));
                out->step_id = pawl__arena_copy(arena, pawl__json_get_text(&tree, from, "step_id"));
                take_number(&out->seq, &tree, from, "seq");
        }
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(arena, err);
}

pawl_status pawl__forked_read(
        pawl__forked *out, pawl_log *log, uint64_t started_seq, pawl__arena *arena, pawl_error *err)
{
        pawl_event event;
        const pawl_status status = pawl__log_event(&event, arena, log, started_seq);

        return status ? pawl__log_failed(log, status, err)
                      : pawl__forked_of(out, event.payload, arena, err);
}

pawl_status pawl__run_began(uint64_t *seq, pawl_log *log, pawl_text run_id, pawl_error *err)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__query_prepare(&row, log,
                "SELECT seq FROM {events} WHERE run_id = ?1 AND type < 'RunT' AND type > 'RunR' "
                "AND type IN ('RunStarted', 'RunSubmitted') ORDER BY seq LIMIT 1",
                err);

        *seq = 0;
        if (status)
                return status;
        pawl__query_bind(row, "t", run_id);
        status = pawl__query_step(row, PAWL__READING, err);
        if (!status)
                *seq = (uint64_t)pawl__query_integer(row, 0);
        pawl__query_finalize(row);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__began_with(
        uint64_t *out, pawl_log *log, uint64_t started_seq, pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, arena, log, started_seq);

        *out = 0;
        if (status)
                return pawl__log_failed(log, status, err);
        if (!event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status)
                take_number(out, &tree, 0, "checkpoint");
        pawl__json_tree_free(&tree);
        return status;
}

pawl_status pawl__hidden_read(pawl__hidden *out, pawl_log *log, pawl__state *state,
        uint64_t started_seq, pawl__arena *arena, pawl_error *err)
{
        pawl__hidden found = {NULL, 0};
        size_t cap = 0;
        pawl_status status = PAWL_OK;

        while (!status && started_seq) {
                pawl__forked forked = {.seq = 0};
                pawl__row run = {.v[PAWL__RUN_ID].text = {NULL, 0}};
                status = pawl__forked_read(&forked, log, started_seq, arena, err);
                if (status || !forked.run_id.data || forked.seq >= started_seq)
                        break;
                if (found.n == cap) {
                        struct pawl__hidden_range *more =
                                pawl__arena_array(arena, cap = 2 * cap + 1, sizeof *more);
                        if (!more)
                                return pawl__nomem(err);
                        for (size_t i = 0; i < found.n; i++)
                                more[i] = found.items[i];
                        found.items = more;
                }
                found.items[found.n++] = (struct pawl__hidden_range){forked.seq, started_seq};
                run.v[PAWL__RUN_ID].text = forked.run_id;
                status = pawl__state_get(state, PAWL__RUNS, &run, arena, err);
                /* what a run was forked from began before it */
                const uint64_t before = (uint64_t)run.v[PAWL__RUN_STARTED_SEQ].integer;
                started_seq = !status && before < started_seq ? before : 0;
        }
        if (status && status != PAWL_ENOTFOUND)
                return status;
        *out = found;
        return PAWL_OK;
}

bool pawl__is_hidden(const pawl__hidden *hidden, uint64_t seq)
{
        for (size_t i = 0; hidden && i < hidden->n; i++)
                if (seq > hidden->items[i].since && seq < hidden->items[i].until)
                        return true;
        return false;
}

pawl_text pawl__run_root(const pawl__row *run)
{
        const pawl_text path = run->v[PAWL__RUN_MISSION_PATH].text;
        const char *at =
                path.len ? memmem(path.data, path.len, ROOT_ENDS, sizeof ROOT_ENDS - 1) : NULL;

        return at ? (pawl_text){path.data, (size_t)(at - path.data)} : (pawl_text){NULL, 0};
}
