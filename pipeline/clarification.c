/* Layer 4: ask about what blocks the step. Each request is in the log before anybody is asked, so
 * that another session can answer if this one dies. A burst asks at most three questions, the
 * highest severity first; terms that no glossary knows are one question. */
#include "base/error.h"
#include "base/json_canon.h"
#include "glossary/automaton.h"
#include "pipeline/answer.h"
#include "pipeline/gate.h"
#include "pipeline/layers.h"
#include "pipeline/question.h"
#include <stdlib.h>

enum { BURST = 3 };

/* One that is answered, but not so that it counts, is open again by this. */
static pawl_status unverified(int64_t *seq, pawl_context *ctx, pawl_text conflict_id)
{
        pawl__row row = {.v[PAWL__CON_ID].text = conflict_id};
        pawl_status status = PAWL_OK;

        if (ctx->trust)
                status =
                        pawl__state_get(ctx->state, PAWL__CONFLICTS, &row, &ctx->pass, &ctx->error);
        *seq = 0;
        if (status || !row.v[PAWL__CON_RESOLVED_SEQ].integer)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        bool counts = false;
        status = pawl__answer_counts(&counts, ctx, &row);
        if (!status && !counts)
                *seq = row.v[PAWL__CON_RESOLVED_SEQ].integer;
        return status;
}

/* Is it as it was asked before, at the same checkpoint? A question's time limit and its actors are
 * compared by pawl__question_same(). */
static pawl_status is_asked_so(bool *same, pawl_context *ctx, const pawl_conflict *conflict)
{
        pawl__row row = {.v[PAWL__CON_ID].text = conflict->conflict_id};
        const pawl__value *v = row.v;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf options = PAWL__BUF_INIT;
        pawl_status status =
                pawl__state_get(ctx->state, PAWL__CONFLICTS, &row, &ctx->pass, &ctx->error);

        *same = !status && pawl__text_is(v[PAWL__CON_STATUS].text, "open") &&
                pawl__text_is(v[PAWL__CON_TOKEN].text, ctx->checkpoint.retry_token) &&
                pawl__text_eq(v[PAWL__CON_RUN].text, ctx->run_id) &&
                pawl__text_eq(v[PAWL__CON_STEP].text, ctx->step_id) &&
                pawl__text_eq(v[PAWL__CON_TERM].text, conflict->term) &&
                pawl__text_eq(v[PAWL__CON_TYPE].text, conflict->conflict_type) &&
                pawl__text_eq(v[PAWL__CON_SEVERITY].text, conflict->severity) &&
                pawl__text_eq(v[PAWL__CON_CONTEXT].text, conflict->context) &&
                v[PAWL__CON_CONFIDENCE].real == conflict->confidence;
        if (!*same)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        pawl__json_open_array(&w);
        for (size_t i = 0; i < conflict->n_candidates; i++)
                pawl__sense_write(&w, &conflict->candidates[i]);
        pawl__json_close_array(&w);
        status = pawl__json_end_writer(&w) ? pawl__nomem(&ctx->error) : PAWL_OK;
        if (!status)
                status = pawl__json_canon(&options, w.buf.data, w.buf.len, &ctx->error);
        *same = !status && pawl__text_eq(v[PAWL__CON_CANDIDATES].text, pawl__buf_text(&options));
        pawl__json_writer_free(&w);
        pawl__buf_free(&options);
        if (*same && pawl__is_question(conflict->conflict_type))
                status = pawl__question_same(same, ctx, &row);
        return status;
}

