#include <pawl/cjson.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 512 };

#define SAFE_INTEGER 9007199254740991.0 /* 2^53 - 1 */

/* ---- Failing --------------------------------------------------------------------------------- */

static pawl_status fail(pawl_error *err, pawl_status status, const char *format, ...)
        PAWL_PRINTF(3, 4);

static pawl_status fail(pawl_error *err, pawl_status status, const char *format, ...)
{
        va_list args;

        if (err) {
                va_start(args, format);
                /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it was begun */
                vsnprintf(err->message, sizeof err->message, format, args);
                va_end(args);
                err->status = status;
        }
        return status;
}

static pawl_status no_memory(pawl_error *err)
{
        return fail(err, PAWL_ENOMEM, "out of memory; free some and try again");
}

/* ---- A tree's text --------------------------------------------------------------------------- */

/* A number as text that reads as the same double, in place of the number. cJSON itself prints 15
 * digits where it takes those for enough, and null for what is no number. */
static pawl_status spell(cJSON *number, pawl_error *err)
{
        const double value = number->valuedouble;
        char text[32];

        if (!isfinite(value))
                return fail(err, PAWL_EPARSE,
                        "the tree: a number is not finite; cJSON reads one beyond a double so, give "
                        "the text itself");
        if (fabs(value) > SAFE_INTEGER && floor(value) == value)
                return fail(err, PAWL_EPARSE,
                        "the tree: %.17g is an integer beyond 2^53 - 1, which cJSON may have "
                        "rounded; give the text itself, or a string",
                        value);
        snprintf(text, sizeof text, "%.17g", value);
        const size_t digits = strspn(text, "-0123456789");
        const size_t rest = strcspn(text + digits, "0123456789e");
        if (rest) { /* the point of this locale, of any length */
                text[digits] = '.';
                memmove(text + digits + 1, text + digits + rest, strlen(text + digits + rest) + 1);
        }
        char *copy = cJSON_malloc(sizeof text);
        if (!copy)
                return no_memory(err);
        number->valuestring = memcpy(copy, text, sizeof text);
        number->type = cJSON_Raw | (number->type & ~0xff);
        return PAWL_OK;
}

static pawl_status check(cJSON *node, bool named, pawl_error *err)
{
        if (named && !node->string)
                return fail(err, PAWL_EPARSE, "the tree: a member has no name; give it one");
        if (cJSON_IsString(node) && !node->valuestring)
                return fail(err, PAWL_EPARSE, "the tree: a string has no text; give it one");
        if (!cJSON_IsObject(node) && !cJSON_IsArray(node) && !cJSON_IsString(node) &&
                !cJSON_IsNumber(node) && !cJSON_IsBool(node) && !cJSON_IsNull(node))
                return fail(err, PAWL_EPARSE,
                        "the tree: a node of type %d is no JSON value; parse cJSON_Raw first",
                        node->type & 0xff);
        return PAWL_OK;
}

typedef pawl_status (*visit_fn)(cJSON *node, bool named, pawl_error *err);

/* Each node of a tree. One that holds itself ends by its depth. */
static pawl_status walk(cJSON *node, bool named, unsigned depth, visit_fn visit, pawl_error *err)
{
        const bool names = cJSON_IsObject(node);
        pawl_status status = visit(node, named, err);

        if (!status && depth > DEPTH)
                status = fail(err, PAWL_EPARSE,
                        "the tree: is nested deeper than %d; make it flatter", DEPTH);
        if (names || cJSON_IsArray(node))
                for (cJSON *child = node->child; child && !status; child = child->next)
                        status = walk(child, names, depth + 1, visit, err);
        return status;
}

static pawl_status spell_node(cJSON *node, bool named, pawl_error *err)
{
        (void)named;
        return cJSON_IsNumber(node) ? spell(node, err) : PAWL_OK;
}

