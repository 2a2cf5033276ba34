/*
 * The order of events. One table says in which phase of its run, and in which status of its step,
 * an event may come; a function says what else holds for its type. Everything that a rule needs to
 * know of the events before is in the rows of the run, the step and the conflict, so that an append
 * reads no more than it does without rules. Normally a rule is silent: the engine appends nothing
 * else. A row of `runs` keeps the first illegal event of a log that another program wrote to, and
 * nothing follows it.
 */
#include "base/error.h"
#include "events/log.h"
#include "state/projection.h"
#include "state/rules_of.h"
#include "state/threads.h"
#include <inttypes.h>

enum phase {
        UNKNOWN = 1 << 0,
        CLAIMED = 1 << 1,
        QUEUED = 1 << 2,
        OPEN = 1 << 3,
        FAILED = 1 << 4,
        COMPLETED = 1 << 5,
        CANCELLED = 1 << 6,
        FAILED_AGAIN = 1 << 7, /* and claimed since */
        COMPLETED_AGAIN = 1 << 8,
        CANCELLED_AGAIN = 1 << 9,
        AT_WORK = OPEN | FAILED_AGAIN,
        BEGUN = ~(UNKNOWN | CLAIMED)
};

/* A claim leaves out few fences, or one claim could use up all that there are. */
enum { FENCES_SKIPPED = 1000000 };

static pawl__rule_fn grows_fence, starts, all_done, submits, told;

/* A type with no phases says nothing of a run. */
static const struct {
        int phases, statuses;
        pawl__rule_fn *also;
} rules[PAWL__EVENT_TYPES] = {
        [PAWL__RUN_STARTED] = {~0, ANY_STEP, starts},
        [PAWL__RUN_SUBMITTED] = {~0, ANY_STEP, submits},
        [PAWL__RUN_CLAIMED] = {~0, ANY_STEP, grows_fence},
        [PAWL__RUN_COMPLETED] = {AT_WORK, ANY_STEP, all_done},
        [PAWL__RUN_FAILED] = {AT_WORK, ANY_STEP, NULL},
        [PAWL__RUN_CANCELLED] = {AT_WORK | COMPLETED | CANCELLED | COMPLETED_AGAIN |
                                         CANCELLED_AGAIN,
                ANY_STEP, NULL}, /* of an ended run its apply function says more */
        [PAWL__RUN_NOTIFIED] = {BEGUN, ANY_STEP, told},
        [PAWL__RUN_MISSION_CHANGED] = {AT_WORK | COMPLETED_AGAIN, ANY_STEP, NULL},
        [PAWL__STEP_STARTED] = {AT_WORK, ABSENT | PENDING | RUNNING | BLOCKED | STEP_FAILED,
                pawl__rule_starts_step},
        [PAWL__STEP_COMPLETED] = {AT_WORK, PENDING | RUNNING | BLOCKED | STEP_FAILED,
                pawl__rule_completes_step},
        [PAWL__STEP_FAILED] = {AT_WORK, PENDING | RUNNING | BLOCKED | STEP_FAILED, NULL},
        [PAWL__STEP_ATTEMPT_FAILED] = {AT_WORK, RUNNING, NULL},
        [PAWL__TERM_OBSERVED] = {QUEUED | AT_WORK | FAILED, ABSENT | RUNNING, NULL},
        [PAWL__CHECK_EVALUATED] = {AT_WORK, RUNNING, pawl__rule_evaluates},
        [PAWL__STEP_CHECKPOINTED] = {AT_WORK, RUNNING | BLOCKED, pawl__rule_checkpoints_step},
        [PAWL__GENERATION_BLOCKED] = {AT_WORK, RUNNING, pawl__rule_blocks},
        [PAWL__CLARIFICATION_REQUESTED] = {AT_WORK, BLOCKED, pawl__rule_requests},
        [PAWL__CLARIFICATION_RESOLVED] = {QUEUED | AT_WORK | FAILED, ANY_STEP, NULL},
        [PAWL__SENSE_UPDATED] = {QUEUED | AT_WORK | FAILED, ANY_STEP, NULL},
        [PAWL__SCOPE_ACTIVATED] = {QUEUED | AT_WORK | FAILED, ANY_STEP, NULL},
        [PAWL__STEP_RESUMED] = {AT_WORK, RUNNING | BLOCKED | STEP_FAILED, pawl__rule_resumes},
        [PAWL__RESUME_ABORTED] = {AT_WORK, RUNNING | BLOCKED | STEP_FAILED | DONE,
                pawl__rule_resumes},
        [PAWL__SESSION_STARTED] = {AT_WORK, ANY_STEP, NULL},
        [PAWL__SESSION_UPDATED] = {AT_WORK, ANY_STEP, NULL},
        [PAWL__SESSION_CHECKPOINTED] = {AT_WORK, ANY_STEP, NULL},
        [PAWL__SESSION_NOTED] = {AT_WORK, ANY_STEP, NULL},
        [PAWL__SESSION_ENDED] = {BEGUN, ANY_STEP, NULL},
        [PAWL__WORKSPACE_CHECKPOINTED] = {BEGUN, ANY_STEP, NULL},
        [PAWL__TOOL_CALL_CHECKPOINTED] = {BEGUN, ANY_STEP, NULL},
        [PAWL__ROLLBACK_STARTED] = {BEGUN, ANY_STEP, NULL},
        [PAWL__ROLLED_BACK] = {AT_WORK | COMPLETED_AGAIN | CANCELLED_AGAIN, ANY_STEP, NULL},
        [PAWL__WORKSPACE_CHECKPOINT_FAILED] = {AT_WORK, ANY_STEP, NULL},
};

