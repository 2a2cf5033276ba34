/* Judges answers and completions by verified events. */
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_tree.h"
#include "events/types.h"
#include "glossary/conflict.h"
#include "glossary/normal.h"
#include "pipeline/question.h"
#include "pipeline/signed.h"
#include "state/forked.h"
#include "state/verified.h"
#include <inttypes.h>
#include <stdio.h>

pawl_status pawl__trust_begin(pawl__trust *trust, pawl_error *err)
{
        const pawl_status status = trust->begun ? PAWL_OK : pawl__state_verify(trust->state, err);

        trust->begun = trust->begun || !status;
        return status;
}

void pawl__trust_free(pawl__trust *trust)
{
        if (trust->begun)
                pawl__state_unverify(trust->state);
        pawl__map_free(&trust->good);
        pawl__arena_free(&trust->arena);
        trust->begun = false;
}

/* ---- An answer ------------------------------------------------------------------------------- */

/* The value of a member as it stands in the payload, which is canonical. */
static pawl_text raw_member(const pawl__json_tree *tree, const char *name)
{
        const pawl__node node = pawl__json_get(tree, 0, name);

        return node == PAWL__NO_NODE || pawl__json_at(tree, node)->type == PAWL__JSON_NULL
                       ? (pawl_text){NULL, 0}
                       : pawl__json_at(tree, node)->value;
}

static void hex_of(char out[65], const unsigned char *hash)
{
        out[0] = '\0';
        if (hash)
                pawl__hex(out, hash, PAWL__HASH_LEN);
}

/* The text that must have been signed: question and replaces are as the events before it say,
 * whatever the payload says. */
static pawl_status answer_text(pawl__buf *out, const pawl__trust *trust, const pawl_event *event,
        const pawl__json_tree *tree, const pawl__verified_answer *given, pawl_error *err)
{
        const pawl_text sense = raw_member(tree, "selected_sense");
        pawl__buf quoted = PAWL__BUF_INIT;
        char question[65], replaces[65];

        hex_of(question, pawl__log_verified_hash(trust->log, given->asked.seq));
        hex_of(replaces, pawl__log_verified_hash(trust->log, given->replaces));
        if (!sense.data)
                pawl__json_quote(&quoted, pawl__json_get_text(tree, 0, "answer"));
        pawl_status status = pawl__buf_check(&quoted, err);
        if (!status)
                status = pawl__signed_text(out, event->actor,
                        sense.data ? sense : pawl__buf_text(&quoted),
                        pawl__json_get_text(tree, 0, "conflict_id"),
                        pawl__json_get_text(tree, 0, "input_hash"), pawl__text(question),
                        pawl__text(replaces), err);
        pawl__buf_free(&quoted);
        return status;
}

/* The members that the signature does not cover must be those of the conflict. */
static pawl_status fits(bool *out, const pawl__trust *trust, pawl__arena *arena,
        const pawl_event *event, const pawl__json_tree *tree, pawl_error *err)
{
        pawl__row row = {.v[PAWL__CON_ID].text = pawl__json_get_text(tree, 0, "conflict_id")};
        pawl__buf normal = PAWL__BUF_INIT;
        pawl_status status = pawl__state_get(trust->state, PAWL__CONFLICTS, &row, arena, err);

        *out = false;
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (pawl__folded_form(&normal, row.v[PAWL__CON_TERM].text))
                status = pawl__nomem(err);
        const pawl_text said = pawl__json_get_text(tree, 0, "normal");
        *out = !status && pawl__text_eq(event->run_id, row.v[PAWL__CON_RUN].text) &&
               pawl__text_eq(event->step_id, row.v[PAWL__CON_STEP].text) &&
               pawl__text_eq(event->mission_id, row.v[PAWL__CON_MISSION].text) &&
               pawl__text_eq(
                       pawl__json_get_text(tree, 0, "term_surface"), row.v[PAWL__CON_TERM].text) &&
               (!raw_member(tree, "selected_sense").data ||
                       pawl__text_eq(said, pawl__buf_text(&normal)));
        pawl__buf_free(&normal);
        return status;
}