pawl_status pawl_cjson_write(char **out, size_t *len, const cJSON *tree, pawl_error *err)
{
        if (!tree)
                return fail(err, PAWL_EINVAL, "the tree: is NULL; give a value");
        /* the nodes are only looked at */
        pawl_status status = walk((cJSON *)(uintptr_t)tree, false, 0, check, err);
        if (status)
                return status;
        cJSON *copy = cJSON_Duplicate(tree, true);
        status = copy ? walk(copy, false, 0, spell_node, err) : no_memory(err);
        char *text = status ? NULL : cJSON_PrintUnformatted(copy);
        if (!status)
                status = text ? pawl_json_canonical(out, len, text, strlen(text), err)
                              : no_memory(err);
        cJSON_free(text);
        cJSON_Delete(copy);
        return status;
}

/* ---- A text's tree --------------------------------------------------------------------------- */

pawl_status pawl_cjson_read(cJSON **out, const char *json, size_t len, pawl_error *err)
{
        char *text = NULL, *again = NULL;
        size_t text_len = 0, again_len = 0;
        cJSON *tree = NULL;
        pawl_status status = pawl_json_canonical(&text, &text_len, json, len, err);

        if (!status && !(tree = cJSON_ParseWithLength(text, text_len)))
                status = no_memory(err); /* its grammar is wider than the canonical one */
        if (!status)
                status = pawl_cjson_write(&again, &again_len, tree, err);
        /* whatever cJSON loses is not in what it gives back */
        const bool whole =
                text && again && text_len == again_len && memcmp(text, again, text_len) == 0;
        if (!status && !whole)
                status = fail(err, PAWL_EPARSE,
                        "the text: cJSON would lose a part of it (it ends a string at \\u0000); use "
                        "the text itself");
        pawl_free(text);
        pawl_free(again);
        if (status)
                cJSON_Delete(tree);
        else
                *out = tree;
        return status;
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

typedef pawl_status (*set_fn)(pawl_context *ctx, const char *json, size_t len);

static pawl_status set(set_fn fn, pawl_context *ctx, const cJSON *tree, pawl_error *err)
{
        char *text = NULL;
        size_t len = 0;
        pawl_status status = pawl_cjson_write(&text, &len, tree, err);

        if (!status && (status = fn(ctx, text, len)) != PAWL_OK)
                status = fail(err, status, "%s", pawl_context_errmsg(ctx));
        pawl_free(text);
        return status;
}

pawl_status pawl_cjson_set_inputs(pawl_context *ctx, const cJSON *inputs, pawl_error *err)
{
        return set(pawl_context_set_inputs, ctx, inputs, err);
}

pawl_status pawl_cjson_set_metadata(pawl_context *ctx, const cJSON *metadata, pawl_error *err)
{
        return set(pawl_context_set_metadata, ctx, metadata, err);
}

pawl_status pawl_cjson_complete(
        pawl_pipeline *pipeline, pawl_context *ctx, const cJSON *output, pawl_error *err)
{
        char *text = NULL;
        size_t len = 0;
        pawl_status status = pawl_cjson_write(&text, &len, output, err);

        if (!status && (status = pawl_pipeline_complete(pipeline, ctx, text, len)) < 0)
                status = fail(err, status, "%s", pawl_pipeline_errmsg(pipeline));
        pawl_free(text);
        return status;
}

pawl_status pawl_cjson_output(cJSON **out, const pawl_context *ctx, pawl_error *err)
{
        const pawl_text output = pawl_context_output(ctx);

        if (!output.data)
                return fail(err, PAWL_ENOTFOUND, "the step: has no output; complete it first");
        return pawl_cjson_read(out, output.data, output.len, err);
}

/* ---- Objects of the log ---------------------------------------------------------------------- */

/* An object that is being made: after the first failure nothing more is added. */
typedef struct builder {
        cJSON *object;
        pawl_status status;
        pawl_error *err;
} builder;

static builder begin(pawl_error *err)
{
        builder m = {cJSON_CreateObject(), PAWL_OK, err};

        if (!m.object)
                m.status = no_memory(err);
        return m;
}

/* Take the value, or, if it is NULL, fail for lack of memory. */
static void add(builder *m, const char *name, cJSON *value)
{
        if (!m->status && (!value || !cJSON_AddItemToObject(m->object, name, value)))
                m->status = no_memory(m->err);
        else if (!m->status)
                return;
        cJSON_Delete(value);
}

static void add_text(builder *m, const char *name, pawl_text text)
{
        cJSON *value = NULL;

        if (m->status)
                return;
        if (text.data && memchr(text.data, '\0', text.len)) {
                m->status = fail(m->err, PAWL_EPARSE,
                        "%s: has U+0000, where cJSON ends a string; use the text itself", name);
                return;
        }
        if (!text.data) {
                add(m, name, cJSON_CreateNull());
                return;
        }
        char *copy = cJSON_malloc(text.len + 1);
        if (copy) {
                memcpy(copy, text.data, text.len);
                copy[text.len] = '\0';
                value = cJSON_CreateString(copy);
                cJSON_free(copy);
        }
        add(m, name, value);
}

static void add_string(builder *m, const char *name, const char *string)
{
        add_text(m, name, (pawl_text){string, string ? strlen(string) : 0});
}

static void add_number(builder *m, const char *name, double value)
{
        if (!m->status)
                add(m, name, cJSON_CreateNumber(value));
}

static void add_time(builder *m, const char *name, int64_t us)
{
        const int64_t part = us % 1000000 < 0 ? us % 1000000 + 1000000 : us % 1000000;
        const time_t seconds = (time_t)((us - part) / 1000000);
        struct tm tm;
        char date[64], text[96];

        if (!gmtime_r(&seconds, &tm) || !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm))
                date[0] = '\0';
        snprintf(text, sizeof text, "%s.%06dZ", date, (int)part);
        add_string(m, name, text);
}

