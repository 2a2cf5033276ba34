#include "service/request.h"
#include "base/error.h"
#include "command/command.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static pawl_status bad_target(pawl_error *err, const char *what)
{
        return pawl__fail(err, PAWL_EINVAL,
                "the address asked for: %s; send a path of UTF-8 with each special byte as %%XX",
                what);
}

/*
 * Decode %XX (and "+" where @p plus) into the request's memory. An encoded slash is refused: it is
 * ambiguous whether it separates segments.
 */
static pawl_status decode(
        pawl_text *out, service_request *request, pawl_text raw, bool plus, pawl_error *err)
{
        char *to = pawl__arena_alloc(&request->arena, raw.len + 1);
        size_t len = 0;

        if (!to)
                return pawl__nomem(err);
        for (size_t i = 0; i < raw.len; i++) {
                char c = raw.data[i];
                if (c == '%') {
                        if (raw.len - i < 3 || !isxdigit((unsigned char)raw.data[i + 1]) ||
                                !isxdigit((unsigned char)raw.data[i + 2]))
                                return bad_target(err, "a % that no two hex digits follow");
                        const char digits[] = {raw.data[i + 1], raw.data[i + 2], '\0'};
                        c = (char)strtoul(digits, NULL, 16);
                        if (!c || (c == '/' && !plus))
                                return bad_target(err, "an encoded NUL or slash");
                        i += 2;
                } else if (c == '+' && plus) {
                        c = ' ';
                } else if ((unsigned char)c <= ' ' || c == 0x7f) {
                        return bad_target(err, "a control character or a space");
                }
                to[len++] = c;
        }
        if (!pawl__utf8_valid(to, len))
                return bad_target(err, "bytes that are no UTF-8");
        *out = pawl__text_n(to, len);
        return PAWL_OK;
}

/* The text up to the next @p at in *rest, which then begins after it; false: *rest was used up. */
static bool cut(pawl_text *part, pawl_text *rest, char at)
{
        const char *end;

        if (!rest->data)
                return false;
        end = memchr(rest->data, at, rest->len);
        *part = pawl__text_n(rest->data, end ? (size_t)(end - rest->data) : rest->len);
        if (end)
                *rest = pawl__text_n(end + 1, rest->len - part->len - 1);
        else
                *rest = pawl__text(NULL);
        return true;
}

/* Two slashes, and a slash at the end, make an empty segment, which is kept: each resource has one
 * path only. */
static pawl_status take_path(service_request *request, pawl_text path, pawl_error *err)
{
        pawl_text raw;

        while (cut(&raw, &path, '/')) {
                pawl_text *segment = &request->segments[request->n_segments];
                if (request->n_segments == SERVICE_SEGMENTS_MAX)
                        return pawl__fail(err, PAWL_ETOOBIG,
                                "the address asked for: has more than %d parts; none that is "
                                "served has",
                                SERVICE_SEGMENTS_MAX);
                pawl_status status = decode(segment, request, raw, false, err);
                if (status)
                        return status;
                if (pawl__text_is(*segment, ".") || pawl__text_is(*segment, ".."))
                        return bad_target(err, "\".\" or \"..\" as a part of the path");
                request->n_segments++;
        }
        return PAWL_OK;
}

static pawl_status take_query(service_request *request, pawl_text query, pawl_error *err)
{
        pawl_text pair, name;

        while (cut(&pair, &query, '&')) {
                service_parameter *parameter = &request->query[request->n_query];
                if (pair.len == 0)
                        continue;
                if (request->n_query == SERVICE_QUERY_MAX)
                        return pawl__fail(err, PAWL_ETOOBIG,
                                "the query: has more than %d parameters; none that is served has",
                                SERVICE_QUERY_MAX);
                cut(&name, &pair, '=');
                if (!pair.data)
                        pair = pawl__text("");
                pawl_status status = decode(&parameter->name, request, name, true, err);
                if (!status)
                        status = decode(&parameter->value, request, pair, true, err);
                if (status)
                        return status;
                if (service_query(request, parameter->name.data).data)
                        return pawl__fail(err, PAWL_EINVAL,
                                "the query: %.*s is given twice; give it once",
                                PAWL__FMT(parameter->name));
                request->n_query++;
        }
        return PAWL_OK;
}

pawl_status service_request_target(
        service_request *request, pawl_text method, pawl_text target, pawl_error *err)
{
        pawl_text path;

        request->method = pawl__arena_copy(&request->arena, method);
        if (!request->method.data)
                return pawl__nomem(err);
        if (target.len > SERVICE_TARGET_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "the address asked for: is longer than %d bytes; give long values in the "
                        "body",
                        SERVICE_TARGET_MAX);
        if (target.len == 0 || target.data[0] != '/')
                return bad_target(err, "begins with no slash");
        cut(&path, &target, '?');
        path = pawl__text_n(path.data + 1, path.len - 1);
        pawl_status status = path.len ? take_path(request, path, err) : PAWL_OK;
        return status ? status : take_query(request, target, err);
}

