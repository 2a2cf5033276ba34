/* The execution context: its construction, setters and getters, and the events of its layers. */
#include "pipeline/context.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/json_canon.h"
#include "base/sources.h"
#include <stdlib.h>
#include <unistd.h>

pawl_status pawl__context_usable(pawl_context *ctx, pawl_error *err)
{
        if (!err && ctx)
                err = &ctx->error;
        return pawl__handle_usable(ctx, ctx ? &ctx->process : NULL, "context", err);
}

void pawl_context_free(pawl_context *ctx)
{
        if (!ctx)
                return;
        pawl__buf_free(&ctx->inputs_buf);
        pawl__buf_free(&ctx->output_buf);
        pawl__buf_free(&ctx->diff);
        pawl__json_writer_free(&ctx->writer);
        pawl__hasher_free(ctx->hasher);
        pawl__arena_free(&ctx->pass);
        pawl__arena_free(&ctx->arena);
        free(ctx);
}

/* Between the gate's verdict and the end of the step, what passed the gate stays as it was. */
static pawl_status check_open(pawl_context *ctx)
{
        if (!ctx->passing && !ctx->may_generate)
                return PAWL_OK;
        return pawl__fail(&ctx->error, PAWL_ESTATE,
                "step %.*s: passed the gate and has not ended; complete it or record its failure "
                "before it is changed",
                PAWL__STEP(ctx));
}

static pawl_status take_inputs(pawl_context *ctx, const char *json, size_t len)
{
        pawl__buf canonical = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = pawl__json_canon(&canonical, json, len, &ctx->error);

        if (status)
                pawl__fail_prefix(&ctx->error, status, "step %.*s: inputs", PAWL__STEP(ctx));
        else
                status =
                        pawl__sha256(ctx->hasher, hash, canonical.data, canonical.len, &ctx->error);
        if (status) {
                pawl__buf_free(&canonical);
                return status;
        }
        pawl__buf_free(&ctx->inputs_buf);
        ctx->inputs_buf = canonical;
        ctx->inputs = pawl__buf_text(&ctx->inputs_buf);
        pawl__hex(ctx->input_hash, hash, sizeof hash);
        return PAWL_OK;
}

static pawl_status fill(pawl_context *ctx, const pawl_text ids[3], pawl_error *err)
{
        bool ok = true;

        ctx->mission_id = pawl__arena_text(&ctx->arena, ids[0], &ok);
        ctx->run_id = pawl__arena_text(&ctx->arena, ids[1], &ok);
        ctx->step_id = pawl__arena_text(&ctx->arena, ids[2], &ok);
        if (!ok)
                return pawl__nomem(err);
        pawl_status status = pawl__hasher_new(&ctx->hasher, err);
        if (!status && (status = take_inputs(ctx, "{}", 2)) && err)
                *err = ctx->error;
        return status;
}

pawl_status pawl_context_new(pawl_context **out, const char *mission_id, const char *run_id,
        const char *step_id, pawl_error *err)
{
        static const char *const what[] = {"mission id", "run id", "step id"};
        const pawl_text ids[] = {pawl__text(mission_id), pawl__text(run_id), pawl__text(step_id)};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < 3 && !status; i++)
                status = pawl__id_check(ids[i], what[i], err);
        if (status)
                return status;
        pawl_context *ctx = calloc(1, sizeof *ctx);
        if (!ctx)
                return pawl__nomem(err);
        ctx->process = getpid();
        ctx->store_inputs = true;
        status = fill(ctx, ids, err);
        if (status)
                pawl_context_free(ctx);
        else
                *out = ctx;
        return status;
}

pawl_status pawl_context_set_inputs(pawl_context *ctx, const char *json, size_t len)
{
        TRY(pawl__context_usable(ctx, NULL));

        const pawl_status status = check_open(ctx);

        return status ? status : take_inputs(ctx, json, len);
}

pawl_status pawl_context_set_metadata(pawl_context *ctx, const char *json, size_t len)
{
        TRY(pawl__context_usable(ctx, NULL));

        pawl__metadata metadata;
        pawl_status status = check_open(ctx);

        if (status)
                return status;
        status = pawl__metadata_read(&metadata, &ctx->arena, pawl__text_n(json, len), &ctx->error);
        if (status)
                return pawl__fail_prefix(&ctx->error, status, "step %.*s", PAWL__STEP(ctx));
        ctx->metadata = metadata;
        return PAWL_OK;
}

pawl_status pawl_context_set_critical(pawl_context *ctx, bool critical)
{
        TRY(pawl__context_usable(ctx, NULL));

        const pawl_status status = check_open(ctx);

        if (!status)
                ctx->critical = critical;
        return status;
}

