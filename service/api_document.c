/* The OpenAPI document: the paths from the tables of routes, the rest from service/openapi.json. */
#include "api_document.h" /* by cmake/embed.cmake */
#include "service/api.h"
#include "service/api_schema.h"
#include "service/site.h"
#include <stdio.h>

typedef struct embedded {
        const char *name, *content_type;
        const unsigned char *data;
        size_t len;
        const char *etag;
} embedded;

static const embedded documents[] = {EMBED_API_DOCUMENT};

static bool posts(const service_route *route)
{
        return strcmp(route->method, "POST") == 0;
}

/* ---- Schemas ----------------------------------------------------------------------------- */

static void write_type(pawl__json_writer *w, const char *type)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", type);
}

static void write_bound(pawl__json_writer *w, const char *name, uint64_t value)
{
        if (value)
                pawl__json_member_integer(w, name, (int64_t)value);
}

/* The members of a field's schema; the object is the caller's. */
static void write_field(pawl__json_writer *w, const service_field *f, bool body)
{
        switch (f->type) {
        case SERVICE_NUMBER:
                pawl__json_member_string(w, "type", "integer");
                pawl__json_member_integer(w, "minimum", (int64_t)f->least);
                write_bound(w, "maximum", f->most);
                write_bound(w, "default", f->preset);
                break;
        case SERVICE_FLAG:
                pawl__json_member_string(w, "type", body ? "boolean" : "string");
                if (!body)
                        service_schema_values(w, pawl__text("0 1"), ' ', false);
                break;
        case SERVICE_TEXTS:
                pawl__json_member_string(w, "type", "array");
                pawl__json_member_raw(w, "items", pawl__text("{\"type\":\"string\"}"));
                break;
        case SERVICE_HASH:
                pawl__json_member_string(w, "type", "string");
                pawl__json_member_string(w, "pattern", "^[0-9a-f]{64}$");
                break;
        default:
                pawl__json_member_string(w, "type", "string");
                write_bound(w, "minLength", f->least);
                write_bound(w, "maxLength", f->most);
                if (f->values)
                        service_schema_values(w, pawl__text(f->values), ' ', false);
        }
}

/* ---- What an operation takes ------------------------------------------------------------- */

static void write_parameter(pawl__json_writer *w, const service_field *f, const char *in)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "name", f->name);
        pawl__json_member_string(w, "in", in);
        if (strcmp(in, "path") == 0)
                pawl__json_member_bool(w, "required", true);
        pawl__json_member_string(w, "description", f->about);
        pawl__json_name(w, "schema");
        pawl__json_open_object(w);
        write_field(w, f, false);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

static void write_path_parameters(pawl__json_writer *w, const char *path)
{
        static const service_field known[] = {
                {.name = "run_id", .least = 1, .about = "A run's id."},
                {.name = "step_id", .least = 1, .about = "A step's id."},
                {.name = "seq", .type = SERVICE_NUMBER, .least = 1, .about = "Its seq."},
                {.name = "conflict_id",
                        .least = 1,
                        .about = "A conflict's id, or its first digits, four or more."},
                {.name = "session_id", .least = 1, .about = "A session's id."},
                {.name = "n",
                        .least = 1,
                        .about =
                                "A checkpoint's number, its id, \"current\", or \"@STEP\": the newest "
                                "of that step."},
        };

        for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{')) {
                const pawl_text name = pawl__text_n(at + 1, strcspn(at + 1, "}"));
                for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                        if (pawl__text_is(name, known[i].name))
                                write_parameter(w, &known[i], "path");
        }
}

static void write_parameters(pawl__json_writer *w, const service_route *route)
{
        const service_field *f = posts(route) ? NULL : route->fields;

        if (!f && !strchr(route->path, '{'))
                return;
        pawl__json_name(w, "parameters");
        pawl__json_open_array(w);
        write_path_parameters(w, route->path);
        for (; f && f->name; f++)
                write_parameter(w, f, f->header ? "header" : "query");
        pawl__json_close_array(w);
}

static void write_required(pawl__json_writer *w, const char *name)
{
        pawl__json_name(w, "required");
        pawl__json_open_array(w);
        pawl__json_string(w, name);
        pawl__json_close_array(w);
}

/* The object that the fields make. */
static void write_members(pawl__json_writer *w, const service_route *route)
{
        const char *const *names = route->operation->one_of;

        write_type(w, "object");
        pawl__json_member_bool(w, "additionalProperties", false);
        pawl__json_name(w, "properties");
        pawl__json_open_object(w);
        for (const service_field *f = route->fields; f->name; f++) {
                pawl__json_name(w, f->name);
                pawl__json_open_object(w);
                write_field(w, f, true);
                pawl__json_member_string(w, "description", f->about);
                pawl__json_close_object(w);
        }
        pawl__json_close_object(w);
        if (route->fields[0].required)
                write_required(w, route->fields[0].name);
        if (names[0]) {
                pawl__json_name(w, "oneOf");
                pawl__json_open_array(w);
                for (size_t i = 0; i < 2; i++) {
                        pawl__json_open_object(w);
                        write_required(w, names[i]);
                        pawl__json_close_object(w);
                }
                pawl__json_close_array(w);
        }
        pawl__json_close_object(w);
}

