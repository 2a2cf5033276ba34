/* tools/call and resources/read: what is run, and which page of its result is sent. */
#include "base/error.h"
#include "mcp/run.h"
#include "mcp/server.h"

/* The result of a command that is run here; a later page of one that only reads is of the same
 * output. */
static void answer(mcp_server *server, const mcp_request *request, const mcp_tool *tool,
        const mcp_words *words, mcp_turn *turn)
{
        mcp_outcome outcome = {.code = CLI_DONE};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = PAWL_OK;

        if (!turn->place || !mcp_pages_get(&outcome, server->pages, turn)) {
                if (turn->place && (tool->cmd->traits & CLI_CHANGES))
                        status = pawl__fail(&err, PAWL_ESTATE,
                                "next: the result is no longer kept, and the call is not repeated, "
                                "as it changes something; look at what it did by another");
                else
                        status = mcp_run_command(
                                &outcome, &server->log, tool, words, request->actor, &err);
                if (!status && turn->place)
                        status = mcp_turn_check(turn, pawl__buf_text(&outcome.output), &err);
        }
        if (status) {
                mcp_outcome_free(&outcome);
                outcome.code = CLI_FAILED;
                outcome.failure = err;
                turn->place = 0;
        }
        mcp_send_outcome(server, request, &outcome, turn);
        mcp_outcome_free(&outcome);
}

/* Wrong arguments are the tool's failure, which a model reads and corrects; an unknown tool is not.
 */
static void call(mcp_server *server, const mcp_request *request, const mcp_tool *tool)
{
        const pawl__node arguments = mcp_get(request->tree, request->params, "arguments");
        const pawl_text next = pawl__json_get_text(request->tree, arguments, "next");
        mcp_words words = {.n = 0};
        mcp_turn turn = {.place = 0};
        mcp_outcome wrong = {.code = CLI_USAGE};
        pawl_status status = mcp_tool_words(&words, tool, request->tree, arguments, &wrong.failure);

        if (!status && !next.data && mcp_get(request->tree, arguments, "next") != PAWL__NO_NODE)
                status = pawl__fail(&wrong.failure, PAWL_EINVAL,
                        "arguments.next: is not a text; give the one that the result had");
        if (!status)
                status = mcp_turn_of(&turn, pawl__text(tool->cmd->name), &words, request->actor,
                        next, &wrong.failure);
        if (status)
                mcp_send_outcome(server, request, &wrong, &turn);
        else if (!tool->starts || turn.place)
                answer(server, request, tool, &words, &turn);
        else if (!mcp_run_retry(server, request, &turn))
                mcp_run_start(server, request, tool, &words, &turn);
        mcp_words_free(&words);
}

void mcp_tools_call(mcp_server *server, const mcp_request *request)
{
        const pawl_text name = pawl__json_get_text(request->tree, request->params, "name");
        mcp_tool tool;

        if (!mcp_tool_find(&tool, server->registry, name))
                mcp_send_error(server, request->id, MCP_PARAMS,
                        "name: is not a tool; tools/list has the tools");
        else
                call(server, request, &tool);
}

void mcp_refuse_resource(
        mcp_server *server, const mcp_request *request, pawl_text uri, const pawl_error *err)
{
        mcp_send_error(server, request->id, request->modern || !uri.data ? MCP_PARAMS : -32002,
                uri.data ? err->message
                         : "uri: is missing, or no text; resources/list has those there are");
}

/* A long text comes in pages, as a tool's result does: the same reading with `next`. */
void mcp_resources_read(mcp_server *server, const mcp_request *request)
{
        const pawl_text uri = pawl__json_get_text(request->tree, request->params, "uri");
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        mcp_outcome outcome = {.code = CLI_DONE};
        mcp_page page = MCP_PAGE_INIT;
        pawl__buf next = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        mcp_turn turn;
        const char *type;
        pawl_status status = mcp_turn_of(&turn, uri, NULL, NULL,
                pawl__json_get_text(request->tree, request->params, "next"), &err);

        if (!status)
                status = mcp_resource_read(
                        &outcome.output, &type, uri, &server->log, server->registry, &err);
        if (!status)
                status = mcp_turn_check(&turn, pawl__buf_text(&outcome.output), &err);
        if (!status)
                status = mcp_result_page(
                        &page, &next, server, request, &outcome, &turn, false, &err);
        if (status) {
                mcp_refuse_resource(server, request, uri, &err);
        } else {
                mcp_begin_result(&w, request);
                mcp_cacheable(&w, request, 0);
                pawl__json_name(&w, "contents");
                pawl__json_open_array(&w);
                pawl__json_open_object(&w);
                pawl__json_member_text(&w, "uri", uri);
                pawl__json_member_string(&w, "mimeType", type);
                pawl__json_member_text(&w, "text", pawl__buf_text(&page.text));
                pawl__json_close_object(&w);
                pawl__json_close_array(&w);
                if (next.len)
                        pawl__json_member_text(&w, "next", pawl__buf_text(&next));
                mcp_send_result(server, &w);
        }
        mcp_page_free(&page);
        pawl__buf_free(&next);
        mcp_outcome_free(&outcome);
}
