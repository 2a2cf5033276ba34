/*
 * The order of events. One table says in which phase of its run, and in which status of its step,
 * an event may come; a function says what else holds for its type. Everything that a rule needs to
 * know of the events before is in the rows of the run, the step and the conflict, so that an append
 * reads no more than it does without rules. Normally a rule is silent: the engine appends nothing
 * else. A row of `runs` keeps the first illegal event of a log that another program wrote to, and
 * nothing follows it.
 */
#include "state/rules.h"
#include "base/error.h"
#include "events/log.h"
#include "state/past.h"
#include "state/projection.h"
#include "state/threads.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

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

enum step_status {
        ABSENT = 1 << 0,
        PENDING = 1 << 1,
        RUNNING = 1 << 2,
        BLOCKED = 1 << 3,
        DONE = 1 << 4,
        STEP_FAILED = 1 << 5,
        REMOVED = 1 << 6,
        ANY_STEP = 0
};

typedef pawl_status rule_fn(const pawl__apply_ctx *a);
static rule_fn grows_fence, starts, all_done, submits, starts_step, checkpoints_step, resumes,
        completes_step, requests;

/* A type with no phases says nothing of a run. */
static const struct {
        int phases, statuses;
        rule_fn *also;
} rules[PAWL__EVENT_TYPES] = {
        [PAWL__RUN_STARTED] = {~0, ANY_STEP, starts},
        [PAWL__RUN_SUBMITTED] = {~0, ANY_STEP, submits},
        [PAWL__RUN_CLAIMED] = {~0, ANY_STEP, grows_fence},
        [PAWL__RUN_COMPLETED] = {AT_WORK, ANY_STEP, all_done},
        [PAWL__RUN_FAILED] = {AT_WORK, ANY_STEP, NULL},
        [PAWL__RUN_CANCELLED] = {AT_WORK | COMPLETED | CANCELLED | COMPLETED_AGAIN |
                                         CANCELLED_AGAIN,
                ANY_STEP, NULL}, /* of an ended run its apply function says more */
        [PAWL__RUN_NOTIFIED] = {BEGUN, ANY_STEP, NULL},
        [PAWL__RUN_MISSION_CHANGED] = {AT_WORK | COMPLETED_AGAIN, ANY_STEP, NULL},
        [PAWL__STEP_STARTED] = {AT_WORK, ABSENT | PENDING | RUNNING | BLOCKED | STEP_FAILED,
                starts_step},
        [PAWL__STEP_COMPLETED] = {AT_WORK, PENDING | RUNNING | STEP_FAILED, completes_step},
        [PAWL__STEP_FAILED] = {AT_WORK, PENDING | RUNNING | BLOCKED | STEP_FAILED, NULL},
        [PAWL__STEP_ATTEMPT_FAILED] = {AT_WORK, RUNNING, NULL},
        [PAWL__TERM_OBSERVED] = {QUEUED | AT_WORK | FAILED, ABSENT | RUNNING, NULL},
        [PAWL__CHECK_EVALUATED] = {AT_WORK, RUNNING, NULL},
        [PAWL__STEP_CHECKPOINTED] = {AT_WORK, RUNNING | BLOCKED, checkpoints_step},
        [PAWL__GENERATION_BLOCKED] = {AT_WORK, RUNNING, NULL},
        [PAWL__CLARIFICATION_REQUESTED] = {AT_WORK, BLOCKED, requests},
        [PAWL__CLARIFICATION_RESOLVED] = {QUEUED | AT_WORK | FAILED, ANY_STEP, NULL},
        [PAWL__SENSE_UPDATED] = {QUEUED | AT_WORK | FAILED, ANY_STEP, NULL},
        [PAWL__SCOPE_ACTIVATED] = {QUEUED | AT_WORK | FAILED, ANY_STEP, NULL},
        [PAWL__STEP_RESUMED] = {AT_WORK, RUNNING | BLOCKED | STEP_FAILED, resumes},
        [PAWL__RESUME_ABORTED] = {AT_WORK, RUNNING | BLOCKED | STEP_FAILED | DONE, resumes},
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

pawl_status pawl__rules_refuse(const pawl__apply_ctx *a, const char *rule, const char *format, ...)
{
        char what[400];
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        return pawl__fail(a->err, PAWL_ESTATE, "seq %" PRIu64 " (%.*s): rule %s: %s%s",
                a->event->seq, PAWL__FMT(a->event->type), rule, what,
                strchr(what, ';') ? "" : "; docs/reference/event-log.md says what may follow what");
}

static bool is(const pawl__row *row, int column, const char *text)
{
        return pawl__text_is(row->v[column].text, text);
}

static bool has(const pawl__apply_ctx *a, const char *member)
{
        return pawl__json_get(a->tree, 0, member) != PAWL__NO_NODE;
}

static bool is_true(const pawl__apply_ctx *a, const char *member)
{
        const pawl__node node = pawl__json_get(a->tree, 0, member);

        return node != PAWL__NO_NODE && pawl__json_at(a->tree, node)->type == PAWL__JSON_TRUE;
}

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
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
                if (is(run, PAWL__RUN_STATUS, ends[i].status))
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
        return !status && origin.v[PAWL__RUN_SCOPE_REFS].text.data
                       ? PAWL_OK
                       : pawl__rules_refuse(
                                 a, "fork-first", "forked_from names no run and event before it");
}

