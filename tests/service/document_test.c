/* service/openapi.json and the tables of routes say the same: each route is described, and the
 * reverse, with its parameters. */
#include "base/json_tree.h"
#include "service/route.h"
#include "support/test.h"

struct document {
        char *text;
        pawl__json_tree tree;
        pawl__node paths;
};

static int read_document(void **state)
{
        static struct document d;
        pawl_error err = PAWL_ERROR_INIT;
        size_t len;

        d = (struct document){.tree = PAWL__JSON_TREE_INIT};
        d.text = file_read(SOURCE_DIR "/service/openapi.json", &len);
        assert_int_equal(pawl__json_tree_read(&d.tree, d.text, len, &err), PAWL_OK);
        d.paths = pawl__json_get(&d.tree, 0, "paths");
        assert_int_not_equal(d.paths, PAWL__NO_NODE);
        *state = &d;
        return 0;
}

static int free_document(void **state)
{
        struct document *d = *state;

        pawl__json_tree_free(&d->tree);
        free(d->text);
        return 0;
}

/* The files of the page are for browsers, and not described. */
static bool is_page(const service_route *route)
{
        return strcmp(route->path, "/") == 0 || strncmp(route->path, "/page/", 6) == 0;
}

/* The operation of a route, or none. */
static pawl__node operation(const struct document *d, const service_route *route)
{
        const char *method = strcmp(route->method, "POST") == 0 ? "post" : "get";

        return pawl__json_get(&d->tree, pawl__json_get(&d->tree, d->paths, route->path), method);
}

/* A parameter of this place ("path", "query") and name. */
static bool has_parameter(
        const struct document *d, pawl__node operation, const char *in, pawl_text name)
{
        const pawl__node all = pawl__json_get(&d->tree, operation, "parameters");

        if (all == PAWL__NO_NODE)
                return false;
        for (pawl__node n = pawl__json_first(&d->tree, all); n != PAWL__NO_NODE;
                n = pawl__json_after(&d->tree, all, n))
                if (pawl__text_is(pawl__json_get_text(&d->tree, n, "in"), in) &&
                        pawl__text_eq(pawl__json_get_text(&d->tree, n, "name"), name))
                        return true;
        return false;
}

static size_t count_parameters(const struct document *d, pawl__node operation, const char *in)
{
        const pawl__node all = pawl__json_get(&d->tree, operation, "parameters");
        size_t n = 0;

        if (all == PAWL__NO_NODE)
                return 0;
        for (pawl__node i = pawl__json_first(&d->tree, all); i != PAWL__NO_NODE;
                i = pawl__json_after(&d->tree, all, i))
                n += pawl__text_is(pawl__json_get_text(&d->tree, i, "in"), in);
        return n;
}

typedef void (*route_fn)(const struct document *d, const service_route *route, pawl__node node);

static void each_route(const struct document *d, route_fn fn)
{
        for (const service_route *const *table = service_route_tables; *table; table++)
                for (const service_route *route = *table; route->method; route++) {
                        if (is_page(route))
                                continue;
                        const pawl__node node = operation(d, route);
                        if (node == PAWL__NO_NODE)
                                fail_msg(
                                        "%s %s is not in the document", route->method, route->path);
                        fn(d, route, node);
                }
}

static void check_path(const struct document *d, const service_route *route, pawl__node node)
{
        size_t n = 0;

        for (const char *at = strchr(route->path, '{'); at; at = strchr(at + 1, '{'), n++)
                if (!has_parameter(d, node, "path", pawl__text_n(at + 1, strcspn(at + 1, "}"))))
                        fail_msg("%s: {%s: is not described", route->path, at + 1);
        assert_int_equal(count_parameters(d, node, "path"), n);
}

static void each_parameter_of_a_path_is_described(void **state)
{
        each_route(*state, check_path);
}

static void check_query(const struct document *d, const service_route *route, pawl__node node)
{
        size_t n = 0;

        for (const char *at = route->query; at && *at; n++) {
                const size_t len = strcspn(at, " ");
                if (!has_parameter(d, node, "query", pawl__text_n(at, len)))
                        fail_msg("%s: ?%s: is not described", route->path, at);
                at += len + (at[len] == ' ');
        }
        assert_int_equal(count_parameters(d, node, "query"), n);
}

static void each_parameter_of_a_query_is_described(void **state)
{
        each_route(*state, check_query);
}

/* Without a token: "security": []. */
static void check_security(const struct document *d, const service_route *route, pawl__node node)
{
        const bool open = pawl__json_get(&d->tree, node, "security") != PAWL__NO_NODE;

        if (open != ((route->traits & SERVICE_OPEN) != 0))
                fail_msg("%s: whether it asks for a token is not as described", route->path);
}

static void what_asks_for_no_token_is_described_so(void **state)
{
        each_route(*state, check_security);
}

static bool is_route(pawl_text path, pawl_text method)
{
        for (const service_route *const *table = service_route_tables; *table; table++)
                for (const service_route *route = *table; route->method; route++)
                        if (pawl__text_is(path, route->path) &&
                                pawl__text_is(method,
                                        strcmp(route->method, "POST") == 0 ? "post" : "get"))
                                return true;
        return false;
}

static void each_operation_that_is_described_is_a_route(void **state)
{
        const struct document *d = *state;
        pawl_text ids[256];
        size_t n = 0;

        for (pawl__node path = pawl__json_first(&d->tree, d->paths); path != PAWL__NO_NODE;
                path = pawl__json_after(&d->tree, d->paths, path))
                for (pawl__node op = pawl__json_first(&d->tree, path); op != PAWL__NO_NODE;
                        op = pawl__json_after(&d->tree, path, op)) {
                        const pawl_text name = pawl__json_at(&d->tree, path)->name;
                        const pawl_text id = pawl__json_get_text(&d->tree, op, "operationId");
                        if (!is_route(name, pawl__json_at(&d->tree, op)->name))
                                fail_msg("%.*s: no route is like it", (int)name.len, name.data);
                        assert_non_null(id.data);
                        for (size_t i = 0; i < n; i++)
                                assert_false(pawl__text_eq(ids[i], id));
                        assert_true(n < 256);
                        ids[n++] = id;
                }
        assert_true(n > 25);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_parameter_of_a_path_is_described),
                cmocka_unit_test(each_parameter_of_a_query_is_described),
                cmocka_unit_test(what_asks_for_no_token_is_described_so),
                cmocka_unit_test(each_operation_that_is_described_is_a_route),
        };
        return cmocka_run_group_tests(tests, read_document, free_document);
}
