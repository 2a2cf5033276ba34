/*
 * The past is folded again, from the run's start on, into tables in a temporary file. Only events
 * that are in the log already are held against it: that an append did it too would make a rollback
 * and a fork twice as dear, whose writer has just read the same.
 */
#include "state/past.h"
#include "base/error.h"
#include "base/ids.h"
#include "events/log.h"
#include "state/forked.h"
#include "state/projection.h"
#include "state/rules.h"
#include "state/step_plan.h"
#include "state/steps_before.h"
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_MAX = 1024 }; /* changed rows in memory */

struct pawl__past {
        pawl__store *store;
        char run_id[PAWL__ID_MAX];
        uint64_t until; /* 0: nothing is folded */
        /* Where the fork's completions come from: its start, and the arena with what that says. */
        int64_t fork_seq;
        pawl__row origin;
        pawl__forked from;
        pawl__arena arena;
};

static void forget(struct pawl__past *past)
{
        if (past->store)
                past->store->free(past->store);
        past->store = NULL;
        past->until = 0;
}

static void free_past(struct pawl__past *past)
{
        if (!past)
                return;
        forget(past);
        pawl__arena_free(&past->arena);
        free(past);
}

static pawl_status past_of(struct pawl__past **out, const pawl__apply_ctx *a)
{
        if (!*a->past && !(*a->past = calloc(1, sizeof **a->past)))
                return pawl__nomem(a->err);
        *out = *a->past;
        return PAWL_OK;
}

/* ---- The fold -------------------------------------------------------------------------------- */

static bool changes_no_step(const pawl_event *event)
{
        switch (pawl__event_type_of(event->type)) {
        case PAWL__TERM_OBSERVED:
        case PAWL__SENSE_UPDATED:
        case PAWL__SCOPE_ACTIVATED:
        case PAWL__EVENT_OTHER:
                return true;
        default:
                return false;
        }
}

static pawl_status fold_one(
        struct pawl__past *past, pawl__applier *applier, const pawl_event *event, pawl_error *err)
{
        pawl_error why;
        const pawl_status status =
                changes_no_step(event) ? PAWL_OK : pawl__apply(applier, event, &why);

        if (status == PAWL_ENOMEM || status == PAWL_EIO || status == PAWL_EFULL) {
                *err = why;
                return status;
        }
        return pawl__store_spill(past->store, ROWS_MAX, err);
}

/* Each of the events that pass, into the past, or only to see whether there are any: *any. */
static pawl_status fold_found(struct pawl__past *past, bool *any, const pawl__event_filter *filter,
        const pawl__apply_ctx *a)
{
        pawl__applier applier = {.store = past->store};
        pawl_cursor *cursor = NULL;
        pawl_event event;
        pawl_status folded = PAWL_OK, status = pawl__cursor_find(&cursor, a->log, filter);

        while (!status && !folded && !(status = pawl_cursor_next(cursor, &event))) {
                if (any) {
                        *any = true;
                        break;
                }
                folded = fold_one(past, &applier, &event, a->err);
        }
        pawl_cursor_close(cursor);
        pawl__applier_free(&applier);
        return status < 0 ? pawl__log_failed(a->log, status, a->err) : folded;
}

/* From the run's start on; from the log's where the run was rolled back since, or submitted, as
 * that depends on checkpoints of any age. */
static pawl_status fold_run(
        struct pawl__past *past, const pawl__row *run, uint64_t until, const pawl__apply_ctx *a)
{
        pawl__event_filter filter = {.since = (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer - 1,
                .before = until + 1,
                .type = pawl__text("WorkspaceRolledBack"),
                .run_id = run->v[PAWL__RUN_ID].text};
        bool from_nothing = pawl__run_submitted(run);
        pawl_status status = PAWL_OK;

        if (!from_nothing)
                status = fold_found(past, &from_nothing, &filter, a);
        filter.type = pawl__text(NULL);
        if (from_nothing) {
                filter.since = 0;
                filter.run_id = pawl__text(NULL);
        }
        return status ? status : fold_found(past, NULL, &filter, a);
}

/* The tables of @p run as they were after the event @p until. */
static pawl_status go_to(
        struct pawl__past *past, const pawl__row *run, uint64_t until, const pawl__apply_ctx *a)
{
        const pawl_text run_id = run->v[PAWL__RUN_ID].text;
        const uint64_t started = (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer;

        if (past->store && past->until == until && pawl__text_is(run_id, past->run_id))
                return PAWL_OK;
        forget(past);
        pawl_status status = pawl__store_scratch(&past->store, a->err);
        if (!status && started <= until && started > 0)
                status = fold_run(past, run, until, a);
        if (status || run_id.len >= sizeof past->run_id)
                return status;
        snprintf(past->run_id, sizeof past->run_id, "%.*s", PAWL__FMT(run_id));
        past->until = until;
        return PAWL_OK;
}

/* ---- A rollback ------------------------------------------------------------------------------ */

/* Its place among the steps is not brought back, and the event does not have what it joins. */
static bool is_as_it_was(const pawl__row *step, pawl__row *then)
{
        then->v[PAWL__STEP_ORDER_SEQ] = step->v[PAWL__STEP_ORDER_SEQ];
        then->v[PAWL__STEP_NUMBER] = step->v[PAWL__STEP_NUMBER];
        then->v[PAWL__STEP_JOINED] = step->v[PAWL__STEP_JOINED];
        then->v[PAWL__STEP_PLAN] = step->v[PAWL__STEP_PLAN];
        return pawl__row_diff(PAWL__STEPS, step, then) < 0;
}

static pawl_status check_step(
        struct pawl__past *past, const pawl__row *step, const pawl__apply_ctx *a)
{
        pawl__row then = {.v[PAWL__STEP_RUN] = step->v[PAWL__STEP_RUN],
                .v[PAWL__STEP_ID] = step->v[PAWL__STEP_ID]};
        const pawl_status status = past->store->get(past->store, PAWL__STEPS, &then, a->err);

