#include "mission/steering.h"
#include "base/error.h"
#include "mission/graph.h"
#include "mission/runner.h"
#include "pipeline/question.h"
#include <stdio.h>

typedef struct looking {
        pawl__steering *out;
        pawl_log *log;
        pawl__state *state;
        pawl__run_steps steps;
        pawl__needs *needs;
        pawl_text *when;
        pawl__row *open; /* conflicts */
        size_t n_open;
        pawl__map again; /* ids of steps that would run though they completed */
        pawl__arena *arena;
        pawl_error *err;
} looking;

static const char *say(looking *l, const char *before, pawl_text text, const char *after)
{
        char line[300];
        bool ok = true;

        snprintf(line, sizeof line, "%s %.*s%s", before, PAWL__FMT(text), after);
        const pawl_text kept = pawl__arena_text(l->arena, pawl__text(line), &ok);
        return ok ? kept.data : NULL; /* the arena remembers */
}

static bool is(const pawl__steering_step *step, const char *status)
{
        return pawl__text_is(step->status, status);
}

static bool has_ended(const pawl__steering_step *step)
{
        return is(step, "completed") || is(step, "skipped");
}

static bool then_is(const pawl__steering_step *step, const char *then)
{
        return step->then && strcmp(step->then, then) == 0;
}

/* ---- Cancelling ----------------------------------------------------------------------------- */

static void cancelled(pawl__steering_step *step)
{
        if (has_ended(step)) {
                step->then = "stays";
        } else if (is(step, "running")) {
                step->then = "ends";
                step->why = "its command gets TERM";
        } else {
                step->then = "never";
        }
}

/* As the claim that cancels would be refused. */
static void refuse_cancel(looking *l)
{
        const pawl__run_view *run = &l->out->run;

        if (pawl__text_is(run->status, "completed") || pawl__text_is(run->status, "cancelled"))
                pawl__fail(&l->out->refused, PAWL_ESTATE,
                        "run %.*s: is %.*s; only a run that has not ended can be cancelled",
                        PAWL__FMT(run->row.v[PAWL__RUN_ID].text), PAWL__FMT(run->status));
}

/* ---- Resuming ------------------------------------------------------------------------------- */

static size_t questions_of(const looking *l, pawl_text step_id)
{
        size_t n = 0;

        for (size_t i = 0; i < l->n_open; i++)
                n += pawl__text_eq(l->open[i].v[PAWL__CON_STEP].text, step_id);
        return n;
}

static const char *why_again(const looking *l, pawl_text step_id)
{
        static const char *const words[][2] = {{"inputs", "its inputs changed"},
                {"run", "its command changed"}, {"moved", "it was moved"},
                {"glossary", "it was told a definition that does not hold any more"}};

        for (size_t i = 0; i < l->out->n_changes; i++)
                for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
                        if (pawl__text_is(step_id, l->out->changes[i].step_id) &&
                                strcmp(l->out->changes[i].change, words[k][0]) == 0)
                                return words[k][1];
        return "it takes from a step that runs again";
}

static bool is_removed(const looking *l, pawl_text step_id)
{
        for (size_t i = 0; i < l->out->n_changes; i++)
                if (pawl__text_is(step_id, l->out->changes[i].step_id) &&
                        strcmp(l->out->changes[i].change, "removed") == 0)
                        return true;
        return false;
}

static void resumed(looking *l, pawl__steering_step *step, pawl_text when)
{
        const size_t asked = is(step, "blocked") ? questions_of(l, step->step_id) : 0;

        step->then = "runs";
        if (is_removed(l, step->step_id)) {
                step->then = "left";
                step->why = "the mission has it no more";
        } else if (pawl__map_get(&l->again, step->step_id) != PAWL__MAP_NONE && has_ended(step)) {
                step->then = "again";
                step->why = why_again(l, step->step_id);
        } else if (has_ended(step)) {
                step->then = "stays";
        } else if (asked) {
                step->then = "asks";
                step->why = asked == 1 ? "a question of it is open" : "questions of it are open";
        } else if (is(step, "blocked")) {
                step->why = "its answers are in";
        } else if (is(step, "failed")) {
                step->why = "it failed";
        } else if (is(step, PAWL__STEP_UNFINISHED)) {
                step->why = "it was at work when the run was interrupted";
        } else if (when.data) {
                step->why = say(l, "if", when, " says so");
        }
}

/* Those behind one that waits for answers; a need may be behind what needs it. */
static void pass_waiting_on(looking *l)
{
        pawl__steering_step *steps = l->out->steps;
        bool more = true;

        while (more) {
                more = false;
                for (size_t i = 0; i < l->steps.n; i++)
                        for (size_t k = 0; k < l->needs[i].n && then_is(&steps[i], "runs"); k++) {
                                const pawl__steering_step *on = &steps[l->needs[i].items[k]];
                                if (!then_is(on, "asks") && !then_is(on, "waits"))
                                        continue;
                                steps[i].then = "waits";
                                steps[i].why = say(l, "for", on->step_id, "");
                                more = true;
                        }
        }
}

