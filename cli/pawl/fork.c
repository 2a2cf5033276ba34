/* pawl fork: a new run that begins as another one was before a step of it. */
#include "mission/fork.h"
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/agree.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/params.h"
#include "cli/pawl/plan.h"
#include "cli/pawl/slot.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include <inttypes.h>
#include <pawl/rollback.h>
#include <stdio.h>

static void tell(const char *line, void *user)
{
        cli_notice(user, line);
}

/* ---- In place -------------------------------------------------------------------------------- */

static void show_planned(const pawl_rollback_plan *plan, void *user)
{
        cli_plan_print(user, plan);
}

/* All files as they were, and nothing else: no step of any run changes. */
static pawl_status put_files_back(cli_call *cli, pawl_log *log, uint64_t n,
        pawl_workspace_options *workspace, pawl_error *err)
{
        static const char *const all[] = {"."};
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_rollback_plan *plan = NULL;
        char which[24];

        workspace->paths = all;
        workspace->n_paths = 1;
        options.reason = "fork";
        snprintf(which, sizeof which, "%" PRIu64, n);
        pawl_status status = pawl_workspace_plan(&plan, log, which, &options, workspace, err);
        if (status)
                return status;
        const pawl_rollback_plan_view view = pawl_rollback_plan_look(plan);
        const bool nothing = !view.counts.writes && !view.counts.removes && !view.counts.modes;
        if (!nothing && !cli_given(cli, "yes") && !cli_can_ask(cli)) {
                status = pawl__fail(err, PAWL_ESTATE,
                        "fork: the files of the workspace go back to checkpoint %" PRIu64
                        ", and there is nobody to ask; say --yes, or have them elsewhere with "
                        "--dir DIR",
                        n);
        } else if (!nothing && !cli_given(cli, "yes")) {
                cli_plan_print(cli->in->err, plan);
                if (!cli_agrees("go back, and fork?"))
                        status = pawl__fail(
                                err, PAWL_ESTATE, "fork: nothing was changed; answer y to do it");
        } else if (!nothing && !cli_given(cli, "json")) {
                options.planned = show_planned;
                options.planned_user = cli->in->err;
        }
        pawl_rollback_plan_free(plan);
        if (!status && !nothing)
                status = pawl_workspace_rollback(NULL, log, which, &options, workspace, err);
        return status;
}

static pawl_status place(cli_call *cli, pawl_log *log, pawl__fork *f, pawl_error *err)
{
        const char *given = cli_value(cli, "dir");
        pawl_workspace_options options;
        char directory[PATH_MAX], line[300];
        pawl_status status = cli_workspace_options(&options, cli, err);

        if (!status && given)
                status = cli_absolute(directory, given, err);
        if (status)
                return status;
        if (given)
                return pawl__fork_set_up(f, directory, &options, err);
        status = pawl__fork_in_place(f, err);
        if (status)
                return status;
        if (f->no_checkpoint) {
                snprintf(line, sizeof line, "step %.*s: %s; the files stay as they are",
                        PAWL__FMT(f->step_id), f->no_checkpoint);
                cli_notice(cli, line);
                return PAWL_OK;
        }
        return put_files_back(
                cli, log, (uint64_t)f->checkpoint.v[PAWL__WCP_N].integer, &options, err);
}

/* ---- The command ----------------------------------------------------------------------------- */

static pawl_status print(const cli_call *cli, const pawl__fork *f, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (!cli_given(cli, "json")) {
                fprintf(cli->in->out, "%s\n", f->run_id);
                fflush(cli->in->out);
                cli_sayf(cli, cli->in->err, "`pawl resume %s` goes on with it", f->run_id);
                fputc('\n', cli->in->err);
                return PAWL_OK;
        }
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "run_id", f->run_id);
        pawl__json_name(&w, "forked_from");
        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "run_id", f->now.v[PAWL__RUN_ID].text);
        pawl__json_member_text(&w, "step_id", f->step_id);
        pawl__json_member_integer(&w, "seq", (int64_t)f->seq);
        pawl__json_close_object(&w);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static pawl_status fork_run(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_mission *mission = NULL;
        const char *actor = NULL;
        pawl__fork f;
        pawl_status status = pawl__fork_open(&f, log, cli->args[0], cli_value(cli, "from"), err);

        if (!status)
                status = cli_actor(&actor, cli, err);
        if (!status && cli_params_given(cli)) {
                status = pawl__fork_mission(&mission, &f, err);
                if (!status)
                        cli->code = cli_take_params(cli, mission);
                if (!status && !cli->code)
                        status = pawl__fork_params(&f, mission, tell, cli, err);
        }
        if (!status && !cli->code)
                status = place(cli, log, &f, err);
        if (!status && !cli->code)
                status = pawl__fork_commit(&f, actor, err);
        if (status)
                pawl__fork_clean_up(&f);
        if (!status && !cli->code)
                status = print(cli, &f, err);
        if (mission)
                pawl_mission_free(mission);
        pawl__fork_close(&f);
        return status;
}

static const cli_option fork_options[] = {
        {"from", 0, 'f', CLI_TEXT, "STEP", NULL, "the step that it begins with"},
        {"dir", 0, 0, CLI_FILE, "DIR", NULL,
                "where its files are set up, absent or empty (default: in place)"},
        CLI_PARAM_OPTIONS,
        {"yes", 'y', 0, CLI_FLAG, NULL, NULL, "put the files in place back without asking"},
        CLI_WORKSPACE_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_fork_cmd = {
        .name = "fork",
        .args = "RUN",
        .arg_help = {"the run that it begins as"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = fork_options,
        .help = "Make a new run that begins as another one was before a step of it",
        .on_log = fork_run,
        .access = CLI_WRITE,
};
