/* Answering a conflict from any session: found by its id, answered once, without the run's fence.
 */
#include "base/error.h"
#include "base/ids.h"
#include "base/map.h"
#include "glossary/seed.h"
#include "glossary/uses.h"
#include "pipeline/answer.h"
#include "pipeline/question.h"
#include "state/verified.h"
#include <inttypes.h>
#include <stdio.h>

pawl_status pawl__conflict_find(
        pawl__row *row, pawl__state *state, pawl_text id, pawl__arena *arena, pawl_error *err)
{
        const pawl__table table = PAWL__CONFLICTS;
        pawl_status status = pawl__id_check(id, "conflict id", err);

        if (status)
                return status;
        status = pawl__state_whole_id(&id, state, &table, 1, "conflict", arena, err);
        if (status)
                return status;
        *row = (pawl__row){.v[PAWL__CON_ID].text = id};
        status = pawl__state_get(state, PAWL__CONFLICTS, row, arena, err);
        if (status != PAWL_ENOTFOUND)
                return status;
        if (id.len < PAWL__PREFIX_MIN)
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: is too short; give %d digits or more of its id",
                        PAWL__FMT(id), PAWL__PREFIX_MIN);
        return pawl__fail(err, PAWL_ENOTFOUND,
                "conflict %.*s: there is none; `pawl conflicts --all` lists them", PAWL__FMT(id));
}

pawl_status pawl__conflict_of(
        pawl_conflict *out, pawl__arena *arena, const pawl__row *row, pawl_error *err)
{
        pawl_sense *candidates = NULL;
        const pawl_text json = row->v[PAWL__CON_CANDIDATES].text;

        *out = (pawl_conflict){.conflict_id = row->v[PAWL__CON_ID].text,
                .term = row->v[PAWL__CON_TERM].text,
                .conflict_type = row->v[PAWL__CON_TYPE].text,
                .severity = row->v[PAWL__CON_SEVERITY].text,
                .context = row->v[PAWL__CON_CONTEXT].text,
                .confidence = row->v[PAWL__CON_CONFIDENCE].real};
        if (!json.data)
                return PAWL_OK;
        const pawl_status status =
                pawl__candidates_read(&candidates, &out->n_candidates, arena, json, err);
        out->candidates = candidates;
        return status ? pawl__fail_prefix(err, status, "conflict %.*s: candidates",
                                PAWL__FMT(out->conflict_id))
                      : PAWL_OK;
}

/* One answer, and where its events go. */
struct answering {
        pawl_log *log;
        pawl__batch *batch;
        pawl__state *state;
        pawl__arena *arena;
        pawl__map *seen;     /* ids of conflicts that are answered in the batch */
        pawl__row *replaced; /* those that were answered before */
        size_t *replaced_by; /* beside them: which answer */
        size_t n_replaced;
        size_t at; /* the current answer */
        pawl_text actor;
        const pawl__sealer *sealer;
        pawl__signers_known known;
        int64_t now_us;
};

/* ---- In place of an answer that was wrong ---------------------------------------------------- */

static pawl_status used_by(
        const pawl__row *conflict, const pawl__row *step, size_t n_more, pawl_error *err)
{
        char more[48] = "";

        if (n_more)
                snprintf(
                        more, sizeof more, ", and %zu more step%s", n_more, n_more == 1 ? "" : "s");
        return pawl__fail(err, PAWL_ESTATE,
                "conflict %.*s: step %.*s of run %.*s has completed with the former answer%s; "
                "change what is to hold from now on with `pawl glossary edit TERM --define TEXT`",
                PAWL__FMT(conflict->v[PAWL__CON_ID].text), PAWL__FMT(step->v[PAWL__STEP_ID].text),
                PAWL__FMT(step->v[PAWL__STEP_RUN].text), more);
}

/* Nothing may have come of the former answer: neither its own step has completed, nor one of the
 * mission that passed its gate since and uses the term. */
