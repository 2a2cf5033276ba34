/* What a wrong usage prints: the usage line, and the command that may have been meant. */
#include "base/error.h"
#include "base/similar.h"
#include "command/command.h"
#include "command/printable.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "--pick N", "--wait[=SECONDS]", "--json" */
static void put_option(FILE *out, const cli_option *option)
{
        fprintf(out, "--%s", option->name);
        if (option->kind == CLI_SECONDS)
                fprintf(out, "[=%s]", option->value);
        else if (option->value)
                fprintf(out, " %s", option->value);
}

/* Options of a group stand together at its first member: "(--pick N | --define TEXT)". */
static void put_usage_option(FILE *out, const cli_option *options, int at)
{
        int members = 0;

        if (!options[at].group) {
                fputs(" [", out);
                put_option(out, &options[at]);
                fputs("]", out);
                return;
        }
        for (int i = 0; options[i].name; i++) {
                if (options[i].group != options[at].group)
                        continue;
                if (i < at)
                        return;
                members++;
        }
        fputs(members > 1 ? " (" : " ", out);
        for (int i = at, n = 0; options[i].name; i++) {
                if (options[i].group != options[at].group)
                        continue;
                fputs(n++ ? " | " : "", out);
                put_option(out, &options[i]);
        }
        fputs(members > 1 ? ")" : "", out);
}

static void put_shared(FILE *out, const cli_program *program)
{
        for (int i = 0; program->shared && program->shared[i].name; i++)
                put_usage_option(out, program->shared, i);
}

void cli_print_usage(FILE *out, const cli_program *program, const cli_cmd *cmd)
{
        if (!cmd) {
                fprintf(out, "usage: %s [--db PATH]", program->name);
                put_shared(out, program);
                fputs(" [--help] [--version] COMMAND [ARGUMENTS]\n", out);
                return;
        }
        fprintf(out, "usage: %s %s%s%s", program->name, cmd->name, cmd->args ? " " : "",
                cmd->args ? cmd->args : "");
        for (int i = 0; cmd->options && cmd->options[i].name; i++)
                put_usage_option(out, cmd->options, i);
        fputs(" [--db PATH]", out);
        put_shared(out, program);
        fputc('\n', out);
}

int cli_usage(const cli_call *cli, const char *format, ...)
{
        char what[PAWL_ERROR_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        if (cli->in->failure)
                pawl__fail(cli->in->failure, PAWL_EINVAL, "%s%s%s; see `%s %s%s--help`",
                        cli->cmd ? cli->cmd->name : "", cli->cmd ? ": " : "", what,
                        cli->program->name, cli->cmd ? cli->cmd->name : "", cli->cmd ? " " : "");
        cli_wrap wrap;
        FILE *err = cli_wrap_begin(&wrap, cli->in->err);
        fprintf(err, "%s: ", cli->program->name);
        if (cli->cmd)
                fprintf(err, "%s: ", cli->cmd->name);
        cli_puts(err, what);
        fprintf(err, "; see `%s %s%s--help`\n", cli->program->name, cli->cmd ? cli->cmd->name : "",
                cli->cmd ? " " : "");
        cli_print_usage(err, cli->program, cli->cmd);
        cli_wrap_end(&wrap);
        return CLI_USAGE;
}

/* What people call these commands who come from other tools. */
static const char *const synonyms[][2] = {
        {"continue", "resume"},
        {"start", "run"},
        {"answer", "resolve"},
        {"questions", "conflicts"},
        {"lint", "check"},
        {"verify", "validate"},
        {"audit", "verify"},
        {"snapshot", "checkpoint"},
        {"save", "checkpoint"},
        {"commit", "checkpoint"},
        {"revert", "rollback"},
        {"reset", "rollback"},
        {"log", "logs"},
        {"log", "list"},
        {"events", "list"},
        {"ls", "runs"},
        {"ls", "list"},
        {"list", "runs"},
        {"cat", "show"},
        {"state", "replay"},
        {NULL, NULL},
};

bool cli_begins_with(const char *name, const char *first)
{
        const size_t len = strlen(first);

        return strncmp(name, first, len) == 0 && name[len] == ' ';
}

bool cli_begins(const cli_program *program, const char *first)
{
        for (const cli_cmd *const *at = program->cmds; *at; at++)
                if (cli_begins_with((*at)->name, first))
                        return true;
        return false;
}

/* Both words where commands begin with the first one, or with what it is near to; else that one. */
static const char *similar_command(const cli_program *program, const char *const *words, int n)
{
        char both[128];
        pawl__similar of_both = {.typed = {both, 0}, .synonyms = synonyms};
        pawl__similar of_first = {.typed = pawl__text(words[0]), .synonyms = synonyms};
        int len = snprintf(both, sizeof both, "%s %s", words[0], n > 1 ? words[1] : "");

        if (n > 1 && len > 0 && (size_t)len < sizeof both)
                of_both.typed.len = (size_t)len;
        for (const cli_cmd *const *at = program->cmds; *at; at++)
                pawl__similar_try(strchr((*at)->name, ' ') ? &of_both : &of_first, (*at)->name);
        return of_both.found ? of_both.found : of_first.found;
}

int cli_unknown(const cli_call *cli, const char *const *words, int n)
{
        char begun[256] = ""; /* the commands of two words whose first one it is */
        size_t used = 0;
        const bool first_known = cli_begins(cli->program, words[0]);
        const char *similar = similar_command(cli->program, words, n);

        for (const cli_cmd *const *at = cli->program->cmds; first_known && *at; at++) {
                if (!cli_begins_with((*at)->name, words[0]))
                        continue;
                int more = snprintf(begun + used, sizeof begun - used, "%s%s",
                        used ? " or " : "; say ", (*at)->name);
                if (more > 0 && (size_t)more < sizeof begun - used)
                        used += (size_t)more;
        }
        const bool second = n > 1 && (first_known || (similar && strchr(similar, ' ')));
        if (similar)
                snprintf(begun, sizeof begun, "; did you mean %s?", similar);
        return cli_usage(cli, "unknown command \"%s%s%s\"%s", words[0], second ? " " : "",
                second ? words[1] : "", begun);
}
