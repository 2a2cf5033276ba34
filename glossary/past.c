#include "glossary/past.h"
#include "base/error.h"
#include "state/sql.h"
#include <stdlib.h>

static bool is_seeds(const pawl__row *row)
{
        return row->v[PAWL__SENSE_VERSION].text.len > 0;
}

static pawl_status add_present(const pawl__row *row, void *user, pawl_error *err)
{
        pawl__past *past = user;
        const uint64_t seq = (uint64_t)row->v[PAWL__SENSE_SEQ].integer;

        if (!is_seeds(row) && seq > past->changed)
                past->changed = seq;
        past->older = past->older || (!is_seeds(row) && seq < past->started);
        return pawl__glossary_add_row(row, past->present, err);
}

static pawl_status add_until(
        pawl__glossary *to, pawl__past *past, uint64_t after, uint64_t until, pawl_error *err);

static pawl_status new_glossary(pawl__glossary **out, const pawl__past *past, pawl_error *err)
{
        pawl__glossary_free(*out);
        *out = NULL;
        const pawl_status status = pawl__glossary_new(out, err);
        if (!status)
                pawl__glossary_filter(*out, &past->filter);
        return status;
}

/* ... and as it stands for a fork, for which some of it does not count. */

static pawl_status leave_out_hidden(pawl__past *past, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (past->older)
                status = pawl__hidden_read(
                        &past->hidden, past->log, past->state, past->started, &past->arena, err);
        if (status || !past->hidden.n)
                return status;
        status = new_glossary(&past->present, past, err);
        if (!status)
                status = add_until(past->present, past, 0, UINT64_MAX, err);
        if (past->applier.store) /* what is asked for next is earlier */
                past->applier.store->free(past->applier.store);
        past->applier.store = NULL;
        past->folded = past->applied = 0;
        return status;
}

static pawl_status each_sense(pawl__past *past, pawl__row_fn fn, void *user, pawl_error *err)
{
        return pawl__state_senses(
                NULL, past->state, past->mission_id, past->refs, past->n_refs, fn, user, err);
}

