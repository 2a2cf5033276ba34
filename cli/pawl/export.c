/* pawl export: checkpoints into one file, for another machine. */
#include "cli/pawl/archive.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include <pawl/workspace.h>

static int export_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_archive_result result;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        pawl_status status = pawl_workspace_export(
                &result, log, cli->args, (size_t)cli->n_args, cli_value(cli, "output"), &err);
        cli_close_log(cli, log);
        return status ? cli_fail(cli, &err)
                      : cli_print_archive(cli, cli_value(cli, "output"), &result, false);
}

static const cli_option export_options[] = {
        {"output", 'o', 'o', CLI_FILE, "FILE", NULL,
                "the archive: a .tar.zst, replaced if it is there"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_export_cmd = {
        .name = "export",
        .args = "[CHECKPOINT...]",
        .min_args = 0,
        .max_args = CLI_ARGS_MAX,
        .options = export_options,
        .help = "Write checkpoints of the workspace into one file, with all that they hold",
        .run = export_run,
};
