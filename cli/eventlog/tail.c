/* eventlog tail: the newest events, and with -f those to come. */
#include "base/error.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "cli/find.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { NEWEST = 10, LOOK_EVERY_MS = 200 };

static pawl_status print_row(const pawl_event *event, void *user, pawl_error *err)
{
        return cli_rows_event(user, event, err);
}

/* Wait a little; false when nobody reads standard output any more. */
static bool wait_a_little(void)
{
        struct pollfd out = {.fd = fileno(stdout), .events = 0};

        return poll(&out, 1, LOOK_EVERY_MS) <= 0 || !(out.revents & (POLLERR | POLLNVAL));
}

static pawl_status follow(cli_rows *rows, pawl_log *log, uint64_t head, pawl_error *err)
{
        cli_event_filter filter = {.since = 0};
        unsigned char hash[32];
        uint64_t now = 0;
        pawl_status status = PAWL_OK;

        while (!status && wait_a_little()) {
                status = pawl_log_head(&now, hash, log);
                if (status)
                        return cli_log_failed(log, status, err);
                if (now == head)
                        continue;
                filter.since = head + 1;
                status = cli_each_event(&head, log, &filter, print_row, rows, err);
                if (!status)
                        status = cli_rows_flush(rows, err);
                if (!status && fflush(stdout))
                        status = pawl__fail(err, PAWL_EIO,
                                "standard output: %s; see that it can be "
                                "written and has room",
                                strerror(errno));
        }
        return status;
}

static int tail_run(cli_call *cli)
{
        cli_event_filter filter = {
                .since = 1, .newest = true, .last = cli_number(cli, "lines", NEWEST)};
        cli_rows rows = {.json = cli_given(cli, "json")};
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t head = 0;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        rows.log = log;
        pawl_status status = cli_rows_open(&rows, &err);
        if (!status)
                status = cli_each_event(&head, log, &filter, print_row, &rows, &err);
        if (!status)
                status = cli_rows_flush(&rows, &err);
        if (!status && cli_given(cli, "follow") && fflush(stdout) == 0)
                status = follow(&rows, log, head, &err);
        cli_rows_close(&rows);
        pawl_log_close(log);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option tail_options[] = {
        {"follow", 'f', 0, CLI_FLAG, NULL, NULL, "go on with those that are appended, until ended"},
        {"lines", 'n', 0, CLI_COUNT, "N", NULL, "the newest N (default: 10)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print JSON Lines, one envelope a line"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_tail_cmd = {
        .name = "tail",
        .args = "",
        .options = tail_options,
        .help = "List the newest events",
        .run = tail_run,
};
