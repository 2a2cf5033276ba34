#include "service/api_schema.h"
#include "base/error.h"
#include <stdio.h>

static void write_name(pawl__json_writer *w, pawl_text name)
{
        char copy[64];

        snprintf(copy, sizeof copy, "%.*s", PAWL__FMT(name));
        pawl__json_name(w, copy);
}

/* Cut the end off, if the text has it. */
static bool cut(pawl_text *text, const char *end)
{
        const size_t len = strlen(end);

        if (text->len < len || memcmp(text->data + text->len - len, end, len) != 0)
                return false;
        text->len -= len;
        return true;
}

static void write_reference(pawl__json_writer *w, const char *to, pawl_text name)
{
        char path[80];

        snprintf(path, sizeof path, "#/components/%s/%.*s", to, PAWL__FMT(name));
        pawl__json_member_string(w, "$ref", path);
}

void service_schema_reference(pawl__json_writer *w, const char *to, pawl_text name)
{
        pawl__json_open_object(w);
        write_reference(w, to, name);
        pawl__json_close_object(w);
}

void service_schema_values(pawl__json_writer *w, pawl_text values, char separator, bool null)
{
        const char *at = values.data, *const end = at + values.len;

        pawl__json_name(w, "enum");
        pawl__json_open_array(w);
        while (at < end) {
                const char *next = memchr(at, separator, (size_t)(end - at));
                const size_t len = (size_t)((next ? next : end) - at);
                pawl__json_text(w, pawl__text_n(at, len));
                at += len + 1;
        }
        if (null)
                pawl__json_null(w);
        pawl__json_close_array(w);
}

/* ---- One type ---------------------------------------------------------------------------- */

static void write_type(pawl__json_writer *w, pawl_text type, bool null)
{
        pawl__json_name(w, "type");
        if (null)
                pawl__json_open_array(w);
        pawl__json_text(w, type);
        if (null) {
                pawl__json_string(w, "null");
                pawl__json_close_array(w);
        }
}

/* A type with a name of its own: what it is, and the other members of its schema. */
static bool write_known(pawl__json_writer *w, pawl_text name, bool null)
{
        static const struct known {
                const char *name, *type, *member, *value;
        } known[] = {
                {"count", "integer", "minimum", "0"},
                {"seq", "integer", "minimum", "1"},
                {"hash", "string", "pattern", "\"^[0-9a-f]{64}$\""},
                {"status", "string", "pattern", "\"^PAWL_[A-Z]+$\""},
                {"time", "string", "pattern",
                        "\"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\\\.[0-9]{6}Z$\""},
        };

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
                if (!pawl__text_is(name, known[i].name))
                        continue;
                write_type(w, pawl__text(known[i].type), null);
                pawl__json_member_raw(w, known[i].member, pawl__text(known[i].value));
                if (pawl__text_is(name, "time"))
                        pawl__json_member_string(w, "format", "date-time");
                return true;
        }
        return false;
}

static void write_reference_or_null(pawl__json_writer *w, pawl_text name)
{
        pawl__json_name(w, "anyOf");
        pawl__json_open_array(w);
        service_schema_reference(w, "schemas", name);
        pawl__json_raw(w, pawl__text("{\"type\":\"null\"}"));
        pawl__json_close_array(w);
}

/* The members of a schema, whose object is open. */
static void write_members(pawl__json_writer *w, pawl_text type)
{
        const bool null = cut(&type, "|null");

        if (cut(&type, "[]")) {
                write_type(w, pawl__text("array"), null);
                pawl__json_name(w, "items");
                service_schema_write(w, type);
        } else if (type.data[0] >= 'A' && type.data[0] <= 'Z') {
                if (null)
                        write_reference_or_null(w, type);
                else
                        write_reference(w, "schemas", type);
        } else if (memchr(type.data, ',', type.len)) {
                write_type(w, pawl__text("string"), null);
                service_schema_values(w, type, ',', null);
        } else if (!write_known(w, type, null) && !pawl__text_is(type, "any")) {
                write_type(w, type, null);
        }
}

void service_schema_write(pawl__json_writer *w, pawl_text type)
{
        pawl__json_open_object(w);
        write_members(w, type);
        pawl__json_close_object(w);
}

/* ---- Objects ----------------------------------------------------------------------------- */

/* "TYPE: DESCRIPTION" */
static void write_member(pawl__json_writer *w, pawl_text text)
{
        const char *colon = memmem(text.data, text.len, ": ", 2);
        const size_t len = colon ? (size_t)(colon - text.data) : text.len;

        pawl__json_open_object(w);
        write_members(w, pawl__text_n(text.data, len));
        if (colon)
                pawl__json_member_text(
                        w, "description", pawl__text_n(colon + 2, text.len - len - 2));
        pawl__json_close_object(w);
}

