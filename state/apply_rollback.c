/*
 * What the events of a rollback change: WorkspaceRollbackStarted, and WorkspaceRolledBack at its
 * end. One that is done says which checkpoints are given up and which are not any more, and what
 * becomes of steps of its run: "steps" are pending again, "restored" has the others as they were at
 * the target's place in the log. How they all were is kept in its row. An undo without "restored"
 * (older programs wrote none) puts that back.
 *
 * A rollback is found from the safety copy that was taken right before it: its undoing goes to
 * that copy. There is at most one under way, as its safety copy is the last checkpoint until it has
 * ended.
 */
#include "base/error.h"
#include "base/map.h"
#include "state/apply_ctx.h"
#include "state/steps_before.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- It starts ------------------------------------------------------------------------------- */

static pawl_status check_safety(const pawl__row *safety, const pawl__apply_ctx *a)
{
        int64_t n = safety->v[PAWL__WCP_N].integer;
        pawl__row next = {.v[PAWL__WCP_N].integer = n < INT64_MAX ? n + 1 : n};
        pawl_status status = a->store->get(a->store, PAWL__WORKSPACE, &next, a->err);

        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status || !safety->v[PAWL__WCP_SAFETY].integer ||
                safety->v[PAWL__WCP_ROLLBACK].integer)
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.safety",
                        "is no safety copy that was taken right before; take one first");
        return PAWL_OK;
}

/* The rollback that going to this checkpoint undoes: the one it is the safety copy of. */
static pawl_status find_undone(pawl__row *undone, const pawl__row *target, const pawl__apply_ctx *a)
{
        pawl_status status = PAWL_ENOTFOUND;

        memset(undone, 0, sizeof *undone);
        undone->v[PAWL__RB_SEQ] = target->v[PAWL__WCP_ROLLBACK];
        if (target->v[PAWL__WCP_SAFETY].integer && target->v[PAWL__WCP_ROLLBACK].integer)
                status = a->store->get(a->store, PAWL__ROLLBACKS, undone, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (status || !pawl__text_is(undone->v[PAWL__RB_STATUS].text, "done"))
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.target",
                        "is not the safety copy of a rollback that is done; there is nothing to "
                        "undo");
        return PAWL_OK;
}

static pawl_status check_target(const pawl__row *target, const pawl__apply_ctx *a, int undo)
{
        pawl__row undone;

        if (!pawl__text_eq(target->v[PAWL__WCP_TREE].text, pawl__json_get_text(a->tree, 0, "tree")))
                return pawl__apply_refuse(
                        a, PAWL_ESTATE, "payload.tree", "is not that of the target; plan it again");
        if (target->v[PAWL__WCP_PRUNED_SEQ].integer)
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.target",
                        "is a checkpoint that was pruned; choose one that is kept");
        return undo ? find_undone(&undone, target, a) : PAWL_OK;
}

static pawl_status take_members(pawl__row *rollback, int *undo, const pawl__apply_ctx *a)
{
        pawl__value *v = rollback->v;
        pawl_text decisions;
        pawl_status status =
                pawl__apply_integer(&v[PAWL__RB_TARGET].integer, a, 0, "payload", "target");

        if (!status)
                status =
                        pawl__apply_integer(&v[PAWL__RB_SAFETY].integer, a, 0, "payload", "safety");
        if (!status)
                status = pawl__apply_flag(undo, a, "undo");
        if (!status)
                status = pawl__apply_git(&v[PAWL__RB_GIT_FROM].text, a, "from");
        if (!status)
                status = pawl__apply_git(&v[PAWL__RB_GIT_TO].text, a, "to");
        if (!status)
                status = pawl__apply_maybe_text(&v[PAWL__RB_REASON].text, a, "reason");
        if (!status)
                status = pawl__apply_maybe_text(&decisions, a, "decisions");
        if (!status && decisions.data && !pawl__text_is(decisions, "keep") &&
                !pawl__text_is(decisions, "drop"))
                status = pawl__apply_refuse(a, PAWL_EINVAL, "payload.decisions",
                        "is neither \"keep\" nor \"drop\"; write one of them");
        v[PAWL__RB_SEQ].integer = (int64_t)a->event->seq;
        v[PAWL__RB_UNDO].integer = status ? 0 : *undo;
        v[PAWL__RB_TREE].text = pawl__apply_optional(a, "tree");
        v[PAWL__RB_PLAN_HASH].text = pawl__apply_optional(a, "plan_hash");
        v[PAWL__RB_STATUS].text = pawl__text("started");
        v[PAWL__RB_ACTOR].text = a->event->actor;
        return status;
}

