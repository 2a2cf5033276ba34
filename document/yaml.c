/* YAML to JSON text through libyaml's events, one after the other: what nests is on a stack of
 * frames with a limit, never on the C stack. */
#include "document/yaml.h"
#include "base/error.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/map.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

/* Members of a mapping that are looked through one by one; a larger one gets a hash table. */
enum { FEW_KEYS = 16 };

/* A stretch of the JSON text. */
struct range {
        size_t start, len;
};

/* A mapping or sequence that is open. */
struct frame {
        bool mapping, after_key;
        uint32_t key_line; /* of the last key */
        size_t first_key;  /* of its names in converter.keys */
        size_t count;      /* members or elements so far */
        pawl__map names;   /* of a large mapping: these names, as JSON strings */
        uint32_t anchor;   /* its own, or PAWL__MAP_NONE */
        unsigned deepest;  /* the depth that was reached inside */
};

/* A value with a name that aliases can repeat: the JSON text that it became, and its lines. */
struct anchor {
        struct range json, lines;
        unsigned height; /* containers nested in it, itself included */
        bool open;       /* its end has not come yet */
};

struct converter {
        const char *text;
        size_t len;
        pawl_error *err;
        pawl__buf json;
        pawl__yaml_line *lines;
        size_t n_lines, cap_lines;
        struct frame frames[PAWL__JSON_DEPTH];
        unsigned depth;
        struct range *keys; /* the names of all open mappings, innermost last */
        size_t n_keys, cap_keys;
        struct anchor *anchors;
        size_t n_anchors, cap_anchors;
        pawl__map anchor_names;
        pawl__arena arena;
        bool had_document;
};

