#include "mcp/tools.h"
#include "base/error.h"
#include <ctype.h>
#include <stdlib.h>

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

typedef void (*tool_fn)(const mcp_tool *tool, const pawl__buf *name, void *user);

static void each_tool(const cli_registry *registry, tool_fn fn, void *user)
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

        each_tool(registry, try_tool, &f);
        return f.found;
}

/* ---- A command's arguments ------------------------------------------------------------------- */

/* One word of "A [B] [PATH...]". */
typedef struct argument {
        char name[32]; /* in lower case; of "[TOKEN|RUN]" the first */
        bool required, repeated;
} argument;

/* As cli_next_arg(). */
static bool next_argument(argument *out, const char **at)
{
        cli_arg_name arg;

        if (!cli_next_arg(&arg, at))
                return false;
        *out = (argument){.required = arg.required, .repeated = arg.repeated};
        for (size_t i = 0; i < arg.name.len && i < sizeof out->name - 1 && arg.name.data[i] != '|';
                i++)
                out->name[i] = (char)tolower((unsigned char)arg.name.data[i]);
        return true;
}

/* Not listed, and refused: the options of this machine alone, --json, which is always given, and
 * --actor, since the client's name says who acts. */
static bool is_offered(const cli_option *option, const mcp_tool *tool)
{
        return strcmp(option->name, "json") != 0 && strcmp(option->name, "actor") != 0 &&
               (!cli_is_local(option) || (tool->starts && option->kind == CLI_FILE));
}

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

static void write_properties(pawl__json_writer *w, const mcp_tool *tool)
{
        const cli_cmd *cmd = tool->cmd;
        const char *at = cmd->args;
        argument arg;

        pawl__json_name(w, "properties");
        pawl__json_open_object(w);
        for (int i = 0; next_argument(&arg, &at); i++) {
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
                        pawl__json_member_string(w, "description", cmd->arg_help[i]);
                pawl__json_close_object(w);
        }
        for (const cli_option *o = cmd->options; o && o->name; o++) {
                if (!is_offered(o, tool))
                        continue;
                pawl__json_name(w, o->name);
                pawl__json_open_object(w);
                write_type(w, o);
                pawl__json_member_string(w, "description", o->help);
                pawl__json_close_object(w);
        }
        pawl__json_close_object(w);
}

static void write_schema(pawl__json_writer *w, const mcp_tool *tool)
{
        const char *at = tool->cmd->args;
        argument arg;

        pawl__json_name(w, "inputSchema");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", "object");
        write_properties(w, tool);
        pawl__json_name(w, "required");
        pawl__json_open_array(w);
        while (next_argument(&arg, &at))
                if (arg.required)
                        pawl__json_string(w, arg.name);
        pawl__json_close_array(w);
        pawl__json_member_bool(w, "additionalProperties", false);
        pawl__json_close_object(w);
}

/* ---- Which are listed ------------------------------------------------------------------------ */

/* What an agent needs in most sessions: some clients give the model the first 40 tools alone. */
static const char core[] =
        "status,runs,run,resume,step_begin,step_complete,step_fail,run_end,checkpoint,checkpoints,"
        "diff,rollback,undo,redo,conflicts,resolve,output,logs,handoff,glossary_list";

/* The next word of a list with commas; false: there is none left. */
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

struct listing {
        pawl__json_writer *w;
        const char *choice;
};

static void write_tool(const mcp_tool *tool, const pawl__buf *name, void *user)
{
        const struct listing *listing = user;
        pawl__json_writer *w = listing->w;
        const unsigned traits = tool->cmd->traits;

        if (!is_chosen(pawl__buf_text(name), listing->choice))
                return;
        pawl__json_open_object(w);
        pawl__json_member_text(w, "name", pawl__buf_text(name));
        pawl__json_member_string(w, "description", tool->cmd->help);
        write_schema(w, tool);
        pawl__json_name(w, "annotations");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "title", tool->cmd->help);
        pawl__json_member_bool(w, "readOnlyHint", !(traits & CLI_CHANGES));
        pawl__json_member_bool(w, "destructiveHint", (traits & CLI_REPLACES) != 0);
        pawl__json_member_bool(w, "openWorldHint", tool->starts);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