/* One that finishes another has its target, and that one is done; or its safety copy, and that one
 * was abandoned. */
static pawl_status check_finishes(pawl__row *rollback, const pawl__apply_ctx *a)
{
        pawl__row finished = {0};

        if (pawl__json_get(a->tree, 0, "finishes") == PAWL__NO_NODE)
                return PAWL_OK;
        TRY(pawl__apply_integer(&finished.v[PAWL__RB_SEQ].integer, a, 0, "payload", "finishes"));
        const pawl_status status = a->store->get(a->store, PAWL__ROLLBACKS, &finished, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        const pawl_text word = finished.v[PAWL__RB_STATUS].text;
        const int64_t goal = pawl__text_is(word, "done") ? finished.v[PAWL__RB_TARGET].integer
                             : pawl__text_is(word, "abandoned")
                                     ? finished.v[PAWL__RB_SAFETY].integer
                                     : 0;
        if (status || goal != rollback->v[PAWL__RB_TARGET].integer)
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.finishes",
                        "is not a rollback to the same target that is done, nor one that was "
                        "abandoned and has the target as its safety copy; name that one");
        rollback->v[PAWL__RB_UNDO].integer |= PAWL__RB_FINISHES;
        return PAWL_OK;
}

pawl_status pawl__apply_rollback_started(pawl__apply_ctx *a)
{
        pawl__row rollback = {0}, target, safety;
        int undo = 0;
        pawl_status status = take_members(&rollback, &undo, a);

        if (pawl__json_get(a->tree, 0, "paths") != PAWL__NO_NODE)
                rollback.v[PAWL__RB_UNDO].integer |= PAWL__RB_IN_PART;
        if (!status)
                status = check_finishes(&rollback, a);
        if (!status)
                status = pawl__apply_workspace(
                        &target, a, rollback.v[PAWL__RB_TARGET].integer, "target");
        if (!status)
                status = check_target(&target, a, undo);
        if (!status)
                status = pawl__apply_workspace(
                        &safety, a, rollback.v[PAWL__RB_SAFETY].integer, "safety");
        if (!status)
                status = check_safety(&safety, a);
        if (status)
                return status;
        rollback.v[PAWL__RB_WORKTREE] = safety.v[PAWL__WCP_WORKTREE];
        status = pawl__apply_put(a, PAWL__ROLLBACKS, &rollback);
        safety.v[PAWL__WCP_ROLLBACK] = rollback.v[PAWL__RB_SEQ];
        return status ? status : pawl__apply_put(a, PAWL__WORKSPACE, &safety);
}

/* ---- It ends: steps -------------------------------------------------------------------------- */

/* What the end of a rollback does to its run. */
struct ending {
        pawl__row run;
        bool gives_up, puts_back;  /* are there steps to give up, to put back? */
        bool restored;             /* it is the event that says what to put back */
        int64_t completed;         /* so many more steps are completed then */
        pawl__map given_up;        /* their ids */
        pawl__json_tree before;    /* the steps to put back, as they were */
        pawl__row run_before;      /* and their run */
        pawl__json_writer as_were; /* all of these steps, as they are */
};

static bool is_completed(const pawl__row *step)
{
        return pawl__text_is(step->v[PAWL__STEP_STATUS].text, "completed");
}

