#include "base/error.h"
#include "events/log.h"
#include "state/past.h"
#include "state/projection.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Dirty rows in memory while the tables catch up. */
enum { DIRTY_MAX = 4096 };

/* ---- The position in the log ----------------------------------------------------------------- */

pawl_status pawl__projection_place(
        uint64_t *applied, uint64_t *head, pawl_log *log, pawl_error *err)
{
        pawl__query *row;
        pawl_status status = pawl__log_row(&row, log, PAWL__STMT_PLACE, PAWL__READING, err, "");

        if (status)
                return status;
        if (!row)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "projection: its one row is missing; run `pawl init --rebuild`");
        *applied = (uint64_t)pawl__query_integer(row, 0);
        *head = (uint64_t)pawl__query_integer(row, 1);
        pawl__query_reset(row);
        if (*applied > *head)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "projection: the state tables stand at seq %" PRIu64
                        ", but the log ends at %" PRIu64
                        ": its tail was cut; bring the whole log back, or run "
                        "`pawl init --rebuild`",
                        *applied, *head);
        return PAWL_OK;
}

static pawl_status write_place(pawl__state *state, uint64_t seq, pawl_error *err)
{
        pawl__query *put;
        pawl_status status = pawl__log_query(&put, state->log, PAWL__STMT_PLACE_PUT, err);

        if (status)
                return status;
        pawl__query_bind(put, "i", (int64_t)seq);
        return pawl__query_run(put, NULL, PAWL__WRITING, err);
}

/* ---- Folding --------------------------------------------------------------------------------- */

/* It changes nothing but the range of its run: nothing follows it there, if that is judged. */
static pawl_status note_illegal(pawl__applier *applier, const pawl_event *event, pawl_error *err)
{
        pawl__store *store = applier->store;
        pawl__row run = {.v[PAWL__RUN_ID].text = event->run_id};
        const pawl_status status =
                event->run_id.data ? store->get(store, PAWL__RUNS, &run, err) : PAWL_ENOTFOUND;

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        run.v[PAWL__RUN_LAST_SEQ].integer = (int64_t)event->seq;
        if (applier->judges && run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED &&
                !pawl__run_illegal(&run))
                run.v[PAWL__RUN_RULES].integer |= (int64_t)event->seq << PAWL__RULES_BITS;
        return store->put(store, PAWL__RUNS, &run, err);
}

pawl_status pawl__fold_event(pawl__applier *applier, const pawl_event *event, pawl_error *err)
{
        pawl_error why;

        why.message[0] = '\0'; /* all of it would be cleared for each event */
        pawl_status status = pawl__apply(applier, event, &why);

        if (status == PAWL_EEXISTS || status == PAWL_ESTATE ||
                (status == PAWL_EDAMAGED && applier->judges)) /* behind one that is illegal */
                return note_illegal(applier, event, err);
        status = pawl__as_damage(status);
        if (status && err)
                pawl__fail(err, status, "%s", why.message);
        return status;
}

static pawl_status fold_next(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        pawl__state *state = user;
        pawl_status status = pawl__fold_event(&state->applier, event, err);

        (void)type;
        if (status == PAWL_OK)
                status = pawl__store_spill(state->tables, DIRTY_MAX, err);
        if (status == PAWL_OK)
                state->applied = event->seq;
        return status;
}

static pawl_status catch_up(pawl__state *state, pawl_error *err)
{
        return pawl__log_each(state->log, state->applied, fold_next, state, err);
}

/* Delete every row of every state table: the state of an empty log. */
static pawl_status empty_tables(pawl__state *state, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (int t = 0; t < PAWL__TABLES && status == PAWL_OK; t++) {
                char sql[64];
                pawl__query *empty = NULL;
                snprintf(sql, sizeof sql, "DELETE FROM {=%s} WHERE {log AND} true",
                        pawl__tables[t].name);
                status = pawl__query_prepare(&empty, state->log, sql, err);
                if (status == PAWL_OK)
                        status = pawl__query_run(empty, NULL, PAWL__WRITING, err);
                pawl__query_finalize(empty);
        }
        return status;
}

/* ---- The projector --------------------------------------------------------------------------- */

static pawl_status begin(void *user, pawl_error *err)
{
        pawl__state *state = user;
        uint64_t head = 0;

        pawl_status status = pawl__projection_place(&state->stored, &head, state->log, err);
        if (status)
                return status;
        pawl__store_sql_begin(state->tables,
                state->cached == head && state->stored == head && pawl__log_alone(state->log));
        state->cached = 0;
        state->applied = state->stored;
        if (state->applied == head)
                return PAWL_OK;
        if (state->applied == 0) /* new tables: all must be empty */
                status = empty_tables(state, err);
        if (state->applied == 0 && pawl__log_keeps_rows(state->log))
                pawl__store_sql_empty(state->tables);
        if (status == PAWL_OK)
                status = catch_up(state, err);
        /* A batch's prepare hook reads the tables themselves. */
        return status ? status : pawl__store_sql_flush(state->tables, false, err);
}

