#include "base/error.h"
#include "service/route.h"
#include <assert.h>
#include <stdio.h>

/* The next part of a route's path, which begins with a slash; false at its end. */
static bool next_part(pawl_text *part, const char **at)
{
        if (**at != '/')
                return false;
        const char *start = *at + 1;
        *at = start + strcspn(start, "/");
        *part = pawl__text_n(start, (size_t)(*at - start));
        return true;
}

static bool is_param(pawl_text part)
{
        return part.len > 2 && part.data[0] == '{';
}

/* Does the path match the route's? Then match->params has the value of each {x}. */
static bool path_fits(service_match *match, const char *path, const service_request *request)
{
        pawl_text part;
        size_t n = 0;

        match->n_params = 0;
        if (strcmp(path, "/") == 0)
                return request->n_segments == 0;
        while (next_part(&part, &path)) {
                if (n == request->n_segments)
                        return false;
                const pawl_text segment = request->segments[n++];
                if (is_param(part)) {
                        if (segment.len == 0)
                                return false;
                        assert(match->n_params < SERVICE_PARAMS_MAX);
                        match->params[match->n_params++] = segment;
                } else if (!pawl__text_eq(part, segment)) {
                        return false;
                }
        }
        return n == request->n_segments;
}

static bool method_fits(const service_route *route, pawl_text method)
{
        if (pawl__text_is(method, "HEAD"))
                return strcmp(route->method, "GET") == 0 && !(route->traits & SERVICE_STREAM);
        return pawl__text_is(method, route->method);
}

static void allow(char list[64], const char *method)
{
        const size_t len = strlen(list);

        if (!strstr(list, method))
                snprintf(list + len, 64 - len, "%s%s", len ? ", " : "", method);
}

void service_route_find(
        service_match *match, const service_route *const *tables, const service_request *request)
{
        *match = (service_match){.n_params = 0};
        for (; *tables; tables++)
                for (const service_route *route = *tables; route->method; route++) {
                        if (!path_fits(match, route->path, request))
                                continue;
                        if (method_fits(route, request->method)) {
                                match->route = route;
                                match->path_known = true;
                                return;
                        }
                        match->path_known = true;
                        allow(match->allow, route->method);
                        if (strcmp(route->method, "GET") == 0 && !(route->traits & SERVICE_STREAM))
                                allow(match->allow, "HEAD");
                }
        match->n_params = 0;
}

pawl_status service_route_knows(
        const service_route *route, bool body, pawl_text name, pawl_error *err)
{
        const bool takes = body == (strcmp(route->method, "POST") == 0);
        char known[160] = "";

        for (const service_field *f = takes ? route->fields : NULL; f && f->name; f++) {
                const size_t len = strlen(known);
                if (f->header)
                        continue;
                if (pawl__text_is(name, f->name))
                        return PAWL_OK;
                snprintf(known + len, sizeof known - len, "%s%s", len ? " " : "", f->name);
        }
        return pawl__fail(err, PAWL_EINVAL, "the %s: %s knows no \"%.*s\"; it knows %s",
                body ? "body" : "query", route->path, PAWL__FMT(name),
                known[0] ? known : "no parameters");
}

pawl_status service_route_query(
        const service_route *route, const service_request *request, pawl_error *err)
{
        for (size_t i = 0; i < request->n_query; i++)
                if (service_route_knows(route, false, request->query[i].name, err))
                        return err->status;
        return PAWL_OK;
}

size_t service_route_place(const service_route *const *tables, const service_route *wanted)
{
        size_t place = 0;

        for (; *tables; tables++)
                for (const service_route *route = *tables; route->method; route++, place++)
                        if (route == wanted)
                                return place;
        return place;
}
