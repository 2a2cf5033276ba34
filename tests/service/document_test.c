/* The OpenAPI document that the tables of routes make: each route and what it takes is described,
 * and each name that is used is there. */
#include "base/json_tree.h"
#include "service/route.h"
#include "support/test.h"

struct document {
        pawl__buf text;
        pawl__json_tree tree;
};

/* The reader refuses an object with two members of one name: a path that appears twice. */
static int read_document(void **state)
{
        static struct document d;
        pawl_error err = PAWL_ERROR_INIT;

        d = (struct document){.tree = PAWL__JSON_TREE_INIT};
        assert_ok(service_api_document_write(&d.text, service_route_tables));
        assert_ok(pawl__json_tree_read(&d.tree, d.text.data, d.text.len, &err));
        *state = &d;
        return 0;
}

static int free_document(void **state)
{
        struct document *d = *state;

        pawl__json_tree_free(&d->tree);
        pawl__buf_free(&d->text);
        return 0;
}

static pawl__node operation(const struct document *d, const service_route *route)
{
        const pawl__node paths = pawl__json_get(&d->tree, 0, "paths");
        const char *method = strcmp(route->method, "POST") == 0 ? "post" : "get";

        return pawl__json_get(&d->tree, pawl__json_get(&d->tree, paths, route->path), method);
}

/* How many parameters of this place ("path", "query") and name; the absent text: any name. */
static size_t parameters(
        const struct document *d, pawl__node operation, const char *in, pawl_text name)
{
        const pawl__node all = pawl__json_get(&d->tree, operation, "parameters");
        size_t n = 0;

        for (pawl__node i = all == PAWL__NO_NODE ? all : pawl__json_first(&d->tree, all);
                i != PAWL__NO_NODE; i = pawl__json_after(&d->tree, all, i))
                n += pawl__text_is(pawl__json_get_text(&d->tree, i, "in"), in) &&
                     (!name.data || pawl__text_eq(pawl__json_get_text(&d->tree, i, "name"), name));
        return n;
}

static void check_path(const struct document *d, const service_route *route, pawl__node node)
{
        size_t n = 0;

        for (const char *at = strchr(route->path, '{'); at; at = strchr(at + 1, '{'), n++)
                if (parameters(d, node, "path", pawl__text_n(at + 1, strcspn(at + 1, "}"))) != 1)
                        fail_msg("%s: {%s: is not described", route->path, at + 1);
        assert_int_equal(parameters(d, node, "path", pawl__text(NULL)), n);
}

static void check_query(const struct document *d, const service_route *route, pawl__node node)
{
        size_t n = 0;

        for (const service_field *f = route->fields; f && f->name; f++) {
                assert_non_null(f->about);
                if (f->header || strcmp(route->method, "POST") == 0)
                        continue;
                assert_int_equal(parameters(d, node, "query", pawl__text(f->name)), 1);
                n++;
        }
        assert_int_equal(parameters(d, node, "query", pawl__text(NULL)), n);
}

/* Without a token: "security": []. The files of the page are for browsers, and the protocol of
 * agents describes itself: neither is in it. */
UNIT_TEST(each_route_is_described)
{
        const struct document *d = *state;
        pawl_text ids[256];
        size_t n = 0;

        for (const service_route *const *table = service_route_tables; *table; table++)
                for (const service_route *route = *table; route->method; route++) {
                        const pawl__node node = operation(d, route);
                        if (*table == service_page_routes || (route->traits & SERVICE_AGENTS)) {
                                assert_int_equal(node, PAWL__NO_NODE);
                                continue;
                        }
                        if (node == PAWL__NO_NODE)
                                fail_msg("%s %s is not described", route->method, route->path);
                        check_path(d, route, node);
                        check_query(d, route, node);
                        assert_int_equal(
                                pawl__json_get(&d->tree, node, "security") != PAWL__NO_NODE,
                                (route->traits & SERVICE_OPEN) != 0);
                        assert_int_equal(
                                pawl__json_get(&d->tree, node, "requestBody") != PAWL__NO_NODE,
                                strcmp(route->method, "POST") == 0);
                        const pawl_text id = pawl__json_get_text(&d->tree, node, "operationId");
                        assert_non_null(id.data);
                        for (size_t i = 0; i < n; i++)
                                assert_false(pawl__text_eq(ids[i], id));
                        assert_true(n < 256);
                        ids[n++] = id;
                }
        assert_true(n > 25);
}

UNIT_TEST(each_reference_leads_somewhere)
{
        const struct document *d = *state;
        size_t n = 0;

        for (pawl__node i = 1; i < d->tree.n; i++) {
                const pawl__json_node *node = pawl__json_at(&d->tree, i);
                if (!pawl__text_is(node->name, "$ref"))
                        continue;
                assert_int_equal(node->value.data[0], '#');
                if (pawl__json_pointer(&d->tree, pawl__text_n(node->value.data + 1,
                                                         node->value.len - 1)) == PAWL__NO_NODE)
                        fail_msg("%.*s leads nowhere", (int)node->value.len, node->value.data);
                n++;
        }
        assert_true(n > 100);
}

UNIT_TEST(each_tag_is_listed)
{
        const struct document *d = *state;
        const pawl__node tags = pawl__json_get(&d->tree, 0, "tags");

        for (const service_route *const *table = service_route_tables; *table; table++)
                for (const service_route *route = *table; route->method; route++) {
                        bool found = !route->operation;
                        for (pawl__node i = pawl__json_first(&d->tree, tags); i != PAWL__NO_NODE;
                                i = pawl__json_after(&d->tree, tags, i))
                                found |= pawl__text_is(pawl__json_get_text(&d->tree, i, "name"),
                                        found ? "" : route->operation->tag);
                        assert_true(found);
                }
}

TESTS_MAIN(read_document, free_document)
