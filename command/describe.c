#include "command/describe.h"
#include <string.h>

static const char *kind_name(cli_kind kind)
{
        switch (kind) {
        case CLI_FLAG:
        case CLI_LOCAL:
        case CLI_DRY_RUN:
                return "flag";
        case CLI_TEXT:
                return "text";
        case CLI_TEXTS:
                return "texts";
        case CLI_FILE:
                return "file";
        case CLI_NUMBER:
                return "number";
        case CLI_COUNT:
                return "count";
        case CLI_SECONDS:
                return "seconds";
        case CLI_DURATION:
                return "duration";
        case CLI_SIZE:
                return "size";
        case CLI_CHOICE:
                return "choice";
        }
        return "text";
}

static void write_letter(pawl__json_writer *w, const char *name, const char *letter)
{
        pawl__json_member_text(w, name, pawl__text_n(*letter ? letter : NULL, *letter != '\0'));
}

static void write_choices(pawl__json_writer *w, const cli_option *option)
{
        pawl__json_name(w, "choices");
        if (option->kind != CLI_CHOICE) {
                pawl__json_null(w);
                return;
        }
        pawl__json_open_array(w);
        for (const char *at = option->choices; at;) {
                const char *end = strchr(at, '|');
                pawl__json_text(w, pawl__text_n(at, end ? (size_t)(end - at) : strlen(at)));
                at = end ? end + 1 : NULL;
        }
        pawl__json_close_array(w);
}

static void write_options(pawl__json_writer *w, const cli_option *options)
{
        pawl__json_open_array(w);
        for (; options && options->name; options++) {
                if (cli_is_local(options) || strcmp(options->name, "json") == 0)
                        continue;
                pawl__json_open_object(w);
                pawl__json_member_string(w, "name", options->name);
                write_letter(w, "letter", &options->letter);
                pawl__json_member_string(w, "kind", kind_name(options->kind));
                pawl__json_member_text(w, "value", pawl__text(options->value));
                write_choices(w, options);
                write_letter(w, "group", &options->group);
                pawl__json_member_bool(w, "dry_run", options->kind == CLI_DRY_RUN);
                pawl__json_member_string(w, "description", options->help);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void write_arguments(pawl__json_writer *w, const cli_cmd *cmd)
{
        const char *at = cmd->args;
        cli_arg_name arg;

        pawl__json_open_array(w);
        for (int i = 0; cli_next_arg(&arg, &at); i++) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "name", arg.name);
                pawl__json_member_text(w, "description",
                        pawl__text(i < CLI_ARG_HELP_MAX ? cmd->arg_help[i] : NULL));
                pawl__json_member_bool(w, "required", arg.required);
                pawl__json_member_bool(w, "isRequired", arg.required);
                pawl__json_member_bool(w, "repeated", arg.repeated);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* The words before a program's commands in the registry: none for the first. */
static void write_name(pawl__json_writer *w, const char *prefix, pawl_text name, const char *member)
{
        pawl__buf whole = PAWL__BUF_INIT;

        if (*prefix)
                pawl__buf_addf(&whole, "%s ", prefix);
        pawl__buf_add_text(&whole, name);
        pawl__json_member_text(w, member, pawl__buf_text(&whole));
        w->buf.failed |= whole.failed;
        pawl__buf_free(&whole);
}

static bool served(const cli_cmd *cmd)
{
        return (cmd->traits & CLI_SERVED) != 0;
}

static pawl_text first_word(const cli_cmd *cmd)
{
        return pawl__text_n(cmd->name, strcspn(cmd->name, " "));
}

static bool is_below(const cli_cmd *cmd, pawl_text first)
{
        return strlen(cmd->name) > first.len && cmd->name[first.len] == ' ' &&
               memcmp(cmd->name, first.data, first.len) == 0;
}

/* Where the list of the commands below one begins. */
static size_t open_below(pawl__json_writer *w)
{
        pawl__json_name(w, "sub_commands");
        const size_t at = w->buf.len;
        pawl__json_open_array(w);
        return at;
}

/* The list once more, by the name that the agent servers of others give it. */
static void close_below(pawl__json_writer *w, size_t at)
{
        pawl__buf list = PAWL__BUF_INIT;

        pawl__json_close_array(w);
        if (!w->buf.failed)
                pawl__buf_add(&list, w->buf.data + at, w->buf.len - at);
        pawl__json_member_raw(w, "subCommands", pawl__buf_text(&list));
        w->buf.failed |= list.failed;
        pawl__buf_free(&list);
}

static size_t open_command(pawl__json_writer *w, const char *prefix, const cli_cmd *cmd)
{
        pawl__json_open_object(w);
        write_name(w, prefix, pawl__text(cmd->name), "name");
        pawl__json_member_string(w, "description", cmd->help);
        pawl__json_name(w, "arguments");
        write_arguments(w, cmd);
        pawl__json_name(w, "options");
        write_options(w, cmd->options);
        return open_below(w);
}

/* A first word that is no command itself. */
static size_t open_group(pawl__json_writer *w, const char *prefix, pawl_text name, const char *help)
{
        pawl__json_open_object(w);
        write_name(w, prefix, name, "name");
        pawl__json_member_string(w, "description", help);
        pawl__json_name(w, "arguments");
        pawl__json_open_array(w);
        pawl__json_close_array(w);
        pawl__json_name(w, "options");
        pawl__json_open_array(w);
        pawl__json_close_array(w);
        return open_below(w);
}

/* Ends what open_command() or, with NULL, open_group() began, which gave @p at. */
static void close_command(pawl__json_writer *w, size_t at, const cli_cmd *cmd)
{
        unsigned traits = cmd ? cmd->traits : 0;

        close_below(w, at);
        pawl__json_member_bool(w, "runs", cmd != NULL);
        pawl__json_member_bool(w, "requires_workspace", (traits & CLI_WORKSPACE) != 0);
        pawl__json_member_bool(w, "changes", (traits & CLI_CHANGES) != 0);
        pawl__json_member_bool(w, "streaming", (traits & CLI_LINES) != 0);
        pawl__json_close_object(w);
}

static void write_below(
        pawl__json_writer *w, const char *prefix, const cli_program *program, pawl_text first)
{
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                if (!served(*cmd) || !is_below(*cmd, first))
                        continue;
                const size_t at = open_command(w, prefix, *cmd);
                close_command(w, at, *cmd);
        }
}

/* Does the command's first word stand for the first time here? */
static bool leads(const cli_program *program, const cli_cmd *const *cmd)
{
        pawl_text first = first_word(*cmd);

        for (const cli_cmd *const *before = program->cmds; before != cmd; before++)
                if (served(*before) && pawl__text_eq(first_word(*before), first))
                        return false;
        return true;
}

static const cli_cmd *command_of(const cli_program *program, pawl_text name)
{
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++)
                if (served(*cmd) && pawl__text_is(name, (*cmd)->name))
                        return *cmd;
        return NULL;
}