static pawl_status check_step(struct ending *e, const pawl__apply_ctx *a, pawl__node at)
{
        pawl_text run_id, step_id;
        pawl__row step = {0};

        if (pawl__json_at(a->tree, at)->type != PAWL__JSON_OBJECT)
                return pawl__apply_refuse(
                        a, PAWL_EINVAL, "payload.steps", "holds what is no object; write objects");
        pawl_status status = pawl__apply_text(&run_id, a, at, "payload.steps[]", "run_id");
        if (!status)
                status = pawl__apply_text(&step_id, a, at, "payload.steps[]", "step_id");
        if (status)
                return status;
        if (!pawl__text_eq(run_id, a->event->run_id))
                return pawl__apply_refuse(a, PAWL_EINVAL, "payload.steps[].run_id",
                        "is not the run that the event is of; give up steps of that run alone");
        if (pawl__map_get(&e->given_up, step_id) != PAWL__MAP_NONE)
                return pawl__apply_refuse(
                        a, PAWL_EINVAL, "payload.steps", "names a step twice; name each once");
        if (pawl__map_put(&e->given_up, step_id, 0))
                return pawl__nomem(a->err);
        step.v[PAWL__STEP_RUN].text = run_id;
        step.v[PAWL__STEP_ID].text = step_id;
        status = a->store->get(a->store, PAWL__STEPS, &step, a->err);
        if (status == PAWL_ENOTFOUND)
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.steps",
                        "names a step that its run has not; name those it has");
        if (!status) {
                pawl__steps_before_add(&e->as_were, &step);
                e->completed -= is_completed(&step);
        }
        return status;
}

static pawl_status refuse_restored(const pawl__apply_ctx *a)
{
        return pawl__apply_refuse(a, PAWL_EINVAL, "payload.restored",
                "is no run and steps of it with their columns; write what they become");
}

static bool is_one_of(pawl_text text, const char *const *words)
{
        while (*words && !pawl__text_is(text, *words))
                words++;
        return *words != NULL;
}

/* The table is written by this program, but an event may come from any program. */
static pawl_status check_restored(
        pawl_status found, const struct ending *e, const pawl__row *step, const pawl__apply_ctx *a)
{
        static const char *const steps[] = {
                "pending", "blocked", "completed", "failed", "skipped", NULL};

        if (!e->restored)
                return PAWL_OK;
        if (!is_one_of(step->v[PAWL__STEP_STATUS].text, steps))
                return refuse_restored(a);
        return found == PAWL_OK ? PAWL_OK
                                : pawl__apply_refuse(a, PAWL_ESTATE, "payload.restored",
                                          "names a step that its run has not; name those it has");
}

/* Those that come back, and are not among the ones that the event itself gives up. */
static pawl_status check_back(struct ending *e, const pawl__apply_ctx *a)
{
        pawl_status status = PAWL_OK;

        for (pawl__node at = pawl__steps_before_first(&e->before); at != PAWL__NO_NODE && !status;
                at = pawl__steps_before_after(&e->before, at)) {
                pawl__row step, stood;
                status = pawl__steps_before_step(&step, &e->before, at, a->event->run_id, a->err);
                if (status)
                        return e->restored ? refuse_restored(a) : status;
                if (pawl__map_get(&e->given_up, step.v[PAWL__STEP_ID].text) != PAWL__MAP_NONE)
                        continue;
                stood = step;
                status = a->store->get(a->store, PAWL__STEPS, &stood, a->err);
                if (status == PAWL_OK)
                        pawl__steps_before_add(&e->as_were, &stood);
                e->completed += is_completed(&step) - (status == PAWL_OK && is_completed(&stood));
                if (status == PAWL_OK || status == PAWL_ENOTFOUND)
                        status = check_restored(status, e, &step, a);
        }
        return status;
}

/* What a run becomes is no more than it can be: one that was cancelled stays so, and one that is
 * completed has all of its steps completed. */
