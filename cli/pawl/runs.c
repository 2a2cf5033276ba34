/* pawl runs: the runs of the log, newest first, or one with its steps. */
#include "mission/runs.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include <inttypes.h>
#include <stdio.h>

enum { LIMIT = 50 }; /* of one listing */

/* ---- As JSON ------------------------------------------------------------------------------------
 */

static void member_time(pawl__json_writer *w, const char *name, int64_t us)
{
        char time[28];

        pawl__time_format(time, us);
        pawl__json_member_string(w, name, time);
}

static void member_owner(pawl__json_writer *w, const pawl__run_view *run)
{
        pawl__json_name(w, "owner");
        if (!run->held) {
                pawl__json_null(w);
                return;
        }
        pawl__json_open_object(w);
        pawl__json_member_integer(w, "pid", run->owner.pid);
        pawl__json_member_text(w, "host", run->owner.host);
        pawl__json_close_object(w);
}

static void write_members(pawl__json_writer *w, const pawl__run_view *run)
{
        const pawl__value *v = run->row.v;

        pawl__json_member_text(w, "run_id", v[PAWL__RUN_ID].text);
        pawl__json_member_text(w, "mission_id", v[PAWL__RUN_MISSION].text);
        pawl__json_member_text(w, "status", run->status);
        pawl__json_member_integer(w, "steps_completed", v[PAWL__RUN_DONE].integer);
        pawl__json_member_integer(w, "steps_total", v[PAWL__RUN_STEPS].integer);
        pawl__json_member_text(w, "current_step", v[PAWL__RUN_CURRENT].text);
        member_time(w, "started_at", run->started_us);
        member_time(w, "updated_at", v[PAWL__RUN_UPDATED_US].integer);
        pawl__json_member_text(w, "session_id", v[PAWL__RUN_SESSION].text);
        pawl__json_member_integer(w, "conflicts_open", (int64_t)run->conflicts_open);
        pawl__json_member_text(w, "retry_token", run->retry_token);
        member_owner(w, run);
        pawl__json_member_text(w, "reason", v[PAWL__RUN_REASON].text);
        pawl__json_member_text(w, "strictness", v[PAWL__RUN_STRICTNESS].text);
        pawl__json_member_text(w, "mission_path", v[PAWL__RUN_MISSION_PATH].text);
        pawl__json_member_integer(w, "started_seq", v[PAWL__RUN_STARTED_SEQ].integer);
        pawl__json_member_integer(w, "updated_seq", v[PAWL__RUN_UPDATED_SEQ].integer);
}

static void write_step(pawl__json_writer *w, const pawl__row *step)
{
        const pawl__value *v = step->v;

        pawl__json_open_object(w);
        pawl__json_member_text(w, "step_id", v[PAWL__STEP_ID].text);
        pawl__json_member_text(w, "status", v[PAWL__STEP_STATUS].text);
        pawl__json_member_text(w, "input_hash", v[PAWL__STEP_INPUT_HASH].text);
        pawl__json_member_text(w, "output_hash", v[PAWL__STEP_OUTPUT_HASH].text);
        pawl__json_member_text(w, "retry_token", v[PAWL__STEP_TOKEN].text);
        pawl__json_member_text(w, "cursor", v[PAWL__STEP_CURSOR].text);
        pawl__json_name(w, "exit_code");
        if (v[PAWL__STEP_EXIT_CODE].integer < 0)
                pawl__json_null(w);
        else
                pawl__json_integer(w, v[PAWL__STEP_EXIT_CODE].integer);
        pawl__json_close_object(w);
}

/* ---- As a table ---------------------------------------------------------------------------------
 */