static pawl_status request(pawl_context *ctx, const pawl_conflict *conflict)
{
        int64_t former = 0, asked_us = 0;
        const bool asks = pawl__is_question(conflict->conflict_type);
        pawl__json_writer *w = pawl__context_payload(ctx);
        pawl__buf question = PAWL__BUF_INIT;
        pawl_status status = unverified(&former, ctx, conflict->conflict_id);

        if (asks) {
                pawl__buf_add_text(&question, conflict->term);
                if (!status)
                        status = pawl__question_members(&asked_us, ctx, conflict->conflict_id);
        } else {
                pawl__buf_addf(
                        &question, "What does \"%.*s\" mean here?", PAWL__FMT(conflict->term));
        }
        pawl__json_member_number(w, "confidence", conflict->confidence);
        pawl__json_member_text(w, "conflict_id", conflict->conflict_id);
        pawl__json_member_text(w, "conflict_type", conflict->conflict_type);
        pawl__json_member_text(w, "context", conflict->context);
        pawl__json_member_string(w, "input_hash", ctx->input_hash);
        pawl__json_name(w, "options");
        pawl__json_open_array(w);
        for (size_t i = 0; i < conflict->n_candidates; i++)
                pawl__sense_write(w, &conflict->candidates[i]);
        pawl__json_close_array(w);
        pawl__json_member_string(w, "phase", asks ? "ask" : pawl__phase_name(ctx->phase));
        pawl__json_member_text(w, "question", pawl__buf_text(&question));
        pawl__json_member_string(w, "retry_token", ctx->checkpoint.retry_token);
        pawl__json_member_text(w, "severity", conflict->severity);
        pawl__json_member_text(w, "term", conflict->term);
        if (former)
                pawl__json_member_integer(w, "unverified", former);
        pawl__json_member_text(w, "urgency", conflict->severity);
        if (!status)
                status = pawl__buf_check(&question, &ctx->error);
        pawl__buf_free(&question);
        return status ? status
                      : pawl__context_emit_at(ctx, PAWL__CLARIFICATION_REQUESTED, asked_us);
}

static pawl_status request_all(pawl_context *ctx)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < ctx->n_conflicts && !status; i++) {
                bool same = false;
                if (ctx->resumed)
                        status = is_asked_so(&same, ctx, &ctx->conflicts[i]);
                if (!status && !same)
                        status = request(ctx, &ctx->conflicts[i]);
        }
        ctx->requested = !status;
        return status;
}

/* Before a question, what waits is committed. If another session answered first, its answer stands
 * and ours is dropped. */
static pawl_status commit_waiting(pawl_context *ctx)
{
        pawl_status status = ctx->wait(ctx);

        if (status != PAWL_EEXISTS || !ctx->answer_waits)
                return status;
        ctx->answer_waits = false;
        ctx->reply = (pawl_text){NULL, 0};
        pawl__batch_clear(ctx->batch);
        return ctx->reload(ctx);
}

/* Another session may have answered while this one was asking. */
static pawl_status answered_elsewhere(bool *by_other, pawl_context *ctx, size_t i)
{
        pawl_status status = pawl__conflict_resolved(by_other, ctx, ctx->conflicts[i].conflict_id);

        if (status || !*by_other)
                return status;
        ctx->prompts[i] = PAWL__ANSWERED;
        return ctx->reload(ctx);
}

static pawl_status answer(pawl_context *ctx, size_t i, const pawl_answer *given)
{
        const pawl_conflict *conflict = &ctx->conflicts[i];
        const int64_t now_us = ctx->sources->wall_us(ctx->sources->user);
        const bool asks = pawl__is_question(conflict->conflict_type);
        pawl_event like = pawl__context_event(ctx, PAWL__CLARIFICATION_RESOLVED);
        pawl__sense chosen;
        pawl_answer said;
        pawl_text reply;
        pawl_status status = pawl__answer_mask(&said, given, ctx->log, &ctx->pass, &ctx->error);

        if (status)
                return status;
        if (asks)
                status = pawl__question_emit(ctx->batch, &reply, conflict, &said, "interactive", 0,
                        NULL, &like, now_us, &ctx->error);
        else
                status = pawl__answer_emit(ctx->batch, &chosen, ctx->state, &ctx->pass, conflict,
                        &said, "interactive", 0, NULL, &like, now_us, &ctx->error);
        if (status)
                return status;
        ctx->answer_waits = true;
        ctx->prompts[i] = PAWL__ANSWERED;
        if (!asks)
                return pawl__glossary_add(ctx->glossary, &chosen, &ctx->error);
        ctx->reply = pawl__arena_copy(&ctx->pass, reply);
        return pawl__arena_check(&ctx->pass, &ctx->error);
}