/* A second start is EEXISTS, by which a caller knows that another process was first. */
static pawl_status starts(const pawl__apply_ctx *a)
{
        const bool imported = has(a, "origin");
        const enum phase phase = phase_of(a);

        if (phase == UNKNOWN && !imported)
                return pawl__rules_refuse(a, "run-phase", "run %.*s is not claimed; claim it first",
                        PAWL__FMT(a->event->run_id));
        return has(a, "forked_from") ? forks(a) : PAWL_OK;
}

static pawl_status submits(const pawl__apply_ctx *a)
{
        return phase_of(a) == CLAIMED
                       ? pawl__rules_refuse(a, "run-phase", "run %.*s is claimed; start it",
                                 PAWL__FMT(a->event->run_id))
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

/* ---- Steps ----------------------------------------------------------------------------------- */

static enum step_status status_of(const pawl__apply_ctx *a)
{
        static const struct {
                const char *name;
                enum step_status status;
        } names[] = {{"pending", PENDING}, {"running", RUNNING}, {"blocked", BLOCKED},
                {"completed", DONE}, {"failed", STEP_FAILED}, {"skipped", REMOVED}};

        if (a->step_is != PAWL__ROW_THERE)
                return ABSENT;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                if (is(&a->step, PAWL__STEP_STATUS, names[i].name))
                        return names[i].status;
        return REMOVED;
}

static pawl_status wrong_status(const pawl__apply_ctx *a)
{
        if (a->step_is != PAWL__ROW_THERE)
                return pawl__rules_refuse(a, "step-status",
                        "run %.*s has no step %.*s; append StepStarted first",
                        PAWL__FMT(a->event->run_id), PAWL__FMT(a->event->step_id));
        return pawl__rules_refuse(a, "step-status", "step %.*s is %.*s",
                PAWL__FMT(a->event->step_id), PAWL__FMT(a->step.v[PAWL__STEP_STATUS].text));
}

/* The first of the conflicts that block the step without an answer; absent: each has one. */
static pawl_status find_open(
        pawl_text *open, pawl__store *store, const pawl__row *step, pawl_error *err)
{
        pawl_text left = step->v[PAWL__STEP_BLOCKERS].text;

        while (left.len) {
                const char *space = memchr(left.data, ' ', left.len);
                const size_t len = space ? (size_t)(space - left.data) : left.len;
                pawl__row conflict = {.v[PAWL__CON_ID].text = pawl__text_n(left.data, len)};
                const pawl_status status = store->get(store, PAWL__CONFLICTS, &conflict, err);
                if (status && status != PAWL_ENOTFOUND)
                        return status;
                *open = pawl__text_n(left.data, len);
                if (status || !is(&conflict, PAWL__CON_STATUS, "resolved"))
                        return PAWL_OK;
                left = space ? pawl__text_n(space + 1, left.len - len - 1) : pawl__text(NULL);
        }
        *open = left; /* "": there are some, and they are not named yet */
        return PAWL_OK;
}

static pawl_status gate_is_open(const pawl__apply_ctx *a)
{
        pawl_text open;
        const pawl_status status = find_open(&open, a->store, &a->step, a->err);

        if (status || !open.data)
                return status;
        return open.len ? pawl__rules_refuse(a, "gate-open",
                                  "conflict %.*s blocks step %.*s and has no answer",
                                  PAWL__FMT(open), PAWL__FMT(a->event->step_id))
                        : pawl__rules_refuse(a, "gate-open",
                                  "the check of step %.*s found what blocks it",
                                  PAWL__FMT(a->event->step_id));
}

pawl_status pawl__state_step_blocked(
        bool *blocked, pawl__state *state, const pawl__row *step, pawl_error *err)
{
        pawl_text open = {NULL, 0};
        const pawl_status status = find_open(&open, state->tables, step, err);

        *blocked = open.data != NULL;
        return status;
}

/* A step that no conflict blocks, but a layer of the program's own, begins again. */
static pawl_status starts_step(const pawl__apply_ctx *a)
{
        return status_of(a) == BLOCKED && a->step.v[PAWL__STEP_BLOCKERS].text.len ? wrong_status(a)
                                                                                  : PAWL_OK;
}

static pawl_status has_passed(const pawl__apply_ctx *a)
{
        return a->step.v[PAWL__STEP_GATE].integer
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "gate-passed", "the gate has not let step %.*s pass",
                                 PAWL__FMT(a->event->step_id));
}

