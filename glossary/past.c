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

/* ... and as it stands for a fork, for which some of it does not count. */
static pawl_status load_past(pawl__glossary **out, pawl__past *past, uint64_t seq, pawl_error *err);

static pawl_status leave_out_hidden(pawl__past *past, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (past->older)
                status = pawl__hidden_read(
                        &past->hidden, past->log, past->state, past->started, &past->arena, err);
        if (status || !past->hidden.n)
                return status;
        status = load_past(&past->present, past, UINT64_MAX, err);
        if (past->applier.store) /* what is asked for next is earlier */
                past->applier.store->free(past->applier.store);
        past->applier.store = NULL;
        past->folded = 0;
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
                status = pawl__glossary_new(&past.present, err);
        if (!status)
                pawl__glossary_filter(past.present, filter);
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
        pawl__arena_free(&past->arena);
        *past = (pawl__past){.arena = PAWL__ARENA_INIT};
}

/* Rows on their way into a glossary, in the order of their events. */
struct gathering {
        pawl__past *past;
        uint64_t until;
        pawl__arena arena;
        pawl__row *rows;
        size_t n, cap;
};

static pawl_status keep(struct gathering *g, const pawl__row *row, pawl_error *err)
{
        if (pawl__grow(&g->rows, &g->cap, g->n + 1, sizeof *g->rows))
                return pawl__nomem(err);
        g->rows[g->n] = *row;
        return pawl__row_copy(&g->rows[g->n++], PAWL__SENSES, &g->arena, err);
}

static pawl_status keep_seeds(const pawl__row *row, void *user, pawl_error *err)
{
        struct gathering *g = user;

        return is_seeds(row) && (uint64_t)row->v[PAWL__SENSE_SEQ].integer <= g->until
                       ? keep(g, row, err)
                       : PAWL_OK;
}

static pawl_status keep_written(const pawl__row *row, void *user, pawl_error *err)
{
        struct gathering *g = user;
        const pawl_text mission = row->v[PAWL__SENSE_MISSION].text;

        return is_seeds(row) || (mission.len && !pawl__text_eq(mission, g->past->mission_id))
                       ? PAWL_OK
                       : keep(g, row, err);
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

static int compare_rows(const void *left, const void *right)
{
        const int64_t a = ((const pawl__row *)left)->v[PAWL__SENSE_SEQ].integer;
        const int64_t b = ((const pawl__row *)right)->v[PAWL__SENSE_SEQ].integer;

        return (a > b) - (a < b);
}

static pawl_status gather(struct gathering *g, pawl_error *err)
{
        pawl__past *past = g->past;
        pawl_status status = fold(past, g->until, err);

        if (!status)
                status = each_sense(past, keep_seeds, g, err);
        if (!status)
                status = past->applier.store->each(
                        past->applier.store, PAWL__SENSES, keep_written, g, err);
        if (!status && g->n)
                qsort(g->rows, g->n, sizeof *g->rows, compare_rows);
        return status;
}

static pawl_status load_past(pawl__glossary **out, pawl__past *past, uint64_t seq, pawl_error *err)
{
        struct gathering g = {.past = past, .until = seq, .arena = PAWL__ARENA_INIT};
        pawl_status status = gather(&g, err);

        pawl__glossary_free(*out);
        *out = NULL;
        if (!status)
                status = pawl__glossary_new(out, err);
        if (!status)
                pawl__glossary_filter(*out, &past->filter);
        for (size_t i = 0; i < g.n && !status; i++)
                status = pawl__glossary_add_row(&g.rows[i], *out, err);
        pawl__arena_free(&g.arena);
        free(g.rows);
        return status;
}

pawl_status pawl__past_glossary(
        pawl__glossary **out, pawl__past *past, uint64_t seq, pawl_error *err)
{
        const bool former = seq < past->changed;
        const pawl_status status = former && past->former_at != seq
                                           ? load_past(&past->former, past, seq, err)
                                           : PAWL_OK;

        if (former)
                past->former_at = status ? 0 : seq;
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
