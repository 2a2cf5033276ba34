/* Masking an event's payload: the strings that people and programs wrote, not those that Pawl
 * reads. */
#include "events/mask.h"
#include "base/text.h"
#include "events/types.h"

/* Members whose strings have a meaning to Pawl, and all that is within them. Names that end in
 * _hash, _id or _at are such, too. A value as short as one of their words would make the event
 * unreadable. */
static const char *const kept[] = {"actor_type", "change", "changes", "channel", "checkpoint_ns",
        "conflict_type", "confirmed_by", "cursor", "decisions", "document", "effective_strictness",
        "exclude", "extraction_method", "file", "forked_from", "git", "hash", "history", "id",
        "input_hash_alg", "invalidated", "kind", "layer", "mission_document", "mission_file",
        "mission_path", "name", "normal", "origin", "original", "outcome", "overall_severity",
        "owner", "phase", "pruned", "recommended_action", "rerun", "resolution_mode", "restored",
        "resumed_from", "retry_token", "revalidated", "root", "run_status", "scope", "scope_refs",
        "section", "severity", "signature", "source_step", "status", "steps", "steps_running",
        "strictness", "strictness_mode", "surface", "task_path", "term", "term_surface",
        "timestamp", "to", "tool", "tree", "trigger", "type", "update_type", "urgency"};

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
        pawl__buf *out;
        const char *at, *end;
        size_t depth, kept_depth, params_depth; /* 0: neither is open */
        bool kept_value, params_value;          /* of the last name */
} scan;

static pawl_status copy_string(scan *s, pawl_text string)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = pawl__buf_add(&text, string.data, string.len);

        if (!status)
                pawl__mask_buf(s->mask, &text);
        if (!status)
                status = is_digits(string) && text.len > 3
                                 ? pawl__buf_add(s->out, string.data, string.len)
                                 : pawl__buf_add(s->out, text.data, text.len);
        pawl__buf_free(&text);
        return status;
}

/* A string with its quotes: a name, or a value. */
static pawl_status scan_string(scan *s)
{
        const char *from = ++s->at;

        while (s->at < s->end && *s->at != '"')
                s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
        const pawl_text string = pawl__text_n(from, (size_t)(s->at - from));
        const bool is_name = s->at + 1 < s->end && s->at[1] == ':';
        pawl_status status = pawl__buf_addc(s->out, '"');
        if (!status)
                status = is_name || s->kept_depth || s->kept_value
                                 ? pawl__buf_add(s->out, string.data, string.len)
                                 : copy_string(s, string);
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

static pawl_status mask_json(
        pawl_text *payload, const pawl_event *event, const pawl__mask *mask, pawl__arena *arena)
{
        pawl__buf out = PAWL__BUF_INIT;
        scan s = {.mask = mask, .event = event, .out = &out, .at = payload->data};
        bool ok = true;
        pawl_status status = PAWL_OK;

        if (!mask || !mask->n || !payload->len)
                return PAWL_OK;
        s.end = payload->data + payload->len;
        while (s.at < s.end && !status)
                status = *s.at == '"' ? scan_string(&s) : scan_byte(&s);
        if (!status && !pawl__text_eq(pawl__buf_text(&out), *payload)) {
                const pawl_text masked = pawl__arena_text(arena, pawl__buf_text(&out), &ok);
                if (ok)
                        *payload = masked;
        }
        pawl__buf_free(&out);
        return ok ? status : PAWL_ENOMEM;
}

pawl_status pawl__payload_mask(pawl_event *event, const pawl__mask *mask, pawl__arena *arena)
{
        return mask_json(&event->payload, event, mask, arena);
}

pawl_status pawl__document_mask(pawl_text *document, const pawl__mask *mask, pawl__arena *arena)
{
        return mask_json(document, NULL, mask, arena);
}
