/* pawl rollbacks: what was rolled back and undone, and what each gave up. */
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/table.h"
#include <inttypes.h>
#include <pawl/rollback.h>
#include <stdio.h>

static int print_json(const cli_call *cli, const pawl_rollbacks *list)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char time[28];

        pawl__json_open_array(&w);
        for (size_t i = 0; i < list->n; i++) {
                const pawl_rollback_info *it = &list->items[i];
                pawl__time_format(time, it->started_us);
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "seq", (int64_t)it->seq);
                pawl__json_member_integer(&w, "target", (int64_t)it->target);
                pawl__json_member_integer(&w, "safety", (int64_t)it->safety);
                pawl__json_member_bool(&w, "undo", it->undo);
                pawl__json_member_bool(&w, "in_part", it->in_part);
                pawl__json_member_text(&w, "status", it->status);
                pawl__json_member_string(&w, "started_at", time);
                pawl__json_member_text(&w, "actor", it->actor);
                pawl__json_member_text(&w, "reason", it->reason);
                pawl__json_name(&w, "given_up");
                pawl__json_open_array(&w);
                for (size_t k = 0; k < it->n_given_up; k++)
                        pawl__json_integer(&w, (int64_t)it->given_up[k]);
                pawl__json_close_array(&w);
                pawl__json_name(&w, "steps");
                pawl__json_open_array(&w);
                for (size_t k = 0; k < it->n_steps; k++) {
                        pawl__json_open_object(&w);
                        pawl__json_member_text(&w, "run_id", it->steps[k].run_id);
                        pawl__json_member_text(&w, "step_id", it->steps[k].step_id);
                        pawl__json_close_object(&w);
                }
                pawl__json_close_array(&w);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

static const cli_column columns[] = {
        {"when", CLI_CELL_TIME, CLI_CUT_LAST},
        {"what", CLI_CELL_TEXT, CLI_WHOLE},
        {"to", CLI_CELL_INTEGER, CLI_WHOLE},
        {"safety", CLI_CELL_INTEGER, CLI_WHOLE},
        {"status", CLI_CELL_TEXT, CLI_WHOLE},
        {"gave up", CLI_CELL_TEXT, CLI_CUT},
        {"reason", CLI_CELL_TEXT, CLI_CUT},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *list, size_t i, pawl_error *err)
{
        const pawl_rollback_info *it = &((const pawl_rollbacks *)list)->items[i];
        char gave_up[80];

        snprintf(gave_up, sizeof gave_up, "%zu checkpoint%s, %zu step%s", it->n_given_up,
                it->n_given_up == 1 ? "" : "s", it->n_steps, it->n_steps == 1 ? "" : "s");
        const cli_cell cells[COLUMNS] = {{.integer = it->started_us},
                {.text = pawl__text(it->undo      ? "undo"
                                    : it->in_part ? "some paths"
                                                  : "rollback")},
                {.integer = (int64_t)it->target}, {.integer = (int64_t)it->safety},
                {.text = it->status}, {.text = pawl__text(gave_up)}, {.text = it->reason}};
        return cli_table_row(table, cells, err);
}

static int rollbacks_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_rollbacks *list = NULL;
        pawl_log *log;
        int code = CLI_DONE;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (pawl_rollback_list(&list, log, &err))
                code = cli_fail(cli, &err);
        else if (cli_given(cli, "json"))
                code = print_json(cli, list);
        else if (cli_table_print(cli->in->out, columns, COLUMNS, add_row, list, list->n, &err))
                code = cli_fail(cli, &err);
        pawl_rollbacks_free(list);
        cli_close_log(cli, log);
        return code;
}

static const cli_option rollbacks_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_rollbacks_cmd = {
        .name = "rollbacks",
        .args = "",
        .traits = CLI_SERVED,
        .options = rollbacks_options,
        .help = "List the rollbacks and undos of the workspace, and what each gave up",
        .run = rollbacks_run,
};
