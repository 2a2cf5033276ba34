/* pawl sessions: the sittings at missions, newest first, and how to go on with the latest. */
#include "base/error.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/session_json.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include <inttypes.h>
#include <pawl/session.h>
#include <stdio.h>

/* ---- As JSON ------------------------------------------------------------------------------------
 */

static int print_json(const cli_call *cli, const pawl_sessions *list)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_sessions_count(list); i++)
                cli_session_json(&w, pawl_sessions_at(list, i));
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

/* ---- As a table ---------------------------------------------------------------------------------
 */

/* "2d 4h", "3h 05m", "12m 08s", "45s": the two greatest units. A clock that stepped back gives
 * "0s".
 */
static void format_duration(char out[32], int64_t us)
{
        int64_t s = us > 0 ? us / 1000000 : 0;

        if (s >= 86400)
                snprintf(out, 32, "%" PRId64 "d %" PRId64 "h", s / 86400, s % 86400 / 3600);
        else if (s >= 3600)
                snprintf(out, 32, "%" PRId64 "h %02" PRId64 "m", s / 3600, s % 3600 / 60);
        else if (s >= 60)
                snprintf(out, 32, "%" PRId64 "m %02" PRId64 "s", s / 60, s % 60);
        else
                snprintf(out, 32, "%" PRId64 "s", s);
}

static void format_progress(char out[64], const pawl_session *s)
{
        if (s->steps_total == 0)
                snprintf(out, 64, "-");
        else
                snprintf(out, 64, "%" PRIu64 "/%" PRIu64 " (%" PRIu64 "%%)", s->steps_completed,
                        s->steps_total, s->steps_completed * 100 / s->steps_total);
}

static const cli_column columns[] = {
        {"id", CLI_CELL_TEXT, false},
        {"mission", CLI_CELL_TEXT, true},
        {"started", CLI_CELL_TEXT, false},
        {"duration", CLI_CELL_TEXT, false},
        {"status", CLI_CELL_TEXT, false},
        {"progress", CLI_CELL_TEXT, false},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *list, size_t i, pawl_error *err)
{
        const pawl_session *s = pawl_sessions_at(list, i);
        char started[28], duration[32], progress[64];
        int64_t until = s->ended_us ? s->ended_us : s->updated_us;

        pawl__time_format(started, s->started_us);
        started[10] = ' ';
        format_duration(duration, until - s->started_us);
        format_progress(progress, s);
        const cli_cell cells[COLUMNS] = {{.text = s->session_id}, {.text = s->mission_id},
                {.text = pawl__text_n(started, 19)}, {.text = pawl__text(duration)},
                {.text = s->status}, {.text = pawl__text(progress)}};
        return cli_table_row(table, cells, err);
}

/* The command that goes on with it; nothing for one that is at work or done. */
static void print_next(const cli_call *cli, const pawl_session *s)
{
        FILE *out = cli->in->out;

        if (pawl__text_is(s->status, "active")) {
                fputs("\nThe latest is at work now: ", out);
                cli_put(out, s->actor);
                fputs("\n", out);
        } else if (pawl__text_is(s->status, "completed")) {
                fputs("\nThe latest is completed; `pawl handoff ", out);
                cli_put_word(out, s->session_id);
                cli_say_log(cli, out);
                fputs("` tells what was done\n", out);
        } else {
                fputs(s->run_id.data ? "\nGo on with the latest: pawl resume "
                                     : "\nGo on with the latest: pawl session resume ",
                        out);
                cli_put_word(out, s->run_id.data ? s->run_id : s->session_id);
                cli_say_log(cli, out);
                fputs("\n", out);
        }
}

static int print_table(const cli_call *cli, const pawl_sessions *list)
{
        size_t n = pawl_sessions_count(list);
        pawl_error err = PAWL_ERROR_INIT;

        if (n == 0) {
                cli_say(cli, cli->in->out,
                        "no sessions; `pawl run MISSION` or `pawl session start` begins one");
                fputc('\n', cli->in->out);
                return CLI_DONE;
        }
        if (cli_table_print(cli->in->out, columns, COLUMNS, add_row, list, n, &err))
                return cli_fail(cli, &err);
        print_next(cli, pawl_sessions_at(list, 0));
        return CLI_DONE;
}

static int sessions_run(cli_call *cli)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_sessions *list = NULL;
        pawl_log *log;
        int code;

        filter.mission_id = cli_value(cli, "mission");
        filter.session_id = cli_value(cli, "id");
        filter.status = cli_value(cli, "status");
        filter.limit = cli_given(cli, "latest") ? 1 : (size_t)cli_number(cli, "limit", 0);
        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (pawl_session_list(&list, log, &filter, &err))
                code = cli_fail(cli, &err);
        else
                code = cli_given(cli, "json") ? print_json(cli, list) : print_table(cli, list);
        pawl_sessions_free(list);
        cli_close_log(cli, log);
        return code;
}

static const cli_option sessions_options[] = {
        {"mission", 0, 0, CLI_TEXT, "MISSION", NULL, "those of this mission"},
        {"latest", 0, 0, CLI_FLAG, NULL, NULL, "the newest alone"},
        {"id", 0, 0, CLI_TEXT, "ID", NULL, "this one"},
        {"status", 0, 0, CLI_CHOICE, "STATUS", "active|completed|interrupted|error",
                "those that are active, completed, interrupted or error"},
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_sessions_cmd = {
        .name = "sessions",
        .args = "",
        .traits = CLI_SERVED,
        .options = sessions_options,
        .help = "List the sessions, newest first, and say how to go on with the latest",
        .run = sessions_run,
};
