/* eventlog head: seq and hash of the last event, to be kept elsewhere as an anchor. */
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "command/json.h"
#include <inttypes.h>
#include <stdio.h>

static int print_head(const cli_call *cli, uint64_t seq, const char *hex)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (!cli_given(cli, "json")) {
                fprintf(cli->in->out, "%" PRIu64 " %s\n", seq, hex);
                return CLI_DONE;
        }
        cli_head_json(&w, seq, hex);
        return cli_print_json(cli, &w);
}

static int head_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        char hex[CLI_HEX_MAX];
        uint64_t seq;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        int code = cli_head(&seq, hex, log, &err) ? cli_fail(cli, &err) : print_head(cli, seq, hex);
        cli_close_log(cli, log);
        return code;
}

static const cli_option head_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_head_cmd = {
        .name = "head",
        .args = "",
        .traits = CLI_SERVED,
        .options = head_options,
        .help = "Print seq and hash of the last event: an anchor to keep elsewhere",
        .run = head_run,
};
