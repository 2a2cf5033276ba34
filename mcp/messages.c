/* What the server says: results, errors, notifications. */
#include "mcp/server.h"

static void open_message(pawl__json_writer *w)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "jsonrpc", "2.0");
}

void mcp_write_server_info(pawl__json_writer *w, const char *name)
{
        pawl__json_name(w, name);
        pawl__json_open_object(w);
        pawl__json_member_string(w, "name", "pawl");
        pawl__json_member_string(w, "title", "Pawl");
        pawl__json_member_string(w, "version", pawl_version());
        pawl__json_close_object(w);
}

void mcp_begin_result(pawl__json_writer *w, const mcp_request *request)
{
        open_message(w);
        pawl__json_member_raw(w, "id", request->id);
        pawl__json_name(w, "result");
        pawl__json_open_object(w);
        if (!request->modern)
                return;
        pawl__json_name(w, "_meta");
        pawl__json_open_object(w);
        mcp_write_server_info(w, MCP_META "serverInfo");
        pawl__json_close_object(w);
}

void mcp_begin_message(pawl__json_writer *w, const char *method, const char *id)
{
        open_message(w);
        if (id)
                pawl__json_member_raw(w, "id", pawl__text(id));
        pawl__json_member_string(w, "method", method);
        pawl__json_name(w, "params");
        pawl__json_open_object(w);
}

void mcp_send_result(mcp_server *server, pawl__json_writer *w)
{
        pawl__json_close_object(w);
        pawl__json_close_object(w);
        if (!pawl__json_end_writer(w))
                server->send(pawl__buf_text(&w->buf), server->send_user);
        pawl__json_writer_free(w);
}

void mcp_open_error(pawl__json_writer *w, pawl_text id, int code, const char *message)
{
        open_message(w);
        pawl__json_name(w, "id");
        if (id.data)
                pawl__json_raw(w, id);
        else
                pawl__json_null(w);
        pawl__json_name(w, "error");
        pawl__json_open_object(w);
        pawl__json_member_integer(w, "code", code);
        pawl__json_member_string(w, "message", message);
}

void mcp_send_error(mcp_server *server, pawl_text id, int code, const char *message)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        server->error = code;
        mcp_open_error(&w, id, code, message);
        mcp_send_result(server, &w);
}

void mcp_complete(pawl__json_writer *w, const mcp_request *request)
{
        if (request->modern)
                pawl__json_member_string(w, "resultType", "complete");
}

void mcp_cacheable(pawl__json_writer *w, const mcp_request *request, int64_t ms)
{
        mcp_complete(w, request);
        if (!request->modern)
                return;
        pawl__json_member_integer(w, "ttlMs", ms);
        pawl__json_member_string(w, "cacheScope", "private");
}

static void write_text_content(pawl__json_writer *w, pawl_text text)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", "text");
        pawl__json_member_text(w, "text", text);
        pawl__json_close_object(w);
}

/* Clients of every revision take an object; what is none is the member `result` of one. */
static void write_structured(pawl__json_writer *w, pawl_text json, bool object)
{
        pawl__json_name(w, "structuredContent");
        if (object) {
                pawl__json_raw(w, json);
                return;
        }
        pawl__json_open_object(w);
        pawl__json_member_raw(w, "result", json);
        pawl__json_close_object(w);
}

/* A run that is blocked has done what it could: that is no error. */
void mcp_write_outcome(pawl__json_writer *w, const mcp_outcome *outcome, bool is_modern)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_text output = pawl__buf_text(&outcome->output);
        const bool failed = outcome->code != CLI_DONE && outcome->code != CLI_BLOCKED;

        while (output.len && output.data[output.len - 1] == '\n')
                output.len--;
        const bool json = output.len && !pawl__json_tree_read(&tree, output.data, output.len, &err);
        if (is_modern)
                pawl__json_member_string(w, "resultType", "complete");
        pawl__json_name(w, "content");
        pawl__json_open_array(w);
        if (failed && *outcome->failure.message)
                write_text_content(w, pawl__text(outcome->failure.message));
        if (output.len && pawl__utf8_valid(output.data, output.len))
                write_text_content(w, output);
        pawl__json_close_array(w);
        if (json)
                write_structured(w, output, pawl__json_at(&tree, 0)->type == PAWL__JSON_OBJECT);
        pawl__json_member_bool(w, "isError", failed);
        pawl__json_tree_free(&tree);
}
