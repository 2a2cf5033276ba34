/* What a run came to, read from the state tables. */
#include "base/error.h"
#include "base/map.h"
#include "mission/runner.h"
#include <stdlib.h>

struct pawl_run_result {
        pawl__arena arena;
        const char *run_id, *mission_id, *session_id, *status;
        pawl_step_result *steps;
        size_t n_steps;
        const char **conflicts;
        bool *can_pick; /* of each conflict */
        size_t n_conflicts;
        pawl_mission_change *changes;
        size_t n_changes;
        pawl_changed_inputs inputs;
        int signal;
};

void pawl_run_result_free(pawl_run_result *result)
{
        if (!result)
                return;
        pawl__arena_free(&result->arena);
        free(result);
}

static const char *keep(pawl_run_result *result, pawl_text text)
{
        return pawl__arena_copy(&result->arena, text).data;
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

static pawl_step_result step_of(pawl_run_result *result, const pawl__row *row)
{
        return (pawl_step_result){keep(result, row->v[PAWL__STEP_ID].text),
                keep(result, row->v[PAWL__STEP_STATUS].text),
                keep(result, row->v[PAWL__STEP_TOKEN].text),
                keep(result, row->v[PAWL__STEP_CURSOR].text)};
}

/* The mission's steps in its order, those that the run does not know yet as pending; then those
 * that the run knows and the mission's file no longer has. */
static pawl_status merge_steps(pawl_run_result *result, const pawl__row *rows, size_t n,
        const pawl_mission *mission, pawl__map *known)
{
        size_t in_file = mission ? mission->n_steps : 0;
        bool *listed = pawl__arena_array(&result->arena, n, sizeof *listed);

        result->steps = pawl__arena_array(&result->arena, in_file + n, sizeof *result->steps);
        if (!result->steps || !listed)
                return PAWL_ENOMEM;
        for (size_t i = 0; i < n; i++)
                if (pawl__map_put(known, rows[i].v[PAWL__STEP_ID].text, (uint32_t)i))
                        return PAWL_ENOMEM;
        for (size_t i = 0; i < in_file; i++) {
                pawl_text id = mission->steps[i].id;
                uint32_t at = pawl__map_get(known, id);
                if (at == PAWL__MAP_NONE) {
                        result->steps[result->n_steps++] =
                                (pawl_step_result){keep(result, id), "pending", NULL, NULL};
                        continue;
                }
                listed[at] = true;
                result->steps[result->n_steps++] = step_of(result, &rows[at]);
        }
        for (size_t i = 0; i < n; i++)
                if (!listed[i])
                        result->steps[result->n_steps++] = step_of(result, &rows[i]);
        return PAWL_OK;
}

static pawl_status fill_steps(pawl_run_result *result, pawl__state *state, pawl_text run_id,
        const pawl_mission *mission, pawl__arena *scratch, pawl_error *err)
{
        pawl__map known = PAWL__MAP_INIT;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status;

        status = pawl__state_steps(&rows, &n, state, run_id, scratch, err);
        if (status)
                return status;
        status = merge_steps(result, rows, n, mission, &known);
        pawl__map_free(&known);
        return status ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status fill_conflicts(pawl_run_result *result, pawl__state *state, pawl_text run_id,
        pawl__arena *scratch, pawl_error *err)
{
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status;

        status = pawl__state_conflicts(
                &rows, &n, state, run_id, (pawl_text){NULL, 0}, true, scratch, err);
        if (status)
                return status;
        result->conflicts = pawl__arena_array(&result->arena, n, sizeof *result->conflicts);
        result->can_pick = pawl__arena_array(&result->arena, n, sizeof *result->can_pick);
        if (!result->conflicts || !result->can_pick)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++) {
                result->conflicts[i] = keep(result, rows[i].v[PAWL__CON_ID].text);
                result->can_pick[i] = rows[i].v[PAWL__CON_CANDIDATES].text.len > strlen("[]");
        }
        result->n_conflicts = n;
        return pawl__arena_check(&result->arena, err);
}

static pawl_status fill_changes(pawl_run_result *result, const pawl__runner *r, pawl_error *err)
{
        const pawl_changed_inputs *inputs = &r->changed_inputs;
        pawl_changed_member *members =
                pawl__arena_array(&result->arena, inputs->n, sizeof *members);

        result->changes = pawl__arena_array(&result->arena, r->changes.n, sizeof *result->changes);
        if (!members || !result->changes)
                return pawl__nomem(err);
        for (; result->n_changes < r->changes.n; result->n_changes++) {
                const pawl_mission_change *change = &r->changes.items[result->n_changes];
                result->changes[result->n_changes] = (pawl_mission_change){
                        keep(result, pawl__text(change->step_id)), change->change};
        }
        for (size_t i = 0; i < inputs->n; i++)
                members[i] = (pawl_changed_member){
                        pawl__arena_copy(&result->arena, inputs->items[i].path),
                        pawl__arena_copy(&result->arena, inputs->items[i].before),
                        pawl__arena_copy(&result->arena, inputs->items[i].after)};
        result->inputs = (pawl_changed_inputs){keep(result, pawl__text(inputs->step_id)), members,
                inputs->n, keep(result, pawl__text(inputs->checkpoint_hash)),
                keep(result, pawl__text(inputs->current_hash))};
        return pawl__arena_check(&result->arena, err);
}

static pawl_status fill(pawl_run_result *result, const pawl__runner *r, pawl_text session_id,
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
        result->run_id = keep(result, r->run_id);
        result->mission_id = keep(result, run.v[PAWL__RUN_MISSION].text);
        result->session_id = keep(result, session_id);
        result->status = status_name(run.v[PAWL__RUN_STATUS].text);
        status = fill_steps(result, r->state, r->run_id, mission, scratch, err);
        if (!status)
                status = fill_conflicts(result, r->state, r->run_id, scratch, err);
        return status ? status : fill_changes(result, r, err);
}

pawl_status pawl__run_result_make(pawl_run_result **out, const pawl__runner *r,
        pawl_text session_id, const pawl_mission *mission, pawl_error *err)
{
        pawl__arena scratch = PAWL__ARENA_INIT;
        pawl_run_result *result = calloc(1, sizeof *result);
        pawl_status status;

        if (!result)
                return pawl__nomem(err);
        result->signal = r->signal;
        status = fill(result, r, session_id, mission, &scratch, err);
        pawl__arena_free(&scratch);
        if (status)
                pawl_run_result_free(result);
        else
                *out = result;
        return status;
}

const char *pawl_run_result_run_id(const pawl_run_result *result)
{
        return result->run_id;
}

const char *pawl_run_result_mission_id(const pawl_run_result *result)
{
        return result->mission_id;
}

const char *pawl_run_result_session_id(const pawl_run_result *result)
{
        return result->session_id;
}

const char *pawl_run_result_status(const pawl_run_result *result)
{
        return result->status;
}

size_t pawl_run_result_steps(const pawl_run_result *result)
{
        return result->n_steps;
}

const pawl_step_result *pawl_run_result_step(const pawl_run_result *result, size_t index)
{
        return index < result->n_steps ? &result->steps[index] : NULL;
}

size_t pawl_run_result_conflicts(const pawl_run_result *result)
{
        return result->n_conflicts;
}

const char *pawl_run_result_conflict(const pawl_run_result *result, size_t index)
{
        return index < result->n_conflicts ? result->conflicts[index] : NULL;
}

bool pawl_run_result_can_pick(const pawl_run_result *result, size_t index)
{
        return index < result->n_conflicts && result->can_pick[index];
}

int pawl_run_result_signal(const pawl_run_result *result)
{
        return result->signal;
}

const pawl_mission_change *pawl_run_result_mission_changes(const pawl_run_result *result, size_t *n)
{
        *n = result->n_changes;
        return result->changes;
}

const pawl_changed_inputs *pawl_run_result_changed_inputs(const pawl_run_result *result)
{
        return &result->inputs;
}
