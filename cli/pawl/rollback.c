/* pawl rollback, pawl undo and pawl redo: the workspace as a checkpoint has it, and back again. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/plan.h"
#include "cli/pawl/rollback_do.h"
#include "cli/pawl/slot.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/printable.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Print the plan that was made or done. */
static pawl_status print_plan(cli_rollback *g, pawl_rollback_plan *plan, bool applied)
{
        pawl_status status = PAWL_OK;

        if (cli_given(g->cli, "json"))
                status = cli_plan_json(
                        g->cli, plan, applied && !pawl_rollback_plan_look(plan).abandons, g->err);
        else if (applied)
                status = cli_plan_done(g->cli, g->log, plan, g->err);
        else
                cli_plan_print(g->cli->in->out, plan);
        if (!status && applied)
                status = cli_plan_missed(plan, g->err);
        pawl_rollback_plan_free(plan);
        return status;
}

static pawl_status go(cli_rollback *g, const char *which, const char *name, const char *question)
{
        pawl_rollback_plan *plan;

        g->name = name;
        g->question = question;
        TRY(cli_rollback_do(&plan, g, which));
        return print_plan(g, plan, !cli_given(g->cli, "plan"));
}

/* ---- rollback -------------------------------------------------------------------------------- */

static pawl_status extract(cli_rollback *g, const char *which)
{
        char directory[PATH_MAX];
        pawl_status status = cli_absolute(directory, cli_value(g->cli, "dir"), g->err);

        if (!status)
                status = pawl_workspace_extract(g->log, which, directory, &g->workspace, g->err);
        if (!status && !cli_given(g->cli, "json"))
                fprintf(g->cli->in->out, "the files of checkpoint %s are in %s\n", which,
                        directory);
        return status;
}

/* The library does not know what the options are called. */
static pawl_status check_worktree(const cli_rollback *g, const char *which)
{
        pawl_workspace_checkpoints *found = NULL;
        pawl__state *state;
        pawl_status status = pawl_workspace_checkpoint_find(&found, g->log, which, g->err);

        if (!status)
                status = pawl__state_of(&state, g->log, g->err);
        if (!status && !g->options.here && found->items->root.data &&
                !pawl__same_worktree(found->items->worktree, pawl__state_worktree(state, NULL)))
                status = pawl__fail(g->err, PAWL_ESTATE,
                        "checkpoint %s: is of another work tree, %.*s; --dir DIR puts its files into a "
                        "directory of their own, --here brings them here",
                        which,
                        CLI_FMT(*found->items->root.data == '/' ? found->items->root
                                                                : pawl__text("the main one")));
        pawl_workspace_checkpoints_free(found);
        return status;
}

static pawl_status rollback_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *which = cli_arg(cli, 0), *decisions = cli_value(cli, "decisions");
        pawl_rollback_plan *done;
        cli_rollback g;

        TRY(cli_rollback_begin(&g, cli, log, err));
        TRY(cli_take_paths(&g.workspace, cli, err));
        g.options.git = cli_given(cli, "git");
        g.options.drop_decisions = decisions && strcmp(decisions, "drop") == 0;
        g.options.clean = cli_given(cli, "clean");
        g.options.here = cli_given(cli, "here");
        if (cli_given(cli, "dir"))
                return extract(&g, which);
        if (cli_given(cli, "finish") && cli_given(cli, "plan")) {
                g.options.finish = true;
                return go(&g, NULL, "rollback", NULL);
        }
        if (cli_given(cli, "finish")) {
                TRY(pawl_workspace_finish(&done, log, &g.workspace, err));
                return print_plan(&g, done, true);
        }
        TRY(check_worktree(&g, which));
        return go(&g, which, "rollback", "go back?");
}

/* ---- undo, redo ------------------------------------------------------------------------------ */

/* Of a rollback that is half done, undoing is giving it up: its plan was not done. */
static pawl_status give_up(cli_rollback *g)
{
        pawl_rollback_plan *plan = NULL;

        TRY(pawl_workspace_give_up(&plan, g->log, &g->workspace, g->err));
        return print_plan(g, plan, true);
}

static pawl_status undo_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_pending_rollback pending;
        cli_rollback g;

        TRY(cli_rollback_begin(&g, cli, log, err));
        const pawl_status status = pawl_workspace_pending(&pending, log, err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status && !cli_given(cli, "plan") && !cli_given(cli, "apply")) /* of another plan */
                return give_up(&g);
        return go(&g, NULL, "undo", "undo it?");
}

static pawl_status redo_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_rollback g;

        TRY(cli_rollback_begin(&g, cli, log, err));
        g.options.redo = true;
        return go(&g, NULL, "redo", "redo it?");
}

/* ---- The commands ---------------------------------------------------------------------------- */

static int rollback_run(cli_call *cli)
{
        if (cli_given(cli, "finish") && cli_arg(cli, 0))
                return cli_usage(cli, "--finish goes on with the one that was interrupted; name no "
                                      "checkpoint");
        if (!cli_given(cli, "finish") && cli_before_paths(cli) < 1)
                return cli_usage(cli, "name the checkpoint to go back to");
        if (cli_given(cli, "dir") && (cli_given(cli, "finish") || cli_given(cli, "plan") ||
                                             cli_before_paths(cli) < cli->n_args))
                return cli_usage(cli, "--dir takes all files of a checkpoint; leave the rest out");
        if (cli_before_paths(cli) > 1)
                return cli_usage(
                        cli, "one argument too many: \"%s\"; paths come after --", cli->args[1]);
        return cli_with_log(cli, CLI_WRITE, rollback_on_log);
}

static const cli_option rollback_options[] = {
        CLI_ROLLBACK_OPTIONS,
        {"finish", 0, 0, CLI_FLAG, NULL, NULL, "go on with the one that was interrupted"},
        {"clean", 0, 0, CLI_FLAG, NULL, NULL,
                "also remove files that no checkpoint recorded; never ignored ones"},
        {"git", 0, 0, CLI_FLAG, NULL, NULL, "move the branch back too, if nothing is lost by it"},
        {"decisions", 0, 0, CLI_CHOICE, "WHAT", "keep|drop",
                "answers given since: keep them (the default), or drop them to be asked again"},
        {"dir", 0, 0, CLI_FILE, "DIR", NULL,
                "put all its files into this directory, which is empty or not there, and change "
                "nothing here"},
        {"here", 0, 0, CLI_FLAG, NULL, NULL,
                "bring the files of another work tree's checkpoint here"},
        CLI_ROLLBACK_OPTIONS_END,
};
static const cli_option undo_options[] = {
        CLI_ROLLBACK_OPTIONS,
        CLI_ROLLBACK_OPTIONS_END,
};

const cli_cmd pawl_rollback_cmd = {
        .name = "rollback",
        .args = "[CHECKPOINT] [PATH...]",
        .arg_help = {"the checkpoint to go back to",
                "after --: these files and directories alone; no step changes"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = rollback_options,
        .help = "Put the files of the workspace back as a checkpoint has them, all or some",
        .run = rollback_run,
};

const cli_cmd pawl_undo_cmd = {
        .name = "undo",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = undo_options,
        .help = "Reverse the newest rollback or restore, or abandon one that was interrupted",
        .on_log = undo_on_log,
        .access = CLI_WRITE,
};

const cli_cmd pawl_redo_cmd = {
        .name = "redo",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = undo_options,
        .help = "Reverse the newest undo",
        .on_log = redo_on_log,
        .access = CLI_WRITE,
};
