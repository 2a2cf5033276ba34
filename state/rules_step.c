/* The rules of steps: their checkpoints, how they go on and how they end. */
#include "base/error.h"
#include "events/log.h"
#include "state/projection.h"
#include "state/rules_of.h"
#include "state/step_plan.h"
#include <inttypes.h>

enum pawl__step_status pawl__rule_step_status(const pawl__apply_ctx *a)
{
        static const struct {
                const char *name;
                enum pawl__step_status status;
        } names[] = {{"running", RUNNING}, {"pending", PENDING}, {"blocked", BLOCKED},
                {"completed", DONE}, {"failed", STEP_FAILED}, {"skipped", REMOVED}};

        if (a->step_is != PAWL__ROW_THERE)
                return ABSENT;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                if (pawl__rule_is(&a->step, PAWL__STEP_STATUS, names[i].name))
                        return names[i].status;
        return REMOVED;
}

pawl_status pawl__rule_wrong_status(const pawl__apply_ctx *a)
{
        if (a->step_is != PAWL__ROW_THERE)
                return pawl__rules_refuse(a, "step-status",
                        "run %.*s has no step %.*s; append StepStarted first",
                        PAWL__FMT(a->event->run_id), PAWL__FMT(a->event->step_id));
        return pawl__rules_refuse(a, "step-status", "step %.*s is %.*s",
                PAWL__FMT(a->event->step_id), PAWL__FMT(a->step.v[PAWL__STEP_STATUS].text));
}