/* @p then: by what the file said when the run began, at the time of the answer. */
static pawl_status look(const pawl__trust *trust, pawl__arena *arena, const pawl_event *event,
        const pawl__json_tree *tree, bool then, pawl_error *err)
{
        const pawl_text signature = pawl__json_get_text(tree, 0, "signature");
        pawl__signers signers = trust->signers;
        pawl__buf text = PAWL__BUF_INIT;
        bool good = false;

        if (!signature.data)
                return pawl__fail(err, PAWL_EACCESS, "it is not signed");
        pawl_status status = fits(&good, trust, arena, event, tree, err);
        const pawl__verified_answer *given =
                status ? NULL : pawl__verified_answer_at(trust->state, event->seq);
        if (!status && !good)
                status =
                        pawl__fail(err, PAWL_EACCESS, "it is about another conflict than it names");
        else if (!status && (!given || !given->asked.seq))
                status = pawl__fail(err, PAWL_EACCESS, "nobody had asked for it");
        if (!status)
                status = answer_text(&text, trust, event, tree, given, err);
        if (then)
                signers.present = (pawl_text){NULL, 0};
        if (!status)
                status = pawl__signers_verify(&signers, trust->verify, pawl__buf_text(&text),
                        signature, event->actor, then && given ? given->time_us : 0, err);
        pawl__buf_free(&text);
        return status;
}

static pawl_status read_answer(pawl_event *event, pawl__json_tree *tree, pawl__arena *arena,
        const pawl__trust *trust, uint64_t seq, pawl_error *err)
{
        pawl_status status =
                pawl__log_failed(trust->log, pawl__log_event(event, arena, trust->log, seq), err);

        if (!status && (!event->payload.data ||
                               pawl__event_type_of(event->type) != PAWL__CLARIFICATION_RESOLVED))
                status = pawl__fail(err, PAWL_EDAMAGED,
                        "seq %" PRIu64 ": is no answer; run `eventlog replay --check`", seq);
        return status ? status
                      : pawl__json_tree_read(tree, event->payload.data, event->payload.len, err);
}