static pawl_status asking_failed(pawl_context *ctx, size_t i, pawl_status status)
{
        return pawl__fail(&ctx->error, status < 0 ? status : PAWL_EINVAL,
                "step %.*s: asking about \"%.*s\" failed (%s); resume to be asked again, "
                "or answer from another session",
                PAWL__STEP(ctx), PAWL__FMT(ctx->conflicts[i].term), pawl_status_name(status));
}

/* What was said, unless somebody else was faster. */
static pawl_status take(pawl_context *ctx, size_t i, const pawl_answer *said)
{
        bool by_other;

        if (said->pick == 0 && !said->define.data && !said->dismiss && !said->answer.data) {
                ctx->prompts[i] = PAWL__DEFERRED;
                return PAWL_OK;
        }
        const pawl_status status = answered_elsewhere(&by_other, ctx, i);
        return status || by_other ? status : answer(ctx, i, said);
}

static pawl_status ask(pawl_context *ctx, size_t i)
{
        pawl_answer said = {.pick = 0};
        bool by_other;
        pawl_status status = commit_waiting(ctx);

        if (!status)
                status = answered_elsewhere(&by_other, ctx, i);
        if (status || by_other)
                return status;
        ctx->questions++;
        status = ctx->clarify(&said, &ctx->conflicts[i], ctx->clarify_user);
        return status ? asking_failed(ctx, i, status) : take(ctx, i, &said);
}

/* ---- Terms that no glossary knows, as one question ------------------------------------------- */

static bool is_unknown(const pawl_context *ctx, size_t i)
{
        return ctx->prompts[i] == PAWL__NOT_ASKED &&
               pawl__text_is(
                       ctx->conflicts[i].conflict_type, pawl__conflict_type_name(PAWL__UNKNOWN));
}

/* A conflict by its place in ctx->conflicts, and how often its term is in the text. */
struct asked {
        size_t conflict, count;
};

static int more_often_first(const void *left, const void *right)
{
        const struct asked *a = left, *b = right;

        if (a->count != b->count)
                return a->count > b->count ? -1 : 1;
        return (a->conflict > b->conflict) - (a->conflict < b->conflict);
}

static pawl_status count_one(uint32_t number, size_t start, size_t end, void *user)
{
        (void)start, (void)end;
        ((struct asked *)user)[number].count++;
        return PAWL_OK;
}

static pawl_status count_all(struct asked *asked, size_t n, pawl_context *ctx)
{
        const pawl_text text = ctx->phase == PAWL__ON_OUTPUT ? ctx->output : ctx->inputs;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__automaton *automaton;
        pawl_status status = pawl__automaton_new(&automaton);

        if (status)
                return pawl__nomem(&ctx->error);
        for (size_t i = 0; i < n && !status; i++)
                status = pawl__automaton_add(
                        automaton, ctx->conflicts[asked[i].conflict].term, (uint32_t)i);
        if (!status)
                status = pawl__automaton_build(automaton);
        if (status)
                pawl__fail(&ctx->error, status, "step %.*s: its terms could not be counted (%s)",
                        PAWL__STEP(ctx), pawl_status_name(status));
        else
                status = pawl__json_tree_read(&tree, text.data, text.len, &ctx->error);
        for (pawl__node i = 0; i < tree.n && !status; i++)
                if (pawl__json_at(&tree, i)->type == PAWL__JSON_STRING &&
                        pawl__automaton_scan(
                                automaton, pawl__json_at(&tree, i)->value, count_one, asked))
                        status = pawl__nomem(&ctx->error);
        pawl__json_tree_free(&tree);
        pawl__automaton_free(automaton);
        return status;
}