/* "start, update, end": what is below a word that is no command itself. */
static size_t open_words(
        pawl__json_writer *w, const char *prefix, const cli_program *program, pawl_text first)
{
        pawl__buf names = PAWL__BUF_INIT;

        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++)
                if (served(*cmd) && is_below(*cmd, first))
                        pawl__buf_addf(&names, "%s%s", names.len ? ", " : "",
                                (*cmd)->name + first.len + 1);
        const size_t at = open_group(w, prefix, first, pawl__buf_text(&names).data);
        w->buf.failed |= names.failed;
        pawl__buf_free(&names);
        return at;
}

static void write_program(pawl__json_writer *w, const char *prefix, const cli_program *program)
{
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                if (!served(*cmd) || !leads(program, cmd))
                        continue;
                pawl_text first = first_word(*cmd);
                const cli_cmd *own = command_of(program, first);
                const size_t at =
                        own ? open_command(w, prefix, own) : open_words(w, prefix, program, first);
                write_below(w, prefix, program, first);
                close_command(w, at, own);
        }
}

void cli_describe(pawl__json_writer *w, const cli_registry *registry)
{
        pawl__json_open_object(w);
        pawl__json_name(w, "commands");
        pawl__json_open_array(w);
        for (const cli_program *const *at = registry->programs; *at; at++) {
                if (at == registry->programs) {
                        write_program(w, "", *at);
                        continue;
                }
                const size_t list = open_group(w, "", pawl__text((*at)->name), (*at)->help);
                write_program(w, (*at)->name, *at);
                close_command(w, list, NULL);
        }
        pawl__json_close_array(w);
        pawl__json_close_object(w);
}
