/* What the events of a step change. Where two rows change, both are got before the first is put. */
#include "base/error.h"
#include "state/rules_of.h"
#include "state/step_plan.h"
#include <inttypes.h>

/* Step and run, both there. */
static pawl_status step_and_run(pawl__row *step, pawl__row *run, const pawl__apply_ctx *a)
{
        pawl_status status = pawl__apply_run(run, a);

        return status ? status : pawl__apply_step(step, a);
}

static bool is_true(const pawl__apply_ctx *a, const char *member)
{
        const pawl__node node = pawl__json_get(a->tree, 0, member);

        return node != PAWL__NO_NODE && pawl__json_at(a->tree, node)->type == PAWL__JSON_TRUE;
}

static pawl_status put_both(
        const pawl__apply_ctx *a, pawl__row *step, pawl__row *run, const char *run_status)
{
        pawl_status status = pawl__apply_put_run(a, run, run_status);

        return status ? status : pawl__apply_put(a, PAWL__STEPS, step);
}

/* The step's new status, and what it means for how far its run is. */
static void step_becomes(
        pawl__row *step, pawl__row *run, const pawl__apply_ctx *a, const char *status)
{
        pawl_text completed = pawl__text("completed");
        bool was = pawl__text_eq(step->v[PAWL__STEP_STATUS].text, completed);
        bool is = pawl__text_is(completed, status);

        step->v[PAWL__STEP_STATUS].text = pawl__text(status);
        run->v[PAWL__RUN_DONE].integer += is - was;
        if (!is)
                run->v[PAWL__RUN_CURRENT].text = a->event->step_id;
        else if (pawl__text_eq(run->v[PAWL__RUN_CURRENT].text, a->event->step_id))
                run->v[PAWL__RUN_CURRENT].text = pawl__text(NULL);
}

/* What the gate let pass, or an output that was blocked, counts no longer. */
static void leave_gate(pawl__row *step)
{
        step->v[PAWL__STEP_GATE].integer = 0;
        step->v[PAWL__STEP_HELD].text = pawl__text(NULL);
}

/* A program that embeds the library names no steps in RunStarted: they are added as they start. */
pawl_status pawl__apply_step_started(pawl__apply_ctx *a)
{
        pawl__row run, step = {0};
        pawl_status status = pawl__apply_run(&run, a);

        if (status)
                return status;
        if (!run.v[PAWL__RUN_SCOPE_REFS].text.data)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (StepStarted): run %.*s was claimed but not started; "
                        "append RunStarted first",
                        a->event->seq, PAWL__FMT(a->event->run_id));
        status = pawl__apply_find_step(&step, a);
        if (status == PAWL_ENOTFOUND) {
                step.v[PAWL__STEP_ORDER_SEQ] = run.v[PAWL__RUN_STARTED_SEQ];
                step.v[PAWL__STEP_NUMBER].integer = ++run.v[PAWL__RUN_STEPS].integer;
                run.v[PAWL__RUN_IN_MISSION].integer++;
        } else if (status)
                return status;
        step_becomes(&step, &run, a, "running");
        run.v[PAWL__RUN_RULES].integer &= ~PAWL__RULES_FORKING;
        leave_gate(&step);
        step.v[PAWL__STEP_STRICTNESS].integer = pawl__plan_strictness(step.v[PAWL__STEP_PLAN].text);
        if (!step.v[PAWL__STEP_BLOCKERS]
                        .text.len) /* found, but the step was cut off before it blocked */
                step.v[PAWL__STEP_BLOCKERS].text = pawl__text(NULL);
        step.v[PAWL__STEP_INPUT_HASH].text = pawl__apply_optional(a, "input_hash");
        step.v[PAWL__STEP_OUTPUT_HASH].text = pawl__text(NULL);
        step.v[PAWL__STEP_EXIT_CODE].integer = -1;
        return put_both(a, &step, &run, "running");
}

