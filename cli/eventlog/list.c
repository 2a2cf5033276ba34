/* eventlog list: events, one a line. */
#include "base/error.h"
#include "base/similar.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "events/types.h"

static pawl_status see(const pawl_event *event, void *user, pawl_error *err)
{
        (void)event, (void)err;
        *(bool *)user = true;
        return PAWL_DONE;
}

/* A type that this program does not know is one of a newer program, if the log has it. */
static pawl_status check_type(pawl_text type, pawl_log *log, pawl_error *err)
{
        const cli_event_filter filter = {.type = type};
        pawl__similar similar = {.typed = type};
        bool seen = false;

        if (!type.data || pawl__event_type_of(type) != PAWL__EVENT_OTHER)
                return PAWL_OK;
        const pawl_status status = cli_each_event(NULL, log, &filter, see, &seen, err);
        if (status || seen)
                return status;
        for (int i = 0; i < PAWL__EVENT_TYPES; i++)
                pawl__similar_try(&similar, pawl__event_def_of((pawl__event_type)i)->name);
        return pawl__fail(err, PAWL_ENOTFOUND, "type %.*s: there is no event of it; %s%s%s",
                PAWL__FMT(type),
                similar.found ? "did you mean " : "`eventlog stats` lists the types",
                similar.found ? similar.found : "", similar.found ? "?" : "");
}

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
        pawl_status status = check_type(filter.type, log, err);

        if (!status)
                status = cli_rows_open(&rows, err);
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