static pawl_status check_unused(struct answering *a, const pawl__row *row, pawl_error *err)
{
        const int64_t since = row->v[PAWL__CON_RESOLVED_SEQ].integer;
        pawl__automaton *term = NULL;
        pawl__row *steps, *first = NULL;
        size_t n = 0, n_used = 0;
        pawl_status status = pawl__state_completed(
                &steps, &n, a->state, row->v[PAWL__CON_MISSION].text, a->arena, err);

        if (!status)
                status = pawl__term_automaton(&term, &row->v[PAWL__CON_TERM].text, 1, err);
        for (size_t i = 0; i < n && !status; i++) {
                bool used =
                        pawl__text_eq(
                                steps[i].v[PAWL__STEP_RUN].text, row->v[PAWL__CON_RUN].text) &&
                        pawl__text_eq(steps[i].v[PAWL__STEP_ID].text, row->v[PAWL__CON_STEP].text);
                if (!used && steps[i].v[PAWL__STEP_CHECKPOINT_SEQ].integer > since)
                        status = pawl__step_uses(&used, a->log, term, &steps[i], err);
                if (!status && used && n_used++ == 0)
                        first = &steps[i];
        }
        pawl__automaton_free(term);
        return status || !first ? status : used_by(row, first, n_used - 1, err);
}

/* What the former answer put into a wider scope is retired, unless it is said again. */
static pawl_status retire(
        struct answering *a, const pawl__row *row, const pawl_event *like, pawl_error *err)
{
        const uint64_t seq = (uint64_t)row->v[PAWL__CON_RESOLVED_SEQ].integer;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl__row sense = {0};
        pawl_status status =
                pawl__log_failed(a->log, pawl__log_event(&event, a->arena, a->log, seq), err);

        if (!status && !event.payload.data) /* it was pruned */
                return PAWL_OK;
        if (!status)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status) {
                const pawl__node selected = pawl__json_get(&tree, 0, "selected_sense");
                sense.v[PAWL__SENSE_MISSION].text = pawl__text("");
                sense.v[PAWL__SENSE_SCOPE].text = pawl__json_get_text(&tree, selected, "scope");
                sense.v[PAWL__SENSE_VERSION].text = pawl__text("");
                sense.v[PAWL__SENSE_NORMAL].text = pawl__json_get_text(&tree, 0, "normal");
                sense.v[PAWL__SENSE_IDENTITY].text =
                        pawl__json_get_text(&tree, selected, "definition");
                status = pawl__state_get(a->state, PAWL__SENSES, &sense, a->arena, err);
        }
        if (!status && sense.v[PAWL__SENSE_SEQ].integer == (int64_t)seq - 1) {
                pawl__sense old = {.surface = sense.v[PAWL__SENSE_SURFACE].text,
                        .normal = sense.v[PAWL__SENSE_NORMAL].text,
                        .definition = sense.v[PAWL__SENSE_DEFINITION].text,
                        .confidence = sense.v[PAWL__SENSE_CONFIDENCE].real,
                        .status = PAWL__DEPRECATED};
                pawl_event at = *like;
                at.time_us = a->now_us;
                status = pawl__scope_read(&old.scope, sense.v[PAWL__SENSE_SCOPE].text, err);
                if (!status)
                        status = pawl__sense_updated(a->batch, &old, pawl__text(NULL),
                                "user_clarification", true, &at, err);
        }
        pawl__json_tree_free(&tree);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* An answer to a question is its step's output, and nothing else. */
static pawl_status check_output(struct answering *a, const pawl__row *row, pawl_error *err)
{
        pawl__row step = {.v[PAWL__STEP_RUN].text = row->v[PAWL__CON_RUN].text,
                .v[PAWL__STEP_ID].text = row->v[PAWL__CON_STEP].text};
        pawl_status status = pawl__state_get(a->state, PAWL__STEPS, &step, a->arena, err);

        if (!status && pawl__text_is(step.v[PAWL__STEP_STATUS].text, "completed"))
                status = pawl__fail(err, PAWL_ESTATE,
                        "conflict %.*s: step %.*s of run %.*s has completed with the former answer; "
                        "start a new run to be asked again",
                        PAWL__FMT(row->v[PAWL__CON_ID].text), PAWL__FMT(step.v[PAWL__STEP_ID].text),
                        PAWL__FMT(step.v[PAWL__STEP_RUN].text));
        return status;
}

