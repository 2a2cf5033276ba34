/*
 * What the events of threads change: see state/threads.h. Nothing of a payload is in a row, so
 * that a replay that finds payloads pruned comes to the same rows.
 */
#include "base/error.h"
#include "state/apply_ctx.h"
#include "state/threads.h"
#include <inttypes.h>
#include <stdio.h>

bool pawl__run_is_thread(const pawl__row *run)
{
        return run->v[PAWL__RUN_FENCE].integer == 0 && !run->v[PAWL__RUN_MISSION_PATH].text.data &&
               !run->v[PAWL__RUN_SCOPE_REFS].text.data;
}

pawl_text pawl__thread_prefix(pawl_text step_id)
{
        size_t len = step_id.len;

        if (len == 0 || *step_id.data != '(')
                return pawl__text("");
        while (len > 0 && step_id.data[len - 1] != ' ')
                len--;
        return pawl__text_n(step_id.data, len);
}

static pawl_status refuse_deleted(const pawl__apply_ctx *a)
{
        return pawl__fail(a->err, PAWL_ESTATE,
                "thread %.*s: was deleted, and with it the checkpoint that is built on; begin it "
                "anew",
                PAWL__FMT(a->event->run_id));
}

/* The event's run, begun by this event where it is new or was deleted. */
static pawl_status thread_of(pawl__row *run, const pawl__apply_ctx *a)
{
        run->v[PAWL__RUN_ID].text = a->event->run_id;
        pawl_status status = a->store->get(a->store, PAWL__RUNS, run, a->err);

        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status && !pawl__run_is_thread(run))
                return pawl__fail(a->err, PAWL_EEXISTS,
                        "thread %.*s: is the id of a mission's run; take another",
                        PAWL__FMT(a->event->run_id));
        if (status || run->v[PAWL__RUN_REASON].text.data)
                *run = (pawl__row){.v[PAWL__RUN_ID].text = a->event->run_id,
                        .v[PAWL__RUN_MISSION].text = a->event->mission_id,
                        .v[PAWL__RUN_STARTED_SEQ].integer = (int64_t)a->event->seq,
                        .v[PAWL__RUN_FIRST_SEQ] = run->v[PAWL__RUN_FIRST_SEQ]};
        return PAWL_OK;
}

/* The step @p id as the thread that is now has it; PAWL_ESTATE where only a deleted one had it. */
static pawl_status find_step(
        pawl__row *step, const pawl__apply_ctx *a, const pawl__row *run, pawl_text id)
{
        *step = (pawl__row){
                .v[PAWL__STEP_RUN].text = a->event->run_id, .v[PAWL__STEP_ID].text = id};
        pawl_status status = a->store->get(a->store, PAWL__STEPS, step, a->err);

        if (!status &&
                step->v[PAWL__STEP_ORDER_SEQ].integer != run->v[PAWL__RUN_STARTED_SEQ].integer)
                return PAWL_ESTATE;
        return status;
}

static void begin_step(pawl__row *step, pawl__row *run, const pawl__apply_ctx *a)
{
        const pawl_text id = a->event->step_id, prefix = pawl__thread_prefix(id);

        *step = (pawl__row){.v[PAWL__STEP_RUN].text = a->event->run_id,
                .v[PAWL__STEP_ID].text = id,
                .v[PAWL__STEP_ORDER_SEQ] = run->v[PAWL__RUN_STARTED_SEQ],
                .v[PAWL__STEP_NUMBER].integer = ++run->v[PAWL__RUN_STEPS].integer,
                .v[PAWL__STEP_STATUS].text = pawl__text("pending"),
                .v[PAWL__STEP_TOKEN].text =
                        pawl__text_n(id.data + prefix.len, id.len - prefix.len)};
}