static pawl_status check_becomes(const struct ending *e, const pawl__apply_ctx *a)
{
        static const char *const statuses[] = {
                "blocked", "interrupted", "completed", "failed", "cancelled", NULL};
        const pawl_text becomes = e->run_before.v[PAWL__RUN_STATUS].text;
        const pawl__value *v = e->run.v;

        if (!e->restored)
                return PAWL_OK;
        if (!is_one_of(becomes, statuses))
                return refuse_restored(a);
        if (!(v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED))
                return PAWL_OK;
        if (pawl__text_is(v[PAWL__RUN_STATUS].text, "cancelled") &&
                !pawl__text_is(becomes, "cancelled"))
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.restored",
                        "brings back a run that was cancelled; leave it cancelled");
        if (pawl__text_is(becomes, "completed") &&
                v[PAWL__RUN_DONE].integer + e->completed != v[PAWL__RUN_STEPS].integer)
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.restored",
                        "completes a run whose steps are not; leave it interrupted");
        return PAWL_OK;
}

/* Nothing is put yet. */
static pawl_status look_at_steps(
        struct ending *e, const pawl__apply_ctx *a, const pawl__row *undone)
{
        pawl__node list = pawl__json_get(a->tree, 0, "steps");
        pawl__node restored = pawl__json_get(a->tree, 0, "restored");
        pawl_text before = undone ? undone->v[PAWL__RB_STEPS_BEFORE].text : pawl__text(NULL);
        pawl_status status = PAWL_OK;

        e->gives_up = pawl__json_at(a->tree, list)->count > 0;
        e->restored = restored != PAWL__NO_NODE;
        if (e->restored)
                before = pawl__json_at(a->tree, restored)->value;
        e->puts_back = before.data != NULL;
        if (e->puts_back)
                status = pawl__steps_before_read(&e->before, &e->run_before, before, a->err);
        if (status && status != PAWL_ENOMEM && e->restored)
                return refuse_restored(a);
        if (!status && e->puts_back &&
                !pawl__text_eq(e->run_before.v[PAWL__RUN_ID].text, a->event->run_id))
                status = pawl__apply_refuse(a, PAWL_EINVAL, "run_id",
                        "is not the run whose steps come back; append it for that run");
        if (status || (!e->gives_up && !e->puts_back))
                return status;
        if (a->event->run_id.data)
                status = pawl__apply_run(&e->run, a);
        pawl__steps_before_open(&e->as_were, &e->run);
        for (pawl__node at = pawl__json_first(a->tree, list); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(a->tree, list, at))
                status = check_step(e, a, at);
        if (!status && e->puts_back)
                status = check_back(e, a);
        if (!status)
                status = check_becomes(e, a);
        if (!status && pawl__steps_before_close(&e->as_were))
                status = pawl__nomem(a->err);
        return status;
}

