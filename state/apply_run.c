/* What the events of a run change. */
#include "base/error.h"
#include "base/map.h"
#include "state/rules.h"
#include "state/rules_of.h"
#include "state/step_plan.h"
#include "state/threads.h"

enum { MANY_STEPS = 512 }; /* of a run that begins: more are not kept for the next event */

/* The event's run, or a new one of which only the ids are known. */
static pawl_status run_or_new(pawl__row *run, bool *is_new, const pawl__apply_ctx *a)
{
        pawl_status status;

        status = pawl__apply_find_run(run, a);
        *is_new = status == PAWL_ENOTFOUND;
        if (*is_new) {
                run->v[PAWL__RUN_MISSION].text = a->event->mission_id;
                run->v[PAWL__RUN_STATUS].text = pawl__text("running");
                run->v[PAWL__RUN_STARTED_SEQ].integer = (int64_t)a->event->seq;
                /* An imported run, which begins with RunStarted, is not judged. */
                run->v[PAWL__RUN_RULES].integer =
                        a->event->v < 2 ? 0
                        : pawl__json_get(a->tree, 0, "origin") == PAWL__NO_NODE
                                ? PAWL__RULES_JUDGED
                                : PAWL__RULES_IMPORTED;
        }
        return *is_new ? PAWL_OK : status;
}

pawl_status pawl__apply_run_claimed(pawl__apply_ctx *a)
{
        pawl__row run;
        bool is_new;
        int64_t fence;
        pawl_status status = pawl__apply_integer(&fence, a, 0, "payload", "fence");

        if (status == PAWL_OK)
                status = run_or_new(&run, &is_new, a);
        if (!status && !is_new && pawl__run_is_thread(&run))
                status = pawl__fail(a->err, PAWL_EEXISTS,
                        "run %.*s: is a thread's; the program that runs its graph goes on with it",
                        PAWL__FMT(a->event->run_id));
        if (status)
                return status;
        run.v[PAWL__RUN_FENCE].integer = fence;
        run.v[PAWL__RUN_RULES].integer |= PAWL__RULES_CLAIMED;
        run.v[PAWL__RUN_SESSION].text = a->event->session_id;
        return pawl__apply_put_run(
                a, &run, pawl__text_is(run.v[PAWL__RUN_STATUS].text, "queued") ? "running" : NULL);
}

/* A step that has not begun. */
static pawl__row fresh_step(const pawl__apply_ctx *a, pawl_text step_id, pawl_text plan,
        int64_t order_seq, int64_t number)
{
        pawl__row step = {0};

        step.v[PAWL__STEP_RUN].text = a->event->run_id;
        step.v[PAWL__STEP_ID].text = step_id;
        step.v[PAWL__STEP_ORDER_SEQ].integer = order_seq;
        step.v[PAWL__STEP_NUMBER].integer = number;
        step.v[PAWL__STEP_STATUS].text = pawl__text("pending");
        step.v[PAWL__STEP_EXIT_CODE].integer = -1;
        step.v[PAWL__STEP_PLAN].text = plan;
        return step;
}

static pawl_status put_steps(const pawl__apply_ctx *a, pawl__node steps)
{
        const bool many = pawl__json_at(a->tree, steps)->count > MANY_STEPS;
        pawl__plan_walk walk = pawl__plan_walk_of(a);
        int64_t number = 0;
        pawl_status status = PAWL_OK;

        for (pawl__node n = pawl__json_first(a->tree, steps); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, steps, n)) {
                const pawl_text id = pawl__json_at(a->tree, n)->value;
                pawl_text plan;
                status = pawl__plan_take(&plan, &walk, id);
                pawl__row step = fresh_step(a, id, plan, (int64_t)a->event->seq, ++number);
                if (!status)
                        status = pawl__step_join(&step, a->arena, a->err);
                if (!status)
                        status = (many ? a->store->add : a->store->put)(
                                a->store, PAWL__STEPS, &step, a->err);
        }
        pawl__plan_walk_end(&walk);
        return status;
}

