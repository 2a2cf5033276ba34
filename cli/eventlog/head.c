/* eventlog head: seq and hash of the last event, to be kept elsewhere as an anchor. */
#include "base/digest.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include <inttypes.h>
#include <stdio.h>

static int head_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[PAWL__HASH_LEN] = {0};
        char hex[2 * PAWL__HASH_LEN + 1];
        uint64_t seq = 0;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        pawl_status status = pawl_log_head(&seq, hash, log);
        if (status) {
                cli_log_failed(log, status, &err);
        } else {
                pawl__hex(hex, hash, sizeof hash);
                fprintf(cli->in->out, "%" PRIu64 " %s\n", seq, hex);
        }
        cli_close_log(cli, log);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

const cli_cmd eventlog_head_cmd = {
        .name = "head",
        .args = "",
        .traits = CLI_SERVED,
        .help = "Print seq and hash of the last event: an anchor to keep elsewhere",
        .run = head_run,
};
