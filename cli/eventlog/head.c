/* eventlog head: seq and hash of the last event, to be kept elsewhere as an anchor. */
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include <inttypes.h>
#include <stdio.h>

static pawl_status print_head(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_head head;
        pawl_status status = cli_read_head(&head, log, err);

        if (!status && cli_given(cli, "json"))
                status = cli_print_object(cli, cli_head_fields, &head, err);
        else if (!status)
                fprintf(cli->in->out, "%" PRIu64 " %s\n", head.seq, head.hex);
        return status;
}

const cli_cmd eventlog_head_cmd = {
        .name = "head",
        .traits = CLI_SERVED,
        .options = cli_json_option,
        .help = "Print seq and hash of the last event: an anchor to keep elsewhere",
        .on_log = print_head,
        .access = CLI_READ,
};
