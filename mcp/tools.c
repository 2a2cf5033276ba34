#include "mcp/tools.h"
#include <ctype.h>

/* ---- Which ----------------------------------------------------------------------------------- */

/* Commands that start programs, and are no good to a service, but to an agent. */
static bool starts_programs(const cli_cmd *cmd)
{
        return strcmp(cmd->name, "run") == 0 || strcmp(cmd->name, "resume") == 0;
}

static bool is_tool(const cli_cmd *cmd)
{
        return (cmd->traits & CLI_SERVED) || starts_programs(cmd);
}

/* The commands of the registry's first program have their own names. */
static void write_name(pawl__buf *out, const cli_registry *registry, const cli_program *program,
        const cli_cmd *cmd)
{
        pawl__buf_clear(out);
        if (program != registry->programs[0])
                pawl__buf_addf(out, "%s_", program->name);
        for (const char *c = cmd->name; *c; c++)
                pawl__buf_addc(out, *c == ' ' || *c == '-' ? '_' : *c);
}

void mcp_each_tool(const cli_registry *registry, mcp_tool_fn fn, void *user)
{
        pawl__buf name = PAWL__BUF_INIT;

        for (const cli_program *const *program = registry->programs; *program; program++)
                for (const cli_cmd *const *cmd = (*program)->cmds; *cmd; cmd++) {
                        const mcp_tool tool = {*program, *cmd, starts_programs(*cmd)};
                        if (!is_tool(*cmd))
                                continue;
                        write_name(&name, registry, *program, *cmd);
                        if (!name.failed)
                                fn(&tool, &name, user);
                }
        pawl__buf_free(&name);
}

struct finding {
        mcp_tool *out;
        pawl_text name;
        bool found;
};

static void try_tool(const mcp_tool *tool, const pawl__buf *name, void *user)
{
        struct finding *f = user;

        if (!pawl__text_eq(pawl__buf_text(name), f->name))
                return;
        *f->out = *tool;
        f->found = true;
}

bool mcp_tool_find(mcp_tool *out, const cli_registry *registry, pawl_text name)
{
        struct finding f = {out, name, false};

        mcp_each_tool(registry, try_tool, &f);
        return f.found;
}

/* ---- A command's arguments ------------------------------------------------------------------- */

bool mcp_next_argument(mcp_argument *out, const char **at)
{
        cli_arg_name arg;

        if (!cli_next_arg(&arg, at))
                return false;
        *out = (mcp_argument){.required = arg.required, .repeated = arg.repeated};
        for (size_t i = 0; i < arg.name.len && i < sizeof out->name - 1 && arg.name.data[i] != '|';
                i++)
                out->name[i] = (char)tolower((unsigned char)arg.name.data[i]);
        return true;
}

/* Not listed, and refused: the options of this machine alone, --json, which is always given,
 * --actor, since the client's name says who acts, and --within, which the carrier sets. */
bool mcp_offers(const cli_option *option, const mcp_tool *tool)
{
        return strcmp(option->name, "json") != 0 && strcmp(option->name, "actor") != 0 &&
               strcmp(option->name, "within") != 0 &&
               (!cli_is_local(option) || (tool->starts && option->kind == CLI_FILE));
}