/* As much of the run's id as names it is there to be copied: what else can be is cut. */
static const cli_column columns[] = {
        {"run", CLI_CELL_TEXT, CLI_WHOLE},
        {"mission", CLI_CELL_TEXT, CLI_CUT},
        {"started", CLI_CELL_TIME, CLI_CUT_LAST},
        {"status", CLI_CELL_TEXT, CLI_WHOLE},
        {"steps", CLI_CELL_TEXT, CLI_WHOLE},
        {"at", CLI_CELL_TEXT, CLI_CUT},
        {"open", CLI_CELL_INTEGER, CLI_WHOLE},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(
        cli_table *table, const pawl__run_view *run, pawl_log *log, pawl_error *err)
{
        const pawl__value *v = run->row.v;
        pawl_text id = v[PAWL__RUN_ID].text;
        char steps[48];

        if (cli_short_id(&id, log, PAWL__RUNS, err))
                return err->status;
        snprintf(steps, sizeof steps, "%" PRId64 "/%" PRId64, v[PAWL__RUN_DONE].integer,
                v[PAWL__RUN_STEPS].integer);
        const cli_cell cells[COLUMNS] = {{.text = id}, {.text = v[PAWL__RUN_MISSION].text},
                {.integer = run->started_us}, {.text = run->status}, {.text = pawl__text(steps)},
                {.text = v[PAWL__RUN_CURRENT].text}, {.integer = (int64_t)run->conflicts_open}};
        return cli_table_row(table, cells, err);
}

/* ---- The list -----------------------------------------------------------------------------------
 */

typedef struct listing {
        pawl__json_writer *w; /* one of the two */
        cli_table *table;
        pawl_log *log;
        uint64_t n;
} listing;

static pawl_status show(const pawl__run_view *run, void *user, pawl_error *err)
{
        listing *l = user;

        l->n++;
        if (l->table)
                return add_row(l->table, run, l->log, err);
        pawl__json_open_object(l->w);
        write_members(l->w, run);
        pawl__json_close_object(l->w);
        return PAWL_OK;
}

static pawl_status list(
        uint64_t *next, const cli_call *cli, pawl_log *log, listing *l, pawl_error *err)
{
        return pawl__runs_list(next, log, pawl__text(cli_value(cli, "status")),
                cli_number(cli, "before", 0), cli_number(cli, "limit", LIMIT), show, l, err);
}

static int list_json(const cli_call *cli, pawl_log *log)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        listing l = {.w = &w};
        uint64_t next = 0;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "runs");
        pawl__json_open_array(&w);
        if (list(&next, cli, log, &l, &err)) {
                pawl__json_writer_free(&w);
                return cli_fail(cli, &err);
        }
        pawl__json_close_array(&w);
        pawl__json_name(&w, "next");
        if (next)
                pawl__json_integer(&w, (int64_t)next);
        else
                pawl__json_null(&w);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static int list_table(const cli_call *cli, pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        listing l = {.log = log};
        uint64_t next = 0;
        pawl_status status = cli_table_new(&l.table, cli->in->out, columns, COLUMNS, false, &err);

        if (!status)
                status = list(&next, cli, log, &l, &err);
        if (!status && l.n)
                status = cli_table_end(l.table, &err);
        cli_table_free(l.table);
        if (status)
                return cli_fail(cli, &err);
        if (l.n == 0)
                cli_say(cli, cli->in->out,
                        cli_given(cli, "status") || cli_given(cli, "before")
                                ? "no such runs"
                                : "no runs; `pawl run MISSION` starts one");
        if (next) {
                fprintf(cli->in->out, "\nolder ones: pawl runs --before %" PRIu64, next);
                cli_say_log(cli, cli->in->out);
        }
        if (l.n == 0 || next)
                fputc('\n', cli->in->out);
        return CLI_DONE;
}

/* ---- One ----------------------------------------------------------------------------------------
 */