/* ---- Runs ------------------------------------------------------------------------------------ */

static enum phase phase_of(const pawl__apply_ctx *a)
{
        static const struct {
                const char *status;
                enum phase ended, again;
        } ends[] = {{"completed", COMPLETED, COMPLETED_AGAIN}, {"failed", FAILED, FAILED_AGAIN},
                {"cancelled", CANCELLED, CANCELLED_AGAIN}, {"queued", QUEUED, QUEUED}};
        const pawl__row *run = &a->run;

        if (a->run_is != PAWL__ROW_THERE)
                return UNKNOWN;
        if (!run->v[PAWL__RUN_SCOPE_REFS].text.data)
                return CLAIMED;
        if (pawl__rule_is(run, PAWL__RUN_STATUS, "running"))
                return OPEN;
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
                if (pawl__rule_is(run, PAWL__RUN_STATUS, ends[i].status))
                        return run->v[PAWL__RUN_RULES].integer & PAWL__RULES_CLAIMED
                                       ? ends[i].again
                                       : ends[i].ended;
        return OPEN;
}

static pawl_status out_of_phase(const pawl__apply_ctx *a, enum phase phase)
{
        const pawl_text run = a->event->run_id;

        if (phase & (UNKNOWN | CLAIMED))
                return pawl__rules_refuse(a, "run-phase",
                        "there is no run %.*s that has started; append RunStarted first",
                        PAWL__FMT(run));
        if (phase == QUEUED)
                return pawl__rules_refuse(
                        a, "run-phase", "run %.*s waits for a worker's claim", PAWL__FMT(run));
        return pawl__rules_refuse(a, "run-phase",
                "run %.*s is %.*s; claim it again, or start another", PAWL__FMT(run),
                PAWL__FMT(a->run.v[PAWL__RUN_STATUS].text));
}

static pawl_status grows_fence(const pawl__apply_ctx *a)
{
        int64_t fence;
        pawl_status status = pawl__apply_integer(&fence, a, 0, "payload", "fence");

        if (!status && fence < 1)
                return pawl__rules_refuse(
                        a, "fence-grows", "fence %" PRId64 ": fences count from 1", fence);
        if (!status && a->run_is == PAWL__ROW_THERE && fence <= a->run.v[PAWL__RUN_FENCE].integer)
                status = pawl__rules_refuse(a, "fence-grows",
                        "fence %" PRId64 " is not greater than %" PRId64 ", which holds run %.*s",
                        fence, a->run.v[PAWL__RUN_FENCE].integer, PAWL__FMT(a->event->run_id));
        const int64_t before = a->run_is == PAWL__ROW_THERE ? a->run.v[PAWL__RUN_FENCE].integer : 0;
        if (!status && fence - before > FENCES_SKIPPED)
                status = pawl__rules_refuse(a, "fence-grows",
                        "fence %" PRId64 " leaves out too many after %" PRId64
                        ", so that none could follow it soon",
                        fence, before);
        return status;
}

