/*
 * The OpenAPI document: the paths from the tables of routes, the rest from service/openapi.json.
 *
 * There, a schema is its members, each "TYPE" or "TYPE: DESCRIPTION"; "?" after a member's name
 * means that it may be missing, and "$description", "$example" and "$extends" are about the object.
 * A TYPE is string, integer, number, boolean, object, any; count (from 0), seq (from 1), hash, time
 * or status; the name of a schema ("Run"); or the values of an enumeration ("open,resolved"). "[]"
 * after it means an array, "|null" that null is possible.
 */
#include "api_document.h" /* by cmake/embed.cmake */
#include "base/error.h"
#include "service/site.h"
#include <inttypes.h>
#include <stdarg.h>

static const struct {
        const char *name, *content_type;
        const unsigned char *data;
        size_t len;
        const char *etag;
} documents[] = {EMBED_API_DOCUMENT};

/* Append JSON: ' is a quotation mark, %q a string and %t a text, both quoted, %r a text as it is,
 * %u a number. A comma at the beginning is left out where nothing is before it. */
static void put(pawl__buf *out, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        if (*format == ',' && out->len && strchr("{[", out->data[out->len - 1]))
                format++;
        for (; *format; format++) {
                if (*format != '%')
                        pawl__buf_addc(out, *format == '\'' ? '"' : *format);
                else if (*++format == 'q')
                        pawl__json_quote(out, pawl__text(va_arg(args, const char *)));
                else if (*format == 't')
                        pawl__json_quote(out, va_arg(args, pawl_text));
                else if (*format == 'r')
                        pawl__buf_add_text(out, va_arg(args, pawl_text));
                else
                        pawl__buf_addf(out, "%" PRIu64, va_arg(args, uint64_t));
        }
        va_end(args);
}

/* ---- Schemas of answers ---------------------------------------------------------------------- */

/* Cut the end off, if the text has it. */
static bool cut(pawl_text *text, const char *end)
{
        const size_t len = strlen(end);

        if (text->len < len || memcmp(text->data + text->len - len, end, len) != 0)
                return false;
        text->len -= len;
        return true;
}

static void put_enum(pawl__buf *out, pawl_text values, char separator, bool null)
{
        const char *at = values.data, *const end = at + values.len;

        put(out, ",'enum':[");
        while (at < end) {
                const char *next = memchr(at, separator, (size_t)(end - at));
                const size_t len = (size_t)((next ? next : end) - at);
                put(out, ",%t", pawl__text_n(at, len));
                at += len + 1;
        }
        put(out, null ? ",null]" : "]");
}

/* The members of a TYPE's schema. */
static void put_type(pawl__buf *out, pawl_text type)
{
        static const struct {
                const char *name, *type, *more;
        } known[] = {
                {"count", "integer", ",'minimum':0"},
                {"seq", "integer", ",'minimum':1"},
                {"hash", "string", ",'pattern':'^[0-9a-f]{64}$'"},
                {"status", "string", ",'pattern':'^PAWL_[A-Z]+$'"},
                {"time", "string",
                        ",'pattern':'^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\\\.[0-9]{6}Z$'"
                        ",'format':'date-time'"},
        };
        const bool null = cut(&type, "|null"), array = cut(&type, "[]");
        const bool values = !array && memchr(type.data, ',', type.len);
        const char *more = "";
        pawl_text name = array ? pawl__text("array") : values ? pawl__text("string") : type;

        if (!array && type.data[0] >= 'A' && type.data[0] <= 'Z') {
                put(out,
                        null ? ",'anyOf':[{'$ref':'#/components/schemas/%r'},{'type':'null'}]"
                             : ",'$ref':'#/components/schemas/%r'",
                        type);
                return;
        }
        if (pawl__text_is(name, "any"))
                return;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (pawl__text_is(type, known[i].name) && !array) {
                        name = pawl__text(known[i].type);
                        more = known[i].more;
                }
        put(out, null ? ",'type':[%t,'null']" : ",'type':%t", name);
        put(out, more);
        if (values)
                put_enum(out, type, ',', null);
        if (array) {
                put(out, ",'items':{");
                put_type(out, type);
                put(out, "}");
        }
}

static void put_properties(pawl__buf *out, const pawl__json_tree *file, pawl__node schema)
{
        pawl__buf required = PAWL__BUF_INIT;

        for (pawl__node n = pawl__json_first(file, schema); n != PAWL__NO_NODE;
                n = pawl__json_after(file, schema, n)) {
                const pawl_text text = pawl__json_at(file, n)->value; /* "TYPE: DESCRIPTION" */
                const char *colon = memmem(text.data, text.len, ": ", 2);
                const size_t len = colon ? (size_t)(colon - text.data) : text.len;
                pawl_text name = pawl__json_at(file, n)->name;
                if (name.data[0] == '$')
                        continue;
                if (!cut(&name, "?"))
                        put(&required, required.len ? ",%t" : "%t", name);
                put(out, ",%t:{", name);
                put_type(out, pawl__text_n(text.data, len));
                if (colon)
                        put(out, ",'description':%t", pawl__text_n(colon + 2, text.len - len - 2));
                put(out, "}");
        }
        put(out, "},'required':[%r],'additionalProperties':true", pawl__buf_text(&required));
        out->failed |= required.failed;
        pawl__buf_free(&required);
}

