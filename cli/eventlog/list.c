/* eventlog list: events, one a line. */
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"

static pawl_status list(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_event_filter filter = {
                .type = pawl__text(cli_value(cli, "type")),
                .run_id = pawl__text(cli_value(cli, "run")),
                .step_id = pawl__text(cli_value(cli, "step")),
                .since = cli_number(cli, "since", 1),
                .newest = cli_given(cli, "lines"),
                .last = cli_number(cli, "lines", 0),
        };
        cli_rows rows = {.out = cli->in->out, .json = cli_given(cli, "json"), .log = log};
        pawl_status status = cli_rows_open(&rows, err);

        if (!status)
                status = cli_known_run(&filter.run_id, log, cli->arena, err);
        if (!status)
                status = cli_each_event(NULL, log, &filter, cli_rows_event, &rows, err);
        if (!status)
                status = cli_rows_flush(&rows, err);
        cli_rows_close(&rows);
        return status;
}

static const cli_option list_options[] = {
        {"type", 0, 0, CLI_TEXT, "TYPE", NULL, "of this type, such as StepCheckpointed"},
        {"run", 0, 0, CLI_TEXT, "ID", NULL, "of this run"},
        {"step", 0, 0, CLI_TEXT, "ID", NULL, "of this step"},
        {"since", 0, 0, CLI_COUNT, "SEQ", NULL, "from this event on"},
        {"lines", 'n', 0, CLI_COUNT, "N", NULL, "the newest N of them"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print JSON Lines, one envelope a line"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_list_cmd = {
        .name = "list",
        .traits = CLI_SERVED | CLI_LINES,
        .options = list_options,
        .help = "List events, one a line",
        .on_log = list,
        .access = CLI_READ,
};
