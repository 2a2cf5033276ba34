/* A run as it was at an earlier place in the log: its events folded again, up to there. */
#include "base/error.h"
#include "events/log.h"
#include "state/projection.h"

/* The range of the log that has to be read: (since, until]. */
struct range {
        pawl_text run_id;
        uint64_t since, until;
};

static pawl_status rolled_back_within(const pawl__row *rollback, void *user, pawl_error *err)
{
        struct range *range = user;
        const uint64_t ended = (uint64_t)rollback->v[PAWL__RB_ENDED_SEQ].integer;

        (void)err;
        if (ended > range->since && ended <= range->until)
                range->since = 0;
        return PAWL_OK;
}

/* From the run's start on; from the log's where a rollback came since, as what that did depends on
 * checkpoints and rollbacks of any age, and of a run that was submitted, which depends on one. */
static pawl_status find_range(
        struct range *range, pawl__state *state, const pawl__row *run, pawl_error *err)
{
        const uint64_t started = (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer,
                       first = (uint64_t)run->v[PAWL__RUN_FIRST_SEQ].integer;

        if (started > range->until)
                return PAWL_ENOTFOUND;
        range->since = pawl__run_submitted(run) ? 0 : (first ? first : started) - 1;
        return pawl__state_each(state, PAWL__ROLLBACKS, rolled_back_within, range, err);
}

static bool matters(const pawl_event *event)
{
        switch (pawl__event_type_of(event->type)) {
        case PAWL__TERM_OBSERVED:
        case PAWL__SENSE_UPDATED:
        case PAWL__SCOPE_ACTIVATED:
                return false;
        default:
                return true;
        }
}

static pawl_status fold_range(pawl__store *store, pawl_log *log, const struct range *range,
        pawl__folded_fn fn, void *user, pawl_error *err)
{
        pawl__applier applier = {.store = store};
        pawl_cursor *cursor = NULL;
        pawl_event event;
        pawl_status folded = PAWL_OK;
        const pawl__event_filter filter = {.since = range->since,
                .before = range->until + 1,
                .run_id = range->since ? range->run_id : (pawl_text){NULL, 0}};
        pawl_status status = pawl__cursor_find(&cursor, log, &filter);

        while (!status && !folded && !(status = pawl_cursor_next(cursor, &event))) {
                if (!matters(&event))
                        continue;
                folded = pawl__fold_event(&applier, &event, err);
                if (!folded && fn && pawl__text_eq(event.run_id, range->run_id))
                        folded = fn(&event, store, user, err);
        }
        pawl_cursor_close(cursor);
        pawl__applier_free(&applier);
        return status < 0 ? pawl__log_failed(log, status, err) : folded;
}

pawl_status pawl__state_fold_run(pawl__store *store, pawl__state *state, pawl_text run_id,
        uint64_t until, pawl__folded_fn fn, void *user, pawl_error *err)
{
        struct range range = {.run_id = run_id, .until = until};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, &arena, err);

        if (!status)
                status = find_range(&range, state, &run, err);
        if (!status)
                status = fold_range(store, state->log, &range, fn, user, err);
        pawl__arena_free(&arena);
        return status;
}

/* ---- Its steps ------------------------------------------------------------------------------- */

struct collecting {
        pawl_text run_id;
        pawl__row *rows; /* NULL: they are only counted */
        size_t n;
        pawl__arena *arena;
};

static pawl_status collect(const pawl__row *step, void *user, pawl_error *err)
{
        struct collecting *c = user;

        if (!pawl__text_eq(step->v[PAWL__STEP_RUN].text, c->run_id))
                return PAWL_OK;
        if (!c->rows) {
                c->n++;
                return PAWL_OK;
        }
        c->rows[c->n] = *step;
        return pawl__row_copy(&c->rows[c->n++], PAWL__STEPS, c->arena, err);
}

static pawl_status run_of(pawl__row *run, pawl__row **steps, size_t *n, pawl__store *store,
        pawl__arena *arena, pawl_error *err)
{
        struct collecting c = {.run_id = run->v[PAWL__RUN_ID].text, .arena = arena};
        pawl_status status = store->get(store, PAWL__RUNS, run, err);

        if (!status)
                status = pawl__row_copy(run, PAWL__RUNS, arena, err);
        if (!status)
                status = store->each(store, PAWL__STEPS, collect, &c, err);
        if (status)
                return status;
        c.rows = pawl__arena_array(arena, c.n + 1, sizeof *c.rows);
        if (!c.rows)
                return pawl__nomem(err);
        c.n = 0;
        status = store->each(store, PAWL__STEPS, collect, &c, err);
        *steps = c.rows;
        *n = c.n;
        return status;
}

pawl_status pawl__state_steps_at(pawl__row *run, pawl__row **steps, size_t *n, pawl__state *state,
        pawl_text run_id, uint64_t seq, pawl__arena *arena, pawl_error *err)
{
        pawl__row found = {.v[PAWL__RUN_ID].text = run_id}, *rows = NULL;
        pawl__store *store = NULL;
        size_t count = 0;
        pawl_status status = pawl__state_get(state, PAWL__RUNS, &found, arena, err);

        if (status)
                return status;
        if ((uint64_t)found.v[PAWL__RUN_UPDATED_SEQ].integer <= seq) { /* as it is now */
                status = pawl__state_steps(&rows, &count, state, run_id, arena, err);
        } else {
                status = pawl__store_memory(&store, err);
                if (!status)
                        status = pawl__state_fold_run(store, state, run_id, seq, NULL, NULL, err);
                if (!status)
                        status = run_of(&found, &rows, &count, store, arena, err);
                if (store)
                        store->free(store);
        }
        if (status)
                return status;
        *run = found;
        *steps = rows;
        *n = count;
        return PAWL_OK;
}