static void add_hash(builder *m, const char *name, const unsigned char hash[32])
{
        char hex[65];

        for (size_t i = 0; i < 32; i++)
                snprintf(hex + 2 * i, 3, "%02x", hash[i]);
        add_string(m, name, hex);
}

static pawl_status missing(const char *what, pawl_error *err)
{
        return fail(err, PAWL_EINVAL, "%s: is NULL; give one", what);
}

static pawl_status finish(builder *m, cJSON **out)
{
        if (m->status)
                cJSON_Delete(m->object);
        else
                *out = m->object;
        return m->status;
}

pawl_status pawl_cjson_append(uint64_t *seq, pawl_log *log, const pawl_event *event,
        const cJSON *payload, uint64_t fence, pawl_error *err)
{
        if (!event)
                return missing("the event", err);
        pawl_event whole = *event;
        char *text = NULL;
        pawl_status status = pawl_cjson_write(&text, &whole.payload.len, payload, err);

        whole.payload.data = text;
        if (!status && (status = pawl_log_append(seq, log, &whole, 1, fence)) != PAWL_OK)
                status = fail(err, status, "%s", pawl_log_errmsg(log));
        pawl_free(text);
        return status;
}

pawl_status pawl_cjson_event(cJSON **out, const pawl_event *event, pawl_error *err)
{
        if (!event)
                return missing("the event", err);
        builder m = begin(err);
        cJSON *payload = NULL;

        add_number(&m, "seq", (double)event->seq);
        add_text(&m, "type", event->type);
        add_number(&m, "v", event->v);
        add_time(&m, "time", event->time_us);
        add_text(&m, "mission_id", event->mission_id);
        add_text(&m, "run_id", event->run_id);
        add_text(&m, "step_id", event->step_id);
        add_text(&m, "session_id", event->session_id);
        add_text(&m, "actor", event->actor);
        if (!m.status && event->payload.data)
                m.status = pawl_cjson_read(&payload, event->payload.data, event->payload.len, err);
        if (!m.status)
                add(&m, "payload", event->payload.data ? payload : cJSON_CreateNull());
        add_hash(&m, "prev", event->prev);
        add_hash(&m, "hash", event->hash);
        return finish(&m, out);
}