static int one_json(
        const cli_call *cli, const pawl__run_view *run, const pawl__row *steps, size_t n)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        write_members(&w, run);
        pawl__json_name(&w, "steps");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < n; i++)
                write_step(&w, &steps[i]);
        pawl__json_close_array(&w);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static int one_text(const cli_call *cli, const pawl__run_view *run, const pawl__row *steps,
        size_t n, pawl_log *log)
{
        static const cli_column step_columns[] = {{"step", CLI_CELL_TEXT, CLI_CUT},
                {"status", CLI_CELL_TEXT, CLI_WHOLE}, {"retry_token", CLI_CELL_TEXT, CLI_WHOLE}};
        const pawl__value *v = run->row.v;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl_error err = PAWL_ERROR_INIT;
        cli_table *table = NULL;
        char time[28];
        FILE *out = cli->in->out;

        cli_put_line(out, "run", v[PAWL__RUN_ID].text);
        cli_put_line(out, "mission", v[PAWL__RUN_MISSION].text);
        cli_put_line(out, "file", v[PAWL__RUN_MISSION_PATH].text);
        cli_put_line(out, "status", run->status);
        cli_put_line(out, "reason", v[PAWL__RUN_REASON].text);
        if (run->held) {
                fprintf(out, "%-12s pid %" PRId64 " on ", "owner", run->owner.pid);
                cli_put(out, run->owner.host);
                fputc('\n', out);
        }
        pawl__time_format(time, run->started_us);
        cli_put_line(out, "started at", pawl__text(time));
        pawl__time_format(time, v[PAWL__RUN_UPDATED_US].integer);
        cli_put_line(out, "updated at", pawl__text(time));
        cli_put_line(out, "session", v[PAWL__RUN_SESSION].text);
        if (run->conflicts_open) {
                fprintf(out, "%-12s %zu open; see ", "conflicts", run->conflicts_open);
                cli_say(cli, out, "`pawl conflicts`");
                fputc('\n', out);
        }
        fputc('\n', out);
        pawl_status status = pawl__state_of(&state, log, &err);
        if (!status)
                status = cli_table_new(&table, out, step_columns, 3, false, &err);
        for (size_t i = 0; i < n && !status; i++) {
                pawl_text token = steps[i].v[PAWL__STEP_TOKEN].text;
                status = pawl__state_short_id(&token, state, PAWL__CHECKPOINTS, &arena, &err);
                const cli_cell cells[] = {{.text = steps[i].v[PAWL__STEP_ID].text},
                        {.text = steps[i].v[PAWL__STEP_STATUS].text}, {.text = token}};
                if (!status)
                        status = cli_table_row(table, cells, &err);
                pawl__arena_clear(&arena);
        }
        if (!status)
                status = cli_table_end(table, &err);
        cli_table_free(table);
        pawl__arena_free(&arena);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static int show_one(const cli_call *cli, pawl_log *log)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__row *steps = NULL;
        pawl__run_view run;
        size_t n = 0;
        int code;

        if (pawl__run_look(&run, &steps, &n, log, pawl__text(cli_value(cli, "id")), &arena, &err))
                code = cli_fail(cli, &err);
        else
                code = cli_given(cli, "json") ? one_json(cli, &run, steps, n)
                                              : one_text(cli, &run, steps, n, log);
        pawl__arena_free(&arena);
        return code;
}

static int runs_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;
        int code;

        if (cli_given(cli, "id") &&
                (cli_given(cli, "status") || cli_given(cli, "before") || cli_given(cli, "limit")))
                return cli_usage(cli, "--id names one run; the options that narrow a list do not "
                                      "go with it");
        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (cli_given(cli, "id"))
                code = show_one(cli, log);
        else
                code = cli_given(cli, "json") ? list_json(cli, log) : list_table(cli, log);
        cli_close_log(cli, log);
        return code;
}

static const cli_option runs_options[] = {
        {"id", 0, 0, CLI_TEXT, "RUN", NULL, "this one, with its steps"},
        {"status", 0, 0, CLI_CHOICE, "STATUS", "running|blocked|interrupted|completed|failed",
                "those that are running, blocked, interrupted, completed or failed"},
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N (default: 50)"},
        {"before", 0, 0, CLI_NUMBER, "SEQ", NULL, "those that started before this event"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_runs_cmd = {
        .name = "runs",
        .args = "",
        .traits = CLI_SERVED,
        .options = runs_options,
        .help = "List the runs, those that started last first, or show one with its steps",
        .run = runs_run,
};
