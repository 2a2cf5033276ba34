/* What --help and help print, all of it read from the tables. */
#include "command/command.h"
#include "command/printable.h"
#include <stdio.h>
#include <string.h>

static void put_options(FILE *out, const cli_option *options)
{
        for (int i = 0; options && options[i].name; i++) {
                const cli_option *option = &options[i];
                char left[48];
                snprintf(left, sizeof left, "%s%c%s--%s%s%s%s", option->letter ? "-" : " ",
                        option->letter ? option->letter : ' ', option->letter ? ", " : "  ",
                        option->name,
                        option->kind == CLI_SECONDS ? "[="
                        : option->value             ? " "
                                                    : "",
                        option->value ? option->value : "", option->kind == CLI_SECONDS ? "]" : "");
                fprintf(out, "  %-26s  %s\n", left, option->help);
        }
}

void cli_print_program_help(FILE *stream, const cli_program *program)
{
        cli_wrap wrap;
        FILE *out = cli_wrap_begin(&wrap, stream);

        cli_print_usage(out, program, NULL);
        fprintf(out, "\n%s.\n\n", program->help);
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                char left[64];
                snprintf(left, sizeof left, "%s%s%s", (*cmd)->name, (*cmd)->args ? " " : "",
                        (*cmd)->args ? (*cmd)->args : "");
                fprintf(out, "  %-26s  %s\n", left, (*cmd)->help);
        }
        fprintf(out, "\n");
        put_options(out, program->shared);
        put_options(out, cli_globals);
        fprintf(out, "\n`%s help COMMAND` tells more of one; `man %s` tells all.\n", program->name,
                program->name);
        cli_wrap_end(&wrap);
}

void cli_print_cmd_help(FILE *stream, const cli_program *program, const cli_cmd *cmd)
{
        cli_wrap wrap;
        FILE *out = cli_wrap_begin(&wrap, stream);

        cli_print_usage(out, program, cmd);
        fprintf(out, "\n%s.\n\n", cmd->help);
        put_options(out, cmd->options);
        put_options(out, program->shared);
        put_options(out, cli_globals);
        cli_wrap_end(&wrap);
}

void cli_print_word_help(FILE *out, const cli_program *program, const char *first)
{
        const char *between = "";

        for (const cli_cmd *const *at = program->cmds; *at; at++) {
                if (!cli_begins_with((*at)->name, first))
                        continue;
                fputs(between, out);
                cli_print_cmd_help(out, program, *at);
                between = "\n";
        }
}

static int help_run(cli_call *cli)
{
        const char *const *words = cli->args;
        int used = 0;

        if (cli->n_args == 0) {
                cli_print_program_help(cli->in->out, cli->program);
                return CLI_DONE;
        }
        const cli_cmd *cmd = cli_find(cli->program, words, cli->n_args, &used);
        if (cmd && used == cli->n_args)
                cli_print_cmd_help(cli->in->out, cli->program, cmd);
        else if (cli->n_args == 1 && cli_begins(cli->program, words[0]))
                cli_print_word_help(cli->in->out, cli->program, words[0]);
        else if (cmd)
                return cli_usage(cli, "one argument too many: \"%s\"", words[used]);
        else
                return cli_unknown(cli, words, cli->n_args);
        return CLI_DONE;
}

const cli_cmd cli_help_cmd = {
        .name = "help",
        .args = "[COMMAND]",
        .more_args = 1,
        .help = "Say how a command is used",
        .run = help_run,
};