pawl_status pawl_cjson_checkpoint(
        cJSON **out, const pawl_step_checkpoint *checkpoint, pawl_error *err)
{
        if (!checkpoint)
                return missing("the checkpoint", err);
        builder m = begin(err);
        cJSON *refs = NULL;

        add_text(&m, "mission_id", checkpoint->mission_id);
        add_text(&m, "run_id", checkpoint->run_id);
        add_text(&m, "step_id", checkpoint->step_id);
        add_string(&m, "retry_token", checkpoint->retry_token);
        add_string(&m, "input_hash", checkpoint->input_hash);
        add_string(&m, "cursor", checkpoint->cursor);
        add_string(&m, "strictness", checkpoint->strictness);
        if (!m.status)
                add(&m, "scope_refs", refs = cJSON_CreateArray());
        for (size_t i = 0; i < checkpoint->n_scope_refs && !m.status; i++) {
                builder ref = begin(err);
                cJSON *object = NULL;

                add_text(&ref, "scope", checkpoint->scope_refs[i].scope);
                add_text(&ref, "version_id", checkpoint->scope_refs[i].version_id);
                m.status = finish(&ref, &object);
                if (!m.status)
                        cJSON_AddItemToArray(refs, object);
        }
        add_number(&m, "seq", (double)checkpoint->seq);
        add_time(&m, "time", checkpoint->time_us);
        return finish(&m, out);
}

pawl_status pawl_cjson_verify(
        bool *same, const pawl_step_checkpoint *checkpoint, const cJSON *inputs, pawl_error *err)
{
        char *text = NULL;
        size_t len = 0;
        pawl_status status = pawl_cjson_write(&text, &len, inputs, err);

        if (!status)
                status = pawl_step_checkpoint_verify(same, checkpoint, text, len, err);
        pawl_free(text);
        return status;
}

pawl_status pawl_cjson_conflict(cJSON **out, const pawl_conflict_info *info, pawl_error *err)
{
        if (!info)
                return missing("the conflict", err);
        const pawl_conflict *conflict = &info->conflict;
        builder m = begin(err);
        cJSON *candidates = NULL;

        add_text(&m, "conflict_id", conflict->conflict_id);
        add_text(&m, "run_id", info->run_id);
        add_text(&m, "step_id", info->step_id);
        add_text(&m, "retry_token", info->retry_token);
        add_text(&m, "term", conflict->term);
        add_text(&m, "conflict_type", conflict->conflict_type);
        add_text(&m, "severity", conflict->severity);
        add_number(&m, "confidence", conflict->confidence);
        add_text(&m, "context", conflict->context);
        if (!m.status)
                add(&m, "candidates", candidates = cJSON_CreateArray());
        for (size_t i = 0; i < conflict->n_candidates && !m.status; i++) {
                builder one = begin(err);
                cJSON *object = NULL;

                add_number(&one, "n", (double)i + 1);
                add_text(&one, "scope", conflict->candidates[i].scope);
                add_text(&one, "definition", conflict->candidates[i].definition);
                add_number(&one, "confidence", conflict->candidates[i].confidence);
                m.status = finish(&one, &object);
                if (!m.status)
                        cJSON_AddItemToArray(candidates, object);
        }
        add_text(&m, "status", info->status);
        add_time(&m, "requested_at", info->requested_us);
        if (info->resolved_seq)
                add_number(&m, "resolved_seq", (double)info->resolved_seq);
        else
                add_string(&m, "resolved_seq", NULL);
        if (info->due_us)
                add_time(&m, "due_at", info->due_us);
        else
                add_string(&m, "due_at", NULL);
        add_text(&m, "otherwise", info->otherwise);
        add_text(&m, "answer", info->answer);
        return finish(&m, out);
}
