/* Bash completion, written out from the tables: `PROGRAM completion bash`. */
#include "base/text.h"
#include "command/command.h"
#include <stdio.h>
#include <string.h>

static void put_choices(FILE *out, const char *choices)
{
        for (; *choices; choices++)
                fputc(*choices == '|' ? ' ' : *choices, out);
}

/* What may stand after an option that takes a value. */
static void put_value_case(FILE *out, const cli_option *option)
{
        if (cli_is_flag(option) || option->kind == CLI_SECONDS)
                return;
        fprintf(out, "        --%s", option->name);
        if (option->letter)
                fprintf(out, "|-%c", option->letter);
        fprintf(out, ")\n                ");
        if (option->kind == CLI_CHOICE) {
                fprintf(out, "COMPREPLY=($(compgen -W '");
                put_choices(out, option->choices);
                fprintf(out, "' -- \"$cur\"))\n                ");
        } else if (option->kind == CLI_FILE) {
                fprintf(out, "COMPREPLY=($(compgen -f -- \"$cur\"))\n                ");
        }
        fprintf(out, "return\n                ;;\n");
}

/* Has an earlier subcommand an option of this name? It takes the same values. */
static bool seen_before(const cli_program *program, const cli_cmd *const *upto, const char *name)
{
        for (const cli_cmd *const *cmd = program->cmds; cmd != upto; cmd++)
                for (int i = 0; (*cmd)->options && (*cmd)->options[i].name; i++)
                        if (strcmp((*cmd)->options[i].name, name) == 0)
                                return true;
        return false;
}

static void put_option_names(FILE *out, const cli_option *options)
{
        for (int i = 0; options && options[i].name; i++)
                fprintf(out, " --%s", options[i].name);
}

/* The names of the subcommands, first words once; or the second words after @p first. */
static void put_words(FILE *out, const cli_program *program, const char *first)
{
        const char *last = "";
        size_t last_len = 0;

        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const char *name = (*cmd)->name;
                const char *space = strchr(name, ' ');
                size_t len = space ? (size_t)(space - name) : strlen(name);
                if (first) {
                        if (space && strlen(first) == len && memcmp(first, name, len) == 0)
                                fprintf(out, " %s", space + 1);
                } else if (len != last_len || memcmp(name, last, len) != 0) {
                        fprintf(out, " %.*s", (int)len, name);
                        last = name;
                        last_len = len;
                }
        }
}

static void put_pairs(FILE *out, const cli_program *program)
{
        char done[32] = "";

        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const char *space = strchr((*cmd)->name, ' ');
                char first[32];
                if (!space)
                        continue;
                snprintf(first, sizeof first, "%.*s", (int)(space - (*cmd)->name), (*cmd)->name);
                if (strcmp(first, done) == 0)
                        continue;
                memcpy(done, first, sizeof done);
                fprintf(out, "        %s)\n                COMPREPLY=($(compgen -W '", first);
                put_words(out, program, first);
                fprintf(out, "' -- \"$cur\"))\n                return\n                ;;\n");
        }
}

static void put_script(FILE *out, const cli_program *program)
{
        fprintf(out,
                "# bash completion for %s, written by `%s completion bash`\n_%s()\n{\n"
                "        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "        local i cmd=\n        COMPREPLY=()\n\n        case $prev in\n",
                program->name, program->name, program->name);
        put_value_case(out, &cli_globals[0]);
        for (int i = 0; program->shared && program->shared[i].name; i++)
                put_value_case(out, &program->shared[i]);
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++)
                for (int i = 0; (*cmd)->options && (*cmd)->options[i].name; i++)
                        if (!seen_before(program, cmd, (*cmd)->options[i].name))
                                put_value_case(out, &(*cmd)->options[i]);
        fprintf(out, "        esac\n\n"
                     "        for ((i = 1; i < COMP_CWORD; i++)); do\n"
                     "                case ${COMP_WORDS[i]} in\n"
                     "                --db|--key-file) ((i++)) ;;\n"
                     "                -*) ;;\n"
                     "                *) cmd+=${cmd:+ }${COMP_WORDS[i]} ;;\n"
                     "                esac\n        done\n\n        case $cmd in\n"
                     "        '')\n                COMPREPLY=($(compgen -W '");
        put_words(out, program, NULL);
        put_option_names(out, program->shared);
        put_option_names(out, cli_globals);
        fprintf(out, "' -- \"$cur\"))\n                return\n                ;;\n");
        put_pairs(out, program);
        fprintf(out,
                "        esac\n\n        if [[ $cur != -* ]]; then\n"
                "                COMPREPLY=($(compgen -f -- \"$cur\"))\n                return\n"
                "        fi\n\n        case $cmd in\n");
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                fprintf(out, "        '%s' | '%s '*)\n                COMPREPLY=($(compgen -W '",
                        (*cmd)->name, (*cmd)->name);
                put_option_names(out, (*cmd)->options);
                put_option_names(out, program->shared);
                put_option_names(out, cli_globals);
                fprintf(out, "' -- \"$cur\"))\n                ;;\n");
        }
        fprintf(out, "        esac\n}\ncomplete -o filenames -F _%s %s\n", program->name,
                program->name);
}

static int completion_run(cli_call *cli)
{
        if (strcmp(cli->args[0], "bash") != 0)
                return cli_usage(cli, "there is no completion for \"%s\"; give bash", cli->args[0]);
        put_script(cli->in->out, cli->program);
        return CLI_DONE;
}

const cli_cmd cli_completion_cmd = {
        .name = "completion",
        .args = "bash",
        .min_args = 1,
        .max_args = 1,
        .help = "Print the completion script of a shell",
        .run = completion_run,
};