void mcp_tools_write(pawl__json_writer *w, const cli_registry *registry, const char *choice)
{
        struct listing listing = {w, choice ? choice : core};

        pawl__json_name(w, "tools");
        pawl__json_open_array(w);
        each_tool(registry, write_tool, &listing);
        pawl__json_close_array(w);
}

/* ---- A call ---------------------------------------------------------------------------------- */

void mcp_words_free(mcp_words *words)
{
        free(words->list);
        pawl__arena_free(&words->arena);
}

pawl_status mcp_words_add(mcp_words *words, pawl_text word, pawl_error *err)
{
        if (pawl__grow(&words->list, &words->cap, words->n + 1, sizeof *words->list))
                return pawl__nomem(err);
        words->list[words->n] = pawl__arena_copy(&words->arena, word).data;
        pawl_status status = pawl__arena_check(&words->arena, err);
        words->n += !status;
        return status;
}

/* "Dry_Run" is "dry-run". */
static bool is_named(pawl_text given, const char *name)
{
        if (given.len != strlen(name))
                return false;
        for (size_t i = 0; i < given.len; i++) {
                const char c = given.data[i] == '_' ? '-' : given.data[i];
                if (tolower((unsigned char)c) != tolower((unsigned char)name[i]))
                        return false;
        }
        return true;
}

/* The value as a word would have it. The absent text: it has another type. */
static pawl_text word_of(const pawl__json_node *node)
{
        switch (node->type) {
        case PAWL__JSON_STRING:
        case PAWL__JSON_NUMBER:
                return node->value;
        case PAWL__JSON_TRUE:
                return pawl__text("true");
        default:
                return pawl__text(NULL);
        }
}

static pawl_status wrong(const pawl__json_node *node, const char *what, pawl_error *err)
{
        return pawl__fail(err, PAWL_EINVAL, "arguments.%.*s: %s", PAWL__FMT(node->name), what);
}

static pawl_status check_word(
        pawl_text *word, const pawl__json_node *of, const pawl__json_node *value, pawl_error *err)
{
        *word = word_of(value);
        if (!word->data)
                return wrong(of, "is no text or number; give one", err);
        return memchr(word->data, '\0', word->len) ? wrong(of, "holds a NUL; leave it out", err)
                                                   : PAWL_OK;
}

static pawl_status add_option(mcp_words *out, const cli_option *option, const pawl__json_node *of,
        const pawl__json_node *value, pawl_error *err)
{
        pawl__buf word = PAWL__BUF_INIT;
        pawl_text text;
        pawl_status status = PAWL_OK;

        pawl__buf_addf(&word, "--%s", option->name);
        if (cli_is_flag(option)) {
                if (value->type == PAWL__JSON_FALSE)
                        goto end;
                if (value->type != PAWL__JSON_TRUE)
                        status = wrong(of, "is no boolean; give true or false", err);
        } else {
                status = check_word(&text, of, value, err);
                if (!status) {
                        pawl__buf_addc(&word, '=');
                        pawl__buf_add_text(&word, text);
                }
        }
        if (!status)
                status = pawl__buf_check(&word, err);
        if (!status)
                status = mcp_words_add(out, pawl__buf_text(&word), err);
end:
        pawl__buf_free(&word);
        return status;
}

static pawl_status add_options(mcp_words *out, const cli_option *option,
        const pawl__json_tree *tree, pawl__node node, pawl_error *err)
{
        const pawl__json_node *value = pawl__json_at(tree, node);
        pawl_status status = PAWL_OK;

        if (option->kind != CLI_TEXTS || value->type != PAWL__JSON_ARRAY)
                return add_option(out, option, value, value, err);
        for (pawl__node at = pawl__json_first(tree, node); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, node, at))
                status = add_option(out, option, value, pawl__json_at(tree, at), err);
        return status;
}

static const cli_option *find_option(const mcp_tool *tool, pawl_text name)
{
        for (const cli_option *o = tool->cmd->options; o && o->name; o++)
                if (is_offered(o, tool) && is_named(name, o->name))
                        return o;
        return NULL;
}