/* An answer in another step opens no gate of this one. */
static bool is_of(const pawl__row *conflict, const pawl__row *step)
{
        return pawl__text_eq(conflict->v[PAWL__CON_RUN].text, step->v[PAWL__STEP_RUN].text) &&
               pawl__text_eq(conflict->v[PAWL__CON_STEP].text, step->v[PAWL__STEP_ID].text);
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
                if (status || !pawl__rule_is(&conflict, PAWL__CON_STATUS, "resolved") ||
                        !is_of(&conflict, step))
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
pawl_status pawl__rule_starts_step(const pawl__apply_ctx *a)
{
        if (a->step_is != PAWL__ROW_THERE && a->run.v[PAWL__RUN_MISSION_HASH].text.data)
                return pawl__rules_refuse(a, "step-status",
                        "the mission of run %.*s has no step %.*s", PAWL__FMT(a->event->run_id),
                        PAWL__FMT(a->event->step_id));
        return pawl__rule_step_status(a) == BLOCKED && a->step.v[PAWL__STEP_BLOCKERS].text.len
                       ? pawl__rule_wrong_status(a)
                       : pawl__rule_needs_done(a);
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

pawl_status pawl__rule_resumes(const pawl__apply_ctx *a)
{
        const pawl_text token = pawl__apply_optional(a, "retry_token");
        const pawl_text cursor = pawl__apply_optional(a, "cursor");
        const bool resumes = pawl__event_type_of(a->event->type) == PAWL__STEP_RESUMED;
        const pawl_status status = resumes ? pawl__rule_needs_done(a) : PAWL_OK;

        if (status)
                return status;
        if (pawl__text_eq(token, a->step.v[PAWL__STEP_TOKEN].text))
                return pawl__text_eq(cursor, a->step.v[PAWL__STEP_CURSOR].text)
                               ? PAWL_OK
                               : other_token(a, token);
        return passes_gate(cursor) && resumes ? other_token(a, token)
                                              : check_earlier(a, token, cursor);
}

/* A new token is one that no checkpoint had: where the event is in the log already that is looked
 * up; an append leaves it to the table's key (apply_step.c), which costs nothing. */
pawl_status pawl__rule_token(
        const pawl__apply_ctx *a, pawl_text token, pawl_text input_hash, bool same)
{
        pawl__row checkpoint = {.v[PAWL__CP_TOKEN].text = token};
        pawl_status status = PAWL_ENOTFOUND;

        if (same) {
                if (pawl__text_eq(input_hash, a->step.v[PAWL__STEP_INPUT_HASH].text))
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

pawl_status pawl__rule_checkpoints_step(const pawl__apply_ctx *a)
{
        const pawl_text cursor = pawl__apply_optional(a, "cursor");
        const bool clarified = pawl__text_is(cursor, "post_clarification");
        const bool generated = pawl__text_is(cursor, "post_generation");
        const bool blocked = pawl__rule_is(&a->step, PAWL__STEP_STATUS, "blocked");
        pawl_status status = PAWL_OK;

        if (blocked ? !clarified && !generated : clarified)
                return pawl__rule_wrong_status(a);
        if (clarified || pawl__text_is(cursor, "post_gate"))
                status = gate_is_open(a);
        if (generated)
                status = has_passed(a);
        if (!status)
                status = pawl__rule_strictness(a, "strictness");
        const pawl__node refs = pawl__json_get(a->tree, 0, "scope_refs");
        if (status || pawl__text_eq(pawl__json_at(a->tree, refs)->value,
                              a->run.v[PAWL__RUN_SCOPE_REFS].text))
                return status;
        return pawl__rules_refuse(a, "scope-refs",
                "its scope_refs are not those that run %.*s began with",
                PAWL__FMT(a->event->run_id));
}

/* Of an earlier question: does the step have other inputs than those that it was about? */
static pawl_status of_other_inputs(bool *other, const pawl__apply_ctx *a, const pawl__row *conflict)
{
        pawl__json_tree asked = PAWL__JSON_TREE_INIT;
        const pawl_status status =
                pawl__rule_earlier_payload(&asked, a, conflict->v[PAWL__CON_SEQ].integer);

        *other = !status && !pawl__text_eq(pawl__json_get_text(&asked, 0, "input_hash"),
                                    a->step.v[PAWL__STEP_INPUT_HASH].text);
        pawl__json_tree_free(&asked);
        return status;
}

/* A question's answer is the step's output. */
static pawl_status is_answer(const pawl__apply_ctx *a, pawl_text output_hash)
{
        pawl__row conflict = {.v[PAWL__CON_ID] = a->step.v[PAWL__STEP_QUESTION]};
        const bool planned = pawl__plan_ask(a->step.v[PAWL__STEP_PLAN].text).data != NULL;
        bool other = false;
        pawl_status status = PAWL_ENOTFOUND;

        if (!conflict.v[PAWL__CON_ID].text.data && !planned)
                return PAWL_OK;
        if (conflict.v[PAWL__CON_ID].text.data)
                status = a->store->get(a->store, PAWL__CONFLICTS, &conflict, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status && pawl__rule_is(&conflict, PAWL__CON_STATUS, "resolved") &&
                pawl__text_eq(conflict.v[PAWL__CON_ANSWER_HASH].text, output_hash))
                return PAWL_OK;
        if (!status && !planned && ((status = of_other_inputs(&other, a, &conflict)) || other))
                return status;
        return pawl__rules_refuse(a, "question-answer",
                "step %.*s asks a question, and its output is not the answer",
                PAWL__FMT(a->event->step_id));
}

/* Does its `when` say no since the mission changed, so that a blocked step asks no longer? */
static bool is_left_out(const pawl__apply_ctx *a)
{
        return pawl__text_is(pawl__apply_optional(a, "reason"), "when") &&
               !a->step.v[PAWL__STEP_QUESTION].text.data;
}

pawl_status pawl__rule_completes_step(const pawl__apply_ctx *a)
{
        const pawl_text hash = pawl__apply_optional(a, "output_hash");
        const enum pawl__step_status status_is = pawl__rule_step_status(a);
        const bool skipped = pawl__rule_is_true(a, "skipped");
        const bool forked = pawl__rule_is_true(a, "forked");
        pawl_status status;

        if (status_is == BLOCKED ? !skipped || !is_left_out(a) : skipped && status_is == RUNNING)
                return pawl__rule_wrong_status(a);
        if (skipped && !forked) { /* pending: it never asked, or its `when` says no before that */
                status = status_is == STEP_FAILED ? gate_is_open(a) : PAWL_OK;
                return status ? status : pawl__rule_left_out(a);
        }
        if (forked) {
                if (status_is == PENDING &&
                        a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_FORKING &&
                        a->run.v[PAWL__RUN_UPDATED_SEQ].integer + 1 == (int64_t)a->event->seq)
                        return a->past_rules ? a->past_rules->forked(a) : PAWL_OK;
                return pawl__rules_refuse(a, "fork-first",
                        "run %.*s has begun; a fork takes completed steps over right behind its start",
                        PAWL__FMT(a->event->run_id));
        }
        if (status_is != RUNNING)
                return pawl__rule_wrong_status(a);
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
