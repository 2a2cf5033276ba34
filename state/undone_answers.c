#include "base/error.h"
#include "base/json_tree.h"
#include "base/map.h"
#include "events/types.h"
#include "state/run_range.h"
#include "state/undone.h"

/* A conflict whose last answer was given on a line that was undone since. */
typedef struct found {
        pawl__row *row;
        const pawl__undone *undone; /* of its run */
        bool asked, completed;      /* on the present line, before that answer */
        uint64_t answer;            /* the one before it that counts; 0: none */
} found;

typedef struct finding {
        found *items;
        size_t n;
        uint64_t last; /* of the answers */
} finding;

static pawl_status take(found *of, const pawl_event *event, pawl__event_type type, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        const bool undone = pawl__is_undone(of->undone, event->seq);
        pawl_status status = PAWL_OK;

        if (type == PAWL__STEP_COMPLETED) {
                of->completed = of->completed || (of->asked && !undone);
                return PAWL_OK;
        }
        if (!event->payload.data || (undone && (!of->asked || of->completed)))
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
        if (!status && pawl__text_eq(pawl__json_get_text(&tree, 0, "conflict_id"),
                               of->row->v[PAWL__CON_ID].text)) {
                if (type == PAWL__CLARIFICATION_REQUESTED)
                        of->asked = of->asked || !undone;
                else
                        of->answer = event->seq;
        }
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status take_event(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        finding *f = user;
        pawl_status status = PAWL_OK;

        if (type != PAWL__STEP_COMPLETED && type != PAWL__CLARIFICATION_REQUESTED &&
                type != PAWL__CLARIFICATION_RESOLVED)
                return PAWL_OK;
        for (size_t i = 0; i < f->n && !status; i++) {
                const pawl__value *v = f->items[i].row->v;
                if (event->seq < (uint64_t)v[PAWL__CON_RESOLVED_SEQ].integer &&
                        pawl__text_eq(event->run_id, v[PAWL__CON_RUN].text) &&
                        pawl__text_eq(event->step_id, v[PAWL__CON_STEP].text))
                        status = take(&f->items[i], event, type, err);
        }
        return status;
}

/* Those of a run, read once. */
static pawl_status undone_of(const pawl__undone **out, pawl__map *at, pawl__undone *runs,
        size_t n_runs, pawl_text run_id, pawl_log *log, pawl__state *state, pawl__arena *arena,
        pawl_error *err)
{
        const uint32_t known = pawl__map_get(at, run_id);
        pawl__undone *to = &runs[known == PAWL__MAP_NONE ? n_runs : known];
        pawl_status status = PAWL_OK;

        if (known == PAWL__MAP_NONE) {
                status = pawl__undone_read(to, log, state, run_id, UINT64_MAX, arena, err);
                if (!status && pawl__map_put(at, run_id, (uint32_t)n_runs))
                        status = pawl__nomem(err);
        }
        *out = to;
        return status;
}

static pawl_status find(finding *f, pawl__map *at, pawl__row *conflicts, size_t n, pawl_log *log,
        pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        pawl__undone *runs = pawl__arena_array(arena, n, sizeof *runs);
        size_t n_runs = 0;
        pawl_status status = runs && f->items ? PAWL_OK : pawl__nomem(err);

        for (size_t i = 0; i < n && !status; i++) {
                const uint64_t seq = (uint64_t)conflicts[i].v[PAWL__CON_RESOLVED_SEQ].integer;
                const pawl__undone *undone;
                if (!seq || !pawl__text_is(conflicts[i].v[PAWL__CON_TYPE].text, "question"))
                        continue;
                status = undone_of(&undone, at, runs, n_runs, conflicts[i].v[PAWL__CON_RUN].text,
                        log, state, arena, err);
                n_runs += !status && undone == &runs[n_runs];
                if (status || !pawl__is_undone(undone, seq))
                        continue;
                f->items[f->n++] = (found){.row = &conflicts[i], .undone = undone};
                f->last = seq > f->last ? seq : f->last;
        }
        return status;
}

/* The events of each run that one of them is of. */
static pawl_status read_runs(finding *f, pawl_log *log, pawl__map *seen, pawl_error *err)
{
        for (size_t i = 0; i < f->n; i++) {
                const pawl_text run_id = f->items[i].row->v[PAWL__CON_RUN].text;
                if (pawl__map_get(seen, run_id) != PAWL__MAP_NONE)
                        continue;
                if (pawl__map_put(seen, run_id, 1))
                        return pawl__nomem(err);
                TRY(pawl__run_each(log, run_id, 0, f->last - 1, take_event, f, err));
        }
        return PAWL_OK;
}

pawl_status pawl__undone_answers(bool *undone, pawl__row *conflicts, size_t n, pawl_log *log,
        pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        finding f = {.items = pawl__arena_array(arena, n, sizeof *f.items)};
        pawl__map at = PAWL__MAP_INIT;
        pawl_status status = find(&f, &at, conflicts, n, log, state, arena, err);

        pawl__map_free(&at);
        if (!status)
                status = read_runs(&f, log, &at, err);
        pawl__map_free(&at);
        for (size_t i = 0; i < f.n && !status; i++) {
                const found *one = &f.items[i];
                if (one->asked && !one->completed)
                        continue;
                undone[one->row - conflicts] = !one->answer;
                if (one->answer)
                        one->row->v[PAWL__CON_RESOLVED_SEQ].integer = (int64_t)one->answer;
        }
        return status;
}