static const char *const header_names[SERVICE_HEADERS] = {
        [SERVICE_HOST] = "Host",
        [SERVICE_ORIGIN] = "Origin",
        [SERVICE_FETCH_SITE] = "Sec-Fetch-Site",
        [SERVICE_FETCH_MODE] = "Sec-Fetch-Mode",
        [SERVICE_AUTHORIZATION] = "Authorization",
        [SERVICE_CONTENT_TYPE] = "Content-Type",
        [SERVICE_ACTOR] = "X-Pawl-Actor",
        [SERVICE_IF_NONE_MATCH] = "If-None-Match",
        [SERVICE_LAST_EVENT_ID] = "Last-Event-ID",
        [SERVICE_MCP_VERSION] = "MCP-Protocol-Version",
        [SERVICE_MCP_METHOD] = "Mcp-Method",
        [SERVICE_MCP_NAME] = "Mcp-Name",
        [SERVICE_MCP_SESSION] = "Mcp-Session-Id",
};

const char *service_header_prefix(const char *name)
{
        for (size_t i = 0; i < SERVICE_HEADERS; i++)
                if (strncasecmp(name, header_names[i], strlen(header_names[i])) == 0)
                        return header_names[i];
        return NULL;
}

static bool is_blank(char c)
{
        return c == ' ' || c == '\t';
}

/* Does the list "TYPE[;PARAMETER...], ..." name text/event-stream, and not with a weight of 0? */
static bool names_events(pawl_text list)
{
        static const char events[] = "text/event-stream";
        const size_t len = sizeof events - 1;

        while (list.len) {
                const char *comma = memchr(list.data, ',', list.len);
                pawl_text one = {list.data, comma ? (size_t)(comma - list.data) : list.len};
                list = pawl__text_n(
                        one.data + one.len + (comma != NULL), list.len - one.len - (comma != NULL));
                while (one.len && is_blank(*one.data))
                        one = pawl__text_n(one.data + 1, one.len - 1);
                if (one.len < len || strncasecmp(one.data, events, len) != 0)
                        continue;
                one = pawl__text_n(one.data + len, one.len - len);
                if (one.len && *one.data != ';' && !is_blank(*one.data))
                        continue;
                const char *weight = memmem(one.data, one.len, "q=0", 3);
                const char *end = one.data + one.len;
                for (weight = weight ? weight + 3 : end; weight < end; weight++)
                        if (*weight >= '1' && *weight <= '9')
                                break;
                if (!memmem(one.data, one.len, "q=0", 3) || weight < end)
                        return true;
        }
        return false;
}

pawl_status service_request_header(
        service_request *request, const char *name, pawl_text value, pawl_error *err)
{
        size_t which = 0;
        bool ok = true;

        while (which < SERVICE_HEADERS && strcasecmp(name, header_names[which]) != 0)
                which++;
        if (which == SERVICE_HEADERS) {
                request->wants_events |= strcasecmp(name, "Accept") == 0 && names_events(value);
                return PAWL_OK;
        }
        if (request->headers[which].data)
                return pawl__fail(err, PAWL_EINVAL, "the header %s: is given twice; give it once",
                        header_names[which]);
        if (value.len > SERVICE_HEADER_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "the header %s: is longer than %d bytes; give a shorter one",
                        header_names[which], SERVICE_HEADER_MAX);
        for (size_t i = 0; i < value.len; i++)
                ok = ok && (unsigned char)value.data[i] >= ' ' && value.data[i] != 0x7f;
        if (!ok || !pawl__utf8_valid(value.data, value.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "the header %s: holds a control character, or bytes that are no UTF-8; "
                        "leave them out",
                        header_names[which]);
        request->headers[which] =
                pawl__arena_text(&request->arena, value.data ? value : pawl__text(""), &ok);
        return ok ? PAWL_OK : pawl__nomem(err);
}

size_t service_request_body_max(const service_request *request)
{
        return request->body_max ? request->body_max : SERVICE_BODY_MAX;
}

pawl_status service_request_body(
        service_request *request, const void *data, size_t len, pawl_error *err)
{
        const size_t most = service_request_body_max(request);

        if (len > most - request->body.len)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "the body: is larger than %zu bytes; send less at once", most);
        return pawl__buf_add(&request->body, data, len) ? pawl__nomem(err) : PAWL_OK;
}

void service_request_free(service_request *request)
{
        pawl__buf_free(&request->body);
        pawl__arena_free(&request->arena);
        *request = (service_request)SERVICE_REQUEST_INIT;
}

pawl_text service_query(const service_request *request, const char *name)
{
        for (size_t i = 0; i < request->n_query; i++)
                if (pawl__text_is(request->query[i].name, name))
                        return request->query[i].value;
        return pawl__text(NULL);
}

pawl_status service_query_number(uint64_t *out, const service_request *request, const char *name,
        uint64_t least, uint64_t most, pawl_error *err)
{
        const pawl_text text = service_query(request, name);
        uint64_t number;

        if (!text.data)
                return PAWL_OK;
        if (!cli_parse_number(&number, text.data) || number < least || number > most)
                return pawl__fail(err, PAWL_EINVAL,
                        "the query: %s is \"%.*s\"; give digits alone, %llu to %llu", name,
                        PAWL__FMT(text), (unsigned long long)least, (unsigned long long)most);
        *out = number;
        return PAWL_OK;
}
