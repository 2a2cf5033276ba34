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

/* ---- What commands say, in the words of tools -------------------------------------------------
 */

/* `pawl session resume S --checkpoint N` is `session_resume S checkpoint N`, and an option is the
 * argument of its name. A command that is not a tool, or has an option that no tool takes, is a
 * person's, and stays a command line. */
static bool begins_option(pawl_text text, size_t i)
{
        return text.len - i > 2 && text.data[i] == '-' && text.data[i + 1] == '-' &&
               islower((unsigned char)text.data[i + 2]) &&
               (i == 0 || strchr(" `(", text.data[i - 1]));
}

static const char help[] = " --help`"; /* a tool's help is in the list of tools */

/* Does the tool take each option that the command line has? */
static bool takes_options(const mcp_tool *tool, pawl_text line)
{
        for (size_t i = 0; i < line.len && line.data[i] != '`'; i++) {
                if (!begins_option(line, i) ||
                        pawl__text_starts(pawl__text_n(line.data + i - 1, line.len - i + 1), help))
                        continue;
                const char *name = line.data + i + 2;
                const cli_option *o = tool->cmd->options;
                while (o && o->name &&
                        (strncmp(name, o->name, strlen(o->name)) != 0 ||
                                !strchr(" =`", name[strlen(o->name)]) || !mcp_offers(o, tool)))
                        o++;
                if (!o || !o->name)
                        return false;
        }
        return true;
}

/* The tool that the words of a command line begin with: the length of its words, or 0. */
static size_t find_tool(pawl__buf *name, pawl_text line, const cli_registry *registry)
{
        size_t found = 0, len = 0;
        pawl__buf words = PAWL__BUF_INIT;
        mcp_tool tool;

        for (int i = 0; i < 3 && len < line.len; i++) {
                const size_t from = len;
                while (len < line.len && !strchr(" `", line.data[len]))
                        len++;
                const pawl_text word = pawl__text_n(line.data + from, len - from);
                if (i > 0 || !pawl__text_is(word, registry->programs[0]->name)) {
                        if (words.len)
                                pawl__buf_addc(&words, '_');
                        pawl__buf_add_text(&words, word);
                }
                if (mcp_tool_find(&tool, registry, pawl__buf_text(&words)) &&
                        takes_options(&tool, line)) {
                        pawl__buf_clear(name);
                        pawl__buf_add_text(name, pawl__buf_text(&words));
                        found = len;
                }
                len += len < line.len && line.data[len] == ' ';
        }
        pawl__buf_free(&words);
        return found;
}

void mcp_tool_text(pawl__buf *out, pawl_text text, const cli_registry *registry)
{
        pawl__buf name = PAWL__BUF_INIT;
        bool quoted = false, command = false; /* between back quotes, a command line */

        for (size_t i = 0; i < text.len; i++) {
                if (!command && begins_option(text, i)) {
                        i++;
                        continue;
                }
                if (!command && quoted &&
                        pawl__text_starts(pawl__text_n(text.data + i, text.len - i), help))
                        i += sizeof help - 2;
                pawl__buf_addc(out, text.data[i]);
                if (text.data[i] != '`')
                        continue;
                quoted = !quoted;
                command = false;
                if (!quoted)
                        continue;
                const pawl_text line = pawl__text_n(text.data + i + 1, text.len - i - 1);
                const size_t len = find_tool(&name, line, registry);
                pawl__buf_add_text(out, len ? pawl__buf_text(&name) : pawl__text(""));
                command = !len && (pawl__text_starts(line, "pawl ") ||
                                          pawl__text_starts(line, "eventlog "));
                i += len;
        }
        out->failed |= name.failed;
        pawl__buf_free(&name);
}

void mcp_tool_member(
        pawl__json_writer *w, const char *name, const char *text, const cli_registry *registry)
{
        pawl__buf said = PAWL__BUF_INIT;

        mcp_tool_text(&said, pawl__text(text), registry);
        pawl__json_member_text(w, name, pawl__buf_text(&said));
        w->buf.failed |= said.failed;
        pawl__buf_free(&said);
}
