/* eventlog export: JSON Lines, one envelope a line, in seq order. */
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"

struct printing {
        FILE *out;
        pawl_log *log;
        pawl__buf line;
};

static pawl_status print_line(const pawl_event *event, void *user, pawl_error *err)
{
        struct printing *p = user;

        return cli_print_envelope(p->out, &p->line, p->log, event, err);
}

static pawl_status print_events(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_event_filter filter = {.run_id = pawl__text(cli_value(cli, "run")), .since = 1};
        struct printing p = {cli->in->out, log, PAWL__BUF_INIT};
        pawl_status status = cli_known_run(&filter.run_id, log, cli->arena, err);

        if (!status)
                status = cli_each_event(NULL, log, &filter, print_line, &p, err);
        pawl__buf_free(&p.line);
        return status;
}

static const cli_option export_options[] = {
        {"run", 0, 0, CLI_TEXT, "ID", NULL, "the events of this run alone"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_export_cmd = {
        .name = "export",
        .traits = CLI_SERVED | CLI_LINES,
        .options = export_options,
        .help = "Print the events as JSON Lines, one envelope a line",
        .on_log = print_events,
        .access = CLI_READ,
};
