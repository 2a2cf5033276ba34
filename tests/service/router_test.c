/* Which route a request finds, and what it is told where it finds none. */
#include "service/route.h"
#include "support/test.h"

static void nothing(service_answer *answer, service_call *call)
{
        (void)answer;
        (void)call;
}

static const service_route first[] = {
        {"GET", "/", SERVICE_OPEN, NULL, nothing, NULL},
        {"GET", "/runs", 0, SERVICE_FIELDS({.name = "limit"}, {.name = "before"}), nothing, NULL},
        {"GET", "/runs/newest", 0, NULL, nothing, NULL},
        {"GET", "/runs/{id}", 0, NULL, nothing, NULL},
        SERVICE_ROUTES_END,
};
static const service_route second[] = {
        {"POST", "/runs/{id}", SERVICE_CHANGES, NULL, nothing, NULL},
        {"GET", "/runs/{id}/steps/{step}", 0, NULL, nothing, NULL},
        {"GET", "/stream", SERVICE_STREAM, NULL, nothing, NULL},
        SERVICE_ROUTES_END,
};
static const service_route *const tables[] = {first, second, NULL};

static void finds(const char *method, const char *target, const service_route *route,
        const char *allow, const char *param)
{
        service_request request = SERVICE_REQUEST_INIT;
        service_call call = {.request = &request};
        char allowed[64];
        pawl_error err;

        assert_ok(service_request_target(&request, pawl__text(method), pawl__text(target), &err));
        service_route_find(&call, allowed, tables);
        if (call.route != route)
                fail_msg("%s %s finds %s", method, target,
                        call.route ? call.route->path : "nothing");
        if (!route)
                assert_string_equal(allowed, allow ? allow : "");
        if (param)
                assert_text(call.params[call.n_params - 1], param);
        else
                assert_int_equal(call.n_params, 0);
        service_request_free(&request);
}

UNIT_TEST(a_route_is_found_by_method_and_path)
{
        finds("GET", "/", &first[0], NULL, NULL);
        finds("GET", "/runs?limit=3", &first[1], NULL, NULL);
        finds("GET", "/runs/newest", &first[2], NULL, NULL);
        finds("GET", "/runs/a%20b", &first[3], NULL, "a b");
        finds("POST", "/runs/7", &second[0], NULL, "7");
        finds("GET", "/runs/7/steps/x", &second[1], NULL, "x");
        finds("HEAD", "/runs", &first[1], NULL, NULL);
}

UNIT_TEST(what_is_no_path_or_no_method_is_told_apart)
{
        finds("GET", "/run", NULL, NULL, NULL);
        finds("GET", "/runs/", NULL, NULL, NULL);
        finds("GET", "//runs", NULL, NULL, NULL);
        finds("GET", "/runs/7/steps", NULL, NULL, NULL);
        finds("GET", "/runs/7/steps/x/y", NULL, NULL, NULL);
        finds("GET", "/RUNS", NULL, NULL, NULL);
        finds("get", "/runs", NULL, "GET, HEAD", NULL);
        finds("POST", "/runs", NULL, "GET, HEAD", NULL);
        finds("OPTIONS", "/runs/7", NULL, "GET, HEAD, POST", NULL);
        finds("HEAD", "/stream", NULL, "GET", NULL);
}

UNIT_TEST(a_parameter_that_the_route_does_not_know_is_refused)
{
        service_request request = SERVICE_REQUEST_INIT;
        pawl_error err;

        assert_ok(service_request_target(
                &request, pawl__text("GET"), pawl__text("/runs?limit=1&befor=2"), &err));
        assert_int_equal(service_route_query(&first[1], &request, &err), PAWL_EINVAL);
        assert_says(err.message, "knows no \"befor\"; it knows limit before");
        assert_int_equal(service_route_query(&first[2], &request, &err), PAWL_EINVAL);
        assert_says(err.message, "knows no \"limit\"; it knows no parameters");
        request.n_query = 1;
        assert_ok(service_route_query(&first[1], &request, &err));
        service_request_free(&request);
}

UNIT_TEST(each_route_has_a_place)
{
        assert_int_equal(service_route_place(tables, &first[0]), 0);
        assert_int_equal(service_route_place(tables, &second[2]), 6);
        assert_int_equal(service_route_place(tables, NULL), 7);
}

/* What service/router.c relies on, of the tables that are served. */
UNIT_TEST(the_tables_are_of_their_form)
{
        for (const service_route *const *table = service_route_tables; *table; table++)
                for (const service_route *route = *table; route->method; route++) {
                        size_t params = 0;
                        assert_true(strcmp(route->method, "GET") == 0 ||
                                    strcmp(route->method, "POST") == 0);
                        assert_int_equal(route->path[0], '/');
                        for (const char *at = route->path; (at = strchr(at, '{')); at++, params++) {
                                assert_int_equal(at[-1], '/');
                                at = strchr(at, '}');
                                assert_non_null(at);
                                assert_true(at[1] == '/' || at[1] == '\0');
                        }
                        assert_true(params <= SERVICE_PARAMS_MAX);
                        assert_non_null(route->run);
                        /* what changes is never asked for by a GET, which a link can do */
                        if (route->traits & SERVICE_CHANGES)
                                assert_string_equal(route->method, "POST");
                }
}
