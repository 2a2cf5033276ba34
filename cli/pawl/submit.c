/* pawl submit: put a run of a mission in line for a worker. */
#include "cli/pawl/actor.h"
#include "cli/pawl/begin.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/params.h"
#include "command/fields.h"
#include "command/find.h"
#include <pawl/mission.h>
#include <stdio.h>

typedef struct submitted {
        char run_id[129];
        const char *mission_id, *status;
} submitted;

static const cli_field fields[] = {
        {"run_id", CLI_AS_CHARS, CLI_AT(submitted, run_id)},
        {"mission_id", CLI_AS_STRING, CLI_AT(submitted, mission_id)},
        {"status", CLI_AS_STRING, CLI_AT(submitted, status)},
        CLI_NO_FIELD,
};

static pawl_status submit(
        const cli_call *cli, pawl_log *log, pawl_mission *mission, pawl_error *err)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        submitted s = {.mission_id = pawl_mission_id(mission), .status = "queued"};

        options.run_id = cli_value(cli, "run");
        options.strictness = cli_value(cli, "strictness");
        options.home = cli->in->home;
        options.config_home = cli->in->config_home;
        pawl_status status = cli_actor(&options.actor, cli, err);
        if (!status)
                status = pawl_mission_submit(s.run_id, mission, log, &options, err);
        if (status)
                return status;
        if (cli_given(cli, "json"))
                return cli_print_object(cli, fields, &s, err);
        cli_sayf(cli, cli->in->out, "run %s is in line; `pawl work` carries it out", s.run_id);
        fputc('\n', cli->in->out);
        return PAWL_OK;
}

static int submit_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_mission *mission;
        pawl_log *log;
        int code = cli_begin(&mission, &log, cli, false);

        if (code)
                return code;
        code = submit(cli, log, mission, &err) ? cli_fail(cli, &err) : CLI_DONE;
        cli_close_log(cli, log);
        pawl_mission_free(mission);
        return code;
}

static const cli_option submit_options[] = {
        {"run", 0, 0, CLI_TEXT, "ID", NULL, "the run's id (default: a fresh UUID)"},
        {"strictness", 0, 0, CLI_CHOICE, "LEVEL", "off|medium|max",
                "off, medium or max, over what the mission says"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who submits it (default: user:NAME)"},
        CLI_PARAM_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_submit_cmd = {
        .name = "submit",
        .args = "MISSION",
        .traits = CLI_CHANGES | CLI_WORKSPACE,
        .options = submit_options,
        .help = "Put a run of a mission in line for a worker, with all that it needs",
        .run = submit_run,
        .more_help = cli_print_params,
};