/* One more event of the step, beside its checkpoint's. */
static pawl_status add_seq(pawl__row *step, const pawl__apply_ctx *a, int64_t seq)
{
        const pawl_text before = step->v[PAWL__STEP_CURSOR].text;
        char *seqs = pawl__arena_alloc(a->arena, before.len + 24);

        if (!seqs)
                return pawl__nomem(a->err);
        if (before.len)
                memcpy(seqs, before.data, before.len);
        const int len = snprintf(seqs + before.len, 24, "%s%" PRId64, before.len ? " " : "", seq);
        step->v[PAWL__STEP_CURSOR].text = pawl__text_n(seqs, before.len + (size_t)len);
        return PAWL_OK;
}

static pawl_status put(const pawl__apply_ctx *a, pawl__row *run, pawl__row *step)
{
        pawl_status status = pawl__apply_put(a, PAWL__STEPS, step);

        return status ? status : pawl__apply_put_run(a, run, "completed");
}

/* A thread that was deleted since its parent was put: what did not change is gone. */
static pawl_status check_parent(const pawl__apply_ctx *a, const pawl__row *run)
{
        const pawl_text parent = pawl__apply_optional(a, "parent_id");
        const pawl_text prefix = pawl__thread_prefix(a->event->step_id);
        pawl__row step;
        char *id;

        if (!parent.data)
                return PAWL_OK;
        id = pawl__arena_alloc(a->arena, prefix.len + parent.len + 1);
        if (!id)
                return pawl__nomem(a->err);
        memcpy(id, prefix.data, prefix.len);
        memcpy(id + prefix.len, parent.data, parent.len);
        pawl_status status = find_step(&step, a, run, pawl__text_n(id, prefix.len + parent.len));
        if (status == PAWL_ESTATE)
                return refuse_deleted(a);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

pawl_status pawl__apply_thread_checkpointed(pawl__apply_ctx *a)
{
        pawl__row run = {0}, step;
        pawl_status status = thread_of(&run, a);

        if (!status)
                status = check_parent(a, &run);
        if (status)
                return status;
        status = find_step(&step, a, &run, a->event->step_id);
        if (status == PAWL_ENOTFOUND || status == PAWL_ESTATE) {
                begin_step(&step, &run, a);
                status = PAWL_OK;
        } else if (!status && step.v[PAWL__STEP_CHECKPOINT_SEQ].integer) {
                status = add_seq(&step, a, step.v[PAWL__STEP_CHECKPOINT_SEQ].integer);
        }
        if (status)
                return status;
        run.v[PAWL__RUN_DONE].integer += step.v[PAWL__STEP_CHECKPOINT_SEQ].integer == 0;
        step.v[PAWL__STEP_STATUS].text = pawl__text("completed");
        step.v[PAWL__STEP_CHECKPOINT_SEQ].integer = (int64_t)a->event->seq;
        return put(a, &run, &step);
}

pawl_status pawl__apply_thread_writes_put(pawl__apply_ctx *a)
{
        pawl__row run = {0}, step;
        pawl_status status = thread_of(&run, a);

        if (!status)
                status = find_step(&step, a, &run, a->event->step_id);
        if (status == PAWL_ESTATE)
                return refuse_deleted(a);
        if (status == PAWL_ENOTFOUND) {
                begin_step(&step, &run, a);
                status = PAWL_OK;
        }
        if (!status)
                status = add_seq(&step, a, (int64_t)a->event->seq);
        return status ? status : put(a, &run, &step);
}

pawl_status pawl__apply_pruned_thread(pawl__apply_ctx *a, pawl_text run_id)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        pawl_status status = a->store->get(a->store, PAWL__RUNS, &run, a->err);

        if (status || !pawl__run_is_thread(&run))
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        run.v[PAWL__RUN_REASON].text = pawl__text(PAWL__THREAD_DELETED);
        run.v[PAWL__RUN_STEPS].integer = run.v[PAWL__RUN_DONE].integer = 0;
        return pawl__apply_put_run(a, &run, NULL);
}