/* Replace the row of a step, and count how many are completed. */
static pawl_status put_step(struct ending *e, const pawl__apply_ctx *a, const pawl__row *step)
{
        pawl__row former = {0};

        former.v[PAWL__STEP_RUN] = step->v[PAWL__STEP_RUN];
        former.v[PAWL__STEP_ID] = step->v[PAWL__STEP_ID];
        pawl_status status = a->store->get(a->store, PAWL__STEPS, &former, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        pawl__row becomes = *step;
        if (status == PAWL_OK) {
                becomes.v[PAWL__STEP_ORDER_SEQ] = former.v[PAWL__STEP_ORDER_SEQ];
                becomes.v[PAWL__STEP_NUMBER] = former.v[PAWL__STEP_NUMBER];
                becomes.v[PAWL__STEP_PLAN] = former.v[PAWL__STEP_PLAN];
        }
        e->run.v[PAWL__RUN_DONE].integer +=
                is_completed(step) - (status == PAWL_OK && is_completed(&former));
        return pawl__apply_put(a, PAWL__STEPS, &becomes);
}

/* As it was when its run started, except for the seq from which its checkpoints count, so that
 * earlier questions are not listed, and for what is open. */
static pawl_status give_up(struct ending *e, const pawl__apply_ctx *a, pawl_text step_id)
{
        pawl__row step = {0}, fresh = {0};

        step.v[PAWL__STEP_RUN].text = a->event->run_id;
        step.v[PAWL__STEP_ID].text = step_id;
        pawl_status status = a->store->get(a->store, PAWL__STEPS, &step, a->err);
        if (status)
                return status;
        for (int c = PAWL__STEP_RUN; c <= PAWL__STEP_NUMBER; c++)
                fresh.v[c] = step.v[c];
        fresh.v[PAWL__STEP_STATUS].text = pawl__text("pending");
        fresh.v[PAWL__STEP_EXIT_CODE].integer = -1;
        fresh.v[PAWL__STEP_CHECKPOINT_SEQ].integer = (int64_t)a->event->seq;
        pawl__apply_keep_asked(&fresh, &step);
        if (pawl__text_eq(e->run.v[PAWL__RUN_CURRENT].text, step_id))
                e->run.v[PAWL__RUN_CURRENT].text = pawl__text(NULL);
        return put_step(e, a, &fresh);
}

static pawl_status change_steps(struct ending *e, const pawl__apply_ctx *a)
{
        pawl__node list = pawl__json_get(a->tree, 0, "steps");
        pawl_status status = PAWL_OK;

        if (!e->gives_up && !e->puts_back)
                return PAWL_OK;
        for (pawl__node at = pawl__json_first(a->tree, list); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(a->tree, list, at))
                status = give_up(e, a, pawl__json_get_text(a->tree, at, "step_id"));
        if (!e->puts_back)
                return status ? status : pawl__apply_put_run(a, &e->run, "interrupted");
        for (pawl__node at = pawl__steps_before_first(&e->before); at != PAWL__NO_NODE && !status;
                at = pawl__steps_before_after(&e->before, at)) {
                pawl__row step;
                status = pawl__steps_before_step(&step, &e->before, at, a->event->run_id, a->err);
                if (!status)
                        status = put_step(e, a, &step);
        }
        e->run.v[PAWL__RUN_STATUS] = e->run_before.v[PAWL__RUN_STATUS];
        e->run.v[PAWL__RUN_CURRENT] = e->run_before.v[PAWL__RUN_CURRENT];
        return status ? status : pawl__apply_put_run(a, &e->run, NULL);
}

/* ---- It ends --------------------------------------------------------------------------------- */

static void becomes_invalid(pawl__row *checkpoint, const pawl__apply_ctx *a, void *user)
{
        if (checkpoint->v[PAWL__WCP_INVALID_SEQ].integer)
                return;
        checkpoint->v[PAWL__WCP_INVALID_SEQ].integer = (int64_t)a->event->seq;
        checkpoint->v[PAWL__WCP_INVALID_REASON].text = pawl__text(user);
}

static void becomes_valid(pawl__row *checkpoint, const pawl__apply_ctx *a, void *user)
{
        (void)a, (void)user;
        checkpoint->v[PAWL__WCP_INVALID_SEQ].integer = 0;
        checkpoint->v[PAWL__WCP_INVALID_REASON].text = pawl__text(NULL);
}

/* The rollback that the event ends. */
static pawl_status find_started(pawl__row *rollback, const pawl__apply_ctx *a)
{
        int64_t seq;
        pawl_status status = pawl__apply_integer(&seq, a, 0, "payload", "started_seq");

        if (status)
                return status;
        memset(rollback, 0, sizeof *rollback);
        rollback->v[PAWL__RB_SEQ].integer = seq;
        status = a->store->get(a->store, PAWL__ROLLBACKS, rollback, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (status || !pawl__text_is(rollback->v[PAWL__RB_STATUS].text, "started"))
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.started_seq",
                        "is not that of a rollback that is under way; start one first");
        return PAWL_OK;
}

/* One that was abandoned, or of some paths alone. */
static pawl_status check_changes_nothing(const pawl__apply_ctx *a)
{
        static const char *const lists[] = {"invalidated", "revalidated", "steps"};
        char field[32];

        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
                pawl__node list = pawl__json_get(a->tree, 0, lists[i]);
                if (pawl__json_at(a->tree, list)->count == 0)
                        continue;
                snprintf(field, sizeof field, "payload.%s", lists[i]);
                return pawl__apply_refuse(a, PAWL_EINVAL, field,
                        "is not empty, but a rollback that was abandoned, or is of some paths alone, "
                        "changes nothing; leave it empty");
        }
        if (a->event->v > 1 && pawl__json_get(a->tree, 0, "restored") != PAWL__NO_NODE)
                return pawl__apply_refuse(a, PAWL_EINVAL, "payload.restored",
                        "is there, but a rollback that was abandoned, or is of some paths alone, "
                        "changes nothing; leave it out");
        return PAWL_OK;
}

