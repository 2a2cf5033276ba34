/* What the events of a step change. Where two rows change, both are got before the first is put. */
#include "base/error.h"
#include "state/apply_ctx.h"
#include <inttypes.h>

/* Step and run, both there. */
static pawl_status step_and_run(pawl__row *step, pawl__row *run, const pawl__apply_ctx *a)
{
        pawl_status status = pawl__apply_run(run, a);

        return status ? status : pawl__apply_step(step, a);
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
        step.v[PAWL__STEP_RUN].text = a->event->run_id;
        step.v[PAWL__STEP_ID].text = a->event->step_id;
        status = a->store->get(a->store, PAWL__STEPS, &step, a->err);
        if (status == PAWL_ENOTFOUND) {
                step.v[PAWL__STEP_ORDER_SEQ] = run.v[PAWL__RUN_STARTED_SEQ];
                step.v[PAWL__STEP_NUMBER].integer = ++run.v[PAWL__RUN_STEPS].integer;
        } else if (status)
                return status;
        step_becomes(&step, &run, a, "running");
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
        checkpoint.v[PAWL__CP_SEQ].integer = (int64_t)a->event->seq;
        checkpoint.v[PAWL__CP_EVALUATED_SEQ] = step.v[PAWL__STEP_EVALUATED_SEQ];
        checkpoint.v[PAWL__CP_RUN].text = a->event->run_id;
        checkpoint.v[PAWL__CP_STEP].text = a->event->step_id;
        checkpoint.v[PAWL__CP_CURSOR].text = pawl__apply_optional(a, "cursor");
        checkpoint.v[PAWL__CP_INPUT_HASH].text = pawl__apply_optional(a, "input_hash");
        checkpoint.v[PAWL__CP_STRICTNESS].text = pawl__apply_optional(a, "strictness");
        step.v[PAWL__STEP_TOKEN] = checkpoint.v[PAWL__CP_TOKEN];
        step.v[PAWL__STEP_CURSOR] = checkpoint.v[PAWL__CP_CURSOR];
        step.v[PAWL__STEP_CHECKPOINT_SEQ] = checkpoint.v[PAWL__CP_SEQ];
        step.v[PAWL__STEP_INPUT_HASH] = checkpoint.v[PAWL__CP_INPUT_HASH];
        status = put_both(a, &step, &run, NULL);
        return status ? status : pawl__apply_put(a, PAWL__CHECKPOINTS, &checkpoint);
}

static pawl_status both_become(pawl__apply_ctx *a, const char *as)
{
        pawl__row run, step;
        pawl_status status = step_and_run(&step, &run, a);

        if (status)
                return status;
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