static void write_properties(pawl__json_writer *w, const pawl__json_tree *file, pawl__node schema)
{
        pawl__json_name(w, "properties");
        pawl__json_open_object(w);
        for (pawl__node n = pawl__json_first(file, schema); n != PAWL__NO_NODE;
                n = pawl__json_after(file, schema, n)) {
                pawl_text name = pawl__json_at(file, n)->name;
                if (name.data[0] == '$')
                        continue;
                cut(&name, "?");
                write_name(w, name);
                write_member(w, pawl__json_at(file, n)->value);
        }
        pawl__json_close_object(w);
        pawl__json_name(w, "required");
        pawl__json_open_array(w);
        for (pawl__node n = pawl__json_first(file, schema); n != PAWL__NO_NODE;
                n = pawl__json_after(file, schema, n)) {
                pawl_text name = pawl__json_at(file, n)->name;
                if (name.data[0] != '$' && !cut(&name, "?"))
                        pawl__json_text(w, name);
        }
        pawl__json_close_array(w);
}

static void write_object(pawl__json_writer *w, const pawl__json_tree *file, pawl__node schema)
{
        const pawl_text about = pawl__json_get_text(file, schema, "$description");
        const pawl_text base = pawl__json_get_text(file, schema, "$extends");
        const pawl__node example = pawl__json_get(file, schema, "$example");

        pawl__json_open_object(w);
        if (base.data) {
                pawl__json_name(w, "allOf");
                pawl__json_open_array(w);
                service_schema_reference(w, "schemas", base);
                pawl__json_open_object(w);
        }
        write_type(w, pawl__text("object"), false);
        if (about.data)
                pawl__json_member_text(w, "description", about);
        write_properties(w, file, schema);
        pawl__json_member_bool(w, "additionalProperties", true);
        if (base.data) {
                pawl__json_close_object(w);
                pawl__json_close_array(w);
        }
        if (example != PAWL__NO_NODE)
                pawl__json_member_raw(w, "example", pawl__json_at(file, example)->value);
        pawl__json_close_object(w);
}

/* ---- The file ---------------------------------------------------------------------------- */

static void write_header(pawl__json_writer *w, const char *name, const char *schema)
{
        pawl__json_name(w, "headers");
        pawl__json_open_object(w);
        pawl__json_name(w, name);
        pawl__json_open_object(w);
        pawl__json_name(w, "schema");
        service_schema_write(w, pawl__text(schema));
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

/* A failure: "E404": "DESCRIPTION" */
static void write_response(pawl__json_writer *w, const pawl__json_node *node)
{
        pawl__json_open_object(w);
        pawl__json_member_text(w, "description", node->value);
        pawl__json_member_raw(w, "content",
                pawl__text("{\"application/json\":{\"schema\":{\"$ref\":"
                           "\"#/components/schemas/Error\"}}}"));
        if (pawl__text_is(node->name, "E401"))
                write_header(w, "WWW-Authenticate", "string");
        if (pawl__text_is(node->name, "E503"))
                write_header(w, "Retry-After", "count");
        pawl__json_close_object(w);
}

static void write_node(pawl__json_writer *w, const pawl__json_node *node)
{
        if (node->type == PAWL__JSON_STRING)
                pawl__json_text(w, node->value);
        else
                pawl__json_raw(w, node->value);
}

static void write_components(
        pawl__json_writer *w, const pawl__json_tree *file, pawl__node components)
{
        pawl__json_open_object(w);
        for (pawl__node n = pawl__json_first(file, components); n != PAWL__NO_NODE;
                n = pawl__json_after(file, components, n)) {
                const pawl_text kind = pawl__json_at(file, n)->name;
                write_name(w, kind);
                pawl__json_open_object(w);
                for (pawl__node i = pawl__json_first(file, n); i != PAWL__NO_NODE;
                        i = pawl__json_after(file, n, i)) {
                        write_name(w, pawl__json_at(file, i)->name);
                        if (pawl__text_is(kind, "schemas"))
                                write_object(w, file, i);
                        else if (pawl__text_is(kind, "responses"))
                                write_response(w, pawl__json_at(file, i));
                        else
                                write_node(w, pawl__json_at(file, i));
                }
                pawl__json_close_object(w);
        }
        pawl__json_close_object(w);
}

void service_schema_document(pawl__json_writer *w, const pawl__json_tree *file)
{
        for (pawl__node n = pawl__json_first(file, 0); n != PAWL__NO_NODE;
                n = pawl__json_after(file, 0, n)) {
                write_name(w, pawl__json_at(file, n)->name);
                if (pawl__text_is(pawl__json_at(file, n)->name, "components"))
                        write_components(w, file, n);
                else
                        write_node(w, pawl__json_at(file, n));
        }
}