/* Each is a text, and none is there twice. */
static pawl_status check_steps(
        pawl__map *seen, const pawl__apply_ctx *a, pawl__node steps, const char *field)
{
        pawl_status status = PAWL_OK;

        for (pawl__node n = pawl__json_first(a->tree, steps); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, steps, n)) {
                const pawl__json_node *step = pawl__json_at(a->tree, n);
                if (step->type != PAWL__JSON_STRING)
                        status = pawl__apply_refuse(a, PAWL_EINVAL, field,
                                "holds what is no text; name each step by its id");
                else if (pawl__map_get(seen, step->value) != PAWL__MAP_NONE)
                        status = pawl__apply_refuse(a, PAWL_EINVAL, field,
                                "names a step twice; give each an id of its own");
                else if (pawl__map_put(seen, step->value, 0))
                        status = pawl__nomem(a->err);
        }
        return status;
}

/* What the run is compared with: the document of its mission; for a run of an older log, the file.
 */
static pawl_text mission_hash(const pawl__apply_ctx *a)
{
        pawl_text document = pawl__apply_optional(a, "mission_document");

        return document.data ? document : pawl__apply_optional(a, "mission_hash");
}

/* The run is there from now on, with its steps. */
static pawl_status begin_run(pawl__apply_ctx *a, const char *as)
{
        pawl__node steps = pawl__json_get(a->tree, 0, "steps");
        pawl__node refs = pawl__json_get(a->tree, 0, "scope_refs");
        const bool queued = strcmp(as, "queued") == 0;
        pawl__map ids = PAWL__MAP_INIT;
        pawl__row run;
        bool is_new;
        pawl_status status = check_steps(&ids, a, steps, "payload.steps");

        if (!status)
                status = pawl__plan_check(a, steps, &ids);
        pawl__map_free(&ids);
        if (status == PAWL_OK)
                status = pawl__apply_scope_refs(a, refs, true);
        if (status == PAWL_OK)
                status = run_or_new(&run, &is_new, a);
        if (status)
                return status;
        if (run.v[PAWL__RUN_SCOPE_REFS].text.data || (queued && !is_new))
                return pawl__fail(a->err, PAWL_EEXISTS,
                        "run %.*s: has started already; resume it, or start a run of another id",
                        PAWL__FMT(a->event->run_id));

        run.v[PAWL__RUN_MISSION].text = a->event->mission_id;
        run.v[PAWL__RUN_STARTED_SEQ].integer = (int64_t)a->event->seq;
        run.v[PAWL__RUN_MISSION_HASH].text = mission_hash(a);
        run.v[PAWL__RUN_MISSION_PATH].text = pawl__apply_optional(a, "mission_path");
        run.v[PAWL__RUN_STRICTNESS].text = pawl__apply_optional(a, "strictness");
        run.v[PAWL__RUN_SCOPE_REFS].text = pawl__json_at(a->tree, refs)->value;
        run.v[PAWL__RUN_STEPS].integer = run.v[PAWL__RUN_IN_MISSION].integer =
                pawl__json_at(a->tree, steps)->count;
        if (pawl__json_get(a->tree, 0, "plan") != PAWL__NO_NODE)
                run.v[PAWL__RUN_RULES].integer |= PAWL__RULES_PLANNED;
        run.v[PAWL__RUN_UNTOLD].integer =
                pawl__json_get(a->tree, 0, "notify") == PAWL__NO_NODE ? 0 : -1;
        if (pawl__json_get(a->tree, 0, "forked_from") != PAWL__NO_NODE)
                run.v[PAWL__RUN_RULES].integer |= PAWL__RULES_FORKING;
        status = pawl__apply_put_run(a, &run, as);
        if (status == PAWL_OK)
                status = put_steps(a, steps);
        if (status == PAWL_OK)
                status = pawl__apply_scope_refs(a, refs, false);
        return status;
}

pawl_status pawl__apply_run_started(pawl__apply_ctx *a)
{
        return begin_run(a, "running");
}

/* It waits for a worker, whose claim is its start. */
pawl_status pawl__apply_run_submitted(pawl__apply_ctx *a)
{
        pawl__row checkpoint;
        int64_t n;
        pawl_status status = pawl__apply_integer(&n, a, 0, "payload", "checkpoint");

        if (!status)
                status = pawl__apply_workspace(&checkpoint, a, n, "checkpoint");
        return status ? status : begin_run(a, "queued");
}

static pawl_status run_ends(pawl__apply_ctx *a, const char *as)
{
        pawl__row run;
        pawl_status status = pawl__apply_run(&run, a);

        if (status)
                return status;
        if (run.v[PAWL__RUN_UNTOLD].integer)
                run.v[PAWL__RUN_UNTOLD].integer = (int64_t)a->event->seq;
        run.v[PAWL__RUN_REASON].text = pawl__apply_optional(a, "reason");
        run.v[PAWL__RUN_RULES].integer &= ~PAWL__RULES_CLAIMED;
        return pawl__apply_put_run(a, &run, as);
}

