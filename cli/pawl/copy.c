/* pawl copy: a log whole into another, between files and servers; list-logs: those of a database.
 */
#include "events/copy.h"
#include "base/digest.h"
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/signals.h"
#include "command/find.h"
#include "command/printable.h"
#include "command/table.h"
#include "events/own_files.h"
#include "state/state.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The share done, on a terminal; false once a signal has come. */
static bool go_on(uint64_t done, uint64_t total, void *user)
{
        const bool *shows = user;

        if (*shows && total > 0)
                fprintf(stderr, "\r%3u %%", (unsigned)(done * 100 / total));
        return cli_signals_last() == 0;
}

/* What a log is shown with. */
typedef struct shown {
        pawl_text name;
        uint64_t events, seq;
        char hex[2 * PAWL__HASH_LEN + 1];
        bool keyed;
} shown;

static const cli_field head_fields[] = {
        {"seq", CLI_AS_INTEGER, CLI_AT(shown, seq)},
        {"hash", CLI_AS_CHARS, CLI_AT(shown, hex)},
        CLI_NO_FIELD,
};

static const cli_field copy_fields[] = {
        {"events", CLI_AS_INTEGER, CLI_AT(shown, events)},
        {"head", CLI_AS_PART, CLI_ITSELF, .fields = head_fields},
        CLI_NO_FIELD,
};

/* The events, and the tables that are derived from them. */
static pawl_status copy(shown *out, pawl_log *to, pawl_log *from, bool *shows, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        pawl__state *state;
        pawl_status status = pawl__log_copy(&out->events, to, from, go_on, shows, err);

        if (!status)
                status = pawl__state_of(&state, to, err);
        if (!status)
                status = pawl__log_failed(to, pawl_log_head(&out->seq, hash, to), err);
        if (!status)
                pawl__hex(out->hex, hash, sizeof hash);
        return status;
}

static int copy_run(cli_call *cli)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *from = NULL, *to = NULL;
        pawl__buf name = PAWL__BUF_INIT;
        bool shows = isatty(STDERR_FILENO) == 1;
        shown done = {.events = 0};
        int fd;

        pawl_status status = cli_signals_catch(&fd, &err);
        cli->db = cli->args[0]; /* what a message suggests is about the log that it names */
        if (!status)
                status = cli_open_path(&from, cli, cli->args[0], CLI_VERIFY, &err);
        options.flags = PAWL_LOG_CREATE;
        if (!status)
                cli->db = cli->args[1];
        if (!status && !pawl__log_is_url(cli->args[1]))
                status = pawl__own_files_spare(pawl__log_place(from), cli->args[1], &err);
        if (!status)
                status = pawl_log_open(&to, cli->args[1], &options, &err);
        if (!status)
                status = copy(&done, to, from, &shows, &err);
        if (shows)
                fputs("\r     \r", stderr);
        if (!status && cli_given(cli, "json"))
                status = cli_print_object(cli, copy_fields, &done, &err);
        else if (!status && !(status = pawl__log_shown(&name, cli->args[1], &err))) {
                cli_putf(cli->in->out, "%s: %" PRIu64 " event%s, head %" PRIu64 " %s, verified\n",
                        name.data, done.events, done.events == 1 ? "" : "s", done.seq, done.hex);
        }
        pawl__buf_free(&name);
        pawl_log_close(to);
        pawl_log_close(from);
        if (!status)
                return CLI_DONE;
        const int code = cli_fail(cli, &err);
        return status == PAWL_EINTERRUPTED ? 128 + cli_signals_last() : code;
}

const cli_cmd pawl_copy_cmd = {
        .name = "copy",
        .args = "FROM TO",
        .options = cli_json_option,
        .help = "Copy a log whole into another, between files and servers",
        .run = copy_run,
};

/* ---- list-logs ------------------------------------------------------------------------------- */

typedef struct listing {
        pawl__arena arena;
        shown *items;
        size_t n, cap;
} listing;

static pawl_status take(const pawl__log_listed *log, void *user, pawl_error *err)
{
        listing *l = user;

        if (pawl__grow(&l->items, &l->cap, l->n + 1, sizeof *l->items))
                return pawl__nomem(err);
        shown *item = &l->items[l->n++];
        *item = (shown){.name = pawl__arena_copy(&l->arena, log->name),
                .seq = log->head_seq,
                .keyed = log->keyed};
        pawl__hex(item->hex, log->head_hash, sizeof log->head_hash);
        return pawl__arena_check(&l->arena, err);
}

static const cli_field list_fields[] = {
        {"name", CLI_AS_TEXT, CLI_AT(shown, name), .title = "log"},
        {"head", CLI_AS_PART, CLI_ITSELF, .fields = head_fields},
        {NULL, CLI_AS_INTEGER, CLI_AT(shown, seq), .title = "events"},
        {"keyed", CLI_AS_BOOL, CLI_AT(shown, keyed)},
        CLI_NO_FIELD,
};

static int list_logs_run(cli_call *cli)
{
        const char *named = cli_named_log(cli);
        pawl_error err = PAWL_ERROR_INIT;
        listing l = {.arena = PAWL__ARENA_INIT};

        if (!pawl__log_is_url(named))
                return cli_usage(cli, "name a database with --db postgresql://USER@HOST/DATABASE");
        pawl_status status = pawl__log_list(named, take, &l, &err);
        if (!status)
                status =
                        cli_print_list(cli, NULL, list_fields, l.items, l.n, sizeof *l.items, &err);
        if (!status && l.n == 0 && !cli_given(cli, "json")) {
                cli_say(cli, cli->in->out, "no logs; `pawl init` makes one");
                fputc('\n', cli->in->out);
        }
        free(l.items);
        pawl__arena_free(&l.arena);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option list_logs_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one array"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_list_logs_cmd = {
        .name = "list-logs",
        .options = list_logs_options,
        .help = "List the logs of a database",
        .run = list_logs_run,
};
