/* eventlog show: one event, whole. */
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "command/json.h"
#include "events/log.h"

static pawl_status show(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__buf json = PAWL__BUF_INIT, text = PAWL__BUF_INIT;
        pawl_event event;
        uint64_t seq = 0;

        cli_parse_number(&seq, cli->args[0]);
        pawl_status status = pawl__log_event(&event, cli->arena, log, seq);
        if (status)
                pawl__log_failed(log, status, err);
        else
                status = pawl__log_event_json(&json, log, &event, err);
        const bool line = cli_given(cli, "json");
        if (!status && !line)
                status = cli_json_layout(&text, pawl__buf_text(&json), err);
        if (!status)
                cli_print_line(cli, pawl__buf_text(line ? &json : &text));
        pawl__buf_free(&text);
        pawl__buf_free(&json);
        return status;
}

static int show_run(cli_call *cli)
{
        uint64_t seq;

        if (!cli_parse_number(&seq, cli->args[0]) || seq == 0)
                return cli_usage(
                        cli, "\"%s\" is not a number from 1 up; give an event's seq", cli->args[0]);
        return cli_with_log(cli, CLI_READ, show);
}

static const cli_option show_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print it on one line"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_show_cmd = {
        .name = "show",
        .args = "SEQ",
        .arg_help = {"the seq of the event"},
        .traits = CLI_SERVED,
        .options = show_options,
        .help = "Show one event, whole",
        .run = show_run,
};