/* Those of them that nobody has answered meanwhile, the most frequent first. */
static pawl_status gather(struct asked *asked, size_t *n, pawl_context *ctx)
{
        pawl_status status = PAWL_OK;

        *n = 0;
        for (size_t i = 0; i < ctx->n_conflicts && !status; i++) {
                bool by_other = false;
                if (!is_unknown(ctx, i))
                        continue;
                status = answered_elsewhere(&by_other, ctx, i);
                if (!status && !by_other)
                        asked[(*n)++] = (struct asked){i, 0};
        }
        if (!status && *n)
                status = count_all(asked, *n, ctx);
        if (!status)
                qsort(asked, *n, sizeof *asked, more_often_first);
        return status;
}

static pawl_status ask_terms(pawl_context *ctx)
{
        struct asked *asked = pawl__arena_array(&ctx->pass, ctx->n_conflicts, sizeof *asked);
        pawl_answer *said = pawl__arena_array(&ctx->pass, ctx->n_conflicts, sizeof *said);
        pawl_conflict *shown = pawl__arena_array(&ctx->pass, ctx->n_conflicts, sizeof *shown);
        size_t n;
        pawl_status status = commit_waiting(ctx);

        if (!status)
                status = pawl__arena_check(&ctx->pass, &ctx->error);
        if (!status)
                status = gather(asked, &n, ctx);
        if (status || n == 0)
                return status;
        for (size_t i = 0; i < n; i++)
                shown[i] = ctx->conflicts[asked[i].conflict];
        ctx->questions++;
        status = ctx->clarify_terms(said, shown, n, ctx->clarify_user);
        if (status)
                return asking_failed(ctx, asked[0].conflict, status);
        for (size_t i = 0; i < n && !status; i++)
                status = take(ctx, asked[i].conflict, &said[i]);
        return status;
}

/* One question, or, where it is about a term that is unknown as others are, one about them all. */
static pawl_status ask_next(pawl_context *ctx, size_t i)
{
        if (ctx->clarify_terms && is_unknown(ctx, i))
                for (size_t k = i + 1; k < ctx->n_conflicts; k++)
                        if (is_unknown(ctx, k))
                                return ask_terms(ctx);
        return ask(ctx, i);
}

/* A question may be one to others alone. */
static bool is_asked(const pawl_context *ctx, const pawl_conflict *conflict)
{
        return !pawl__is_question(conflict->conflict_type) ||
               pawl__question_is_to(ctx->question, ctx->actor);
}

/* Keep only what still blocks the step; true if nothing does. */
static bool all_answered(pawl_context *ctx)
{
        size_t left = 0;

        for (size_t i = 0; i < ctx->n_conflicts; i++) {
                if (ctx->prompts[i] == PAWL__ANSWERED)
                        continue;
                ctx->conflicts[left] = ctx->conflicts[i];
                ctx->prompts[left++] = ctx->prompts[i];
        }
        ctx->n_conflicts = left;
        return left == 0;
}

static pawl_status process(const pawl_layer *layer, pawl_context *ctx)
{
        pawl_status status = PAWL_OK;

        (void)layer;
        if (!ctx->blocked)
                return PAWL_OK;
        if (!ctx->requested)
                status = request_all(ctx);
        for (size_t i = 0; i < ctx->n_conflicts && !status && ctx->clarify; i++)
                if (ctx->prompts[i] == PAWL__NOT_ASKED && ctx->questions < BURST &&
                        is_asked(ctx, &ctx->conflicts[i]))
                        status = ask_next(ctx, i);
        if (status)
                return status;
        if (!all_answered(ctx))
                return PAWL_BLOCKED;
        status = pawl__gate_checkpoint(ctx, ctx->phase == PAWL__ON_OUTPUT
                                                    ? PAWL__AT_POST_GENERATION
                                                    : PAWL__AT_POST_CLARIFICATION);
        ctx->answered = !status;
        return status;
}

const pawl_layer pawl__layer_clarification = {"clarification", process, NULL};
