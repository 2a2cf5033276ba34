/*
 * A route of the resource API that is one command: the path's parameters and the route's fields
 * make its words. A field called "actor" says who does it, where the header X-Pawl-Actor, which
 * holds only ASCII, cannot.
 */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_tree.h"
#include "service/route.h"
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { ARGV_MAX = 16 };

/* The words of one invocation. Texts from outside go in as "--option=TEXT", or after a "--". */
typedef struct invocation {
        service_call *call;
        const service_operation *operation;
        const char *argv[ARGV_MAX];
        size_t n;
        const char *actor;    /* NULL: as the call says */
        pawl__json_tree body; /* of a POST */
        pawl__arena arena;
        pawl_error err; /* the first thing that is wrong; status PAWL_OK: none yet */
} invocation;

/* The prefix and a text from outside, as one word. */
static void add(invocation *in, const char *prefix, pawl_text value)
{
        const size_t len = strlen(prefix);
        char *word = pawl__arena_alloc(&in->arena, len + value.len + 1);

        assert(in->n < ARGV_MAX);
        if (memchr(value.data, '\0', value.len)) {
                pawl__fail(&in->err, PAWL_EINVAL, "%s: holds a NUL; leave it out",
                        prefix[0] ? prefix : "the argument");
        } else if (!word) {
                pawl__nomem(&in->err);
        } else {
                memcpy(word, prefix, len);
                memcpy(word + len, value.data, value.len);
                in->argv[in->n++] = word;
        }
}

/* ---- Fields ------------------------------------------------------------------------------ */

static const pawl_text absent = {NULL, 0};

static pawl_text from_query(invocation *in, const service_field *f)
{
        const service_request *request = in->call->request;
        const pawl_text value = service_query(request, f->name);
        uint64_t number;

        if (f->type == SERVICE_NUMBER && service_query_number(&number, request, f->name, f->least,
                                                 f->most ? f->most : INT64_MAX, &in->err))
                return absent;
        if (f->type != SERVICE_FLAG || !value.data || pawl__text_is(value, "1"))
                return value;
        if (!pawl__text_is(value, "0"))
                pawl__fail(&in->err, PAWL_EINVAL,
                        "the query: %s is \"%.*s\"; give 1, or leave it out", f->name,
                        PAWL__FMT(value));
        return absent;
}

static pawl_text from_body(invocation *in, const service_field *f)
{
        const pawl__node n = pawl__json_get(&in->body, 0, f->name);
        const pawl__json_node *node = n == PAWL__NO_NODE ? NULL : pawl__json_at(&in->body, n);
        const char *what = "string";
        int64_t number = 0;

        if (!node || node->type == PAWL__JSON_NULL)
                return absent;
        if (f->type == SERVICE_FLAG) {
                if (node->type == PAWL__JSON_TRUE || node->type == PAWL__JSON_FALSE)
                        return node->type == PAWL__JSON_TRUE ? pawl__text("1") : absent;
                what = "true or false";
        } else if (f->type == SERVICE_NUMBER) {
                if (node->type == PAWL__JSON_NUMBER && pawl__json_int(node, &number) && number >= 1)
                        return node->value;
                what = "number from 1 up";
        } else if (f->type == SERVICE_LIST) {
                if (node->type == PAWL__JSON_ARRAY)
                        return node->value;
                what = "array";
        } else if (node->type == PAWL__JSON_STRING) {
                return node->value;
        }
        pawl__fail(&in->err, PAWL_EINVAL, "the body: \"%s\" is no %s; send one", f->name, what);
        return absent;
}

