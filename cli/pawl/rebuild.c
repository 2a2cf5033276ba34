/* pawl rebuild: contents of a checkpoint that are gone, from git or the workspace. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include <inttypes.h>
#include <pawl/validate.h>
#include <stdio.h>

static int print(const cli_call *cli, const pawl_rebuilt *made)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        int code = CLI_DONE;

        if (cli_given(cli, "json")) {
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "n", (int64_t)made->n);
                pawl__json_member_integer(&w, "from_git", (int64_t)made->from_git);
                pawl__json_member_integer(&w, "from_workspace", (int64_t)made->from_workspace);
                pawl__json_member_integer(&w, "missing", (int64_t)made->missing);
                pawl__json_member_bool(&w, "good", made->good);
                pawl__json_member_bool(&w, "valid", made->valid);
                pawl__json_member_integer(&w, "others", (int64_t)made->others);
                pawl__json_close_object(&w);
                code = cli_print_json(cli, &w);
        } else {
                fprintf(cli->in->out,
                        "checkpoint %" PRIu64 ": %" PRIu64 " from git, %" PRIu64
                        " from the workspace, %" PRIu64 " missing: %s\n",
                        made->n, made->from_git, made->from_workspace, made->missing,
                        made->valid  ? "valid"
                        : made->good ? "good, but marked otherwise"
                                     : "still damaged");
                if (made->others)
                        fprintf(cli->in->out,
                                "%" PRIu64 " other damaged checkpoint%s: valid again\n",
                                made->others, made->others == 1 ? "" : "s");
        }
        if (code != CLI_DONE || made->good)
                return code;
        pawl__fail(cli->in->failure, PAWL_EDAMAGED,
                "checkpoint %" PRIu64 ": %" PRIu64 " of its contents are still missing; put back a "
                "copy of the log that has them",
                made->n, made->missing);
        return CLI_DAMAGED;
}

static int rebuild_run(cli_call *cli)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl__buf actor = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_rebuilt made;
        pawl_log *log = NULL;
        pawl_status status = cli_actor(&actor, cli, &err);

        options.actor = actor.data;
        options.root = cli->in->workspace;
        if (!status)
                status = cli_open_log(&log, cli, CLI_WRITE, &err);
        if (!status)
                status = pawl_workspace_rebuild(&made, log, cli->args[0], &options, &err);
        cli_close_log(cli, log);
        pawl__buf_free(&actor);
        return status ? cli_fail(cli, &err) : print(cli, &made);
}

static const cli_option rebuild_options[] = {
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_rebuild_cmd = {
        .name = "rebuild",
        .args = "CHECKPOINT",
        .min_args = 1,
        .max_args = 1,
        .arg_help = {"the checkpoint"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE,
        .options = rebuild_options,
        .help = "Bring back contents of a checkpoint that are gone, from git or the workspace",
        .run = rebuild_run,
};
