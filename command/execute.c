/* Running a command in a context. */
#include "command/command.h"
#include <stdlib.h>

int cli_run(cli_call *cli)
{
        if (cli->help && cli->cmd)
                cli_print_cmd_help(cli->in->out, cli->program, cli->cmd);
        else if (cli->help && cli->n_args)
                cli_print_word_help(cli->in->out, cli->program, cli->args[0]);
        else if (cli->help)
                cli_print_program_help(cli->in->out, cli->program);
        else if (cli->version)
                fprintf(cli->in->out, "%s %s\n", cli->program->name, pawl_version());
        else
                return cli->cmd->run(cli);
        return CLI_DONE;
}

int cli_execute(
        const cli_program *program, const char *const *words, size_t n, const cli_context *in)
{
        cli_call cli;
        int code = cli_parse(&cli, program, words, n, in);

        if (!code)
                code = cli_run(&cli);
        free(cli.repeated);
        return code;
}
