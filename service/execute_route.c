/* POST /executeCommand {"command","args"} and GET /listCommands. */
#include "base/error.h"
#include "base/json_tree.h"
#include "command/describe.h"
#include "service/execute.h"
#include "service/site.h"
#include <stdlib.h>

#define ARGS_MAX 256

/* The command of a request; texts end in a NUL, and are the arena's. */
typedef struct asked {
        const char *name;
        const char *args[ARGS_MAX];
        size_t n;
        pawl__arena arena;
} asked;

static bool refuse(service_answer *answer, const char *what)
{
        service_answer_refuse(answer, 400, PAWL_EINVAL,
                "the body: %s; send {\"command\":NAME,\"args\":[TEXT, ...]}", what);
        return false;
}

/* A text of the body that a command gets. */
static bool take_text(
        const char **out, asked *of, service_answer *answer, const pawl__json_node *node)
{
        bool ok = true;

        if (node->type != PAWL__JSON_STRING)
                return refuse(answer, "\"command\" and each of \"args\" are strings");
        if (memchr(node->value.data, '\0', node->value.len))
                return refuse(answer, "a text holds a NUL");
        *out = pawl__arena_text(&of->arena, node->value, &ok).data;
        if (!ok)
                service_answer_refuse(answer, 500, PAWL_ENOMEM, "out of memory");
        return ok;
}

static bool take_args(
        asked *of, service_answer *answer, const pawl__json_tree *tree, pawl__node args)
{
        if (pawl__json_at(tree, args)->type != PAWL__JSON_ARRAY)
                return refuse(answer, "\"args\" is no array");
        if (pawl__json_at(tree, args)->count > ARGS_MAX)
                return refuse(answer, "has more arguments than any command takes");
        for (pawl__node arg = pawl__json_first(tree, args); arg != PAWL__NO_NODE;
                arg = pawl__json_after(tree, args, arg))
                if (!take_text(&of->args[of->n++], of, answer, pawl__json_at(tree, arg)))
                        return false;
        return true;
}

static bool take(asked *of, service_answer *answer, const pawl__json_tree *tree)
{
        if (pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT)
                return refuse(answer, "is no object");
        for (pawl__node node = pawl__json_first(tree, 0); node != PAWL__NO_NODE;
                node = pawl__json_after(tree, 0, node)) {
                const pawl_text member = pawl__json_at(tree, node)->name;
                bool ok = true;
                if (pawl__text_is(member, "command"))
                        ok = take_text(&of->name, of, answer, pawl__json_at(tree, node));
                else if (pawl__text_is(member, "args"))
                        ok = take_args(of, answer, tree, node);
                else
                        ok = refuse(answer, "has a member other than \"command\" and \"args\"");
                if (!ok)
                        return false;
        }
        return of->name || refuse(answer, "has no \"command\"");
}

/* {"name","data"}; a failure is data too. */
static void tell(service_answer *answer, const char *name, const service_outcome *outcome)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        const pawl_text output =
                outcome->output.len ? pawl__buf_text(&outcome->output) : pawl__text("null");

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "name", name);
        if (!outcome->failure.status) {
                pawl__json_member_raw(&w, "data", output);
        } else {
                pawl__json_name(&w, "data");
                pawl__json_open_object(&w);
                pawl__json_name(&w, "error");
                service_error_object(&w, &outcome->failure, outcome->code);
                if (outcome->output.len)
                        pawl__json_member_raw(&w, "output", output);
                pawl__json_close_object(&w);
        }
        pawl__json_close_object(&w);
        service_answer_json(answer, 200, &w);
        if (answer->status == 200)
                answer->failure = outcome->failure.status;
}

void service_execute_command(service_answer *answer, service_call *call)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        service_outcome outcome = {.code = 0};
        asked of = {.n = 0};
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_text body = pawl__buf_text(&call->request->body);

        if (pawl__json_tree_read(&tree, body.data, body.len, &err)) {
                pawl__fail_prefix(&err, err.status, "the body");
                service_answer_fail(answer, &err);
        } else if (take(&of, answer, &tree)) {
                if (service_execute(&outcome, call, of.name, of.args, of.n, &err))
                        service_answer_fail(answer, &err);
                else
                        tell(answer, of.name, &outcome);
        }
        service_outcome_free(&outcome);
        pawl__arena_free(&of.arena);
        pawl__json_tree_free(&tree);
}

void service_list_commands(service_answer *answer, service_call *call)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        cli_describe(&w, call->site->options->registry);
        service_answer_json(answer, 200, &w);
}