pawl_status pawl__apply_run_completed(pawl__apply_ctx *a)
{
        return run_ends(a, "completed");
}

pawl_status pawl__apply_run_failed(pawl__apply_ctx *a)
{
        return run_ends(a, "failed");
}

/* For good: nothing of it holds anybody back any more. */
pawl_status pawl__apply_run_cancelled(pawl__apply_ctx *a)
{
        pawl__row run;
        pawl_status status = pawl__apply_run(&run, a);

        if (status)
                return status;
        if (pawl__text_is(run.v[PAWL__RUN_STATUS].text, "completed") ||
                pawl__text_is(run.v[PAWL__RUN_STATUS].text, "cancelled"))
                return pawl__fail(a->err, PAWL_ESTATE,
                        "run %.*s: is %.*s; only a run that has not ended can be cancelled",
                        PAWL__FMT(a->event->run_id), PAWL__FMT(run.v[PAWL__RUN_STATUS].text));
        run.v[PAWL__RUN_REASON].text = pawl__apply_optional(a, "reason");
        if (run.v[PAWL__RUN_UNTOLD].integer)
                run.v[PAWL__RUN_UNTOLD].integer = -1;
        run.v[PAWL__RUN_RULES].integer &= ~PAWL__RULES_CLAIMED;
        return pawl__apply_put_run(a, &run, "cancelled");
}

/* Nobody need be told of that event, or of one before it, any more. */
pawl_status pawl__apply_run_notified(pawl__apply_ctx *a)
{
        pawl__row run;
        int64_t seq;
        pawl_status status = pawl__apply_integer(&seq, a, 0, "payload", "seq");

        if (!status)
                status = pawl__apply_run(&run, a);
        if (status)
                return status;
        if (run.v[PAWL__RUN_UNTOLD].integer <= seq)
                run.v[PAWL__RUN_UNTOLD].integer = -1;
        return pawl__apply_put_run(a, &run, NULL);
}

/* ---- The mission changes --------------------------------------------------------------------- */

/* A step that has left the mission comes after all of its steps. */
enum { GONE = 1 << 30 };

struct change {
        pawl__row run;
        pawl__map steps, rerun; /* ids of the mission's steps, and of those that run again */
};

static bool step_is(const pawl__row *step, const char *status)
{
        return pawl__text_is(step->v[PAWL__STEP_STATUS].text, status);
}

static pawl_status get_step(pawl__row *step, const pawl__apply_ctx *a, pawl_text step_id)
{
        *step = (pawl__row){0};
        step->v[PAWL__STEP_RUN].text = a->event->run_id;
        step->v[PAWL__STEP_ID].text = step_id;
        return a->store->get(a->store, PAWL__STEPS, step, a->err);
}

