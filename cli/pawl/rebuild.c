/* pawl rebuild: contents of a checkpoint that are gone, from git or the workspace. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include <inttypes.h>
#include <pawl/validate.h>
#include <stdio.h>

#define AT(member) CLI_AT(pawl_rebuilt, member)

static const cli_field fields[] = {
        {"n", CLI_AS_INTEGER, AT(n)},
        {"from_git", CLI_AS_INTEGER, AT(from_git)},
        {"from_workspace", CLI_AS_INTEGER, AT(from_workspace)},
        {"missing", CLI_AS_INTEGER, AT(missing)},
        {"good", CLI_AS_BOOL, AT(good)},
        {"valid", CLI_AS_BOOL, AT(valid)},
        {"others", CLI_AS_INTEGER, AT(others)},
        CLI_NO_FIELD,
};

static void print_text(FILE *out, const pawl_rebuilt *made)
{
        fprintf(out,
                "checkpoint %" PRIu64 ": %" PRIu64 " from git, %" PRIu64
                " from the workspace, %" PRIu64 " missing: %s\n",
                made->n, made->from_git, made->from_workspace, made->missing,
                made->valid  ? "valid"
                : made->good ? "good, but marked otherwise"
                             : "still damaged");
        if (made->others)
                fprintf(out, "%" PRIu64 " other damaged checkpoint%s: valid again\n", made->others,
                        made->others == 1 ? "" : "s");
}

static pawl_status rebuild(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rebuilt made;
        pawl_status status = cli_actor(&options.actor, cli, err);

        options.root = cli->in->workspace;
        if (!status)
                status = pawl_workspace_rebuild(&made, log, cli->args[0], &options, err);
        if (status)
                return status;
        if (cli_given(cli, "json"))
                status = cli_print_object(cli, fields, &made, err);
        else
                print_text(cli->in->out, &made);
        if (!status && !made.good) {
                pawl__fail(cli->in->failure, PAWL_EDAMAGED,
                        "checkpoint %" PRIu64 ": %" PRIu64
                        " of its contents are still missing; put back a copy of the log that has "
                        "them",
                        made.n, made.missing);
                cli->code = CLI_DAMAGED;
        }
        return status;
}

static const cli_option rebuild_options[] = {
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_rebuild_cmd = {
        .name = "rebuild",
        .args = "CHECKPOINT",
        .arg_help = {"the checkpoint"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = rebuild_options,
        .help = "Bring back contents of a checkpoint that are gone, from git or the workspace",
        .on_log = rebuild,
        .access = CLI_WRITE,
};