static pawl_status put_end(const pawl__apply_ctx *a, pawl__row *rollback, const struct ending *e)
{
        pawl_text reason = pawl__apply_optional(a, "reason");
        pawl_text from = pawl__text(NULL), to = pawl__text(NULL);
        pawl_status status = pawl__apply_git(&from, a, "from");

        if (!status)
                status = pawl__apply_git(&to, a, "to");
        if (status)
                return status;
        rollback->v[PAWL__RB_STATUS].text = pawl__apply_optional(a, "outcome");
        rollback->v[PAWL__RB_ENDED_SEQ].integer = (int64_t)a->event->seq;
        if (reason.data)
                rollback->v[PAWL__RB_REASON].text = reason;
        rollback->v[PAWL__RB_GIT_FROM].text = from; /* the branch may have stayed where it was */
        rollback->v[PAWL__RB_GIT_TO].text = to;
        if (e && (e->gives_up || e->puts_back))
                rollback->v[PAWL__RB_STEPS_BEFORE].text = pawl__buf_text(&e->as_were.buf);
        return pawl__apply_put(a, PAWL__ROLLBACKS, rollback);
}

static pawl_status end_done(pawl__apply_ctx *a, pawl__row *rollback, pawl__row *undone)
{
        struct ending e = {.as_were = PAWL__JSON_WRITER_INIT};
        char reason[48];
        pawl_status status = pawl__apply_numbers(a, "invalidated");

        snprintf(reason, sizeof reason, PAWL__GIVEN_UP "%" PRId64,
                rollback->v[PAWL__RB_TARGET].integer);
        if (!status)
                status = pawl__apply_numbers(a, "revalidated");
        if (!status)
                status = look_at_steps(&e, a, undone);
        if (!status)
                status = put_end(a, rollback, &e);
        if (!status)
                status = pawl__apply_to_numbers(a, "invalidated", becomes_invalid, reason);
        if (!status)
                status = pawl__apply_to_numbers(a, "revalidated", becomes_valid, NULL);
        if (!status)
                status = change_steps(&e, a);
        if (!status && undone) { /* last: what was put back is from its row */
                undone->v[PAWL__RB_STATUS].text = pawl__text("undone");
                status = pawl__apply_put(a, PAWL__ROLLBACKS, undone);
        }
        pawl__map_free(&e.given_up);
        pawl__json_tree_free(&e.before);
        pawl__json_writer_free(&e.as_were);
        return status;
}

pawl_status pawl__apply_rolled_back(pawl__apply_ctx *a)
{
        pawl_text outcome = pawl__apply_optional(a, "outcome");
        bool done = pawl__text_is(outcome, "done");
        pawl__row rollback, target, undone;
        pawl_status status = PAWL_OK;

        if (!done && !pawl__text_is(outcome, "abandoned"))
                return pawl__apply_refuse(a, PAWL_EINVAL, "payload.outcome",
                        "is neither \"done\" nor \"abandoned\"; write one of them");
        if (!done)
                status = check_changes_nothing(a);
        if (!status)
                status = find_started(&rollback, a);
        if (status || !done)
                return status ? status : put_end(a, &rollback, NULL);
        if (rollback.v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART)
                status = check_changes_nothing(a);
        bool undo = (rollback.v[PAWL__RB_UNDO].integer & PAWL__RB_IS_UNDO) != 0;
        if (!status && (undo || a->past_rules))
                status = pawl__apply_workspace(
                        &target, a, rollback.v[PAWL__RB_TARGET].integer, "started_seq");
        if (!status && a->past_rules)
                status = a->past_rules->restored(a, &target);
        if (!status && undo)
                status = find_undone(&undone, &target, a);
        return status ? status : end_done(a, &rollback, undo ? &undone : NULL);
}
