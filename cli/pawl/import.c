/* pawl import: checkpoints out of a file that pawl export wrote. */
#include "cli/pawl/actor.h"
#include "cli/pawl/archive.h"
#include "cli/pawl/commands.h"
#include <pawl/workspace.h>

static pawl_status import(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_archive_result result;
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = pawl_workspace_import(&result, log, cli->args[0], actor, err);
        return status ? status : cli_print_archive(cli, cli->args[0], &result, true, err);
}

static const cli_option import_options[] = {
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_import_cmd = {
        .name = "import",
        .args = "FILE",
        .traits = CLI_CHANGES,
        .options = import_options,
        .help = "Take the checkpoints of an archive into the log, if all of it is what it says",
        .on_log = import,
        .access = CLI_WRITE,
};
