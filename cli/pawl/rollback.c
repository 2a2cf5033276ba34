/* pawl rollback, pawl undo and pawl redo: the workspace as a checkpoint has it, and back again. */
#include "base/error.h"
#include "cli/pawl/agree.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/plan.h"
#include "cli/pawl/slot.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/printable.h"
#include <inttypes.h>
#include <limits.h>
#include <pawl/rollback.h>
#include <stdio.h>
#include <string.h>

/* What both commands need. */
typedef struct going {
        const cli_call *cli;
        pawl_log *log;
        pawl_workspace_options workspace;
        pawl_rollback_options options;
        char hash[65]; /* of the plan that was agreed to */
        pawl_error *err;
} going;

/* Show the plan and nothing more. */
static pawl_status show_plan(going *g, const char *which)
{
        pawl_rollback_plan *plan = NULL;
        pawl_status status =
                pawl_workspace_plan(&plan, g->log, which, &g->options, &g->workspace, g->err);

        if (!status && cli_given(g->cli, "json"))
                status = cli_plan_json(g->cli, plan, false, g->err);
        else if (!status)
                cli_plan_print(g->cli->in->out, plan);
        pawl_rollback_plan_free(plan);
        return status;
}

static pawl_status tell(going *g, pawl_status status, pawl_rollback_plan *done)
{
        if (!status)
                status = cli_plan_done(g->cli, g->log, done, g->err);
        if (!status)
                status = cli_plan_missed(done, g->err);
        pawl_rollback_plan_free(done);
        return status;
}

static void show_planned(const pawl_rollback_plan *plan, void *user)
{
        cli_plan_print(user, plan);
}

/* Show the plan of going to @p which (NULL: of an undo) and ask; its hash goes into the options:
 * that plan is done, or none. Where it was agreed to before, it is shown when it is known. */
static pawl_status agree(going *g, const char *which)
{
        const char *name = which ? "rollback" : g->options.redo ? "redo" : "undo";
        pawl_rollback_plan *plan;

        g->options.expect = cli_value(g->cli, "apply");
        if (cli_given(g->cli, "yes") || g->options.expect) {
                if (!cli_given(g->cli, "json")) {
                        g->options.planned = show_planned;
                        g->options.planned_user = g->cli->in->out;
                }
                return PAWL_OK;
        }
        pawl_status status =
                pawl_workspace_plan(&plan, g->log, which, &g->options, &g->workspace, g->err);
        if (status)
                return status;
        if (!cli_can_ask(g->cli)) {
                status = pawl__fail(g->err, PAWL_ESTATE,
                        "%s to checkpoint %" PRIu64
                        ": there is nobody to ask; look with --plan, then say --yes, or --apply HASH",
                        name, pawl_rollback_plan_look(plan).target->n);
        } else {
                cli_plan_print(g->cli->in->err, plan);
                snprintf(g->hash, sizeof g->hash, "%s", pawl_rollback_plan_look(plan).hash);
                g->options.expect = g->hash;
                if (!cli_agrees(which ? "go back?" : g->options.redo ? "redo it?" : "undo it?"))
                        status = pawl__fail(g->err, PAWL_ESTATE,
                                "%s: nothing was changed; answer y to do it", name);
        }
        pawl_rollback_plan_free(plan);
        return status;
}

/* ---- rollback -------------------------------------------------------------------------------- */

static pawl_status extract(going *g, const char *which)
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
static pawl_status check_worktree(const going *g, const char *which)
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

static pawl_status roll_back(going *g)
{
        const char *which = cli_arg(g->cli, 0), *decisions = cli_value(g->cli, "decisions");
        pawl_rollback_plan *done = NULL;

        g->options.git = cli_given(g->cli, "git");
        g->options.drop_decisions = decisions && strcmp(decisions, "drop") == 0;
        g->options.clean = cli_given(g->cli, "clean");
        g->options.here = cli_given(g->cli, "here");
        if (cli_given(g->cli, "dir"))
                return extract(g, which);
        if (cli_given(g->cli, "finish")) {
                pawl_status ended = pawl_workspace_finish(&done, g->log, &g->workspace, g->err);
                return tell(g, ended, done);
        }
        pawl_status status = check_worktree(g, which);
        if (status)
                return status;
        if (cli_given(g->cli, "plan"))
                return show_plan(g, which);
        status = agree(g, which);
        if (!status)
                status = pawl_workspace_rollback(
                        &done, g->log, which, &g->options, &g->workspace, g->err);
        return tell(g, status, done);
}