pawl_status pawl_context_set_strictness(pawl_context *ctx, const char *strictness)
{
        TRY(pawl__context_usable(ctx, NULL));

        TRY(check_open(ctx));
        if (pawl__strictness_of(&ctx->runtime_strictness, pawl__text(strictness)))
                return PAWL_OK;
        return pawl__fail(&ctx->error, PAWL_EINVAL,
                "step %.*s: strictness \"%.*s\": is not known; use off, medium or max",
                PAWL__STEP(ctx), PAWL__FMT(pawl__text(strictness)));
}

pawl_status pawl_context_set_retry_token(pawl_context *ctx, const char *token)
{
        TRY(pawl__context_usable(ctx, NULL));

        pawl_text text = pawl__text(token);
        TRY(check_open(ctx));
        if (!pawl__uuid_valid(text))
                return pawl__fail(&ctx->error, PAWL_EINVAL,
                        "retry token \"%.*s\": is not of a token's form; give the 36 characters "
                        "that the blocked or interrupted run printed",
                        PAWL__FMT(text));
        memmove(ctx->token, text.data, text.len); /* it may be this context's own */
        ctx->token[text.len] = '\0';
        return PAWL_OK;
}

void pawl__context_reset(pawl_context *ctx)
{
        pawl__arena_clear(&ctx->pass);
        ctx->phase = PAWL__ON_INPUTS;
        ctx->resumed = false;
        ctx->effective = PAWL__STRICTNESS_UNSET;
        ctx->terms = (pawl__terms){NULL, 0};
        ctx->findings = (pawl__findings){NULL, 0};
        ctx->verdicts = NULL;
        ctx->reevaluated = false;
        ctx->evaluated = false;
        ctx->reruns = false;
        pawl__buf_free(&ctx->output_buf);
        ctx->output = (pawl_text){NULL, 0};
        ctx->output_hash[0] = '\0';
        ctx->checkpoint = (pawl__checkpoint){.retry_token = ""};
        ctx->committed = ctx->checkpoint;
        ctx->checkpoint_waits = false;
        ctx->asked_for = (pawl__checkpoint){.retry_token = ""};
        ctx->is_new = false;
        ctx->token_used = false;
        ctx->token_spent = false;
        ctx->resumed_at = PAWL__AT_START;
        ctx->cursor = PAWL__AT_START;
        ctx->blocked = false;
        ctx->conflicts = NULL;
        ctx->n_conflicts = 0;
        ctx->prompts = NULL;
        ctx->requested = false;
        ctx->questions = 0;
        ctx->answer_waits = false;
        ctx->answered = false;
        ctx->may_generate = false;
        ctx->inputs_changed = false;
        ctx->asked = false;
        ctx->expired = false;
        ctx->has_output = false;
        ctx->distrust = (pawl_error)PAWL_ERROR_INIT;
        ctx->reply = (pawl_text){NULL, 0};
        pawl__buf_clear(&ctx->diff);
}

pawl_text pawl__context_keep(pawl_context *ctx, pawl_text text, bool *ok)
{
        return pawl__arena_text(&ctx->pass, text, ok);
}

/* ---- Getters --------------------------------------------------------------------------------- */

const char *pawl_context_errmsg(const pawl_context *ctx)
{
        return ctx ? ctx->error.message : PAWL__NO_HANDLE;
}

const char *pawl_context_retry_token(const pawl_context *ctx)
{
        return ctx && ctx->checkpoint.retry_token[0] ? ctx->checkpoint.retry_token : NULL;
}

size_t pawl_context_conflicts(const pawl_context *ctx)
{
        return ctx ? ctx->n_conflicts : 0;
}

const pawl_conflict *pawl_context_conflict(const pawl_context *ctx, size_t index)
{
        return ctx && index < ctx->n_conflicts ? &ctx->conflicts[index] : NULL;
}

const pawl_input_change *pawl_context_input_diff(const pawl_context *ctx)
{
        return ctx && ctx->inputs_changed ? &ctx->change : NULL;
}

pawl_text pawl_context_inputs(const pawl_context *ctx)
{
        return ctx ? ctx->inputs : (pawl_text){NULL, 0};
}

const char *pawl_context_input_hash(const pawl_context *ctx)
{
        return ctx ? ctx->input_hash : NULL;
}

const char *pawl_context_cursor(const pawl_context *ctx)
{
        const char *name = ctx && ctx->resumed ? pawl__cursor_name(ctx->resumed_at) : NULL;

        return name ? name : "";
}

pawl_text pawl_context_output(const pawl_context *ctx)
{
        return ctx ? ctx->output : (pawl_text){NULL, 0};
}

/* ---- Events ---------------------------------------------------------------------------------- */

static pawl_event envelope(const pawl_context *ctx, pawl_text type, int v)
{
        return (pawl_event){.type = type,
                .v = v,
                .mission_id = ctx->mission_id,
                .run_id = ctx->run_id,
                .step_id = ctx->step_id,
                .session_id = ctx->session_id,
                .actor = ctx->actor};
}

