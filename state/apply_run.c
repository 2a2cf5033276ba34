/* What the events of a run change. */
#include "base/error.h"
#include "base/map.h"
#include "state/applying.h"

/* The event's run as it stands, or as a new one that nothing but its ids is known of. */
static pawl_status run_or_new(pawl__row *run, bool *is_new, const pawl__applying *a)
{
        pawl_status status;

        memset(run, 0, sizeof *run);
        run->v[PAWL__RUN_ID].text = a->event->run_id;
        status = a->store->get(a->store, PAWL__RUNS, run, a->err);
        *is_new = status == PAWL_ENOTFOUND;
        if (*is_new) {
                run->v[PAWL__RUN_MISSION].text = a->event->mission_id;
                run->v[PAWL__RUN_STATUS].text = pawl__text("running");
                run->v[PAWL__RUN_STARTED_SEQ].integer = (int64_t)a->event->seq;
        }
        return *is_new ? PAWL_OK : status;
}

pawl_status pawl__apply_run_claimed(pawl__applying *a)
{
        pawl__row run;
        bool is_new;
        int64_t fence;
        pawl_status status = pawl__apply_integer(&fence, a, 0, "payload", "fence");

        if (status == PAWL_OK)
                status = run_or_new(&run, &is_new, a);
        if (status)
                return status;
        run.v[PAWL__RUN_FENCE].integer = fence;
        run.v[PAWL__RUN_SESSION].text = a->event->session_id;
        return pawl__apply_put_run(a, &run, NULL);
}

static pawl_status put_steps(const pawl__applying *a, pawl__node steps)
{
        int64_t number = 0;

        for (pawl__node n = pawl__json_first(a->tree, steps); n != PAWL__NO_NODE;
                n = pawl__json_after(a->tree, steps, n)) {
                pawl__row step = {0};
                step.v[PAWL__STEP_RUN].text = a->event->run_id;
                step.v[PAWL__STEP_ID].text = pawl__json_at(a->tree, n)->value;
                step.v[PAWL__STEP_ORDER_SEQ].integer = (int64_t)a->event->seq;
                step.v[PAWL__STEP_NUMBER].integer = ++number;
                step.v[PAWL__STEP_STATUS].text = pawl__text("pending");
                step.v[PAWL__STEP_EXIT_CODE].integer = -1;
                pawl_status status = pawl__apply_put(a, PAWL__STEPS, &step);
                if (status)
                        return status;
        }
        return PAWL_OK;
}

/* Each is a text, and none stands there twice. */
static pawl_status check_steps(const pawl__applying *a, pawl__node steps)
{
        pawl__map seen = PAWL__MAP_INIT;
        pawl_status status = PAWL_OK;

        for (pawl__node n = pawl__json_first(a->tree, steps); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, steps, n)) {
                const pawl__json_node *step = pawl__json_at(a->tree, n);
                if (step->type != PAWL__JSON_STRING)
                        status = pawl__apply_refuse(a, PAWL_EINVAL, "payload.steps",
                                "holds what is no text; name each step by its id");
                else if (pawl__map_get(&seen, step->value) != PAWL__MAP_NONE)
                        status = pawl__apply_refuse(a, PAWL_EINVAL, "payload.steps",
                                "names a step twice; give each an id of its own");
                else if (pawl__map_put(&seen, step->value, 0))
                        status = pawl__nomem(a->err);
        }
        pawl__map_free(&seen);
        return status;
}

pawl_status pawl__apply_run_started(pawl__applying *a)
{
        pawl__node steps = pawl__json_get(a->tree, 0, "steps");
        pawl__node refs = pawl__json_get(a->tree, 0, "scope_refs");
        pawl__row run;
        bool is_new;
        pawl_status status = check_steps(a, steps);

        if (status == PAWL_OK)
                status = pawl__apply_scope_refs(a, refs, true);
        if (status == PAWL_OK)
                status = run_or_new(&run, &is_new, a);
        if (status)
                return status;
        if (run.v[PAWL__RUN_SCOPE_REFS].text.data)
                return pawl__fail(a->err, PAWL_EEXISTS,
                        "run %.*s: has started already; resume it, or start a run of another id",
                        PAWL__FMT(a->event->run_id));

        run.v[PAWL__RUN_MISSION].text = a->event->mission_id;
        run.v[PAWL__RUN_STARTED_SEQ].integer = (int64_t)a->event->seq;
        run.v[PAWL__RUN_MISSION_HASH].text = pawl__apply_optional(a, "mission_hash");
        run.v[PAWL__RUN_MISSION_PATH].text = pawl__apply_optional(a, "mission_path");
        run.v[PAWL__RUN_STRICTNESS].text = pawl__apply_optional(a, "strictness");
        run.v[PAWL__RUN_SCOPE_REFS].text = pawl__json_at(a->tree, refs)->value;
        run.v[PAWL__RUN_STEPS].integer = pawl__json_at(a->tree, steps)->count;
        status = pawl__apply_put_run(a, &run, "running");
        if (status == PAWL_OK)
                status = put_steps(a, steps);
        if (status == PAWL_OK)
                status = pawl__apply_scope_refs(a, refs, false);
        return status;
}

static pawl_status run_ends(pawl__applying *a, const char *as)
{
        pawl__row run;
        pawl_status status = pawl__apply_run(&run, a);

        if (status)
                return status;
        run.v[PAWL__RUN_REASON].text = pawl__apply_optional(a, "reason");
        return pawl__apply_put_run(a, &run, as);
}

pawl_status pawl__apply_run_completed(pawl__applying *a)
{
        return run_ends(a, "completed");
}

pawl_status pawl__apply_run_failed(pawl__applying *a)
{
        return run_ends(a, "failed");
}