static pawl_status emit_reply(struct answering *a, const pawl__row *row,
        const pawl_conflict *conflict, const pawl_answer *said, const pawl__seal *seal,
        const pawl_event *like, pawl_error *err)
{
        const int64_t former = row->v[PAWL__CON_RESOLVED_SEQ].integer;
        pawl__question_info info;
        pawl_text reply;
        pawl_status status = pawl__question_read(&info, a->arena, a->log, row, err);

        if (!status)
                status = pawl__question_allows(&info, conflict, a->actor, err);
        return status ? status
                      : pawl__question_emit(a->batch, &reply, conflict, said, "async", former, seal,
                                like, a->now_us, err);
}

/* A run that is cancelled goes on for nobody. */
static pawl_status check_run(struct answering *a, const pawl__row *row, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = row->v[PAWL__CON_RUN].text};
        const pawl_status status = pawl__state_get(a->state, PAWL__RUNS, &run, a->arena, err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (!pawl__text_is(run.v[PAWL__RUN_STATUS].text, "cancelled"))
                return PAWL_OK;
        return pawl__fail(err, PAWL_ESTATE,
                "conflict %.*s: run %.*s is cancelled, and waits for no answer; start a new one with "
                "`pawl run MISSION`",
                PAWL__FMT(row->v[PAWL__CON_ID].text), PAWL__FMT(row->v[PAWL__CON_RUN].text));
}

static pawl_status emit(struct answering *a, const pawl_conflict_answer *given, pawl_error *err)
{
        pawl_conflict_answer masked = *given;
        const pawl_conflict_answer *said = &masked;
        pawl__row row = {0};
        pawl_conflict conflict;
        pawl__sense chosen;
        pawl__seal seal;
        bool sealed = false;
        pawl_status status =
                pawl__conflict_find(&row, a->state, pawl__text(said->conflict_id), a->arena, err);

        if (!status)
                status = pawl__answer_mask(&masked.answer, &given->answer, a->log, a->arena, err);
        if (status)
                return status;
        const pawl_text id = row.v[PAWL__CON_ID].text;
        const bool again = pawl__text_is(row.v[PAWL__CON_STATUS].text, "resolved");
        if (again && !said->answer.replace)
                return pawl__fail(err, PAWL_EEXISTS,
                        "conflict %.*s: was answered already, at seq %" PRId64
                        "; `eventlog show %" PRId64 "` prints that answer",
                        PAWL__FMT(id), row.v[PAWL__CON_RESOLVED_SEQ].integer,
                        row.v[PAWL__CON_RESOLVED_SEQ].integer);
        if (pawl__map_get(a->seen, id) != PAWL__MAP_NONE)
                return pawl__fail(err, PAWL_EEXISTS,
                        "conflict %.*s: is answered twice here; leave one answer out",
                        PAWL__FMT(id));
        const pawl_event like = {.mission_id = row.v[PAWL__CON_MISSION].text,
                .run_id = row.v[PAWL__CON_RUN].text,
                .step_id = row.v[PAWL__CON_STEP].text,
                .actor = a->actor};
        status = check_run(a, &row, err);
        if (!status)
                status = pawl__seal_begin(&sealed, &seal, a->arena, a->log, a->state, &row,
                        a->sealer, &a->known, err);
        const pawl__seal *with = sealed ? &seal : NULL;
        if (!status)
                status = pawl__conflict_of(&conflict, a->arena, &row, err);
        if (again) {
                a->replaced[a->n_replaced] = row;
                a->replaced_by[a->n_replaced++] = a->at;
        }
        const bool question = !status && pawl__is_question(conflict.conflict_type);
        if (question)
                status = emit_reply(a, &row, &conflict, &said->answer, with, &like, err);
        if (!status && !question && again)
                status = retire(a, &row, &like, err);
        if (!status && !question)
                status = pawl__answer_emit(a->batch, &chosen, a->state, a->arena, &conflict,
                        &said->answer, "async", again ? row.v[PAWL__CON_RESOLVED_SEQ].integer : 0,
                        with, &like, a->now_us, err);
        if (!status && pawl__map_put(a->seen, id, 1))
                return pawl__nomem(err);
        return status;
}

