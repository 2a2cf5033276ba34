/* pawl checkpoints: the checkpoints of the workspace, oldest first, and which one it stands at. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/table.h"
#include "state/state.h"
#include <stdio.h>

typedef struct listing {
        pawl_workspace_checkpoints *all;
        const pawl_workspace_checkpoint_info **items; /* those that are asked for */
        size_t n;
        pawl_log *log;
        pawl__state *state;
        pawl__arena arena;
} listing;

/* ---- Which ones ---------------------------------------------------------------------------------
 */

/* What an option names, or absent: a whole id, where it is the start of one of that table. */
static pawl_status wanted(pawl_text *out, listing *l, const cli_call *cli, const char *option,
        const pawl__table *table, pawl_error *err)
{
        *out = pawl__text(cli_value(cli, option));
        if (!out->data || !table)
                return PAWL_OK;
        return pawl__state_whole_id(out, l->state, table, 1, option, &l->arena, err);
}

static bool is(pawl_text value, pawl_text asked)
{
        return !asked.data || (value.data && pawl__text_eq(value, asked));
}

static pawl_status gather(listing *l, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        static const pawl__table runs = PAWL__RUNS, sessions = PAWL__SESSIONS;
        pawl_text run, session, step;
        pawl_status status = pawl__state_of(&l->state, log, err);

        l->log = log;
        if (!status)
                status = wanted(&run, l, cli, "run", &runs, err);
        if (!status)
                status = wanted(&session, l, cli, "session", &sessions, err);
        if (!status)
                status = wanted(&step, l, cli, "step", NULL, err);
        if (!status)
                status = pawl_workspace_checkpoint_list(&l->all, log, err);
        if (status)
                return status;
        const size_t n = pawl_workspace_checkpoints_count(l->all);
        l->items = pawl__arena_array(&l->arena, n + 1, sizeof *l->items);
        if (!l->items)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++) {
                const pawl_workspace_checkpoint_info *info =
                        pawl_workspace_checkpoints_at(l->all, i);
                if (is(info->run_id, run) && is(info->session_id, session) &&
                        is(info->step_id, step))
                        l->items[l->n++] = info;
        }
        return PAWL_OK;
}

/* ---- Printing them ------------------------------------------------------------------------------
 */

static int print_json(const cli_call *cli, const listing *l)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (size_t i = 0; i < l->n; i++) {
                pawl__json_open_object(&w);
                cli_checkpoint_members(&w, l->items[i]);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

static const cli_column columns[] = {
        {"n", CLI_CELL_INTEGER, CLI_WHOLE},
        {"id", CLI_CELL_TEXT, CLI_WHOLE},
        {"step", CLI_CELL_TEXT, CLI_CUT},
        {"description", CLI_CELL_TEXT, CLI_CUT},
        {"trigger", CLI_CELL_TEXT, CLI_WHOLE},
        {"files", CLI_CELL_INTEGER, CLI_WHOLE},
        {"size", CLI_CELL_SIZE, CLI_WHOLE},
        {"when", CLI_CELL_TIME, CLI_CUT_LAST},
        {"state", CLI_CELL_TEXT, CLI_WHOLE},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *list, size_t i, pawl_error *err)
{
        const listing *l = list;
        const pawl_workspace_checkpoint_info *info = l->items[i];
        pawl_text id = info->id;
        char state[40];

        if (cli_short_id(&id, l->log, PAWL__WORKSPACE, err))
                return err->status;
        snprintf(state, sizeof state, "%s%s",
                info->pruned          ? "✗ pruned"
                : !info->valid        ? "✗ damaged"
                : info->current       ? ""
                : info->given_up.data ? "✓ given up"
                                      : "✓",
                !info->current ? ""
                : info->valid  ? "← current"
                               : " ← current");
        const cli_cell cells[COLUMNS] = {{.integer = (int64_t)info->n}, {.text = id},
                {.text = info->step_id}, {.text = info->description}, {.text = info->trigger},
                {.integer = (int64_t)info->files}, {.integer = (int64_t)info->bytes},
                {.integer = info->created_us}, {.text = pawl__text(state)}};
        return cli_table_row(table, cells, err);
}

static int print_table(const cli_call *cli, const listing *l)
{
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl_workspace_checkpoints_count(l->all) == 0) {
                cli_sayf(cli, cli->in->out,
                        "no checkpoints of the workspace; `pawl checkpoint` takes one, and `pawl "
                        "run` one after each step");
                fputc('\n', cli->in->out);
                return CLI_DONE;
        }
        return cli_table_print(cli->in->out, columns, COLUMNS, add_row, l, l->n, &err)
                       ? cli_fail(cli, &err)
                       : CLI_DONE;
}

static int checkpoints_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        listing l = {.n = 0};
        pawl_log *log;
        int code;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (gather(&l, cli, log, &err))
                code = cli_fail(cli, &err);
        else
                code = cli_given(cli, "json") ? print_json(cli, &l) : print_table(cli, &l);
        if (l.all) {
                const size_t n = pawl_workspace_checkpoints_count(l.all);
                cli_say_failed_checkpoints(
                        cli, log, n ? pawl_workspace_checkpoints_at(l.all, n - 1)->seq : 0);
        }
        pawl_workspace_checkpoints_free(l.all);
        pawl__arena_free(&l.arena);
        cli_close_log(cli, log);
        return code;
}

static const cli_option checkpoints_options[] = {
        {"run", 0, 0, CLI_TEXT, "RUN", NULL, "those of this run"},
        {"session", 0, 0, CLI_TEXT, "SESSION", NULL, "those of this session"},
        {"step", 0, 0, CLI_TEXT, "STEP", NULL, "those of the step of this name, in any run"},
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
