/* What the server says: results, errors, notifications. */
#include "base/error.h"
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

/* Clients of every revision take an object; what is not one is the member `result` of one. */
static void write_structured(pawl__json_writer *w, const mcp_page *page, pawl_text next)
{
        if (page->object) {
                pawl__json_member_raw(w, "structuredContent", pawl__buf_text(&page->text));
                return;
        }
        pawl__json_name(w, "structuredContent");
        pawl__json_open_object(w);
        pawl__json_member_raw(w, "result", pawl__buf_text(&page->text));
        if (next.len)
                pawl__json_member_text(w, "next", next);
        pawl__json_close_object(w);
}

/* A model that is shown the texts alone learns from them that there is more. */
static void write_next(pawl__json_writer *w, pawl_text next)
{
        pawl__buf text = PAWL__BUF_INIT;

        pawl__buf_addf(&text,
                "The result continues: call again with the same arguments and \"next\": \"%.*s\"",
                PAWL__FMT(next));
        write_text_content(w, pawl__buf_text(&text));
        w->buf.failed |= text.failed;
        pawl__buf_free(&text);
}

/* A run that is blocked has done what it could: that is no error. */
static void write_outcome(pawl__json_writer *w, const mcp_outcome *outcome, const mcp_page *page,
        pawl_text next, const cli_registry *registry)
{
        const bool failed = outcome->code != CLI_DONE && outcome->code != CLI_BLOCKED;
        const pawl_text text = pawl__buf_text(&page->text);

        pawl__json_name(w, "content");
        pawl__json_open_array(w);
        if (failed && *outcome->failure.message) {
                pawl__json_open_object(w);
                pawl__json_member_string(w, "type", "text");
                mcp_tool_member(w, "text", outcome->failure.message, registry);
                pawl__json_close_object(w);
        }
        if (text.len && pawl__utf8_valid(text.data, text.len))
                write_text_content(w, text);
        if (next.len)
                write_next(w, next);
        pawl__json_close_array(w);
        if (page->json)
                write_structured(w, page, next);
        if (next.len)
                pawl__json_member_text(w, "next", next);
        pawl__json_member_bool(w, "isError", failed);
}

pawl_status mcp_result_page(mcp_page *page, pawl__buf *next, mcp_server *server,
        const mcp_request *request, const mcp_outcome *outcome, mcp_turn *turn, bool twice,
        pawl_error *err)
{
        enum { ENVELOPE = 4096, LEAST = 20000 };
        const size_t around = ENVELOPE + request->id.len;
        pawl_text output = pawl__buf_text(&outcome->output);

        while (output.len && output.data[output.len - 1] == '\n')
                output.len--;
        pawl_status status = mcp_page_cut(page, output, turn->place,
                around < MCP_RESULT_MAX - LEAST ? MCP_RESULT_MAX - around : LEAST, twice, err);
        if (status || !page->next)
                return status;
        status = mcp_pages_keep(server->pages, turn, outcome, err);
        if (status)
                return status;
        mcp_turn_write(next, turn, page->next);
        if (page->object) { /* before the brace that ends it */
                page->text.len--;
                pawl__buf_addf(&page->text, ",\"next\":\"%s\"}", next->data ? next->data : "");
        }
        return pawl__buf_check(next, err) ? PAWL_ENOMEM : pawl__buf_check(&page->text, err);
}

void mcp_send_outcome(
        mcp_server *server, const mcp_request *request, const mcp_outcome *outcome, mcp_turn *turn)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        mcp_page page = MCP_PAGE_INIT;
        pawl__buf next = PAWL__BUF_INIT;
        mcp_outcome failed = {.code = CLI_FAILED};

        mcp_begin_result(&w, request);
        mcp_complete(&w, request);
        if (mcp_result_page(&page, &next, server, request, outcome, turn, true, &failed.failure)) {
                const mcp_page none = MCP_PAGE_INIT;
                write_outcome(&w, &failed, &none, pawl__text(""), server->registry);
        } else {
                write_outcome(&w, outcome, &page, pawl__buf_text(&next), server->registry);
        }
        mcp_send_result(server, &w);
        mcp_page_free(&page);
        pawl__buf_free(&next);
}