static pawl_status judge(pawl__trust *trust, uint64_t seq, bool then, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        pawl_event event;
        char key[32];

        snprintf(key, sizeof key, "%s%" PRIu64, then ? "then " : "", seq);
        if (pawl__map_get(&trust->good, pawl__text(key)) != PAWL__MAP_NONE)
                return PAWL_OK;
        pawl_status status = read_answer(&event, &tree, &arena, trust, seq, err);
        if (!status) {
                status = look(trust, &arena, &event, &tree, then, &why);
                if (status == PAWL_EACCESS)
                        pawl__fail(err, status, "the answer at seq %" PRIu64 " does not count: %s",
                                seq, why.message);
                else if (status && err)
                        *err = why;
        }
        if (!status && pawl__map_put_copy(&trust->good, &trust->arena, pawl__text(key), 1))
                status = pawl__nomem(err);
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__trust_answer(pawl__trust *trust, uint64_t seq, pawl_error *err)
{
        return judge(trust, seq, false, err);
}

bool pawl__trust_otherwise(const pawl__trust *trust, uint64_t seq, const pawl__question *question,
        pawl_text actor, pawl_text text)
{
        const pawl__verified_answer *given = pawl__verified_answer_at(trust->state, seq);

        return given && given->asked.seq && question->within_ms &&
               pawl__text_is(actor, PAWL__ACTOR_TIMEOUT) &&
               pawl__text_eq(text, question->otherwise) &&
               pawl__wall_us(trust->log) >= given->asked.since_us + question->within_ms * 1000;
}

/* ---- A completion ---------------------------------------------------------------------------- */

/* Is the step's output the answer @p text? */
static pawl_status is_output(bool *is, const pawl__trust *trust, pawl_text text,
        const pawl__verified_completion *done, pawl_error *err)
{
        pawl__buf quoted = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        char hex[65] = "";

        *is = false;
        if (!text.data)
                return PAWL_OK;
        pawl__json_quote(&quoted, text);
        pawl_status status = pawl__buf_check(&quoted, err);
        if (!status)
                status = pawl__sha256(
                        pawl__log_hasher(trust->log), hash, quoted.data, quoted.len, err);
        if (!status)
                pawl__hex(hex, hash, PAWL__HASH_LEN);
        *is = !status && strcmp(hex, done->output_hash) == 0;
        pawl__buf_free(&quoted);
        return status;
}

/* A question's step: @p done must be with its answer, which counted. PAWL_EACCESS: why not. */
static pawl_status check_answered(pawl__trust *trust, pawl_text run_id, pawl_text step_id,
        const pawl__verified_completion *done, const pawl__question *asks, pawl_error *err)
{
        const pawl__verified_answer *given =
                done->answer ? pawl__verified_answer_at(trust->state, done->answer) : NULL;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        bool is = false;

        if (!given || !pawl__text_eq(given->run_id, run_id) ||
                !pawl__text_eq(given->step_id, step_id))
                return pawl__fail(err, PAWL_EACCESS, "nobody has answered its question");
        pawl_status status = read_answer(&event, &tree, &arena, trust, done->answer, err);
        const pawl_text text = status ? pawl__text(NULL) : pawl__json_get_text(&tree, 0, "answer");
        if (!status)
                status = is_output(&is, trust, text, done, err);
        if (!status && !is)
                status = pawl__fail(err, PAWL_EACCESS, "its output is not the answer");
        if (!status && !pawl__trust_otherwise(trust, done->answer, asks, event.actor, text))
                status = judge(trust, done->answer, true, err);
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

/* How many conflicts the event blocked the step by. */
static pawl_status count_blockers(
        size_t *n, const pawl__trust *trust, uint64_t seq, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_status status =
                pawl__log_failed(trust->log, pawl__log_event(&event, &arena, trust->log, seq), err);

        if (!status)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        const pawl__node list = status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "conflicts");
        *n = list == PAWL__NO_NODE ? 0 : pawl__json_at(&tree, list)->count;
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

/* One that was blocked by terms: each was answered since, or the glossary or the inputs changed.
 * PAWL_EACCESS. */
static pawl_status check_unblocked(pawl__trust *trust, pawl_text run_id, pawl_text step_id,
        const pawl__verified_completion *done, pawl_error *err)
{
        size_t n = 0, n_answers, answered = 0;
        bool changed = done->glossary > done->blocked || done->other_inputs;
        pawl_status status = PAWL_OK;

        if (changed || !done->blocked)
                return PAWL_OK;
        status = count_blockers(&n, trust, done->blocked, err);
        const pawl__verified_answer *all = pawl__verified_answers(&n_answers, trust->state);
        for (size_t i = n_answers; i-- > 0 && !status && !changed && answered < n;) {
                if (all[i].seq < done->blocked)
                        break;
                if (all[i].seq > done->seq || all[i].replaced)
                        continue;
                const uint64_t seq = all[i].seq;
                const bool own = pawl__text_eq(all[i].run_id, run_id) &&
                                 pawl__text_eq(all[i].step_id, step_id);
                status = judge(trust, seq, true, err);
                answered += !status && own;
                changed = !status && !own;
                if (status == PAWL_EACCESS)
                        status = PAWL_OK;
                all = pawl__verified_answers(&n_answers, trust->state);
        }
        if (!status && !changed && answered < n)
                status = pawl__fail(err, PAWL_EACCESS,
                        "it was blocked at seq %" PRIu64 " by what nobody has answered so that it "
                        "counts",
                        done->blocked);
        return status;
}

/* PAWL_EACCESS: why it does not count. *seq is of the event that completes the step, if there is
 * one. */
static pawl_status check(bool *left_out, uint64_t *seq, pawl__trust *trust, pawl_text run_id,
        const pawl__row *step, uint64_t until, const pawl__question *asks, pawl_error *err)
{
        const pawl_text step_id = step->v[PAWL__STEP_ID].text;
        const pawl__verified_completion *at = pawl__verified_completed(
                trust->state, run_id, step_id, step->v[PAWL__STEP_OUTPUT_HASH].text, until);
        const pawl__verified_completion done = at ? *at : (pawl__verified_completion){.seq = 0};
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__forked from = {.seq = 0};

        *seq = done.seq ? done.seq : *seq;
        if (!done.seq)
                return pawl__fail(err, PAWL_EACCESS, "no event completes it with that output");
        if (!done.legal)
                return pawl__fail(err, PAWL_EACCESS, "it was not at work then");
        if (done.skipped) {
                *left_out = done.when;
                return !asks || done.when
                               ? PAWL_OK
                               : pawl__fail(err, PAWL_EACCESS, "it asks people, and has no answer");
        }
        if (!done.forked)
                return asks ? check_answered(trust, run_id, step_id, &done, asks, err)
                            : check_unblocked(trust, run_id, step_id, &done, err);
        pawl_status status = pawl__state_get(trust->state, PAWL__RUNS, &run, &arena, err);
        const uint64_t started = (uint64_t)run.v[PAWL__RUN_STARTED_SEQ].integer;
        if (!status)
                status = pawl__forked_read(&from, trust->log, started, &arena, err);
        if (!status && (!from.run_id.data || from.seq >= started))
                status = pawl__fail(err, PAWL_EACCESS, "its run is no fork");
        if (!status)
                status = check(left_out, seq, trust, from.run_id, step, from.seq, asks, err);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__trust_completed(bool *left_out, pawl__trust *trust, const pawl__row *step,
        const pawl__question *asks, pawl_error *err)
{
        const pawl_text run_id = step->v[PAWL__STEP_RUN].text;
        pawl_error why = PAWL_ERROR_INIT;
        uint64_t seq = 0;
        pawl_status status = PAWL_OK;

        *left_out = false;
        if (trust->signers.recorded.data) /* what was done before it was required stays */
                status = check(left_out, &seq, trust, run_id, step, UINT64_MAX, asks, &why);
        if (status == PAWL_EACCESS)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "run %.*s: step %.*s is completed by seq %" PRIu64
                        ", which does not count: %s; put back a copy of the log, or start a new "
                        "run",
                        PAWL__FMT(run_id), PAWL__FMT(step->v[PAWL__STEP_ID].text), seq,
                        why.message);
        if (status && err)
                *err = why;
        return status;
}

/* ---- Senses ---------------------------------------------------------------------------------- */

/* The answer of this mission that a sense comes from: its own event, or, of one that was put into a
 * scope, the event right behind that. 0: none; what the glossary says otherwise is no answer. */
static pawl_status answer_of(uint64_t *seq, const pawl__trust *trust, pawl__arena *arena,
        const pawl__row *row, pawl_error *err)
{
        const bool written = pawl__text_is(row->v[PAWL__SENSE_SOURCE].text, "user_clarification");
        const bool local = pawl__text_is(row->v[PAWL__SENSE_SCOPE].text, "mission_local");
        pawl_event event;
        pawl_status status = PAWL_OK;

        *seq = 0;
        for (uint64_t i = !local; i < (written ? 2U : 1U) && !status && !*seq; i++) {
                const uint64_t at = (uint64_t)row->v[PAWL__SENSE_SEQ].integer + i;
                pawl__json_tree tree = PAWL__JSON_TREE_INIT;
                status = pawl__log_event(&event, arena, trust->log, at);
                if (status == PAWL_ENOTFOUND)
                        return PAWL_OK;
                if (status)
                        return pawl__log_failed(trust->log, status, err);
                if (pawl__event_type_of(event.type) != PAWL__CLARIFICATION_RESOLVED ||
                        !pawl__text_eq(event.mission_id, trust->mission_id))
                        continue;
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
                const pawl_text normal = pawl__json_get_text(&tree, 0, "normal");
                if (!status && (i == 0 || !normal.data ||
                                       pawl__text_eq(normal, row->v[PAWL__SENSE_NORMAL].text)))
                        *seq = at;
                pawl__json_tree_free(&tree);
        }
        return status;
}

static pawl_status sense_counts(bool *counts, const pawl__row *row, void *user, pawl_error *err)
{
        pawl__trust *trust = user;
        const bool seeds = row->v[PAWL__SENSE_VERSION].text.len > 0;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        uint64_t seq = 0;
        pawl_status status = seeds ? PAWL_OK : answer_of(&seq, trust, &arena, row, &why);

        if (!status && seq)
                status = pawl__trust_answer(trust, seq, &why);
        pawl__arena_free(&arena);
        *counts = !status;
        if (status == PAWL_EACCESS)
                return PAWL_OK;
        if (status && err)
                *err = why;
        return status;
}

pawl__sense_filter pawl__trust_filter(pawl__trust *trust)
{
        return (pawl__sense_filter){sense_counts, trust};
}