static void put_object(pawl__buf *out, const pawl__json_tree *file, pawl__node schema)
{
        const pawl_text about = pawl__json_get_text(file, schema, "$description");
        const pawl_text base = pawl__json_get_text(file, schema, "$extends");
        const pawl__node example = pawl__json_get(file, schema, "$example");

        if (base.data)
                put(out, "'allOf':[{'$ref':'#/components/schemas/%r'},{", base);
        put(out, "'type':'object'");
        if (about.data)
                put(out, ",'description':%t", about);
        put(out, ",'properties':{");
        put_properties(out, file, schema);
        if (base.data)
                put(out, "}]");
        if (example != PAWL__NO_NODE)
                put(out, ",'example':%r", pawl__json_at(file, example)->value);
}

/* A failure: "E404": "DESCRIPTION" */
static void put_failure(pawl__buf *out, const pawl__json_node *node)
{
        put(out,
                "'description':%t,'content':{'application/json':{'schema':{'$ref':"
                "'#/components/schemas/Error'}}}",
                node->value);
        if (pawl__text_is(node->name, "E401"))
                put(out, ",'headers':{'WWW-Authenticate':{'schema':{'type':'string'}}}");
        if (pawl__text_is(node->name, "E503"))
                put(out, ",'headers':{'Retry-After':{'schema':{'type':'integer','minimum':0}}}");
}

/* The members of an object of the file: of "components" at depth 2, of one of its kinds at 1. */
static void put_file(pawl__buf *out, const pawl__json_tree *file, pawl__node at, unsigned depth)
{
        for (pawl__node n = pawl__json_first(file, at); n != PAWL__NO_NODE;
                n = pawl__json_after(file, at, n)) {
                const pawl__json_node *node = pawl__json_at(file, n);
                const pawl_text kind = pawl__json_at(file, at)->name;
                put(out, ",%t:", node->name);
                if (depth == 2 || pawl__text_is(node->name, "components")) {
                        put(out, "{");
                        put_file(out, file, n, depth ? depth - 1 : 2);
                        put(out, "}");
                } else if (depth && pawl__text_is(kind, "schemas")) {
                        put(out, "{");
                        put_object(out, file, n);
                        put(out, "}");
                } else if (depth && pawl__text_is(kind, "responses")) {
                        put(out, "{");
                        put_failure(out, node);
                        put(out, "}");
                } else {
                        put(out, node->type == PAWL__JSON_STRING ? "%t" : "%r", node->value);
                }
        }
}

/* ---- What an operation takes ----------------------------------------------------------------- */

static void put_bound(pawl__buf *out, const char *name, uint64_t value)
{
        if (value)
                put(out, ",%q:%u", name, value);
}

/* The members of a field's schema. */
static void put_field(pawl__buf *out, const service_field *f, bool body)
{
        switch (f->type) {
        case SERVICE_NUMBER:
                put(out, ",'type':'integer','minimum':%u", f->least);
                put_bound(out, "maximum", f->most);
                put_bound(out, "default", f->preset);
                break;
        case SERVICE_FLAG:
                put(out, body ? ",'type':'boolean'" : ",'type':'string','enum':['0','1']");
                break;
        case SERVICE_TEXTS:
                put(out, ",'type':'array','items':{'type':'string'}");
                break;
        case SERVICE_LIST:
                put(out, ",'type':'array','items':{'type':'object'}");
                break;
        case SERVICE_HASH:
                put(out, ",'type':'string','pattern':'^[0-9a-f]{64}$'");
                break;
        default:
                put(out, ",'type':'string'");
                put_bound(out, "minLength", f->least);
                put_bound(out, "maxLength", f->most);
                if (f->values)
                        put_enum(out, pawl__text(f->values), ' ', false);
        }
}

static void put_parameter(pawl__buf *out, const service_field *f, const char *in)
{
        put(out, ",{'name':%q,'in':%q", f->name, in);
        if (strcmp(in, "path") == 0)
                put(out, ",'required':true");
        put(out, ",'description':%q,'schema':{", f->about);
        put_field(out, f, false);
        put(out, "}}");
}

static void put_parameters(pawl__buf *out, const service_route *route)
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
        const service_field *f = service_route_posts(route) ? NULL : route->fields;

        if (!f && !strchr(route->path, '{'))
                return;
        put(out, ",'parameters':[");
        for (const char *at = strchr(route->path, '{'); at; at = strchr(at + 1, '{'))
                for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                        if (pawl__text_is(
                                    pawl__text_n(at + 1, strcspn(at + 1, "}")), known[i].name))
                                put_parameter(out, &known[i], "path");
        for (; f && f->name; f++)
                put_parameter(out, f, f->header ? "header" : "query");
        put(out, "]");
}

