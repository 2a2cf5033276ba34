#include "pipeline/question.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/sources.h"
#include "glossary/seed.h"
#include "pipeline/answer.h"
#include "state/step_plan.h"
#include <stdio.h>

bool pawl__is_question(pawl_text conflict_type)
{
        return pawl__text_is(conflict_type, pawl__conflict_type_name(PAWL__QUESTION));
}

/* ---- What the log says of one ---------------------------------------------------------------- */

/* An event whose payload is never pruned. */
static pawl_status read_event(pawl_event *event, pawl__json_tree *tree, pawl__arena *arena,
        pawl_log *log, int64_t seq, pawl_error *err)
{
        pawl_status status =
                pawl__log_failed(log, pawl__log_event(event, arena, log, (uint64_t)seq), err);

        return status ? status
                      : pawl__json_tree_read(tree, event->payload.data, event->payload.len, err);
}

static void take_request(pawl__question_info *out, pawl__arena *arena, const pawl__json_tree *tree)
{
        const pawl__node to = pawl__json_get(tree, 0, "to");

        if (!pawl__time_parse(&out->due_us, pawl__json_get_text(tree, 0, "due_at")))
                out->due_us = 0;
        out->otherwise = pawl__arena_copy(arena, pawl__json_get_text(tree, 0, "otherwise"));
        if (to == PAWL__NO_NODE || pawl__json_at(tree, to)->type != PAWL__JSON_ARRAY)
                return;
        out->to = pawl__arena_array(arena, pawl__json_at(tree, to)->count, sizeof *out->to);
        for (pawl__node n = pawl__json_first(tree, to); n != PAWL__NO_NODE && out->to;
                n = pawl__json_after(tree, to, n))
                out->to[out->n_to++] = pawl__arena_copy(arena, pawl__json_at(tree, n)->value);
}

pawl_status pawl__question_read(pawl__question_info *out, pawl__arena *arena, pawl_log *log,
        const pawl__row *conflict, pawl_error *err)
{
        const int64_t resolved = conflict->v[PAWL__CON_RESOLVED_SEQ].integer;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status =
                read_event(&event, &tree, arena, log, conflict->v[PAWL__CON_SEQ].integer, err);

        *out = (pawl__question_info){.n_to = 0};
        if (!status)
                take_request(out, arena, &tree);
        pawl__json_tree_free(&tree);
        if (status || !resolved)
                return status ? status : pawl__arena_check(arena, err);
        status = read_event(&event, &tree, arena, log, resolved, err);
        if (!status) {
                out->answered_by = event.actor;
                out->answer = pawl__arena_copy(arena, pawl__json_get_text(&tree, 0, "answer"));
        }
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(arena, err);
}

static bool is_one_of(pawl_text text, const pawl_text *list, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (pawl__text_eq(text, list[i]))
                        return true;
        return false;
}

/* "yes, no", cut where it gets long. */
static void join(char *out, size_t size, const pawl_text *list, size_t n)
{
        pawl__buf text = PAWL__BUF_INIT;

        for (size_t i = 0; i < n && text.len < size; i++) {
                pawl__buf_adds(&text, i ? ", " : "");
                pawl__buf_add_text(&text, list[i]);
        }
        const size_t len = text.failed ? 0 : pawl__utf8_cut(text.data, text.len, size - 4);
        snprintf(out, size, "%.*s%s", (int)len, text.data ? text.data : "",
                len < text.len ? "..." : "");
        pawl__buf_free(&text);
}

/* Leaves @p out as it is if the conflict is none that expired. */
static pawl_status take_expired(pawl__expired *out, pawl_log *log, pawl__state *state,
        const pawl__row *conflict, pawl__arena *arena, pawl_error *err)
{
        pawl__row step = {.v = {[PAWL__STEP_RUN] = conflict->v[PAWL__CON_RUN],
                                  [PAWL__STEP_ID] = conflict->v[PAWL__CON_STEP]}};
        pawl__question_info info;

        if (!pawl__is_question(conflict->v[PAWL__CON_TYPE].text) ||
                !conflict->v[PAWL__CON_RESOLVED_SEQ].integer)
                return PAWL_OK;
        pawl_status status = pawl__state_get(state, PAWL__STEPS, &step, arena, err);
        if (status || !pawl__text_is(step.v[PAWL__STEP_STATUS].text, "blocked"))
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        status = pawl__question_read(&info, arena, log, conflict, err);
        if (!status && pawl__text_is(info.answered_by, PAWL__ACTOR_TIMEOUT))
                *out = (pawl__expired){conflict->v[PAWL__CON_TERM].text, info.answer};
        return status;
}

