/* pawl checkpoints: the checkpoints of the workspace, oldest first, and which one it stands at. */
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/table.h"
#include <stdio.h>

static int print_json(const cli_call *cli, const pawl_workspace_checkpoints *list)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_workspace_checkpoints_count(list); i++) {
                pawl__json_open_object(&w);
                cli_checkpoint_members(&w, pawl_workspace_checkpoints_at(list, i));
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

/* Number and beginning name a checkpoint as well as the whole id: that is what is cut. */
static const cli_column columns[] = {
        {"n", CLI_CELL_INTEGER, false},
        {"id", CLI_CELL_TEXT, true},
        {"step", CLI_CELL_TEXT, false},
        {"trigger", CLI_CELL_TEXT, false},
        {"files", CLI_CELL_INTEGER, false},
        {"size", CLI_CELL_SIZE, false},
        {"when", CLI_CELL_TEXT, false},
        {"state", CLI_CELL_TEXT, false},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const char *state_of(const pawl_workspace_checkpoint_info *info)
{
        if (info->current)
                return info->valid ? "← current" : "✗ ← current";
        return info->valid ? "✓" : "✗";
}

static pawl_status add_row(cli_table *table, const void *list, size_t i, pawl_error *err)
{
        const pawl_workspace_checkpoint_info *info = pawl_workspace_checkpoints_at(list, i);
        char when[28];

        pawl__time_format(when, info->created_us);
        when[10] = ' ';
        const cli_cell cells[COLUMNS] = {{.integer = (int64_t)info->n}, {.text = info->id},
                {.text = info->step_id}, {.text = info->trigger}, {.integer = (int64_t)info->files},
                {.integer = (int64_t)info->bytes}, {.text = pawl__text_n(when, 19)},
                {.text = pawl__text(state_of(info))}};
        return cli_table_row(table, cells, err);
}

static int print_table(const cli_call *cli, const pawl_workspace_checkpoints *list)
{
        size_t n = pawl_workspace_checkpoints_count(list);
        pawl_error err = PAWL_ERROR_INIT;

        if (n == 0) {
                cli_sayf(cli, cli->in->out,
                        "no checkpoints of the workspace; `pawl checkpoint` takes one, and `pawl "
                        "run` one after each step");
                fputc('\n', cli->in->out);
                return CLI_DONE;
        }
        return cli_table_print(cli->in->out, columns, COLUMNS, add_row, list, n, &err)
                       ? cli_fail(cli, &err)
                       : CLI_DONE;
}

static int checkpoints_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_workspace_checkpoints *list = NULL;
        pawl_log *log;
        int code;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (pawl_workspace_checkpoint_list(&list, log, &err))
                code = cli_fail(cli, &err);
        else
                code = cli_given(cli, "json") ? print_json(cli, list) : print_table(cli, list);
        if (list) {
                const size_t n = pawl_workspace_checkpoints_count(list);
                cli_say_failed_checkpoints(
                        cli, log, n ? pawl_workspace_checkpoints_at(list, n - 1)->seq : 0);
        }
        pawl_workspace_checkpoints_free(list);
        cli_close_log(cli, log);
        return code;
}

static const cli_option checkpoints_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_workspace_checkpoints_cmd = {
        .name = "checkpoints",
        .args = "",
        .traits = CLI_SERVED,
        .options = checkpoints_options,
        .help = "List the checkpoints of the workspace, oldest first",
        .run = checkpoints_run,
};