/* Has the mission that step so far? */
static pawl_status had_step(bool *had, const pawl__apply_ctx *a, pawl_text step_id)
{
        pawl__row step;
        const pawl_status status = get_step(&step, a, step_id);

        *had = !status && step.v[PAWL__STEP_NUMBER].integer < GONE;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Has the run another document of its mission now? */
static bool is_other_mission(const struct change *c, const pawl__apply_ctx *a)
{
        const pawl_text hash = mission_hash(a);

        return hash.data && !pawl__text_eq(hash, c->run.v[PAWL__RUN_MISSION_HASH].text);
}

static pawl_status check_change(const pawl__apply_ctx *a, pawl__node change, const struct change *c)
{
        pawl_text step_id, what;

        if (pawl__json_at(a->tree, change)->type != PAWL__JSON_OBJECT)
                return pawl__apply_refuse(a, PAWL_EINVAL, "payload.changes",
                        "holds what is no object; write objects");
        pawl_status status = pawl__apply_text(&step_id, a, change, "payload.changes[]", "step_id");
        if (!status)
                status = pawl__apply_text(&what, a, change, "payload.changes[]", "change");
        if (!status && c->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED &&
                c->run.v[PAWL__RUN_MISSION_HASH].text.data && !is_other_mission(c, a) &&
                !pawl__text_is(what, "inputs") && !pawl__text_is(what, "glossary"))
                return pawl__rules_refuse(a, "mission",
                        "step %.*s: \"%.*s\" is no change that a mission of one document has",
                        PAWL__FMT(step_id), PAWL__FMT(what));
        return status;
}

/* Does `changes` name each step that comes or goes, once? One that comes is planned if the others
 * are. */
static pawl_status check_agrees(const struct change *c, const pawl__apply_ctx *a)
{
        const pawl__node steps = pawl__json_get(a->tree, 0, "steps"),
                         changes = pawl__json_get(a->tree, 0, "changes");
        pawl__map named = PAWL__MAP_INIT;
        int64_t stay = 0, added = 0, removed = 0;
        bool agrees = true, had = false;
        pawl_status status = PAWL_OK;

        for (pawl__node n = pawl__json_first(a->tree, steps); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, steps, n)) {
                status = had_step(&had, a, pawl__json_at(a->tree, n)->value);
                stay += had;
        }
        for (pawl__node n = pawl__json_first(a->tree, changes); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, changes, n)) {
                const pawl_text id = pawl__json_get_text(a->tree, n, "step_id"),
                                what = pawl__json_get_text(a->tree, n, "change");
                const bool comes = pawl__text_is(what, "added");
                if (!comes && !pawl__text_is(what, "removed"))
                        continue;
                if (!(status = had_step(&had, a, id)) && pawl__map_put(&named, id, 0))
                        status = pawl__nomem(a->err);
                agrees = agrees && had != comes &&
                         comes == (pawl__map_get(&c->steps, id) != PAWL__MAP_NONE);
                added += comes;
                removed += !comes;
        }
        agrees = agrees && named.count == (size_t)(added + removed) &&
                 stay + added == pawl__json_at(a->tree, steps)->count &&
                 stay + removed == c->run.v[PAWL__RUN_IN_MISSION].integer;
        pawl__map_free(&named);
        if (status)
                return status;
        if (!agrees)
                return pawl__rules_refuse(a, "mission",
                        "changes does not name the steps that were added and removed");
        return added && c->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_PLANNED &&
                               pawl__json_get(a->tree, 0, "plan") == PAWL__NO_NODE
                       ? pawl__rules_refuse(a, "mission", "it adds a step without a plan")
                       : PAWL_OK;
}

static pawl_status check_changes(struct change *c, const pawl__apply_ctx *a)
{
        pawl__node steps = pawl__json_get(a->tree, 0, "steps");
        pawl__node rerun = pawl__json_get(a->tree, 0, "rerun");
        pawl__node changes = pawl__json_get(a->tree, 0, "changes");
        pawl_status status = check_steps(&c->steps, a, steps, "payload.steps");

        if (!status)
                status = pawl__apply_run(&c->run, a);
        if (!status)
                status = pawl__plan_check(a, steps, &c->steps);
        if (!status)
                status = check_steps(&c->rerun, a, rerun, "payload.rerun");
        for (pawl__node n = pawl__json_first(a->tree, changes); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, changes, n))
                status = check_change(a, n, c);
        for (pawl__node n = pawl__json_first(a->tree, rerun); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, rerun, n))
                if (pawl__map_get(&c->steps, pawl__json_at(a->tree, n)->value) == PAWL__MAP_NONE)
                        status = pawl__apply_refuse(a, PAWL_EINVAL, "payload.rerun",
                                "names a step that is not in steps; name those that are");
        if (!status)
                status = check_agrees(c, a);
        return status || is_other_mission(c, a) ||
                               !(c->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED)
                       ? status
                       : pawl__rule_same_asks(a);
}

static void leave_current(struct change *c, pawl_text step_id)
{
        if (pawl__text_eq(c->run.v[PAWL__RUN_CURRENT].text, step_id))
                c->run.v[PAWL__RUN_CURRENT].text = pawl__text(NULL);
}

/* A step of the mission at its place: unchanged, or pending. */
static pawl_status place_step(struct change *c, const pawl__apply_ctx *a, pawl_text step_id,
        pawl_text plan, int64_t number)
{
        pawl__row step;
        pawl_status status = get_step(&step, a, step_id);
        bool absent = status == PAWL_ENOTFOUND;

        if (status && !absent)
                return status;
        if (absent || step_is(&step, "skipped"))
                c->run.v[PAWL__RUN_STEPS].integer++;
        if (absent || step_is(&step, "skipped") ||
                pawl__map_get(&c->rerun, step_id) != PAWL__MAP_NONE) {
                c->run.v[PAWL__RUN_DONE].integer -= !absent && step_is(&step, "completed");
                const pawl__row former = step;
                step = fresh_step(a, step_id, former.v[PAWL__STEP_PLAN].text,
                        c->run.v[PAWL__RUN_STARTED_SEQ].integer, number);
                pawl__apply_keep_asked(&step, &former);
                /* what was asked before holds nothing back */
                step.v[PAWL__STEP_CHECKPOINT_SEQ].integer = absent ? 0 : (int64_t)a->event->seq;
                leave_current(c, step_id);
        }
        step.v[PAWL__STEP_NUMBER].integer = number;
        if (plan.data)
                step.v[PAWL__STEP_PLAN].text = plan;
        return pawl__apply_put(a, PAWL__STEPS, &step);
}

