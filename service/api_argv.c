#include "service/api_argv.h"
#include "base/error.h"
#include "service/router.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- Words --------------------------------------------------------------------------------------
 */

void service_argv_begin(service_argv *words, service_call *call, const char *command)
{
        *words = (service_argv){.call = call, .command = command, .err = PAWL_ERROR_INIT};
}

void service_argv_add(service_argv *words, const char *word)
{
        if (words->n == SERVICE_WORDS_MAX)
                pawl__fail(
                        &words->err, PAWL_ETOOBIG, "the request: has too many words; give fewer");
        else
                words->at[words->n++] = word;
}

static bool holds_nul(service_argv *words, const char *what, pawl_text value)
{
        if (!memchr(value.data, '\0', value.len))
                return false;
        pawl__fail(&words->err, PAWL_EINVAL, "%s: holds a NUL; leave it out", what);
        return true;
}

static void take(service_argv *words, pawl__buf *text)
{
        bool ok = true;
        pawl_text kept = pawl__arena_text(&words->arena, pawl__buf_text(text), &ok);

        pawl__buf_free(text);
        if (ok)
                service_argv_add(words, kept.data);
        else
                pawl__nomem(&words->err);
}

void service_argv_option(service_argv *words, const char *name, pawl_text value)
{
        pawl__buf text = PAWL__BUF_INIT;

        if (!value.data || holds_nul(words, name, value))
                return;
        if (pawl__buf_addf(&text, "--%s=", name) || pawl__buf_add(&text, value.data, value.len)) {
                pawl__buf_free(&text);
                pawl__nomem(&words->err);
                return;
        }
        take(words, &text);
}

void service_argv_argument(service_argv *words, pawl_text value)
{
        service_argv_add(words, "--");
        service_argv_more(words, value);
}

void service_argv_more(service_argv *words, pawl_text value)
{
        pawl__buf text = PAWL__BUF_INIT;

        if (holds_nul(words, "the argument", value))
                return;
        if (pawl__buf_add(&text, value.data, value.len)) {
                pawl__buf_free(&text);
                pawl__nomem(&words->err);
                return;
        }
        take(words, &text);
}

void service_argv_query(service_argv *words, const char *name)
{
        service_argv_option(words, name, service_query(words->call->request, name));
}

void service_argv_number(
        service_argv *words, const char *name, const char *option, uint64_t least, uint64_t most)
{
        uint64_t number = 0;
        char digits[24];

        if (!service_query(words->call->request, name).data)
                return;
        if (service_query_number(&number, words->call->request, name, least, most, &words->err))
                return;
        snprintf(digits, sizeof digits, "%" PRIu64, number);
        service_argv_option(words, option, pawl__text(digits));
}

void service_argv_flag(service_argv *words, const char *name)
{
        pawl_text value = service_query(words->call->request, name);
        pawl__buf text = PAWL__BUF_INIT;

        if (!value.data || pawl__text_is(value, "0"))
                return;
        if (!pawl__text_is(value, "1"))
                pawl__fail(&words->err, PAWL_EINVAL,
                        "the query: %s is \"%.*s\"; give 1, or leave it out", name,
                        PAWL__FMT(value));
        else if (pawl__buf_addf(&text, "--%s", name))
                pawl__nomem(&words->err);
        else
                take(words, &text);
}

pawl_status service_argv_run(pawl__buf *out, service_argv *words, pawl_error *err)
{
        const char *const asked_by = words->call->actor;

        *err = words->err;
        if (words->actor)
                words->call->actor = words->actor;
        if (!err->status)
                err->status =
                        service_command(out, words->call, words->command, words->at, words->n, err);
        words->call->actor = asked_by;
        pawl__arena_free(&words->arena);
        return err->status;
}

void service_argv_answer(service_answer *answer, service_argv *words)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        if (service_argv_run(&out, words, &err))
                service_answer_fail(answer, &err);
        else
                service_answer_body(answer, 200, SERVICE_JSON, &out);
        pawl__buf_free(&out);
}

/* ---- The body -----------------------------------------------------------------------------------
 */

void service_object_read(service_object *object, const service_call *call, const char *known)
{
        static const pawl__json_tree none = PAWL__JSON_TREE_INIT;
        pawl_text body = pawl__buf_text(&call->request->body);

        if (body.len == 0)
                body = pawl__text("{}");
        *object = (service_object){none, PAWL_ERROR_INIT};
        if (pawl__json_tree_read(&object->tree, body.data, body.len, &object->err)) {
                pawl__fail_prefix(&object->err, object->err.status, "the body");
                return;
        }
        if (pawl__json_at(&object->tree, 0)->type != PAWL__JSON_OBJECT) {
                pawl__fail(&object->err, PAWL_EINVAL, "the body: is no object; send one");
                return;
        }
        for (pawl__node n = pawl__json_first(&object->tree, 0); n != PAWL__NO_NODE;
                n = pawl__json_after(&object->tree, 0, n)) {
                const pawl_text name = pawl__json_at(&object->tree, n)->name;
                if (!service_listed(known, name)) {
                        pawl__fail(&object->err, PAWL_EINVAL,
                                "the body: knows no member \"%.*s\"; it knows %s", PAWL__FMT(name),
                                known);
                        return;
                }
        }
}

void service_object_free(service_object *object)
{
        pawl__json_tree_free(&object->tree);
}

/* A member's node; NULL: it is not there, or null, or the body was refused. */
static const pawl__json_node *member(const service_object *object, const char *name)
{
        if (object->err.status)
                return NULL;
        const pawl__node n = pawl__json_get(&object->tree, 0, name);
        if (n == PAWL__NO_NODE || pawl__json_at(&object->tree, n)->type == PAWL__JSON_NULL)
                return NULL;
        return pawl__json_at(&object->tree, n);
}

static pawl_text refuse(service_object *object, const char *name, const char *what)
{
        pawl__fail(&object->err, PAWL_EINVAL, "the body: \"%s\" is no %s; send one", name, what);
        return (pawl_text){NULL, 0};
}

pawl_text service_object_text(service_object *object, const char *name)
{
        const pawl__json_node *node = member(object, name);

        if (!node)
                return (pawl_text){NULL, 0};
        return node->type == PAWL__JSON_STRING ? node->value : refuse(object, name, "string");
}

pawl_text service_object_number(service_object *object, const char *name)
{
        const pawl__json_node *node = member(object, name);
        int64_t number = 0;

        if (!node)
                return (pawl_text){NULL, 0};
        if (node->type != PAWL__JSON_NUMBER || !pawl__json_int(node, &number) || number < 1)
                return refuse(object, name, "number from 1 up");
        return node->value;
}

bool service_object_true(service_object *object, const char *name)
{
        const pawl__json_node *node = member(object, name);

        if (node && node->type != PAWL__JSON_TRUE && node->type != PAWL__JSON_FALSE)
                refuse(object, name, "true or false");
        return node && node->type == PAWL__JSON_TRUE;
}
