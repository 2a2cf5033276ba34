/* Running a command in a context. */
#include "command/command.h"
#include <stdlib.h>

static int run(cli_call *cli)
{
        if (cli->help && cli->cmd)
                cli_print_cmd_help(cli->in->out, cli->program, cli->cmd);
        else if (cli->help)
                cli_print_program_help(cli->in->out, cli->program);
        else if (cli->version)
                fprintf(cli->in->out, "%s %s\n", cli->program->name, pawl_version());
        else
                return cli->cmd->run(cli);
        return CLI_DONE;
}

static int finish(cli_call *cli, int code)
{
        if (!code)
                code = run(cli);
        free(cli->repeated);
        return code;
}

int cli_execute(
        const cli_program *program, const char *const *words, size_t n, const cli_context *in)
{
        cli_call cli;

        return finish(&cli, cli_parse(&cli, program, words, n, in));
}

int cli_execute_cmd(const cli_program *program, const cli_cmd *cmd, const char *const *words,
        size_t n, const cli_context *in)
{
        cli_call cli;

        return finish(&cli, cli_parse_cmd(&cli, program, cmd, words, n, in));
}
