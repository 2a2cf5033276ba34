/* pawl pin: a checkpoint of the workspace that stays. */
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include <pawl/workspace.h>

static pawl_status print_json(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_workspace_checkpoints *found;
        pawl_status status = pawl_workspace_checkpoint_find(&found, log, cli->args[0], err);

        if (!status) {
                status = cli_print_object(cli, cli_checkpoint_fields, found->items, err);
                pawl_workspace_checkpoints_free(found);
        }
        return status;
}

static pawl_status pin(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = pawl_workspace_checkpoint_pin(
                        log, cli->args[0], !cli_given(cli, "off"), actor, err);
        return status || !cli_given(cli, "json") ? status : print_json(cli, log, err);
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
        .arg_help = {"the checkpoint"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = pin_options,
        .help = "Keep a checkpoint of the workspace from being pruned",
        .on_log = pin,
        .access = CLI_WRITE,
};
