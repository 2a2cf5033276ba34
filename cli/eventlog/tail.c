/*
 * eventlog tail: the newest events, and with -f those to come.
 *
 * Five times a second the head is asked for, which costs four system calls when nothing has come. A
 * notice of the kernel about the -wal would come too early: the frames are written before the
 * commit can be seen.
 */
#include "base/error.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "events/log.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NEWEST = 10 };

/* Open the log; with -f, wait until there is one. *waited: all its events are to come. PAWL_DONE:
 * nobody waits any more. */
static pawl_status open_log(pawl_log **log, bool *waited, const cli_call *cli, pawl_error *err)
{
        pawl_status status;

        *waited = false;
        while ((status = cli_open_log(log, cli, CLI_READ, err)) == PAWL_ENOTFOUND &&
                cli_given(cli, "follow")) {
                if (!*waited) {
                        cli_noticef(cli, "waiting for a log: %s", err->message);
                }
                *waited = true;
                *err = (pawl_error)PAWL_ERROR_INIT;
                if (!cli_wait_a_little(cli->in->out))
                        return PAWL_DONE;
        }
        return status;
}

/* Is the log that is followed still the one of that name, and as long as it was? */
static pawl_status check_same(
        const struct stat *first, pawl_log *log, uint64_t shown, uint64_t head, pawl_error *err)
{
        const char *path = pawl__log_path(log);
        struct stat now;

        if (!pawl__log_is_url(path) && (stat(path, &now) != 0 || now.st_dev != first->st_dev ||
                                               now.st_ino != first->st_ino))
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%s: the log that was followed is not there any more; start again", path);
        if (head < shown)
                return pawl__fail(err, PAWL_ESTATE,
                        "%s: the log ends at %llu now, before what was shown; start again", path,
                        (unsigned long long)head);
        return PAWL_OK;
}

static pawl_status show_new(cli_rows *rows, pawl_log *log, uint64_t *head, pawl_error *err)
{
        cli_event_filter filter = {.since = *head + 1};
        pawl_status status = cli_each_event(head, log, &filter, cli_rows_event, rows, err);

        if (!status)
                status = cli_rows_flush(rows, err);
        if (!status && fflush(rows->out))
                status = pawl__fail(err, PAWL_EIO,
                        "standard output: %s; see that it can be written and has room",
                        strerror(errno));
        return status;
}

static pawl_status follow(cli_rows *rows, pawl_log *log, uint64_t head, pawl_error *err)
{
        unsigned char hash[32];
        struct stat first;
        uint64_t now = 0;
        pawl_status status = PAWL_OK;

        if (stat(pawl__log_path(log), &first) != 0)
                memset(&first, 0, sizeof first); /* which no file is */
        while (!status && cli_wait_a_little(rows->out)) {
                status = pawl_log_head(&now, hash, log);
                if (status)
                        return pawl__log_failed(log, status, err);
                status = check_same(&first, log, head, now, err);
                if (!status && now != head)
                        status = show_new(rows, log, &head, err);
        }
        return status;
}

static int tail_run(cli_call *cli)
{
        cli_event_filter filter = {
                .since = 1, .newest = true, .last = cli_number(cli, "lines", NEWEST)};
        cli_rows rows = {.out = cli->in->out, .json = cli_given(cli, "json")};
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t head = 0;
        pawl_log *log;
        bool waited;

        pawl_status status = open_log(&log, &waited, cli, &err);
        if (status)
                return status == PAWL_DONE ? CLI_DONE : cli_fail(cli, &err);
        filter.newest = !waited;
        rows.log = log;
        status = cli_rows_open(&rows, &err);
        if (!status)
                status = cli_each_event(&head, log, &filter, cli_rows_event, &rows, &err);
        if (!status)
                status = cli_rows_flush(&rows, &err);
        if (!status && cli_given(cli, "follow") && fflush(cli->in->out) == 0)
                status = follow(&rows, log, head, &err);
        cli_rows_close(&rows);
        cli_close_log(cli, log);
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
        .options = tail_options,
        .help = "List the newest events",
        .run = tail_run,
};