pawl_status pawl__apply_step_completed(pawl__apply_ctx *a)
{
        pawl__row run, step;
        int64_t exit_code = 0; /* a program that embeds the library has no exit code */
        pawl_status status = PAWL_OK;

        if (pawl__json_get(a->tree, 0, "exit_code") != PAWL__NO_NODE)
                status = pawl__apply_integer(&exit_code, a, 0, "payload", "exit_code");
        if (status == PAWL_OK)
                status = step_and_run(&step, &run, a);
        if (!status && pawl__text_is(step.v[PAWL__STEP_STATUS].text, "completed"))
                status = pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (StepCompleted): step %.*s of run %.*s has completed "
                        "already; start it again first",
                        a->event->seq, PAWL__FMT(a->event->step_id), PAWL__FMT(a->event->run_id));
        if (status)
                return status;
        step_becomes(&step, &run, a, "completed");
        leave_gate(&step);
        step.v[PAWL__STEP_BLOCKERS].text = step.v[PAWL__STEP_QUESTION].text = pawl__text(NULL);
        step.v[PAWL__STEP_INPUT_HASH].text = pawl__apply_optional(a, "input_hash");
        step.v[PAWL__STEP_OUTPUT_HASH].text = pawl__apply_optional(a, "output_hash");
        step.v[PAWL__STEP_EXIT_CODE].integer = exit_code;
        return put_both(a, &step, &run, NULL);
}

pawl_status pawl__apply_step_failed(pawl__apply_ctx *a)
{
        pawl__row run, step;
        int64_t exit_code;
        pawl_status status = pawl__apply_integer(&exit_code, a, 0, "payload", "exit_code");

        if (status == PAWL_OK)
                status = step_and_run(&step, &run, a);
        if (status)
                return status;
        step_becomes(&step, &run, a, "failed");
        step.v[PAWL__STEP_EXIT_CODE].integer = exit_code;
        return put_both(a, &step, &run, NULL);
}

/* One that is followed by another is the run's last event for a while; one that was cut off says
 * nothing. */
pawl_status pawl__apply_step_attempt_failed(pawl__apply_ctx *a)
{
        pawl__row run, step;

        if (!pawl__apply_optional(a, "retry_at").data)
                return PAWL_OK;
        const pawl_status status = step_and_run(&step, &run, a);
        return status ? status : pawl__apply_put_run(a, &run, NULL);
}

pawl_status pawl__apply_check_evaluated(pawl__apply_ctx *a)
{
        pawl__row run, step;
        pawl_status status = step_and_run(&step, &run, a);

        if (status)
                return status;
        step.v[PAWL__STEP_EVALUATED_SEQ].integer = (int64_t)a->event->seq;
        step.v[PAWL__STEP_BLOCKERS].text = pawl__text(is_true(a, "blocked") ? "" : NULL);
        return put_both(a, &step, &run, NULL);
}

/* The checkpoint depends on the check that was evaluated last: its findings are re-evaluated when
 * the checkpoint is resumed. */
pawl_status pawl__apply_step_checkpointed(pawl__apply_ctx *a)
{
        pawl__row run, step, checkpoint = {0};
        pawl_status status = step_and_run(&step, &run, a);

        if (status)
                return status;
        checkpoint.v[PAWL__CP_TOKEN].text = pawl__apply_optional(a, "retry_token");
        const bool judged = run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED;
        const bool same_token =
                pawl__text_eq(checkpoint.v[PAWL__CP_TOKEN].text, step.v[PAWL__STEP_TOKEN].text);
        checkpoint.v[PAWL__CP_SEQ].integer = (int64_t)a->event->seq;
        checkpoint.v[PAWL__CP_EVALUATED_SEQ] = step.v[PAWL__STEP_EVALUATED_SEQ];
        checkpoint.v[PAWL__CP_RUN].text = a->event->run_id;
        checkpoint.v[PAWL__CP_STEP].text = a->event->step_id;
        checkpoint.v[PAWL__CP_CURSOR].text = pawl__apply_optional(a, "cursor");
        checkpoint.v[PAWL__CP_INPUT_HASH].text = pawl__apply_optional(a, "input_hash");
        checkpoint.v[PAWL__CP_STRICTNESS].text = pawl__apply_optional(a, "strictness");
        if (judged && a->run_is == PAWL__ROW_THERE)
                status = pawl__rule_token(a, checkpoint.v[PAWL__CP_TOKEN].text,
                        checkpoint.v[PAWL__CP_INPUT_HASH].text, same_token);
        if (status)
                return status;
        step.v[PAWL__STEP_TOKEN] = checkpoint.v[PAWL__CP_TOKEN];
        step.v[PAWL__STEP_CURSOR] = checkpoint.v[PAWL__CP_CURSOR];
        step.v[PAWL__STEP_CHECKPOINT_SEQ] = checkpoint.v[PAWL__CP_SEQ];
        step.v[PAWL__STEP_INPUT_HASH] = checkpoint.v[PAWL__CP_INPUT_HASH];
        if (pawl__text_is(step.v[PAWL__STEP_CURSOR].text, "post_gate"))
                step.v[PAWL__STEP_GATE].integer = 1;
        if (pawl__text_is(step.v[PAWL__STEP_CURSOR].text, "post_generation"))
                step.v[PAWL__STEP_HELD].text = pawl__apply_optional(a, "output_hash");
        status = put_both(a, &step, &run, NULL);
        if (status)
                return status;
        /* Under the rules a token that is not the step's has no row yet. */
        return judged && !same_token
                       ? a->store->insert(a->store, PAWL__CHECKPOINTS, &checkpoint, a->err)
                       : pawl__apply_put(a, PAWL__CHECKPOINTS, &checkpoint);
}

