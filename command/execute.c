/* Running a command in a context. */
#include "command/find.h"
#include <stdlib.h>

static int run_cmd(cli_call *cli)
{
        struct cli_ending ending = {.close_code = CLI_DONE};
        pawl__arena arena = PAWL__ARENA_INIT;
        const cli_cmd *cmd = cli->cmd;

        cli->ending = &ending;
        cli->arena = &arena;
        int code = cmd->run ? cmd->run(cli) : cli_with_log(cli, cmd->access, cmd->on_log);
        cli->ending = NULL;
        cli->arena = NULL;
        pawl__arena_free(&arena);
        return code ? code : ending.close_code;
}

int cli_run(cli_call *cli)
{
        if (cli->help && cli->cmd) {
                cli_print_cmd_help(cli->in->out, cli->program, cli->cmd);
                if (cli->cmd->more_help)
                        cli->cmd->more_help(cli);
        } else if (cli->help && cli->n_args)
                cli_print_word_help(cli->in->out, cli->program, cli->args[0]);
        else if (cli->help)
                cli_print_program_help(cli->in->out, cli->program);
        else if (cli->version)
                fprintf(cli->in->out, "%s %s (SQLite %s)\n", cli->program->name, pawl_version(),
                        pawl_sqlite_version());
        else
                return run_cmd(cli);
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
