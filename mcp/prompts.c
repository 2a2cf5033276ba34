#include "base/error.h"
#include "mcp/server.h"

static const struct prompt {
        const char *name, *help, *text, *resource;
} prompts[] = {
        {"handoff", "Hand this work off to the next session",
                "Hand this work off: call the tool session_checkpoint, which can be called although "
                "it may not be listed, with what was done (summary, done), what is next (pending) and "
                "the files that matter (file); then show me what the tool handoff returns. What the "
                "log has so far:\n\n",
                "pawl://handoff"},
        {"resolve", "Answer the open questions",
                "These runs wait for answers, about what terms mean or what a step asks. Put each question to "
                "me with its numbered senses or options; record what I choose with resolve (pick, define "
                "or answer), then resume the run. The open conflicts:\n\n",
                "pawl://conflicts"},
};

enum { N_PROMPTS = sizeof prompts / sizeof *prompts };

void mcp_prompts_write(pawl__json_writer *w)
{
        pawl__json_name(w, "prompts");
        pawl__json_open_array(w);
        for (const struct prompt *p = prompts; p < prompts + N_PROMPTS; p++) {
                pawl__json_open_object(w);
                pawl__json_member_string(w, "name", p->name);
                pawl__json_member_string(w, "description", p->help);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* What the log has is a part of the text, or the beginning of it; where it has nothing, the text
 * says so. */
static pawl_status write_text(
        pawl__json_writer *w, mcp_server *server, const struct prompt *p, pawl_error *err)
{
        enum { ROOM = 60000 };
        pawl__buf text = PAWL__BUF_INIT, held = PAWL__BUF_INIT;
        mcp_page page = MCP_PAGE_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        const char *type;

        pawl__buf_adds(&text, p->text);
        if (mcp_resource_read(
                    &held, &type, pawl__text(p->resource), &server->log, server->registry, &why)) {
                pawl__buf_adds(&text, "(none: ");
                mcp_tool_text(&text, pawl__text(why.message), server->registry);
                pawl__buf_addc(&text, ')');
        } else if (!mcp_page_cut(&page, pawl__buf_text(&held), 0, ROOM, false, &why)) {
                pawl__buf_add_text(&text, pawl__buf_text(&page.text));
        }
        if (page.next)
                pawl__buf_addf(
                        &text, "\n\n(This is the beginning; read %s for all of it.)", p->resource);
        pawl__json_member_text(w, "text", pawl__buf_text(&text));
        pawl_status status = pawl__buf_check(&text, err);
        mcp_page_free(&page);
        pawl__buf_free(&text);
        pawl__buf_free(&held);
        return status;
}

pawl_status mcp_prompt_write(
        pawl__json_writer *w, mcp_server *server, const mcp_request *request, pawl_error *err)
{
        const pawl_text name = pawl__json_get_text(request->tree, request->params, "name");
        const struct prompt *p = prompts;

        while (p < prompts + N_PROMPTS && !pawl__text_is(name, p->name))
                p++;
        if (p == prompts + N_PROMPTS)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "name: is no prompt; prompts/list has those there are");
        pawl__json_member_string(w, "description", p->help);
        pawl__json_name(w, "messages");
        pawl__json_open_array(w);
        pawl__json_open_object(w);
        pawl__json_member_string(w, "role", "user");
        pawl__json_name(w, "content");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", "text");
        pawl_status status = write_text(w, server, p, err);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
        pawl__json_close_array(w);
        return status;
}