/* The checkpoint of that token is not of the event's step. */
static pawl_status other_token(const pawl__apply_ctx *a, pawl_text token)
{
        return pawl__rules_refuse(a, "token-of-step",
                "retry token %.*s is not that of a checkpoint of step %.*s at this cursor",
                PAWL__FMT(token), PAWL__FMT(a->event->step_id));
}

/* Is the event at that seq a checkpoint of this step at this cursor? By a statement of its own, as
 * the log may be read at the same time. */
static pawl_status is_of_step(bool *yes, const pawl__apply_ctx *a, int64_t seq, pawl_text cursor)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__query *row = NULL;
        pawl_status status = pawl__query_prepare(&row, a->log,
                "SELECT run_id, step_id, payload FROM {events} WHERE seq = ?1", a->err);

        *yes = false;
        if (status)
                return status;
        pawl__query_bind(row, "i", seq);
        status = pawl__query_step(row, PAWL__READING, a->err);
        if (!status && pawl__text_eq(pawl__query_text(row, 0), a->event->run_id) &&
                pawl__text_eq(pawl__query_text(row, 1), a->event->step_id)) {
                const pawl_text payload = pawl__query_text(row, 2);
                status = pawl__json_tree_read(&tree, payload.data, payload.len, a->err);
                *yes = !status && pawl__text_eq(pawl__json_get_text(&tree, 0, "cursor"), cursor);
        }
        pawl__query_finalize(row);
        pawl__json_tree_free(&tree);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* An earlier checkpoint of the step. */
static pawl_status check_earlier(const pawl__apply_ctx *a, pawl_text token, pawl_text cursor)
{
        pawl__row checkpoint = {.v[PAWL__CP_TOKEN].text = token};
        bool yes;
        pawl_status status = a->store->get(a->store, PAWL__CHECKPOINTS, &checkpoint, a->err);

        if (!status)
                status = is_of_step(&yes, a, checkpoint.v[PAWL__CP_SEQ].integer, cursor);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        return status || !yes ? other_token(a, token) : PAWL_OK;
}

static bool passes_gate(pawl_text cursor)
{
        return pawl__text_is(cursor, "post_gate") || pawl__text_is(cursor, "post_generation");
}

static pawl_status resumes(const pawl__apply_ctx *a)
{
        const pawl_text token = pawl__apply_optional(a, "retry_token");
        const pawl_text cursor = pawl__apply_optional(a, "cursor");

        if (pawl__text_eq(token, a->step.v[PAWL__STEP_TOKEN].text))
                return pawl__text_eq(cursor, a->step.v[PAWL__STEP_CURSOR].text)
                               ? PAWL_OK
                               : other_token(a, token);
        return passes_gate(cursor) && pawl__event_type_of(a->event->type) == PAWL__STEP_RESUMED
                       ? other_token(a, token)
                       : check_earlier(a, token, cursor);
}