/* ---- undo ------------------------------------------------------------------------------------ */

/* Of a rollback that is half done, undoing is giving it up: its plan was not done. */
static pawl_status give_up(going *g)
{
        pawl_rollback_plan *plan = NULL;
        pawl_status status = pawl_workspace_give_up(&plan, g->log, &g->workspace, g->err);

        if (!status && cli_given(g->cli, "json"))
                status = cli_plan_json(g->cli, plan, false, g->err);
        else if (!status)
                fprintf(g->cli->in->out,
                        "the %s to checkpoint %" PRIu64
                        " was given up: the files are as they were before it\n",
                        pawl_rollback_plan_look(plan).undo ? "undo" : "rollback",
                        pawl_rollback_plan_look(plan).target->n);
        pawl_rollback_plan_free(plan);
        return status;
}

static pawl_status undo(going *g)
{
        pawl_pending_rollback pending;
        pawl_rollback_plan *done = NULL;
        pawl_status status = pawl_workspace_pending(&pending, g->log, g->err);

        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (cli_given(g->cli, "plan"))
                return show_plan(g, NULL);
        if (!status && !cli_given(g->cli, "apply")) /* which is of another plan */
                return give_up(g);
        status = agree(g, NULL);
        if (!status)
                status = pawl_workspace_undo(&done, g->log, &g->options, &g->workspace, g->err);
        return tell(g, status, done);
}

static pawl_status redo(going *g)
{
        pawl_rollback_plan *done = NULL;

        g->options.redo = true;
        if (cli_given(g->cli, "plan"))
                return show_plan(g, NULL);
        TRY(agree(g, NULL));
        const pawl_status status =
                pawl_workspace_redo(&done, g->log, &g->options, &g->workspace, g->err);
        return tell(g, status, done);
}

/* ---- The commands ---------------------------------------------------------------------------- */

static pawl_status go(
        const cli_call *cli, pawl_log *log, pawl_status (*where)(going *), pawl_error *err)
{
        going g = {.cli = cli, .log = log, .options = PAWL_ROLLBACK_OPTIONS_INIT, .err = err};
        pawl_status status = cli_workspace_options(&g.workspace, cli, err);

        g.options.reason = cli_value(cli, "reason");
        if (!status)
                status = cli_take_paths(&g.workspace, cli, err);
        return status ? status : where(&g);
}

static pawl_status rollback_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return go(cli, log, roll_back, err);
}

static pawl_status undo_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return go(cli, log, undo, err);
}

static pawl_status redo_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return go(cli, log, redo, err);
}

static int rollback_run(cli_call *cli)
{
        if (cli_given(cli, "finish") && cli_arg(cli, 0))
                return cli_usage(cli, "--finish goes on with the one that was interrupted; name no "
                                      "checkpoint");
        if (cli_given(cli, "finish") && cli_given(cli, "plan"))
                return cli_usage(cli, "--finish has its plan already; leave --plan out");
        if (!cli_given(cli, "finish") && !cli_arg(cli, 0))
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
        {"plan", 0, 0, CLI_DRY_RUN, NULL, NULL, "only show what would be done, and its hash"},
        {"yes", 'y', 0, CLI_FLAG, NULL, NULL, "do it without asking"},
        {"apply", 0, 0, CLI_TEXT, "HASH", NULL, "do the plan of that hash, or nothing"},
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
        {"reason", 0, 0, CLI_TEXT, "REASON", NULL, "why, for the log"},
        CLI_WORKSPACE_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};
static const cli_option undo_options[] = {
        {"plan", 0, 0, CLI_DRY_RUN, NULL, NULL, "only show what would be done, and its hash"},
        {"yes", 'y', 0, CLI_FLAG, NULL, NULL, "do it without asking"},
        {"apply", 0, 0, CLI_TEXT, "HASH", NULL, "do the plan of that hash, or nothing"},
        {"reason", 0, 0, CLI_TEXT, "REASON", NULL, "why, for the log"},
        CLI_WORKSPACE_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
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