/* A step of another document may ask no longer. */
static pawl_status ask_no_longer(
        const struct change *c, const pawl__apply_ctx *a, pawl_text step_id)
{
        pawl__row step;
        pawl_status status = get_step(&step, a, step_id);

        if (status || !is_other_mission(c, a) || !step.v[PAWL__STEP_QUESTION].text.data)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        step.v[PAWL__STEP_QUESTION].text = pawl__text(NULL);
        return pawl__apply_put(a, PAWL__STEPS, &step);
}

/* What it has completed stays; else it is never run. */
static pawl_status remove_step(struct change *c, const pawl__apply_ctx *a, pawl_text step_id)
{
        pawl__row step;
        pawl_status status = get_step(&step, a, step_id);

        if (status)
                return status;
        if (step.v[PAWL__STEP_NUMBER].integer < GONE)
                step.v[PAWL__STEP_NUMBER].integer += GONE;
        if (!step_is(&step, "completed") && !step_is(&step, "skipped")) {
                pawl__row fresh = fresh_step(a, step_id, step.v[PAWL__STEP_PLAN].text,
                        step.v[PAWL__STEP_ORDER_SEQ].integer, step.v[PAWL__STEP_NUMBER].integer);
                fresh.v[PAWL__STEP_STATUS].text = pawl__text("skipped");
                fresh.v[PAWL__STEP_CHECKPOINT_SEQ].integer = (int64_t)a->event->seq;
                pawl__apply_keep_asked(&fresh, &step);
                step = fresh;
                c->run.v[PAWL__RUN_STEPS].integer--;
                leave_current(c, step_id);
        }
        return pawl__apply_put(a, PAWL__STEPS, &step);
}

static pawl_status put_changes(struct change *c, const pawl__apply_ctx *a)
{
        pawl__node steps = pawl__json_get(a->tree, 0, "steps");
        pawl__node changes = pawl__json_get(a->tree, 0, "changes");
        pawl_text hash = mission_hash(a);
        pawl__plan_walk walk = pawl__plan_walk_of(a);
        int64_t number = 0;
        pawl_status status = PAWL_OK;

        for (pawl__node n = pawl__json_first(a->tree, steps); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, steps, n)) {
                const pawl_text id = pawl__json_at(a->tree, n)->value;
                pawl_text plan;
                status = pawl__plan_take(&plan, &walk, id);
                if (!status)
                        status = place_step(c, a, id, plan, ++number);
        }
        pawl__plan_walk_end(&walk);
        for (pawl__node n = pawl__json_first(a->tree, changes); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, changes, n))
                status = pawl__text_is(pawl__json_get_text(a->tree, n, "change"), "removed")
                                 ? remove_step(c, a, pawl__json_get_text(a->tree, n, "step_id"))
                                 : ask_no_longer(c, a, pawl__json_get_text(a->tree, n, "step_id"));
        if (hash.data)
                c->run.v[PAWL__RUN_MISSION_HASH].text = hash;
        c->run.v[PAWL__RUN_IN_MISSION].integer = number;
        if (walk.list != PAWL__NO_NODE)
                c->run.v[PAWL__RUN_RULES].integer |= PAWL__RULES_PLANNED;
        return status ? status : pawl__apply_put_run(a, &c->run, "running");
}

/* Only its owner changes a run's mission, who goes on with it: it is running. */
pawl_status pawl__apply_run_mission_changed(pawl__apply_ctx *a)
{
        struct change c = {.steps = PAWL__MAP_INIT, .rerun = PAWL__MAP_INIT};
        pawl_status status = check_changes(&c, a);

        if (!status)
                status = put_changes(&c, a);
        pawl__map_free(&c.steps);
        pawl__map_free(&c.rerun);
        return status;
}