        if (status && status != PAWL_ENOTFOUND)
                return status;
        return !status && is_as_it_was(step, &then)
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "rollback-order",
                                 "restored: step %.*s was another at the checkpoint that the "
                                 "rollback leads to",
                                 PAWL__FMT(step->v[PAWL__STEP_ID].text));
}

static pawl_status restored(const pawl__apply_ctx *a, const pawl__row *target)
{
        const pawl__node comes_back = pawl__json_get(a->tree, 0, "restored");
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__row then;
        struct pawl__past *past;

        if (comes_back == PAWL__NO_NODE || a->run_is != PAWL__ROW_THERE ||
                !(a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED))
                return PAWL_OK;
        pawl_status status = past_of(&past, a);
        if (!status)
                status = pawl__steps_before_read(
                        &tree, &then, pawl__json_at(a->tree, comes_back)->value, a->err);
        pawl__node at = status ? PAWL__NO_NODE : pawl__steps_before_first(&tree);
        if (at != PAWL__NO_NODE)
                status = go_to(past, &a->run, (uint64_t)target->v[PAWL__WCP_SEQ].integer, a);
        for (; at != PAWL__NO_NODE && !status; at = pawl__steps_before_after(&tree, at)) {
                pawl__row step;
                status = pawl__steps_before_step(&step, &tree, at, a->event->run_id, a->err);
                if (!status)
                        status = check_step(past, &step, a);
        }
        pawl__json_tree_free(&tree);
        return status;
}

/* ---- A fork ---------------------------------------------------------------------------------- */

static pawl_status read_forked(
        struct pawl__past *past, int64_t started_seq, const pawl__apply_ctx *a)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__query_prepare(
                &row, a->log, "SELECT payload FROM {events} WHERE seq = ?1", a->err);

        past->from = (pawl__forked){.seq = 0};
        if (status)
                return status;
        pawl__query_bind(row, "i", started_seq);
        status = pawl__query_step(row, PAWL__READING, a->err);
        if (!status)
                status = pawl__forked_of(
                        &past->from, pawl__query_text(row, 0), &past->arena, a->err);
        pawl__query_finalize(row);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* The run whose steps the fork took over: the one that it names, or, where the place is before that
 * one began, the one that that was forked from. */
static pawl_status find_origin(struct pawl__past *past, const pawl__apply_ctx *a)
{
        const int64_t fork_seq = a->run.v[PAWL__RUN_STARTED_SEQ].integer;
        int64_t began = fork_seq;
        uint64_t seq = 0;

        if (past->fork_seq == fork_seq)
                return PAWL_OK;
        pawl__arena_clear(&past->arena);
        do {
                pawl_status status = read_forked(past, began, a);
                seq = seq ? seq : past->from.seq;
                past->origin = (pawl__row){.v[PAWL__RUN_ID].text = past->from.run_id};
                if (!status && past->from.run_id.data)
                        status = a->store->get(a->store, PAWL__RUNS, &past->origin, a->err);
                if (!status)
                        status = pawl__row_copy(&past->origin, PAWL__RUNS, &past->arena, a->err);
                if (status && status != PAWL_ENOTFOUND)
                        return status;
                if (status || past->origin.v[PAWL__RUN_STARTED_SEQ].integer >= began)
                        past->origin = (pawl__row){.v[PAWL__RUN_STARTED_SEQ].integer = 0};
                began = past->origin.v[PAWL__RUN_STARTED_SEQ].integer;
        } while (began > (int64_t)seq);
        past->from.seq = seq;
        past->fork_seq = fork_seq;
        return PAWL_OK;
}

static pawl_status forked(const pawl__apply_ctx *a)
{
        pawl__row then = {.v[PAWL__STEP_ID].text = a->event->step_id};
        struct pawl__past *past;
        TRY(past_of(&past, a));
        pawl_status status = find_origin(past, a);
        if (!status)
                status = go_to(past, &past->origin, past->from.seq, a);
        then.v[PAWL__STEP_RUN] = past->origin.v[PAWL__RUN_ID];
        if (!status && then.v[PAWL__STEP_RUN].text.data)
                status = past->store->get(past->store, PAWL__STEPS, &then, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        const pawl__value *v = then.v;
        return !status && pawl__text_is(v[PAWL__STEP_STATUS].text, "completed") &&
                               pawl__text_eq(pawl__plan_ask(v[PAWL__STEP_PLAN].text),
                                       pawl__plan_ask(a->step.v[PAWL__STEP_PLAN].text)) &&
                               pawl__text_eq(v[PAWL__STEP_OUTPUT_HASH].text,
                                       pawl__apply_optional(a, "output_hash")) &&
                               pawl__text_eq(v[PAWL__STEP_INPUT_HASH].text,
                                       pawl__apply_optional(a, "input_hash"))
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "fork-first",
                                 "step %.*s was not so in the run that this one was forked from",
                                 PAWL__FMT(a->event->step_id));
}

const pawl__past_rules pawl__past = {restored, forked, free_past};
