/* pawl run: carry every step of a mission through the five layers. */
#include "cli/find.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/sitting.h"

static int run_run(cli_call *cli)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_mission *mission;
        pawl_log *log;
        int code;

        options.run_id = cli_value(cli, "run");
        options.strictness = cli_value(cli, "strictness");
        /* A mission that cannot be read leaves no log behind. */
        if (pawl_mission_load(&mission, cli->args[0], &err))
                return cli_fail(cli, &err);
        if (cli_open_log(&log, cli, CLI_MAKE, &err)) {
                code = cli_fail(cli, &err);
        } else {
                code = cli_sit(cli, log, mission, NULL, &options);
                cli_close_log(cli, log);
        }
        pawl_mission_free(mission);
        return code;
}

static const cli_option run_options[] = {
        {"run", 0, 0, CLI_TEXT, "ID", NULL, "the run's id (default: a fresh UUID)"},
        {"strictness", 0, 0, CLI_CHOICE, "LEVEL", "off|medium|max",
                "off, medium or max, over what the mission says"},
        {"no-input", 0, 0, CLI_FLAG, NULL, NULL, "ask nothing: defer every conflict"},
        {"wait", 0, 0, CLI_SECONDS, "SECONDS", NULL, "wait for another process that holds the run"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who runs it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_run_cmd = {
        .name = "run",
        .args = "MISSION",
        .min_args = 1,
        .max_args = 1,
        .options = run_options,
        .help = "Run every step of a mission through the five layers",
        .run = run_run,
};