/* Within the transaction: no step completes between the check and the commit. */
static pawl_status check_replaced(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct answering *a = user;
        const size_t n = a->at;
        pawl_status status = PAWL_OK;

        (void)log, (void)batch;
        for (size_t i = 0; i < a->n_replaced && !status; i++) {
                status = pawl__is_question(a->replaced[i].v[PAWL__CON_TYPE].text)
                                 ? check_output(a, &a->replaced[i], err)
                                 : check_unused(a, &a->replaced[i], err);
                a->at = status ? a->replaced_by[i] : n;
        }
        return status;
}

static pawl_status commit(struct answering *a, pawl_error *err)
{
        if (a->n_replaced) {
                a->batch->prepare = check_replaced;
                a->batch->prepare_user = a;
        }
        return pawl__log_failed(a->log, pawl__log_commit(a->log, a->batch, 0, NULL), err);
}

/* Is it about the answer, so that those after it can be looked at? */
static bool is_refusal(pawl_status status)
{
        return status == PAWL_EINVAL || status == PAWL_ENOTFOUND || status == PAWL_EEXISTS ||
               status == PAWL_ESTATE || status == PAWL_EACCESS;
}

pawl_status pawl__conflicts_resolve(pawl_log *log, const pawl_conflict_answer *answers, size_t n,
        const char *actor, const pawl__sealer *sealer, pawl__refusals *refusals, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__map seen = PAWL__MAP_INIT;
        struct answering a = {.log = log,
                .batch = &batch,
                .arena = &arena,
                .seen = &seen,
                .actor = pawl__text(actor ? actor : "program"),
                .sealer = sealer,
                .now_us = pawl__wall_us(log),
                .replaced = pawl__arena_array(&arena, n, sizeof *a.replaced),
                .replaced_by = pawl__arena_array(&arena, n, sizeof *a.replaced_by)};
        bool verified = false;
        pawl_status status = pawl__arena_check(&arena, err);

        if (!status)
                status = pawl__id_check(a.actor, "actor", err);
        if (!status)
                status = pawl__state_of(&a.state, log, err);
        /* What is signed is said by verified events. */
        if (!status && sealer && sealer->sign)
                status = pawl__state_verify(a.state, err);
        verified = !status && sealer && sealer->sign;
        for (; a.at < n && !status; a.at += !status) {
                status = emit(&a, &answers[a.at], err);
                if (refusals->tell && is_refusal(status)) {
                        refusals->tell(a.at, err, refusals->user);
                        refusals->n++;
                        status = PAWL_OK;
                }
        }
        if (!status && batch.n > 0 && refusals->n == 0)
                status = commit(&a, err);
        refusals->at = status ? a.at : n;
        if (verified)
                pawl__state_unverify(a.state);
        pawl__signers_known_free(&a.known);
        pawl__map_free(&seen);
        pawl__batch_free(&batch);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl_conflicts_resolve(pawl_log *log, const pawl_conflict_answer *answers, size_t n,
        const char *actor, size_t *refused, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__refusals refusals = {.tell = NULL};
        const pawl_status status =
                pawl__conflicts_resolve(log, answers, n, actor, NULL, &refusals, err);

        if (refused)
                *refused = refusals.at;
        return status;
}

pawl_status pawl_conflict_resolve(pawl_log *log, const char *conflict_id, const pawl_answer *answer,
        const char *actor, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        const pawl_conflict_answer one = {conflict_id, *answer};

        return pawl_conflicts_resolve(log, &one, 1, actor, NULL, err);
}