/* The field's value as an option; @p last is the value of the field that is the last argument. */
static void add_field(invocation *in, const service_field *f, pawl_text *last)
{
        char text[64];
        pawl_text value =
                service_route_posts(in->call->route) ? from_body(in, f) : from_query(in, f);

        if (in->err.status)
                return;
        if (!value.data && f->required)
                pawl__fail(&in->err, PAWL_EINVAL, "the %s: has no \"%s\"; %s",
                        service_route_posts(in->call->route) ? "body" : "query", f->name,
                        f->required);
        if (!value.data && f->preset) {
                snprintf(text, sizeof text, "%" PRIu64, f->preset);
                value = pawl__arena_copy(&in->arena, pawl__text(text));
        }
        if (!value.data)
                return;
        if (f->type == SERVICE_ID) {
                if (!pawl__id_check(value, "actor id", &in->err) &&
                        !(in->actor = pawl__arena_copy(&in->arena, value).data))
                        pawl__nomem(&in->err);
        } else if (f->argument) {
                *last = value;
        } else {
                char prefix[64];
                const bool flag = f->type == SERVICE_FLAG;
                snprintf(prefix, sizeof prefix, "--%s%s", f->option ? f->option : f->name,
                        flag ? "" : "=");
                add(in, prefix, flag ? pawl__text("") : value);
        }
}

static void read_body(invocation *in)
{
        pawl_text body = pawl__buf_text(&in->call->request->body);

        if (body.len == 0)
                body = pawl__text("{}");
        if (pawl__json_tree_read(&in->body, body.data, body.len, &in->err)) {
                pawl__fail_prefix(&in->err, in->err.status, "the body");
                return;
        }
        if (pawl__json_at(&in->body, 0)->type != PAWL__JSON_OBJECT) {
                pawl__fail(&in->err, PAWL_EINVAL, "the body: is no object; send one");
                return;
        }
        for (pawl__node n = pawl__json_first(&in->body, 0); n != PAWL__NO_NODE;
                n = pawl__json_after(&in->body, 0, n))
                if (service_route_knows(
                            in->call->route, true, pawl__json_at(&in->body, n)->name, &in->err))
                        return;
}

static bool has_member(const invocation *in, const char *name)
{
        const pawl__node n = pawl__json_get(&in->body, 0, name);

        return n != PAWL__NO_NODE && pawl__json_at(&in->body, n)->type != PAWL__JSON_NULL;
}

static void check_one_of(invocation *in)
{
        const char *const *names = in->operation->one_of;
        char list[120] = "";
        size_t given = 0, used = 0;

        for (size_t i = 0; i < SERVICE_ONE_OF_MOST && names[i]; i++) {
                given += has_member(in, names[i]);
                snprintf(list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "", names[i]);
                used = strlen(list);
        }
        if (names[0] && given != 1)
                pawl__fail(&in->err, PAWL_EINVAL,
                        "the body: has several or none of %s; give one of them", list);
}

/* ---- The words and what comes of them ---------------------------------------------------- */

static void add_argument(invocation *in, bool first, pawl_text value)
{
        if (first)
                add(in, "--", pawl__text(""));
        add(in, "", value);
}

static void build(invocation *in)
{
        const service_call *call = in->call;
        const char *option = in->operation->id_option;
        pawl_text last = absent;

        if (service_route_posts(in->call->route)) {
                read_body(in);
                if (!in->err.status)
                        check_one_of(in);
        }
        if (in->operation->word)
                in->argv[in->n++] = in->operation->word;
        for (const service_field *f = call->route->fields; f && f->name && !in->err.status; f++)
                add_field(in, f, &last);
        if (in->operation->first)
                add_argument(in, true, pawl__text(in->operation->first));
        for (size_t i = 0; i < call->n_params && !in->err.status; i++)
                if (option)
                        add(in, option, call->params[i]);
                else
                        add_argument(in, i == 0 && !in->operation->first, call->params[i]);
        if (last.data && !in->err.status)
                add_argument(in, option || !call->n_params, last);
}

/* The element or member at this pointer (RFC 6901) of a value, in its place. PAWL_ENOTFOUND. */
static pawl_status part_of(pawl__buf *value, const char *pointer, bool decoded, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf part = PAWL__BUF_INIT;
        pawl_status status = pawl__json_tree_read(&tree, value->data, value->len, err);
        const pawl__node n =
                status ? PAWL__NO_NODE : pawl__json_pointer(&tree, pawl__text(pointer));
        const pawl__json_node *node = n == PAWL__NO_NODE ? NULL : pawl__json_at(&tree, n);

        if (!status && (!node || (decoded && node->type != PAWL__JSON_STRING)))
                status = pawl__fail(
                        err, PAWL_ENOTFOUND, "the answer: has no such part; ask for the whole");
        else if (!status) {
                pawl__buf_add_text(&part, node->value);
                status = pawl__buf_check(&part, err);
                pawl__buf_free(value);
                *value = part;
        }
        pawl__json_tree_free(&tree);
        return status;
}