static pawl_status open_past(pawl__past *out, pawl_log *log, const pawl__row *run,
        const pawl__sense_filter *filter, pawl_error *err)
{
        pawl__past past = {.log = log,
                .started = (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer,
                .filter = *filter,
                .arena = PAWL__ARENA_INIT};
        pawl_status status = pawl__state_of(&past.state, log, err);

        if (!status)
                status = pawl__scope_refs_read(past.refs, &past.n_refs, &past.arena,
                        run->v[PAWL__RUN_SCOPE_REFS].text, err);
        past.mission_id = pawl__arena_copy(&past.arena, run->v[PAWL__RUN_MISSION].text);
        if (!status)
                status = pawl__arena_check(&past.arena, err);
        if (!status)
                status = new_glossary(&past.present, &past, err);
        if (!status)
                status = each_sense(&past, add_present, &past, err);
        if (!status)
                status = leave_out_hidden(&past, err);
        *out = past;
        if (status)
                pawl__past_close(out);
        return status;
}

pawl_status pawl__past_open(pawl__past *out, pawl_log *log, const pawl__row *run, pawl_error *err)
{
        return open_past(out, log, run, &(pawl__sense_filter){.look = NULL}, err);
}

void pawl__past_close(pawl__past *past)
{
        if (past->applier.store)
                past->applier.store->free(past->applier.store);
        pawl__json_tree_free(&past->applier.tree);
        pawl__arena_free(&past->applier.arena);
        pawl__glossary_free(past->present);
        pawl__glossary_free(past->former);
        free(past->seeds);
        pawl__arena_free(&past->arena);
        *past = (pawl__past){.arena = PAWL__ARENA_INIT};
}

/* Rows on their way into a glossary: copies in an arena, then in the order of their events. */
struct gathering {
        pawl__past *past;
        uint64_t after; /* only what is newer */
        pawl__arena *arena;
        pawl__row *rows;
        size_t n, cap;
};

static pawl_status keep(struct gathering *g, const pawl__row *row, pawl_error *err)
{
        if (pawl__grow(&g->rows, &g->cap, g->n + 1, sizeof *g->rows))
                return pawl__nomem(err);
        g->rows[g->n] = *row;
        return pawl__row_copy(&g->rows[g->n++], PAWL__SENSES, g->arena, err);
}

static pawl_status keep_seeds(const pawl__row *row, void *user, pawl_error *err)
{
        return is_seeds(row) ? keep(user, row, err) : PAWL_OK;
}

static pawl_status keep_written(const pawl__row *row, void *user, pawl_error *err)
{
        struct gathering *g = user;
        const pawl_text mission = row->v[PAWL__SENSE_MISSION].text;

        return is_seeds(row) || (uint64_t)row->v[PAWL__SENSE_SEQ].integer <= g->after ||
                               (mission.len && !pawl__text_eq(mission, g->past->mission_id))
                       ? PAWL_OK
                       : keep(g, row, err);
}

static int compare_rows(const void *left, const void *right)
{
        const int64_t a = ((const pawl__row *)left)->v[PAWL__SENSE_SEQ].integer;
        const int64_t b = ((const pawl__row *)right)->v[PAWL__SENSE_SEQ].integer;

        return (a > b) - (a < b);
}

static pawl_status read_seeds(pawl__past *past, pawl_error *err)
{
        struct gathering g = {.past = past, .arena = &past->arena};
        const pawl_status status = past->seeds ? PAWL_OK : each_sense(past, keep_seeds, &g, err);

        if (status)
                free(g.rows);
        if (status || past->seeds)
                return status;
        if (g.n)
                qsort(g.rows, g.n, sizeof *g.rows, compare_rows);
        past->seeds = g.rows;
        past->n_seeds = g.n;
        return PAWL_OK;
}

/* ---- What people wrote, folded --------------------------------------------------------------- */

struct folding {
        pawl__past *past;
        uint64_t until;
};

static pawl_status fold_one(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        struct folding *f = user;

        if (event->seq > f->until)
                return PAWL_DONE;
        f->past->folded = event->seq;
        if (pawl__is_hidden(&f->past->hidden, event->seq))
                return PAWL_OK;
        switch (type) {
        case PAWL__SENSE_UPDATED:
        case PAWL__CLARIFICATION_REQUESTED:
        case PAWL__CLARIFICATION_RESOLVED:
                f->past->applied = event->seq;
                return pawl__apply(&f->past->applier, event, err);
        default:
                return PAWL_OK;
        }
}

static pawl_status fold(pawl__past *past, uint64_t until, pawl_error *err)
{
        struct folding f = {past, until};
        pawl_status status = PAWL_OK;

        if (!past->applier.store)
                status = pawl__store_memory(&past->applier.store, err);
        if (!status && past->folded < until)
                status = pawl__log_each(past->log, past->folded, fold_one, &f, err);
        return status;
}

static uint64_t seq_of(const pawl__row *row)
{
        return (uint64_t)row->v[PAWL__SENSE_SEQ].integer;
}

/* Seeds and what people wrote, both by seq, as one sequence. */
static pawl_status add_in_order(pawl__glossary *to, const pawl__past *past, struct gathering *g,
        uint64_t until, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        size_t seed = 0;

        while (seed < past->n_seeds && seq_of(&past->seeds[seed]) <= g->after)
                seed++;
        for (size_t i = 0; !status;) {
                const bool more = seed < past->n_seeds && seq_of(&past->seeds[seed]) <= until;
                if (more && (i == g->n || seq_of(&past->seeds[seed]) < seq_of(&g->rows[i])))
                        status = pawl__glossary_add_row(&past->seeds[seed++], to, err);
                else if (i < g->n)
                        status = pawl__glossary_add_row(&g->rows[i++], to, err);
                else
                        break;
        }
        return status;
}

/* Adds what changed after one event and up to another. */
static pawl_status add_until(
        pawl__glossary *to, pawl__past *past, uint64_t after, uint64_t until, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        struct gathering g = {.past = past, .after = after, .arena = &arena};
        pawl_status status = read_seeds(past, err);

        if (!status)
                status = fold(past, until, err);
        if (!status && past->applied > after)
                status = past->applier.store->each(
                        past->applier.store, PAWL__SENSES, keep_written, &g, err);
        if (!status && g.n)
                qsort(g.rows, g.n, sizeof *g.rows, compare_rows);
        if (!status)
                status = add_in_order(to, past, &g, until, err);
        pawl__arena_free(&arena);
        free(g.rows);
        return status;
}

static pawl_status bring_forward(pawl__past *past, uint64_t seq, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (!past->former || seq < past->former_at) {
                past->former_at = 0;
                status = new_glossary(&past->former, past, err);
        }
        if (!status && seq > past->former_at)
                status = add_until(past->former, past, past->former_at, seq, err);
        past->former_at = seq;
        if (status) {
                pawl__glossary_free(past->former);
                past->former = NULL;
        }
        return status;
}

pawl_status pawl__past_glossary(
        pawl__glossary **out, pawl__past *past, uint64_t seq, pawl_error *err)
{
        const bool former = seq < past->changed;
        const pawl_status status = former ? bring_forward(past, seq, err) : PAWL_OK;

        if (!status)
                *out = former ? past->former : past->present;
        return status;
}

pawl_status pawl__past_present(pawl__glossary **glossary, pawl__hidden *hidden, pawl__arena *arena,
        pawl_log *log, const pawl__row *run, const pawl__sense_filter *filter, pawl_error *err)
{
        pawl__past past;
        pawl_status status = open_past(&past, log, run, filter, err);

        if (status)
                return status;
        pawl__hidden kept = {
                pawl__arena_array(arena, past.hidden.n, sizeof *kept.items), past.hidden.n};
        if (kept.items) {
                for (size_t i = 0; i < kept.n; i++)
                        kept.items[i] = past.hidden.items[i];
                pawl__glossary_free(*glossary);
                *glossary = past.present;
                past.present = NULL;
                *hidden = kept;
        } else {
                status = pawl__nomem(err);
        }
        pawl__past_close(&past);
        return status;
}
