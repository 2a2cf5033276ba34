/* What a run came to, read from the state tables. */
#include "base/error.h"
#include "base/map.h"
#include "mission/runner.h"
#include "pipeline/question.h"
#include "session/standing.h"
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct own_result {
        pawl_run_result shown;
        pawl_step_result *steps;
        size_t cap_steps;
        pawl__arena arena;
} own_result;

void pawl_run_result_free(pawl_run_result *shown)
{
        own_result *result = (own_result *)shown;

        if (!result)
                return;
        free(result->steps);
        pawl__arena_free(&result->arena);
        free(result);
}

static const char *keep(own_result *result, pawl_text text)
{
        return pawl__arena_copy(&result->arena, text).data;
}

/* The same of words that are mostly the one before. */
static const char *keep_word(own_result *result, const char **last, pawl_text word)
{
        if (!*last || !pawl__text_is(word, *last))
                *last = keep(result, word);
        return *last;
}

/* A run that still stands as running is one that nobody carries on: it was cut off. */
static const char *status_name(pawl_text status)
{
        static const char *const names[] = {"completed", "blocked", "failed"};

        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                if (pawl__text_is(status, names[i]))
                        return names[i];
        return "interrupted";
}

/* ---- Steps ----------------------------------------------------------------------------------- */

typedef struct listing {
        own_result *result;
        pawl__map in_file;           /* the mission's steps, by id */
        size_t others;               /* that the run knows and the file has no longer */
        bool list_others;            /* this time */
        const char *status, *cursor; /* of the step before */
        bool held;                   /* another session is at those that are at work */
} listing;

static pawl_status list_step(own_result *result, const pawl_step_result *step)
{
        const size_t n = result->shown.n_steps;

        if (pawl__grow(&result->steps, &result->cap_steps, n + 1, sizeof *step))
                return PAWL_ENOMEM;
        result->steps[n] = *step;
        result->shown.steps = result->steps;
        result->shown.n_steps = n + 1;
        return PAWL_OK;
}

/* What the run knows of a step. One that nobody is at any more is to be started again. */
static pawl_status take_step(const pawl__row *row, void *user, pawl_error *err)
{
        listing *l = user;
        own_result *result = l->result;
        const pawl__value *v = row->v;
        const uint32_t at = pawl__map_get(&l->in_file, v[PAWL__STEP_ID].text);

        if ((at == PAWL__MAP_NONE) != l->list_others) {
                l->others += at == PAWL__MAP_NONE;
                return PAWL_OK;
        }
        pawl_step_result step = {.step_id = at == PAWL__MAP_NONE
                                                    ? keep(result, v[PAWL__STEP_ID].text)
                                                    : result->steps[at].step_id,
                .retry_token = keep(result, v[PAWL__STEP_TOKEN].text),
                .cursor = keep_word(result, &l->cursor, v[PAWL__STEP_CURSOR].text)};

        pawl__row shown = *row;
        pawl__step_stand(&shown, l->held);
        step.removed = pawl__text_is(v[PAWL__STEP_STATUS].text, "skipped");
        step.unfinished = pawl__text_is(shown.v[PAWL__STEP_STATUS].text, PAWL__STEP_UNFINISHED);
        step.status = keep_word(
                result, &l->status, pawl__step_status_word(pawl__row_step_status(&shown)));
        if (at != PAWL__MAP_NONE)
                result->steps[at] = step;
        else if (list_step(result, &step))
                return pawl__nomem(err);
        return pawl__arena_check(&result->arena, err);
}

static pawl_status list_mission(listing *l, const pawl_mission *mission)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; mission && i < mission->n_steps && !status; i++) {
                const pawl_step_result step = {
                        .step_id = keep(l->result, mission->steps[i].id), .status = "pending"};
                status = step.step_id ? list_step(l->result, &step) : PAWL_ENOMEM;
                if (!status)
                        status = pawl__map_put(&l->in_file, pawl__text(step.step_id), (uint32_t)i);
        }
        return status;
}

/* The mission's steps in its order, those that the run does not know yet as pending; then those
 * that the run knows and the mission's file no longer has. */
static pawl_status fill_steps(
        own_result *result, const pawl__runner *r, const pawl_mission *mission, pawl_error *err)
{
        listing l = {.result = result, .in_file = PAWL__MAP_INIT};
        pawl_owner owner = {0};
        pawl_status status = pawl__log_holder(&l.held, &owner, r->log, r->run_id);

        if (status)
                return pawl__log_failed(r->log, status, err);
        l.held = l.held && owner.fence != r->fence;
        status = list_mission(&l, mission) ? pawl__nomem(err) : PAWL_OK;
        if (!status)
                status = pawl__state_each_step(r->state, r->run_id, false, take_step, &l, err);
        l.list_others = true;
        if (!status && l.others)
                status = pawl__state_each_step(r->state, r->run_id, true, take_step, &l, err);
        pawl__map_free(&l.in_file);
        return status;
}

