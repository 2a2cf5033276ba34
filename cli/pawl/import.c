/* pawl import: checkpoints out of a file that pawl export wrote. */
#include "cli/pawl/actor.h"
#include "cli/pawl/archive.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include <pawl/workspace.h>

static int import_run(cli_call *cli)
{
        pawl__buf actor = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_archive_result result;
        pawl_log *log = NULL;
        pawl_status status = cli_actor(&actor, cli, &err);

        if (!status)
                status = cli_open_log(&log, cli, CLI_WRITE, &err);
        if (!status)
                status = pawl_workspace_import(&result, log, cli->args[0], actor.data, &err);
        cli_close_log(cli, log);
        pawl__buf_free(&actor);
        return status ? cli_fail(cli, &err) : cli_print_archive(cli, cli->args[0], &result, true);
}

static const cli_option import_options[] = {
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_import_cmd = {
        .name = "import",
        .args = "FILE",
        .min_args = 1,
        .max_args = 1,
        .traits = CLI_CHANGES,
        .options = import_options,
        .help = "Take the checkpoints of an archive into the log, if all of it is what it says",
        .run = import_run,
};