/* The object that the fields make. */
static void put_body(pawl__buf *out, const service_route *route)
{
        const char *const *names = route->operation->one_of;

        if (!service_route_posts(route))
                return;
        put(out, ",'requestBody':{'required':true,'content':{'application/json':{'schema':{"
                 "'type':'object','additionalProperties':false,'properties':{");
        for (const service_field *f = route->fields; f->name; f++) {
                put(out, ",%q:{", f->name);
                put_field(out, f, true);
                put(out, ",'description':%q}", f->about);
        }
        put(out, "}");
        if (route->fields[0].required)
                put(out, ",'required':[%q]", route->fields[0].name);
        for (size_t i = 0; i < SERVICE_ONE_OF_MOST && names[i]; i++)
                put(out, i ? ",{'required':[%q]}" : ",'oneOf':[{'required':[%q]}", names[i]);
        if (names[0])
                put(out, "]");
        put(out, "}}}}");
}

/* ---- What it answers ------------------------------------------------------------------------- */

static void put_response(
        pawl__buf *out, const char *status, const char *about, const service_operation *operation)
{
        const char *type = operation->type ? operation->type : SERVICE_JSON;
        const char *answer = operation->type     ? "string"
                             : operation->answer ? operation->answer
                                                 : "object";

        put(out, ",%q:{'description':%q,'content':{%t:{'schema':{", status, about,
                pawl__text_n(type, strcspn(type, ";")));
        put_type(out, pawl__text(answer));
        put(out, "}}");
        if (operation->events)
                put(out, ",'text/event-stream':{'schema':{'type':'string','description':%q}}",
                        operation->events);
        put(out, "}");
        if (operation->next)
                put(out, ",'headers':{'Link':{'description':'Of a page that is full: the next one, "
                         "rel=next.','schema':{'type':'string'}}}");
        put(out, "}");
}

/* May the route answer with this status of HTTP? */
static bool may_fail(const service_route *route, unsigned status)
{
        switch (status) {
        case 404:
                return strchr(route->path, '{') || route->traits & SERVICE_WORKSPACE ||
                       service_route_posts(route);
        case 409:
                return route->traits & (SERVICE_CHANGES | SERVICE_WORKSPACE | SERVICE_STREAM);
        case 413:
                return service_route_posts(route);
        case 507:
                return route->traits & SERVICE_CHANGES;
        default:
                return !(route->traits & SERVICE_OPEN);
        }
}

static void put_responses(pawl__buf *out, const service_route *route)
{
        static const unsigned failures[] = {400, 401, 403, 404, 409, 413, 421, 500, 503, 507};

        put(out, ",'responses':{");
        put_response(out, "200", "Done.", route->operation);
        if (route->operation->failing)
                put_response(out, "503", route->operation->failing, route->operation);
        for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
                if (may_fail(route, failures[i]))
                        put(out, ",'%u':{'$ref':'#/components/responses/E%u'}",
                                (uint64_t)failures[i], (uint64_t)failures[i]);
        put(out, ",'default':{'$ref':'#/components/responses/Failure'}}");
}

static void put_operation(pawl__buf *out, const service_route *route)
{
        const service_operation *operation = route->operation;

        put(out, ",%q:{'operationId':%q,'summary':%q", service_route_posts(route) ? "post" : "get",
                operation->id, operation->summary);
        if (operation->description)
                put(out, ",'description':%q", operation->description);
        put(out, ",'tags':[%q]", operation->tag);
        if (route->traits & SERVICE_OPEN)
                put(out, ",'security':[]");
        put_parameters(out, route);
        put_body(out, route);
        put_responses(out, route);
        put(out, "}");
}

/* ---- The whole ------------------------------------------------------------------------------- */

pawl_status service_api_document_write(pawl__buf *out, const service_route *const *tables)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(
                &tree, (const char *)documents[0].data, documents[0].len, NULL);

        put(out, "{");
        if (!status)
                put_file(out, &tree, 0, 0);
        put(out, ",'paths':{");
        for (; *tables; tables++)
                for (const service_route *route = *tables; route->method; route++) {
                        if (!route->operation)
                                continue;
                        put(out, ",%q:{", route->path);
                        put_operation(out, route);
                        while (route[1].path && strcmp(route[1].path, route->path) == 0)
                                put_operation(out, ++route);
                        put(out, "}");
                }
        put(out, "}}");
        pawl__json_tree_free(&tree);
        return status ? status : pawl__buf_check(out, NULL);
}

/* Made at the first request; all of them come from one thread, that of the connections. */
void service_api_document(service_answer *answer, service_call *call)
{
        pawl__buf *document = &call->site->document;

        if (!document->len && service_api_document_write(document, call->site->tables)) {
                pawl__buf_free(document);
                service_answer_refuse(answer, 500, PAWL_ENOMEM, "out of memory");
        } else {
                service_answer_fixed(answer, 200, SERVICE_JSON, document->data, document->len);
        }
}