static pawl_status fill_conflicts(own_result *result, pawl__state *state, pawl_text run_id,
        pawl__arena *scratch, pawl_error *err)
{
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status;

        status = pawl__state_conflicts(
                &rows, &n, state, run_id, (pawl_text){NULL, 0}, true, scratch, err);
        if (status)
                return status;
        pawl_run_conflict *conflicts = pawl__arena_array(&result->arena, n, sizeof *conflicts);
        if (!conflicts)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++)
                conflicts[i] = (pawl_run_conflict){keep(result, rows[i].v[PAWL__CON_ID].text),
                        rows[i].v[PAWL__CON_CANDIDATES].text.len > strlen("[]"),
                        pawl__is_question(rows[i].v[PAWL__CON_TYPE].text),
                        keep(result, rows[i].v[PAWL__CON_STEP].text)};
        result->shown.conflicts = conflicts;
        result->shown.n_conflicts = n;
        return pawl__arena_check(&result->arena, err);
}

static pawl_status fill_changes(own_result *result, const pawl__runner *r, pawl_error *err)
{
        const pawl_changed_inputs *inputs = &r->changed_inputs;
        pawl_changed_member *members =
                pawl__arena_array(&result->arena, inputs->n, sizeof *members);

        pawl_mission_change *changes =
                pawl__arena_array(&result->arena, r->changes.n, sizeof *changes);
        if (!members || !changes)
                return pawl__nomem(err);
        for (size_t i = 0; i < r->changes.n; i++)
                changes[i] =
                        (pawl_mission_change){keep(result, pawl__text(r->changes.items[i].step_id)),
                                r->changes.items[i].change};
        result->shown.changes = changes;
        result->shown.n_changes = r->changes.n;
        for (size_t i = 0; i < inputs->n; i++)
                members[i] = (pawl_changed_member){
                        pawl__arena_copy(&result->arena, inputs->items[i].path),
                        pawl__arena_copy(&result->arena, inputs->items[i].before),
                        pawl__arena_copy(&result->arena, inputs->items[i].after)};
        result->shown.inputs = (pawl_changed_inputs){keep(result, pawl__text(inputs->step_id)),
                members, inputs->n, keep(result, pawl__text(inputs->checkpoint_hash)),
                keep(result, pawl__text(inputs->current_hash))};
        return pawl__arena_check(&result->arena, err);
}

static pawl_status fill(own_result *result, const pawl__runner *r, pawl_text session_id,
        const pawl_mission *mission, pawl__arena *scratch, pawl_error *err)
{
        pawl__row run = {0};
        pawl_status status;

        run.v[PAWL__RUN_ID].text = r->run_id;
        status = pawl__state_get(r->state, PAWL__RUNS, &run, scratch, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "run %.*s: is not in the state tables; see `eventlog replay --check`",
                        PAWL__FMT(r->run_id));
        if (status)
                return status;
        result->shown.run_id = keep(result, r->run_id);
        result->shown.mission_id = keep(result, run.v[PAWL__RUN_MISSION].text);
        result->shown.steps_completed = (uint64_t)run.v[PAWL__RUN_DONE].integer;
        result->shown.steps_total = (uint64_t)run.v[PAWL__RUN_STEPS].integer;
        result->shown.session_id = keep(result, session_id);
        result->shown.cancelled = pawl__text_is(run.v[PAWL__RUN_STATUS].text, "cancelled");
        result->shown.status =
                result->shown.cancelled ? "failed" : status_name(run.v[PAWL__RUN_STATUS].text);
        status = fill_steps(result, r, mission, err);
        if (!status)
                status = fill_conflicts(result, r->state, r->run_id, scratch, err);
        return status ? status : fill_changes(result, r, err);
}

pawl_status pawl__run_result_make(pawl_run_result **out, const pawl__runner *r,
        pawl_text session_id, const pawl_mission *mission, pawl_error *err)
{
        pawl__arena scratch = PAWL__ARENA_INIT;
        own_result *result = calloc(1, sizeof *result);
        pawl_status status;

        if (!result)
                return pawl__nomem(err);
        result->shown.signal = r->signal;
        status = fill(result, r, session_id, mission, &scratch, err);
        pawl__arena_free(&scratch);
        if (status)
                pawl_run_result_free(&result->shown);
        else
                *out = &result->shown;
        return status;
}
