/* Masking an event's payload: the strings that people and programs wrote, not those that Pawl
 * reads. */
#include "events/mask.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/json_canon.h"
#include "base/map.h"
#include "base/text.h"
#include "events/types.h"
#include <inttypes.h>

/* Members whose strings have a meaning to Pawl, and all that is within them. Names that end in
 * _hash, _id or _at are such, too. A value as short as one of their words would make the event
 * unreadable. */
static const char *const kept[] = {"actor_type", "change", "changes", "channel", "checkpoint_ns",
        "conflict_type", "confirmed_by", "cursor", "decisions", "document", "effective_strictness",
        "exclude", "extraction_method", "file", "forked_from", "git", "hash", "history", "id",
        "input_hash_alg", "invalidated", "kind", "layer", "mission_document", "mission_file",
        "mission_path", "name", "normal", "origin", "original", "outcome", "overall_severity",
        "owner", "phase", "plan", "pruned", "recommended_action", "rerun", "resolution_mode",
        "restored", "resumed_from", "retry_token", "revalidated", "root", "run_status", "scope",
        "scope_refs", "section", "severity", "signature", "source_step", "status", "steps",
        "steps_running", "strictness", "strictness_mode", "surface", "task_path", "term",
        "term_surface", "timestamp", "to", "tool", "tree", "trigger", "type", "update_type",
        "urgency"};

static bool ends_with(pawl_text name, const char *end)
{
        const size_t len = strlen(end);

        return name.len > len && memcmp(name.data + name.len - len, end, len) == 0;
}

/* A run's session has steps by their ids; an agent's, by any words. */
static bool is_step_of_run(const pawl_event *event, pawl_text name)
{
        return event->run_id.data &&
               (pawl__text_is(name, "completed_steps") || pawl__text_is(name, "current_step") ||
                       pawl__text_is(name, "pending_steps"));
}

/* One that has a word of its type's, a hash or a token. */
static bool is_of_form(const pawl_event *event, pawl_text name)
{
        const pawl__event_type type = pawl__event_type_of(event->type);
        const pawl__event_field *field =
                type == PAWL__EVENT_OTHER ? NULL : pawl__event_def_of(type)->required;

        while (field && field->name && !pawl__text_is(name, field->name))
                field++;
        if (!field || !field->name) /* why a step was left out is one of some words */
                return type == PAWL__STEP_COMPLETED && pawl__text_is(name, "reason");
        return field->kind == PAWL__FIELD_CHOICE || field->kind == PAWL__FIELD_HASH ||
               field->kind == PAWL__FIELD_UUID;
}

static bool is_kept(pawl_text name)
{
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
                if (pawl__text_is(name, kept[i]))
                        return true;
        return ends_with(name, "_hash") || ends_with(name, "_id") || ends_with(name, "_at");
}

/* A hash or a UUID, parts of which are no value. */
static bool is_digits(pawl_text text)
{
        if (text.len != 64 && text.len != 36)
                return false;
        for (size_t i = 0; i < text.len; i++)
                if (!strchr("0123456789abcdef-", text.data[i]))
                        return false;
        return true;
}

/* Where a payload is read, and how deep it is in a member that is kept. */
typedef struct scan {
        const pawl__mask *mask;
        const pawl_event
                *event; /* whose payload it is; NULL: a document, in which nothing is kept */
        const char *const *own; /* names of a document that are no caller's; NULL: it has none */
        pawl__map names;        /* that were masked, each with its number */
        pawl__arena *arena;
        bool is_id; /* the last name was a call's id, which stays unique */
        pawl__buf *out;
        const char *at, *end;
        size_t depth, kept_depth, params_depth; /* 0: neither is open */
        bool kept_value, params_value;          /* of the last name */
} scan;

/* *masked: the string held a value. */
static pawl_status copy_string(bool *masked, scan *s, pawl_text string)
{
        pawl_text text = string;

        if (pawl__mask_text(&text, s->mask, s->arena))
                return PAWL_ENOMEM;
        if (is_digits(string) && text.len > 3)
                text = string;
        *masked = !pawl__text_eq(text, string);
        return pawl__buf_add_text(s->out, text);
}

/* Two names that are masked, or look so, stay two: the second gets its number. */
static pawl_status copy_name(scan *s, pawl_text name)
{
        uint32_t number;
        bool masked;

        TRY(copy_string(&masked, s, name));
        if (!masked && !memmem(name.data, name.len, "***", 3))
                return PAWL_OK;
        TRY(pawl__map_number(&number, &s->names, name, (uint32_t)s->names.count));
        return number ? pawl__buf_addf(s->out, "-%" PRIu32, number + 1) : PAWL_OK;
}

