/* pawl cancel: end a run for good. */
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include <pawl/mission.h>

typedef struct cancelled {
        pawl_text run_id;
        const char *status;
} cancelled;

static const cli_field fields[] = {
        {"run_id", CLI_AS_TEXT, CLI_AT(cancelled, run_id)},
        {"status", CLI_AS_STRING, CLI_AT(cancelled, status)},
        CLI_NO_FIELD,
};

static pawl_status cancel(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cancelled c = {pawl__text(cli->args[0]), "cancelled"};
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = cli_whole_run(&c.run_id, log, cli->arena, err);
        if (!status)
                status = pawl_mission_cancel(log, c.run_id.data, actor, err);
        if (status)
                return status;
        if (cli_given(cli, "json"))
                return cli_print_object(cli, fields, &c, err);
        cli_sayf(cli, cli->in->out, "run %s is cancelled", c.run_id.data);
        fputc('\n', cli->in->out);
        return PAWL_OK;
}

static const cli_option cancel_options[] = {
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_cancel_cmd = {
        .name = "cancel",
        .args = "RUN",
        .arg_help = {"the run: its id, or 4 characters or more of it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = cancel_options,
        .help = "End a run for good; its command gets TERM",
        .on_log = cancel,
        .access = CLI_WRITE,
};