static pawl_status apply(void *user, const pawl_event *event, pawl__event_type type,
        const pawl__json_tree *payload, pawl_error *err)
{
        pawl__state *state = user;
        pawl_status status = pawl__apply_checked(&state->applier, event, type, payload, err);

        if (status == PAWL_OK)
                state->applied = event->seq;
        return status;
}

static pawl_status flush(void *user, pawl_error *err)
{
        pawl__state *state = user;
        pawl_status status = pawl__store_sql_flush(state->tables, true, err);

        if (status == PAWL_OK && state->applied != state->stored)
                status = write_place(state, state->applied, err);
        if (status == PAWL_OK)
                state->cached = state->applied;
        return status;
}

/* Of a run's event its row, and its step's. */
static pawl_status prefetch(void *user, const pawl_event *event, pawl_error *err)
{
        const pawl__state *state = user;
        const pawl__row run = {.v[PAWL__RUN_ID].text = event->run_id},
                        step = {.v[PAWL__STEP_RUN].text = event->run_id,
                                .v[PAWL__STEP_ID].text = event->step_id};
        pawl_status status = PAWL_OK;

        if (!event->run_id.data || !pawl__applies(pawl__event_type_of(event->type)))
                return PAWL_OK;
        status = pawl__store_sql_prefetch(state->tables, PAWL__RUNS, &run, err);
        if (!status && event->step_id.data)
                status = pawl__store_sql_prefetch(state->tables, PAWL__STEPS, &step, err);
        return status;
}

static void abandon(void *user)
{
        pawl__state *state = user;

        state->cached = 0;
        pawl__store_sql_abandon(state->tables);
}

static void release(void *user)
{
        pawl__state *state = user;

        state->cached = 0;
        pawl__store_sql_release(state->tables);
        pawl__queries_release(state);
}

static void close_state(void *user)
{
        pawl__state *state = user;

        release(state);
        state->tables->free(state->tables);
        free(state->queries);
        free(state->worktree_root);
        free(state->named);
        pawl__verified_free(state->verified);
        pawl__applier_free(&state->applier);
        free(state);
}

/* ---- Outside of an append -------------------------------------------------------------------- */

/* Fold the events that the tables lack in a transaction of its own; all events, if asked. */
static pawl_status bring_up(pawl__state *state, bool from_nothing, pawl_error *err)
{
        pawl_status status = pawl__log_write_begin(state->log, err);

        if (status)
                return status;
        if (from_nothing)
                status = pawl__log_derive_anew(state->log, err);
        if (status == PAWL_OK)
                status = begin(state, err);
        if (status == PAWL_OK)
                status = flush(state, err);
        status = pawl__log_write_end(state->log, status, err);
        if (status)
                abandon(state);
        return status;
}

static pawl_status be_current(pawl__state *state, pawl_error *err)
{
        uint64_t applied = 0, head = 0;
        pawl_status status = pawl__projection_place(&applied, &head, state->log, err);

        if (status || applied == head)
                return status;
        if (pawl__log_readonly(state->log))
                return pawl__fail(err, PAWL_ESTATE,
                        "%s: its state tables stand at seq %" PRIu64 " of %" PRIu64
                        "; open it once with pawl to bring its tables up to date",
                        pawl__log_path(state->log), applied, head);
        status = pawl__log_check_head(state->log, err);
        return status ? status : bring_up(state, false, err);
}

/* A state that is not attached yet. */
static pawl_status make(pawl__state **out, pawl_log *log, pawl_error *err)
{
        pawl__state *state = calloc(1, sizeof *state);

        if (!state) {
                pawl__nomem(err);
                return PAWL_ENOMEM;
        }
        state->log = log;
        pawl_status status = pawl__store_sql(&state->tables, log, err);
        if (status) {
                free(state);
                return status;
        }
        state->applier.store = state->tables;
        state->applier.log = log;
        state->applier.judges = true;
        state->applier.past_rules = &pawl__past;
        *out = state;
        return PAWL_OK;
}

/* Attach it if @p status is PAWL_OK, else free it. */
static pawl_status attach(pawl__state *state, pawl_status status)
{
        if (status)
                close_state(state);
        else
                pawl__log_set_projector(state->log, &(pawl__projector){begin, apply, flush, abandon,
                                                            close_state, state, release, prefetch});
        return status;
}

pawl_status pawl__state_of(pawl__state **out, pawl_log *log, pawl_error *err)
{
        pawl__state *state = pawl__log_projector(log);

        if (!state) {
                pawl_status status = make(&state, log, err);
                if (status == PAWL_OK)
                        status = attach(state, be_current(state, err));
                if (status)
                        return status;
        }
        *out = state;
        return PAWL_OK;
}

pawl_status pawl__state_rebuild(pawl_log *log, pawl_error *err)
{
        pawl__state *state = pawl__log_projector(log);

        if (pawl__log_readonly(log))
                return pawl__fail(err, PAWL_EREADONLY,
                        "%s: is open read-only; open it for writing to rebuild its tables",
                        pawl__log_path(log));
        if (state)
                return bring_up(state, true, err);
        pawl_status status = make(&state, log, err);
        return status ? status : attach(state, bring_up(state, true, err));
}