/* Two ids that are masked stay two: the beginning of a hash follows. */
static pawl_status copy_id(scan *s, pawl_text id)
{
        unsigned char hash[32];
        char hex[65];
        bool masked;

        TRY(copy_string(&masked, s, id));
        if (!masked)
                return PAWL_OK;
        TRY(pawl__sha256(NULL, hash, id.data, id.len, NULL));
        pawl__hex(hex, hash, 32);
        return pawl__buf_addf(s->out, "-%.8s", hex);
}

static bool is_own(const scan *s, pawl_text name)
{
        for (size_t i = 0; s->own && s->own[i] && s->depth <= 3; i++)
                if (pawl__text_is(name, s->own[i]))
                        return true;
        return false;
}

/* A string with its quotes: a name, or a value. */
static pawl_status scan_string(scan *s)
{
        const char *from = ++s->at;

        while (s->at < s->end && *s->at != '"')
                s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
        const pawl_text string = pawl__text_n(from, (size_t)(s->at - from));
        const char *after = s->at + 1;
        while (after < s->end && memchr(" \t\n\r", *after, 4))
                after++;
        const bool is_name = after < s->end && *after == ':';
        const bool as_is = is_name ? s->event || is_own(s, string) : s->kept_depth || s->kept_value;
        bool masked;
        pawl_status status = pawl__buf_addc(s->out, '"');
        if (!status)
                status = as_is      ? pawl__buf_add_text(s->out, string)
                         : is_name  ? copy_name(s, string)
                         : s->is_id ? copy_id(s, string)
                                    : copy_string(&masked, s, string);
        s->is_id = is_name && s->own && s->depth <= 3 && pawl__text_is(string, "callId");
        if (is_name && !s->params_depth &&
                s->event) { /* the names of parameters are a mission's own */
                s->kept_value = is_kept(string) ||
                                (s->depth == 1 && (is_of_form(s->event, string) ||
                                                          is_step_of_run(s->event, string)));
                s->params_value = pawl__text_is(string, "params");
        }
        s->at++;
        return status ? status : pawl__buf_addc(s->out, '"');
}

static pawl_status scan_byte(scan *s)
{
        const char c = *s->at++;

        if (c == '{' || c == '[') {
                s->depth++;
                if (!s->kept_depth && s->kept_value)
                        s->kept_depth = s->depth;
                if (!s->params_depth && s->params_value)
                        s->params_depth = s->depth;
                s->kept_value = s->params_value = false;
        } else if (c == '}' || c == ']') {
                if (s->kept_depth == s->depth)
                        s->kept_depth = 0;
                if (s->params_depth == s->depth)
                        s->params_depth = 0;
                s->depth--;
                s->kept_value = false;
        } else if (c == ',') {
                s->kept_value = false;
        }
        return pawl__buf_addc(s->out, c);
}

static pawl_status mask_json(pawl_text *payload, const pawl_event *event, const char *const *own,
        const pawl__mask *mask, pawl__arena *arena)
{
        pawl__buf out = PAWL__BUF_INIT;
        scan s = {.mask = mask,
                .event = event,
                .own = own,
                .arena = arena,
                .out = &out,
                .at = payload->data};
        bool ok = true;
        pawl_status status = PAWL_OK;

        if (!mask || !mask->n || !payload->len)
                return PAWL_OK;
        s.end = payload->data + payload->len;
        while (s.at < s.end && !status)
                status = *s.at == '"' ? scan_string(&s) : scan_byte(&s);
        if (!status && s.names.count && !own) { /* the order of the names may be another */
                pawl__buf canonical = PAWL__BUF_INIT;
                status = pawl__json_canon(&canonical, out.data, out.len, NULL);
                pawl__buf_free(&out);
                out = canonical;
        }
        if (!status && !pawl__text_eq(pawl__buf_text(&out), *payload)) {
                const pawl_text masked = pawl__arena_text(arena, pawl__buf_text(&out), &ok);
                if (ok)
                        *payload = masked;
        }
        pawl__buf_free(&out);
        pawl__map_free(&s.names);
        return ok ? status : PAWL_ENOMEM;
}

pawl_status pawl__payload_mask(pawl_event *event, const pawl__mask *mask, pawl__arena *arena)
{
        return mask_json(&event->payload, event, NULL, mask, arena);
}

pawl_status pawl__document_mask(pawl_text *document, const pawl__mask *mask, pawl__arena *arena)
{
        return mask_json(document, NULL, NULL, mask, arena);
}

pawl_status pawl__calls_mask(pawl_text *calls, const pawl__mask *mask, pawl__arena *arena)
{
        static const char *const own[] = {"calls", "history", "clientHistory", "commitHash",
                "messageId", "toolCall", "callId", "name", "args", "checkpoint", NULL};

        return mask_json(calls, NULL, own, mask, arena);
}
