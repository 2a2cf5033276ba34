/* What the log has for its rules of a mission's steps: what they need, and how strict they are. */
#include "base/error.h"
#include "base/ids.h"
#include "mission/ask.h"
#include "mission/graph.h"
#include "mission/runner.h"
#include "state/step_plan.h"

/* In the order of pawl__context_effective(), before a checkpoint has one. */
static int strictness_of(const pawl__runner *r, const pawl__step *step)
{
        const pawl__strictness by_precedence[] = {r->runtime, step->settings.strictness,
                r->mission->settings.strictness, r->project, PAWL__STRICTNESS_MEDIUM};
        size_t i = 0;

        while (by_precedence[i] == PAWL__STRICTNESS_UNSET)
                i++;
        return pawl__strictness_rank(pawl__text(pawl__strictness_name(by_precedence[i])));
}

static pawl_status make(pawl__buf *plan, pawl__runner *r, size_t index)
{
        const pawl__step *step = &r->mission->steps[index];
        const pawl__needs *needs = &r->mission->needs[index];
        char ask[65] = "";

        if (step->ask)
                TRY(pawl__ask_hash(ask, r->mission, step, r->log, &r->error));
        pawl__plan_begin(plan, strictness_of(r, step), step->when != PAWL__NO_NODE,
                pawl__text(step->ask ? ask : NULL));
        for (size_t i = 0; i < needs->n; i++)
                pawl__plan_need(plan, r->mission->steps[needs->items[i]].id);
        return pawl__buf_check(plan, &r->error);
}

pawl_status pawl__runner_write_plan(pawl__runner *r, pawl__json_writer *w)
{
        pawl__buf plan = PAWL__BUF_INIT;
        pawl_text before = {NULL, 0};
        pawl_status status = PAWL_OK;

        pawl__json_name(w, "steps");
        pawl__json_open_array(w);
        for (size_t i = 0; i < r->mission->n_steps; i++)
                pawl__json_text(w, r->mission->steps[i].id);
        pawl__json_close_array(w);
        pawl__json_name(w, "plan");
        pawl__json_open_array(w);
        for (size_t i = 0; i < r->mission->n_steps && !status; i++) {
                status = make(&plan, r, i);
                if (!status)
                        pawl__plan_write(w, pawl__buf_text(&plan), before);
                before = r->mission->steps[i].id;
        }
        pawl__json_close_array(w);
        pawl__buf_free(&plan);
        return status;
}

static bool is_there(const pawl__row *step)
{
        return !pawl__text_is(step->v[PAWL__STEP_STATUS].text, "skipped");
}

/* A step that was removed once it was completed may need others that are gone. */
static void take(pawl__buf *plan, pawl_text text, pawl_text ask, const pawl__map *ids)
{
        pawl__plan_needs needs = pawl__plan_needs_of(text);
        char room[PAWL__ID_MAX];
        pawl_text need;

        pawl__plan_begin(plan, pawl__plan_strictness(text), pawl__plan_has_when(text), ask);
        while ((need = pawl__plan_next(&needs, room)).data)
                if (pawl__map_get(ids, need) != PAWL__MAP_NONE)
                        pawl__plan_need(plan, need);
}

pawl_status pawl__rows_write_plan(pawl__json_writer *w, const pawl__row *steps, size_t n,
        const pawl_mission *mission, pawl_log *log, pawl_error *err)
{
        pawl__buf plan = PAWL__BUF_INIT;
        pawl__map ids = PAWL__MAP_INIT;
        pawl_text before = {NULL, 0};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < n && !status; i++)
                if (is_there(&steps[i]) && pawl__map_put(&ids, steps[i].v[PAWL__STEP_ID].text, 0))
                        status = pawl__nomem(err);
        pawl__json_name(w, "plan");
        pawl__json_open_array(w);
        for (size_t i = 0; i < n && !status; i++) {
                if (!is_there(&steps[i]))
                        continue;
                const pawl_text text = steps[i].v[PAWL__STEP_PLAN].text;
                const size_t at =
                        mission ? pawl__mission_find(mission, steps[i].v[PAWL__STEP_ID].text)
                                : SIZE_MAX;
                pawl_text ask = pawl__plan_ask(text);
                char hash[65];
                if (ask.data && at != SIZE_MAX && mission->steps[at].ask) {
                        status = pawl__ask_hash(hash, mission, &mission->steps[at], log, err);
                        ask = pawl__text_n(hash, 64);
                }
                take(&plan, text, ask, &ids);
                if (!status)
                        status = pawl__buf_check(&plan, err);
                if (!status)
                        pawl__plan_write(w, pawl__buf_text(&plan), before);
                before = steps[i].v[PAWL__STEP_ID].text;
        }
        pawl__json_close_array(w);
        pawl__map_free(&ids);
        pawl__buf_free(&plan);
        return status;
}

/* Has the mission's file or the project other ones than the log? */
static pawl_status is_other(bool *other, pawl__runner *r)
{
        pawl__buf plan = PAWL__BUF_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__map at = PAWL__MAP_INIT;
        pawl__row *rows;
        size_t n = 0;
        pawl_status status = pawl__state_steps(&rows, &n, r->state, r->run_id, &arena, &r->error);

        for (size_t i = 0; i < n && !status; i++)
                if (pawl__map_put(&at, rows[i].v[PAWL__STEP_ID].text, (uint32_t)i))
                        status = pawl__nomem(&r->error);
        *other = false;
        for (size_t i = 0; i < r->mission->n_steps && !status; i++) {
                const uint32_t row = pawl__map_get(&at, r->mission->steps[i].id);
                status = make(&plan, r, i);
                if (row != PAWL__MAP_NONE && !status &&
                        !pawl__text_eq(pawl__buf_text(&plan), rows[row].v[PAWL__STEP_PLAN].text))
                        *other = true;
        }
        pawl__map_free(&at);
        pawl__arena_free(&arena);
        pawl__buf_free(&plan);
        return status;
}

/* Nothing of it is asked about: it is recorded, and the run is compared with the same document. */
static pawl_status emit(pawl__runner *r)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_raw(&w, "changes", pawl__text("[]"));
        pawl__json_member_raw(&w, "rerun", pawl__text("[]"));
        const pawl_status status = pawl__runner_write_plan(r, &w);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        return pawl__runner_emit(r, PAWL__RUN_MISSION_CHANGED, (pawl_text){NULL, 0}, &w);
}

pawl_status pawl__runner_hold_plan(pawl__runner *r, const pawl__row *run)
{
        bool other = false;

        if (run->v[PAWL__RUN_RULES].integer & PAWL__RULES_PLANNED)
                TRY(is_other(&other, r));
        return other ? emit(r) : PAWL_OK;
}