static pawl_status keep_changes(looking *l, const pawl__runner *r)
{
        const pawl__mission_changes *changes = &r->changes;

        l->out->changes = pawl__arena_array(l->arena, changes->n, sizeof *l->out->changes);
        for (size_t i = 0; i < changes->n && l->out->changes; i++)
                l->out->changes[l->out->n_changes++] = (pawl_mission_change){
                        pawl__arena_copy(l->arena, pawl__text(changes->items[i].step_id)).data,
                        changes->items[i].change};
        for (size_t i = 0; changes->rerun && r->options.rerun_changed && i < r->mission->n_steps;
                i++) {
                const pawl_text id = pawl__arena_copy(l->arena, r->mission->steps[i].id);
                if (changes->rerun[i] && pawl__map_put(&l->again, id, 1))
                        return pawl__nomem(l->err);
        }
        return pawl__arena_check(l->arena, l->err);
}

/* What the resume itself would find before it claims the run. */
static pawl_status try_resume(looking *l, pawl_text run_id, const pawl_run_options *options)
{
        pawl__runner r;
        pawl_status status = pawl__runner_open(&r, l->log, options);

        if (!status)
                status = pawl__runner_try_resume(&r, run_id);
        if (status)
                l->out->refused = r.error;
        status = status == PAWL_ENOMEM ? pawl__nomem(l->err) : keep_changes(l, &r);
        pawl__runner_free(&r);
        return status;
}

static pawl_status try_skip(looking *l, pawl_text run_id, pawl_text step_id)
{
        const pawl_status status = pawl__skip_try(l->log, run_id, step_id, &l->out->refused);

        if (status != PAWL_ENOMEM && status != PAWL_ENOTFOUND)
                return PAWL_OK;
        *l->err = l->out->refused;
        return status;
}

/* Steps that the file has and the run not yet. */
static void add_new(looking *l)
{
        pawl__steering *out = l->out;

        for (size_t i = 0; i < out->n_changes; i++)
                if (strcmp(out->changes[i].change, "added") == 0)
                        out->steps[out->n_steps++] = (pawl__steering_step){
                                pawl__text(out->changes[i].step_id), pawl__text("pending"),
                                pawl__text("pending"), "runs", "it is new"};
}

/* ---- All of them ---------------------------------------------------------------------------- */

static pawl_status read_run(looking *l, pawl_text run_id)
{
        bool graph;
        pawl_status status =
                pawl__run_get(&l->out->run, &l->steps, l->log, run_id, l->arena, l->err);

        if (!status)
                status = pawl__run_needs(&l->needs, &l->when, &graph, l->log, &l->out->run.row,
                        l->steps.rows, l->steps.n, l->arena, l->err);
        if (!status)
                status = pawl__state_of(&l->state, l->log, l->err);
        return status ? status
                      : pawl__state_conflicts(&l->open, &l->n_open, l->state,
                                l->out->run.row.v[PAWL__RUN_ID].text, (pawl_text){NULL, 0}, true,
                                l->arena, l->err);
}

static pawl_status fill(looking *l, pawl__steering_action action, pawl_text step_id)
{
        pawl__steering *out = l->out;

        out->steps = pawl__arena_array(l->arena, l->steps.n + out->n_changes, sizeof *out->steps);
        pawl_status status = PAWL_OK;
        if (!out->steps)
                return pawl__nomem(l->err);
        for (size_t i = 0; i < l->steps.n && !status; i++) {
                pawl__steering_step *step = &out->steps[out->n_steps++];
                pawl__expired expired = {.question = {NULL, 0}};
                step->step_id = l->steps.rows[i].v[PAWL__STEP_ID].text;
                step->status = pawl__row_step_status(&l->steps.rows[i]);
                step->word = pawl__step_status_word(step->status);
                if (action == PAWL__STEER_CANCEL)
                        cancelled(step);
                else
                        resumed(l, step, l->when[i]);
                if (action != PAWL__STEER_CANCEL && is(step, "blocked") &&
                        !questions_of(l, step->step_id))
                        status = pawl__question_expired(&expired, l->log, l->state,
                                out->run.row.v[PAWL__RUN_ID].text, step->step_id, l->arena, l->err);
                if (expired.question.data)
                        step->why = expired.otherwise.data
                                            ? "nobody answered in time, and `otherwise` counts"
                                            : "nobody answered in time, so that it fails";
                if (action == PAWL__STEER_SKIP && pawl__text_eq(step->step_id, step_id)) {
                        step->then = "skipped";
                        step->why = NULL;
                }
        }
        if (action != PAWL__STEER_CANCEL)
                pass_waiting_on(l);
        add_new(l);
        return status ? status : pawl__arena_check(l->arena, l->err);
}

pawl_status pawl__steering_preview(pawl__steering *out, pawl_log *log, pawl__steering_action action,
        pawl_text run_id, pawl_text step_id, const pawl_run_options *options, pawl__arena *arena,
        pawl_error *err)
{
        looking l = {.out = out, .log = log, .again = PAWL__MAP_INIT, .arena = arena, .err = err};

        *out = (pawl__steering){.refused = PAWL_ERROR_INIT};
        pawl_status status = read_run(&l, run_id);
        run_id = out->run.row.v[PAWL__RUN_ID].text;
        if (!status && action == PAWL__STEER_RESUME)
                status = try_resume(&l, run_id, options);
        else if (!status && action == PAWL__STEER_CANCEL)
                refuse_cancel(&l);
        else if (!status)
                status = try_skip(&l, run_id, step_id);
        if (!status)
                status = fill(&l, action, step_id);
        pawl__map_free(&l.again);
        return status;
}
