/* pawl run: carry every step of a mission through the five layers. */
#include "base/error.h"
#include "cli/pawl/begin.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/params.h"
#include "cli/pawl/session_run.h"
#include "cli/pawl/unfinished.h"
#include "command/find.h"

/* A new run, or the one that was left unfinished. */
static int start_or_go_on(
        cli_call *cli, pawl_log *log, pawl_mission *mission, const pawl_run_options *options)
{
        pawl_unfinished unfinished;
        pawl_run_options alone = *options;
        int code = CLI_FAILED;

        switch (cli_choose_run(&unfinished, &code, cli, log, mission)) {
        case CLI_START:
                alone.alone = true;
                return cli_sit(cli, log, mission, NULL, &alone, cli_given(cli, "watch"));
        case CLI_BESIDE:
                return cli_sit(cli, log, mission, NULL, options, cli_given(cli, "watch"));
        case CLI_GO_ON:
                if (cli_params_given(cli)) {
                        pawl_error err = PAWL_ERROR_INIT;
                        pawl__fail(&err, PAWL_EINVAL,
                                "run %s: goes on with the parameters that it began with; leave "
                                "--set and --params out, or start a new one with --fresh",
                                unfinished.run_id);
                        return cli_fail(cli, &err);
                }
                return cli_sit(cli, log, NULL, unfinished.run_id, options, cli_given(cli, "watch"));
        case CLI_NEITHER:
                break;
        }
        return code;
}

static int run_run(cli_call *cli)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        pawl_mission *mission;
        pawl_log *log;

        if (cli_given(cli, "fresh") && cli_given(cli, "resume"))
                return cli_usage(cli, "--fresh and --resume do not go together");
        if (cli_given(cli, "run") && cli_given(cli, "resume"))
                return cli_usage(cli,
                        "--run names a new run, and --resume goes on with a run that there is");
        options.run_id = cli_value(cli, "run");
        options.strictness = cli_value(cli, "strictness");
        int code = cli_begin(&mission, &log, cli, true);
        if (code)
                return code;
        code = start_or_go_on(cli, log, mission, &options);
        cli_close_log(cli, log);
        pawl_mission_free(mission);
        return code;
}

static const cli_option run_options[] = {
        {"run", 0, 0, CLI_TEXT, "ID", NULL, "the run's id (default: a fresh UUID)"},
        {"resume", 0, 0, CLI_FLAG, NULL, NULL, "go on with the mission's unfinished run"},
        {"fresh", 0, 0, CLI_FLAG, NULL, NULL, "start a new run, whatever is unfinished"},
        {"strictness", 0, 0, CLI_CHOICE, "LEVEL", "off|medium|max",
                "off, medium or max, over what the mission says"},
        {"no-input", 0, 0, CLI_FLAG, NULL, NULL, "ask nothing: defer every conflict"},
        {"watch", 0, 0, CLI_FLAG, NULL, NULL,
                "show it as it goes on, on a terminal; nothing is asked meanwhile"},
        {"time-limit", 0, 0, CLI_DURATION, "TIME", NULL,
                "stop after so long, such as 90s, 30m or 8h, to be resumed"},
        {"wait", 0, 0, CLI_SECONDS, "SECONDS", NULL, "wait for another process that owns the run"},
        {"within", 0, 0, CLI_FILE, "DIR", NULL,
                "refuse a mission, or parameters, of a file that is not in this directory"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who runs it (default: user:NAME)"},
        CLI_PARAM_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_run_cmd = {
        .name = "run",
        .args = "MISSION",
        .traits = CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = run_options,
        .help = "Run every step of a mission",
        .run = run_run,
        .more_help = cli_print_params,
};