static pawl_status PAWL_PRINTF(4, 5) refuse(const struct converter *c, pawl_status status,
        const yaml_mark_t *at, const char *format, ...)
{
        char what[PAWL_ERROR_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        return pawl__fail(
                c->err, status, "line %zu, column %zu: %s", at->line + 1, at->column + 1, what);
}

static struct frame *top(struct converter *c)
{
        return c->depth ? &c->frames[c->depth - 1] : NULL;
}

static bool wants_key(struct converter *c)
{
        return c->depth && top(c)->mapping && !top(c)->after_key;
}

/* ---- Anchors -------------------------------------------------------------------------------- */

/* From here on the JSON text is the value of this anchor. *index: PAWL__MAP_NONE without a name. */
static pawl_status open_anchor(
        struct converter *c, uint32_t *index, const yaml_char_t *name, size_t line_start)
{
        *index = PAWL__MAP_NONE;
        if (!name)
                return PAWL_OK;
        pawl_text key = pawl__arena_copy(&c->arena, pawl__text((const char *)name));
        if (!key.data || c->n_anchors >= PAWL__MAP_NONE ||
                pawl__grow(&c->anchors, &c->cap_anchors, c->n_anchors + 1, sizeof *c->anchors) ||
                pawl__map_put(&c->anchor_names, key, (uint32_t)c->n_anchors))
                return pawl__nomem(c->err);
        *index = (uint32_t)c->n_anchors++;
        c->anchors[*index] =
                (struct anchor){.json.start = c->json.len, .lines.start = line_start, .open = true};
        return PAWL_OK;
}

static void close_anchor(struct converter *c, uint32_t index, unsigned height)
{
        if (index == PAWL__MAP_NONE)
                return;
        struct anchor *anchor = &c->anchors[index];
        anchor->json.len = c->json.len - anchor->json.start;
        anchor->lines.len = c->n_lines - anchor->lines.start;
        anchor->height = height;
        anchor->open = false;
}

/* ---- Values --------------------------------------------------------------------------------- */

static pawl_status add_line(struct converter *c, const yaml_mark_t *at)
{
        if (pawl__grow(&c->lines, &c->cap_lines, c->n_lines + 1, sizeof *c->lines))
                return pawl__nomem(c->err);
        c->lines[c->n_lines++] =
                (pawl__yaml_line){(uint32_t)(at->line + 1), c->depth ? top(c)->key_line : 0};
        return PAWL_OK;
}

static void before_element(struct converter *c)
{
        struct frame *frame = top(c);

        if (frame && !frame->mapping && frame->count++)
                pawl__buf_addc(&c->json, ',');
}

static void after_value(struct converter *c)
{
        if (c->depth)
                top(c)->after_key = false;
}

static pawl_status repeat(struct converter *c, const yaml_event_t *event)
{
        const char *name = (const char *)event->data.alias.anchor;
        const yaml_mark_t *at = &event->start_mark;
        uint32_t index = pawl__map_get(&c->anchor_names, pawl__text(name));

        if (wants_key(c))
                return refuse(c, PAWL_EPARSE, at,
                        "an alias (*%s) cannot be a key; write the key out", name);
        if (index >= c->n_anchors)
                return refuse(c, PAWL_EPARSE, at,
                        "alias *%s has no anchor before it; put &%s at the value meant", name,
                        name);
        struct anchor anchor = c->anchors[index];
        if (anchor.open)
                return refuse(c, PAWL_EPARSE, at,
                        "alias *%s is inside its own value; write the value out", name);
        if (c->depth + anchor.height > PAWL__JSON_DEPTH)
                return refuse(c, PAWL_EPARSE, at,
                        "alias *%s makes the nesting deeper than %d; nest less", name,
                        PAWL__JSON_DEPTH);
        if (anchor.json.len + c->json.len > PAWL__DOCUMENT_MAX)
                return refuse(c, PAWL_ETOOBIG, at,
                        "alias *%s makes the text longer than 64 MiB; repeat less", name);
        before_element(c);
        /* The range lies in the buffer that it is added to: make room before taking its address. */
        if (pawl__buf_reserve(&c->json, anchor.json.len) ||
                pawl__buf_add(&c->json, c->json.data + anchor.json.start, anchor.json.len) ||
                pawl__grow(
                        &c->lines, &c->cap_lines, c->n_lines + anchor.lines.len, sizeof *c->lines))
                return pawl__nomem(c->err);
        memcpy(c->lines + c->n_lines, c->lines + anchor.lines.start,
                anchor.lines.len * sizeof *c->lines);
        if (anchor.lines.len && c->depth)
                c->lines[c->n_lines].key = top(c)->key_line;
        c->n_lines += anchor.lines.len;
        if (anchor.lines.len == 0 &&
                add_line(c, at)) /* the anchor was a key's, which is no value */
                return PAWL_ENOMEM;
        if (c->depth && top(c)->deepest < c->depth + anchor.height)
                top(c)->deepest = c->depth + anchor.height;
        after_value(c);
        return PAWL_OK;
}

static pawl_status refuse_tag(
        const struct converter *c, const yaml_event_t *event, const yaml_char_t *tag)
{
        return refuse(c, PAWL_EPARSE, &event->start_mark,
                "tag %.100s does not fit this value; remove the tag", (const char *)tag);
}

static pawl_text range_text(const struct converter *c, struct range range)
{
        return (pawl_text){c->json.data + range.start, range.len};
}

static pawl_status remember_name(struct converter *c, pawl_text name)
{
        pawl_text copy = pawl__arena_copy(&c->arena, name);

        return copy.data ? pawl__map_put(&top(c)->names, copy, 0) : PAWL_ENOMEM;
}

/* Is this name in the innermost mapping already? It is kept there if not. */
static pawl_status add_name(struct converter *c, bool *twice, struct range name)
{
        struct frame *frame = top(c);
        pawl_text text = range_text(c, name);

        *twice = false;
        if (frame->names.count) {
                *twice = pawl__map_get(&frame->names, text) != PAWL__MAP_NONE;
                return *twice ? PAWL_OK : remember_name(c, text);
        }
        for (size_t i = frame->first_key; i < c->n_keys && !*twice; i++)
                *twice = pawl__text_eq(range_text(c, c->keys[i]), text);
        if (*twice)
                return PAWL_OK;
        if (pawl__grow(&c->keys, &c->cap_keys, c->n_keys + 1, sizeof *c->keys))
                return PAWL_ENOMEM;
        c->keys[c->n_keys++] = name;
        if (c->n_keys - frame->first_key <= FEW_KEYS)
                return PAWL_OK;
        pawl_status status = PAWL_OK;
        for (size_t i = frame->first_key; i < c->n_keys && !status; i++)
                status = remember_name(c, range_text(c, c->keys[i]));
        return status;
}

pawl_text pawl__yaml_shown_key(pawl_text key)
{
        static const char plain[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";

        for (size_t i = 0; i < key.len; i++)
                if (!memchr(plain, key.data[i], sizeof plain - 1) || i >= 64)
                        return pawl__text("(not a name)");
        return key;
}

static pawl_status add_key(
        struct converter *c, const yaml_event_t *event, pawl_text value, pawl__yaml_kind kind)
{
        const yaml_mark_t *at = &event->start_mark;
        const pawl_text shown = pawl__yaml_shown_key(value);
        struct frame *frame = top(c);
        bool twice;

        if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && pawl__text_is(value, "<<"))
                return refuse(c, PAWL_EPARSE, at,
                        "merge keys (<<) are not read; write the members out, or quote \"<<\"");
        if (kind != PAWL__YAML_STRING)
                return refuse(c, PAWL_EPARSE, at, "key %.*s is not a string; quote it: \"%.*s\"",
                        PAWL__FMT(value), PAWL__FMT(value));
        if (frame->count++)
                pawl__buf_addc(&c->json, ',');
        frame->key_line = (uint32_t)(at->line + 1);
        struct range name = {c->json.len, 0};
        uint32_t anchor;

        TRY(open_anchor(c, &anchor, event->data.scalar.anchor, c->n_lines));
        if (pawl__json_quote(&c->json, value))
                return pawl__nomem(c->err);
        name.len = c->json.len - name.start;
        close_anchor(c, anchor, 0);
        if (add_name(c, &twice, name))
                return pawl__nomem(c->err);
        if (twice)
                return refuse(c, PAWL_EPARSE, at,
                        "key \"%.*s\" is there twice in this mapping; remove one",
                        PAWL__FMT(shown));
        frame->after_key = true;
        pawl__buf_addc(&c->json, ':');
        return PAWL_OK;
}

static pawl_status add_scalar(struct converter *c, const yaml_event_t *event)
{
        pawl_text value = {(const char *)event->data.scalar.value, event->data.scalar.length};
        const yaml_char_t *tag = event->data.scalar.tag;
        bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        pawl__yaml_kind kind;
        uint32_t anchor;
        pawl_status status;

        if (!pawl__yaml_kind_of(&kind, value, plain, (const char *)tag))
                return refuse_tag(c, event, tag);
        if (wants_key(c))
                return add_key(c, event, value, kind);
        if (kind == PAWL__YAML_NOT_FINITE)
                return refuse(c, PAWL_EPARSE, &event->start_mark,
                        "JSON has no number %.*s; quote it", PAWL__FMT(value));
        before_element(c);
        status = open_anchor(c, &anchor, event->data.scalar.anchor, c->n_lines);
        if (!status)
                status = add_line(c, &event->start_mark);
        if (status)
                return status;
        size_t start = c->json.len;
        status = kind == PAWL__YAML_STRING ? pawl__json_quote(&c->json, value)
                                           : pawl__yaml_literal(&c->json, kind, value);
        if (status == PAWL_EPARSE)
                return refuse(c, status, &event->start_mark,
                        "number %.*s is out of range; quote it to keep it as a string",
                        (int)(value.len > 40 ? 40 : value.len), value.data);
        if (status)
                return pawl__nomem(c->err);
        if (kind != PAWL__YAML_STRING &&
                !pawl__text_eq(value, (pawl_text){c->json.data + start, c->json.len - start}))
                c->lines[c->n_lines - 1].value |= PAWL__YAML_REWRITTEN;
        close_anchor(c, anchor, 0);
        after_value(c);
        return PAWL_OK;
}

static pawl_status open_container(struct converter *c, const yaml_event_t *event, bool mapping)
{
        const yaml_mark_t *at = &event->start_mark;
        const yaml_char_t *tag =
                mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
        const yaml_char_t *name =
                mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
        uint32_t anchor;

        if (wants_key(c))
                return refuse(
                        c, PAWL_EPARSE, at, "a mapping or a list cannot be a key; use a string");
        if (tag && strcmp((const char *)tag, mapping ? YAML_MAP_TAG : YAML_SEQ_TAG) != 0)
                return refuse_tag(c, event, tag);
        if (c->depth == PAWL__JSON_DEPTH)
                return refuse(c, PAWL_EPARSE, at, "is nested deeper than %d; nest less",
                        PAWL__JSON_DEPTH);
        before_element(c);
        TRY(open_anchor(c, &anchor, name, c->n_lines));
        TRY(add_line(c, at));
        pawl__buf_addc(&c->json, mapping ? '{' : '[');
        c->frames[c->depth++] = (struct frame){.mapping = mapping,
                .first_key = c->n_keys,
                .anchor = anchor,
                .deepest = c->depth + 1};
        return PAWL_OK;
}

static void close_container(struct converter *c)
{
        struct frame *frame = top(c);
        unsigned deepest = frame->deepest;

        pawl__buf_addc(&c->json, frame->mapping ? '}' : ']');
        close_anchor(c, frame->anchor, deepest - c->depth + 1);
        pawl__map_free(&frame->names);
        c->n_keys = frame->first_key;
        c->depth--;
        if (c->depth && top(c)->deepest < deepest)
                top(c)->deepest = deepest;
        after_value(c);
}

static pawl_status take(struct converter *c, const yaml_event_t *event)
{
        switch (event->type) {
        case YAML_DOCUMENT_START_EVENT:
                if (c->had_document)
                        return refuse(c, PAWL_EPARSE, &event->start_mark,
                                "a second document starts here; keep one to a file");
                c->had_document = true;
                return PAWL_OK;
        case YAML_ALIAS_EVENT:
                return repeat(c, event);
        case YAML_SCALAR_EVENT:
                return add_scalar(c, event);
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
                return open_container(c, event, event->type == YAML_MAPPING_START_EVENT);
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
                close_container(c);
                return PAWL_OK;
        default:
                return PAWL_OK;
        }
}

/* ---- The parser ----------------------------------------------------------------------------- */

static pawl_status parser_failure(const struct converter *c, const yaml_parser_t *parser)
{
        const char *problem = parser->problem ? parser->problem : "is not YAML";

        if (parser->error == YAML_MEMORY_ERROR)
                return pawl__nomem(c->err);
        if (parser->error == YAML_READER_ERROR) { /* the text is valid UTF-8: it was checked */
                char what[PAWL_ERROR_MAX];
                snprintf(what, sizeof what, "%s; take them out, or write escapes in double quotes",
                        problem);
                return pawl__json_fail_at(c->text, c->len, parser->problem_offset, c->err, what);
        }
        if (parser->context)
                return refuse(c, PAWL_EPARSE, &parser->problem_mark,
                        "%s %s (line %zu); fix the YAML there", problem, parser->context,
                        parser->context_mark.line + 1);
        return refuse(c, PAWL_EPARSE, &parser->problem_mark, "%s; fix the YAML there", problem);
}

static pawl_status convert(struct converter *c)
{
        yaml_parser_t parser;
        yaml_event_t event;
        pawl_status status = pawl__yaml_check_text(c->text, c->len, c->err);

        if (status)
                return status;
        if (!yaml_parser_initialize(&parser))
                return pawl__nomem(c->err);
        yaml_parser_set_input_string(&parser, (const unsigned char *)c->text, c->len);
        for (bool end = false; !status && !end;) {
                if (!yaml_parser_parse(&parser, &event)) {
                        status = parser_failure(c, &parser);
                        break;
                }
                status = take(c, &event);
                end = event.type == YAML_STREAM_END_EVENT;
                yaml_event_delete(&event);
        }
        yaml_parser_delete(&parser);
        if (!status &&
                !c->had_document) { /* nothing at all, or comments: null, on the first line */
                status = add_line(c, &(yaml_mark_t){0, 0, 0});
                pawl__buf_adds(&c->json, "null");
        }
        return c->json.failed ? pawl__nomem(c->err) : status; /* whatever followed from that */
}

pawl_status pawl__yaml_to_json(pawl__buf *json, pawl__yaml_line **lines, size_t *n_lines,
        const char *text, size_t len, pawl_error *err)
{
        struct converter *c = calloc(1, sizeof *c); /* frames and all, some 45 KiB */

        if (!c)
                return pawl__nomem(err);
        c->text = text;
        c->len = len;
        c->err = err;
        pawl_status status = convert(c);
        if (!status && json->len == 0) {
                pawl__buf_free(json);
                *json = c->json;
                c->json = (pawl__buf)PAWL__BUF_INIT;
        } else if (!status && pawl__buf_add(json, c->json.data, c->json.len)) {
                status = pawl__nomem(err);
        }
        if (!status) {
                *lines = c->lines;
                *n_lines = c->n_lines;
                c->lines = NULL;
        }
        for (unsigned i = 0; i < c->depth; i++)
                pawl__map_free(&c->frames[i].names);
        pawl__buf_free(&c->json);
        free(c->lines);
        free(c->keys);
        free(c->anchors);
        pawl__map_free(&c->anchor_names);
        pawl__arena_free(&c->arena);
        free(c);
        return status;
}