/* "content": one type, and its schema */
static void open_content(pawl__json_writer *w, const char *type)
{
        char bare[40];

        snprintf(bare, sizeof bare, "%.*s", (int)strcspn(type, ";"), type);
        pawl__json_name(w, "content");
        pawl__json_open_object(w);
        pawl__json_name(w, bare);
        pawl__json_open_object(w);
        pawl__json_name(w, "schema");
}

static void close_content(pawl__json_writer *w)
{
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

static void write_body(pawl__json_writer *w, const service_route *route)
{
        if (!posts(route))
                return;
        pawl__json_name(w, "requestBody");
        pawl__json_open_object(w);
        pawl__json_member_bool(w, "required", true);
        open_content(w, SERVICE_JSON);
        write_members(w, route);
        close_content(w);
        pawl__json_close_object(w);
}

/* ---- What it answers --------------------------------------------------------------------- */

static void write_response(pawl__json_writer *w, const char *status, const char *about,
        const service_operation *operation)
{
        pawl__json_name(w, status);
        pawl__json_open_object(w);
        pawl__json_member_string(w, "description", about);
        open_content(w, operation->type ? operation->type : SERVICE_JSON);
        if (operation->type) {
                write_type(w, "string");
                pawl__json_close_object(w);
        } else {
                service_schema_write(
                        w, pawl__text(operation->answer ? operation->answer : "object"));
        }
        close_content(w);
        pawl__json_close_object(w);
}

/* May the route answer with this status of HTTP? */
static bool may_fail(const service_route *route, unsigned status)
{
        switch (status) {
        case 404:
                return strchr(route->path, '{') || route->traits & SERVICE_WORKSPACE ||
                       posts(route);
        case 409:
                return route->traits & (SERVICE_CHANGES | SERVICE_WORKSPACE | SERVICE_STREAM);
        case 413:
                return posts(route);
        case 507:
                return route->traits & SERVICE_CHANGES;
        default:
                return !(route->traits & SERVICE_OPEN);
        }
}

static void write_responses(pawl__json_writer *w, const service_route *route)
{
        static const unsigned failures[] = {400, 401, 403, 404, 409, 413, 421, 500, 503, 507};

        pawl__json_name(w, "responses");
        pawl__json_open_object(w);
        write_response(w, "200", "Done.", route->operation);
        if (route->operation->failing)
                write_response(w, "503", route->operation->failing, route->operation);
        for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
                char name[8];
                if (!may_fail(route, failures[i]))
                        continue;
                snprintf(name, sizeof name, "E%u", failures[i]);
                pawl__json_name(w, name + 1);
                service_schema_reference(w, "responses", pawl__text(name));
        }
        pawl__json_name(w, "default");
        service_schema_reference(w, "responses", pawl__text("Failure"));
        pawl__json_close_object(w);
}

static void write_operation(pawl__json_writer *w, const service_route *route)
{
        const service_operation *operation = route->operation;

        pawl__json_name(w, posts(route) ? "post" : "get");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "operationId", operation->id);
        pawl__json_member_string(w, "summary", operation->summary);
        if (operation->description)
                pawl__json_member_string(w, "description", operation->description);
        pawl__json_name(w, "tags");
        pawl__json_open_array(w);
        pawl__json_string(w, operation->tag);
        pawl__json_close_array(w);
        if (route->traits & SERVICE_OPEN) {
                pawl__json_name(w, "security");
                pawl__json_open_array(w);
                pawl__json_close_array(w);
        }
        write_parameters(w, route);
        write_body(w, route);
        write_responses(w, route);
        pawl__json_close_object(w);
}

/* ---- The whole --------------------------------------------------------------------------- */

static void write_paths(pawl__json_writer *w, const service_route *const *tables)
{
        pawl__json_open_object(w);
        for (; *tables; tables++)
                for (const service_route *route = *tables; route->method; route++) {
                        if (!route->operation)
                                continue;
                        pawl__json_name(w, route->path);
                        pawl__json_open_object(w);
                        write_operation(w, route);
                        while (route[1].path && strcmp(route[1].path, route->path) == 0)
                                write_operation(w, ++route);
                        pawl__json_close_object(w);
                }
        pawl__json_close_object(w);
}

pawl_status service_api_document_write(pawl__buf *out, const service_route *const *tables)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(
                &tree, (const char *)documents[0].data, documents[0].len, NULL);

        pawl__json_open_object(&w);
        if (!status)
                service_schema_document(&w, &tree);
        pawl__json_name(&w, "paths");
        write_paths(&w, tables);
        pawl__json_close_object(&w);
        if (!status)
                status = pawl__json_end_writer(&w);
        if (!status) {
                *out = w.buf;
                w.buf = (pawl__buf)PAWL__BUF_INIT;
        }
        pawl__json_writer_free(&w);
        pawl__json_tree_free(&tree);
        return status;
}

void service_api_document(service_answer *answer, service_call *call)
{
        pawl__buf out = PAWL__BUF_INIT;

        if (service_api_document_write(&out, call->site->tables))
                service_answer_refuse(answer, 500, PAWL_ENOMEM, "out of memory");
        else
                service_answer_body(answer, 200, SERVICE_JSON, &out);
        pawl__buf_free(&out);
}
