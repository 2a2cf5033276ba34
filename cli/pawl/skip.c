/* pawl skip: go past a step that failed. */
#include "base/error.h"
#include "base/printable.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/input.h"
#include "mission/secrets.h"
#include "session/standing.h"
#include <pawl/mission.h>

typedef struct skipped {
        pawl_text run_id, step_id;
        const char *status;
} skipped;

static const cli_field fields[] = {
        {"run_id", CLI_AS_TEXT, CLI_AT(skipped, run_id)},
        {"step_id", CLI_AS_TEXT, CLI_AT(skipped, step_id)},
        {"status", CLI_AS_STRING, CLI_AT(skipped, status)},
        CLI_NO_FIELD,
};

static pawl_status skip(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *file = cli_value(cli, "output"), *actor;
        skipped s = {pawl__text(cli->args[0]), pawl__text(cli->args[1]), "skipped"};
        cli_input input = {.fd = -1};
        pawl__row run;
        pawl_text output = pawl__text(cli_value(cli, "output-json"));
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = cli_whole_run(&s.run_id, log, cli->arena, err);
        if (!status)
                status = cli_run_row(&run, s.run_id, cli, log, err);
        if (!status)
                status = pawl__secrets_of_run(log, &run, err);
        if (!status && file && output.data)
                status = pawl__fail(err, PAWL_EINVAL,
                        "skip: --output and --output-json say the same; give one of them");
        if (!status && file)
                status = cli_input_open(&input, file, err);
        if (!status && file)
                status = cli_input_all(&output, &input, err);
        if (!status)
                status = pawl_mission_skip(
                        log, s.run_id.data, s.step_id.data, output.data, output.len, actor, err);
        cli_input_close(&input);
        if (status)
                return status;
        if (cli_given(cli, "json"))
                return cli_print_object(cli, fields, &s, err);
        cli_sayf(cli, cli->in->out, "step %s is skipped; continue with %s", s.step_id.data,
                PAWL__ADVICE(log, &run, s.run_id));
        fputc('\n', cli->in->out);
        return PAWL_OK;
}

static const cli_option skip_options[] = {
        {"output", 0, 0, CLI_FILE, "FILE", NULL,
                "JSON that is its output from now on (default: null)"},
        {"output-json", 0, 0, CLI_TEXT, "JSON", NULL, "its output, as JSON text"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_skip_cmd = {
        .name = "skip",
        .args = "RUN STEP",
        .arg_help = {"the run: its id, or 4 characters or more of it", "the step that failed"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = skip_options,
        .help = "Go past a step that failed",
        .on_log = skip,
        .access = CLI_WRITE,
};
