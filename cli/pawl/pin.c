/* pawl pin: a checkpoint of the workspace that stays. */
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include <pawl/workspace.h>

static int print_json(const cli_call *cli, pawl_log *log)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_workspace_checkpoints *found;

        if (pawl_workspace_checkpoint_find(&found, log, cli->args[0], &err))
                return cli_fail(cli, &err);
        pawl__json_open_object(&w);
        cli_checkpoint_members(&w, pawl_workspace_checkpoints_at(found, 0));
        pawl__json_close_object(&w);
        pawl_workspace_checkpoints_free(found);
        return cli_print_json(cli, &w);
}

static int pin(const cli_call *cli, const char *actor)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;
        int code = CLI_DONE;

        if (cli_open_log(&log, cli, CLI_WRITE, &err))
                return cli_fail(cli, &err);
        if (pawl_workspace_checkpoint_pin(log, cli->args[0], !cli_given(cli, "off"), actor, &err))
                code = cli_fail(cli, &err);
        else if (cli_given(cli, "json"))
                code = print_json(cli, log);
        cli_close_log(cli, log);
        return code;
}

static int pin_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf actor = PAWL__BUF_INIT;
        int code = cli_actor(&actor, cli, &err) ? cli_fail(cli, &err) : pin(cli, actor.data);

        pawl__buf_free(&actor);
        return code;
}

static const cli_option pin_options[] = {
        {"off", 0, 0, CLI_FLAG, NULL, NULL, "no longer"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object, as `show --json` has it"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_pin_cmd = {
        .name = "pin",
        .args = "CHECKPOINT",
        .min_args = 1,
        .max_args = 1,
        .arg_help = {"the checkpoint"},
        .traits = CLI_SERVED | CLI_CHANGES,
        .options = pin_options,
        .help = "Keep a checkpoint of the workspace from being pruned",
        .run = pin_run,
};