/* What it was forked from is a run that began before it, and the place is in the log. */
static pawl_status forks(const pawl__apply_ctx *a)
{
        const pawl__node from = pawl__json_get(a->tree, 0, "forked_from");
        const pawl_text run_id = pawl__json_get_text(a->tree, from, "run_id");
        pawl__row origin = {.v[PAWL__RUN_ID].text = run_id};
        int64_t seq = 0;
        pawl_status status = PAWL_ENOTFOUND;

        if (pawl__json_at(a->tree, from)->type == PAWL__JSON_OBJECT && run_id.data &&
                pawl__json_get_text(a->tree, from, "step_id").data &&
                pawl__json_get(a->tree, from, "seq") != PAWL__NO_NODE &&
                pawl__json_int(
                        pawl__json_at(a->tree, pawl__json_get(a->tree, from, "seq")), &seq) &&
                seq > 0 && seq < (int64_t)a->event->seq && !pawl__text_eq(run_id, a->event->run_id))
                status = a->store->get(a->store, PAWL__RUNS, &origin, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (status || !origin.v[PAWL__RUN_SCOPE_REFS].text.data)
                return pawl__rules_refuse(
                        a, "fork-first", "forked_from names no run and event before it");
        const int64_t kind = origin.v[PAWL__RUN_RULES].integer;
        return !(kind & PAWL__RULES_IMPORTED) &&
                               pawl__text_eq(
                                       a->event->mission_id, origin.v[PAWL__RUN_MISSION].text) &&
                               (!(kind & PAWL__RULES_PLANNED) || pawl__rule_has(a, "plan"))
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "fork-first",
                                 "run %.*s is of another mission, was imported, or has a plan and "
                                 "its fork none",
                                 PAWL__FMT(run_id));
}

static bool has_no_plan(const pawl__apply_ctx *a)
{
        return pawl__rule_has(a, "mission_document") && !pawl__rule_has(a, "plan");
}

/* A second start is EEXISTS, by which a caller knows that another process was first. */
static pawl_status starts(const pawl__apply_ctx *a)
{
        const bool imported = pawl__rule_has(a, "origin");
        const enum phase phase = phase_of(a);

        if (phase == UNKNOWN && !imported)
                return pawl__rules_refuse(a, "run-phase", "run %.*s is not claimed; claim it first",
                        PAWL__FMT(a->event->run_id));
        const pawl__node from = pawl__json_get(a->tree, 0, "checkpoint");
        pawl__row checkpoint;
        int64_t n;
        if (from != PAWL__NO_NODE && a->event->v > 1) {
                TRY(pawl__apply_integer(&n, a, 0, "payload", "checkpoint"));
                const pawl_status status = pawl__apply_workspace(&checkpoint, a, n, "checkpoint");
                if (status)
                        return status == PAWL_ESTATE ? pawl__rules_refuse(a, "checkpoint-number",
                                                               "there is no checkpoint %" PRId64, n)
                                                     : status;
        }
        if (!imported && has_no_plan(a))
                return pawl__rules_refuse(a, "mission", "its mission has a document and no plan");
        return pawl__rule_has(a, "forked_from") ? forks(a) : PAWL_OK;
}

static pawl_status submits(const pawl__apply_ctx *a)
{
        return phase_of(a) == CLAIMED
                       ? pawl__rules_refuse(a, "run-phase", "run %.*s is claimed; start it",
                                 PAWL__FMT(a->event->run_id))
               : has_no_plan(a)
                       ? pawl__rules_refuse(a, "mission", "its mission has a document and no plan")
                       : PAWL_OK;
}

static pawl_status all_done(const pawl__apply_ctx *a)
{
        const int64_t left = a->run.v[PAWL__RUN_STEPS].integer - a->run.v[PAWL__RUN_DONE].integer;

        if (!left)
                return PAWL_OK;
        return pawl__rules_refuse(a, "all-steps-done",
                "%" PRId64 " of the steps of run %.*s are not completed; complete or skip them",
                left, PAWL__FMT(a->event->run_id));
}

/* Somebody is told of a run that it was blocked, has failed or is completed. */
static pawl_status told(const pawl__apply_ctx *a)
{
        pawl__query *row = NULL;
        pawl__event_type type = PAWL__EVENT_OTHER;
        int64_t seq;

        TRY(pawl__apply_integer(&seq, a, 0, "payload", "seq"));
        if (!a->log)
                return PAWL_OK;
        TRY(pawl__query_prepare(
                &row, a->log, "SELECT type, run_id FROM {events} WHERE seq = ?1", a->err));
        pawl__query_bind(row, "i", seq);
        const pawl_status status = pawl__query_step(row, PAWL__READING, a->err);
        if (!status && seq < (int64_t)a->event->seq &&
                pawl__text_eq(pawl__query_text(row, 1), a->event->run_id))
                type = pawl__event_type_of(pawl__query_text(row, 0));
        pawl__query_finalize(row);
        if (status && status != PAWL_DONE)
                return status;
        return type == PAWL__RUN_COMPLETED || type == PAWL__RUN_FAILED ||
                               type == PAWL__GENERATION_BLOCKED
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "told-of",
                                 "seq %" PRId64 " is no event that tells how run %.*s ended", seq,
                                 PAWL__FMT(a->event->run_id));
}