/* The ids of the conflicts, a space between two; without any, what it was. */
static pawl_status name_blockers(pawl_text *ids, const pawl__apply_ctx *a)
{
        const pawl__node list = pawl__json_get(a->tree, 0, "conflicts");
        size_t len = 0, at = 0;

        for (pawl__node n = pawl__json_first(a->tree, list); n != PAWL__NO_NODE;
                n = pawl__json_after(a->tree, list, n))
                len += pawl__json_get_text(a->tree, n, "conflict_id").len + 1;
        char *text = len ? pawl__arena_alloc(a->arena, len) : NULL;
        if (len && !text)
                return pawl__nomem(a->err);
        for (pawl__node n = pawl__json_first(a->tree, list); n != PAWL__NO_NODE && text;
                n = pawl__json_after(a->tree, list, n)) {
                const pawl_text id = pawl__json_get_text(a->tree, n, "conflict_id");
                if (id.len)
                        memcpy(text + at, id.data, id.len);
                at += id.len;
                text[at++] = ' ';
        }
        if (text)
                *ids = pawl__text_n(text, len - 1);
        return PAWL_OK;
}

/* At which the step goes on; with other inputs at its beginning. */
static void resume_at(pawl__row *step, const pawl__apply_ctx *a)
{
        const pawl_text cursor = pawl__apply_optional(a, "cursor");
        const bool generated = pawl__text_is(cursor, "post_generation");

        if (is_true(a, "inputs_changed")) {
                leave_gate(step);
                return;
        }
        if (!generated)
                leave_gate(step);
        step->v[PAWL__STEP_GATE].integer = generated || pawl__text_is(cursor, "post_gate");
}

static pawl_status both_become(pawl__apply_ctx *a, const char *as)
{
        pawl__row run, step;
        pawl_status status = step_and_run(&step, &run, a);

        if (status)
                return status;
        if (strcmp(as, "running") == 0)
                resume_at(&step, a);
        else if ((status = name_blockers(&step.v[PAWL__STEP_BLOCKERS].text, a)))
                return status;
        else if (!pawl__text_is(step.v[PAWL__STEP_CURSOR].text, "post_generation"))
                leave_gate(&step);
        if (run.v[PAWL__RUN_UNTOLD].integer) /* of its block, while that lasts */
                run.v[PAWL__RUN_UNTOLD].integer =
                        strcmp(as, "blocked") == 0 ? (int64_t)a->event->seq : -1;
        step_becomes(&step, &run, a, as);
        return put_both(a, &step, &run, as);
}

pawl_status pawl__apply_generation_blocked(pawl__apply_ctx *a)
{
        return both_become(a, "blocked");
}

pawl_status pawl__apply_step_resumed(pawl__apply_ctx *a)
{
        return both_become(a, "running");
}
