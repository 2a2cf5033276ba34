/* pawl resume: go on from a checkpoint. */
#include "cli/pawl/commands.h"
#include "cli/pawl/session_run.h"
#include "cli/pawl/slot.h"
#include "command/find.h"
#include "command/fork_root.h"

/* The run that is named, by its id or by a token; PAWL_ENOTFOUND: neither. */
static pawl_status find_run(pawl__row *run, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        static const pawl__table tables[] = {PAWL__RUNS, PAWL__CHECKPOINTS};
        pawl_text id = pawl__text(cli_arg(cli, 0));
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_whole_id(&id, state, tables, 2, "resume", cli->arena, err);
        if (status)
                return status;
        *run = (pawl__row){.v[PAWL__RUN_ID].text = id};
        status = pawl__state_get(state, PAWL__RUNS, run, cli->arena, err);
        if (status != PAWL_ENOTFOUND)
                return status;
        pawl__row token = {.v[PAWL__CP_TOKEN].text = id};
        status = pawl__state_get(state, PAWL__CHECKPOINTS, &token, cli->arena, err);
        *run = (pawl__row){.v[PAWL__RUN_ID].text = token.v[PAWL__CP_RUN].text};
        return status ? status : pawl__state_get(state, PAWL__RUNS, run, cli->arena, err);
}

/* A submitted run gets a place as a worker would give it one, where none is named. */
static pawl_status choose_directory(
        cli_slot *slot, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        char directory[PATH_MAX];
        unsigned number = 0;
        pawl__row run;

        if (cli_given(cli, "dir"))
                return cli_absolute(slot->directory, cli_value(cli, "dir"), err);
        if (!cli_arg(cli, 0) || find_run(&run, cli, log, err) || !pawl__run_submitted(&run))
                return PAWL_OK; /* what is wrong, the resume says */
        pawl_status status = cli_slots_directory(directory, cli, log, err);
        return status ? status : cli_slot_take(slot, &number, directory, err);
}

static int resume_run(cli_call *cli)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        cli_slot slot = {.lock = -1};
        pawl_text own_run; /* whose directory this is */
        pawl_log *log;

        options.accept_changed_inputs = cli_given(cli, "accept-changed-inputs");
        options.accept_changed_mission = cli_given(cli, "accept-changed-mission");
        options.rerun_changed = cli_given(cli, "rerun-changed");
        if (cli_given(cli, "within") && cli_given(cli, "dir"))
                return cli_usage(cli, "--dir and --within do not go together; leave --dir out");

        if (cli_open_log(&log, cli, CLI_WRITE, &err))
                return cli_fail(cli, &err);
        int code = CLI_FAILED;
        if (cli_fork_enter(&own_run, cli, log, &err) || choose_directory(&slot, cli, log, &err)) {
                code = cli_fail(cli, &err);
        } else {
                options.directory = *slot.directory ? slot.directory : NULL;
                code = cli_sit(cli, log, NULL, cli_arg(cli, 0) ? cli_arg(cli, 0) : own_run.data,
                        &options, false);
        }
        cli_close_log(cli, log);
        if (slot.lock >= 0)
                cli_slot_drop(&slot);
        return code;
}

static const cli_option resume_options[] = {
        {"accept-changed-inputs", 0, 0, CLI_FLAG, NULL, NULL,
                "start the step again though its inputs changed"},
        {"accept-changed-mission", 0, 0, CLI_FLAG, NULL, NULL,
                "go on though the mission is not what it was, and keep what is completed"},
        {"rerun-changed", 0, 0, CLI_FLAG, NULL, NULL,
                "the same, but run changed steps, those with a changed sense, and what takes from them, again"},
        {"dir", 0, 0, CLI_FILE, "DIR", NULL,
                "of a submitted run: where its files are set up (default: as a worker does)"},
        {"within", 0, 0, CLI_FILE, "DIR", NULL,
                "refuse a run whose mission file is not in this directory"},
        {"lease", 0, 0, CLI_NUMBER, "SECONDS", NULL,
                "after which another machine takes the run if this one is silent (default: 30)"},
        {"unless-held", 0, 0, CLI_FLAG, NULL, NULL,
                "say nothing where another process owns the run"},
        {"no-input", 0, 0, CLI_FLAG, NULL, NULL, "ask nothing: defer every conflict"},
        {"time-limit", 0, 0, CLI_DURATION, "TIME", NULL,
                "stop after so long, such as 90s, 30m or 8h, to be resumed"},
        {"wait", 0, 0, CLI_SECONDS, "SECONDS", NULL,
                "wait for another process that owns the run, and for answers"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who resumes it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_resume_cmd = {
        .name = "resume",
        .args = "[TOKEN|RUN]",
        .traits = CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = resume_options,
        .help = "Go on from a checkpoint: of a retry token, of a run, or of the newest that "
                "stopped",
        .run = resume_run,
};
