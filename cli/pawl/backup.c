/* pawl backup: a copy of the log in one file, while others write. */
#include "base/digest.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/signals.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/printable.h"
#include "events/log.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* The share done, on a terminal; false once a signal has come. */
static bool go_on(uint64_t done, uint64_t pages, void *user)
{
        const bool *shows = user;

        if (*shows && pages > 0)
                fprintf(stderr, "\r%3u %%", (unsigned)(done * 100 / pages));
        return cli_signals_last() == 0;
}

static void print_text(FILE *out, const char *path, const pawl_backup *made, const char *hex)
{
        cli_putf(out, "%s: %" PRIu64 " event%s, head %" PRIu64 " %s, %" PRIu64 " bytes\n", path,
                made->events, made->events == 1 ? "" : "s", made->head_seq, hex, made->bytes);
}

/* A copy that was made, as JSON has it. */
typedef struct copy {
        pawl_backup made;
        char hex[2 * PAWL__HASH_LEN + 1];
} copy;

static const cli_field head_fields[] = {
        {"seq", CLI_AS_INTEGER, CLI_AT(copy, made.head_seq)},
        {"hash", CLI_AS_CHARS, CLI_AT(copy, hex)},
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"events", CLI_AS_INTEGER, CLI_AT(copy, made.events)},
        {"head", CLI_AS_PART, CLI_ITSELF, .fields = head_fields},
        {"bytes", CLI_AS_INTEGER, CLI_AT(copy, made.bytes)},
        CLI_NO_FIELD,
};

static int backup_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        copy c;
        bool shows = isatty(STDERR_FILENO) == 1;
        pawl_log *log;
        int fd;

        if (pawl__log_is_url(cli->args[0]))
                return cli_usage(cli, "FILE is a file; `pawl copy` carries a log to a server");
        if (cli_signals_catch(&fd, &err) || cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        pawl_status status = pawl_log_backup(&c.made, log, cli->args[0], go_on, &shows);
        if (status)
                pawl__log_failed(log, status, &err);
        if (shows)
                fputs("\r     \r", stderr);
        cli_close_log(cli, log);
        if (status) {
                int code = cli_fail(cli, &err);
                return status == PAWL_EINTERRUPTED ? 128 + cli_signals_last() : code;
        }
        pawl__hex(c.hex, c.made.head_hash, sizeof c.made.head_hash);
        if (cli_given(cli, "json"))
                return cli_print_object(cli, fields, &c, &err) ? cli_fail(cli, &err) : CLI_DONE;
        print_text(cli->in->out, cli->args[0], &c.made, c.hex);
        return CLI_DONE;
}

const cli_cmd pawl_backup_cmd = {
        .name = "backup",
        .args = "FILE",
        .options = cli_json_option,
        .help = "Copy the log into one new file, while others write",
        .run = backup_run,
};
