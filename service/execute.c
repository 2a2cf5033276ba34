/* Commands of the registry: run for a route, and by POST /executeCommand {"command","args"}. */
#include "service/execute.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/system.h"
#include "command/describe.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The output of a command, up to the limit. */
typedef struct printed {
        pawl__buf text;
        service_worker *worker;
        bool changes; /* such a command is not interrupted: its work matters more than its output */
        bool too_much;
} printed;

static ssize_t take_output(void *cookie, const char *data, size_t size)
{
        printed *out = cookie;

        out->too_much |= size > SERVICE_OUTPUT_MAX - out->text.len;
        if (!out->too_much && !pawl__buf_add(&out->text, data, size))
                return (ssize_t)size;
        if (!out->changes) /* the rest is dropped: the command can stop */
                service_worker_cancel(out->worker, true);
        return 0;
}

/* The output as one JSON value in @p out; empty without output. JSON Lines become an array, other
 * text a string. */
static pawl_status to_json(pawl__buf *out, pawl__buf *text, bool lines, pawl_error *err)
{
        while (text->len && text->data[text->len - 1] == '\n')
                text->data[--text->len] = '\0';
        pawl_text rest = pawl__buf_text(text);
        if (!text->len && !lines)
                return PAWL_OK;
        if (!lines && service_is_json(rest)) {
                *out = *text;
                *text = (pawl__buf)PAWL__BUF_INIT;
                return PAWL_OK;
        }
        while (rest.len) {
                const char *end = memchr(rest.data, '\n', rest.len);
                const pawl_text line = {rest.data, end ? (size_t)(end - rest.data) : rest.len};
                if (!service_is_json(line))
                        break;
                pawl__buf_addc(out, out->len ? ',' : '[');
                pawl__buf_add_text(out, line);
                rest = pawl__text_n(
                        line.data + line.len + (end != NULL), rest.len - line.len - (end != NULL));
        }
        if (!rest.len) {
                pawl__buf_adds(out, out->len ? "]" : "[]");
                return pawl__buf_check(out, err);
        }
        pawl__buf_clear(out);
        if (!pawl__utf8_valid(text->data, text->len))
                return pawl__fail(err, PAWL_EIO,
                        "the output: is no UTF-8; ask for it with --json, or on the command line");
        pawl__json_quote(out, pawl__buf_text(text));
        return pawl__buf_check(out, err);
}

/* Run the command, unless reading its arguments failed. */
static pawl_status run(service_execution *of, service_call *call, pawl_error *err)
{
        static const cookie_io_functions_t io = {.write = take_output};
        const bool changes = cli_changes(&of->cli), lines = (of->cli.cmd->traits & CLI_LINES) != 0;
        printed out = {PAWL__BUF_INIT, call->worker, changes, false};
        pawl_status status = PAWL_OK;

        of->in.out = fopencookie(&out, "w", io);
        if (!of->in.out)
                return pawl__nomem(err);
        of->code = of->code ? of->code : cli_run(&of->cli);
        fclose(of->in.out); /* an overflow is already known */
        service_worker_cancel(call->worker, false);
        if (out.too_much) {
                of->code = CLI_FAILED;
                pawl__fail(&of->failure, PAWL_ETOOBIG, "the output: is larger than %d bytes; %s",
                        SERVICE_OUTPUT_MAX,
                        changes ? "what the command did stands: look at it by another"
                                : "ask for less, by an option or a page at a time");
        } else if (!(status = pawl__buf_check(&out.text, err))) {
                status = to_json(&of->output, &out.text, lines, err);
        }
        pawl__buf_free(&out.text);
        service_execution_note(of);
        if (changes)
                service_health_wrote(&call->site->health, of->failure.status ? &of->failure : NULL);
        return status;
}

/* Find the command of->name, and read these arguments of it. False: it does not start, with
 * PAWL_ENOTFOUND for what is no command or not served, PAWL_EREADONLY, PAWL_EINVAL for one that
 * needs a workspace where there is none, PAWL_ENOMEM. */
static bool find(service_execution *of, const service_call *call, const char *const *args, size_t n,
        pawl_error *err)
{
        cli_entry entry;

        if (!cli_registry_find(&entry, call->site->options->registry, of->name) ||
                !(entry.cmd->traits & CLI_SERVED)) {
                pawl__fail(err, PAWL_ENOTFOUND,
                        "the command \"%.100s\": there is none, or it is not served; GET "
                        "/listCommands says which there are",
                        of->name);
                return false;
        }
        of->in = (cli_context){.log = call->log,
                .workspace = call->workspace,
                .actor = call->actor,
                .home = call->site->options->home,
                .config_home = call->site->options->config_home,
                .served = true,
                .failure = &of->failure};
        of->in.err = fopen("/dev/null", "we"); /* its message is in the failure */
        if (!of->in.err) {
                pawl__fail_errno(err, errno, "/dev/null", "open it");
                return false;
        }
        of->code = cli_parse_cmd(&of->cli, entry.program, entry.cmd, args, n, &of->in);
        const unsigned traits = (cli_changes(&of->cli) ? SERVICE_CHANGES : 0U) |
                                (of->cli.cmd->traits & CLI_WORKSPACE ? SERVICE_WORKSPACE : 0U);
        return !service_may(call, "the command ", of->name, traits, err);
}