pawl_status pawl__question_expired(pawl__expired *out, pawl_log *log, pawl__state *state,
        pawl_text run_id, pawl_text step_id, pawl__arena *arena, pawl_error *err)
{
        pawl__row *rows;
        size_t n = 0;
        pawl_status status =
                pawl__state_conflicts(&rows, &n, state, run_id, step_id, false, arena, err);

        *out = (pawl__expired){.question = {NULL, 0}};
        for (size_t i = 0; i < n && !status && (!out->question.data || out->otherwise.data); i++)
                status = take_expired(out, log, state, &rows[i], arena, err);
        return status;
}

pawl_status pawl__question_allows(const pawl__question_info *info, const pawl_conflict *conflict,
        pawl_text actor, pawl_error *err)
{
        char who[200];

        if (!info->n_to || is_one_of(actor, info->to, info->n_to))
                return PAWL_OK;
        join(who, sizeof who, info->to, info->n_to);
        return pawl__fail(err, PAWL_EACCESS,
                "conflict %.*s: %.*s is not asked; it is %s who may answer",
                PAWL__FMT(conflict->conflict_id), PAWL__FMT(actor), who);
}

bool pawl__question_is_to(const pawl__question *question, pawl_text actor)
{
        return !question->n_to || is_one_of(actor, question->to, question->n_to);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static pawl_status conflict_row(pawl__row *row, pawl_context *ctx, pawl_text id)
{
        *row = (pawl__row){.v[PAWL__CON_ID].text = id};
        const pawl_status status =
                pawl__state_get(ctx->state, PAWL__CONFLICTS, row, &ctx->pass, &ctx->error);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* The answer that is in the log, and counts: *none says that there is none. */
static pawl_status recall(bool *none, pawl_context *ctx, pawl_text id)
{
        pawl__question_info info;
        pawl__row row;
        pawl_status status = conflict_row(&row, ctx, id);

        *none = !pawl__text_is(row.v[PAWL__CON_STATUS].text, "resolved");
        if (status || *none)
                return status;
        status = pawl__question_read(&info, &ctx->pass, ctx->log, &row, &ctx->error);
        const bool otherwise =
                !status && ctx->trust &&
                pawl__trust_otherwise(ctx->trust, (uint64_t)row.v[PAWL__CON_RESOLVED_SEQ].integer,
                        ctx->question, info.answered_by, info.answer);
        if (!status && !otherwise) {
                bool counts = false;
                status = pawl__answer_counts(&counts, ctx, &row);
                *none = !counts;
        }
        if (status || *none)
                return status;
        ctx->reply = info.answer;
        ctx->expired = !info.answer.data;
        return PAWL_OK;
}

/* As the gate and the clarification know it. The options are candidates to pick from. */
static pawl_status make_blocker(pawl__blocker *out, pawl_context *ctx, pawl_text id)
{
        const pawl__question *q = ctx->question;
        pawl__finding *finding = pawl__arena_alloc(&ctx->pass, sizeof *finding);
        pawl__sense *options = pawl__arena_array(&ctx->pass, q->n_options, sizeof *options);

        if (!finding || !options)
                return pawl__nomem(&ctx->error);
        for (size_t i = 0; i < q->n_options; i++)
                options[i] = (pawl__sense){.surface = q->text,
                        .definition = q->options[i],
                        .scope = PAWL__MISSION_LOCAL,
                        .confidence = 1,
                        .status = PAWL__ACTIVE};
        *finding = (pawl__finding){.term = q->text,
                .original = q->text,
                .context = pawl__text(""),
                .type = PAWL__QUESTION,
                .severity = PAWL__SEVERITY_HIGH,
                .confidence = 1,
                .candidates = options,
                .n_candidates = q->n_options};
        *out = (pawl__blocker){finding, id};
        return PAWL_OK;
}

/* Does the step still ask it? A mission that changed may have it ask in another way. */
static pawl_status asks_still(bool *still, pawl_context *ctx, pawl_text conflict_id)
{
        pawl__row step = {
                .v[PAWL__STEP_RUN].text = ctx->run_id, .v[PAWL__STEP_ID].text = ctx->step_id};
        const pawl_status status =
                pawl__state_get(ctx->state, PAWL__STEPS, &step, &ctx->pass, &ctx->error);

        *still = status || !pawl__plan_ask(step.v[PAWL__STEP_PLAN].text).data ||
                 pawl__text_eq(step.v[PAWL__STEP_QUESTION].text, conflict_id);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* One that starts afresh asks afresh: what was answered before it was rolled back was about what
 * there was then. */
pawl_status pawl__question_blocks(bool *blocks, pawl__blocker *blocker, pawl_context *ctx)
{
        bool still = ctx->token[0] || ctx->asked;
        char hex[17];
        bool ok = true;

        *blocks = false;
        if (ctx->reply.data)
                return PAWL_OK;
        if (pawl__question_id(hex, ctx))
                return pawl__nomem(&ctx->error);
        const pawl_text id = pawl__context_keep(ctx, pawl__text(hex), &ok);
        if (!ok)
                return pawl__nomem(&ctx->error);
        *blocks = true;
        pawl_status status = still ? asks_still(&still, ctx, id) : PAWL_OK;
        if (!status && still)
                status = recall(blocks, ctx, id);
        if (ctx->expired && ctx->question->again && !ctx->asked) {
                ctx->expired = false;
                *blocks = true;
        }
        if (!status && *blocks)
                status = make_blocker(blocker, ctx, id);
        return status;
}

pawl_status pawl__question_answered(pawl_context *ctx)
{
        char id[17];
        bool none = true;

        if (ctx->reply.data)
                return PAWL_OK;
        if (pawl__question_id(id, ctx))
                return pawl__nomem(&ctx->error);
        const pawl_status status = recall(&none, ctx, pawl__text(id));
        if (status || ctx->reply.data)
                return status;
        return pawl__fail(&ctx->error, PAWL_EDAMAGED,
                "step %.*s: is past its question, which has no answer in the log; run `eventlog "
                "replay --check`",
                PAWL__STEP(ctx));
}

/* The time runs from when it was asked first. */
pawl_status pawl__question_members(int64_t *asked_us, pawl_context *ctx, pawl_text conflict_id)
{
        const pawl__question *q = ctx->question;
        pawl__json_writer *w = &ctx->writer;
        char due[28];
        pawl__row row;
        const pawl_status status = conflict_row(&row, ctx, conflict_id);

        *asked_us = ctx->sources->wall_us(ctx->sources->user);
        if (status)
                return status;
        if (q->within_ms) {
                const bool open = pawl__text_is(row.v[PAWL__CON_STATUS].text, "open");
                pawl__time_format(due, (open ? row.v[PAWL__CON_REQUESTED_US].integer : *asked_us) +
                                               q->within_ms * 1000);
                pawl__json_member_string(w, "due_at", due);
                if (q->otherwise.data)
                        pawl__json_member_text(w, "otherwise", q->otherwise);
        }
        if (q->n_to) {
                pawl__json_name(w, "to");
                pawl__json_open_array(w);
                for (size_t i = 0; i < q->n_to; i++)
                        pawl__json_text(w, q->to[i]);
                pawl__json_close_array(w);
        }
        ctx->asked = true;
        return PAWL_OK;
}

pawl_status pawl__question_same(bool *same, pawl_context *ctx, const pawl__row *conflict)
{
        const pawl__question *q = ctx->question;
        pawl__question_info info;
        bool still = false;
        pawl_status status =
                pawl__question_read(&info, &ctx->pass, ctx->log, conflict, &ctx->error);
        const int64_t since_us = conflict->v[PAWL__CON_REQUESTED_US].integer;

        if (!status)
                status = asks_still(&still, ctx, conflict->v[PAWL__CON_ID].text);
        *same = still && info.n_to == q->n_to &&
                info.due_us == (q->within_ms ? since_us + q->within_ms * 1000 : 0) &&
                (!q->within_ms || pawl__text_eq(info.otherwise, q->otherwise));
        for (size_t i = 0; i < q->n_to && *same; i++)
                *same = pawl__text_eq(info.to[i], q->to[i]);
        ctx->asked = ctx->asked || *same;
        return status;
}

/* ---- Answering ------------------------------------------------------------------------------- */

/* "yes, no" */
static void name_options(char *out, size_t size, const pawl_conflict *conflict)
{
        pawl_text options[16] = {{NULL, 0}};
        size_t n = 0;

        for (; n < conflict->n_candidates && n < sizeof options / sizeof options[0]; n++)
                options[n] = conflict->candidates[n].definition;
        join(out, size, options, n);
}

static pawl_status refuse_option(
        const pawl_conflict *conflict, const pawl_answer *answer, pawl_error *err)
{
        char options[200];

        name_options(options, sizeof options, conflict);
        if (answer->answer.data)
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: \"%.100s\" is none of its options; answer %s",
                        PAWL__FMT(conflict->conflict_id), answer->answer.data, options);
        return pawl__fail(err, PAWL_EINVAL, "conflict %.*s: has no option %zu; answer %s",
                PAWL__FMT(conflict->conflict_id), answer->pick,
                conflict->n_candidates ? options : "in words");
}

static pawl_status choose(
        pawl_text *out, const pawl_conflict *conflict, const pawl_answer *answer, pawl_error *err)
{
        const pawl_text id = conflict->conflict_id, text = answer->answer;

        if (answer->define.data || answer->dismiss || answer->scope.data ||
                (answer->pick > 0) + (text.data != NULL) != 1)
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: is a question; answer it with a text alone", PAWL__FMT(id));
        if (answer->pick > conflict->n_candidates)
                return refuse_option(conflict, answer, err);
        if (answer->pick) {
                *out = conflict->candidates[answer->pick - 1].definition;
                return PAWL_OK;
        }
        if (!pawl__utf8_valid(text.data, text.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: the answer is not valid UTF-8; write it in UTF-8",
                        PAWL__FMT(id));
        *out = text;
        for (size_t i = 0; i < conflict->n_candidates; i++)
                if (pawl__text_eq(text, conflict->candidates[i].definition))
                        return PAWL_OK;
        if (conflict->n_candidates)
                return refuse_option(conflict, answer, err);
        return pawl__text_blank(text)
                       ? pawl__fail(err, PAWL_EINVAL,
                                 "conflict %.*s: the answer is empty; write one", PAWL__FMT(id))
                       : PAWL_OK;
}

/* @p text absent: nobody answered in time. */
static pawl_status emit(pawl__batch *batch, pawl_text text, const pawl_conflict *conflict,
        const char *mode, int64_t replaces, const pawl__seal *seal, const pawl_event *like,
        int64_t now_us, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf quoted = PAWL__BUF_INIT;
        pawl_event event = *like;
        pawl_status status = PAWL_OK;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "actor");
        pawl__actor_write(&w, like->actor);
        pawl__json_member_text(&w, "answer", text);
        pawl__json_member_text(&w, "conflict_id", conflict->conflict_id);
        pawl__json_name(&w, "provenance");
        pawl__provenance_write(&w, "answer", now_us, like->actor);
        if (replaces)
                pawl__json_member_integer(&w, "replaces", replaces);
        pawl__json_member_string(&w, "resolution_mode", mode);
        pawl__json_name(&w, "selected_sense");
        pawl__json_null(&w);
        pawl__json_member_text(&w, "term_surface", conflict->term);
        event.time_us = now_us;
        if (seal) {
                pawl__json_quote(&quoted, text);
                status = pawl__buf_check(&quoted, err);
                if (!status)
                        status = pawl__seal_write(&w, seal, like->actor, conflict->conflict_id,
                                pawl__buf_text(&quoted), err);
                pawl__buf_free(&quoted);
        }
        if (status)
                pawl__json_writer_free(&w);
        return status ? status
                      : pawl__batch_emit(batch, PAWL__CLARIFICATION_RESOLVED, &event, &w, err);
}

pawl_status pawl__question_emit(pawl__batch *batch, pawl_text *text, const pawl_conflict *conflict,
        const pawl_answer *answer, const char *mode, int64_t replaces, const pawl__seal *seal,
        const pawl_event *like, int64_t now_us, pawl_error *err)
{
        pawl_text chosen = {NULL, 0};
        pawl_status status = choose(&chosen, conflict, answer, err);

        if (!status)
                status = emit(batch, chosen, conflict, mode, replaces, seal, like, now_us, err);
        if (!status)
                *text = chosen;
        return status;
}

/* ---- When its time is over ------------------------------------------------------------------- */

static pawl_status expire(pawl_log *log, const pawl__row *row, pawl_text otherwise, pawl_error *err)
{
        const pawl_event like = {.mission_id = row->v[PAWL__CON_MISSION].text,
                .run_id = row->v[PAWL__CON_RUN].text,
                .step_id = row->v[PAWL__CON_STEP].text,
                .actor = pawl__text(PAWL__ACTOR_TIMEOUT)};
        const pawl_conflict conflict = {
                .conflict_id = row->v[PAWL__CON_ID].text, .term = row->v[PAWL__CON_TERM].text};
        pawl__batch batch = PAWL__BATCH_INIT;
        /* Its time is over by a clock that may have been set back since. */
        const int64_t now_us = pawl__wall_us(log), due_us = row->v[PAWL__CON_DUE_US].integer;
        pawl_status status = emit(&batch, otherwise, &conflict, "timeout", 0, NULL, &like,
                now_us > due_us ? now_us : due_us, err);

        if (!status)
                status = pawl__log_failed(log, pawl__log_commit(log, &batch, 0, NULL), err);
        pawl__batch_free(&batch);
        return status == PAWL_EEXISTS ? PAWL_OK : status; /* somebody was faster */
}

static int64_t look_at_clock(pawl__question_clock *clock, const pawl_log *log)
{
        const int64_t wall_us = pawl__wall_us(log);
        const int64_t boot_ms = pawl__boot_ms(log);

        if (!clock)
                return wall_us;
        if (!clock->wall_us) {
                clock->wall_us = wall_us;
                clock->boot_ms = boot_ms;
        }
        const int64_t passed_us = clock->wall_us + (boot_ms - clock->boot_ms) * 1000;
        return wall_us > passed_us ? wall_us : passed_us;
}

pawl_status pawl__questions_settle(
        pawl__question_clock *clock, pawl_log *log, pawl__state *state, pawl_error *err)
{
        const int64_t now_us = look_at_clock(clock, log);
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        int64_t next = INT64_MAX;
        size_t n = 0;
        pawl_status status = PAWL_OK;

        if (!pawl__log_readonly(log))
                status = pawl__state_questions(&rows, &n, state, &arena, err);
        for (size_t i = 0; i < n && !status; i++) {
                pawl__question_info info;
                status = pawl__question_read(&info, &arena, log, &rows[i], err);
                const int64_t left = status || !info.due_us ? INT64_MAX : info.due_us - now_us;
                if (left <= 0)
                        status = expire(log, &rows[i], info.otherwise, err);
                else if (left < next)
                        next = left;
        }
        pawl__arena_free(&arena);
        if (clock && next == INT64_MAX)
                clock->due_ms = INT64_MAX;
        else if (clock)
                clock->due_ms = pawl__boot_ms(log) + next / 1000 + 1;
        return status;
}

bool pawl__questions_due(const pawl__question_clock *clock, const pawl_log *log)
{
        return pawl__boot_ms(log) >= clock->due_ms;
}

pawl_status pawl__answer_counts(bool *counts, pawl_context *ctx, const pawl__row *conflict)
{
        const uint64_t seq = (uint64_t)conflict->v[PAWL__CON_RESOLVED_SEQ].integer;
        pawl_error why = PAWL_ERROR_INIT;

        *counts = true;
        if (!ctx->trust || !seq)
                return PAWL_OK;
        const pawl_status status = pawl__trust_answer(ctx->trust, seq, &why);
        if (status == PAWL_EACCESS) {
                *counts = false;
                if (!ctx->distrust.message[0])
                        pawl__fail(&ctx->distrust, PAWL_BLOCKED, "conflict %.*s: %s",
                                PAWL__FMT(conflict->v[PAWL__CON_ID].text), why.message);
                return PAWL_OK;
        }
        if (status)
                ctx->error = why;
        return status;
}
