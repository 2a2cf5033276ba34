/* pawl export: checkpoints into one file, for another machine. */
#include "cli/pawl/archive.h"
#include "cli/pawl/commands.h"
#include <pawl/workspace.h>

static pawl_status export(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *output = cli_value(cli, "output");
        pawl_archive_result result;
        pawl_status status =
                pawl_workspace_export(&result, log, cli->args, (size_t)cli->n_args, output, err);

        return status ? status : cli_print_archive(cli, output, &result, false, err);
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
        .options = export_options,
        .help = "Write checkpoints of the workspace into one file, with all that they hold",
        .on_log = export,
        .access = CLI_LOOK,
};