/* ---- The next page ----------------------------------------------------------------------- */

static int64_t place_of(const pawl__json_tree *tree, pawl__node item, const char *member)
{
        const pawl__node n = pawl__json_get(tree, item, member);
        int64_t place = 0;

        return n != PAWL__NO_NODE && pawl__json_int(pawl__json_at(tree, n), &place) ? place : 0;
}

/* What the page after this one is before; 0: this is the last. An array that is as long as was
 * asked for may have one, which is then empty. */
static int64_t next_of(const invocation *in, const pawl__json_tree *tree, uint64_t limit)
{
        const char *member = in->operation->next;
        const pawl__json_node *list = pawl__json_at(tree, 0);
        int64_t first = 0, last = 0;

        if (list->type == PAWL__JSON_OBJECT)
                return place_of(tree, 0, member);
        if (!limit || list->count < limit)
                return 0;
        for (pawl__node n = pawl__json_first(tree, 0); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, 0, n)) {
                last = place_of(tree, n, member);
                first = first ? first : last;
        }
        return first < last ? first : last;
}

/* RFC 8288: the same query with another "before". */
static pawl_status link_next(pawl__buf *link, invocation *in, const pawl__buf *out)
{
        const service_request *request = in->call->request;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        uint64_t limit = 0;
        int64_t next = 0;

        for (const service_field *f = in->call->route->fields; f->name; f++)
                if (strcmp(f->name, "limit") == 0)
                        limit = f->preset;
        pawl_status status = service_query_number(&limit, request, "limit", 1, INT64_MAX, &in->err);
        if (!status)
                status = pawl__json_tree_read(&tree, out->data, out->len, &in->err);
        if (!status)
                next = next_of(in, &tree, limit);
        pawl__json_tree_free(&tree);
        if (status || next <= 1)
                return status;
        pawl__buf_adds(link, "<?");
        for (size_t i = 0; i < request->n_query; i++) {
                const service_parameter *p = &request->query[i];
                if (pawl__text_is(p->name, "before"))
                        continue;
                pawl__buf_addf(link, "%.*s=", PAWL__FMT(p->name));
                for (size_t k = 0; k < p->value.len; k++) {
                        const unsigned char c = (unsigned char)p->value.data[k];
                        pawl__buf_addf(link, isalnum(c) || c == '-' ? "%c" : "%%%02X", c);
                }
                pawl__buf_addc(link, '&');
        }
        pawl__buf_addf(link, "before=%" PRId64 ">; rel=\"next\"", next);
        return pawl__buf_check(link, &in->err);
}

static pawl_status run(pawl__buf *out, invocation *in)
{
        const service_operation *operation = in->operation;
        pawl_status status;

        if (in->err.status)
                return in->err.status;
        if (in->actor)
                in->call->actor = in->actor;
        if (operation->process)
                return service_resume(out, in->call, in->argv, in->n, &in->err);
        status = service_command(out, in->call, operation->command, in->argv, in->n, &in->err);
        if (operation->verdict && status == PAWL_EDAMAGED && out->len)
                return PAWL_OK;
        if (!status && operation->part)
                status = part_of(out, operation->part, operation->type != NULL, &in->err);
        return status;
}

void service_api_command(service_answer *answer, service_call *call)
{
        const service_operation *operation = call->route->operation;
        invocation in = {.call = call, .operation = operation, .err = PAWL_ERROR_INIT};
        pawl__buf out = PAWL__BUF_INIT;

        build(&in);
        pawl__buf link = PAWL__BUF_INIT;
        if (run(&out, &in) || (operation->next && link_next(&link, &in, &out))) {
                service_answer_fail_with(answer, &in.err, pawl__buf_text(&out));
        } else {
                service_answer_body(
                        answer, 200, operation->type ? operation->type : SERVICE_JSON, &out);
                answer->link = link;
                link = (pawl__buf)PAWL__BUF_INIT;
        }
        pawl__buf_free(&link);
        pawl__buf_free(&out);
        pawl__json_tree_free(&in.body);
        pawl__arena_free(&in.arena);
}
