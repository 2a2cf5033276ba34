#include "base/error.h"
#include "service/route.h"
#include <assert.h>
#include <stdio.h>

/* Does the path match the route's? Then call->params has the value of each {x}. */
static bool path_fits(service_call *call, const char *path)
{
        const service_request *request = call->request;
        size_t n = 0, len;

        call->n_params = 0;
        if (strcmp(path, "/") == 0)
                return request->n_segments == 0;
        for (; *path == '/'; path += len) {
                len = strcspn(++path, "/");
                if (n == request->n_segments)
                        return false;
                const pawl_text segment = request->segments[n++];
                if (*path == '{' && segment.len) {
                        assert(call->n_params < SERVICE_PARAMS_MAX);
                        call->params[call->n_params++] = segment;
                } else if (!pawl__text_eq(pawl__text_n(path, len), segment)) {
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

void service_route_find(service_call *call, char allowed[64], const service_route *const *tables)
{
        allowed[0] = '\0';
        for (; *tables; tables++)
                for (const service_route *route = *tables; route->method; route++) {
                        if (!path_fits(call, route->path))
                                continue;
                        call->route = route;
                        if (method_fits(route, call->request->method))
                                return;
                        allow(allowed, route->method);
                        if (method_fits(route, pawl__text("HEAD")))
                                allow(allowed, "HEAD");
                }
        call->route = NULL;
        call->n_params = 0;
}

pawl_status service_route_knows(
        const service_route *route, bool body, pawl_text name, pawl_error *err)
{
        const bool takes = body == service_route_posts(route);
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