static bool is_argument(const mcp_tool *tool, pawl_text name)
{
        const char *at = tool->cmd->args;
        argument arg;

        while (next_argument(&arg, &at))
                if (is_named(name, arg.name))
                        return true;
        return false;
}

static pawl__node find_member(const pawl__json_tree *tree, pawl__node object, const char *name)
{
        if (object == PAWL__NO_NODE)
                return PAWL__NO_NODE;
        for (pawl__node at = pawl__json_first(tree, object); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, object, at))
                if (pawl__json_at(tree, at)->type != PAWL__JSON_NULL &&
                        is_named(pawl__json_at(tree, at)->name, name))
                        return at;
        return PAWL__NO_NODE;
}

static pawl_status add_argument(
        mcp_words *out, const pawl__json_tree *tree, pawl__node node, pawl_error *err)
{
        const pawl__json_node *of = pawl__json_at(tree, node);
        pawl_text word;
        pawl_status status = PAWL_OK;

        if (of->type != PAWL__JSON_ARRAY) {
                status = check_word(&word, of, of, err);
                return status ? status : mcp_words_add(out, word, err);
        }
        for (pawl__node at = pawl__json_first(tree, node); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, node, at)) {
                status = check_word(&word, of, pawl__json_at(tree, at), err);
                if (!status)
                        status = mcp_words_add(out, word, err);
        }
        return status;
}

/* After "--" nothing is an option; where paths come last, it is before them. */
static pawl_status add_arguments(mcp_words *out, const mcp_tool *tool, const pawl__json_tree *tree,
        pawl__node arguments, pawl_error *err)
{
        const char *const dashes = "--";
        const char *at = tool->cmd->args ? tool->cmd->args : "";
        const bool paths = strchr(at, ' ') && strstr(at, "...");
        pawl_status status = PAWL_OK;
        bool missing = false;
        argument arg;

        if (*at && !paths)
                status = mcp_words_add(out, pawl__text(dashes), err);
        while (!status && next_argument(&arg, &at)) {
                const pawl__node node = find_member(tree, arguments, arg.name);
                if (node == PAWL__NO_NODE) {
                        if (arg.required)
                                return pawl__fail(err, PAWL_EINVAL,
                                        "arguments.%s: is missing; give it", arg.name);
                        missing = true;
                        continue;
                }
                if (missing && !(paths && arg.repeated))
                        return pawl__fail(err, PAWL_EINVAL,
                                "arguments.%s: wants the one before it; give that too", arg.name);
                if (paths && arg.repeated)
                        status = mcp_words_add(out, pawl__text(dashes), err);
                else if (paths && pawl__text_starts(word_of(pawl__json_at(tree, node)), "-"))
                        return wrong(
                                pawl__json_at(tree, node), "begins with -; name it otherwise", err);
                if (!status)
                        status = add_argument(out, tree, node, err);
        }
        return status;
}

pawl_status mcp_tool_words(mcp_words *out, const mcp_tool *tool, const pawl__json_tree *tree,
        pawl__node arguments, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (arguments != PAWL__NO_NODE && pawl__json_at(tree, arguments)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL, "arguments: is no object; give one");
        for (const cli_option *o = tool->cmd->options; o && o->name && !status; o++)
                if (strcmp(o->name, "json") == 0)
                        status = mcp_words_add(out, pawl__text("--json"), err);
        if (arguments == PAWL__NO_NODE)
                return status ? status : add_arguments(out, tool, tree, arguments, err);
        for (pawl__node at = pawl__json_first(tree, arguments); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, arguments, at)) {
                const pawl__json_node *node = pawl__json_at(tree, at);
                const cli_option *option = find_option(tool, node->name);
                if (!option && !is_argument(tool, node->name))
                        status = wrong(
                                node, "is not known; the tool's schema lists the arguments", err);
                else if (option && node->type != PAWL__JSON_NULL)
                        status = add_options(out, option, tree, at, err);
        }
        return status ? status : add_arguments(out, tool, tree, arguments, err);
}