pawl_status service_command(pawl__buf *out, service_call *call, const char *name,
        const char *const *args, size_t n, pawl_error *err)
{
        service_execution of = {.name = name};
        pawl_status status = find(&of, call, args, n, err) ? run(&of, call, err) : err->status;

        if (!status && of.failure.status) {
                *err = of.failure;
                status = of.failure.status;
        }
        pawl__buf_free(out);
        *out = of.output;
        of.output = (pawl__buf)PAWL__BUF_INIT;
        service_execution_free(&of);
        return status;
}

/* ---- POST /executeCommand and GET /listCommands ---- */

/* A text of the body that a command gets. As the next two, returns what is wrong, or NULL. */
static const char *take_text(const char **out, service_execution *of, const pawl__json_node *node)
{
        if (node->type != PAWL__JSON_STRING)
                return "\"command\" and each of \"args\" are strings";
        if (memchr(node->value.data, '\0', node->value.len))
                return "a text holds a NUL";
        *out = pawl__arena_copy(&of->arena, node->value).data;
        return NULL;
}

static const char *take_args(service_execution *of, const pawl__json_tree *tree, pawl__node args)
{
        const char *wrong = NULL;

        if (pawl__json_at(tree, args)->type == PAWL__JSON_NULL)
                return NULL;
        if (pawl__json_at(tree, args)->type != PAWL__JSON_ARRAY)
                return "\"args\" is no array";
        if (pawl__json_at(tree, args)->count > SERVICE_ARGS_MAX)
                return "has more arguments than any command takes";
        for (pawl__node arg = pawl__json_first(tree, args); arg != PAWL__NO_NODE && !wrong;
                arg = pawl__json_after(tree, args, arg))
                wrong = take_text(&of->args[of->n++], of, pawl__json_at(tree, arg));
        return wrong;
}

static const char *take(service_execution *of, const pawl__json_tree *tree)
{
        bool named = false;

        if (pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT)
                return "is no object";
        for (pawl__node node = pawl__json_first(tree, 0); node != PAWL__NO_NODE;
                node = pawl__json_after(tree, 0, node)) {
                const pawl_text member = pawl__json_at(tree, node)->name;
                const char *wrong = "has a member other than \"command\" and \"args\"";
                if (pawl__text_is(member, "command"))
                        wrong = take_text(&of->name, of, pawl__json_at(tree, node));
                else if (pawl__text_is(member, "args"))
                        wrong = take_args(of, tree, node);
                if (wrong)
                        return wrong;
                named |= pawl__text_is(member, "command");
        }
        return named ? NULL : "has no \"command\"";
}

/* {"name","data"}; a failure is data too, which says it once more in the form of Gemini CLI's. */
static void tell(service_answer *answer, const service_execution *of)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        const pawl_text output = of->output.len ? pawl__buf_text(&of->output) : pawl__text("null");

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "name", of->name);
        if (!of->failure.status) {
                pawl__json_member_raw(&w, "data", output);
        } else {
                pawl__json_name(&w, "data");
                pawl__json_open_object(&w);
                pawl__json_name(&w, "error");
                service_error_object(&w, &of->failure, of->code);
                if (of->output.len)
                        pawl__json_member_raw(&w, "output", output);
                pawl__json_member_string(&w, "type", "message");
                pawl__json_member_string(&w, "messageType", "error");
                pawl__json_member_string(&w, "content", of->failure.message);
                pawl__json_close_object(&w);
        }
        pawl__json_close_object(&w);
        service_answer_json(answer, 200, &w);
        if (answer->status == 200)
                answer->failure = of->failure.status;
}

/* The command that the body asks for. */
static pawl_status read_body(service_execution *of, const service_call *call, pawl_error *err)
{
        const pawl_text body = pawl__buf_text(&call->request->body);
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(&tree, body.data, body.len, err);
        const char *wrong = status ? NULL : take(of, &tree);

        if (status)
                pawl__fail_prefix(err, status, "the body");
        else if (wrong)
                status = pawl__fail(err, PAWL_EINVAL,
                        "the body: %s; send {\"command\":NAME,\"args\":[TEXT, ...]}", wrong);
        else
                status = pawl__arena_check(&of->arena, err);
        pawl__json_tree_free(&tree);
        return status;
}

void service_execute_command(service_answer *answer, service_call *call)
{
        service_execution *of = calloc(1, sizeof *of);
        pawl_error err = PAWL_ERROR_INIT;

        if (!of)
                pawl__nomem(&err);
        bool ok = of && !read_body(of, call, &err) && find(of, call, of->args, of->n, &err);
        if (ok && call->request->wants_events && service_execution_streams(of)) {
                if (!service_execution_stream(answer, of, call, &err))
                        return; /* it is the stream's */
                ok = false;
        }
        ok = ok && !run(of, call, &err);
        if (ok)
                tell(answer, of);
        else
                service_answer_fail(answer, &err);
        if (of)
                service_execution_free(of);
        free(of);
}

void service_list_commands(service_answer *answer, service_call *call)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        cli_describe(&w, call->site->options->registry);
        service_answer_json(answer, 200, &w);
}
