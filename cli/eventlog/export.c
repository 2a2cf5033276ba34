/* eventlog export: JSON Lines, one envelope a line, in seq order. */
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "cli/find.h"

static pawl_status print_line(const pawl_event *event, void *user, pawl_error *err)
{
        return cli_print_envelope(user, event, err);
}

static int export_run(cli_call *cli)
{
        cli_event_filter filter = {.run_id = pawl__text(cli_value(cli, "run")), .since = 1};
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf line = PAWL__BUF_INIT;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        pawl_status status = cli_each_event(NULL, log, &filter, print_line, &line, &err);
        pawl__buf_free(&line);
        pawl_log_close(log);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option export_options[] = {
        {"run", 0, 0, CLI_TEXT, "ID", NULL, "the events of this run alone"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_export_cmd = {
        .name = "export",
        .args = "",
        .options = export_options,
        .help = "Print the events as JSON Lines, one envelope a line",
        .run = export_run,
};