/* ---- All ------------------------------------------------------------------------------------- */

static pawl_status read_rows(pawl__apply_ctx *a)
{
        const pawl_event *event = a->event;

        a->run.v[PAWL__RUN_ID].text = event->run_id;
        pawl_status status = a->store->get(a->store, PAWL__RUNS, &a->run, a->err);
        a->run_is = status ? PAWL__ROW_MISSING : PAWL__ROW_THERE;
        if (status == PAWL_ENOTFOUND)
                a->run = (pawl__row){.v[PAWL__RUN_ID].text = event->run_id};
        if (status || !event->step_id.data)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        a->step.v[PAWL__STEP_RUN].text = event->run_id;
        a->step.v[PAWL__STEP_ID].text = event->step_id;
        status = a->store->get(a->store, PAWL__STEPS, &a->step, a->err);
        a->step_is = status ? PAWL__ROW_MISSING : PAWL__ROW_THERE;
        if (status == PAWL_ENOTFOUND)
                a->step = (pawl__row){.v[PAWL__STEP_RUN].text = event->run_id,
                        .v[PAWL__STEP_ID].text = event->step_id};
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Events of a run that has one that broke a rule. */
static pawl_status behind_illegal(const pawl__apply_ctx *a)
{
        return pawl__fail(a->err, PAWL_EDAMAGED,
                "run %.*s: seq %" PRId64 " breaks a rule of the log, so another program wrote it; "
                "nothing is appended behind it: see `eventlog verify`",
                PAWL__FMT(a->event->run_id), pawl__run_illegal(&a->run));
}

/* A step's event is of the session that claimed the run last, if it is of one. */
static pawl_status in_session(const pawl__apply_ctx *a)
{
        const pawl_text claimed_by = a->run.v[PAWL__RUN_SESSION].text;

        if (!a->event->session_id.data || !claimed_by.data ||
                pawl__text_eq(a->event->session_id, claimed_by))
                return PAWL_OK;
        return pawl__rules_refuse(a, "session-known", "run %.*s was claimed by session %.*s last",
                PAWL__FMT(a->event->run_id), PAWL__FMT(claimed_by));
}

pawl_status pawl__rules_check(pawl__apply_ctx *a, pawl__event_type type)
{
        const int phases = rules[type].phases, statuses = rules[type].statuses;
        pawl_status status;

        if (!a->event->run_id.data || !phases ||
                (type == PAWL__WORKSPACE_CHECKPOINTED && pawl__rule_is_true(a, "imported")))
                return PAWL_OK;
        status = read_rows(a);
        if (status)
                return status;
        if (a->run_is == PAWL__ROW_THERE && pawl__run_illegal(&a->run))
                return behind_illegal(a);
        const bool judged = a->run_is == PAWL__ROW_THERE
                                    ? a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED
                                    : a->event->v > 1;
        if (a->run_is == PAWL__ROW_THERE && pawl__run_is_thread(&a->run) && a->event->v > 1 &&
                type != PAWL__RUN_CLAIMED) /* whose apply function says more */
                return pawl__rules_refuse(
                        a, "thread", "run %.*s is a thread's", PAWL__FMT(a->event->run_id));
        if (a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_IMPORTED &&
                !pawl__rule_has(a, "origin"))
                return pawl__rules_refuse(a, "imported",
                        "run %.*s was imported, and does not go on here; start another",
                        PAWL__FMT(a->event->run_id));
        if (!judged)
                return PAWL_OK;
        if (a->event->v < 2)
                return pawl__rules_refuse(a, "version", "v is %d; events of run %.*s have v 2",
                        a->event->v, PAWL__FMT(a->event->run_id));
        if (pawl__rule_has(a, "origin") && a->run_is == PAWL__ROW_THERE)
                return pawl__rules_refuse(
                        a, "no-origin", "run %.*s was not imported", PAWL__FMT(a->event->run_id));
        const enum phase phase = phase_of(a);
        if (!(phases & (int)phase))
                return out_of_phase(a, phase);
        if (a->run_is == PAWL__ROW_THERE && a->event->mission_id.data &&
                !pawl__text_eq(a->event->mission_id, a->run.v[PAWL__RUN_MISSION].text))
                return pawl__rules_refuse(a, "mission", "run %.*s is of mission %.*s",
                        PAWL__FMT(a->event->run_id), PAWL__FMT(a->run.v[PAWL__RUN_MISSION].text));
        if (statuses && a->event->step_id.data && !(statuses & (int)pawl__rule_step_status(a)))
                return pawl__rule_wrong_status(a);
        status = rules[type].also ? rules[type].also(a) : PAWL_OK;
        return status || !statuses ? status : in_session(a);
}
