/* The rules of what a mission says of its steps: their order, whether they run, how strictly. */
#include "base/error.h"
#include "base/ids.h"
#include "state/rules_of.h"
#include "state/step_plan.h"

/* What it needs is completed, or was gone past, or has left the mission. */
pawl_status pawl__rule_needs_done(const pawl__apply_ctx *a)
{
        pawl__plan_needs needs = pawl__plan_needs_of(a->step.v[PAWL__STEP_PLAN].text);
        char room[PAWL__ID_MAX];
        pawl_text need;

        while ((need = pawl__plan_next(&needs, room)).data) {
                pawl__row step = {
                        .v[PAWL__STEP_RUN].text = a->event->run_id, .v[PAWL__STEP_ID].text = need};
                const pawl_status status = a->store->get(a->store, PAWL__STEPS, &step, a->err);
                if (status && status != PAWL_ENOTFOUND)
                        return status;
                if (status || !(pawl__rule_is(&step, PAWL__STEP_STATUS, "completed") ||
                                      pawl__rule_is(&step, PAWL__STEP_STATUS, "skipped")))
                        return pawl__rules_refuse(a, "needs-done",
                                "step %.*s needs %.*s, which is not completed",
                                PAWL__FMT(a->event->step_id), PAWL__FMT(need));
        }
        return PAWL_OK;
}

/* Somebody goes past a step that failed; a `when` says no where there is one. */
pawl_status pawl__rule_left_out(const pawl__apply_ctx *a)
{
        const pawl_text plan = a->step.v[PAWL__STEP_PLAN].text;
        const bool by_when = pawl__text_is(pawl__apply_optional(a, "reason"), "when");

        if (!plan.data)
                return PAWL_OK;
        if (by_when && pawl__plan_has_when(plan))
                return pawl__rule_needs_done(a);
        return !by_when && pawl__rule_is(&a->step, PAWL__STEP_STATUS, "failed")
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "when",
                                 "step %.*s has not failed, and no `when` that leaves it out",
                                 PAWL__FMT(a->event->step_id));
}

pawl_status pawl__rule_strictness(const pawl__apply_ctx *a, const char *member)
{
        const int64_t least = a->step.v[PAWL__STEP_STRICTNESS].integer;

        return !least || pawl__strictness_rank(pawl__apply_optional(a, member)) >= least
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "strictness",
                                 "%s is less than step %.*s started with", member,
                                 PAWL__FMT(a->event->step_id));
}

pawl_status pawl__rule_blocks(const pawl__apply_ctx *a)
{
        return pawl__rule_strictness(a, "effective_strictness");
}

/* What a step asks people is another with another mission alone. */
pawl_status pawl__rule_same_asks(const pawl__apply_ctx *a)
{
        const pawl__node steps = pawl__json_get(a->tree, 0, "steps");
        pawl__plan_walk walk = pawl__plan_walk_of(a);
        bool same = true;
        pawl_status status = PAWL_OK;

        for (pawl__node n = pawl__json_first(a->tree, steps);
                n != PAWL__NO_NODE && walk.list != PAWL__NO_NODE && !status && same;
                n = pawl__json_after(a->tree, steps, n)) {
                pawl__row step = {.v[PAWL__STEP_RUN].text = a->event->run_id,
                        .v[PAWL__STEP_ID].text = pawl__json_at(a->tree, n)->value};
                pawl_text plan;
                status = pawl__plan_take(&plan, &walk, step.v[PAWL__STEP_ID].text);
                if (!status)
                        status = a->store->get(a->store, PAWL__STEPS, &step, a->err);
                const pawl_text was = step.v[PAWL__STEP_PLAN].text;
                same = status || !was.data ||
                       pawl__text_eq(pawl__plan_ask(plan), pawl__plan_ask(was));
                status = status == PAWL_ENOTFOUND ? PAWL_OK : status;
        }
        pawl__plan_walk_end(&walk);
        return status || same ? status
                              : pawl__rules_refuse(a, "mission",
                                        "a step asks something else, but its mission is the same");
}