pawl_event pawl__context_event(const pawl_context *ctx, pawl__event_type type)
{
        const pawl__event_def *form = pawl__event_def_of(type);

        return envelope(ctx, pawl__text(form->name), form->v);
}

pawl__json_writer *pawl__context_payload(pawl_context *ctx)
{
        pawl__json_writer *w = &ctx->writer;

        pawl__buf_clear(&w->buf);
        *w = (pawl__json_writer){.buf = w->buf};
        pawl__json_open_object(w);
        return w;
}

pawl_status pawl__context_keep_inputs(pawl_context *ctx)
{
        unsigned char hash[PAWL__HASH_LEN];

        if (!ctx->store_inputs || !pawl__unhex32(hash, pawl__text(ctx->input_hash)))
                return PAWL_OK;
        return pawl__batch_blob(ctx->batch, hash, ctx->inputs, &ctx->error);
}

void pawl__attempt_members(pawl__json_writer *w, const pawl__attempt *attempt)
{
        if (!attempt->number)
                return;
        pawl__json_member_integer(w, "attempt", (int64_t)attempt->number);
        if (*attempt->last_line)
                pawl__json_member_string(w, "last_line", attempt->last_line);
        pawl__json_member_integer(w, "log_bytes", (int64_t)attempt->log_bytes);
        if (*attempt->log_hash)
                pawl__json_member_string(w, "log_hash", attempt->log_hash);
}

pawl_status pawl__context_emit(pawl_context *ctx, pawl__event_type type)
{
        return pawl__context_emit_at(ctx, type, 0);
}

pawl_status pawl__context_emit_at(pawl_context *ctx, pawl__event_type type, int64_t time_us)
{
        pawl_event event = pawl__context_event(ctx, type);

        event.time_us = time_us;
        pawl__json_close_object(&ctx->writer);
        if (pawl__json_end_writer(&ctx->writer))
                return pawl__nomem(&ctx->error);
        event.payload = pawl__buf_text(&ctx->writer.buf);
        return pawl__batch_event(ctx->batch, &event, &ctx->error);
}

pawl_status pawl_context_emit(pawl_context *ctx, const char *type, const char *payload, size_t len)
{
        TRY(pawl__context_usable(ctx, NULL));

        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__event_type known = pawl__event_type_of(pawl__text(type));
        pawl_event event = envelope(ctx, pawl__text(type), 1);

        if (!ctx->batch)
                return pawl__fail(&ctx->error, PAWL_ESTATE,
                        "event %s: no pass is under way; emit from a layer", type);
        if (known == PAWL__EVENT_OTHER)
                return pawl__fail(&ctx->error, PAWL_EINVAL,
                        "event type \"%.*s\": is not known; use one of the event log's types",
                        PAWL__FMT(event.type));
        event.v = pawl__event_def_of(known)->v;
        event.payload = pawl__text_n(payload, len);
        pawl_status status = pawl__json_tree_read(&tree, payload, len, &ctx->error);
        if (status)
                pawl__fail_prefix(&ctx->error, status, "event %s", type);
        else
                status = pawl__event_check(&event, known, &tree, &ctx->error);
        pawl__json_tree_free(&tree);
        return status ? status : pawl__batch_event(ctx->batch, &event, &ctx->error);
}

pawl_status pawl_context_fail(pawl_context *ctx, pawl_status status, const char *why)
{
        return pawl__fail(ctx ? &ctx->error : NULL, status, "%s", why ? why : "");
}

static pawl_status id_of(char out[17], const pawl_context *ctx, const char *phase, pawl_text about)
{
        const pawl_text parts[] = {ctx->run_id, ctx->step_id, pawl__text(phase), about};
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = pawl__hasher_begin(ctx->hasher, NULL);

        /* Ids hold no NUL, so that one between two parts keeps them apart. */
        for (size_t i = 0; i < 4 && !status; i++) {
                status = pawl__hasher_add(ctx->hasher, parts[i].data, parts[i].len);
                if (!status && i < 3)
                        status = pawl__hasher_add(ctx->hasher, "", 1);
        }
        if (!status)
                status = pawl__hasher_end(ctx->hasher, hash);
        if (!status)
                pawl__hex(out, hash, 8);
        return status;
}

pawl_status pawl__conflict_id(char out[17], const pawl_context *ctx, pawl_text term)
{
        return id_of(out, ctx, ctx->phase == PAWL__ON_OUTPUT ? "output" : "inputs", term);
}

pawl_status pawl__question_id(char out[17], const pawl_context *ctx)
{
        return id_of(out, ctx, "ask", pawl__text(ctx->input_hash));
}
