/* tools/list: what each tool takes, and which of them are listed. */
#include "base/error.h"
#include "mcp/tools.h"

/* ---- The list -------------------------------------------------------------------------------- */

static void write_type(pawl__json_writer *w, const cli_option *option)
{
        if (option->kind == CLI_TEXTS) {
                pawl__json_member_string(w, "type", "array");
                pawl__json_name(w, "items");
                pawl__json_open_object(w);
                pawl__json_member_string(w, "type", "string");
                pawl__json_close_object(w);
                return;
        }
        const bool number = option->kind == CLI_NUMBER || option->kind == CLI_COUNT ||
                            option->kind == CLI_SECONDS;
        pawl__json_member_string(w, "type",
                cli_is_flag(option) ? "boolean"
                : number            ? "integer"
                                    : "string");
        if (number)
                pawl__json_member_integer(w, "minimum", option->kind == CLI_NUMBER);
        if (option->kind != CLI_CHOICE)
                return;
        pawl__json_name(w, "enum");
        pawl__json_open_array(w);
        for (const char *at = option->choices; at;) {
                const size_t len = strcspn(at, "|");
                pawl__json_text(w, pawl__text_n(at, len));
                at = at[len] ? at + len + 1 : NULL;
        }
        pawl__json_close_array(w);
}

static void write_properties(
        pawl__json_writer *w, const mcp_tool *tool, const cli_registry *registry)
{
        const cli_cmd *cmd = tool->cmd;
        const char *at = cmd->args;
        mcp_argument arg;

        pawl__json_name(w, "properties");
        pawl__json_open_object(w);
        for (int i = 0; mcp_next_argument(&arg, &at); i++) {
                pawl__json_name(w, arg.name);
                pawl__json_open_object(w);
                pawl__json_member_string(w, "type", arg.repeated ? "array" : "string");
                if (arg.repeated) {
                        pawl__json_name(w, "items");
                        pawl__json_open_object(w);
                        pawl__json_member_string(w, "type", "string");
                        pawl__json_close_object(w);
                }
                if (i < CLI_ARG_HELP_MAX && cmd->arg_help[i])
                        mcp_tool_member(w, "description", cmd->arg_help[i], registry);
                pawl__json_close_object(w);
        }
        for (const cli_option *o = cmd->options; o && o->name; o++) {
                if (!mcp_offers(o, tool))
                        continue;
                pawl__json_name(w, o->name);
                pawl__json_open_object(w);
                write_type(w, o);
                mcp_tool_member(w, "description", o->help, registry);
                pawl__json_close_object(w);
        }
        pawl__json_name(w, "next");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", "string");
        pawl__json_member_string(w, "description", "of a result that was cut: its next page");
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

static void write_schema(pawl__json_writer *w, const mcp_tool *tool, const cli_registry *registry)
{
        const char *at = tool->cmd->args;
        mcp_argument arg;

        pawl__json_name(w, "inputSchema");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", "object");
        write_properties(w, tool, registry);
        pawl__json_name(w, "required");
        pawl__json_open_array(w);
        while (mcp_next_argument(&arg, &at))
                if (arg.required)
                        pawl__json_string(w, arg.name);
        pawl__json_close_array(w);
        pawl__json_member_bool(w, "additionalProperties", false);
        pawl__json_close_object(w);
}

/* ---- Which are listed ------------------------------------------------------------------------ */

/* The tools of most sessions: some clients give the model the first 40 tools alone. */
static const char core[] =
        "status,runs,run,resume,step_begin,step_complete,step_fail,run_end,checkpoint,checkpoints,"
        "diff,rollback,undo,redo,conflicts,resolve,output,logs,handoff,glossary_list";

/* Get the next word of a list with commas; false at its end. */
static bool next_word(pawl_text *word, const char **at)
{
        if (!*at)
                return false;
        const size_t len = strcspn(*at, ",");
        *word = pawl__text_n(*at, len);
        *at = (*at)[len] ? *at + len + 1 : NULL;
        return true;
}

static bool is_chosen(pawl_text name, const char *choice)
{
        pawl_text word;

        while (next_word(&word, &choice))
                if (pawl__text_is(word, "all") || pawl__text_eq(word, name) ||
                        (pawl__text_is(word, "core") && is_chosen(name, core)))
                        return true;
        return false;
}

pawl_status mcp_tools_check(const char *choice, const cli_registry *registry, pawl_error *err)
{
        pawl_text word;
        mcp_tool tool;

        while (next_word(&word, &choice))
                if (!pawl__text_is(word, "all") && !pawl__text_is(word, "core") &&
                        !mcp_tool_find(&tool, registry, word))
                        return pawl__fail(err, PAWL_EINVAL,
                                "\"%.*s\" is not a tool; give core, all, or names such as "
                                "checkpoint,rollback",
                                PAWL__FMT(word));
        return PAWL_OK;
}

struct tool_list {
        pawl__json_writer *w;
        const char *choice;
        const cli_registry *registry;
};

static void write_tool(const mcp_tool *tool, const pawl__buf *name, void *user)
{
        const struct tool_list *listing = user;
        pawl__json_writer *w = listing->w;
        const unsigned traits = tool->cmd->traits;

        if (!is_chosen(pawl__buf_text(name), listing->choice))
                return;
        pawl__json_open_object(w);
        pawl__json_member_text(w, "name", pawl__buf_text(name));
        mcp_tool_member(w, "description", tool->cmd->help, listing->registry);
        write_schema(w, tool, listing->registry);
        pawl__json_name(w, "annotations");
        pawl__json_open_object(w);
        mcp_tool_member(w, "title", tool->cmd->help, listing->registry);
        pawl__json_member_bool(w, "readOnlyHint", !(traits & CLI_CHANGES));
        pawl__json_member_bool(w, "destructiveHint", (traits & CLI_REPLACES) != 0);
        pawl__json_member_bool(w, "openWorldHint", tool->starts);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

void mcp_tools_write(pawl__json_writer *w, const cli_registry *registry, const char *choice)
{
        struct tool_list listing = {w, choice ? choice : core, registry};

        pawl__json_name(w, "tools");
        pawl__json_open_array(w);
        mcp_each_tool(registry, write_tool, &listing);
        pawl__json_close_array(w);
}