/* A new token is one that no checkpoint had: where the event is in the log already that is looked
 * up; an append leaves it to the table's key (apply_step.c), which costs nothing. */
static pawl_status is_own_token(const pawl__apply_ctx *a)
{
        const pawl__value *v = a->step.v;
        const pawl_text token = pawl__apply_optional(a, "retry_token");
        pawl__row checkpoint = {.v[PAWL__CP_TOKEN].text = token};
        pawl_status status = PAWL_ENOTFOUND;

        if (pawl__text_eq(token, v[PAWL__STEP_TOKEN].text)) {
                if (pawl__text_eq(
                            pawl__apply_optional(a, "input_hash"), v[PAWL__STEP_INPUT_HASH].text))
                        return PAWL_OK;
                return pawl__rules_refuse(a, "token-once",
                        "retry token %.*s is that of other inputs; take a new one",
                        PAWL__FMT(token));
        }
        if (a->in_log)
                status = a->store->get(a->store, PAWL__CHECKPOINTS, &checkpoint, a->err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        return pawl__rules_refuse(a, "token-once",
                "retry token %.*s is that of the checkpoint at seq %" PRId64, PAWL__FMT(token),
                checkpoint.v[PAWL__CP_SEQ].integer);
}

static pawl_status checkpoints_step(const pawl__apply_ctx *a)
{
        const pawl_text cursor = pawl__apply_optional(a, "cursor");
        const bool clarified = pawl__text_is(cursor, "post_clarification");
        const bool generated = pawl__text_is(cursor, "post_generation");
        const bool blocked = is(&a->step, PAWL__STEP_STATUS, "blocked");
        pawl_status status = PAWL_OK;

        if (blocked ? !clarified && !generated : clarified)
                return wrong_status(a);
        if (clarified || pawl__text_is(cursor, "post_gate"))
                status = gate_is_open(a);
        if (generated)
                status = has_passed(a);
        return status ? status : is_own_token(a);
}

/* A question's answer is the step's output. */
static pawl_status is_answer(const pawl__apply_ctx *a, pawl_text output_hash)
{
        pawl__row conflict = {.v[PAWL__CON_ID] = a->step.v[PAWL__STEP_QUESTION]};
        pawl_status status = PAWL_OK;

        if (!conflict.v[PAWL__CON_ID].text.data)
                return PAWL_OK;
        status = a->store->get(a->store, PAWL__CONFLICTS, &conflict, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status && is(&conflict, PAWL__CON_STATUS, "resolved") &&
                pawl__text_eq(conflict.v[PAWL__CON_ANSWER_HASH].text, output_hash))
                return PAWL_OK;
        return pawl__rules_refuse(a, "question-answer",
                "step %.*s asks a question, and its output is not the answer",
                PAWL__FMT(a->event->step_id));
}

static pawl_status completes_step(const pawl__apply_ctx *a)
{
        const pawl_text hash = pawl__apply_optional(a, "output_hash");
        const enum step_status status_is = status_of(a);
        const bool skipped = is_true(a, "skipped");
        pawl_status status;

        if (skipped)
                return status_is == RUNNING ? wrong_status(a) : PAWL_OK;
        if (is_true(a, "forked")) {
                if (status_is == PENDING &&
                        a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_FORKING &&
                        a->run.v[PAWL__RUN_UPDATED_SEQ].integer + 1 == (int64_t)a->event->seq)
                        return a->past ? pawl__past_forked(a) : PAWL_OK;
                return pawl__rules_refuse(a, "fork-first",
                        "run %.*s has begun; a fork takes completed steps over right behind its start",
                        PAWL__FMT(a->event->run_id));
        }
        if (status_is != RUNNING)
                return wrong_status(a);
        if ((status = has_passed(a)) || (status = gate_is_open(a)))
                return status;
        if (!pawl__text_eq(
                    pawl__apply_optional(a, "input_hash"), a->step.v[PAWL__STEP_INPUT_HASH].text))
                return pawl__rules_refuse(a, "input-hash",
                        "its input_hash is not that of the last checkpoint of step %.*s",
                        PAWL__FMT(a->event->step_id));
        if (a->step.v[PAWL__STEP_HELD].text.data &&
                !pawl__text_eq(hash, a->step.v[PAWL__STEP_HELD].text))
                return pawl__rules_refuse(a, "output-held",
                        "its output_hash is not that of the output of step %.*s that was blocked",
                        PAWL__FMT(a->event->step_id));
        return is_answer(a, hash);
}

/* ---- Questions ------------------------------------------------------------------------------- */

static pawl_status requests(const pawl__apply_ctx *a)
{
        const pawl_text id = pawl__apply_optional(a, "conflict_id");

        return pawl__step_has_blocker(&a->step, id)
                       ? PAWL_OK
                       : pawl__rules_refuse(a, "asked-when-blocked",
                                 "conflict %.*s does not block step %.*s", PAWL__FMT(id),
                                 PAWL__FMT(a->event->step_id));
}

/* ---- All ------------------------------------------------------------------------------------- */

static pawl_status read_rows(pawl__apply_ctx *a)
{
        pawl_status status;

        a->run.v[PAWL__RUN_ID].text = a->event->run_id;
        status = a->store->get(a->store, PAWL__RUNS, &a->run, a->err);
        a->run_is = status ? PAWL__ROW_MISSING : PAWL__ROW_THERE;
        if (status || !a->event->step_id.data)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        a->step.v[PAWL__STEP_RUN].text = a->event->run_id;
        a->step.v[PAWL__STEP_ID].text = a->event->step_id;
        status = a->store->get(a->store, PAWL__STEPS, &a->step, a->err);
        a->step_is = status ? PAWL__ROW_MISSING : PAWL__ROW_THERE;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Events of a run that has one that broke a rule. */
static pawl_status behind_illegal(const pawl__apply_ctx *a)
{
        return pawl__fail(a->err, PAWL_EDAMAGED,
                "run %.*s: seq %" PRId64 " breaks a rule of the log, so another program wrote it; "
                "nothing is appended behind it: see `eventlog verify`",
                PAWL__FMT(a->event->run_id), a->run.v[PAWL__RUN_ILLEGAL].integer);
}

pawl_status pawl__rules_check(pawl__apply_ctx *a, pawl__event_type type)
{
        const int phases = rules[type].phases, statuses = rules[type].statuses;
        pawl_status status;

        if (!a->event->run_id.data || !phases ||
                (type == PAWL__WORKSPACE_CHECKPOINTED && is_true(a, "imported")))
                return PAWL_OK;
        status = read_rows(a);
        if (status)
                return status;
        if (a->run_is == PAWL__ROW_THERE && a->run.v[PAWL__RUN_ILLEGAL].integer)
                return behind_illegal(a);
        const bool judged = a->run_is == PAWL__ROW_THERE
                                    ? a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED
                                    : a->event->v > 1;
        if (a->run_is == PAWL__ROW_THERE && pawl__run_is_thread(&a->run) && a->event->v > 1 &&
                type != PAWL__RUN_CLAIMED) /* whose apply function says more */
                return pawl__rules_refuse(
                        a, "thread", "run %.*s is a thread's", PAWL__FMT(a->event->run_id));
        if (a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_IMPORTED && !has(a, "origin"))
                return pawl__rules_refuse(a, "imported",
                        "run %.*s was imported, and does not go on here; start another",
                        PAWL__FMT(a->event->run_id));
        if (!judged)
                return PAWL_OK;
        if (a->event->v < 2)
                return pawl__rules_refuse(a, "version", "v is %d; events of run %.*s have v 2",
                        a->event->v, PAWL__FMT(a->event->run_id));
        if (has(a, "origin") && a->run_is == PAWL__ROW_THERE)
                return pawl__rules_refuse(
                        a, "no-origin", "run %.*s was not imported", PAWL__FMT(a->event->run_id));
        const enum phase phase = phase_of(a);
        if (!(phases & (int)phase))
                return out_of_phase(a, phase);
        if (statuses && a->event->step_id.data && !(statuses & (int)status_of(a)))
                return wrong_status(a);
        return rules[type].also ? rules[type].also(a) : PAWL_OK;
}
